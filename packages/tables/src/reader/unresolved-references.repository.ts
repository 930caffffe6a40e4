import type { Sql } from '../../../sql/src/sql.js';
import { readPage, type RowPage } from '../../../sql/src/page-reader.js';
import { KEY_TYPES, Keyset } from '../../../sql/src/keyset.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { mayBeUnresolved } from '../catalog/column-types.js';
import { compileMissing, type KeySpace } from '../catalog/row-sql.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import { Parameters } from './bindings.js';

/** Numbers of rows and references of one table. */
export interface TableCounts {
  rows: number;
  /** In the order of `getReferenceColumns`. */
  references: { set: number; unresolved: number }[];
}

/** A value of a reference column whose target row does not exist. */
export interface UnresolvedReference {
  /** The ordinal of the column. */
  ordinal: number;
  /** The primary key of the row. */
  key: string;
  column: string;
  value: string;
}

export const REFERENCE_KEYSET = new Keyset([
  { sql: 'ordinal', ...KEY_TYPES.count },
  { sql: 'key', ...KEY_TYPES.text },
]);

/** Finds and counts references without a target. */
export class UnresolvedReferencesRepository {
  constructor(private readonly sql: Sql) {}

  /** Counts the tables in one statement. @param targets of each reference column. */
  async count(tables: readonly CatalogTable[], targets: ReadonlyMap<CatalogColumn, KeySpace>): Promise<TableCounts[]> {
    const rows = await this.sql.query<TableCounts & { position: number }>(
      tables.map((table, position) => countSql(table, position, targets)).join(' UNION ALL '),
      [],
    );
    return rows.toSorted((a, b) => a.position - b.position);
  }

  /** Ordered by column and row key. @param targets of each column. @param after the position of the previous page. */
  async list(
    table: CatalogTable,
    columns: readonly CatalogColumn[],
    targets: ReadonlyMap<CatalogColumn, KeySpace>,
    [ordinal, lastKey]: readonly [ordinal: number, key: string] | [],
    limit: number,
  ): Promise<RowPage<UnresolvedReference>> {
    const parameters = new Parameters();
    const key = `r.${physicalKeyName(table)}`;
    const statements = columns
      .filter((column) => column.ordinal >= (ordinal ?? 0))
      .map((column) => {
        const keyset = column.ordinal === ordinal ? `AND ${key} > ${parameters.bind(lastKey!)}` : '';
        return `(
          SELECT ${column.ordinal} AS ordinal, ${key} AS key, '${column.key}' AS column, r.${physicalColumnName(column)} AS value
            FROM ${physicalTableName(table)} r
           WHERE ${compileUnresolved(column, targets.get(column)!)} ${keyset}
           ORDER BY key LIMIT ${limit + 1})`;
      });
    if (statements.length === 0) return { items: [], hasMore: false };
    const sql = `SELECT * FROM (${statements.join(' UNION ALL ')}) found ORDER BY ${REFERENCE_KEYSET.compileOrder()}`;
    const statement = { sql, parameters: parameters.values, sized: ['value'] };
    return readPage<UnresolvedReference>(this.sql, statement, limit);
  }
}

export function getReferenceColumns({ columns }: CatalogTable): CatalogColumn[] {
  return columns.filter(mayBeUnresolved);
}

function countSql(table: CatalogTable, position: number, targets: ReadonlyMap<CatalogColumn, KeySpace>): string {
  const rows = `FROM ${physicalTableName(table)} r`;
  const references = getReferenceColumns(table).map((column) => {
    const unresolved = compileUnresolved(column, targets.get(column)!);
    return `json_build_object('set', (SELECT count(r.${physicalColumnName(column)})::integer ${rows}),
              'unresolved', (SELECT count(*)::integer ${rows} WHERE ${unresolved}))`;
  });
  return `SELECT ${position} AS position, (SELECT count(*)::integer ${rows}) AS rows,
                 json_build_array(${references.join(', ')}) AS "references"`;
}

/** The condition that the reference of the row `r` is unresolved. */
function compileUnresolved(column: CatalogColumn, targets: KeySpace): string {
  const reference = `r.${physicalColumnName(column)}`;
  return `${reference} IS NOT NULL AND ${compileMissing(targets, reference)}`;
}
