import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { PageQueryDto } from '../../platform/http/page.dto.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import type { Role } from '../../platform/security/roles.js';
import type { Scope } from '../../platform/security/scopes.js';
import { getRowPage } from '../../records/row-pages.repository.js';
import { joinActiveMembership, joinActiveUser } from '../users/users.clauses.js';
import { ApiKey } from './credential.entity.js';
import type { ApiKeyDto } from './dto/api-key.dto.js';

export interface ActiveApiKey {
  id: string;
  /** The row of the secret: that of the key, or of a former secret of the key. */
  secretId: string;
  userId: string;
  workspaceId: string;
  scopes: Scope[];
  /** The role of the user's membership: a key permits no more than its user may do. */
  role: Role;
  /** The policies of the membership and of the key; absent elements are null. */
  policyIds: (string | null)[];
  name: string;
  /** The prefix of the used secret. */
  prefix: string | null;
  /** The end of the used secret; null if it has none. */
  expiresAt: Date | null;
  /** True if `last_used_at` is more than a minute old. */
  isUseUnrecorded: boolean;
}

/** A key that may have ended. */
export type StoredApiKey = Pick<ActiveApiKey, 'id' | 'userId' | 'workspaceId' | 'name' | 'prefix'>;

/** A secret as its HMAC. */
export type StoredSecret = Pick<ApiKey, 'hmac' | 'pepperId' | 'prefix' | 'last4'>;

const IS_USE_UNRECORDED = `coalesce(k.last_used_at < now() - interval '1 minute', true)`;
const IS_VALID = '(k.expires_at IS NULL OR k.expires_at > now())';

const FIND_ACTIVE = `SELECT coalesce(k.former_of, k.id) AS id, k.id AS "secretId", k.user_id AS "userId",
         k.workspace_id::text AS "workspaceId", k.scopes, m.role, ARRAY[m.policy_id, k.policy_id]::text[] AS "policyIds",
         k.name, k.prefix, k.expires_at AS "expiresAt",
         ${IS_USE_UNRECORDED} AS "isUseUnrecorded"
    FROM api_keys k
    ${joinActiveUser('k.user_id')}
    ${joinActiveMembership('k.workspace_id', 'k.user_id')}
   WHERE k.hmac = $1 AND k.revoked_at IS NULL AND ${IS_VALID}`;

/**
 * Keys as callers see them, with their former secrets that are still valid. Their IDs ascend with each rotation; their
 * ends do not differ after a rotation that shortens the overlap of the former ones.
 */
const SELECT_KEYS = `
  SELECT k.id, k.name, k.scopes, k.prefix, k.last4, k.user_id AS "userId", k.policy_id AS "policyId",
         k.created_by AS "createdBy",
         k.created_at AS "createdAt", k.expires_at AS "expiresAt", k.last_used_at AS "lastUsedAt",
         k.revoked_at AS "revokedAt",
         CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN ${IS_VALID} THEN 'active' ELSE 'expired' END AS status,
         coalesce((
           SELECT jsonb_agg(jsonb_build_object('last4', f.last4, 'expiresAt', f.expires_at, 'lastUsedAt', f.last_used_at)
                    ORDER BY f.id)
             FROM api_keys f
            WHERE f.workspace_id = k.workspace_id AND f.former_of = k.id AND f.revoked_at IS NULL AND f.expires_at > now()
         ), '[]') AS "formerSecrets"
    FROM api_keys k
   WHERE k.workspace_id = $1 AND k.former_of IS NULL`;

/** Statements on API keys: the join that authenticates them, and those that lock or change several rows. */
@Injectable()
export class ApiKeysRepository {
  constructor(private readonly database: Database) {}

  /** The valid API key of an active user who is an active member of the key's workspace. */
  async findActive(hmac: Buffer): Promise<ActiveApiKey | undefined> {
    const [key] = await this.database.query<ActiveApiKey>(FIND_ACTIVE, [hmac], 'API key');
    return key;
  }

  /** The key of a secret, whether or not it is valid. */
  async find(hmac: Buffer): Promise<StoredApiKey | undefined> {
    const [key] = await this.database.query<StoredApiKey>(
      `SELECT coalesce(former_of, id) AS id, user_id AS "userId", workspace_id::text AS "workspaceId", name, prefix
         FROM api_keys WHERE hmac = $1`,
      [hmac],
    );
    return key;
  }

  /** @returns false if a concurrent request has already recorded the use. */
  async recordUse(secretId: string): Promise<boolean> {
    const updated = await this.database.affected(
      `UPDATE api_keys k SET last_used_at = now() WHERE id = $1 AND ${IS_USE_UNRECORDED}`,
      [secretId],
    );
    return updated > 0;
  }

  /** The newest first. @throws {InvalidCursorError} */
  async findPage(workspaceId: string, { limit, cursor }: PageQueryDto): Promise<Page<ApiKeyDto>> {
    const statement = { sql: SELECT_KEYS, parameters: [workspaceId], sized: ['formerSecrets'] };
    const query = { limit, cursor, sort: '-createdAt' };
    const page = await getRowPage<ApiKeyDto>(this.database, ['api-keys', workspaceId], statement, query);
    return { ...page, items: page.items.map(parseTimes) };
  }

