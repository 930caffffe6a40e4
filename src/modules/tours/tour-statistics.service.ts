import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { conditionsOf, type RecordScope } from '../../records/record-scope.js';
import { figuresOf } from '../../records/record-series.js';
import { TOUR_STAGES, type TourStage } from './tour.entity.js';

/** What happened between two bounds, the first of them in it. */
export interface TourFigures {
  toursCreated: number;
  toursPublished: number;
  tagsCreated: number;
}

export interface TourCounts {
  tours: Record<TourStage | 'total' | 'archived', number>;
  tags: { total: number; archived: number };
}

/** Counts tours and tags as they are now. At a location are its tags, and the tours that have one of them. */
@Injectable()
export class TourStatisticsService {
  constructor(private readonly database: Database) {}

  /** The figures between each two neighbours of the bounds, which ascend; without what is archived. */
  async series(scope: RecordScope, bounds: readonly Date[]): Promise<TourFigures[]> {
    const { tours, tags, parameters } = tourConditionsOf(scope);
    const at = `$${parameters.push(bounds)}::timestamptz[]`;
    const range = `$${parameters.push(bounds[0])}::timestamptz AND step.at < $${parameters.push(bounds.at(-1))}::timestamptz`;
    const rows = await this.database.query<TourFigures & { bucket: number }>(
      `SELECT width_bucket(step.at, ${at}) AS bucket, count(*) FILTER (WHERE what = 'created')::integer AS "toursCreated",
              count(*) FILTER (WHERE what = 'published')::integer AS "toursPublished",
              count(*) FILTER (WHERE what = 'tag')::integer AS "tagsCreated"
         FROM (
           SELECT 'created' AS what, created_at AS at FROM tours WHERE ${tours} AND archived_at IS NULL
           UNION ALL
           SELECT 'published', published_at FROM tours WHERE ${tours} AND archived_at IS NULL
           UNION ALL
           SELECT 'tag', created_at FROM tags WHERE ${tags} AND archived_at IS NULL
         ) AS step
        WHERE step.at >= ${range}
        GROUP BY bucket`,
      parameters,
    );
    return figuresOf(rows, bounds, { toursCreated: 0, toursPublished: 0, tagsCreated: 0 });
  }

  /** How many there are now. */
  async counts(scope: RecordScope): Promise<TourCounts> {
    const { tours, tags, parameters } = tourConditionsOf(scope);
    const inStage = (stage: string) =>
      `'${stage}', count(*) FILTER (WHERE archived_at IS NULL AND status = '${stage}')::integer`;
    const both = `'total', count(*) FILTER (WHERE archived_at IS NULL)::integer,
                  'archived', count(*) FILTER (WHERE archived_at IS NOT NULL)::integer`;
    const [counts] = await this.database.query<TourCounts>(
      `SELECT (SELECT json_build_object(${both}, ${TOUR_STAGES.map(inStage).join(', ')})
                 FROM tours WHERE ${tours}) AS tours,
              (SELECT json_build_object(${both}) FROM tags WHERE ${tags}) AS tags`,
      parameters,
    );
    return counts!;
  }
}

/** A scope as parts of WHERE clauses, for tours and for what has a place of its own or a tour's. */
export interface TourConditions {
  /** For the tours themselves: at a location are those that have a tag there. */
  tours: string;
  /** For tags, which have places of their own. */
  tags: string;
  /** For other records of a tour, by their `tour_id`. */
  ofTours: string;
  /** The statement's own parameters come behind these. */
  parameters: unknown[];
}

export function tourConditionsOf(scope: RecordScope): TourConditions {
  const { own, placed, parameters } = conditionsOf(scope);
  const tagged = (column: string) =>
    scope.locations
      ? `${own} AND ${column} IN (SELECT tour_id FROM tags WHERE ${placed} AND archived_at IS NULL)`
      : own;
  return { tours: tagged('id'), tags: placed, ofTours: tagged('tour_id'), parameters };
}
