import type { Database } from '../platform/database/database.js';
import type { ArchivableRecord } from './archivable-record.js';
import { buildFilterCondition, type RecordFilter } from './record-filter.js';

type RecordEntity = new () => ArchivableRecord;

/** One count of a series: the records whose timestamp is in a bucket. */
export interface CountedEvent {
  entity: RecordEntity;
  /** Property with the timestamp. */
  time: string;
  filter: RecordFilter;
}

/**
 * Counts events per bucket, without archived records.
 *
 * @param bounds ascending; a bucket begins at one bound (inclusive) and ends at the next (exclusive).
 */
export async function countEvents<Name extends string>(
  database: Database,
  events: Record<Name, CountedEvent>,
  bounds: readonly Date[],
): Promise<Record<Name, number>[]> {
  const names = Object.keys(events) as Name[];
  const parameters: unknown[] = [bounds, bounds[0], bounds.at(-1)];
  const sources = names.map((name) => {
    const { entity, time, filter } = events[name];
    const { metadata } = database.repository(entity);
    const { databaseName } = metadata.findColumnWithPropertyName(time)!;
    const condition = buildFilterCondition(database, entity, filter, parameters);
    return `SELECT '${name}' AS name, ${databaseName} AS time FROM ${metadata.tableName}
             WHERE ${condition} AND archived_at IS NULL`;
  });
  const rows = await database.query<{ name: Name; bucket: number; count: number }>(
    `SELECT name, width_bucket(time, $1::timestamptz[]) AS bucket, count(*)::integer AS count
       FROM (${sources.join(' UNION ALL ')}) AS event
      WHERE time >= $2::timestamptz AND time < $3::timestamptz
      GROUP BY name, bucket`,
    parameters,
  );
  const counts = new Map(rows.map(({ name, bucket, count }) => [`${name} ${bucket}`, count]));
  return bounds.slice(1).map((_, index) => {
    // width_bucket counts from 1.
    const entries = names.map((name) => [name, counts.get(`${name} ${index + 1}`) ?? 0]);
    return Object.fromEntries(entries) as Record<Name, number>;
  });
}

/** Counts the records: in use (`total`), archived, and in use by status. */
export async function countByStatus<Status extends string = never>(
  database: Database,
  entity: RecordEntity,
  filter: RecordFilter,
  statuses: readonly Status[] = [],
): Promise<Record<Status | 'total' | 'archived', number>> {
  const parameters: unknown[] = [];
  const condition = buildFilterCondition(database, entity, filter, parameters);
  const inStatus = statuses.map(
    (status) => `, count(*) FILTER (WHERE archived_at IS NULL AND status = '${status}')::integer AS ${status}`,
  );
  const [counts] = await database.query<Record<Status | 'total' | 'archived', number>>(
    `SELECT count(*) FILTER (WHERE archived_at IS NULL)::integer AS total,
            count(*) FILTER (WHERE archived_at IS NOT NULL)::integer AS archived${inStatus.join('')}
       FROM ${database.repository(entity).metadata.tableName} WHERE ${condition}`,
    parameters,
  );
  return counts!;
}
