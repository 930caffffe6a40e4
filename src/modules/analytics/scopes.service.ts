import { Injectable } from '@nestjs/common';
import { InvalidRequestError, NotFoundError } from '../../platform/http/domain-error.js';
import type { RecordScope } from '../../records/record-scope.js';
import type { Principal } from '../../platform/security/principal.js';
import { chosenWorkspace } from '../../platform/security/workspace-access.js';
import { ProjectsService } from '../projects/projects.service.js';
import { RowLookupService } from '../workspace-tables/query/row-lookup.service.js';
import { UnknownRowError, UnknownTableError } from '../workspace-tables/workspace-tables.errors.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import {
  canonicalTimezone,
  clockOf,
  dayAt,
  daysAfter,
  findBuckets,
  type Granularity,
  MAX_BUCKETS,
  startOf,
} from './calendar.js';
import type { ScopeQueryDto, SeriesQueryDto } from './dto/analytics-query.dto.js';

/** Days that are counted where nobody says how many. */
const DEFAULT_DAYS = 30;

/** A range of days, cut into buckets. */
export interface Series {
  timezone: string;
  granularity: Granularity;
  from: string;
  to: string;
  /** The first day of each bucket. */
  days: string[];
  /** When each begins, and when the last one ends. */
  bounds: Date[];
}

/** What callers ask figures of, and for which days. */
@Injectable()
export class ScopesService {
  constructor(
    private readonly projects: ProjectsService,
    private readonly rows: RowLookupService,
    private readonly workspaces: WorkspacesService,
  ) {}

  /** @throws {InvalidRequestError | NotFoundError | UnknownRowError} where it is not there, or not the caller's. */
  async getScope(caller: Principal, { workspaceId: asked, projectId, ...place }: ScopeQueryDto): Promise<RecordScope> {
    const workspaceId = chosenWorkspace(caller, asked);
    if (projectId !== undefined && !(await this.projects.find([workspaceId], projectId)))
      throw new NotFoundError('The project');
    return { workspaceId, projectId, locations: await this.locations(workspaceId, place) };
  }

  /** @throws {InvalidRequestError} where the range ends before it begins, or has too many buckets. */
  async getSeries(workspaceId: string, query: SeriesQueryDto, now: Date): Promise<Series> {
    const { granularity = 'day' } = query;
    const timezone = canonicalTimezone(query.timezone ?? (await this.workspaces.get(workspaceId)).timezone);
    const clock = clockOf(timezone);
    const to = query.to ?? daysAfter(dayAt(now.getTime(), clock), 1);
    const from = query.from ?? daysAfter(to, -DEFAULT_DAYS);
    if (from >= to) throw invalidRange('empty_range', `to must be after from, which is ${from}; it is ${to}.`);
    const buckets = findBuckets(from, to, granularity);
    if (!buckets) {
      const limit = MAX_BUCKETS.toLocaleString('en');
      const message = `From ${from} to ${to} there are more than ${limit} buckets of a ${granularity}, which is the limit; take a shorter range or a coarser granularity.`;
      throw invalidRange('too_many_buckets', message);
    }
    const bounds = buckets.map((day) => startOf(day, clock));
    return { timezone, granularity, from, to, days: buckets.slice(0, -1), bounds };
  }

  private async locations(
    workspaceId: string,
    { location, locationKey }: Pick<ScopeQueryDto, 'location' | 'locationKey'>,
  ): Promise<RecordScope['locations']> {
    if (location === undefined) {
      if (locationKey === undefined) return undefined;
      throw new UnknownRowError('locationKey', 'required', 'locationKey is used with location.');
    }
    const found = await this.rows.findSubtree(workspaceId, location, locationKey).catch((error: unknown) => {
      if (error instanceof UnknownTableError) throw new UnknownRowError('locationKey', error.code, error.message);
      throw error;
    });
    // Zeros would say that nothing happened there.
    if (found.length === 0)
      throw new UnknownRowError('location', 'not_found', `There is no location with the key "${location}".`);
    return found;
  }
}

function invalidRange(code: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ field: 'to', code, message }], message);
}
