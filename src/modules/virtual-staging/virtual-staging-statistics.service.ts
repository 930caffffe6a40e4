import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { RecordScope } from '../../records/record-scope.js';
import { figuresOf } from '../../records/record-series.js';
import { tourConditionsOf } from '../tours/tour-statistics.service.js';
import { VIRTUAL_STAGING_STATUSES, type VirtualStagingStatus } from './virtual-staging.entity.js';

/** What happened between two bounds, the first of them in it. */
export interface StagingFigures {
  stagingsCreated: number;
  stagingsSucceeded: number;
  stagingsFailed: number;
}

export type StagingCounts = Record<VirtualStagingStatus | 'total' | 'archived', number>;

/** Counts stagings as they are now. At a location are those of the tours that have a tag there. */
@Injectable()
export class VirtualStagingStatisticsService {
  constructor(private readonly database: Database) {}

  /** The figures between each two neighbours of the bounds, which ascend; without what is archived. */
  async series(scope: RecordScope, bounds: readonly Date[]): Promise<StagingFigures[]> {
    const { ofTours, parameters } = tourConditionsOf(scope);
    const at = `$${parameters.push(bounds)}::timestamptz[]`;
    const range = `$${parameters.push(bounds[0])}::timestamptz AND step.at < $${parameters.push(bounds.at(-1))}::timestamptz`;
    const rows = await this.database.query<StagingFigures & { bucket: number }>(
      `SELECT width_bucket(step.at, ${at}) AS bucket, count(*) FILTER (WHERE what = 'created')::integer AS "stagingsCreated",
              count(*) FILTER (WHERE what = 'succeeded')::integer AS "stagingsSucceeded",
              count(*) FILTER (WHERE what = 'failed')::integer AS "stagingsFailed"
         FROM (
           SELECT 'created' AS what, created_at AS at FROM stagings WHERE ${ofTours} AND archived_at IS NULL
           UNION ALL
           SELECT status, completed_at FROM stagings WHERE ${ofTours} AND archived_at IS NULL
         ) AS step
        WHERE step.at >= ${range}
        GROUP BY bucket`,
      parameters,
    );
    return figuresOf(rows, bounds, { stagingsCreated: 0, stagingsSucceeded: 0, stagingsFailed: 0 });
  }

  /** How many there are now. */
  async counts(scope: RecordScope): Promise<StagingCounts> {
    const { ofTours, parameters } = tourConditionsOf(scope);
    const inStatus = VIRTUAL_STAGING_STATUSES.map(
      (status) => `count(*) FILTER (WHERE archived_at IS NULL AND status = '${status}')::integer AS ${status}`,
    );
    const [counts] = await this.database.query<StagingCounts>(
      `SELECT count(*) FILTER (WHERE archived_at IS NULL)::integer AS total, ${inStatus.join(', ')},
              count(*) FILTER (WHERE archived_at IS NOT NULL)::integer AS archived
         FROM stagings WHERE ${ofTours}`,
      parameters,
    );
    return counts!;
  }
}
