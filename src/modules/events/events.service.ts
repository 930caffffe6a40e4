import { Injectable, type Type } from '@nestjs/common';
import { uuid } from '../../platform/database/uuid.js';
import { Database } from '../../platform/database/database.js';
import { currentOrigin } from '../../platform/http/middleware.js';
import { toEventJson } from './event-data.js';
import { EventNumbering } from './event-numbering.js';
import { getEventTypeName, listEventTypes } from './event-type.decorator.js';
import type { EventSource } from './event.entity.js';
import { EventsRepository, type NewEvent } from './events.repository.js';

/** Who causes an event. */
export interface EventActor {
  userId: string | null;
  source: EventSource;
}

/** Events as values of parameters, for a statement that also writes what causes them. */
export type { NewEvent };

/** Records events. Modules declare their types with `@EventType()`. */
@Injectable()
export class EventsService {
  /** The declared types of events, for the OpenAPI document. */
  static readonly listTypes = listEventTypes;

  constructor(
    private readonly database: Database,
    private readonly repository: EventsRepository,
    private readonly numbering: EventNumbering,
  ) {}

  /**
   * Records an event in the open transaction, which must also contain what causes it.
   *
   * @param dto the class of the type, with `@EventType()`.
   * @param actor by default the caller of the current request.
   */
  record<Data extends object>(workspaceId: string, dto: Type<Data>, data: Data, actor?: EventActor): Promise<void> {
    return this.recordAll(workspaceId, [this.create(dto, data, actor)]);
  }

  /**
   * Records an event whose `data` is stored elsewhere; the log contains only what finds it.
   * `EventReaderService.complete` registers how it is found.
   */
  recordReference(workspaceId: string, dto: Type, reference: object, actor?: EventActor): Promise<void> {
    return this.recordAll(workspaceId, [this.create(dto as Type<object>, reference, actor)]);
  }

  /** Records events in this order. */
  async recordAll(workspaceId: string, events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.repository.record(workspaceId, events);
    this.database.afterCommit(() => this.numbering.request(workspaceId));
  }

  /** An event to be recorded. */
  create<Data extends object>(dto: Type<Data>, data: Data, actor = this.currentActor()): NewEvent {
    const { userId: actorId, source } = actor;
    return { id: uuid(), type: getEventTypeName(dto), actorId, source, data: toEventJson(data) };
  }

  /** Call it after a statement that has inserted into `pending_events` itself. */
  numberSoon(workspaceId: string): void {
    this.database.afterCommit(() => this.numbering.request(workspaceId));
  }

  /** From now on, the listener is called when this instance has added events to the log of a workspace. */
  onNumbered(listener: (workspaceId: string, lastSequence: number) => void): void {
    this.numbering.onNumbered(listener);
  }

  /** The caller of the current request. */
  currentActor(): EventActor {
    const origin = currentOrigin();
    if (!origin) return { userId: null, source: 'service' };
    return origin.userId === undefined ? { userId: null, source: 'public' } : { userId: origin.userId, source: 'api' };
  }
}
