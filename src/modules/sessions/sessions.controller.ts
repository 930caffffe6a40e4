import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireCaller } from '../../platform/security/require-scope.decorator.js';
import { SessionDto } from './dto/session.dto.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Authentication')
@Controller('v1/api/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @RequireCaller()
  @ApiOperation({
    summary: "List one's own sessions",
    description: 'All that live, the newest first; a user has ten at most.',
  })
  @Enveloped(SessionDto, { isArray: true })
  @ApiErrors(400)
  list(@Caller() caller: Principal) {
    return this.sessions.listOwn(caller);
  }

  @Delete(':id')
  @RequireCaller()
  @ApiOperation({
    summary: "End one of one's own sessions",
    description: 'At once, on every instance: none of its tokens works any more, and its place among the ten is free.',
  })
  @Enveloped(null, { message: 'The session has ended' })
  @ApiErrors(400, 404)
  end(@Caller() caller: Principal, @Param('id', UuidPipe) id: string) {
    return this.sessions.endOwn(caller, id);
  }
}
