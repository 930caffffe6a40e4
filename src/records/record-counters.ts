import type { Database } from '../platform/database/database.js';
import type { ArchivableRecord } from './archivable-record.js';

type RecordId = ArchivableRecord['id'];

/** Counts the children of records, such as the tours of projects. */
export abstract class RecordCounter {
  /** @returns the count per ID; a missing ID means 0. */
  abstract count(workspaceIds: readonly string[], ids: readonly RecordId[]): Promise<Map<RecordId, number>>;
}

/** The counters of one kind of record. Higher modules register theirs. */
export class RecordCounters {
  private readonly counters = new Map<string, RecordCounter>();

  /** @param name field of `counts` in responses. */
  register(name: string, counter: RecordCounter): void {
    this.counters.set(name, counter);
  }

  /** The records with their counts, in one statement per counter. */
  async addCounts<T extends Pick<ArchivableRecord, 'workspaceId' | 'id'>, Counts>(
    records: readonly T[],
  ): Promise<(T & { counts: Counts })[]> {
    if (records.length === 0) return [];
    const workspaceIds = [...new Set(records.map(({ workspaceId }) => workspaceId))];
    const ids = records.map(({ id }) => id);
    const counted: [string, Map<RecordId, number>][] = [];
    for (const [name, counter] of this.counters) counted.push([name, await counter.count(workspaceIds, ids)]);
    return records.map((record) => {
      const counts = Object.fromEntries(counted.map(([name, byId]) => [name, byId.get(record.id) ?? 0]));
      return { ...record, counts: counts as Counts };
    });
  }
}

/**
 * A counter of the entity's records that are not archived.
 *
 * @param column property that contains the ID of the parent.
 * @param condition additional condition on the alias `record`.
 */
export function createRecordCounter<T extends { workspaceId: string; archivedAt: Date | null }>(
  database: Database,
  entity: new () => T,
  column: keyof T & string,
  condition = 'TRUE',
): RecordCounter {
  return {
    async count(workspaceIds, ids) {
      const counted = await database
        .repository(entity)
        .createQueryBuilder('record')
        .select(`record.${column}`, 'id')
        .addSelect('count(*)::integer', 'count')
        .where(`record.workspaceId = ANY (:workspaceIds) AND record.${column} = ANY (:ids)`, { workspaceIds, ids })
        .andWhere(`record.archivedAt IS NULL AND ${condition}`)
        .groupBy(`record.${column}`)
        .getRawMany<{ id: RecordId; count: number }>();
      return new Map(counted.map(({ id, count }) => [id, count]));
    },
  };
}
