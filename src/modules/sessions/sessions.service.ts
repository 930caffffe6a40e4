import { Injectable } from '@nestjs/common';
import { IsNull, Raw } from 'typeorm';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { DomainError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { Principal, WorkspaceRole } from '../../platform/security/principal.js';
import { InsufficientScopeError } from '../../platform/security/security.errors.js';
import type { Scope } from '../../platform/security/scopes.js';
import { AuditService } from '../audit/audit.service.js';
import { UsersService } from '../users/users.service.js';
import { SessionDto, SessionListDto } from './dto/session.dto.js';
import { type RevocationReason, Session } from './session.entity.js';
import {
  FORBIDDEN_GRANT,
  InvalidRefreshTokenError,
  RefreshTokenReusedError,
  SessionRevokedError,
} from './sessions.errors.js';
import { type SessionFilter, SessionsRepository } from './sessions.repository.js';

/** Identifies one refresh token: its session and its generation within the session. */
export interface RefreshReference {
  userId: string;
  sessionId: string;
  generation: number;
  tokenId: string;
}

/** A refresh token that a client presents. */
type UsedRefreshToken = RefreshReference & { clientId: string };

/**
 * Sessions and their transitions (specification, section 3). Each transition records its audit event in its
 * transaction.
 */
@Injectable()
export class SessionsService {
  constructor(
    private readonly database: Database,
    private readonly repository: SessionsRepository,
    private readonly users: UsersService,
    private readonly audit: AuditService,
    private readonly config: Config,
  ) {}

  /**
   * Opens a session (specification, section 8: at most ten active ones per user). An earlier statement of the
   * transaction must have locked the user.
   *
   * @param lifetimeS seconds after which the session expires unless it is refreshed.
   * @throws {DomainError} `invalid_grant` if the user has this number of them.
   */
  async open(userId: string, clientId: string, scopes: Scope[], lifetimeS: number): Promise<RefreshReference> {
    const [sessionId, tokenId] = [uuid(), uuid()];
    const session = { userId, id: sessionId, clientId, scopes, tokenId };
    const event = { kind: 'signed_in', userId, clientId, sessionId } as const;
    const { maxSessionsPerUser } = this.config.tokens;
    if (!(await this.repository.insertWithinLimit(session, lifetimeS, maxSessionsPerUser, event)))
      throw new DomainError(FORBIDDEN_GRANT);
    return { userId, sessionId, generation: 0, tokenId };
  }

  /**
   * Consumes the refresh token and records its successor. A token that was consumed before revokes all sessions of the
   * user; this is committed before the error is thrown.
   *
   * These are two transactions, the first of one statement. A compare-and-swap that waited for another one and found
   * the token consumed has locked the session's row anyway. In the same transaction it would then wait for the lock on
   * the user, whose owner may be waiting for that row.
   *
   * @throws {RefreshTokenReusedError | SessionRevokedError | InvalidRefreshTokenError}
   */
  async rotate(used: UsedRefreshToken): Promise<RefreshReference & { scopes: Scope[] }> {
    const next = await this.swapToken(used);
    if (next) return next;
    await this.rejectReuse(used);
    throw new InvalidRefreshTokenError('expired, or wrong token ID for its generation');
  }

  /**
   * Rejects a token that was consumed before or whose session is revoked, without consuming it. Reuse has the same
   * effect as in `rotate`.
   *
   * @throws {RefreshTokenReusedError | SessionRevokedError | InvalidRefreshTokenError}
   */
  async rejectReuse(used: RefreshReference): Promise<void> {
    const rejection = await this.database.transaction(() => this.checkReuse(used));
    if (rejection) throw rejection;
  }

  private async swapToken(used: UsedRefreshToken): Promise<(RefreshReference & { scopes: Scope[] }) | undefined> {
    const { userId, sessionId, clientId } = used;
    const tokenId = uuid();
    const event = { kind: 'refreshed', userId, sessionId, clientId } as const;
    const { refreshTtlS } = this.config.tokens;
    const swapped = await this.repository.swapToken({ ...used, id: sessionId }, tokenId, refreshTtlS, event);
    return swapped && { userId, sessionId, tokenId, ...swapped };
  }

  /**
   * Revokes all sessions if the token was reused. Returns the error instead of throwing it, so that this is committed.
   */
  private async checkReuse({ userId, sessionId, generation }: RefreshReference): Promise<DomainError | undefined> {
    await this.users.lock(userId);
    const session = await this.database.repository(Session).findOneBy({ userId, id: sessionId });
    if (!session) return new InvalidRefreshTokenError('unknown session');
    if (generation >= session.generation) return session.revokedAt ? new SessionRevokedError() : undefined;
    const { clientId } = session;
    const sessions = await this.revokeAll('reuse', { userId });
    await this.audit.record({ kind: 'reuse_detected', userId, sessionId, clientId, counts: { sessions } });
    return new RefreshTokenReusedError();
  }

  /**
   * Checks the session of an access token, on every request.
   *
   * @param workspaceId a UUID; the result then contains this workspace only, or none if the user is not a member.
   * @throws {SessionRevokedError}
   */
  async getActive(userId: string, sessionId: string, workspaceId?: string): Promise<{ memberships: WorkspaceRole[] }> {
    const session = await this.repository.findForRequest(userId, sessionId, workspaceId);
    if (!session?.isActive) throw new SessionRevokedError('invalid_token');
    return session;
  }

  /** @returns false if there is no such session or it was revoked before. */
  async revoke(userId: string, sessionId: string, reason: RevocationReason): Promise<boolean> {
    return this.database.transaction(async () => {
      const revoked = await this.repository.revoke({ userId, id: sessionId }, reason);
      if (revoked > 0) await this.audit.record({ kind: 'session_revoked', userId, sessionId, reason });
      return revoked > 0;
    });
  }

  /** Revokes the sessions of the user or of the client; by default of all users. @returns how many. */
  revokeAll(reason: RevocationReason, filter: Pick<SessionFilter, 'userId' | 'clientId'> = {}): Promise<number> {
    return this.repository.revoke(filter, reason);
  }

  /** Deletes all sessions of the user. Tokens of a session that does not exist are rejected. */
  async deleteOf(userId: string): Promise<number> {
    return (await this.database.repository(Session).delete({ userId })).affected ?? 0;
  }

  /**
   * Revokes all sessions of the user on behalf of the operator. A concurrent sign-in waits and is then within the
   * limit.
   *
   * @returns how many were active.
   * @throws {NotFoundError} if the user does not exist.
   */
  async reset(userId: string): Promise<number> {
    return this.database.transaction(async () => {
      await this.users.get(userId);
      await this.users.lock(userId);
      const { length: sessions } = await this.listActive(userId);
      await this.revokeAll('operator', { userId });
      await this.audit.record({ kind: 'sessions_reset', userId, counts: { sessions } });
      return sessions;
    });
  }

  /** The active sessions of the user, the newest first. */
  listActive(userId: string): Promise<Session[]> {
    return this.database.repository(Session).find({
      where: { userId, revokedAt: IsNull(), refreshExpiresAt: Raw((column) => `${column} > now()`) },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
  }

  /** The active sessions of the caller, the newest first. */
  async listOwn({ userId, sessionId }: Principal): Promise<SessionListDto> {
    const sessions = await this.listActive(userId);
    return { items: sessions.map((session) => toDto(session, sessionId)) };
  }

  /**
   * Revokes a session of the caller. A token of limited scopes can end its own session only.
   *
   * @throws {NotFoundError} if the caller has no such active session.
   * @throws {InsufficientScopeError}
   */
  async revokeOwn({ userId, scopes, sessionId: current }: Principal, sessionId: string): Promise<void> {
    if (sessionId !== current && !scopes.includes('api')) throw new InsufficientScopeError(['api']);
    const isActive = (await this.listActive(userId)).some(({ id }) => id === sessionId);
    if (!isActive || !(await this.revoke(userId, sessionId, 'revocation'))) throw new NotFoundError('The session');
  }
}

function toDto(session: Session, currentId: string | undefined): SessionDto {
  const { id, clientId, scopes, createdAt, lastUsedAt, refreshExpiresAt: expiresAt } = session;
  return { id, clientId, scopes, createdAt, lastUsedAt, expiresAt, current: id === currentId };
}
