import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { Database } from '../../platform/database/database.js';
import { DomainError, InvalidRequestError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { Scope } from '../../platform/security/scopes.js';
import { AccessPoliciesService } from '../access-policies/access-policies.service.js';
import { AuditService } from '../audit/audit.service.js';
import { UsersService } from '../users/users.service.js';
import { ApiKeysRepository, type StoredSecret } from './api-keys.repository.js';
import { MAX_API_KEYS, AUTH_ERRORS } from './auth.errors.js';
import { ApiKey } from './credential.entity.js';
import { generateSecret, SecretHasher } from './secrets.js';

/** Characters of a key that remain readable: the prefix of all keys and four more, 24 of 256 random bits. */
const PREFIX_LENGTH = 8;

const DEFAULT_NAME = 'API key';

export interface NewApiKey {
  name: string;
  scopes: readonly Scope[];
  /** End of its validity; null if it has none. */
  expiresAt: Date | null;
  /** The access policy that restricts the key; null if it has none. */
  policyId: string | null;
}

export interface Rotation {
  /** Seconds for which former secrets are still valid. */
  overlapS: number;
  /** Undefined if the expiry remains unchanged. */
  expiresAt?: Date | null;
}

/** Shown once; only its HMAC is stored. */
export interface IssuedApiKey {
  id: string;
  apiKey: string;
}

/**
 * API keys (specification, section 5), each of one user and bound to one workspace. These methods are those of the
 * operator; `CallerApiKeysService` adds what restricts callers.
 */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly repository: ApiKeysRepository,
    private readonly hasher: SecretHasher,
    private readonly users: UsersService,
    private readonly audit: AuditService,
    private readonly policies: AccessPoliciesService,
  ) {}

  /**
   * Creates an API key. The returned key cannot be read again.
   *
   * @param createdBy the caller; null for the operator.
   * @throws {NotFoundError} if the user does not exist or is not a member of the workspace.
   * @throws {InvalidRequestError} if the expiry is not in the future.
   * @throws {PolicyNotAssignableError} if the workspace has no such policy.
   * @throws {DomainError} `too_many_api_keys`
   */
  async create(
    userId: string,
    workspaceId: string,
    { name = DEFAULT_NAME, scopes = ['api'], expiresAt = null, policyId = null }: Partial<NewApiKey> = {},
    createdBy: string | null = null,
  ): Promise<IssuedApiKey> {
    requireFuture(expiresAt);
    const id = uuid();
    const { apiKey, secret } = this.generate();
    return this.database.transaction(async () => {
      // Those that end the access of the user wait, and then find the key.
      await this.users.lock(userId);
      await this.users.get(userId);
      if (!(await this.users.findWorkspaceIds(userId)).includes(workspaceId))
        throw new NotFoundError(`A membership of the user ${userId} in the workspace ${workspaceId}`);
      if ((await this.repository.countActiveLocked(workspaceId)) >= MAX_API_KEYS)
        throw new DomainError(AUTH_ERRORS.too_many_api_keys);
      if (policyId !== null) await this.policies.requireAssignable(workspaceId, policyId);
      const key = { id, userId, workspaceId, name, scopes: [...scopes], expiresAt, createdBy, policyId };
      await this.database.repository(ApiKey).insert({ ...key, ...secret });
      const reason = `${name}: ${scopes.join(' ')}`;
      const details = { policyId, expiresAt: expiresAt?.toISOString() ?? null };
      await this.audit.record({ kind: 'api_key_created', userId, workspaceId, apiKeyId: id, reason, details });
      return { id, apiKey };
    });
  }

  /**
   * Gives the key another secret. The former ones are valid for the overlap at most.
   *
   * @param check decides on the locked key.
   * @throws {NotFoundError | DomainError} `api_key_ended`
   * @throws {InvalidRequestError} if the expiry is not in the future.
   */
  async rotate(
    id: string,
    { overlapS, expiresAt }: Rotation,
    check: (key: ApiKey) => void = () => undefined,
  ): Promise<IssuedApiKey> {
    requireFuture(expiresAt);
    const { apiKey, secret } = this.generate();
    await this.database.transaction(async () => {
      const key = await this.repository.findLocked(id);
      if (!key) throw new NotFoundError(`The API key ${id}`);
      check(key);
      if (!key.isActive) throw new DomainError(AUTH_ERRORS.api_key_ended);
      const until = expiresAt === undefined ? key.expiresAt : expiresAt;
      await this.repository.replaceSecret(key, secret, until, overlapS, uuid());
      const { userId, workspaceId } = key;
      await this.audit.record({ kind: 'api_key_rotated', userId, workspaceId, apiKeyId: id, counts: { overlapS } });
    });
    return { id, apiKey };
  }

  /** Revokes the key; a repeated call does not change the time of revocation. @throws {NotFoundError} */
  async revoke(id: string): Promise<void> {
    await this.database.transaction(async () => {
      const key = await this.repository.findLocked(id);
      if (!key) throw new NotFoundError(`The API key ${id}`);
      const { userId, workspaceId } = key;
      if (await this.repository.revoke(key))
        await this.audit.record({ kind: 'api_key_revoked', userId, workspaceId, apiKeyId: id });
    });
  }

  /** Revokes all keys of a user for the workspace. */
  async revokeOf(workspaceId: string, userId: string): Promise<void> {
    const where = { workspaceId, userId, formerOf: IsNull(), revokedAt: IsNull() };
    const keys = await this.database.repository(ApiKey).find({ where, order: { id: 'ASC' } });
    for (const { id } of keys) await this.revoke(id);
  }

  /** All keys, without former secrets. */
  list(): Promise<ApiKey[]> {
    return this.database.repository(ApiKey).find({ where: { formerOf: IsNull() }, order: { id: 'ASC' } });
  }

  private generate(): { apiKey: string; secret: StoredSecret } {
    const apiKey = generateSecret('wsk_');
    const { pepperId } = this.hasher;
    const secret = {
      hmac: this.hasher.hash(apiKey),
      pepperId,
      prefix: apiKey.slice(0, PREFIX_LENGTH),
      last4: apiKey.slice(-4),
    };
    return { apiKey, secret };
  }
}

/** @throws {InvalidRequestError} */
function requireFuture(expiresAt: Date | null | undefined): void {
  if (!expiresAt || expiresAt.getTime() > Date.now()) return;
  const message = 'expiresAt must be in the future, or null for a key that does not expire.';
  throw new InvalidRequestError([{ field: 'expiresAt', code: 'invalid_field', message }]);
}
