import { MAX_LISTED_ERRORS } from '../../../errors/src/domain-error.js';
import type { Sql } from '../../../sql/src/sql.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { formerRowsName, physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import type { Relation } from '../catalog/relation.js';
import type { KeySelection } from '../catalog/row-sql.js';
import { type TemporaryTables, TemporaryTablesFactory } from '../catalog/temporary-tables.js';
import { ParentCyclesRepository } from './parent-cycles.repository.js';
import type { RowPosition } from './row-errors.js';
import { type FoundRows, NONE_FOUND } from './row-source.js';

/**
 * - `row_index`: the restored rows first, in the order of their keys.
 * - `is_created`: the revision created the row, so the undo deletes the row.
 * - `is_absent`: the row does not exist now.
 * - `is_changed`: the row was changed since.
 */
const COLUMNS =
  'row_index integer, key text COLLATE "C", is_created boolean, is_absent boolean, is_changed boolean, rejected boolean';

/** The rows `p` that a revision of a table has changed, in a temporary table. */
export interface UndoneRows {
  /** As it is now. */
  table: CatalogTable;
  revision: number;
  tables: TemporaryTables;
}

/** A row that a check found. */
type FoundRow = Required<Omit<RowPosition, 'line'>> & { detail: string | null };

/** Finds the rows that an undo restores and deletes. The transaction has the lock of the table. */
export class UndoneRowsRepository {
  constructor(
    private readonly sql: Sql,
    private readonly cycles: ParentCyclesRepository,
    private readonly temporary: TemporaryTablesFactory,
  ) {}

  /**
   * Lists the rows of a revision. A row is unchanged if it has the values that the revision left, or if it is still
   * absent.
   *
   * @param number of the temporary table in the transaction.
   * @returns also their number.
   */
  async create(table: CatalogTable, revision: number, number: number): Promise<{ rows: UndoneRows; count: number }> {
    const rows = { table, revision, tables: await this.temporary.open(table, number) };
    const name = nameOf(rows);
    await this.sql.query(rows.tables.create('undone', COLUMNS));
    const count = await this.sql.affected(
      `INSERT INTO ${name}
       SELECT (row_number() OVER (ORDER BY u.is_created, u.key))::integer - 1, u.*, false FROM (${selectUndone(table)}) u`,
      [revision],
    );
    await this.sql.query(`ANALYZE ${name}`);
    return { rows, count };
  }

  /** The rows that were not rejected and meet a condition on `p`. @param parameters of the condition. */
  find(rows: UndoneRows, condition: string, parameters: readonly unknown[] = []): Promise<FoundRows<FoundRow>> {
    return this.findIn(rows, `${nameOf(rows)} p`, condition, 'NULL', parameters);
  }

  /** As `find`, with a condition on the row as it was before the revision, `x`. */
  findFormer(rows: UndoneRows, condition: string, detail = 'NULL'): Promise<FoundRows<FoundRow>> {
    return this.findIn(rows, withFormer(rows), condition, detail, []);
  }

  /** The rows whose previous parents would create a cycle. `detail` is the parent. */
  async findCyclic(rows: UndoneRows, column: CatalogColumn): Promise<FoundRows<FoundRow>> {
    const { tables, table } = rows;
    const parent = `x.${physicalColumnName(column)}`;
    // A row that the undo deletes has no parent.
    const source = `(SELECT p.key, CASE WHEN NOT p.is_created THEN ${parent} END AS parent_key
                       FROM ${withFormer(rows)} WHERE NOT p.rejected) s`;
    const cyclic = await this.cycles.find(tables, source, table, { column, value: 's.parent_key' });
    return cyclic === undefined ? NONE_FOUND : this.findFormer(rows, `p.key IN (${cyclic})`, parent);
  }

  /** The rows that the table lacks and has, as they were before the revision, and the keys of those to delete. */
  async select(rows: UndoneRows): Promise<{ missing: Relation; different: Relation; deleted: number }> {
    const [counts] = await this.sql.query<{ missing: number; different: number; deleted: number }>(
      `SELECT count(*) FILTER (WHERE is_absent AND NOT is_created)::float8 AS missing,
              count(*) FILTER (WHERE NOT is_absent AND NOT is_created)::float8 AS different,
              count(*) FILTER (WHERE is_created)::float8 AS deleted
         FROM ${nameOf(rows)} WHERE NOT rejected`,
    );
    const { missing, different, deleted } = counts!;
    return {
      missing: toFormerRows(rows, selectKeys(rows, 'p.is_absent AND NOT p.is_created'), missing),
      different: toFormerRows(rows, selectKeys(rows, 'NOT p.is_absent AND NOT p.is_created'), different),
      deleted,
    };
  }

