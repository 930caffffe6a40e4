import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { UNPREPARED } from '../../platform/database/statement-options.js';
import { currentOrigin } from '../../platform/http/middleware.js';
import { AuditRepository, type InsertClause, type NewEvent } from './audit.repository.js';
import { AUTH_EVENTS, AuthEvent, type AuthEventKind } from './auth-event.entity.js';

export { AUTH_EVENTS };

/** An event to record. It never contains a secret or a token, so that a reader of the log cannot sign in with it. */
export type AuditedEvent = { kind: AuthEventKind } & Partial<
  Pick<AuthEvent, 'userId' | 'workspaceId' | 'clientId' | 'sessionId' | 'apiKeyId' | 'reason' | 'counts'>
>;

/** Which events to list; absent conditions match all. */
export interface AuditFilter {
  userId?: string;
  clientId?: string;
  kind?: AuthEventKind;
  since?: Date;
  /** Maximum number of events. */
  limit: number;
}

/** The audit log: sign-ins, rejections, revocations and changes of memberships, with the caller that caused them. */
@Injectable()
export class AuditService {
  constructor(
    private readonly database: Database,
    private readonly repository: AuditRepository,
  ) {}

  /** Records an event in the open transaction, if there is one. A rejection must be recorded after its transaction. */
  async record(event: AuditedEvent): Promise<void> {
    await this.repository.insert(toNewEvent(event));
  }

  /** The event as an INSERT that a statement contains; see `AuditRepository.toClause`. */
  toClause(event: AuditedEvent, first: number, source: string, column?: string): InsertClause {
    return this.repository.toClause(toNewEvent(event), first, source, column);
  }

  /** The newest first. */
  async list({ limit, userId, clientId, kind, since }: AuditFilter): Promise<AuthEvent[]> {
    const query = this.database
      .repository(AuthEvent)
      .createQueryBuilder('event')
      .comment(UNPREPARED)
      .orderBy('event.id', 'DESC')
      .limit(limit);
    if (userId) query.andWhere({ userId });
    if (clientId) query.andWhere({ clientId });
    if (kind) query.andWhere({ kind });
    if (since) query.andWhere('event.at >= :since', { since });
    return query.getMany();
  }
}

/** Adds the caller of the current request. */
function toNewEvent(event: AuditedEvent): NewEvent {
  const origin = currentOrigin();
  return { ...event, actorId: origin?.userId, address: origin?.address, requestId: origin?.requestId };
}
