import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireSession } from '../../platform/security/require-scope.decorator.js';
import { SessionListDto } from './dto/session.dto.js';
import { SessionsService } from './sessions.service.js';
import { withMessage } from '../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { SECURITY_ERRORS } from '../../platform/security/security.errors.js';

@ApiTags('Authentication')
@Controller('v1/api/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @RequireSession()
  @ApiOperation({
    summary: 'List your sessions',
    description: 'All active sessions of the user, the newest first; a user has at most ten.',
  })
  @Enveloped(SessionListDto)
  list(@Caller() caller: Principal) {
    return this.sessions.listOwn(caller);
  }

  @Delete(':id')
  @RequireSession()
  @ApiOperation({
    summary: 'End one of your sessions',
    description:
      'Its tokens become invalid immediately on every instance. Another session than that of the token requires the scope `api`.',
  })
  @Enveloped(null, { message: 'The session has ended' })
  @ApiErrors(withMessage(HTTP_ERRORS.not_found, 'The session was not found. Check the ID.'))
  @ApiErrors(SECURITY_ERRORS.insufficient_scope)
  end(@Caller() caller: Principal, @Param('id', UuidPipe) id: string) {
    return this.sessions.revokeOwn(caller, id);
  }
}
