import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import type { Scope } from '../../platform/security/scopes.js';
import { UsersService } from '../users/users.service.js';
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
  scopes: Scope[];
  workspaceIds: string[];
}

const LIVE = 'revoked_at IS NULL AND refresh_expires_at > now()';

/** Sessions and their transitions (specification, section 3). */
@Injectable()
export class SessionsService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersService,
    private readonly config: Config,
  ) {}

  /**
   * Opens a session for the user, who may have ten that live (specification, section 8).
   *
   * The lock and the count are two statements on purpose: the second one must see what the previous holder of the
   * lock has committed, and a single statement would count on the snapshot taken before it waited.
   *
   * @throws {TooManySessionsError}
   */
  async open(userId: string, clientId: string, scopes: readonly Scope[]): Promise<RefreshReference> {
    const { refreshTtlS, maxSessionsPerUser } = this.config.tokens;
    const reference = { userId, sessionId: uuid(), generation: 0, tokenId: uuid() };
    return this.database.transaction(async () => {
      await this.users.lock(userId);
      const opened = await this.database.affected(
        `INSERT INTO sessions (user_id, id, client_id, scopes, token_id, refresh_expires_at)
         SELECT $1, $2, $3, $4, $5, now() + make_interval(secs => $6)
          WHERE (SELECT count(*) FROM sessions WHERE user_id = $1 AND ${LIVE}) < $7`,
        [userId, reference.sessionId, clientId, scopes, reference.tokenId, refreshTtlS, maxSessionsPerUser],
      );
      if (opened === 0) throw new TooManySessionsError();
      await this.users.recordLogin(userId);
      return reference;
    });
  }

  /**
   * Takes the refresh token and names its successor, in one compare-and-swap. A token that was taken before revokes
   * all sessions of the user; that is committed before the error is thrown.
   *
   * @throws {RefreshTokenReusedError | SessionRevokedError | InvalidRefreshTokenError}
   */
  async rotate(used: RefreshReference): Promise<RefreshReference & { scopes: Scope[] }> {
    const tokenId = uuid();
    const [swapped] = await this.database.query<{ scopes: Scope[]; generation: number }>(
      `UPDATE sessions
          SET generation = generation + 1, token_id = $5, last_used_at = now(),
              refresh_expires_at = now() + make_interval(secs => $6)
        WHERE user_id = $1 AND id = $2 AND generation = $3 AND token_id = $4 AND ${LIVE}
        RETURNING scopes, generation`,
      [used.userId, used.sessionId, used.generation, used.tokenId, tokenId, this.config.tokens.refreshTtlS],
    );
    if (!swapped) {
      await this.refuseUsed(used);
      throw new InvalidRefreshTokenError('expired, or not the id of this generation');
    }
    return { ...used, tokenId, ...swapped };
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

  /** Revokes all sessions where it is reuse; returns the error, so that this commits. */
  private async faultOf(used: RefreshReference): Promise<Error | undefined> {
    await this.users.lock(used.userId);
    const session = await this.database.manager.findOneBy(Session, { userId: used.userId, id: used.sessionId });
    if (!session) return new InvalidRefreshTokenError('no such session');
    if (used.generation < session.generation) {
      await this.revokeAllOf(used.userId, 'reuse');
      return new RefreshTokenReusedError();
    }
    return session.revokedAt ? new SessionRevokedError() : undefined;
  }

  /** The session of an access token, read at every request. @throws {SessionRevokedError} */
  async getLive(userId: string, sessionId: string): Promise<LiveSession> {
    const [session] = await this.database.query<LiveSession & { live: boolean }>(
      `SELECT s.revoked_at IS NULL AND u.status = 'active' AS live, s.scopes,
              ARRAY(SELECT m.workspace_id::text FROM workspace_members m WHERE m.user_id = s.user_id) AS "workspaceIds"
         FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE s.user_id = $1 AND s.id = $2`,
      [userId, sessionId],
    );
    if (!session?.live) throw new SessionRevokedError('invalid_token');
    return session;
  }

  async revoke(userId: string, sessionId: string, reason: RevocationReason): Promise<void> {
    await this.end('user_id = $2 AND id = $3', reason, userId, sessionId);
  }

  /** @returns how many sessions this ended. */
  async revokeAllOf(userId: string, reason: RevocationReason): Promise<number> {
    return this.end('user_id = $2', reason, userId);
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
      const live = await this.listLive(userId);
      await this.revokeAllOf(userId, 'operator');
      return live.length;
    });
  }

  /** Ends the sessions of all users. @returns how many this ended. */
  async revokeAll(reason: RevocationReason): Promise<number> {
    return this.end('true', reason);
  }

  /** @returns how many sessions this ended. */
  async revokeAllOfClient(clientId: string, reason: RevocationReason): Promise<number> {
    return this.end('client_id = $2', reason, clientId);
  }

  /** The user's sessions that live, the newest first. */
  async listLive(userId: string): Promise<Session[]> {
    return this.database.manager
      .createQueryBuilder(Session, 'session')
      .where(`user_id = :userId AND ${LIVE}`, { userId })
      .orderBy('session.createdAt', 'DESC')
      .getMany();
  }

  private end(condition: string, reason: RevocationReason, ...parameters: string[]): Promise<number> {
    return this.database.affected(
      `UPDATE sessions SET revoked_at = now(), revoked_reason = $1 WHERE ${condition} AND revoked_at IS NULL`,
      [reason, ...parameters],
    );
  }
}
