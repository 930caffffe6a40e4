import { applyDecorators, Body, Controller, Get, Param, Patch, Query, type Type } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam } from '@nestjs/swagger';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { withMessage } from '../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { PageQueryDto } from '../../platform/http/page.dto.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { POLICY_ERRORS } from '../access-policies/access-policies.errors.js';
import { AUTH_ERRORS } from './auth.errors.js';
import { ChangeOAuthClientDto, OAuthClientDto, OAuthClientPageDto } from './dto/oauth-client.dto.js';
import { WorkspaceClientsService } from './workspace-clients.service.js';

const NOT_FOUND = withMessage(HTTP_ERRORS.not_found, 'The client was not found. Check the ID.');

const Route = (dto: Type, summary: string, description?: string, message?: string) =>
  applyDecorators(ApiOperation({ summary, description }), Enveloped(dto, { ...(message ? { message } : {}) }));

const ApiClientId = () =>
  ApiParam({ name: 'id', description: 'The ID of the client.', schema: { type: 'string', pattern: '^wsc_' } });

@ApiGroup({
  name: 'Clients',
  description: 'OAuth clients of the members of the workspace. The operator issues them, owners restrict them.',
  guide: 'access',
})
@Controller('v2/api/workspaces/:workspaceId/clients')
export class WorkspaceClientsController {
  constructor(private readonly clients: WorkspaceClientsService) {}

  @Get()
  @RequireScope('read:workspaces', 'owner')
  @Route(OAuthClientPageDto, 'List clients of members', 'The newest first.')
  list(@Param('workspaceId', UuidPipe) workspaceId: string, @Query() query: PageQueryDto) {
    return this.clients.list(workspaceId, query);
  }

  @Get(':id')
  @RequireScope('read:workspaces', 'owner')
  @Route(OAuthClientDto, 'Get a client of a member')
  @ApiClientId()
  @ApiErrors(NOT_FOUND)
  get(@Param('workspaceId', UuidPipe) workspaceId: string, @Param('id') id: string) {
    return this.clients.get(workspaceId, id);
  }

  @Patch(':id')
  @RequireScope('write:workspaces', 'owner')
  @Route(
    OAuthClientDto,
    'Assign an access policy to a client',
    'Applies in this workspace, from the next request of the client on.',
    'The client was changed',
  )
  @ApiClientId()
  @ApiBody({ type: ChangeOAuthClientDto, examples: { first: { value: { policyId: null } } } })
  @ApiErrors(NOT_FOUND, AUTH_ERRORS.own_client, POLICY_ERRORS.policy_not_assignable)
  change(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id') id: string,
    @Body() body: ChangeOAuthClientDto,
  ) {
    return this.clients.change(caller, workspaceId, id, body);
  }
}
