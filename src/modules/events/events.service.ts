import { Injectable, type Type } from '@nestjs/common';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { Database } from '../../platform/database/database.js';
import { currentOrigin } from '../../platform/http/middleware.js';
import { toEventJson } from './event-data.js';
import { getEventTypeName, listEventTypes } from './event-type.decorator.js';
import type { EventSource } from './event.entity.js';
import { EventNumbering } from './event-numbering.js';
import { EventsRepository, type NewEvent } from './events.repository.js';

/** Who causes an event. */
export interface EventActor {
  userId: string | null;
  source: EventSource;
}

/** An event that is not recorded yet. */
export type { NewEvent };

/**
 * Replaces the stored `data` of events, in their order, by what callers receive. Undefined follows what fills a page;
 * the first is always completed.
 */
export type EventCompletion = (workspaceId: string, data: readonly object[]) => Promise<(object | undefined)[]>;

/**
 * Selects what callers with an access policy read of the completed `data` of events, in their order: undefined if the
 * event does not exist for the caller.
 */
export type EventRestriction = (workspaceId: string, data: readonly object[]) => Promise<(object | undefined)[]>;

/** More events than a workspace can have received between a backup and its restore. */
const SKIPPED = 1_000_000;

/** Records events. Modules declare their types with `@EventType()`. */
@Injectable()
export class EventsService {
  /** The declared types of events, for the OpenAPI document. */
  static readonly listTypes = listEventTypes;

  /** What completes events, by type. */
  readonly completions = new Map<string, EventCompletion>();
  /** What restricts events, by type. Types without an entry do not exist for callers with an access policy. */
  readonly restrictions = new Map<string, EventRestriction>();

  constructor(
    private readonly database: Database,
    private readonly repository: EventsRepository,
    private readonly numbering: EventNumbering,
  ) {}

  /**
   * Records an event in the open transaction, which must also contain what causes it.
   *
   * @param dto the class of the type, with `@EventType()`.
   */
  record<Data extends object>(workspaceId: string, dto: Type<Data>, data: Data): Promise<void> {
    return this.recordAll(workspaceId, [this.create(dto, data)]);
  }

  /**
   * Records an event whose `data` is stored elsewhere; the log contains only what finds it. `complete` registers how it
   * is found.
   *
   * @param actor by default the caller of the current request.
   */
  recordReference(workspaceId: string, dto: Type, reference: object, actor?: EventActor): Promise<void> {
    return this.recordAll(workspaceId, [this.create(dto as Type<object>, reference, actor)]);
  }

  /** Records events in this order. */
  async recordAll(workspaceId: string, events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.repository.insert(workspaceId, events);
    this.database.afterCommit(() => this.numbering.request(workspaceId));
  }

  /** An event to be recorded. */
  create<Data extends object>(dto: Type<Data>, data: Data, actor = this.currentActor()): NewEvent {
    const { userId: actorId, source } = actor;
    return { id: uuid(), type: getEventTypeName(dto), actorId, source, data: toEventJson(data) };
  }

  /** Registers a completion: a part of the `data` is stored elsewhere, so that it exists once. */
  complete(dto: Type, completion: EventCompletion): void {
    this.completions.set(getEventTypeName(dto), completion);
  }

  /**
   * Registers what callers with an access policy read of the events of a type: by default all, for records that
   * policies restrict by scopes only.
   */
  restrict(dto: Type, restriction: EventRestriction = (_, data) => Promise.resolve([...data])): void {
    this.restrictions.set(getEventTypeName(dto), restriction);
  }

  /**
   * Skips numbers that readers may have received before a restore of the database: readers of former numbers receive
   * `events_removed`. Deliveries of events before the skipped numbers continue.
   */
  skipNumbers(workspaceId: string): Promise<void> {
    return this.repository.skipNumbers(workspaceId, SKIPPED);
  }

  /** The caller of the current request. */
  currentActor(): EventActor {
    const origin = currentOrigin();
    if (!origin) return { userId: null, source: 'service' };
    return origin.userId === undefined ? { userId: null, source: 'public' } : { userId: origin.userId, source: 'api' };
  }
}
