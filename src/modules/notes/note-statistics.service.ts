import { Injectable } from '@nestjs/common';
import type { RecordFilter } from '../../records/record-filter.js';
import { NoteLocations } from './note-locations.js';
import { NoteStatisticsRepository, type SeriesRow } from './note-statistics.repository.js';

/** Fields that notes can be grouped by. */
export type NoteGrouping = 'status' | 'priority' | 'assignee';

export type NoteCounts = Record<'total' | 'open' | 'overdue' | 'archived', number>;

/** Figures of one bucket: the time from a bound, inclusive, to the next. */
export interface NoteFigures {
  opened: number;
  closed: number;
  /** From creation to closing, summed over all notes closed in the bucket. */
  hoursToClose: number;
  /** Overdue at the end of the bucket, or now if that is earlier. */
  overdue: number;
}

export interface NoteGroup extends Omit<NoteFigures, 'hoursToClose'> {
  by: NoteGrouping;
  value: string | null;
}

/** Figures per bucket, and per group over all buckets. */
export interface NoteSeries {
  buckets: NoteFigures[];
  groups: NoteGroup[];
}

/** Counts notes for analytics, in their current state: those that the access policies of the caller permit. */
@Injectable()
export class NoteStatisticsService {
  constructor(
    private readonly repository: NoteStatisticsRepository,
    private readonly locations: NoteLocations,
  ) {}

  /** @param bounds of the buckets, ascending. Groups without any note are absent. */
  async series(filter: RecordFilter, bounds: readonly Date[], now: Date): Promise<NoteSeries> {
    const rows = await this.repository.countSeries(await this.restrict(filter), bounds, now);
    return { buckets: toBuckets(rows, bounds.length - 1), groups: toGroups(rows) };
  }

  async counts(filter: RecordFilter, now: Date): Promise<NoteCounts> {
    return this.repository.countNow(await this.restrict(filter), now);
  }

  private async restrict(filter: RecordFilter): Promise<RecordFilter> {
    const permitted = await this.locations.selectPermitted(filter.workspaceId);
    return permitted ? { ...filter, locations: [...(filter.locations ?? []), ...permitted.subtrees] } : filter;
  }
}

function toBuckets(rows: readonly SeriesRow[], count: number): NoteFigures[] {
  const selectRows = (by: SeriesRow['by']) =>
    new Map(rows.filter((row) => row.by === by).map((row) => [row.bucket, row]));
  const [opened, closed, late] = [selectRows('opened'), selectRows('closed'), selectRows('late')];
  // Starts with the notes that were overdue before the first bound and are still open at it.
  let overdue = late.get(0)?.late ?? 0;
  return Array.from({ length: count }, (_, index) => {
    const bucket = index + 1;
    const finished = closed.get(bucket);
    overdue += (late.get(bucket)?.late ?? 0) - (finished?.settled ?? 0);
    return {
      opened: opened.get(bucket)?.opened ?? 0,
      closed: finished?.closed ?? 0,
      hoursToClose: finished?.hoursToClose ?? 0,
      overdue,
    };
  });
}

function toGroups(rows: readonly SeriesRow[]): NoteGroup[] {
  return rows.flatMap(({ by, value, opened, closed, late, settled }) =>
    by === 'status' || by === 'priority' || by === 'assignee'
      ? [{ by, value, opened, closed, overdue: late - settled }]
      : [],
  );
}
