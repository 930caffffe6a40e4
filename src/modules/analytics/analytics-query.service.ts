import { Injectable } from '@nestjs/common';
import { InvalidRequestError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { Principal } from '../../platform/security/principal.js';
import { resolveTargetWorkspace } from '../../platform/security/workspace-access.js';
import type { RecordFilter } from '../../records/record-filter.js';
import type { RowKeys } from '../../records/row-references.js';
import { RowReferencesService } from '../workspace-tables/query/row-references.service.js';
import { ProjectsService } from '../projects/projects.service.js';
import { UnknownRowError, UnknownTableError } from '../../../packages/tables/src/catalog/tables.errors.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import {
  canonicalizeTimezone,
  createClock,
  findDay,
  addDays,
  splitIntoBuckets,
  type Granularity,
  MAX_BUCKETS,
  findStartOfDay,
} from './calendar.js';
import type { FilterQueryDto, SeriesQueryDto } from './dto/analytics-query.dto.js';

/** Length of a range without `from`. */
const DEFAULT_DAYS = 30;

/** A range of days, split into buckets. */
export interface Series {
  timezone: string;
  granularity: Granularity;
  from: string;
  to: string;
  /** The first day of each bucket. */
  days: string[];
  /** The start of each bucket and the end of the last one. */
  bounds: Date[];
}

/** Resolves the records and days that a query names. */
@Injectable()
export class AnalyticsQueryService {
  constructor(
    private readonly projects: ProjectsService,
    private readonly rows: RowReferencesService,
    private readonly workspaces: WorkspacesService,
  ) {}

  /**
   * @throws {InvalidRequestError | NotFoundError | UnknownRowError} if the workspace, project or location is unknown.
   */
  async getFilter(caller: Principal, query: FilterQueryDto): Promise<RecordFilter> {
    const { projectId, location, locationKey } = query;
    const workspaceId = resolveTargetWorkspace(caller, query.workspaceId);
    if (projectId !== undefined && !(await this.projects.find(workspaceId, projectId)))
      throw new NotFoundError('The project');
    const filter = { workspaceId, ...(projectId === undefined ? {} : { equal: { projectId } }) };
    if (location !== undefined)
      return { ...filter, locations: [await this.getSubtree(workspaceId, location, locationKey)] };
    if (locationKey === undefined) return filter;
    throw new UnknownRowError('locationKey', 'required', 'locationKey requires location. Send both.');
  }

  /** @throws {InvalidRequestError} if the range is empty or has too many buckets. */
  async getSeries(workspaceId: string, query: SeriesQueryDto, now: Date): Promise<Series> {
    const { granularity = 'day' } = query;
    const timezone = canonicalizeTimezone(query.timezone ?? (await this.workspaces.get(workspaceId)).timezone);
    const clock = createClock(timezone);
    const to = query.to ?? addDays(findDay(now.getTime(), clock), 1);
    const from = query.from ?? addDays(to, -DEFAULT_DAYS);
    if (from >= to) throw invalidRange('empty_range', `to is ${to}, but must be after from, which is ${from}.`);
    const buckets = splitIntoBuckets(from, to, granularity);
    if (!buckets) {
      const limit = MAX_BUCKETS.toLocaleString('en');
      const message = `The range from ${from} to ${to} exceeds the limit of ${limit} buckets of one ${granularity}. Use a shorter range or a coarser granularity.`;
      throw invalidRange('too_many_buckets', message);
    }
    const bounds = buckets.map((day) => findStartOfDay(day, clock));
    return { timezone, granularity, from, to, days: buckets.slice(0, -1), bounds };
  }

  /** The location and all rows below it. */
  private async getSubtree(workspaceId: string, location: string, locationKey: string | undefined): Promise<RowKeys[]> {
    const found = await this.rows.findSubtree(workspaceId, location, locationKey).catch((error: unknown) => {
      if (error instanceof UnknownTableError) throw new UnknownRowError('locationKey', 'unknown_table', error.message);
      throw error;
    });
    // Figures of an unknown location must not be 0, which means that it has no records.
    if (found.length === 0)
      throw new UnknownRowError(
        'location',
        'not_found',
        `There is no location with the key "${location}". Check the key.`,
      );
    return found;
  }
}

function invalidRange(code: 'empty_range' | 'too_many_buckets', message: string): InvalidRequestError {
  return new InvalidRequestError([{ field: 'to', code, message }], message);
}
