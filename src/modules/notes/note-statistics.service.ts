import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { conditionsOf, type RecordScope } from '../../platform/records/record-scope.js';

/** What notes are told apart by. */
export const NOTE_GROUPINGS = ['status', 'priority', 'assignee'] as const;
export type NoteGrouping = (typeof NOTE_GROUPINGS)[number];

/** What happened between two bounds, the first of them in it. */
export interface NoteFigures {
  opened: number;
  closed: number;
  /** From creation to closing, of all that were closed together. */
  hoursToClose: number;
  /** Overdue at the second bound; at `now`, where that is sooner. */
  overdue: number;
}

export interface NoteGroup {
  by: NoteGrouping;
  value: string | null;
  opened: number;
  closed: number;
  overdue: number;
}

export interface NoteCounts {
  total: number;
  open: number;
  overdue: number;
  archived: number;
}

/** From when on a note is overdue: not before it came to be. */
const OVERDUE_FROM = 'greatest(due_date, created_at)';

/** Counts notes as they are now. Archived ones count as archived alone, and nowhere else. */
@Injectable()
export class NoteStatisticsService {
  constructor(private readonly database: Database) {}

  /**
   * The figures between each two neighbours of the bounds, which ascend. Overdue is what had become so less what was closed
   * since, so that no note is looked at once a bound.
   */
  async series(scope: RecordScope, bounds: readonly Date[], now: Date): Promise<NoteFigures[]> {
    const { placed, parameters } = conditionsOf(scope);
    const at = `$${parameters.push(bounds)}::timestamptz[]`;
    const from = `$${parameters.push(bounds[0])}::timestamptz`;
    const to = `$${parameters.push(bounds.at(-1))}::timestamptz`;
    const until = `least(${to}, $${parameters.push(now)}::timestamptz)`;
    const rows = await this.database.query<NoteFigures & { bucket: number }>(
      `SELECT bucket, sum(opened)::integer AS opened, sum(closed)::integer AS closed, sum(hours)::float8 AS "hoursToClose",
              sum(overdue)::integer AS overdue
         FROM (
           SELECT width_bucket(created_at, ${at}) AS bucket, count(*) AS opened, 0 AS closed, 0 AS hours, 0 AS overdue
             FROM notes
            WHERE ${placed} AND archived_at IS NULL AND created_at >= ${from} AND created_at < ${to}
            GROUP BY bucket
           UNION ALL
           SELECT width_bucket(closed_at, ${at}) AS bucket, 0, count(*),
                  sum(extract(epoch FROM closed_at - created_at)) / 3600, 0
             FROM notes
            WHERE ${placed} AND archived_at IS NULL AND closed_at >= ${from} AND closed_at < ${to}
            GROUP BY bucket
           UNION ALL
           SELECT width_bucket(step.at, ${at}) AS bucket, 0, 0, 0, sum(step.change)
             FROM notes CROSS JOIN LATERAL (VALUES (${OVERDUE_FROM}, 1), (closed_at, -1)) AS step (at, change)
            WHERE ${placed} AND archived_at IS NULL AND due_date < ${until}
              AND (closed_at IS NULL OR closed_at >= ${from} AND closed_at > ${OVERDUE_FROM}) AND step.at < ${until}
            GROUP BY bucket
         ) AS counted
        GROUP BY bucket`,
      parameters,
    );
    const counted = new Map(rows.map((row) => [row.bucket, row]));
    // Those that were overdue before the first bound, and still are there.
    let overdue = counted.get(0)?.overdue ?? 0;
    return bounds.slice(1).map((_, index) => {
      const figures = counted.get(index + 1);
      overdue += figures?.overdue ?? 0;
      const { opened = 0, closed = 0, hoursToClose = 0 } = figures ?? {};
      return { opened, closed, hoursToClose, overdue };
    });
  }

  /** The same between two bounds, told apart by each of the groupings; values that no note has are missing. */
  groups(scope: RecordScope, from: Date, to: Date, now: Date): Promise<NoteGroup[]> {
    const { placed, parameters } = conditionsOf(scope);
    const first = `$${parameters.push(from)}::timestamptz`;
    const last = `$${parameters.push(to)}::timestamptz`;
    const until = `least(${last}, $${parameters.push(now)}::timestamptz)`;
    const opened = `created_at >= ${first} AND created_at < ${last}`;
    const closed = `closed_at >= ${first} AND closed_at < ${last}`;
    const overdue = `due_date < ${until} AND created_at < ${until} AND (closed_at IS NULL OR closed_at >= ${until})`;
    // A bit for each column that a row is not grouped by.
    return this.database.query<NoteGroup>(
      `SELECT CASE grouping(status, priority, assignee) WHEN 3 THEN 'status' WHEN 5 THEN 'priority' ELSE 'assignee' END AS by,
              coalesce(status, priority, assignee) AS value, count(*) FILTER (WHERE ${opened})::integer AS opened,
              count(*) FILTER (WHERE ${closed})::integer AS closed, count(*) FILTER (WHERE ${overdue})::integer AS overdue
         FROM notes
        WHERE ${placed} AND archived_at IS NULL AND ((${opened}) OR (${closed}) OR (${overdue}))
        GROUP BY GROUPING SETS (status, priority, assignee)`,
      parameters,
    );
  }

  /** How many there are now. */
  async counts(scope: RecordScope, now: Date): Promise<NoteCounts> {
    const { placed, parameters } = conditionsOf(scope);
    const here = 'WHERE archived_at IS NULL';
    const overdue = `due_date < $${parameters.push(now)}::timestamptz`;
    const [counts] = await this.database.query<NoteCounts>(
      `SELECT count(*) FILTER (${here})::integer AS total,
              count(*) FILTER (${here} AND closed_at IS NULL)::integer AS open,
              count(*) FILTER (${here} AND closed_at IS NULL AND ${overdue})::integer AS overdue,
              count(*) FILTER (WHERE archived_at IS NOT NULL)::integer AS archived
         FROM notes WHERE ${placed}`,
      parameters,
    );
    return counts!;
  }
}
