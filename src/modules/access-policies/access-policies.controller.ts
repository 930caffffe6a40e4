import { applyDecorators, Body, Controller, Delete, Get, Param, Post, Put, Query, type Type } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { ExactNumbers } from '../../platform/body/body.decorators.js';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import {
  type AcceptedVersions,
  ConditionalRead,
  IfMatch,
  replyWithEtag,
} from '../../platform/http/conditional-requests.js';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { withMessage } from '../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { PageQueryDto } from '../../platform/http/page.dto.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import type { Scope } from '../../platform/security/scopes.js';
import { POLICY_ERRORS } from './access-policies.errors.js';
import { AccessPoliciesService } from './access-policies.service.js';
import { AccessPolicyDto, AccessPolicyInputDto, AccessPolicyPageDto } from './dto/access-policy.dto.js';

const NOT_FOUND = withMessage(HTTP_ERRORS.not_found, 'The access policy was not found. Check the ID.');

const Route = (dto: Type | null, summary: string, description?: string, message?: string, status: 200 | 201 = 200) =>
  applyDecorators(ApiOperation({ summary, description }), Enveloped(dto, { status, ...(message ? { message } : {}) }));

const Manage = (scope: Scope) => RequireScope(scope, 'owner');

const EXAMPLE = {
  name: 'Maintenance of the utilities',
  scopes: ['read:workspaces', 'write:workspaces'],
  tables: [
    { entity: 'locations', table: 'Demo Locations', under: 'VIE-UTL' },
    { entity: 'assets', table: '*', filter: { location: 'VIE-UTL-CW' }, write: true },
  ],
};

/** Access policies of a workspace. */
@ApiGroup({
  name: 'Access policies',
  description: 'Restrict members, clients and API keys to tables, rows and columns. Assign each policy to one of them.',
  guide: 'access',
})
@Controller('v2/api/workspaces/:workspaceId/access-policies')
export class AccessPoliciesController {
  constructor(private readonly policies: AccessPoliciesService) {}

  @Post()
  @ExactNumbers()
  @Manage('write:workspaces')
  @Route(
    AccessPolicyDto,
    'Create an access policy',
    'Assign it by `policyId` of a user, a client or a new API key.',
    'The access policy was created',
    201,
  )
  @ApiBody({ type: AccessPolicyInputDto, examples: { first: { value: EXAMPLE } } })
  @ApiErrors(POLICY_ERRORS.invalid_policy, POLICY_ERRORS.policy_name_taken, POLICY_ERRORS.too_many_policies)
  create(
    @Caller() { userId }: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Body() body: AccessPolicyInputDto,
  ) {
    return this.policies.create(workspaceId, body, userId);
  }

  @Get()
  @Manage('read:workspaces')
  @Route(AccessPolicyPageDto, 'List access policies', 'The newest first.')
  list(@Param('workspaceId', UuidPipe) workspaceId: string, @Query() query: PageQueryDto) {
    return this.policies.list(workspaceId, query);
  }

  @Get(':id')
  @ConditionalRead()
  @Manage('read:workspaces')
  @Route(AccessPolicyDto, 'Get an access policy')
  @ApiErrors(NOT_FOUND)
  async get(@Param('workspaceId', UuidPipe) workspaceId: string, @Param('id', UuidPipe) id: string) {
    return replyWithEtag(await this.policies.get(workspaceId, id));
  }

  @Put(':id')
  @ExactNumbers()
  @Manage('write:workspaces')
  @Route(
    AccessPolicyDto,
    'Replace an access policy',
    'Applies from the next request on.',
    'The access policy was changed',
  )
  @ApiBody({
    type: AccessPolicyInputDto,
    examples: { first: { value: { ...EXAMPLE, name: 'Utilities, to read only', tables: EXAMPLE.tables.slice(0, 1) } } },
  })
  @ApiErrors(NOT_FOUND, POLICY_ERRORS.invalid_policy, POLICY_ERRORS.policy_name_taken)
  async replace(
    @Caller() { userId }: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) id: string,
    @Body() body: AccessPolicyInputDto,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.policies.replace(workspaceId, id, body, userId, accepted));
  }

  @Delete(':id')
  @Manage('write:workspaces')
  @Route(null, 'Delete an access policy', 'Only a policy that is not assigned.', 'The access policy was deleted')
  @ApiErrors(NOT_FOUND, POLICY_ERRORS.policy_in_use)
  async delete(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) id: string,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    await this.policies.delete(workspaceId, id, accepted);
    return {};
  }
}
