import { Injectable } from '@nestjs/common';
import { awaitCommits } from '../../../platform/database/commits.js';
import { Database, PLAN_EACH_TIME } from '../../../platform/database/database.js';
import { readPage, type RowPage } from '../../../platform/database/page-reader.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { physicalKeyName, physicalTableName, tombstonesName } from '../catalog/physical-table.js';
import { rowToJson, type RowValues } from '../catalog/row-sql.js';
import { Parameters } from './bindings.js';

/** A row that was written or deleted. */
export interface ChangedRow {
  revision: number;
  key: string;
  deleted: boolean;
  /** Null if it was deleted. */
  item: RowValues | null;
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
  ): Promise<RowPage<ChangedRow>> {
    // Otherwise a caller that continues at the revision of the table could miss a change.
    await awaitCommits(this.database, table.workspaceId);
    const parameters = new Parameters();
    const first = parameters.bind(after?.number ?? since);
    const lastKey = after && parameters.bind(after.key);
    const list = (select: string, revision: string, key: string, from: string) =>
      `(SELECT ${revision}::float8 AS revision, ${key} AS key, ${select} FROM ${from}
         WHERE ${lastKey ? `(${revision}, ${key}) > (${first}, ${lastKey})` : `${revision} > ${first}`}
         ORDER BY ${revision}, ${key} LIMIT ${limit + 1})`;
    const rows = list(
      `false AS deleted, ${rowToJson(table)} AS item`,
      't._revision',
      `t.${physicalKeyName(table)}`,
      `${physicalTableName(table)} t`,
    );
    const tombstones = list('true, NULL', 'd.revision', 'd.key', `${tombstonesName(table)} d`);
    // Rows that were written since the table was read are last in this order. The bound of both sides in one condition
    // would make PostgreSQL expect few rows, and sort all of them.
    const sql = `SELECT * FROM (${rows} UNION ALL ${tombstones}) changed
                  WHERE revision <= ${parameters.bind(table.revision)} ORDER BY revision, key`;
    const statement = { sql, parameters: parameters.values, sized: ['item'] };
    return readPage<ChangedRow>(this.database, statement, limit, PLAN_EACH_TIME);
  }
}
