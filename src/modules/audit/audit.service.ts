import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type AuditedCaller, type AuditedEvent, AuditLog } from './audit-log.js';
import { Database } from '../../platform/database/database.js';
import { currentOrigin } from '../../platform/http/middleware.js';
import { type EventActor, EventsService } from '../events/events.service.js';
import { type AuditKind, KIND_OF_GROUPS } from './audit-kinds.js';
import { AuditRepository, type InsertClause, type NewEvent } from './audit.repository.js';
import { AuthEvent } from './auth-event.entity.js';
import { AUDIT_EVENT_TYPES } from './dto/audit-events.dto.js';

/** Characters of a client ID that the log shows, as of an API key. */
const CREDENTIAL_LENGTH = 8;

/** Characters of a `User-Agent` that are stored. */
const USER_AGENT_LENGTH = 256;

/** Within which frequent events have one entry. */
const FREQUENT_MS = 60_000;
const MAX_FREQUENT = 10_000;

/** Which events to list; absent conditions match all. */
export interface AuditFilter {
  userId?: string;
  clientId?: string;
  kind?: AuditKind;
  since?: Date;
  /** Maximum number of events. */
  limit: number;
}

/** The audit log: who used or changed access, and who loaded, exported or removed data (ADR 0181). */
@Injectable()
export class AuditService extends AuditLog {
  /** The IDs of the entries of frequent events of the last minute. */
  private readonly frequent = new LRUCache<string, Promise<string>>({ max: MAX_FREQUENT, ttl: FREQUENT_MS });

  constructor(
    private readonly database: Database,
    private readonly repository: AuditRepository,
    private readonly events: EventsService,
  ) {
    super();
  }

  override async record(event: AuditedEvent, caller?: AuditedCaller): Promise<void> {
    await this.insert(event, caller);
  }

  /** @returns the ID of the entry. */
  private async insert(event: AuditedEvent, caller?: AuditedCaller): Promise<string> {
    const entry = toNewEvent(event, caller);
    const { workspaceId, requestId } = entry;
    // Without a request the operator or the service acts, on behalf of no member.
    const type = workspaceId && requestId ? AUDIT_EVENT_TYPES.get(event.kind) : undefined;
    if (!workspaceId || !type) return this.repository.insert(entry);
    const isOfService = !entry.actorId && event.kind === KIND_OF_GROUPS;
    const actor: EventActor = isOfService
      ? { userId: null, source: 'service' }
      : { userId: entry.actorId ?? entry.userId ?? null, source: 'api' };
    return this.database.transaction(async () => {
      const id = await this.repository.insert(entry);
      await this.events.recordReference(workspaceId, type, { id }, actor);
      return id;
    });
  }

  override async recordFrequent(event: AuditedEvent, key: string, counts: Record<string, number>): Promise<void> {
    const added = { times: 1, ...counts };
    const { caller, tool } = currentOrigin() ?? {};
    const credential = caller?.apiKeyId ?? caller?.sessionId ?? caller?.userId;
    const id = `${event.kind} ${event.workspaceId} ${credential} ${tool} ${key}`;
    // No other call may start between a missing entry and its registration below.
    for (let known = this.frequent.get(id); known; known = this.frequent.get(id)) {
      if (await this.addTo(known, added)) return;
      if (this.frequent.get(id) === known) this.frequent.delete(id);
    }
    const inserting = this.insert({ ...event, counts: added });
    this.frequent.set(id, inserting);
    await inserting.catch((error: unknown) => {
      this.frequent.delete(id);
      throw error;
    });
  }

  /** @returns false without an entry: its transaction failed, or it was removed. */
  private async addTo(inserting: Promise<string>, counts: Record<string, number>): Promise<boolean> {
    const id = await inserting.catch(() => undefined);
    return id !== undefined && this.repository.addCounts(id, counts);
  }

  /** The event as an INSERT that a statement contains; see `AuditRepository.toClause`. */
  toClause(event: AuditedEvent, first: number, source: string): InsertClause {
    return this.repository.toClause(toNewEvent(event), first, source);
  }

  /** Removes what groups of issuers permit in a workspace from the entries of the operator. */
  forgetMappings(workspaceId: string): Promise<void> {
    return this.repository.forgetMappings(workspaceId);
  }

  /** The newest first. */
  async list({ limit, userId, clientId, kind, since }: AuditFilter): Promise<AuthEvent[]> {
    const query = this.database
      .repository(AuthEvent)
      .createQueryBuilder('event')
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
function toNewEvent(event: AuditedEvent, known?: AuditedCaller): NewEvent {
  const origin = currentOrigin();
  if (!origin) return event;
  const { userId: actorId, address, userAgent, requestId, sentRequestId, tool } = origin;
  const caller = known ?? origin.caller;
  return {
    ...event,
    details: (sentRequestId ?? tool) === undefined ? event.details : { ...event.details, sentRequestId, tool },
    actorId,
    actorKeyId: caller?.apiKeyId,
    actorKeyName: caller?.apiKeyLabel?.name,
    credential: caller?.apiKeyLabel?.prefix ?? (caller?.clientId ?? event.clientId)?.slice(0, CREDENTIAL_LENGTH),
    address,
    userAgent: userAgent?.slice(0, USER_AGENT_LENGTH),
    requestId,
  };
}
