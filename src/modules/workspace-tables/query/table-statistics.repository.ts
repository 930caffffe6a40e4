import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { isReference } from '../catalog/column-types.js';
import { physicalColumnName, physicalTableName } from '../catalog/physical-table.js';
import { compileUnresolved } from './query-compiler.js';

/** Numbers of rows and references of one table. */
export interface TableCounts {
  rows: number;
  /** In the order of `getReferenceColumns`. */
  links: { set: number; unresolved: number }[];
}

@Injectable()
export class TableStatisticsRepository {
  constructor(private readonly database: Database) {}

  /** Counts the tables in one statement. @param all all tables of the workspace. */
  async count(tables: readonly CatalogTable[], all: readonly CatalogTable[]): Promise<TableCounts[]> {
    const rows = await this.database.query<TableCounts & { at: number }>(
      tables.map((table, at) => countSql(table, at, all)).join(' UNION ALL '),
    );
    return rows.toSorted((a, b) => a.at - b.at);
  }
}

export function getReferenceColumns({ columns }: CatalogTable): CatalogColumn[] {
  return columns.filter(({ type }) => isReference(type));
}

function countSql(table: CatalogTable, at: number, all: readonly CatalogTable[]): string {
  const rows = `FROM ${physicalTableName(table)} r WHERE r._deleted_at IS NULL`;
  const links = getReferenceColumns(table).map((column) => {
    const unresolved = compileUnresolved(table, column, all);
    return `json_build_object('set', (SELECT count(r.${physicalColumnName(column)})::integer ${rows}),
              'unresolved', (SELECT count(*)::integer ${rows} AND ${unresolved}))`;
  });
  return `SELECT ${at} AS at, (SELECT count(*)::integer ${rows}) AS rows, json_build_array(${links.join(', ')}) AS links`;
}
