import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { RecordFilter } from '../../records/record-filter.js';
import { countByStatus, countEvents } from '../../records/record-statistics.repository.js';
import { Tag } from './tag.entity.js';
import { Tour, TOUR_STAGES, type TourStage } from './tour.entity.js';

/** The events of one bucket. */
export type TourFigures = Record<'toursCreated' | 'toursPublished' | 'tagsCreated', number>;

export interface TourCounts {
  tours: Record<TourStage | 'total' | 'archived', number>;
  tags: Record<'total' | 'archived', number>;
}

/** Counts tours and tags. A location contains its tags and the tours with such a tag. */
@Injectable()
export class TourStatisticsService {
  constructor(private readonly database: Database) {}

  /** The events per bucket, without archived records. @param bounds the ascending bounds of the buckets. */
  countEvents(filter: RecordFilter, bounds: readonly Date[]): Promise<TourFigures[]> {
    const tourFilter = this.buildTourFilter(filter, 'id');
    const events = {
      toursCreated: { entity: Tour, time: 'createdAt', filter: tourFilter },
      toursPublished: { entity: Tour, time: 'publishedAt', filter: tourFilter },
      tagsCreated: { entity: Tag, time: 'createdAt', filter },
    };
    return countEvents(this.database, events, bounds);
  }

  async countCurrent(filter: RecordFilter): Promise<TourCounts> {
    const [tours, tags] = await Promise.all([
      countByStatus(this.database, Tour, this.buildTourFilter(filter, 'id'), TOUR_STAGES),
      countByStatus(this.database, Tag, filter),
    ]);
    return { tours, tags };
  }

  /**
   * The filter for records that have no location of their own: accepts those whose tour has a tag at the location.
   *
   * @param property contains the ID of the tour.
   */
  buildTourFilter({ locations, ...filter }: RecordFilter, property: 'id' | 'tourId'): RecordFilter {
    if (!locations) return filter;
    const atLocations = { ...filter, locations };
    return { ...filter, referencedBy: { property, entity: Tag, reference: 'tourId', filter: atLocations } };
  }
}
