import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { buildFilterCondition, type RecordFilter } from '../../records/record-filter.js';
import { Note } from './note.entity.js';

/** What notes are told apart by. */
export type NoteGrouping = 'status' | 'priority' | 'assignee';

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

/** What happened in each bucket, and in all of them together. */
export interface NoteSeries {
  buckets: NoteFigures[];
  groups: NoteGroup[];
}

/** A line of the statement: of one bucket, or of one value of a grouping. */
interface Counted {
  by: 'opened' | 'closed' | 'late' | NoteGrouping;
  /** From 1; 0 is before the first bound. Null for the notes that are in none. */
  bucket: number | null;
  value: string | null;
  opened: number;
  closed: number;
  hoursToClose: number;
  /** Became overdue before the last bound, and were not closed before the first. */
  late: number;
  /** Those of them that were closed before the last bound. */
  settled: number;
}

/** From when on a note is overdue: not before it came to be. */
const OVERDUE_FROM = 'greatest(due_date, created_at)';

/** Counts notes as they are now. Archived ones count as archived alone, and nowhere else. */
@Injectable()
export class NoteStatisticsService {
  constructor(private readonly database: Database) {}

  /**
   * The figures between each two neighbours of the bounds, which ascend, and those between the first and the last bound
   * told apart by each of the groupings, where values that no note has are missing. Overdue is what had become so less
   * what was closed since, so that no note is looked at once a bound; all of it is one walk through the notes.
   */
  async series(filter: RecordFilter, bounds: readonly Date[], now: Date): Promise<NoteSeries> {
    const parameters: unknown[] = [];
    const condition = buildFilterCondition(this.database, Note, filter, parameters);
    const at = `$${parameters.push(bounds)}::timestamptz[]`;
    const from = `$${parameters.push(bounds[0])}::timestamptz`;
    const to = `$${parameters.push(bounds.at(-1))}::timestamptz`;
    const until = `least(${to}, $${parameters.push(now)}::timestamptz)`;
    const isOpened = `created_at >= ${from} AND created_at < ${to}`;
    const isClosed = `closed_at >= ${from} AND closed_at < ${to}`;
    const isLate = `due_date < ${until} AND created_at < ${until}
                    AND (closed_at IS NULL OR closed_at >= ${from} AND closed_at > ${OVERDUE_FROM})`;
    // OFFSET 0 has the buckets worked out once a note, and not again for each of the groupings.
    const rows = await this.database.query<Counted>(
      `SELECT CASE grouping(opened, closed, late, status, priority, assignee)
                WHEN ${onlyBut(5)} THEN 'opened' WHEN ${onlyBut(4)} THEN 'closed' WHEN ${onlyBut(3)} THEN 'late'
                WHEN ${onlyBut(2)} THEN 'status' WHEN ${onlyBut(1)} THEN 'priority' ELSE 'assignee' END AS by,
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
            WHERE ${condition} AND archived_at IS NULL AND ((${isOpened}) OR (${isClosed}) OR (${isLate}))
           OFFSET 0
         ) AS note
        GROUP BY GROUPING SETS (opened, closed, late, status, priority, assignee)`,
      parameters,
    );
    return { buckets: bucketsOf(rows, bounds.length - 1), groups: groupsOf(rows) };
  }

  /** How many there are now. */
  async counts(filter: RecordFilter, now: Date): Promise<NoteCounts> {
    const parameters: unknown[] = [];
    const condition = buildFilterCondition(this.database, Note, filter, parameters);
    const here = 'WHERE archived_at IS NULL';
    const overdue = `due_date < $${parameters.push(now)}::timestamptz`;
    const [counts] = await this.database.query<NoteCounts>(
      `SELECT count(*) FILTER (${here})::integer AS total,
              count(*) FILTER (${here} AND closed_at IS NULL)::integer AS open,
              count(*) FILTER (${here} AND closed_at IS NULL AND ${overdue})::integer AS overdue,
              count(*) FILTER (WHERE archived_at IS NOT NULL)::integer AS archived
         FROM notes WHERE ${condition}`,
      parameters,
    );
    return counts!;
  }
}

/** What `grouping` of six columns says of a line that is grouped by one of them: a bit for each of the others. */
function onlyBut(bit: number): number {
  return 0b111111 ^ (1 << bit);
}

function bucketsOf(rows: readonly Counted[], count: number): NoteFigures[] {
  const linesOf = (by: Counted['by']) => new Map(rows.filter((row) => row.by === by).map((row) => [row.bucket, row]));
  const [opened, closed, late] = [linesOf('opened'), linesOf('closed'), linesOf('late')];
  // Those that were overdue before the first bound, and still are there.
  let overdue = late.get(0)?.late ?? 0;
  return Array.from({ length: count }, (_, index) => {
    const bucket = index + 1;
    const ended = closed.get(bucket);
    overdue += (late.get(bucket)?.late ?? 0) - (ended?.settled ?? 0);
    return {
      opened: opened.get(bucket)?.opened ?? 0,
      closed: ended?.closed ?? 0,
      hoursToClose: ended?.hoursToClose ?? 0,
      overdue,
    };
  });
}

function groupsOf(rows: readonly Counted[]): NoteGroup[] {
  return rows.flatMap(({ by, value, opened, closed, late, settled }) =>
    by === 'status' || by === 'priority' || by === 'assignee'
      ? [{ by, value, opened, closed, overdue: late - settled }]
      : [],
  );
}
