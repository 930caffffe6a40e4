import type { AtriumClient, Column, Entity, Filter, Row, Table, TableClient } from '@atrium/client';
import { findPrimaryKey, REFERENCE_TYPES, type ReferenceTarget, toFilter } from './filter.js';
import type { EntityPath, Route } from './routes.js';
import type { Page } from './use-pages.js';

export const PAGE_ROWS = 50;

/** The route of a screen of a table. */
export type TableRoute = Route & { entity: EntityPath; table: string };

/** What the views of a table need before its definition is read. */
export interface ScreenProperties {
  client: AtriumClient;
  route: TableRoute;
  change: (route: Partial<Route>) => void;
}

export interface ContentProperties extends ScreenProperties {
  table: TableClient;
  definition: Table;
}

/** A row to which a reference leads. */
interface ReferencedRow {
  tableId: string;
  table: string;
  title: string;
}

export type Expanded = Record<string, Record<string, ReferencedRow>>;

export interface RowPage extends Page<Row> {
  table: { revision: number };
  total?: number;
  expanded?: Expanded;
}

export function toEntity(path: EntityPath): Entity {
  return path.slice(0, -1) as Entity;
}

export function toEntityPath(entity: Entity): EntityPath {
  return `${entity}s`;
}

export function openTable(client: AtriumClient, { entity, table }: TableRoute): TableClient {
  return client.table(toEntity(entity), table);
}

/** What to read of a table. */
export interface RowRequest {
  filter?: Filter;
  search?: string | undefined;
  sort?: string | undefined;
  asOf?: string | undefined;
  cursor?: string | undefined;
  /** Adds the number of all rows. */
  counts?: boolean;
  limit?: number;
}

/** A page of rows, with the titles of the rows to which they refer. @param path such as `items` */
export function readRows(
  client: AtriumClient,
  table: TableClient,
  columns: readonly Column[],
  { filter, search, sort, asOf, cursor, counts, limit = PAGE_ROWS }: RowRequest,
  { path = 'items', signal }: { path?: string; signal?: AbortSignal },
): Promise<RowPage> {
  const references = columns.filter(({ type }) => REFERENCE_TYPES.includes(type)).map(({ key }) => key);
  const values = {
    limit: String(limit),
    expand: references.join(','),
    filter: filter && Object.keys(filter).length > 0 ? JSON.stringify(filter) : undefined,
    q: search,
    sort,
    asOf,
    cursor,
    count: counts ? 'exact' : undefined,
  };
  return client.json('GET', `${table.path}/${path}${path.includes('?') ? '&' : '?'}${toQuery(values)}`, { signal });
}

export function toQuery(values: Record<string, string | undefined>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) parameters.set(name, value);
  return parameters.toString();
}

/** The filter of a screen. A filter for unresolved references reads the definitions of the tables they can refer to. */
export async function createFilter(client: AtriumClient, table: Table, route: TableRoute): Promise<Filter> {
  const targets = route.unresolved ? await findTargets(client, table) : undefined;
  return toFilter(route.conditions ?? [], targets);
}

async function findTargets(client: AtriumClient, table: Table): Promise<ReferenceTarget[]> {
  const references = table.columns.filter(({ type }) => REFERENCE_TYPES.includes(type));
  return Promise.all(
    references.map(async (column) => ({
      column: column.key,
      primaryKeys: await findTargetKeys(client, table, column),
    })),
  );
}

/** The primary keys of the tables to which a column refers: of one table, or of all tables of locations. */
async function findTargetKeys(client: AtriumClient, table: Table, { type, options }: Column): Promise<string[]> {
  if (type === 'hierarchyParent') return [findPrimaryKey(table.columns)];
  const { target } = options as { target?: { entity: Entity; table: string } };
  if (target) return (await findKey(client, target.entity, target.table)) ?? [];
  const keys = new Set<string>();
  for await (const { id } of client.pages<{ id: string }>(`${client.tablesPath}/locations`))
    for (const key of (await findKey(client, 'location', id)) ?? []) keys.add(key);
  return [...keys];
}

/** @returns undefined if the table does not exist, so that all references to it are unresolved. */
async function findKey(client: AtriumClient, entity: Entity, name: string): Promise<string[] | undefined> {
  try {
    return [findPrimaryKey((await client.table(entity, name).describe()).columns)];
  } catch (error) {
    if ((error as { status?: number }).status === 404) return undefined;
    throw error;
  }
}

/** Revisions are those of one table; times are those of all. */
function isRevision(asOf: string | undefined): boolean {
  return /^\d+$/.test(asOf ?? '');
}

/** The address of the row to which a value refers: in the past, if the present address is one of a time. */
export function toReferenceRoute(
  route: TableRoute,
  { type, options }: Column,
  value: string,
  expanded: ReferencedRow | undefined,
): Route | undefined {
  if (type === 'hierarchyParent') return { ...route, row: value };
  if (!expanded) return undefined;
  const { target } = options as { target?: { entity: Entity } };
  const { workspaceId, asOf } = route;
  const entity = toEntityPath(target?.entity ?? 'location');
  return { workspaceId, entity, table: expanded.tableId, row: value, asOf: isRevision(asOf) ? undefined : asOf };
}

/** The pages of one table have one map of titles. */
export function mergeExpanded(pages: readonly RowPage[]): Expanded {
  const all: Expanded = {};
  for (const { expanded = {} } of pages)
    for (const [column, rows] of Object.entries(expanded)) all[column] = { ...all[column], ...rows };
  return all;
}
