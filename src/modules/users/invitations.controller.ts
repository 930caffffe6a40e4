import { Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireSession } from '../../platform/security/require-scope.decorator.js';
import { InvitationListDto } from './dto/invitation.dto.js';
import { InvitationsService } from './invitations.service.js';

/** Not named `workspaceId`: the access guard would look for it among the caller's workspaces, where it is not yet. */
const ApiWorkspaceId = () => ApiParam({ name: 'id', format: 'uuid', description: 'The ID of the workspace.' });

@ApiTags('Users')
@Controller('v1/api/users/me/invitations')
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  @Get()
  @RequireSession()
  @ApiOperation({
    summary: 'List your invitations',
    description:
      'An invitation grants no access until it is accepted. Requires an access token; API keys are rejected.',
  })
  @Enveloped(InvitationListDto)
  list(@Caller() caller: Principal) {
    return this.invitations.list(caller);
  }

  @Post(':id/accept')
  @RequireSession()
  @ApiOperation({
    summary: 'Accept an invitation',
    description: 'All sessions of the caller have access to the workspace from the next request on.',
  })
  @ApiWorkspaceId()
  @Enveloped(null, { message: 'The invitation was accepted' })
  accept(@Caller() caller: Principal, @Param('id', UuidPipe) id: string) {
    return this.invitations.answer(caller, id, true);
  }

  @Delete(':id')
  @RequireSession()
  @ApiOperation({ summary: 'Decline an invitation' })
  @ApiWorkspaceId()
  @Enveloped(null, { message: 'The invitation was declined' })
  decline(@Caller() caller: Principal, @Param('id', UuidPipe) id: string) {
    return this.invitations.answer(caller, id, false);
  }
}
