import { Column, Entity, PrimaryColumn } from 'typeorm';
import { NamesPersons } from '../../platform/database/names-persons.decorator.js';

const SEQUENCE = { from: Number, to: (value: number) => value };

/**
 * The surface on which an event was caused. `api`: a request with credentials; `workspace`: the notes of a workspace;
 * `public`: an anonymous caller; `service`: the service itself or the operator.
 */
export const EVENT_SOURCES = ['api', 'workspace', 'public', 'service'] as const;
export type EventSource = (typeof EVENT_SOURCES)[number];

abstract class EventColumns {
  @Column('text')
  type: string;

  /** The user; null for anonymous callers and for the service itself. */
  @Column('uuid', { nullable: true })
  actorId: string | null;

  @Column('text')
  source: EventSource;

  @Column('json')
  @NamesPersons()
  data: object;
}

/** An event that has no number yet: its transaction may not be committed. */
@Entity('pending_events')
export class PendingEvent extends EventColumns {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_pending_events' })
  workspaceId: string;

  /** In microseconds: the order in which a table or record was changed is that of these times. */
  @PrimaryColumn({
    type: 'timestamptz',
    primaryKeyConstraintName: 'pk_pending_events',
    default: () => 'clock_timestamp()',
  })
  recordedAt: Date;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_pending_events' })
  id: string;
}

/** An event of the log. */
@Entity('events')
export class LoggedEvent extends EventColumns {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_events' })
  workspaceId: string;

  /** 1, 2, 3, … within the workspace, in the order in which events become visible. */
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'pk_events', transformer: SEQUENCE })
  sequence: number;

  @Column('timestamptz')
  recordedAt: Date;

  @Column('uuid')
  id: string;
}

/** The range of the log of a workspace. Numbering locks this row. */
@Entity('event_counters')
export class EventCounter {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_event_counters' })
  workspaceId: string;

  @Column('bigint', { transformer: SEQUENCE, default: 0 })
  lastSequence: number;

  /** Events up to this number were removed after the retention. */
  @Column('bigint', { transformer: SEQUENCE, default: 0 })
  removedThrough: number;
}
