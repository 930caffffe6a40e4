import { Injectable } from '@nestjs/common';
import { ExpensiveReads } from '../../platform/http/expensive-reads.js';
import type { Principal } from '../../platform/security/principal.js';
import { resolveTargetWorkspace } from '../../platform/security/workspace-access.js';
import { type NoteGroup, type NoteGrouping, NoteStatisticsService } from '../notes/note-statistics.service.js';
import { TourStatisticsService } from '../tours/tour-statistics.service.js';
import { VirtualStagingStatisticsService } from '../virtual-staging/virtual-staging-statistics.service.js';
import { TableFiguresService } from '../workspace-tables/query/table-figures.service.js';
import { AnalyticsQueryService, type Series } from './analytics-query.service.js';
import type { FilterQueryDto, SeriesQueryDto, WorkspaceQueryDto } from './dto/analytics-query.dto.js';
import { MAX_GROUPS, type NoteAnalyticsDto, type NoteGroupingDto } from './dto/note-analytics.dto.js';
import type { OverviewDto } from './dto/overview.dto.js';
import type { TableAnalyticsDto } from './dto/table-analytics.dto.js';
import type { TourAnalyticsDto } from './dto/tour-analytics.dto.js';

const TOUR_FIGURES = [
  'toursCreated',
  'toursPublished',
  'tagsCreated',
  'stagingsCreated',
  'stagingsSucceeded',
  'stagingsFailed',
] as const;

/**
 * Combines the statistics that the modules compute of their own records, as they are now. A table of sums would follow
 * every write, timezone and subtree, and the events of notes do not contain each former due date. So figures of the
 * past change if a note is reopened, archived or moved.
 */
@Injectable()
export class AnalyticsService {
  constructor(
    private readonly queries: AnalyticsQueryService,
    private readonly noteStatistics: NoteStatisticsService,
    private readonly tourStatistics: TourStatisticsService,
    private readonly stagingStatistics: VirtualStagingStatisticsService,
    private readonly tableFigures: TableFiguresService,
    private readonly reads: ExpensiveReads,
  ) {}

  /** @throws {InvalidRequestError | NotFoundError | UnknownRowError} like all methods of this class. */
  async overview(caller: Principal, query: FilterQueryDto): Promise<OverviewDto> {
    const filter = await this.queries.getFilter(caller, query);
    return this.reads.run(async () => {
      // The figures are read one after the other: a turn is one connection.
      const notes = await this.noteStatistics.counts(filter, new Date());
      const tours = await this.tourStatistics.countCurrent(filter);
      const stagings = await this.stagingStatistics.countCurrent(filter);
      return { workspaceId: filter.workspaceId, notes, ...tours, stagings };
    });
  }

  async notes(caller: Principal, query: SeriesQueryDto): Promise<NoteAnalyticsDto> {
    const now = new Date();
    const filter = await this.queries.getFilter(caller, query);
    const { workspaceId } = filter;
    const { days, bounds, ...range } = await this.queries.getSeries(workspaceId, query, now);
    const { buckets: figures, groups } = await this.reads.run(() => this.noteStatistics.series(filter, bounds, now));
    const { opened, closed, hoursToClose } = sumFields(figures, ['opened', 'closed', 'hoursToClose']);
    return {
      workspaceId,
      ...range,
      totals: {
        opened,
        closed,
        meanHoursToClose: roundMean(hoursToClose, closed),
        overdue: figures.at(-1)!.overdue,
      },
      buckets: toBuckets({ days, bounds }).map((bucket, index) => {
        const { hoursToClose: hours, ...counts } = figures[index]!;
        const meanHoursToClose = roundMean(hours, counts.closed);
        return { ...bucket, ...counts, meanHoursToClose, overdue: bucket.start <= now ? counts.overdue : null };
      }),
      byStatus: toGroupingDto(groups, 'status'),
      byPriority: toGroupingDto(groups, 'priority'),
      byAssignee: toGroupingDto(groups, 'assignee'),
    };
  }

  async tours(caller: Principal, query: SeriesQueryDto): Promise<TourAnalyticsDto> {
    const filter = await this.queries.getFilter(caller, query);
    const { workspaceId } = filter;
    const { days, bounds, ...range } = await this.queries.getSeries(workspaceId, query, new Date());
    const { tours, stagings } = await this.reads.run(async () => ({
      tours: await this.tourStatistics.countEvents(filter, bounds),
      stagings: await this.stagingStatistics.countEvents(filter, bounds),
    }));
    const figures = tours.map((each, index) => ({ ...each, ...stagings[index]! }));
    return {
      workspaceId,
      ...range,
      totals: sumFields(figures, TOUR_FIGURES),
      buckets: toBuckets({ days, bounds }).map((bucket, index) => ({ ...bucket, ...figures[index]! })),
    };
  }

  async tables(caller: Principal, query: WorkspaceQueryDto): Promise<TableAnalyticsDto> {
    const workspaceId = resolveTargetWorkspace(caller, query.workspaceId);
    const tables = await this.reads.run(() => this.tableFigures.listFigures(workspaceId));
    const { rows } = sumFields(tables, ['rows']);
    const { unresolved } = sumFields(
      tables.flatMap(({ references }) => references),
      ['unresolved'],
    );
    const figures = tables.map(({ references, ...table }) => ({ ...table, links: references }));
    return { workspaceId, totals: { tables: tables.length, rows, unresolvedLinks: unresolved }, tables: figures };
  }
}

function toBuckets({ days, bounds }: Pick<Series, 'days' | 'bounds'>) {
  return days.map((day, index) => ({ day, start: bounds[index]!, end: bounds[index + 1]! }));
}

/** The largest groups, and the sum of the others. */
function toGroupingDto(all: readonly NoteGroup[], grouping: NoteGrouping): NoteGroupingDto {
  const sorted = all
    .filter(({ by }) => by === grouping)
    .map(({ value, opened, closed, overdue }) => ({ value, opened, closed, overdue }))
    .toSorted((a, b) => countNotes(b) - countNotes(a) || ((a.value ?? '') < (b.value ?? '') ? -1 : 1));
  const rest = sorted.slice(MAX_GROUPS);
  const others = { groups: rest.length, ...sumFields(rest, ['opened', 'closed', 'overdue']) };
  return { groups: sorted.slice(0, MAX_GROUPS), others: rest.length > 0 ? others : null };
}

function countNotes({ opened, closed, overdue }: Pick<NoteGroup, 'opened' | 'closed' | 'overdue'>): number {
  return opened + closed + overdue;
}

function sumFields<Field extends string>(
  figures: readonly Record<Field, number>[],
  fields: readonly Field[],
): Record<Field, number> {
  const sums = fields.map((field) => [field, figures.reduce((sum, each) => sum + each[field], 0)]);
  return Object.fromEntries(sums) as Record<Field, number>;
}

/** Rounded to a hundredth of an hour; null if nothing was closed. */
function roundMean(hours: number, count: number): number | null {
  return count === 0 ? null : Math.round((hours / count) * 100) / 100;
}
