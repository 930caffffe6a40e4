import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import type { WorkspaceRole } from '../../platform/security/principal.js';
import { AuditService } from '../audit/audit.service.js';
import type { AuditedEvent } from '../audit/audit-log.js';
import {
  IS_ACTIVE_USER,
  joinUser,
  parseWorkspaceRoles,
  recordLogin,
  selectWorkspaceRoles,
} from '../users/users.clauses.js';
import type { RevocationReason, Session } from './session.entity.js';

/** The sessions from which tokens can be obtained. */
const IS_ACTIVE = 'revoked_at IS NULL AND refresh_expires_at > now()';

/**
 * How long an ended session that was never refreshed is stored, in days. A session that was refreshed is stored
 * forever, so that the reuse of a refresh token is always detected.
 */
const RETENTION_DAYS = 30;

interface RequestSession {
  isActive: boolean;
  /**
   * As `selectWorkspaceRoles` returns them, separated by commas. An array would take ten times as long to decode: 7 ms
   * of 2,500 workspaces.
   */
  workspaceRoles: string;
}

const FIND_WITH_WORKSPACES = selectForRequest();
const FIND_WITH_WORKSPACE = selectForRequest('$3');

/** Absent conditions match all sessions. */
export interface SessionFilter {
  userId?: string;
  id?: string;
  clientId?: string;
}

/** Statements on sessions that lock rows, change several of them, or must be atomic. */
@Injectable()
export class SessionsRepository implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly audit: AuditService,
  ) {}

  onModuleInit(): void {
    this.jobs.cleanUp('expired sessions', (batch) => this.deleteExpired(batch));
  }

  /**
   * Inserts the session unless the user has `limit` active ones, and records the login and the event. The transaction
   * must have locked the user in an earlier statement: this one then counts what the previous owner of the lock has
   * committed. A single statement for both would count in the snapshot from before it waited.
   *
   * @returns false if the limit is reached.
   */
  async insertWithinLimit(
    session: Pick<Session, 'userId' | 'id' | 'clientId' | 'scopes' | 'tokenId'>,
    lifetimeS: number,
    limit: number,
    event: AuditedEvent,
  ): Promise<boolean> {
    const { userId, id, clientId, scopes, tokenId } = session;
    const recorded = this.audit.toClause(event, 8, 'opened');
    const opened = await this.database.query(
      `WITH opened AS (
         INSERT INTO sessions (user_id, id, client_id, scopes, token_id, refresh_expires_at)
         SELECT $1::uuid, $2, $3, $4, $5, now() + make_interval(secs => $6)
          WHERE (SELECT count(*) FROM sessions WHERE user_id = $1 AND ${IS_ACTIVE}) < $7
         RETURNING user_id
       ), login AS (
         ${recordLogin('(SELECT user_id FROM opened)')}
       ), recorded AS (${recorded.sql})
       SELECT 1 FROM opened`,
      [userId, id, clientId, scopes, tokenId, lifetimeS, limit, ...recorded.parameters],
      'new session',
    );
    return opened.length > 0;
  }

  /**
   * Compare-and-swap: replaces the token of the active session by the next generation if it is still the given one, and
   * records the event. One statement and thus one transaction.
   *
   * @returns undefined if the session is not active or has another token.
   */
  async swapToken(
    current: Pick<Session, 'userId' | 'id' | 'generation' | 'tokenId'>,
    nextTokenId: string,
    lifetimeS: number,
    event: AuditedEvent,
  ): Promise<Pick<Session, 'scopes' | 'generation'> | undefined> {
    const { userId, id, generation, tokenId } = current;
    const recorded = this.audit.toClause(event, 7, 'swapped');
    const [swapped] = await this.database.query<Pick<Session, 'scopes' | 'generation'>>(
      `WITH swapped AS (
         UPDATE sessions
            SET generation = generation + 1, token_id = $5, last_used_at = now(),
                refresh_expires_at = now() + make_interval(secs => $6)
          WHERE user_id = $1 AND id = $2 AND generation = $3 AND token_id = $4 AND ${IS_ACTIVE}
          RETURNING scopes, generation
       ), recorded AS (${recorded.sql})
       SELECT scopes, generation FROM swapped`,
      [userId, id, generation, tokenId, nextTokenId, lifetimeS, ...recorded.parameters],
      'refresh',
    );
    return swapped;
  }

  /**
   * Reads the session of an access token and the workspaces of its user with their roles, on every request.
   *
   * @param workspaceId a UUID; the list then contains at most this workspace, which is read by primary key.
   */
  async findForRequest(
    userId: string,
    id: string,
    workspaceId?: string,
  ): Promise<{ isActive: boolean; memberships: WorkspaceRole[] } | undefined> {
    const parameters = workspaceId === undefined ? [userId, id] : [userId, id, workspaceId];
    const [session] = await (workspaceId === undefined
      ? this.database.query<RequestSession>(FIND_WITH_WORKSPACES, parameters, 'session')
      : this.database.query<RequestSession>(FIND_WITH_WORKSPACE, parameters, 'session in a workspace'));
    return session && { isActive: session.isActive, memberships: parseWorkspaceRoles(session.workspaceRoles) };
  }

  /**
   * Revokes all sessions that match; an empty filter matches all. Rows are locked in one order, so that revocations by
   * user and by client cannot deadlock.
   *
   * @returns the number of sessions that were not revoked before.
   */
  revoke(filter: SessionFilter, reason: RevocationReason): Promise<number> {
    const { userId = null, id = null, clientId = null } = filter;
    return this.database.affected(
      `UPDATE sessions SET revoked_at = now(), revoked_reason = $1
        WHERE (user_id, id) IN (
          SELECT user_id, id FROM sessions
           WHERE revoked_at IS NULL
             AND ($2::uuid IS NULL OR user_id = $2) AND ($3::uuid IS NULL OR id = $3) AND ($4::text IS NULL OR client_id = $4)
           ORDER BY user_id, id FOR UPDATE)`,
      [reason, userId, id, clientId],
    );
  }

  /**
   * Deletes up to `batch` sessions that expired more than `days` days ago and were never refreshed. Refreshed sessions
   * remain, one row each, because a used refresh token must be recognized "at any time" (specification, section 3).
   *
   * @returns how many were deleted.
   */
  private deleteExpired(batch: number): Promise<number> {
    return this.database.affected(
      `WITH expired AS MATERIALIZED (
         SELECT user_id, id FROM sessions
          WHERE generation = 0 AND refresh_expires_at < now() - make_interval(days => $1)
          LIMIT $2 FOR UPDATE SKIP LOCKED)
       DELETE FROM sessions s USING expired WHERE s.user_id = expired.user_id AND s.id = expired.id`,
      [RETENTION_DAYS, batch],
    );
  }
}

/** Two texts instead of a condition that allows NULL, which no prepared plan could look up by primary key. */
function selectForRequest(workspaceId?: string): string {
  return `
    SELECT s.revoked_at IS NULL AND ${IS_ACTIVE_USER} AS "isActive",
           array_to_string(ARRAY(${selectWorkspaceRoles('s.user_id', 's.client_id', workspaceId)}), ',') AS "workspaceRoles"
      FROM sessions s ${joinUser('s.user_id')}
     WHERE s.user_id = $1 AND s.id = $2`;
}
