import type { Sql } from '../../../sql/src/sql.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { mayBeUnresolved } from '../catalog/column-types.js';
import type { KeySpace } from '../catalog/row-sql.js';
import { physicalColumnName, physicalTableName } from '../catalog/physical-table.js';
import { compileUnresolved } from './query-compiler.js';

/** Numbers of rows and references of one table. */
export interface TableCounts {
  rows: number;
  /** In the order of `getReferenceColumns`. */
  references: { set: number; unresolved: number }[];
}

export class TableFiguresRepository {
  constructor(private readonly sql: Sql) {}

  /** Counts the tables in one statement. @param targets of each reference column. */
  async count(tables: readonly CatalogTable[], targets: ReadonlyMap<CatalogColumn, KeySpace>): Promise<TableCounts[]> {
    const rows = await this.sql.query<TableCounts & { position: number }>(
      tables.map((table, position) => countSql(table, position, targets)).join(' UNION ALL '),
      [],
    );
    return rows.toSorted((a, b) => a.position - b.position);
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