  private async findIn(
    rows: UndoneRows,
    from: string,
    condition: string,
    detail: string,
    parameters: readonly unknown[],
  ): Promise<FoundRows<FoundRow>> {
    const found = `FROM ${from} WHERE NOT p.rejected AND ${condition}`;
    const listed = await this.sql.query<FoundRow & { total: number }>(
      `SELECT p.row_index AS index, p.key, ${detail} AS detail, count(*) OVER ()::integer AS total
         ${found} ORDER BY 1 LIMIT ${MAX_LISTED_ERRORS}`,
      parameters,
    );
    if (listed.length === 0) return NONE_FOUND;
    return {
      ...NONE_FOUND,
      total: listed[0]!.total,
      first: listed.map(({ index, key, detail: each }) => ({ index, key, detail: each })),
      reject: () =>
        this.sql.affected(
          `UPDATE ${nameOf(rows)} SET rejected = true WHERE NOT rejected AND key IN (SELECT p.key ${found})`,
          parameters,
        ),
    };
  }
}

/** The keys of the rows that were not rejected and meet a condition on `p`. */
export function selectKeys(rows: UndoneRows, condition: string): KeySelection {
  const isSelected = `IN (SELECT p.key FROM ${nameOf(rows)} p WHERE NOT p.rejected AND ${condition})`;
  return { isSelected, parameters: [] };
}

function nameOf({ tables }: UndoneRows): string {
  return tables.name('undone');
}

function withFormer(rows: UndoneRows): string {
  const { table, revision } = rows;
  return `${nameOf(rows)} p LEFT JOIN ${formerRowsName(table)} x
            ON x._ended_revision = ${revision} AND x.${physicalKeyName(table)} = p.key`;
}

/**
 * A query for the rows of a revision, `$1`, in the order of the columns: those that it has ended, and those that it has
 * created.
 */
function selectUndone(table: CatalogTable): string {
  const rows = physicalTableName(table);
  const former = formerRowsName(table);
  const key = physicalKeyName(table);
  const ended = `SELECT f.${key} FROM ${former} f WHERE f._ended_revision = $1`;
  const written = `SELECT t.${key} FROM ${rows} t WHERE t._revision = $1
                   UNION ALL SELECT f.${key} FROM ${former} f WHERE f._revision = $1 AND f._ended_revision > $1`;
  const values = table.columns.filter(({ primaryKey }) => !primaryKey).map(physicalColumnName);
  const wasRenamed = (side: string) =>
    `EXISTS (SELECT 1 FROM ${former} n WHERE n.${side} = b.key AND n._renamed_to IS NOT NULL AND n._ended_revision > $1)`;
  // `a` is the row as the revision wrote it, if it was changed since. Another row may have its key now.
  const isEqual = [
    `a.${key} IS NOT NULL`,
    ...values.map((name) => `a.${name} IS NOT DISTINCT FROM t.${name}`),
    `NOT ${wasRenamed('_renamed_to')} AND NOT ${wasRenamed(key)}`,
  ];
  return `
    SELECT b.key, b.is_created, t.${key} IS NULL AS is_absent,
           NOT CASE WHEN t.${key} IS NULL THEN a.${key} IS NULL ELSE t._revision = $1 OR (${isEqual.join(' AND ')}) END
      FROM (SELECT e.${key} AS key, false AS is_created FROM (${ended}) e
            UNION ALL
            SELECT w.${key}, true FROM (${written}) w WHERE w.${key} NOT IN (${ended})) b
      LEFT JOIN ${rows} t ON t.${key} = b.key
      LEFT JOIN ${former} a ON a.${key} = b.key AND a._revision = $1 AND a._ended_revision > $1`;
}

function toFormerRows({ table, revision }: UndoneRows, keys: KeySelection, rows: number): Relation {
  const key = physicalKeyName(table);
  const columns = table.columns.filter(({ primaryKey }) => !primaryKey);
  return {
    from: `(SELECT x.*, x.${key} AS key FROM ${formerRowsName(table)} x
             WHERE x._ended_revision = ${revision} AND x.${key} ${keys.isSelected}) s`,
    parameters: [],
    columns: columns.map((column) => ({ column, value: `s.${physicalColumnName(column)}` })),
    createdAt: 's._created_at',
    rows,
    keys,
  };
}
