import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import type { Principal } from '../../platform/security/principal.js';
import type { Scope } from '../../platform/security/scopes.js';
import { AuditService } from '../audit/audit.service.js';
import { UsersService } from '../users/users.service.js';
import { SessionDto } from './dto/session.dto.js';
import { type RevocationReason, Session } from './session.entity.js';
import {
  InvalidRefreshTokenError,
  RefreshTokenReusedError,
  SessionRevokedError,
  TooManySessionsError,
} from './sessions.errors.js';

/** What names one refresh token: its session, and its place in the session's history. */
export interface RefreshReference {
  userId: string;
  sessionId: string;
  generation: number;
  tokenId: string;
}

/** A session that lives, with what a request needs to know of its user. */
export interface LiveSession {
  workspaceIds: string[];
}

/** Of sessions that tokens can be had of. */
export const LIVE = 'revoked_at IS NULL AND refresh_expires_at > now()';

/** Sessions and their transitions (specification, section 3). Each leaves its line in the audit log, in its transaction. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersService,
    private readonly audit: AuditService,
    private readonly config: Config,
  ) {}

  /**
   * Opens a session for the user, who may have ten that live (specification, section 8).
   *
   * The lock and the count are two statements on purpose: the second one must see what the previous holder of the
   * lock has committed, and a single statement would count on the snapshot taken before it waited.
   *
   * @param lifetimeS seconds after which the session is over unless it is refreshed.
   * @throws {TooManySessionsError}
   */
  async open(
    userId: string,
    clientId: string,
    scopes: readonly Scope[],
    lifetimeS = this.config.tokens.refreshTtlS,
  ): Promise<RefreshReference> {
    const reference = { userId, sessionId: uuid(), generation: 0, tokenId: uuid() };
    return this.database.transaction(async () => {
      await this.users.lock(userId);
      const opened = await this.database.affected(
        `INSERT INTO sessions (user_id, id, client_id, scopes, token_id, refresh_expires_at)
         SELECT $1, $2, $3, $4, $5, now() + make_interval(secs => $6)
          WHERE (SELECT count(*) FROM sessions WHERE user_id = $1 AND ${LIVE}) < $7`,
        [
          userId,
          reference.sessionId,
          clientId,
          scopes,
          reference.tokenId,
          lifetimeS,
          this.config.tokens.maxSessionsPerUser,
        ],
      );
      if (opened === 0) throw new TooManySessionsError();
      await this.users.recordLogin(userId);
      await this.audit.record({ kind: 'signed_in', userId, clientId, sessionId: reference.sessionId });
      return reference;
    });
  }

  /**
   * Takes the refresh token and names its successor, in one compare-and-swap. A token that was taken before revokes
   * all sessions of the user; that is committed before the error is thrown.
   *
   * The two are transactions of their own on purpose: a swap that waited for another one and found the token taken has
   * locked the session's row all the same, and would then wait for the user whom the next one, waiting for the row, holds.
   *
   * @throws {RefreshTokenReusedError | SessionRevokedError | InvalidRefreshTokenError}
   */
  async rotate(used: RefreshReference): Promise<RefreshReference & { scopes: Scope[] }> {
    const next = await this.database.transaction(() => this.swap(used));
    if (next) return next;
    await this.refuseUsed(used);
    throw new InvalidRefreshTokenError('expired, or not the id of this generation');
  }

  /**
   * Refuses a token that was taken before, or whose session has ended, and takes nothing. What `rotate` says of reuse
   * holds here too.
   *
   * @throws {RefreshTokenReusedError | SessionRevokedError | InvalidRefreshTokenError}
   */
  async refuseUsed(used: RefreshReference): Promise<void> {
    const fault = await this.database.transaction(() => this.faultOf(used));
    if (fault) throw fault;
  }

  private async swap(used: RefreshReference): Promise<(RefreshReference & { scopes: Scope[] }) | undefined> {
    const { userId, sessionId } = used;
    const tokenId = uuid();
    const [swapped] = await this.database.query<{ scopes: Scope[]; generation: number; clientId: string }>(
      `UPDATE sessions
          SET generation = generation + 1, token_id = $5, last_used_at = now(),
              refresh_expires_at = now() + make_interval(secs => $6)
        WHERE user_id = $1 AND id = $2 AND generation = $3 AND token_id = $4 AND ${LIVE}
        RETURNING scopes, generation, client_id AS "clientId"`,
      [userId, sessionId, used.generation, used.tokenId, tokenId, this.config.tokens.refreshTtlS],
    );
    if (!swapped) return undefined;
    await this.audit.record({ kind: 'refreshed', userId, sessionId, clientId: swapped.clientId });
    return { userId, sessionId, tokenId, generation: swapped.generation, scopes: swapped.scopes };
  }

  /** Revokes all sessions where it is reuse; returns the error, so that this commits. */
  private async faultOf(used: RefreshReference): Promise<Error | undefined> {
    const { userId, sessionId } = used;
    await this.users.lock(userId);
    const session = await this.database.manager.findOneBy(Session, { userId, id: sessionId });
    if (!session) return new InvalidRefreshTokenError('no such session');
    if (used.generation < session.generation) {
      const sessions = await this.revokeAllOf(userId, 'reuse');
      await this.audit.record({
        kind: 'reuse_detected',
        userId,
        sessionId,
        clientId: session.clientId,
        counts: { sessions },
      });
      return new RefreshTokenReusedError();
    }
    return session.revokedAt ? new SessionRevokedError() : undefined;
  }

  /** The session of an access token, read at every request. @throws {SessionRevokedError} */
  async getActive(userId: string, sessionId: string): Promise<LiveSession> {
    const [session] = await this.database.query<LiveSession & { live: boolean }>(
      `SELECT s.revoked_at IS NULL AND u.status = 'active' AS live,
              ARRAY(SELECT m.workspace_id::text FROM workspace_members m
                     WHERE m.user_id = s.user_id AND m.archived_at IS NULL AND m.accepted_at IS NOT NULL) AS "workspaceIds"
         FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE s.user_id = $1 AND s.id = $2`,
      [userId, sessionId],
    );
    if (!session?.live) throw new SessionRevokedError('invalid_token');
    return session;
  }

  /** @returns whether this ended it: it may have ended before, or never have been. */
  async revoke(userId: string, sessionId: string, reason: RevocationReason): Promise<boolean> {
    return this.database.transaction(async () => {
      const ended = await this.end('user_id = $2 AND id = $3', reason, userId, sessionId);
      if (ended > 0) await this.audit.record({ kind: 'session_revoked', userId, sessionId, reason });
      return ended > 0;
    });
  }

  /** @returns how many sessions this ended. */
  async revokeAllOf(userId: string, reason: RevocationReason): Promise<number> {
    return this.end('user_id = $2', reason, userId);
  }

  /** Ends the sessions of all users. @returns how many this ended. */
  async revokeAll(reason: RevocationReason): Promise<number> {
    return this.end('true', reason);
  }

  /** @returns how many sessions this ended. */
  async revokeAllOfClient(clientId: string, reason: RevocationReason): Promise<number> {
    return this.end('client_id = $2', reason, clientId);
  }

  /**
   * Ends all sessions of the user by the operator's hand; a login meanwhile waits, and finds all its slots free.
   *
   * @returns how many lived. @throws {NotFoundError} where there is no such user.
   */
  async reset(userId: string): Promise<number> {
    return this.database.transaction(async () => {
      await this.users.get(userId);
      await this.users.lock(userId);
      const { length: sessions } = await this.listLive(userId);
      await this.revokeAllOf(userId, 'operator');
      await this.audit.record({ kind: 'sessions_reset', userId, counts: { sessions } });
      return sessions;
    });
  }

  /** The user's sessions that live, the newest first. */
  async listLive(userId: string): Promise<Session[]> {
    return this.database.manager
      .createQueryBuilder(Session, 'session')
      .where(`user_id = :userId AND ${LIVE}`, { userId })
      .orderBy('session.createdAt', 'DESC')
      .addOrderBy('session.id', 'DESC')
      .getMany();
  }

  /** The caller's sessions that live, the newest first. */
  async listOwn({ userId, sessionId }: Principal): Promise<SessionDto[]> {
    const sessions = await this.listLive(userId);
    return sessions.map(({ id, clientId, scopes, createdAt, lastUsedAt, refreshExpiresAt: expiresAt }) => {
      return { id, clientId, scopes, createdAt, lastUsedAt, expiresAt, current: id === sessionId };
    });
  }

  /** Ends one of the caller's sessions. @throws {NotFoundError} where the caller has no such session that lives. */
  async endOwn({ userId }: Principal, sessionId: string): Promise<void> {
    const lives = (await this.listLive(userId)).some(({ id }) => id === sessionId);
    if (!lives || !(await this.revoke(userId, sessionId, 'revocation'))) throw new NotFoundError('The session');
  }

  /**
   * Removes a batch of sessions whose time was over long ago and that were never refreshed. Those that were refreshed stay, a row
   * each: the specification has a used refresh token known as used at any time (section 3).
   *
   * @returns how many.
   */
  removeEnded(batch: number): Promise<number> {
    return this.database.affected(
      `DELETE FROM sessions WHERE (user_id, id) IN (
         SELECT user_id, id FROM sessions
          WHERE generation = 0 AND refresh_expires_at < now() - make_interval(days => $1)
          LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [this.config.tokens.endedRetentionDays, batch],
    );
  }

  /** Rows are locked in one order, so that those who end sessions by user and those by client wait for one another once. */
  private end(condition: string, reason: RevocationReason, ...parameters: string[]): Promise<number> {
    return this.database.affected(
      `UPDATE sessions SET revoked_at = now(), revoked_reason = $1
        WHERE (user_id, id) IN (
          SELECT user_id, id FROM sessions WHERE ${condition} AND revoked_at IS NULL ORDER BY user_id, id FOR UPDATE)`,
      [reason, ...parameters],
    );
  }
}
