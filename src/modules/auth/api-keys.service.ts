import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { IsNull } from 'typeorm';
import { uuid } from '../../platform/database/uuid.js';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import type { Principal } from '../../platform/security/principal.js';
import { AuditService } from '../audit/audit.service.js';
import { UsersService } from '../users/users.service.js';
import { InvalidApiKeyError } from './auth.errors.js';
import { ApiKey } from './credential.entity.js';
import { type ActiveApiKey, CredentialsRepository } from './credentials.repository.js';
import { generateSecret, isWellFormedSecret, SecretHasher } from './secrets.js';

/** Keys whose HMAC an instance caches: about 3 MB. */
const MAX_KNOWN_KEYS = 10_000;

/** Static API keys (specification, section 5): long-lived, unscoped, each bound to one workspace. */
@Injectable()
export class ApiKeysService {
  /** The HMACs of keys that were valid, by the SHA-256 of the key: the keys themselves do not remain in memory. */
  private readonly known = new LRUCache<string, Buffer>({ max: MAX_KNOWN_KEYS });

  constructor(
    private readonly database: Database,
    private readonly credentials: CredentialsRepository,
    private readonly hasher: SecretHasher,
    private readonly users: UsersService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Creates an API key. The returned key cannot be read again.
   *
   * @param expiresAt end of its validity; null if it has none.
   * @throws {NotFoundError} if the user does not exist or is not a member of the workspace.
   */
  async create(
    userId: string,
    workspaceId: string,
    expiresAt: Date | null = null,
  ): Promise<{ id: string; apiKey: string }> {
    await this.users.get(userId);
    if (!(await this.users.findWorkspaceIds(userId)).includes(workspaceId)) {
      throw new NotFoundError(`A membership of the user ${userId} in the workspace ${workspaceId}`);
    }
    const id = uuid();
    const apiKey = generateSecret('wsk_');
    const hmac = this.hasher.hash(apiKey);
    const { pepperId } = this.hasher;
    return this.database.transaction(async () => {
      await this.database
        .repository(ApiKey)
        .insert({ id, userId, workspaceId, hmac, pepperId, last4: apiKey.slice(-4), expiresAt });
      await this.audit.record({ kind: 'api_key_created', userId, apiKeyId: id });
      return { id, apiKey };
    });
  }

  /** Revokes the key; a repeated call does not change the time of revocation. @throws {NotFoundError} */
  async revoke(id: string): Promise<void> {
    await this.database.transaction(async () => {
      const keys = this.database.repository(ApiKey);
      const key = await keys.findOneBy({ id });
      if (!key) throw new NotFoundError(`The API key ${id}`);
      await keys.update({ id, revokedAt: IsNull() }, { revokedAt: () => 'now()' });
      await this.audit.record({ kind: 'api_key_revoked', userId: key.userId, apiKeyId: id });
    });
  }

  list(): Promise<ApiKey[]> {
    return this.database.repository(ApiKey).find({ order: { id: 'ASC' } });
  }

  /** @throws {InvalidApiKeyError} */
  async authenticate(apiKey: string): Promise<Principal> {
    if (!isWellFormedSecret('wsk_', apiKey)) throw new InvalidApiKeyError('malformed');
    const hmac = this.hasher.hash(apiKey);
    const principal = await this.getCaller(hmac);
    this.known.set(digest(apiKey), hmac);
    return principal;
  }

  /**
   * The caller of a key that was valid when this instance checked it last, and is checked again; undefined for any
   * other key. It saves the checksum and the HMAC, which cost more than a digest.
   *
   * @throws {InvalidApiKeyError}
   */
  authenticateKnown(apiKey: string): Promise<Principal> | undefined {
    const id = digest(apiKey);
    const hmac = this.known.get(id);
    return hmac && this.getKnownCaller(id, hmac);
  }

  private async getKnownCaller(id: string, hmac: Buffer): Promise<Principal> {
    try {
      return await this.getCaller(hmac);
    } catch (error) {
      if (error instanceof InvalidApiKeyError) this.known.delete(id);
      throw error;
    }
  }

  private async getCaller(hmac: Buffer): Promise<Principal> {
    const key = await this.credentials.findActiveApiKey(hmac);
    if (!key) throw new InvalidApiKeyError('unknown, revoked, expired, or its user is not an active member');
    if (key.isUseUnrecorded) await this.recordUse(key);
    return { userId: key.userId, apiKeyId: key.id, workspaceIds: [key.workspaceId], scopes: ['api'] };
  }

  /**
   * At most once per minute and key: exact enough to see whether and from where a key is used, without a write per
   * request.
   */
  private async recordUse({ id, userId }: ActiveApiKey): Promise<void> {
    await this.database.transaction(async () => {
      if (!(await this.credentials.recordApiKeyUse(id))) return;
      await this.audit.record({ kind: 'api_key_used', userId, apiKeyId: id });
    });
  }
}

function digest(apiKey: string): string {
  return hash('sha256', apiKey, 'base64');
}
