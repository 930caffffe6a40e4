import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { onResponseEnd } from '../../platform/http/handler-hooks.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { getCallerRole } from '../../platform/security/principal.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { EventListDto, ListEventsDto } from './dto/events.dto.js';
import { type CallingReader, EventReaderService } from './event-reader.service.js';
import { EVENT_ERRORS } from './events.errors.js';

@ApiGroup({
  name: 'Events',
  description: 'What happened in a workspace, in order. Read it with a cursor, or subscribe to signed webhooks.',
  guide: 'events',
})
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/events')
export class EventsController {
  constructor(private readonly events: EventReaderService) {}

  @Get()
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({
    summary: 'List events',
    description: 'Only events whose records the scopes and access policies grant.',
  })
  @Enveloped(EventListDto)
  @ApiErrors(EVENT_ERRORS.events_removed, EVENT_ERRORS.too_many_waiting)
  list(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Query() query: ListEventsDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.events.list(() => toReader(response.req), workspaceId, query, abortOnClose(response));
  }
}

/** What the caller may read now. */
function toReader(request: Request): CallingReader {
  const { userId, scopes } = request.principal!;
  return { userId, scopes, role: getCallerRole(request) };
}

/** A signal that aborts when the caller disconnects. */
function abortOnClose(response: Response): AbortSignal {
  const closed = new AbortController();
  onResponseEnd(response, () => closed.abort());
  return closed.signal;
}
