import { Injectable } from '@nestjs/common';
import { awaitCommits } from '../../../platform/database/commits.js';
import { Database } from '../../../platform/database/database.js';
import { PLAN_EACH_TIME } from '../../../platform/database/statement-options.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import { rowToJson, type RowValues } from '../catalog/row-sql.js';
import { Parameters } from './bindings.js';

/** A row that was written or deleted. */
export interface ChangedRow {
  revision: number;
  key: string;
  deleted: boolean;
  item: RowValues;
}

@Injectable()
export class ChangeFeedRepository {
  constructor(private readonly database: Database) {}

  /** Changed rows and tombstones, ordered by revision and key. @param after the last row of the previous page. */
  async list(
    table: CatalogTable,
    since: number,
    after: { number: number; key: string } | undefined,
    limit: number,
  ): Promise<ChangedRow[]> {
    // Otherwise a caller that continues at the revision of the table could miss a change.
    await awaitCommits(this.database, table.workspaceId);
    const parameters = new Parameters();
    const key = `t.${physicalKeyName(table)}`;
    const first = parameters.bind(after?.number ?? since);
    const keyset = after
      ? `(t._revision, ${key}) > (${first}, ${parameters.bind(after.key)})`
      : `t._revision > ${first}`;
    // Rows that were written since the table was read are last in this order. The bound of both sides in one condition would make PostgreSQL
    // expect few rows, and sort all of them.
    return this.database.query<ChangedRow>(
      `SELECT * FROM (
         SELECT t._revision::float8 AS revision, ${key} AS key, t._deleted_at IS NOT NULL AS deleted, ${rowToJson(table)} AS item
           FROM ${physicalTableName(table)} t
          WHERE ${keyset} ORDER BY t._revision, ${key} LIMIT ${limit}) changed
        WHERE revision <= ${parameters.bind(table.revision)} ORDER BY revision, key`,
      parameters.values,
      PLAN_EACH_TIME,
    );
  }
}
