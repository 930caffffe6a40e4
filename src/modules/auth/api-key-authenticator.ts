import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database } from '../../platform/database/database.js';
import type { Identity } from '../../platform/security/principal.js';
import { AuditService } from '../audit/audit.service.js';
import type { AuditedCaller } from '../audit/audit-log.js';
import { type ActiveApiKey, ApiKeysRepository, type StoredApiKey } from './api-keys.repository.js';
import { InvalidApiKeyError } from './auth.errors.js';
import { isWellFormedSecret, SecretHasher } from './secrets.js';

/** Keys whose HMAC an instance caches: about 3 MB. */
const MAX_KNOWN_KEYS = 10_000;

/**
 * Verifies API keys. Every request reads its key from the database, which compares the expiry with its own clock, so
 * that a key ends at the same time on all instances (ADR 0180).
 */
@Injectable()
export class ApiKeyAuthenticator {
  /** The HMACs of keys that were valid, by the SHA-256 of the key: the keys themselves do not remain in memory. */
  private readonly known = new LRUCache<string, Buffer>({ max: MAX_KNOWN_KEYS });

  constructor(
    private readonly database: Database,
    private readonly repository: ApiKeysRepository,
    private readonly hasher: SecretHasher,
    private readonly audit: AuditService,
  ) {}

  /** @throws {InvalidApiKeyError} */
  async authenticate(apiKey: string): Promise<Identity> {
    if (!isWellFormedSecret('wsk_', apiKey)) throw new InvalidApiKeyError('malformed');
    const hmac = this.hasher.hash(apiKey);
    const caller = await this.getCaller(hmac);
    this.known.set(digest(apiKey), hmac);
    return caller;
  }

  /**
   * The caller of a key that was valid when this instance checked it last, and is checked again; undefined for any
   * other key. It saves the checksum and the HMAC, which cost more than a digest.
   *
   * @throws {InvalidApiKeyError}
   */
  authenticateKnown(apiKey: string): Promise<Identity> | undefined {
    const id = digest(apiKey);
    const hmac = this.known.get(id);
    return hmac && this.getKnownCaller(id, hmac);
  }

  /** The stored key of a rejected one, which has ended or whose user is not an active member. */
  async findRejected(apiKey: string): Promise<{ workspaceId: string; caller: AuditedCaller } | undefined> {
    if (!isWellFormedSecret('wsk_', apiKey)) return undefined;
    const key = await this.repository.find(this.hasher.hash(apiKey));
    return key && { workspaceId: key.workspaceId, caller: toCaller(key) };
  }

  private async getKnownCaller(id: string, hmac: Buffer): Promise<Identity> {
    try {
      return await this.getCaller(hmac);
    } catch (error) {
      if (error instanceof InvalidApiKeyError) this.known.delete(id);
      throw error;
    }
  }

  private async getCaller(hmac: Buffer): Promise<Identity> {
    const key = await this.repository.findActive(hmac);
    if (!key) throw new InvalidApiKeyError('unknown, revoked, expired, or its user is not an active member');
    if (key.isUseUnrecorded) await this.recordUse(key);
    const { workspaceId, role, scopes, expiresAt: apiKeyExpiresAt } = key;
    const policyIds = key.policyIds.filter((policyId) => policyId !== null);
    const membership = policyIds.length > 0 ? { workspaceId, role, policyIds } : { workspaceId, role };
    return { ...toCaller(key), apiKeyExpiresAt, memberships: [membership], scopes };
  }

  /**
   * At most once per minute and key: exact enough to see whether and from where a key is used, without a write per
   * request.
   */
  private async recordUse(key: ActiveApiKey): Promise<void> {
    const { id, secretId, userId, workspaceId } = key;
    await this.database.transaction(async () => {
      if (!(await this.repository.recordUse(secretId))) return;
      await this.audit.record({ kind: 'api_key_used', userId, workspaceId, apiKeyId: id }, toCaller(key));
    });
  }
}

function toCaller({ id, userId, name, prefix }: StoredApiKey): AuditedCaller {
  return { userId, apiKeyId: id, apiKeyLabel: { name, prefix } };
}

function digest(apiKey: string): string {
  return hash('sha256', apiKey, 'base64');
}
