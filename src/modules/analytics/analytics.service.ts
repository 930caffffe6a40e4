import { Injectable } from '@nestjs/common';
import type { Principal } from '../../platform/security/principal.js';
import { chosenWorkspace } from '../../platform/security/workspace-access.js';
import { type NoteGroup, type NoteGrouping, NoteStatisticsService } from '../notes/note-statistics.service.js';
import { TourStatisticsService } from '../tours/tour-statistics.service.js';
import { VirtualStagingStatisticsService } from '../virtual-staging/virtual-staging-statistics.service.js';
import { TableStatisticsService } from '../workspace-tables/query/table-statistics.service.js';
import type { ScopeQueryDto, SeriesQueryDto, WorkspaceQueryDto } from './dto/analytics-query.dto.js';
import { MAX_GROUPS, type NoteAnalyticsDto, type NoteGroupingDto } from './dto/note-analytics.dto.js';
import type { OverviewDto } from './dto/overview.dto.js';
import type { TableAnalyticsDto } from './dto/table-analytics.dto.js';
import type { TourAnalyticsDto, TourTotalsDto } from './dto/tour-analytics.dto.js';
import { ScopesService, type Series } from './scopes.service.js';

/** Puts together what the modules count of their own records. */
@Injectable()
export class AnalyticsService {
  constructor(
    private readonly scopes: ScopesService,
    private readonly noteStatistics: NoteStatisticsService,
    private readonly tourStatistics: TourStatisticsService,
    private readonly stagingStatistics: VirtualStagingStatisticsService,
    private readonly tableStatistics: TableStatisticsService,
  ) {}

  /** @throws {InvalidRequestError | NotFoundError | UnknownRowError} as the others. */
  async overview(caller: Principal, query: ScopeQueryDto): Promise<OverviewDto> {
    const scope = await this.scopes.getScope(caller, query);
    const [notes, tours, stagings] = await Promise.all([
      this.noteStatistics.counts(scope, new Date()),
      this.tourStatistics.counts(scope),
      this.stagingStatistics.counts(scope),
    ]);
    return { workspaceId: scope.workspaceId, notes, ...tours, stagings };
  }

  async notes(caller: Principal, query: SeriesQueryDto): Promise<NoteAnalyticsDto> {
    const now = new Date();
    const scope = await this.scopes.getScope(caller, query);
    const { days, bounds, ...range } = await this.scopes.getSeries(scope.workspaceId, query, now);
    const { buckets: figures, groups } = await this.noteStatistics.series(scope, bounds, now);
    const sum = (of: 'opened' | 'closed' | 'hoursToClose') => sumOf(figures.map((each) => each[of]));
    return {
      workspaceId: scope.workspaceId,
      ...range,
      totals: {
        opened: sum('opened'),
        closed: sum('closed'),
        meanHoursToClose: mean(sum('hoursToClose'), sum('closed')),
        overdue: figures.at(-1)!.overdue,
      },
      buckets: bucketsOf({ days, bounds }).map((bucket, at) => {
        const { opened, closed, hoursToClose, overdue } = figures[at]!;
        const hasBegun = bucket.start <= now;
        const meanHoursToClose = mean(hoursToClose, closed);
        return { ...bucket, opened, closed, meanHoursToClose, overdue: hasBegun ? overdue : null };
      }),
      byStatus: groupingOf(groups, 'status'),
      byPriority: groupingOf(groups, 'priority'),
      byAssignee: groupingOf(groups, 'assignee'),
    };
  }

  async tours(caller: Principal, query: SeriesQueryDto): Promise<TourAnalyticsDto> {
    const scope = await this.scopes.getScope(caller, query);
    const { days, bounds, ...range } = await this.scopes.getSeries(scope.workspaceId, query, new Date());
    const [tours, stagings] = await Promise.all([
      this.tourStatistics.series(scope, bounds),
      this.stagingStatistics.series(scope, bounds),
    ]);
    const figures = tours.map((each, at) => ({ ...each, ...stagings[at]! }));
    const sum = (of: keyof TourTotalsDto) => sumOf(figures.map((each) => each[of]));
    return {
      workspaceId: scope.workspaceId,
      ...range,
      totals: {
        toursCreated: sum('toursCreated'),
        toursPublished: sum('toursPublished'),
        tagsCreated: sum('tagsCreated'),
        stagingsCreated: sum('stagingsCreated'),
        stagingsSucceeded: sum('stagingsSucceeded'),
        stagingsFailed: sum('stagingsFailed'),
      },
      buckets: bucketsOf({ days, bounds }).map((bucket, at) => ({ ...bucket, ...figures[at]! })),
    };
  }

  async tables(caller: Principal, query: WorkspaceQueryDto): Promise<TableAnalyticsDto> {
    const workspaceId = chosenWorkspace(caller, query.workspaceId);
    const tables = await this.tableStatistics.tables(workspaceId);
    const totals = {
      tables: tables.length,
      rows: sumOf(tables.map(({ rows }) => rows)),
      unresolvedLinks: sumOf(tables.flatMap(({ links }) => links.map(({ unresolved }) => unresolved))),
    };
    return { workspaceId, totals, tables };
  }
}

function bucketsOf({ days, bounds }: Pick<Series, 'days' | 'bounds'>) {
  return days.map((day, at) => ({ day, start: bounds[at]!, end: bounds[at + 1]! }));
}

function groupingOf(all: readonly NoteGroup[], grouping: NoteGrouping): NoteGroupingDto {
  const sorted = all
    .filter(({ by }) => by === grouping)
    .map(({ value, opened, closed, overdue }) => ({ value, opened, closed, overdue }))
    .toSorted((a, b) => sizeOf(b) - sizeOf(a) || ((a.value ?? '') < (b.value ?? '') ? -1 : 1));
  const rest = sorted.slice(MAX_GROUPS);
  const sum = (of: 'opened' | 'closed' | 'overdue') => sumOf(rest.map((each) => each[of]));
  const others = { groups: rest.length, opened: sum('opened'), closed: sum('closed'), overdue: sum('overdue') };
  return { groups: sorted.slice(0, MAX_GROUPS), others: rest.length > 0 ? others : null };
}

function sizeOf({ opened, closed, overdue }: Pick<NoteGroup, 'opened' | 'closed' | 'overdue'>): number {
  return opened + closed + overdue;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** To a hundredth of an hour. */
function mean(hours: number, count: number): number | null {
  return count === 0 ? null : Math.round((hours / count) * 100) / 100;
}
