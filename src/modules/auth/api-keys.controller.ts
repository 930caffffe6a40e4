import { applyDecorators, Body, Controller, Delete, Get, Param, Post, Query, type Type } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { withMessage } from '../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { NoIdempotencyKey } from '../../platform/http/idempotency/no-idempotency-key.decorator.js';
import { PageQueryDto } from '../../platform/http/page.dto.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { POLICY_ERRORS } from '../access-policies/access-policies.errors.js';
import { AUTH_ERRORS } from './auth.errors.js';
import { CallerApiKeysService } from './caller-api-keys.service.js';
import { ApiKeyDto, ApiKeyPageDto, CreateApiKeyDto, IssuedApiKeyDto, RotateApiKeyDto } from './dto/api-key.dto.js';

const NOT_FOUND = withMessage(HTTP_ERRORS.not_found, 'The API key was not found. Check the ID.');

const Route = (dto: Type, summary: string, description?: string, message?: string, status: 200 | 201 = 200) =>
  applyDecorators(
    RequireScope('write:workspaces', 'owner'),
    ApiOperation({ summary, description }),
    Enveloped(dto, { status, ...(message ? { message } : {}) }),
  );

const EXAMPLE = { name: 'Maintenance reports', scopes: ['read:workspaces'] };

@ApiGroup({
  name: 'API keys',
  description: 'Static keys of the workspace, managed by its owners. A key acts for its user, with its own scopes.',
  guide: 'access',
})
@Controller('v2/api/workspaces/:workspaceId/api-keys')
export class ApiKeysController {
  constructor(private readonly apiKeys: CallerApiKeysService) {}

  @Post()
  // The stored response would contain the key.
  @NoIdempotencyKey()
  @Route(
    IssuedApiKeyDto,
    'Create an API key',
    'The key acts for the caller. Its scopes are among those of the caller. Only this response contains the key.',
    'The API key was created',
    201,
  )
  @ApiBody({ type: CreateApiKeyDto, examples: { first: { value: EXAMPLE } } })
  @ApiErrors(AUTH_ERRORS.too_many_api_keys, POLICY_ERRORS.policy_not_assignable)
  create(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Body() body: CreateApiKeyDto,
  ) {
    return this.apiKeys.create(caller, workspaceId, body);
  }

  @Get()
  @Route(ApiKeyPageDto, 'List API keys', 'The newest first.')
  list(@Param('workspaceId', UuidPipe) workspaceId: string, @Query() query: PageQueryDto) {
    return this.apiKeys.list(workspaceId, query);
  }

  @Get(':id')
  @Route(ApiKeyDto, 'Get an API key')
  @ApiErrors(NOT_FOUND)
  get(@Param('workspaceId', UuidPipe) workspaceId: string, @Param('id', UuidPipe) id: string) {
    return this.apiKeys.get(workspaceId, id);
  }

  @Post(':id/rotate')
  @NoIdempotencyKey()
  @Route(
    IssuedApiKeyDto,
    'Give an API key a new secret',
    'Only the user of the key. Former secrets are valid for `overlapS` seconds. Only this response contains the new one.',
    'The API key has a new secret',
  )
  @ApiBody({ type: RotateApiKeyDto, examples: { first: { value: { overlapS: 86_400 } } } })
  @ApiErrors(NOT_FOUND, AUTH_ERRORS.api_key_ended, AUTH_ERRORS.not_own_api_key)
  rotate(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) id: string,
    @Body() body: RotateApiKeyDto,
  ) {
    return this.apiKeys.rotate(caller, workspaceId, id, body);
  }

  @Delete(':id')
  @Route(
    ApiKeyDto,
    'Revoke an API key',
    'Takes effect with the next request on every instance, also for former secrets.',
    'The API key was revoked',
  )
  @ApiErrors(NOT_FOUND)
  revoke(@Param('workspaceId', UuidPipe) workspaceId: string, @Param('id', UuidPipe) id: string) {
    return this.apiKeys.revoke(workspaceId, id);
  }
}
