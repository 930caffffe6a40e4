import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { quoteLiteral } from '../../../platform/database/sql-literal.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { physicalKeyName } from '../catalog/physical-table.js';
import type { RowChange } from '../history/batch-records.repository.js';
import { RowHistory } from '../catalog/row-history.js';
import { TombstonesRepository } from '../history/tombstones.repository.js';
import type { RowStatus } from '../sources/dto/row-results.dto.js';
import type { MergeRelation, TableMerge } from '../sources/relation.js';
import { insertMissing, type MergeTarget } from './merge-sql.js';
import { Upserts, type WrittenRows } from './upserts.repository.js';
import { chooseStrategy, type WriteStep } from './write-strategies.js';

/** What a merge has written to a table. Rows that were neither created nor updated were equal. */
export interface MergedRows {
  created: number;
  updated: number;
  /** The statuses of the written rows by key, if requested. */
  statuses: Map<string, RowStatus>;
}

export interface MergeOutput {
  change: RowChange;
  withStatuses: boolean;
}

/** A few rows for a table without tombstones. */
export interface SmallMerge {
  table: CatalogTable;
  /** @param first the number of the first parameter. */
  toRelation: (first: number) => MergeRelation;
}

/** Merges rows of a source into physical tables. The caller has the locks of the tables. */
@Injectable()
export class MergeRepository {
  constructor(
    private readonly database: Database,
    private readonly history: RowHistory,
    private readonly tombstones: TombstonesRepository,
    private readonly upserts: Upserts,
  ) {}

  /** Creates missing rows and updates different ones, by the strategy for each relation. */
  async merge(
    table: CatalogTable,
    relations: AsyncIterable<MergeRelation>,
    { change, withStatuses }: MergeOutput,
  ): Promise<MergedRows> {
    const merged = createMergedRows();
    const target = this.createTarget(change);
    for await (const relation of relations) {
      await this.tombstones.remove(table, relation);
      const merge = { table, relation, revision: table.revision + 1 };
      let rows = 0;
      for (const step of chooseStrategy(relation).steps) {
        if (rows === relation.rows) break;
        const written = await this.write(step, merge, target, withStatuses);
        rows += written.created + written.updated;
        add(merged, written);
      }
    }
    return merged;
  }

  /**
   * Upserts a few rows of each of several distinct tables, by fewer statements than tables.
   *
   * @returns the written rows in the order of the tables.
   */
  async mergeSmall(merges: readonly SmallMerge[], { change, withStatuses }: MergeOutput): Promise<MergedRows[]> {
    if (merges.length === 0) return [];
    const target = this.createTarget(change);
    const written: WrittenRows[] = [];
    for (let from = 0; from < merges.length; from += this.upserts.maxTables) {
      let first = 1;
      const part = merges.slice(from, from + this.upserts.maxTables).map(({ table, toRelation }): TableMerge => {
        const relation = toRelation(first);
        first += relation.parameters.length;
        return { table, relation, revision: table.revision + 1 };
      });
      written.push(...(await this.upserts.write(part, target, withStatuses)));
    }
    return merges.map((_, at) => add(createMergedRows(), written[at]!));
  }

  private async write(
    step: WriteStep,
    merge: TableMerge,
    target: MergeTarget,
    withStatuses: boolean,
  ): Promise<WrittenRows> {
    if (step === 'upsert') return (await this.upserts.write([merge], target, withStatuses))[0]!;
    const sql = insertMissing(merge, target.time);
    const { parameters } = merge.relation;
    const none = { updated: 0, updatedKeys: null };
    if (!withStatuses) return { ...none, created: await this.database.affected(sql, parameters), createdKeys: null };
    const returning = `${sql} RETURNING w.${physicalKeyName(merge.table)} AS key`;
    const created = await this.database.query<{ key: string }>(returning, parameters);
    return { ...none, created: created.length, createdKeys: created.map(({ key }) => key) };
  }

  private createTarget(change: RowChange): MergeTarget {
    return {
      storesFormer: (table) => this.history.isStored(table, change),
      time: `${quoteLiteral(change.at)}::timestamptz`,
    };
  }
}

function createMergedRows(): MergedRows {
  return { created: 0, updated: 0, statuses: new Map() };
}

function add(merged: MergedRows, { created, updated, createdKeys, updatedKeys }: WrittenRows): MergedRows {
  merged.created += created;
  merged.updated += updated;
  for (const key of createdKeys ?? []) merged.statuses.set(key, 'created');
  for (const key of updatedKeys ?? []) merged.statuses.set(key, 'updated');
  return merged;
}
