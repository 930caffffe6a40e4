import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import type { ArchivableRecord } from './archivable-record.js';

type RecordId = ArchivableRecord['id'];

/** The records whose responses contain `counts` of other records. */
export type CountingRecord = 'workspace' | 'project' | 'tour';

/** @returns the count per ID; a missing ID means 0. */
type Counter = (workspaceIds: readonly string[], ids: readonly RecordId[]) => Promise<Map<RecordId, number>>;

/** Selects the records of a workspace that exist for the caller. */
export interface CountRestriction {
  /** SQL: a condition on the alias `record`. */
  condition: string;
  /** The parameters of the condition; their names are those of no other workspace. */
  parameters: Record<string, unknown>;
}

interface EntityCount {
  /** SQL: a condition on the alias `record`. */
  condition?: string;
  /** @returns undefined if all records of the workspace exist for the caller. */
  restrict?: (workspaceId: string) => Promise<CountRestriction | undefined>;
}

/** The `counts` in responses, such as the tours of a project. Each module registers the counters of its own records. */
@Injectable()
export class RecordCounters {
  private readonly counters = new Map<CountingRecord, Map<string, Counter>>();

  constructor(private readonly database: Database) {}

  /** @param name field of `counts` in responses. */
  register(kind: CountingRecord, name: string, counter: Counter): void {
    this.counters.set(kind, (this.counters.get(kind) ?? new Map<string, Counter>()).set(name, counter));
  }

  /**
   * Registers a counter of the entity's records that are not archived. The entity has the ID of the counting record in
   * the property `workspaceId`, `projectId` or `tourId`.
   *
   * @param name field of `counts` in responses.
   */
  registerEntity<T extends { workspaceId: string; archivedAt: Date | null }>(
    kind: CountingRecord,
    name: string,
    entity: new () => T,
    { condition = 'TRUE', restrict }: EntityCount = {},
  ): void {
    const parent = `record.${kind}Id`;
    this.register(kind, name, async (workspaceIds, ids) => {
      const query = this.database
        .repository(entity)
        .createQueryBuilder('record')
        .select(parent, 'id')
        .addSelect('count(*)::integer', 'count')
        .where(`record.workspaceId = ANY (:workspaceIds) AND ${parent} = ANY (:ids)`, { workspaceIds, ids })
        .andWhere(`record.archivedAt IS NULL AND ${condition}`)
        .groupBy(parent);
      for (const workspaceId of restrict ? workspaceIds : []) {
        const restriction = await restrict!(workspaceId);
        if (!restriction) continue;
        const other = `otherThan${query.expressionMap.wheres.length}`;
        query
          .andWhere(`(record.workspaceId <> :${other} OR ${restriction.condition})`, { [other]: workspaceId })
          .setParameters(restriction.parameters);
      }
      const counted = await query.getRawMany<{ id: RecordId; count: number }>();
      return new Map(counted.map(({ id, count }) => [id, count]));
    });
  }

  /**
   * The records with their counts, in one statement per counter.
   *
   * @param isNew nothing refers to the records yet: all counts are 0, without a statement.
   */
  async addCounts<T extends Pick<ArchivableRecord, 'workspaceId' | 'id'>, Counts>(
    kind: CountingRecord,
    records: readonly T[],
    isNew = false,
  ): Promise<(T & { counts: Counts })[]> {
    if (records.length === 0) return [];
    const workspaceIds = [...new Set(records.map(({ workspaceId }) => workspaceId))];
    const ids = records.map(({ id }) => id);
    const counted: [string, Map<RecordId, number>][] = [];
    for (const [name, count] of this.counters.get(kind) ?? [])
      counted.push([name, isNew ? new Map<RecordId, number>() : await count(workspaceIds, ids)]);
    return records.map((record) => {
      const counts = Object.fromEntries(counted.map(([name, byId]) => [name, byId.get(record.id) ?? 0]));
      return { ...record, counts: counts as Counts };
    });
  }
}
