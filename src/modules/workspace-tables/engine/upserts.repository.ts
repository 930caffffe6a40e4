import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type TableMerge } from '../sources/relation.js';
import { type MergeTarget, upsertTogether } from './merge-sql.js';

/** The rows that a statement has written. The others were equal. */
export interface WrittenRows {
  created: number;
  updated: number;
  /** The keys of the created rows; null unless requested. */
  createdKeys: readonly string[] | null;
  updatedKeys: readonly string[] | null;
}

/**
 * Creates the missing rows of distinct tables, updates the different rows, and stores the updated
 * rows as former rows. The caller has the locks of the tables. On a cluster, `ClusterUpserts` is used instead.
 */
@Injectable()
export class Upserts {
  /** Tables of one call. PostgreSQL plans them one after another, so that more would save little. */
  readonly maxTables: number = 25;

  constructor(protected readonly database: Database) {}

  /**
   * @param merges whose parameters are numbered in their order.
   * @param withKeys return the keys of the written rows.
   * @returns the rows of each table, in their order.
   */
  async write(merges: readonly TableMerge[], target: MergeTarget, withKeys: boolean): Promise<WrittenRows[]> {
    const parameters = merges.flatMap(({ relation }) => relation.parameters);
    return this.database.query<WrittenRows>(upsertTogether(merges, target, withKeys), parameters);
  }
}