  /** The keys with the policy that are not revoked. */
  async countWithPolicy(workspaceId: string, policyId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM api_keys k
        WHERE k.workspace_id = $1 AND k.policy_id = $2 AND k.former_of IS NULL AND k.revoked_at IS NULL AND ${IS_VALID}`,
      [workspaceId, policyId],
    );
    return row!.count;
  }

  /** @throws {NotFoundError} */
  async get(workspaceId: string, id: string): Promise<ApiKeyDto> {
    const [key] = await this.database.query<ApiKeyDto>(`${SELECT_KEYS} AND k.id = $2`, [workspaceId, id]);
    if (!key) throw new NotFoundError('The API key');
    return parseTimes(key);
  }

  /**
   * The number of active keys of the workspace, which does not change until the transaction ends: the lock of the
   * oldest key serializes the transactions that call this, unless there is none.
   */
  async countActiveLocked(workspaceId: string): Promise<number> {
    await this.database.query(
      'SELECT id FROM api_keys WHERE workspace_id = $1 ORDER BY created_at, id LIMIT 1 FOR NO KEY UPDATE',
      [workspaceId],
    );
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM api_keys k
        WHERE k.workspace_id = $1 AND k.former_of IS NULL AND k.revoked_at IS NULL AND ${IS_VALID}`,
      [workspaceId],
    );
    return row!.count;
  }

  /** Locks a key until the transaction ends. Undefined if it does not exist. */
  async findLocked(id: string): Promise<(ApiKey & { isActive: boolean }) | undefined> {
    const where = { id };
    const key = await this.database.repository(ApiKey).findOne({ where, lock: { mode: 'pessimistic_write' } });
    if (!key || key.formerOf) return undefined;
    const sql = `SELECT k.revoked_at IS NULL AND ${IS_VALID} AS "isActive" FROM api_keys k
                  WHERE k.workspace_id = $1 AND k.id = $2`;
    const [state] = await this.database.query<{ isActive: boolean }>(sql, [key.workspaceId, id]);
    return { ...key, isActive: state!.isActive };
  }

  /**
   * Gives the key another secret. The former one becomes a row of its own. All former secrets are valid for `overlapS`
   * seconds, or until they would have expired anyway, or until the key expires. Then the audit log finds the key of a
   * rejected request by it.
   *
   * @param formerId the ID of the row of the former secret.
   */
  async replaceSecret(
    key: ApiKey,
    { hmac, pepperId, prefix, last4 }: StoredSecret,
    expiresAt: Date | null,
    overlapS: number,
    formerId: string,
  ): Promise<void> {
    const { id, workspaceId } = key;
    await this.database.query(
      `UPDATE api_keys
          SET hmac = $3, pepper_id = $4, prefix = $5, last4 = $6, expires_at = $7, last_used_at = NULL
        WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, id, hmac, pepperId, prefix, last4, expiresAt],
    );
    await this.database.affected(
      `UPDATE api_keys SET expires_at = least(expires_at, $3::timestamptz, now() + make_interval(secs => $4))
        WHERE workspace_id = $1 AND former_of = $2`,
      [workspaceId, id, expiresAt, overlapS],
    );
    // Of ended secrets, the last one suffices for the audit log: a key that is rotated often has few rows.
    await this.database.affected(
      'DELETE FROM api_keys WHERE workspace_id = $1 AND former_of = $2 AND expires_at <= now()',
      [workspaceId, id],
    );
    await this.database.query(
      `INSERT INTO api_keys (id, user_id, workspace_id, name, scopes, hmac, pepper_id, prefix, last4, created_at, created_by,
                             policy_id, last_used_at, former_of, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
               least($15::timestamptz, $16::timestamptz, now() + make_interval(secs => $17)))`,
      [
        formerId,
        key.userId,
        workspaceId,
        key.name,
        key.scopes,
        key.hmac,
        key.pepperId,
        key.prefix,
        key.last4,
        key.createdAt,
        key.createdBy,
        key.policyId,
        key.lastUsedAt,
        id,
        key.expiresAt,
        expiresAt,
        overlapS,
      ],
    );
  }

  /** Revokes the key and its former secrets. A repeated call does not change the time of revocation. */
  async revoke({ id, workspaceId }: Pick<ApiKey, 'id' | 'workspaceId'>): Promise<boolean> {
    const revoked = await this.database.affected(
      `UPDATE api_keys SET revoked_at = now()
        WHERE workspace_id = $1 AND (id = $2 OR former_of = $2) AND revoked_at IS NULL`,
      [workspaceId, id],
    );
    return revoked > 0;
  }

  /** Deletes the API keys of the user. */
  deleteOf(userId: string): Promise<number> {
    return this.database.affected('DELETE FROM api_keys WHERE user_id = $1', [userId]);
  }
}

/** Times in JSON are strings. */
function parseTimes(key: ApiKeyDto): ApiKeyDto {
  const formerSecrets = key.formerSecrets.map(({ last4, expiresAt, lastUsedAt }) => ({
    last4,
    expiresAt: new Date(expiresAt),
    lastUsedAt: lastUsedAt && new Date(lastUsedAt),
  }));
  return { ...key, formerSecrets };
}
