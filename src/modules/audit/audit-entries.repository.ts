import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { readPage, type RowPage } from '../../../packages/sql/src/page-reader.js';
import { type CursorPosition, KEY_TYPES, Keyset } from '../../../packages/sql/src/keyset.js';
import { isOfUser, KIND_OF_GROUPS } from './audit-kinds.js';
import type { AuthEvent } from './auth-event.entity.js';

/** When a user was a member of a workspace, and the name of the user there. */
export interface MemberPeriod {
  userId: string;
  name: string;
  since: Date;
  /** Null if the user is a member. */
  until: Date | null;
}

/** Which entries of a workspace to read; absent conditions match all. */
export interface EntryFilter {
  kinds: readonly AuthEvent['kind'][];
  principal?: string;
  from?: Date | null;
  to?: Date | null;
}

const COLUMNS = `e.id, e.at, e.kind, e.user_id AS "userId", e.actor_id AS "actorId", e.actor_key_id AS "actorKeyId",
  e.actor_key_name AS "actorKeyName", e.credential, e.workspace_id AS "workspaceId", e.client_id AS "clientId",
  e.session_id AS "sessionId", e.api_key_id AS "apiKeyId", e.reason, e.counts, e.details, e.address,
  e.user_agent AS "userAgent", e.request_id AS "requestId"`;

/**
 * The order of the two indexes. No value is null, but PostgreSQL would read the index of all times in the order
 * `DESC NULLS FIRST`, and skip the entries of other workspaces and kinds.
 */
const NEWEST_FIRST = { descending: true, isNullLast: true };

export const ENTRY_KEYSET = new Keyset([
  { sql: 'e.at', ...NEWEST_FIRST, ...KEY_TYPES.instant },
  { sql: 'e.id', ...NEWEST_FIRST, ...KEY_TYPES.uuid },
]);

/** Reads the entries of one workspace. */
@Injectable()
export class AuditEntriesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Entries of the workspace, and those about the access of its members to all their workspaces, while they were
   * members. The newest first. One index scan per kind and per member, each limited, so that rare kinds are found
   * without reading the others.
   */
  list(
    workspaceId: string,
    { kinds, principal, from, to }: EntryFilter,
    members: readonly MemberPeriod[],
    after: CursorPosition | undefined,
    limit: number,
  ): Promise<RowPage<AuthEvent>> {
    const ofUser = kinds.filter(isOfUser);
    const users = ofUser.length > 0 ? members : [];
    const parameters: unknown[] = [
      workspaceId,
      kinds,
      ofUser,
      users.map(({ userId }) => userId),
      users.map(({ since }) => since),
      users.map(({ until }) => until),
    ];
    const add = (value: unknown) => `$${parameters.push(value)}`;
    const conditions = [ENTRY_KEYSET.compileCondition(after, { bind: add })];
    if (principal !== undefined) conditions.push(isPrincipal(add(principal)));
    if (from) conditions.push(`e.at >= ${add(from)}`);
    if (to) conditions.push(`e.at < ${add(to)}`);
    const newest = `${conditions.map((condition) => `AND ${condition}`).join(' ')}
                    ORDER BY ${ENTRY_KEYSET.compileOrder()} LIMIT ${limit + 1}`;
    const sql = `
      SELECT ${COLUMNS} FROM (
        SELECT e.* FROM unnest($2::text[]) AS k(kind) CROSS JOIN LATERAL (
          SELECT * FROM auth_events e WHERE e.workspace_id = $1 AND e.kind = k.kind ${newest}) e
        UNION ALL
        SELECT e.* FROM unnest($4::uuid[], $5::timestamptz[], $6::timestamptz[]) AS m(user_id, since, until)
         CROSS JOIN LATERAL (
          SELECT * FROM auth_events e
           WHERE e.user_id = m.user_id AND e.workspace_id IS NULL AND e.kind <> 'refreshed' AND e.kind = ANY ($3::text[])
             AND e.at >= m.since AND e.at < coalesce(m.until, 'infinity') ${newest}) e
      ) e ORDER BY ${ENTRY_KEYSET.compileOrder()}`;
    return readPage(this.database, { sql, parameters, sized: ['reason', 'details'] }, limit);
  }

  /** Entries of the workspace by their IDs, in no order. */
  listByIds(workspaceId: string, ids: readonly string[]): Promise<AuthEvent[]> {
    return this.database.query(
      `SELECT ${COLUMNS} FROM auth_events e WHERE e.id = ANY ($2::uuid[]) AND e.workspace_id = $1`,
      [workspaceId, ids],
    );
  }
}

/** SQL: did the user or the API key cause the entry? Without an actor, usually the user of the entry did. */
function isPrincipal(id: string): string {
  return `(${id} IN (e.actor_id, e.actor_key_id)
    OR e.actor_id IS NULL AND e.request_id IS NOT NULL AND e.kind <> '${KIND_OF_GROUPS}' AND ${id} IN (e.user_id, e.api_key_id))`;
}
