import { Injectable } from '@nestjs/common';
import { WorkSlices } from '../../../packages/json/src/work-slices.js';
import { MAX_PAGE_BYTES } from '../../../packages/sql/src/page-reader.js';
import { listCallerPolicies, renewCaller, runWithPolicies } from '../../platform/security/caller-policies.js';
import type { AccessPolicy, Principal } from '../../platform/security/principal.js';
import { PolicyDeniedError } from '../../platform/security/security.errors.js';
import { EventDataLimiter } from './event-data.js';
import type { EventDto, EventListDto, ListEventsDto } from './dto/events.dto.js';
import { EventNumbering } from './event-numbering.js';
import {
  type EventReader,
  grantsEventType,
  selectReadableTypes,
  requireReadableTypes,
} from './event-type.decorator.js';
import { EventWaiters, type Waiter } from './event-waiters.js';
import { EventsRemovedError } from './events.errors.js';
import { EventsRepository, type LogRange, type StoredEvent } from './events.repository.js';
import { EventsService } from './events.service.js';

/** An event as callers receive it. */
export type WorkspaceEvent = EventDto;

/** A caller, and what it may read. */
export type CallingReader = Pick<Principal, 'userId'> & EventReader;

interface Selection {
  /** Absent: from the first event that the log contains. */
  after?: number;
  types?: readonly string[];
  limit: number;
  /** Do access policies restrict the caller? */
  isRestricted: boolean;
}

/** Events in the form in which they are read and delivered, and how far the log was searched. */
interface Found {
  events: EventDto[];
  hasMore: boolean;
  range: LogRange;
  after: number;
  /** The number of the last event that was read, also if the caller may not know it; absent if there is none. */
  last?: number;
}

/** Reads the event log of a workspace. */
@Injectable()
export class EventReaderService {
  /** Reads in progress: waiting readers that wake at the same time share them. */
  private readonly reads = new Map<string, Promise<Found>>();

  constructor(
    private readonly repository: EventsRepository,
    private readonly numbering: EventNumbering,
    private readonly waiters: EventWaiters,
    private readonly events: EventsService,
  ) {}

  /** From now on, the listener is called when this instance has added events to the log of a workspace. */
  onNumbered(listener: (workspaceId: string, lastSequence: number) => void): void {
    this.numbering.onNumbered(listener);
  }

  /**
   * Events after a number that the scopes, the role and the access policies of the caller grant, the oldest first. With
   * `wait`, waits up to this many seconds for the first. A caller that has waited is checked again.
   *
   * @param findReader returns the caller as it was checked last.
   * @throws {EventsRemovedError | TooManyWaitingError | InsufficientScopeError | InsufficientRoleError}
   * @throws {PolicyDeniedError} if access policies restrict none of the requested types.
   */
  async list(
    findReader: () => CallingReader,
    workspaceId: string,
    query: ListEventsDto,
    disconnected: AbortSignal,
  ): Promise<EventListDto> {
    const select = (): Selection => this.select(findReader(), workspaceId, query);
    const first = await this.read(workspaceId, select(), true);
    if (first.events.length > 0 || first.hasMore || query.wait === 0) return toList(first, first.after);
    const waiter = this.waiters.start(findReader().userId, workspaceId, query.wait, disconnected);
    try {
      return toList(await this.waitForEvents(workspaceId, select, first, waiter), first.after);
    } finally {
      waiter.end();
    }
  }

  /** @throws {InsufficientScopeError} if the caller may not read all types that the patterns match. */
  requireReadable({ scopes }: Pick<Principal, 'scopes'>, patterns: readonly string[]): void {
    requireReadableTypes(scopes, patterns);
  }

  /**
   * Events of the log with these numbers, as `list` returns them. Removed ones are absent.
   *
   * @param policy without the events, and the parts of their `data`, that it does not permit; undefined permits all.
   */
  async listBySequences(
    workspaceId: string,
    sequences: readonly number[],
    policy?: AccessPolicy,
  ): Promise<WorkspaceEvent[]> {
    if (!policy) return this.listComplete(workspaceId, sequences);
    return runWithPolicies(workspaceId, [policy], async () => {
      const events = await this.listComplete(workspaceId, sequences);
      const readable = events.filter(({ type }) => !policy.scopes || grantsEventType(policy.scopes, type));
      return this.restrict(workspaceId, readable);
    });
  }

  /**
   * What the log stores of the events of these types after a number, up to another: of records only their IDs
   * (ADR 0061). As many as a page contains, the oldest first.
   */
  listStored(
    workspaceId: string,
    selection: { after: number; through: number; types: readonly string[]; limit: number },
  ): Promise<{ items: Pick<StoredEvent, 'type' | 'sequence' | 'data'>[]; hasMore: boolean }> {
    return this.repository.list(workspaceId, selection);
  }

  /** The range of numbers that the log has, after all committed events received one. */
  async getRange(workspaceId: string): Promise<LogRange> {
    const range = await this.repository.getRange(workspaceId);
    if (!range.hasPending) return range;
    await this.numbering.number(workspaceId);
    return this.repository.getRange(workspaceId);
  }

  /** Events of the log with these numbers, with their whole `data`. */
  private async listComplete(workspaceId: string, sequences: readonly number[]): Promise<WorkspaceEvent[]> {
    const rows = await this.repository.listBySequences(workspaceId, sequences);
    const events: WorkspaceEvent[] = [];
    while (events.length < rows.length)
      events.push(...(await this.completePage(workspaceId, rows.slice(events.length))));
    return events;
  }

