import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { readPage, type RowPage } from '../../../packages/sql/src/page-reader.js';
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

/** An event of the log. */
export interface StoredEvent {
  id: string;
  type: string;
  sequence: number;
  recordedAt: Date;
  actorId: string | null;
  source: EventSource;
  data: object;
  /** The size of `data` as JSON. */
  bytes: number;
}

/** The log of a workspace: all events after `removedThrough` up to `lastSequence`. */
export interface LogRange {
  lastSequence: number;
  removedThrough: number;
  /** Are there committed events without a number? */
  hasPending: boolean;
}

export interface Numbered {
  numbered: number;
  lastSequence: number | null;
  hasCounter: boolean;
  hasPending: boolean;
}

const SELECT_EVENTS = `
  SELECT id, type, sequence::float8 AS sequence, recorded_at AS "recordedAt", actor_id AS "actorId", source, data,
         octet_length(data::text) AS bytes
    FROM events`;

const INSERT_PENDING = 'INSERT INTO pending_events (workspace_id, id, type, actor_id, source, data)';

/** Inserts events, numbers them, and reads those that have a number. */
@Injectable()
export class EventsRepository {
  constructor(private readonly database: Database) {}

  /** Inserts events, which have no number yet. Part of the open transaction. */
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

  /**
   * Gives committed events the next numbers. The statements after the lock of the counter read what was committed
   * before it. SKIP LOCKED: another instance numbers these events.
   */
  number(workspaceId: string, limit: number): Promise<Numbered> {
    return this.database.transaction(() => this.numberLocked(workspaceId, limit));
  }

  private async numberLocked(workspaceId: string, limit: number): Promise<Numbered> {
    const [counter] = await this.database.query<{ last: string }>(
      'SELECT last_sequence AS last FROM event_counters WHERE workspace_id = $1 FOR UPDATE SKIP LOCKED',
      [workspaceId],
    );
    const numbered = counter ? await this.moveEvents(workspaceId, counter.last, limit) : 0;
    const lastSequence = numbered > 0 ? Number(counter!.last) + numbered : null;
    if (numbered > 0) return { numbered, lastSequence, hasCounter: true, hasPending: numbered === limit };
    const [state] = await this.database.query<Pick<Numbered, 'hasCounter' | 'hasPending'>>(
      `SELECT EXISTS (SELECT 1 FROM event_counters WHERE workspace_id = $1) AS "hasCounter",
              EXISTS (SELECT 1 FROM pending_events WHERE workspace_id = $1) AS "hasPending"`,
      [workspaceId],
    );
    return { ...state!, numbered, lastSequence };
  }

  /** @param last the number of the last event. @returns how many events have got a number. */
  private async moveEvents(workspaceId: string, last: string, limit: number): Promise<number> {
    const numbered = await this.database.affected(
      `INSERT INTO events (workspace_id, sequence, recorded_at, id, type, actor_id, source, data)
       SELECT p.workspace_id, $2::bigint + row_number() OVER (ORDER BY p.recorded_at, p.id), p.recorded_at, p.id, p.type, p.actor_id, p.source, p.data
         FROM (SELECT * FROM pending_events WHERE workspace_id = $1 ORDER BY recorded_at, id LIMIT $3) p`,
      [workspaceId, last, limit],
    );
    if (numbered === 0) return 0;
    await this.database.affected(
      `DELETE FROM pending_events p USING events e
        WHERE p.workspace_id = $1 AND e.workspace_id = $1 AND e.sequence > $2 AND p.recorded_at = e.recorded_at AND p.id = e.id`,
      [workspaceId, last],
    );
    await this.database.affected(
      'UPDATE event_counters SET last_sequence = $2::bigint + $3::integer WHERE workspace_id = $1',
      [workspaceId, last, numbered],
    );
    return numbered;
  }

  async createCounter(workspaceId: string): Promise<void> {
    await this.database.query(
      'INSERT INTO event_counters (workspace_id) VALUES ($1) ON CONFLICT (workspace_id) DO NOTHING',
      [workspaceId],
    );
  }

