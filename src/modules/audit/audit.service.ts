import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { currentOrigin } from '../../platform/http/middleware.js';
import { AUTH_EVENTS, AuthEvent, type AuthEventKind } from './auth-event.entity.js';

export { AUTH_EVENTS };

/** What happened, and to whom. Never a secret or a token: a reader of the log must not be able to sign in with it. */
export type AuditedFact = { kind: AuthEventKind } & Partial<
  Pick<AuthEvent, 'userId' | 'workspaceId' | 'clientId' | 'sessionId' | 'apiKeyId' | 'reason' | 'counts'>
>;

/** Which lines to read; all of them where nothing is said. */
export interface AuditFilter {
  userId?: string;
  clientId?: string;
  kind?: AuthEventKind;
  since?: Date;
  /** Lines at most, the newest. */
  limit: number;
}

/** The audit log: who signed in, was refused, was revoked, by which hand, and who still calls what is to go. */
@Injectable()
export class AuditService {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /**
   * Adds a line. Within a transaction it is kept or lost with what it tells; a refusal is recorded when its transaction
   * is over.
   */
  async record(fact: AuditedFact): Promise<void> {
    const origin = currentOrigin();
    await this.database.query(
      `INSERT INTO auth_events (id, kind, user_id, client_id, session_id, api_key_id, reason, counts, address,
         request_id, actor_id, workspace_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        uuid(),
        fact.kind,
        fact.userId ?? null,
        fact.clientId ?? null,
        fact.sessionId ?? null,
        fact.apiKeyId ?? null,
        fact.reason ?? null,
        fact.counts ? JSON.stringify(fact.counts) : null,
        origin?.address ?? null,
        origin?.requestId ?? null,
        origin?.userId ?? null,
        fact.workspaceId ?? null,
      ],
    );
  }

  /** The newest lines first. */
  async list({ limit, userId, clientId, kind, since }: AuditFilter): Promise<AuthEvent[]> {
    const query = this.database.manager.createQueryBuilder(AuthEvent, 'event').orderBy('event.id', 'DESC').limit(limit);
    if (userId) query.andWhere({ userId });
    if (clientId) query.andWhere({ clientId });
    if (kind) query.andWhere({ kind });
    if (since) query.andWhere('event.at >= :since', { since });
    return query.getMany();
  }

  /** Removes a batch of lines that are too old to keep. @returns how many. */
  deleteOld(batch: number): Promise<number> {
    return this.database.affected(
      `DELETE FROM auth_events WHERE id IN (
         SELECT id FROM auth_events WHERE at < now() - make_interval(days => $1) LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [this.config.audit.retentionDays, batch],
    );
  }
}
