import type { Sql } from '../../../sql/src/sql.js';
import { readPage, type RowPage } from '../../../sql/src/page-reader.js';
import { type CursorPosition, KEY_TYPES, type KeyColumn, Keyset } from '../../../sql/src/keyset.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import { formerRowsName, physicalKeyName, physicalTableName, tombstonesName } from '../catalog/physical-table.js';
import { rowToJson, type RowValues } from '../catalog/row-sql.js';
import { selectTouchedKeys } from '../catalog/row-versions-sql.js';
import { Parameters } from './bindings.js';

/** A row that was written or deleted. */
export interface ChangedRow {
  revision: number;
  key: string;
  deleted: boolean;
  /** Null if it was deleted. */
  item: RowValues | null;
}

const toColumns = (revision: string, key: string): KeyColumn[] => [
  { sql: revision, ...KEY_TYPES.count },
  { sql: key, ...KEY_TYPES.text },
];
export const CHANGE_KEYSET = new Keyset(toColumns('revision', 'key'));
/** Its cursors begin with the revision whose rows all pages return. */
export const MOMENT_KEYSET = new Keyset([KEY_TYPES.count, ...toColumns('revision', 'key')]);

export class ChangeFeedRepository {
  constructor(private readonly sql: Sql) {}

  /** Changed rows and tombstones, ordered by revision and key. @param after the last row of the previous page. */
  async list(
    table: CatalogTable,
    since: number,
    after: CursorPosition | undefined,
    limit: number,
  ): Promise<RowPage<ChangedRow>> {
    // Otherwise a caller that continues at the revision of the table could miss a change.
    await this.sql.awaitCommits(table.workspaceId);
    const parameters = new Parameters();
    const list = (select: string, revision: string, key: string, from: string) => {
      const keyset = new Keyset(toColumns(revision, key));
      return `(SELECT ${revision}::float8 AS revision, ${key} AS key, ${select} FROM ${from}
         WHERE ${after ? keyset.compileCondition(after, parameters) : `${revision} > ${parameters.bind(since)}`}
         ORDER BY ${keyset.compileOrder()} LIMIT ${limit + 1})`;
    };
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
                  WHERE revision <= ${parameters.bind(table.revision)} ORDER BY ${CHANGE_KEYSET.compileOrder()}`;
    const statement = { sql, parameters: parameters.values, sized: ['item'] };
    return readPage<ChangedRow>(this.sql, statement, limit);
  }

  /**
   * As `list`, for a caller whose access policies limit the rows: the changes between two moments, so that a row that
   * has left the permitted part is deleted, and a row that has entered it is written.
   *
   * @param before undefined: the caller has no rows.
   */
  async listPermitted(
    { before, after }: { before: CatalogTable | undefined; after: CatalogTable },
    position: CursorPosition | undefined,
    limit: number,
  ): Promise<RowPage<ChangedRow>> {
    await this.sql.awaitCommits(after.workspaceId);
    const key = physicalKeyName(after);
    const parameters = new Parameters();
    const list = (select: string, from: string, conditions: readonly string[]) => `
      (SELECT * FROM (SELECT ${select} FROM ${from} WHERE ${['true', ...conditions].join(' AND ')}) changed
        ${start} ORDER BY ${MOMENT_KEYSET.compileOrder()} LIMIT ${limit + 1})`;
    const start = `WHERE ${MOMENT_KEYSET.compileCondition(position, parameters)}`;
    const exists = (table: CatalogTable, of: string) =>
      `EXISTS (SELECT 1 FROM ${physicalTableName(table)} o WHERE o.${key} = ${of})`;
    const rows = (table: CatalogTable, alias: string) =>
      `${physicalTableName(table)} ${alias}${before ? ` JOIN touched ON touched.key = ${alias}.${key}` : ''}`;
    const written = list(
      `t._revision AS revision, t.${key} AS key, false AS deleted, ${rowToJson(after)} AS item`,
      rows(after, 't'),
      before ? [`(t._revision > ${before.revision} OR NOT ${exists(before, `t.${key}`)})`] : [],
    );
    // The revision of the first change since then, because the caller may not know the later ones.
    const ended = (of: CatalogTable) =>
      `coalesce((SELECT min(h._ended_revision) FROM ${formerRowsName(of)} h
                  WHERE h.${key} = b.${key} AND h._ended_revision > ${of.revision}
                    AND h._ended_revision <= ${after.revision}), ${after.revision})`;
    const left =
      before &&
      list(`${ended(before)} AS revision, b.${key} AS key, true AS deleted, NULL::json AS item`, rows(before, 'b'), [
        `NOT ${exists(after, `b.${key}`)}`,
      ]);
    const touched = before ? `WITH touched AS MATERIALIZED (${selectTouchedKeys({ before, after })})` : '';
    const sql = `${touched} SELECT revision::float8 AS revision, key, deleted, item
                   FROM (${left ? `${written} UNION ALL ${left}` : written}) changed
                  ORDER BY ${MOMENT_KEYSET.compileOrder()}`;
    const statement = { sql, parameters: parameters.values, sized: ['item'] };
    return readPage<ChangedRow>(this.sql, statement, limit);
  }
}
