import type { Database } from '../platform/database/database.js';
import type { KeptRecord } from './kept-record.js';

/** Counts something that belongs to records, such as the tours of projects. */
export abstract class RecordCounter {
  /** @returns how many each has; a record that has none may be missing. */
  abstract count(
    workspaceIds: readonly string[],
    ids: readonly KeptRecord['id'][],
  ): Promise<Map<KeptRecord['id'], number>>;
}

/** What belongs to the records of one kind. Modules above know how many there are, and register. */
export class RecordCounters {
  private readonly counters = new Map<string, RecordCounter>();

  /** @param name of what is counted, as callers read it. */
  register(name: string, counter: RecordCounter): void {
    this.counters.set(name, counter);
  }

  /** The records with their counts, in one statement a counter for all of them. */
  async addTo<T extends Pick<KeptRecord, 'workspaceId' | 'id'>, Counts>(
    records: readonly T[],
  ): Promise<(T & { counts: Counts })[]> {
    if (records.length === 0) return [];
    const workspaceIds = [...new Set(records.map(({ workspaceId }) => workspaceId))];
    const ids = records.map(({ id }) => id);
    const counted: [string, Map<KeptRecord['id'], number>][] = [];
    for (const [name, counter] of this.counters) counted.push([name, await counter.count(workspaceIds, ids)]);
    return records.map((record) => {
      const counts = Object.fromEntries(counted.map(([name, of]) => [name, of.get(record.id) ?? 0]));
      return { ...record, counts: counts as Counts };
    });
  }
}

interface Counted {
  workspaceId: string;
  archivedAt: Date | null;
}

/**
 * Counts an entity's records, without those that are put away, by the column that names what they belong to.
 *
 * @param also a condition on `record` that must hold as well.
 */
export function countRows<T extends Counted>(
  database: Database,
  entity: new () => T,
  column: keyof T & string,
  also = 'TRUE',
): RecordCounter {
  return {
    async count(workspaceIds, ids) {
      const counted = await database.manager
        .createQueryBuilder(entity, 'record')
        .select(`record.${column}`, 'id')
        .addSelect('count(*)::integer', 'count')
        .where(`record.workspaceId = ANY (:workspaceIds) AND record.${column} = ANY (:ids)`, { workspaceIds, ids })
        .andWhere(`record.archivedAt IS NULL AND ${also}`)
        .groupBy(`record.${column}`)
        .getRawMany<{ id: KeptRecord['id']; count: number }>();
      return new Map(counted.map(({ id, count }) => [id, count]));
    },
  };
}
