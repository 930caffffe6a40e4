import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { InvalidRequestError } from '../../../packages/errors/src/domain-error.js';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { acceptedType, streamReply } from '../../platform/http/stream-reply.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { AuditEntryPageDto, AuditQueryDto } from './dto/audit.dto.js';
import { WorkspaceAuditService } from './workspace-audit.service.js';

const NDJSON = 'application/x-ndjson';

@ApiGroup({
  name: 'Audit log',
  description:
    'Who signed in, changed access, or loaded, exported and removed data. Each entry has time, address and result.',
  guide: 'access',
})
@Controller('v2/api/workspaces/:workspaceId/audit')
export class AuditController {
  constructor(private readonly audit: WorkspaceAuditService) {}

  @Get()
  @RequireScope('read:workspaces', 'owner')
  @ApiOperation({
    summary: 'Read the audit log of a workspace, newest first',
    description: `With \`Accept: ${NDJSON}\` it streams all matching entries, one per line.`,
  })
  @Enveloped(AuditEntryPageDto)
  @ApiErrors(HTTP_ERRORS.not_acceptable)
  list(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Query() query: AuditQueryDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    if (acceptedType(response.req, ['application/json', NDJSON]) === 'application/json')
      return this.audit.list(workspaceId, query);
    rejectPageParameters(response.req.query);
    return streamReply(response, this.audit.stream(workspaceId, query), `${NDJSON}; charset=utf-8`, {});
  }
}

/** @throws {InvalidRequestError} */
function rejectPageParameters(query: object): void {
  const field = ['limit', 'cursor'].find((name) => Object.hasOwn(query, name));
  if (field === undefined) return;
  const message = `"${field}" is only for pages; the stream contains all entries. Omit it.`;
  throw new InvalidRequestError([{ field, code: 'invalid_field', message }]);
}
