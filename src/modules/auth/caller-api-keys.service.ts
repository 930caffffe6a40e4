import { Injectable } from '@nestjs/common';
import { InvalidRequestError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { PageQueryDto } from '../../platform/http/page.dto.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import type { Principal } from '../../platform/security/principal.js';
import { grantsAny, type Scope } from '../../platform/security/scopes.js';
import { InsufficientScopeError } from '../../platform/security/security.errors.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { NotOwnApiKeyError } from './auth.errors.js';
import type { ApiKeyDto, CreateApiKeyDto, IssuedApiKeyDto, RotateApiKeyDto } from './dto/api-key.dto.js';

/**
 * The API keys of a workspace, as its owners manage them. A key never permits more than its creator may do: its scopes
 * are among those of the caller, its role is that of its user, and a key does not outlive the key that created it. Only
 * the user of a key receives its secrets.
 */
@Injectable()
export class CallerApiKeysService {
  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly keys: ApiKeysService,
  ) {}

  /** The newest first. @throws {InvalidCursorError} */
  list(workspaceId: string, query: PageQueryDto): Promise<Page<ApiKeyDto>> {
    return this.repository.findPage(workspaceId, query);
  }

  /** @throws {NotFoundError} */
  get(workspaceId: string, id: string): Promise<ApiKeyDto> {
    return this.repository.get(workspaceId, id);
  }

  /**
   * @throws {InsufficientScopeError | InvalidRequestError | PolicyNotAssignableError}
   * @throws {DomainError} `too_many_api_keys`
   */
  async create(
    caller: Principal,
    workspaceId: string,
    { name, scopes = [...caller.scopes], expiresAt = null, policyId = null }: CreateApiKeyDto,
  ): Promise<IssuedApiKeyDto> {
    requireScopes(caller, scopes);
    requireLifetime(caller, expiresAt);
    const { userId } = caller;
    const { id, apiKey } = await this.keys.create(userId, workspaceId, { name, scopes, expiresAt, policyId }, userId);
    return { ...(await this.get(workspaceId, id)), apiKey };
  }

  /**
   * @throws {NotFoundError | NotOwnApiKeyError | InsufficientScopeError | InvalidRequestError}
   * @throws {DomainError} `api_key_ended`
   */
  async rotate(
    caller: Principal,
    workspaceId: string,
    id: string,
    { overlapS = 0, expiresAt }: RotateApiKeyDto,
  ): Promise<IssuedApiKeyDto> {
    const { apiKey } = await this.keys.rotate(id, { overlapS, expiresAt }, (key) => {
      if (key.workspaceId !== workspaceId) throw new NotFoundError('The API key');
      if (key.userId !== caller.userId) throw new NotOwnApiKeyError();
      requireScopes(caller, key.scopes);
      requireLifetime(caller, expiresAt === undefined ? key.expiresAt : expiresAt);
    });
    return { ...(await this.get(workspaceId, id)), apiKey };
  }

  /** @throws {NotFoundError} */
  async revoke(workspaceId: string, id: string): Promise<ApiKeyDto> {
    await this.get(workspaceId, id);
    await this.keys.revoke(id);
    return this.get(workspaceId, id);
  }
}

/** @throws {InvalidRequestError} if the caller uses a secret of an API key that ends before. */
function requireLifetime({ apiKeyExpiresAt: end }: Principal, expiresAt: Date | null): void {
  if (!end || (expiresAt && expiresAt <= end)) return;
  const message = `A key that creates or rotates a key cannot let it be valid for longer than itself: until ${end.toISOString()}.`;
  throw new InvalidRequestError([{ field: 'expiresAt', code: 'invalid_field', message }]);
}

/** @throws {InsufficientScopeError} */
function requireScopes({ scopes: granted }: Principal, scopes: readonly Scope[]): void {
  const missing = scopes.find((scope) => !grantsAny(granted, scope));
  if (missing) throw new InsufficientScopeError([missing]);
}
