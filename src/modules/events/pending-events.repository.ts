import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { EventSource } from './event.entity.js';

/** An event to record. */
export interface NewEvent {
  id: string;
  type: string;
  actorId: string | null;
  source: EventSource;
  /** As JSON. */
  data: string;
}

const INSERT_PENDING = 'INSERT INTO pending_events (workspace_id, id, type, actor_id, source, data)';

/** Inserts events, which have no number yet. */
@Injectable()
export class PendingEventsRepository {
  constructor(private readonly database: Database) {}

  /** Part of the open transaction. */
  async insert(workspaceId: string, events: readonly NewEvent[]): Promise<void> {
    const [event] = events;
    // One row of VALUES takes less time than an array of one, most of all on a cluster.
    if (event && events.length === 1) {
      const { id, type, actorId, source, data } = event;
      const values = [workspaceId, id, type, actorId, source, data];
      await this.database.query(`${INSERT_PENDING} VALUES ($1, $2, $3, $4, $5, $6)`, values, 'new event');
      return;
    }
    await this.database.query(
      `${INSERT_PENDING} SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::json[])`,
      [
        workspaceId,
        events.map(({ id }) => id),
        events.map(({ type }) => type),
        events.map(({ actorId }) => actorId),
        events.map(({ source }) => source),
        events.map(({ data }) => data),
      ],
    );
  }
}
