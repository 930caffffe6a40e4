import { Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireCaller } from '../../platform/security/require-scope.decorator.js';
import { InvitationDto } from './dto/invitation.dto.js';
import { InvitationsService } from './invitations.service.js';

/** The inviting workspace: it is not among the caller's yet, so the guard must not look for it there. */
const OfWorkspace = () => ApiParam({ name: 'id', format: 'uuid', description: 'The id of the workspace.' });

@ApiTags('Users')
@Controller('v1/api/users/me/invitations')
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  @Get()
  @RequireCaller()
  @ApiOperation({
    summary: 'List the workspaces that have invited the caller',
    description:
      'Until it is accepted, an invitation counts for nothing. Signed in, with any scope; an API key is refused.',
  })
  @Enveloped(InvitationDto, { isArray: true })
  @ApiErrors(400, 403)
  list(@Caller() caller: Principal) {
    return this.invitations.list(caller);
  }

  @Post(':id/accept')
  @RequireCaller()
  @ApiOperation({
    summary: 'Accept an invitation',
    description: 'From the next request on, all sessions of the caller reach the workspace too.',
  })
  @OfWorkspace()
  @Enveloped(null, { message: 'The invitation was accepted' })
  @ApiErrors(400, 403, 404)
  accept(@Caller() caller: Principal, @Param('id', UuidPipe) id: string) {
    return this.invitations.accept(caller, id);
  }

  @Delete(':id')
  @RequireCaller()
  @ApiOperation({ summary: 'Decline an invitation' })
  @OfWorkspace()
  @Enveloped(null, { message: 'The invitation was declined' })
  @ApiErrors(400, 403, 404)
  decline(@Caller() caller: Principal, @Param('id', UuidPipe) id: string) {
    return this.invitations.decline(caller, id);
  }
}