  /** @returns the last read: with events, unless the waiting has ended. */
  private async waitForEvents(
    workspaceId: string,
    select: () => Selection,
    first: Found,
    waiter: Waiter,
  ): Promise<Found> {
    let found = first;
    while (found.events.length === 0 && !found.hasMore) {
      // Events of other types are not read twice.
      const after = Math.max(first.after, found.range.lastSequence);
      await waiter.until(after);
      if (waiter.hasEnded) break;
      await renewCaller();
      found = await this.readShared(workspaceId, { ...select(), after });
    }
    return found;
  }

  /** @throws {InsufficientScopeError | InsufficientRoleError | PolicyDeniedError} */
  private select(reader: EventReader, workspaceId: string, { after, limit, types }: ListEventsDto): Selection {
    const isRestricted = listCallerPolicies(workspaceId).length > 0;
    const readable = selectReadableTypes(reader, types);
    return { after, limit, isRestricted, types: isRestricted ? this.selectRestrictable(readable) : readable };
  }

  /** @param types undefined for all. @throws {PolicyDeniedError} */
  private selectRestrictable(types: readonly string[] | undefined): string[] {
    const { restrictions } = this.events;
    const known = types ? types.filter((type) => restrictions.has(type)) : [...restrictions.keys()];
    if (known.length === 0) throw new PolicyDeniedError();
    return known;
  }

  private readShared(workspaceId: string, selection: Selection): Promise<Found> {
    // What the caller reads depends on its policies.
    if (selection.isRestricted) return this.read(workspaceId, selection, false);
    const key = JSON.stringify([workspaceId, selection]);
    const running = this.reads.get(key);
    if (running) return running;
    const read = this.read(workspaceId, selection, false).finally(() => this.reads.delete(key));
    this.reads.set(key, read);
    return read;
  }

  /** @param isFresh include events that were committed before this call and have no number yet? */
  private async read(
    workspaceId: string,
    { after, types, limit, isRestricted }: Selection,
    isFresh: boolean,
  ): Promise<Found> {
    const range = isFresh ? await this.getRange(workspaceId) : await this.repository.getRange(workspaceId);
    const from = after ?? range.removedThrough;
    if (from < range.removedThrough) throw new EventsRemovedError(range.removedThrough);
    const through = range.lastSequence;
    if (from >= through) return { events: [], hasMore: false, range, after: from };
    const rows = await this.repository.list(workspaceId, { after: from, through, types, limit });
    const read = await this.completePage(workspaceId, rows.items);
    const events = isRestricted ? await this.restrict(workspaceId, read) : read;
    const hasMore = rows.hasMore || read.length < rows.items.length;
    return { events, hasMore, range, after: from, last: read.at(-1)?.sequence ?? undefined };
  }

  /** The events, and of their `data`, what exists for a caller with an access policy. */
  private async restrict(workspaceId: string, events: readonly EventDto[]): Promise<EventDto[]> {
    const data = new Map<EventDto, object | undefined>();
    for (const [type, restriction] of this.events.restrictions) {
      const own = events.filter((event) => event.type === type);
      if (own.length === 0) continue;
      const permitted = await restriction(
        workspaceId,
        own.map((event) => event.data),
      );
      for (const [position, event] of own.entries()) data.set(event, permitted[position]);
    }
    return events.flatMap((event) => {
      const permitted = data.get(event);
      return permitted ? [{ ...event, data: permitted }] : [];
    });
  }

  /** The first of these events, as many as a page contains, and at least one. */
  private async completePage(workspaceId: string, rows: readonly StoredEvent[]): Promise<EventDto[]> {
    const completed = await this.completeData(workspaceId, rows);
    const limiter = new EventDataLimiter();
    const slices = new WorkSlices();
    const events: EventDto[] = [];
    let bytes = 0;
    for (const row of rows) {
      const complete = completed.get(row);
      if (bytes >= MAX_PAGE_BYTES || !complete) break;
      const own = complete === row.data ? row : limiter.limit(complete);
      bytes += own.bytes;
      events.push(toDto(workspaceId, row, own.data));
      await slices.pauseIfDue();
    }
    return events;
  }

  /** The `data` of the events, of any size; undefined after what fills a page. */
  private async completeData(workspaceId: string, rows: readonly StoredEvent[]) {
    const data = new Map<StoredEvent, object | undefined>(rows.map((row) => [row, row.data]));
    for (const [type, completion] of this.events.completions) {
      const own = rows.filter((row) => row.type === type);
      if (own.length === 0) continue;
      const completed = await completion(
        workspaceId,
        own.map((row) => row.data),
      );
      for (const [index, row] of own.entries()) data.set(row, completed[index]);
    }
    return data;
  }
}

function toDto(workspaceId: string, row: StoredEvent, data: object): EventDto {
  return {
    id: row.id,
    type: row.type,
    timestamp: row.recordedAt.toISOString(),
    workspaceId,
    sequence: row.sequence,
    actor: { userId: row.actorId, source: row.source },
    data,
  };
}

function toList({ events, hasMore, range, last }: Found, after: number): EventListDto {
  return { events, hasMore, latestSequence: range.lastSequence, nextCursor: last ?? after };
}
