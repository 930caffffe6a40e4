import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import type { Principal } from '../../platform/security/principal.js';
import { AuditService } from '../audit/audit.service.js';
import { UsersService } from '../users/users.service.js';
import { ApiKey } from './api-key.entity.js';
import { InvalidApiKeyError } from './auth.errors.js';
import { isWellFormedSecret, makeSecret } from './secret.js';
import { SecretVault } from './secret-vault.js';

/** Was the key last used more than a minute ago? */
const STALE = `coalesce(k.last_used_at < now() - interval '1 minute', true)`;

/** Static API keys (specification, section 5): long-lived, unscoped, each bound to one workspace. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly vault: SecretVault,
    private readonly users: UsersService,
    private readonly audit: AuditService,
  ) {}

  /** @returns the key, shown once. @throws {NotFoundError} where the user is no member of the workspace. */
  async create(userId: string, workspaceId: string): Promise<{ id: string; apiKey: string }> {
    await this.users.get(userId);
    if (!(await this.users.workspaceIdsOf(userId)).includes(workspaceId)) {
      throw new NotFoundError(`A membership of the user ${userId} in the workspace ${workspaceId}`);
    }
    const id = uuid();
    const apiKey = makeSecret('wsk_');
    return this.database.transaction(async () => {
      await this.database.manager.insert(ApiKey, {
        id,
        userId,
        workspaceId,
        hmac: this.vault.hmac(apiKey),
        pepperId: this.vault.pepperId,
        last4: apiKey.slice(-4),
      });
      await this.audit.record({ kind: 'api_key_created', userId, apiKeyId: id });
      return { id, apiKey };
    });
  }

  /** @throws {NotFoundError} */
  async revoke(id: string): Promise<void> {
    await this.database.transaction(async () => {
      const [revoked] = await this.database.query<{ userId: string }>(
        'UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1 RETURNING user_id AS "userId"',
        [id],
      );
      if (!revoked) throw new NotFoundError(`The API key ${id}`);
      await this.audit.record({ kind: 'api_key_revoked', userId: revoked.userId, apiKeyId: id });
    });
  }

  list(): Promise<ApiKey[]> {
    return this.database.manager.find(ApiKey, { order: { id: 'ASC' } });
  }

  /** @throws {InvalidApiKeyError} */
  async authenticate(apiKey: string): Promise<Principal> {
    if (!isWellFormedSecret('wsk_', apiKey)) throw new InvalidApiKeyError('malformed');
    const [key] = await this.database.query<{ id: string; userId: string; workspaceId: string; stale: boolean }>(
      `SELECT k.id, k.user_id AS "userId", k.workspace_id::text AS "workspaceId",
              ${STALE} AS stale
         FROM api_keys k
         JOIN users u ON u.id = k.user_id AND u.status = 'active'
         JOIN workspace_members m ON m.workspace_id = k.workspace_id AND m.user_id = k.user_id
          AND m.archived_at IS NULL AND m.accepted_at IS NOT NULL
        WHERE k.hmac = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`,
      [this.vault.hmac(apiKey)],
    );
    if (!key) throw new InvalidApiKeyError('unknown, revoked, expired, or its user is no longer a member');
    if (key.stale) await this.recordUse(key);
    return { userId: key.userId, apiKeyId: key.id, workspaceIds: [key.workspaceId], scopes: ['api'] };
  }

  /** Once a minute is exact enough for "is this key still in use, and from where?", and keeps reads from becoming writes. */
  private async recordUse({ id, userId }: { id: string; userId: string }): Promise<void> {
    await this.database.transaction(async () => {
      // Of requests that come at once, the first one writes.
      const first = await this.database.affected(
        `UPDATE api_keys k SET last_used_at = now() WHERE id = $1 AND ${STALE}`,
        [id],
      );
      if (first > 0) await this.audit.record({ kind: 'api_key_used', userId, apiKeyId: id });
    });
  }
}
