import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { buildFilterCondition, type RecordFilter } from '../../records/record-filter.js';
import { Note } from './note.entity.js';

/** One row of the series: the counts of one bucket, or of one value of a grouping. */
export interface SeriesRow {
  by: 'opened' | 'closed' | 'late' | 'status' | 'priority' | 'assignee';
  /** From 1; 0 is before the first bound. Null for notes in no bucket. */
  bucket: number | null;
  value: string | null;
  opened: number;
  closed: number;
  hoursToClose: number;
  /** Notes that became overdue before the last bound and were not closed before the first. */
  late: number;
  /** Late notes that were closed before the last bound. */
  settled: number;
}

/** When a note becomes overdue: at its due date, but not before its creation. */
const OVERDUE_FROM = 'greatest(due_date, created_at)';

/** Counts notes. Archived notes count only as archived. */
@Injectable()
export class NoteStatisticsRepository {
  constructor(private readonly database: Database) {}

  /** Total size of what anonymous callers stored and no user of the workspace has reviewed. */
  async sumUnreviewedBytes(workspaceId: string): Promise<number> {
    const [sum] = await this.database.query<{ bytes: number }>(
      `SELECT coalesce(sum(unreviewed_bytes), 0)::float8 AS bytes FROM notes
        WHERE workspace_id = $1 AND unreviewed_bytes > 0`,
      [workspaceId],
    );
    return sum!.bytes;
  }

  /** Counts all buckets and groups in one scan of the notes. The bounds ascend. */
  countSeries(filter: RecordFilter, bounds: readonly Date[], now: Date): Promise<SeriesRow[]> {
    const parameters: unknown[] = [];
    const matchesFilter = buildFilterCondition(this.database, Note, filter, parameters);
    const at = `$${parameters.push(bounds)}::timestamptz[]`;
    const from = `$${parameters.push(bounds[0])}::timestamptz`;
    const to = `$${parameters.push(bounds.at(-1))}::timestamptz`;
    const until = `least(${to}, $${parameters.push(now)}::timestamptz)`;
    const isOpened = `created_at >= ${from} AND created_at < ${to}`;
    const isClosed = `closed_at >= ${from} AND closed_at < ${to}`;
    const isLate = `due_date < ${until} AND created_at < ${until}
                    AND (closed_at IS NULL OR closed_at >= ${from} AND closed_at > ${OVERDUE_FROM})`;
    // OFFSET 0 makes PostgreSQL compute the buckets once per note instead of once per grouping.
    return this.database.query<SeriesRow>(
      `SELECT CASE grouping(opened, closed, late, status, priority, assignee)
                WHEN ${toGroupingMask(5)} THEN 'opened' WHEN ${toGroupingMask(4)} THEN 'closed' WHEN ${toGroupingMask(3)} THEN 'late'
                WHEN ${toGroupingMask(2)} THEN 'status' WHEN ${toGroupingMask(1)} THEN 'priority' ELSE 'assignee' END AS by,
              coalesce(opened, closed, late) AS bucket, coalesce(status, priority, assignee) AS value,
              count(opened)::integer AS opened, count(closed)::integer AS closed,
              coalesce(extract(epoch FROM sum(duration)) / 3600, 0)::float8 AS "hoursToClose",
              count(late)::integer AS late, (count(*) FILTER (WHERE settled))::integer AS settled
         FROM (
           SELECT CASE WHEN ${isOpened} THEN width_bucket(created_at, ${at}) END AS opened,
                  CASE WHEN ${isClosed} THEN width_bucket(closed_at, ${at}) END AS closed,
                  CASE WHEN ${isClosed} THEN closed_at - created_at END AS duration,
                  CASE WHEN ${isLate} THEN width_bucket(${OVERDUE_FROM}, ${at}) END AS late,
                  ${isLate} AND closed_at < ${until} AS settled, status, priority, assignee
             FROM notes
            WHERE ${matchesFilter} AND archived_at IS NULL AND ((${isOpened}) OR (${isClosed}) OR (${isLate}))
           OFFSET 0
         ) AS note
        GROUP BY GROUPING SETS (opened, closed, late, status, priority, assignee)`,
      parameters,
    );
  }

  async countNow(filter: RecordFilter, now: Date) {
    const parameters: unknown[] = [];
    const matchesFilter = buildFilterCondition(this.database, Note, filter, parameters);
    const isCounted = 'archived_at IS NULL';
    const isOverdue = `due_date < $${parameters.push(now)}::timestamptz`;
    const [counts] = await this.database.query<Record<'total' | 'open' | 'overdue' | 'archived', number>>(
      `SELECT count(*) FILTER (WHERE ${isCounted})::integer AS total,
              count(*) FILTER (WHERE ${isCounted} AND closed_at IS NULL)::integer AS open,
              count(*) FILTER (WHERE ${isCounted} AND closed_at IS NULL AND ${isOverdue})::integer AS overdue,
              count(*) FILTER (WHERE archived_at IS NOT NULL)::integer AS archived
         FROM notes WHERE ${matchesFilter}`,
      parameters,
    );
    return counts!;
  }
}

/** The result of `grouping` of six columns for a row grouped by one of them: the bits of all other columns. */
function toGroupingMask(bit: number): number {
  return 0b111111 ^ (1 << bit);
}
