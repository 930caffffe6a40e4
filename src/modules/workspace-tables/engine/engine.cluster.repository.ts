import { Injectable } from '@nestjs/common';
import { physicalKeyName } from '../catalog/physical-table.js';
import type { TableMerge } from '../sources/relation.js';
import { countDifferent, IS_CREATED, type MergeTarget, storeDifferent, upsertDifferent } from './merge-sql.js';
import { Upserts, type WrittenRows } from './upserts.repository.js';

/*
 * What the engine does differently on a cluster, whose nodes execute no common table expression that writes, and no
 * statement on fixed tables together with the tables of a workspace (ADR 0074).
 */

/** Stores the former rows, or counts the different rows, by one statement, and upserts by another. */
@Injectable()
export class ClusterUpserts extends Upserts {
  override readonly maxTables = 1;

  override async write([merge]: [TableMerge], target: MergeTarget, withKeys: boolean): Promise<WrittenRows[]> {
    const updated = await this.storeDifferent(merge, target);
    const sql = upsertDifferent(merge, target.time);
    const { parameters } = merge.relation;
    if (withKeys) return [await this.upsertWithKeys(merge, sql)];
    const written = await this.database.affected(sql, parameters);
    return [{ created: written - updated, updated, createdKeys: null, updatedKeys: null }];
  }

  /** @returns the number of rows that will be updated. */
  private async storeDifferent(merge: TableMerge, { storesFormer }: MergeTarget): Promise<number> {
    const { parameters } = merge.relation;
    if (storesFormer(merge.table)) return this.database.affected(storeDifferent(merge), parameters);
    const [found] = await this.database.query<{ count: number }>(countDifferent(merge), parameters);
    return found!.count;
  }

  private async upsertWithKeys({ table, relation }: TableMerge, sql: string): Promise<WrittenRows> {
    const rows = await this.database.query<{ key: string; created: boolean }>(
      `${sql} RETURNING w.${physicalKeyName(table)} AS key, ${IS_CREATED} AS created`,
      relation.parameters,
    );
    const keysOf = (created: boolean) => rows.flatMap((row) => (row.created === created ? row.key : []));
    const [createdKeys, updatedKeys] = [keysOf(true), keysOf(false)];
    return { created: createdKeys.length, updated: updatedKeys.length, createdKeys, updatedKeys };
  }
}
