import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type CatalogTable, CatalogRepository } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { isReference } from '../catalog/column-types.js';
import type { EntityKind } from '../catalog/entity-kind.js';
import { physicalColumnName, physicalTableName } from '../catalog/physical-table.js';
import { unresolvedCondition } from './unresolved-references.js';

/** Tables that one statement counts: it names each of them, and is planned as a whole. */
const TABLES_A_STATEMENT = 50;

/** A table, and what is in it. */
export interface TableFigures {
  id: string;
  entity: EntityKind;
  name: string;
  rows: number;
  links: ReferenceFigures[];
}

/** A column of keys of other rows. */
export interface ReferenceFigures {
  column: string;
  /** Rows that name a target. */
  set: number;
  /** Those of them whose target is not there. */
  unresolved: number;
}

/** Counts rows and links. Deleted rows do not count, and nothing finds them. */
@Injectable()
export class TableStatisticsService {
  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogRepository,
  ) {}

  /** All tables of the workspace, by entity and name. */
  tables(workspaceId: string): Promise<TableFigures[]> {
    return this.catalog.readWithRetry(() => this.countAll(workspaceId));
  }

  private async countAll(workspaceId: string): Promise<TableFigures[]> {
    const tables = (await this.catalog.listAll(workspaceId)).toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
    const figures: TableFigures[] = [];
    for (let from = 0; from < tables.length; from += TABLES_A_STATEMENT)
      figures.push(...(await this.count(tables.slice(from, from + TABLES_A_STATEMENT), tables)));
    return figures;
  }

  private async count(counted: readonly CatalogTable[], all: readonly CatalogTable[]): Promise<TableFigures[]> {
    const rows = await this.database.query<{ at: number; rows: number; links: Omit<ReferenceFigures, 'column'>[] }>(
      counted.map((table, at) => countSql(table, at, all)).join(' UNION ALL '),
    );
    const found = new Map(rows.map((row) => [row.at, row]));
    return counted.map((table, at) => {
      const { rows: count, links } = found.get(at)!;
      const columns = linksOf(table);
      return {
        id: table.id,
        entity: table.entity,
        name: table.name,
        rows: count,
        links: links.map((link, position) => ({ column: columns[position]!.key, ...link })),
      };
    });
  }
}

function countSql(table: CatalogTable, at: number, all: readonly CatalogTable[]): string {
  const rows = `FROM ${physicalTableName(table)} r WHERE r._deleted_at IS NULL`;
  const links = linksOf(table).map((column) => {
    const missing = unresolvedCondition(table, column, all);
    return `json_build_object('set', (SELECT count(r.${physicalColumnName(column)})::integer ${rows}),
              'unresolved', (SELECT count(*)::integer ${rows} AND ${missing}))`;
  });
  return `SELECT ${at} AS at, (SELECT count(*)::integer ${rows}) AS rows, json_build_array(${links.join(', ')}) AS links`;
}

function linksOf({ columns }: CatalogTable): CatalogColumn[] {
  return columns.filter(({ type }) => isReference(type));
}

function placeOf({ entity, nameKey }: CatalogTable): string {
  return `${entity} ${nameKey}`;
}
