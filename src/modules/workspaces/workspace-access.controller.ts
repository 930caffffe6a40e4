import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { Caller, CallerRole, type Principal } from '../../platform/security/principal.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import type { Role } from '../../platform/security/roles.js';
import { grantsAny, SCOPES } from '../../platform/security/scopes.js';
import { WorkspaceAccessDto } from './dto/workspace-access.dto.js';

@ApiTags('Start here')
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/access')
export class WorkspaceAccessController {
  @Get()
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({
    summary: 'Get your role and scopes in a workspace',
    description: 'What the credentials of the request permit.',
  })
  @Enveloped(WorkspaceAccessDto)
  get(@Caller() { userId, scopes }: Principal, @CallerRole() role: Role): WorkspaceAccessDto {
    return { userId, role, scopes: SCOPES.filter((scope) => grantsAny(scopes, scope)) };
  }
}
