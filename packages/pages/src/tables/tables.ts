import { MAX_EXPANSIONS } from '../../../tables/src/catalog/request-limits.js';
import type { AtriumClient, Column, Entity, Filter, Row, Table, TableClient } from '@atrium/client';
import { findPrimaryKey, REFERENCE_TYPES, toFilter, toName } from './filter.js';
import type { EntityPath, Route } from './routes.js';
import { listUnresolved } from './unresolved.js';
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

/**
 * A page of rows, with the titles of the rows to which they refer.
 *
 * @param path of another list than that of all rows, with its parameters: `item/children?key=A`
 */
export function readRows(
  client: AtriumClient,
  table: TableClient,
  columns: readonly Column[],
  { filter, search, sort, asOf, cursor, counts, limit = PAGE_ROWS }: RowRequest,
  { path, signal }: { path?: string | undefined; signal?: AbortSignal },
): Promise<RowPage> {
  const references = columns.filter(({ type }) => REFERENCE_TYPES.includes(type)).map(({ key }) => key);
  // Further references show keys.
  const expand = references.slice(0, MAX_EXPANSIONS).join(',') || undefined;
  const query = { limit, expand, q: search || undefined, sort, asOf, cursor };
  if (path === undefined) {
    // A filter with many keys exceeds the length of a URL.
    const body = JSON.stringify({ ...query, filter, count: counts ? 'exact' : undefined });
    return client.json('POST', `${table.path}/items/query`, { body, signal });
  }
  return client.json('GET', `${table.path}/${path}&${toQuery({ ...query, limit: String(limit) })}`, { signal });
}

export function toQuery(values: Record<string, string | undefined>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) parameters.set(name, value);
  return parameters.toString();
}

/** The filter of a screen. Rows with unresolved references are named by their keys, of now. */
export async function createFilter(
  client: AtriumClient,
  table: TableClient,
  { columns }: Table,
  { conditions = [], unresolved, asOf }: Route,
): Promise<Filter> {
  if (!unresolved || asOf !== undefined) return toFilter(conditions);
  const keys = new Set((await listUnresolved(client, table)).map(({ key }) => key));
  return toFilter(conditions, {
    [toName(findPrimaryKey(columns))]: keys.size > 0 ? { in: [...keys] } : { null: true },
  });
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
