import type { ColumnType } from '../../../tabular/src/coercions.js';
import { normalizeName } from '../../../tabular/src/normalization.js';
import { CatalogRepository } from './catalog.repository.js';
import type { CatalogTable } from './catalog-table.js';
import type { CatalogColumn } from './column-plan.js';
import type { ColumnOptions } from './column-types.js';
import type { EntityKind } from './entity-kind.js';
import { type View, wholeView } from './view.js';
import type { KeySpace } from './row-sql.js';
import { withAllRows } from './physical-table.js';

/** A table with columns that refer to rows of a given table. */
export interface ReferringTable {
  table: CatalogTable;
  /** Its `hierarchyParent` columns, if it is the given table. */
  parents: CatalogColumn[];
  /** Its `reference` columns with the given table as target. */
  references: CatalogColumn[];
}

/**
 * The tables that refer to rows of the target, possibly including itself.
 *
 * @param tables all tables of the workspace.
 */
export function findReferringTables(target: CatalogTable, tables: readonly CatalogTable[]): ReferringTable[] {
  return tables
    .map((table) => ({
      table,
      parents: table.columns.filter(({ type }) => type === 'hierarchyParent' && table.id === target.id),
      references: table.columns.filter(
        ({ type, options }) => type === 'reference' && isTarget(target, tables, options),
      ),
    }))
    .filter(({ parents, references }) => parents.length + references.length > 0);
}

/** The entity of the tables that a `reference` column refers to: without the option `target`, all Locations tables. */
export function getTargetEntity({ target }: ColumnOptions): EntityKind {
  return target?.entity ?? 'location';
}

/** The tables whose rows a reference column names, as the view contains them; its own for a `hierarchyParent`. */
export async function listTargets(
  catalog: CatalogRepository,
  view: View,
  table: CatalogTable,
  { type, options }: CatalogColumn,
): Promise<CatalogTable[]> {
  if (type === 'hierarchyParent') return [table];
  const entity = getTargetEntity(options);
  if (!options.target) return catalog.list(view, entity);
  const target = await catalog.find(view, entity, options.target.table);
  return target ? [target] : [];
}

function isTarget(table: CatalogTable, tables: readonly CatalogTable[], options: ColumnOptions): boolean {
  if (table.entity !== getTargetEntity(options)) return false;
  const { target } = options;
  if (!target) return true;
  const candidates = tables.filter(({ entity }) => entity === target.entity);
  const found =
    candidates.find(({ id }) => id === target.table.toLowerCase()) ??
    candidates.find(({ nameKey }) => nameKey === normalizeName(target.table));
  return found?.id === table.id;
}

/**
 * Finds the tables whose rows references name. They contain all rows and columns, also those that the access policies
 * of the caller hide: a reference to a hidden row is resolved.
 */
export class ReferenceLookup {
  /** By the type of a column: what its values name, if it is not a table. */
  private readonly relations = new Map<ColumnType, (workspaceId: string) => CatalogTable>();

  constructor(private readonly catalog: CatalogRepository) {}

  /** @param describe returns the relation whose keys the values of columns of the type are. */
  register(type: ColumnType, describe: (workspaceId: string) => CatalogTable): void {
    this.relations.set(type, describe);
  }

  /** The tables whose rows the values of a column name; a `hierarchyParent` column names rows of its own table. */
  async findTargets(table: CatalogTable, column: CatalogColumn): Promise<KeySpace> {
    const describe = this.relations.get(column.type);
    if (describe) return [describe(table.workspaceId)];
    return listTargets(this.catalog, wholeView(table.workspaceId), withAllRows(table), column);
  }

  /** The targets of reference columns, of which many may be the same. */
  async findAllTargets(
    references: readonly { table: CatalogTable; column: CatalogColumn }[],
  ): Promise<Map<CatalogColumn, KeySpace>> {
    const targets = new Map<CatalogColumn, KeySpace>();
    const known = new Map<string, KeySpace>();
    for (const { table, column } of references) {
      const { type, options } = column;
      const named = type === 'reference' ? `${getTargetEntity(options)} ${options.target?.table ?? ''}` : table.id;
      const name = this.relations.has(type) ? type : named;
      const space = known.get(name) ?? (await this.findTargets(table, column));
      known.set(name, space);
      targets.set(column, space);
    }
    return targets;
  }
}
