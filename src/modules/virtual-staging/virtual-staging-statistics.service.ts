import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { RecordFilter } from '../../records/record-filter.js';
import { countByStatus, countEvents } from '../../records/record-statistics.repository.js';
import { TourStatisticsService } from '../tours/tour-statistics.service.js';
import { VIRTUAL_STAGING_STATUSES, VirtualStaging, type VirtualStagingStatus } from './virtual-staging.entity.js';

/** The events of one bucket. */
export type VirtualStagingFigures = Record<'stagingsCreated' | 'stagingsSucceeded' | 'stagingsFailed', number>;

export type VirtualStagingCounts = Record<VirtualStagingStatus | 'total' | 'archived', number>;

/** Counts virtual stagings. A location contains those of the tours with a tag there. */
@Injectable()
export class VirtualStagingStatisticsService {
  constructor(
    private readonly database: Database,
    private readonly tourStatistics: TourStatisticsService,
  ) {}

  /** The events per bucket, without archived records. @param bounds the ascending bounds of the buckets. */
  countEvents(filter: RecordFilter, bounds: readonly Date[]): Promise<VirtualStagingFigures[]> {
    const byTour = this.tourStatistics.buildTourFilter(filter, 'tourId');
    const finished = (status: VirtualStagingStatus) => ({
      entity: VirtualStaging,
      time: 'completedAt',
      filter: { ...byTour, equal: { ...byTour.equal, status } },
    });
    const events = {
      stagingsCreated: { entity: VirtualStaging, time: 'createdAt', filter: byTour },
      stagingsSucceeded: finished('succeeded'),
      stagingsFailed: finished('failed'),
    };
    return countEvents(this.database, events, bounds);
  }

  countCurrent(filter: RecordFilter): Promise<VirtualStagingCounts> {
    const byTour = this.tourStatistics.buildTourFilter(filter, 'tourId');
    return countByStatus(this.database, VirtualStaging, byTour, VIRTUAL_STAGING_STATUSES);
  }
}