  /** Workspaces with events without a number. */
  async listPending(limit: number): Promise<string[]> {
    const found = await this.database.queryAllWorkspaces<{ id: string }>(
      (isReachable) =>
        `SELECT DISTINCT workspace_id AS id FROM pending_events WHERE ${isReachable('workspace_id')} LIMIT $1`,
      [limit],
    );
    return found.map(({ id }) => id);
  }

  async getRange(workspaceId: string): Promise<LogRange> {
    const [range] = await this.database.query<LogRange>(
      `SELECT coalesce(max(last_sequence), 0)::float8 AS "lastSequence",
              coalesce(max(removed_through), 0)::float8 AS "removedThrough",
              EXISTS (SELECT 1 FROM pending_events WHERE workspace_id = $1) AS "hasPending"
         FROM event_counters WHERE workspace_id = $1`,
      [workspaceId],
    );
    return range!;
  }

  /** The numbers of the last events of several workspaces. */
  listLastSequences(workspaceIds: readonly string[]): Promise<{ workspaceId: string; lastSequence: number }[]> {
    return this.database.query(
      `SELECT workspace_id AS "workspaceId", last_sequence::float8 AS "lastSequence"
         FROM event_counters WHERE workspace_id = ANY ($1::uuid[])`,
      [workspaceIds],
    );
  }

  /** Events after a number, up to another. @param types undefined for all. */
  list(
    workspaceId: string,
    { after, through, types, limit }: { after: number; through: number; types?: readonly string[]; limit: number },
  ): Promise<RowPage<StoredEvent>> {
    const sql = `${SELECT_EVENTS} WHERE workspace_id = $1 AND sequence > $2 AND sequence <= $3
                 ${types ? 'AND type = ANY ($4)' : ''} ORDER BY sequence`;
    const parameters = [workspaceId, after, through, ...(types ? [types] : [])];
    return readPage(this.database, { sql, parameters, sized: ['data'] }, limit);
  }

  listBySequences(workspaceId: string, sequences: readonly number[]): Promise<StoredEvent[]> {
    return this.database.query(
      `${SELECT_EVENTS} WHERE workspace_id = $1 AND sequence = ANY ($2::bigint[]) ORDER BY sequence`,
      [workspaceId, sequences],
    );
  }

  /** Skips numbers, also if the workspace has no event yet. The log starts after them. */
  async skipNumbers(workspaceId: string, count: number): Promise<void> {
    await this.database.query(
      `INSERT INTO event_counters AS c (workspace_id, last_sequence, removed_through) VALUES ($1, $2, $2)
       ON CONFLICT (workspace_id) DO UPDATE
          SET last_sequence = c.last_sequence + $2, removed_through = c.last_sequence + $2`,
      [workspaceId, count],
    );
  }

  /** Removes old events, the oldest of each workspace first. @returns how many. */
  async deleteOld(batch: number, days: number): Promise<number> {
    const [result] = await this.database.query<{ removed: number }>(
      `WITH old AS MATERIALIZED (
         SELECT c.workspace_id, max(e.sequence) AS through
           FROM (SELECT workspace_id, removed_through FROM event_counters
                  WHERE removed_through < last_sequence) c
          CROSS JOIN LATERAL (SELECT sequence, recorded_at FROM events
                               WHERE workspace_id = c.workspace_id AND sequence > c.removed_through
                               ORDER BY sequence LIMIT $1) e
          WHERE e.recorded_at < clock_timestamp() - make_interval(days => $2)
          GROUP BY c.workspace_id),
       counted AS (
         UPDATE event_counters c SET removed_through = old.through
           FROM old WHERE c.workspace_id = old.workspace_id AND c.removed_through < old.through),
       removed AS (
         DELETE FROM events e USING old WHERE e.workspace_id = old.workspace_id AND e.sequence <= old.through RETURNING 1)
       SELECT count(*)::integer AS removed FROM removed`,
      [batch, days],
    );
    return result!.removed;
  }
}
