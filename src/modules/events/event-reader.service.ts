import { Injectable, type Type } from '@nestjs/common';
import type { Principal } from '../../platform/security/principal.js';
import { fitEventData } from './event-data.js';
import type { EventDto, EventListDto, ListEventsDto } from './dto/events.dto.js';
import { EventNumbering } from './event-numbering.js';
import { selectReadableTypes, getEventTypeName, requireReadableTypes } from './event-type.decorator.js';
import { EventWaiters, type Waiter } from './event-waiters.js';
import { EventsRemovedError } from './events.errors.js';
import { EventsRepository, type LogRange, type StoredEvent } from './events.repository.js';

/** An event as callers receive it. */
export type WorkspaceEvent = EventDto;

/** Replaces the stored `data` of events, in their order, by what callers receive. */
export type EventCompletion = (workspaceId: string, data: readonly object[]) => Promise<object[]>;

interface Selection {
  /** Absent: from the first event that the log contains. */
  after?: number;
  types?: readonly string[];
  limit: number;
}

/** Events in the form in which they are read and delivered, and how far the log was searched. */
interface Found {
  events: EventDto[];
  range: LogRange;
  after: number;
}

/** Reads the event log of a workspace. */
@Injectable()
export class EventReaderService {
  private readonly completions = new Map<string, EventCompletion>();
  /** Reads in progress: waiting readers that wake at the same time share them. */
  private readonly reads = new Map<string, Promise<Found>>();

  constructor(
    private readonly repository: EventsRepository,
    private readonly numbering: EventNumbering,
    private readonly waiters: EventWaiters,
  ) {}

  /** Registers a completion: a part of the `data` is stored elsewhere, so that it exists once. */
  complete(dto: Type, completion: EventCompletion): void {
    this.completions.set(getEventTypeName(dto), completion);
  }

  /**
   * Events after a number that the scopes grant, the oldest first. With `wait`, waits up to this many seconds for the first.
   *
   * @throws {EventsRemovedError | TooManyWaitingError | InsufficientScopeError}
   */
  async list(
    { userId, scopes }: Pick<Principal, 'userId' | 'scopes'>,
    workspaceId: string,
    query: ListEventsDto,
    disconnected: AbortSignal,
  ): Promise<EventListDto> {
    const { after, limit, wait } = query;
    const types = selectReadableTypes(scopes, query.types);
    const selection = { after, types, limit };
    const first = await this.read(workspaceId, selection, true);
    if (first.events.length > 0 || wait === 0) return toList(first, first.after, limit);
    const waiter = this.waiters.start(userId, workspaceId, wait, disconnected);
    try {
      return toList(await this.waitForEvents(workspaceId, selection, first, waiter), first.after, limit);
    } finally {
      waiter.end();
    }
  }

  /** @throws {InsufficientScopeError} if the caller may not read all types that the patterns match. */
  requireReadable({ scopes }: Pick<Principal, 'scopes'>, patterns: readonly string[]): void {
    requireReadableTypes(scopes, patterns);
  }

  /** Events of the log with these numbers, as `list` returns them. Removed ones are absent. */
  async listBySequences(workspaceId: string, sequences: readonly number[]): Promise<WorkspaceEvent[]> {
    return this.toDtos(workspaceId, await this.repository.listBySequences(workspaceId, sequences));
  }

  /** The range of numbers that the log has, after all committed events received one. */
  async getRange(workspaceId: string): Promise<LogRange> {
    const range = await this.repository.getRange(workspaceId);
    if (!range.hasPending) return range;
    await this.numbering.number(workspaceId);
    return this.repository.getRange(workspaceId);
  }

  /** @returns the last read: with events, unless the waiting has ended. */
  private async waitForEvents(workspaceId: string, selection: Selection, first: Found, waiter: Waiter): Promise<Found> {
    let found = first;
    while (found.events.length === 0) {
      // Events of other types are not read twice.
      const after = Math.max(first.after, found.range.lastSequence);
      await waiter.until(after);
      if (waiter.hasEnded) break;
      found = await this.readShared(workspaceId, { ...selection, after });
    }
    return found;
  }

  private readShared(workspaceId: string, selection: Selection): Promise<Found> {
    const key = JSON.stringify([workspaceId, selection]);
    const running = this.reads.get(key);
    if (running) return running;
    const read = this.read(workspaceId, selection, false).finally(() => this.reads.delete(key));
    this.reads.set(key, read);
    return read;
  }

  /** @param isFresh include events that were committed before this call and have no number yet? */
  private async read(workspaceId: string, { after, types, limit }: Selection, isFresh: boolean): Promise<Found> {
    const range = isFresh ? await this.getRange(workspaceId) : await this.repository.getRange(workspaceId);
    const from = after ?? range.removedThrough;
    if (from < range.removedThrough) throw new EventsRemovedError(range.removedThrough);
    const through = range.lastSequence;
    // One more than the limit shows whether there are others.
    const selection = { after: from, through, types, limit: limit + 1 };
    const rows = from < through ? await this.repository.list(workspaceId, selection) : [];
    return { events: await this.toDtos(workspaceId, rows), range, after: from };
  }

  private async toDtos(workspaceId: string, rows: readonly StoredEvent[]): Promise<EventDto[]> {
    const data = new Map<StoredEvent, object>(rows.map((row) => [row, row.data]));
    for (const [type, completion] of this.completions) {
      const own = rows.filter((row) => row.type === type);
      if (own.length === 0) continue;
      const completed = await completion(
        workspaceId,
        own.map((row) => row.data),
      );
      own.forEach((row, index) => data.set(row, fitEventData(completed[index]!)));
    }
    return rows.map((row) => ({
      id: row.id,
      type: row.type,
      timestamp: row.recordedAt.toISOString(),
      workspaceId,
      sequence: row.sequence,
      actor: { userId: row.actorId, source: row.source },
      data: data.get(row)!,
    }));
  }
}

function toList({ events: found, range }: Found, after: number, limit: number): EventListDto {
  const events = found.slice(0, limit);
  return {
    events,
    latestSequence: range.lastSequence,
    hasMore: found.length > limit,
    nextCursor: events.at(-1)?.sequence ?? after,
  };
}
