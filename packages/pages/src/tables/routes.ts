/** The entities of the API as they are in its paths. */
export const ENTITIES = ['locations', 'assets', 'lists'] as const;
export type EntityPath = (typeof ENTITIES)[number];

export const ENTITY_TITLES: Record<EntityPath, string> = { locations: 'Locations', assets: 'Assets', lists: 'Lists' };

/** The screen of the page, and what it shows. It is the fragment of the address. */
export interface Route {
  workspaceId?: string | undefined;
  entity?: EntityPath | undefined;
  /** The name or the ID of the table. */
  table?: string | undefined;
  view?: 'rows' | 'hierarchy' | 'compare' | undefined;
  /** A column to sort by; `-` means descending. */
  sort?: string | undefined;
  search?: string | undefined;
  asOf?: string | undefined;
  conditions?: Condition[] | undefined;
  /** Shows only rows with unresolved references. */
  unresolved?: boolean | undefined;
  /** The key of the row whose details are open. */
  row?: string | undefined;
  /** The ID of the proposal whose changes are shown. */
  proposal?: string | undefined;
}

/** A condition of the filter as it was entered: column, operator, value. */
export type Condition = [column: string, operator: string, value: string];

const VIEWS = ['hierarchy', 'compare'] as const;

/** Reads a fragment such as `#/01a2…/assets/Equipment?sort=-weight`. Parts that are not valid are ignored. */
export function parseRoute(fragment: string): Route {
  // A text that a user has entered may contain further question marks.
  const [, path = '', query = ''] = /^#?([^?]*)\??(.*)$/s.exec(fragment) ?? [];
  const [workspaceId, entity, table] = path.split('/').filter(Boolean).map(decode);
  const parameters = new URLSearchParams(query);
  const read = (name: string) => parameters.get(name) ?? undefined;
  return {
    workspaceId,
    entity: ENTITIES.find((each) => each === entity),
    table,
    view: VIEWS.find((view) => view === read('view')) ?? 'rows',
    sort: read('sort'),
    search: read('search'),
    asOf: read('asOf'),
    conditions: parseConditions(read('filter')),
    unresolved: read('unresolved') === 'true',
    row: read('row'),
    proposal: read('proposal'),
  };
}

export function formatRoute(route: Route): string {
  const path = [route.workspaceId, route.entity, route.table]
    .filter((part) => part !== undefined)
    .map((part) => `/${encodeURIComponent(part)}`)
    .join('');
  const { view, sort, search, asOf, conditions = [], unresolved, row, proposal } = route;
  const parameters = new URLSearchParams();
  const values = {
    view: view === 'rows' ? undefined : view,
    sort,
    search,
    asOf,
    filter: conditions.length > 0 ? JSON.stringify(conditions) : undefined,
    unresolved: unresolved ? 'true' : undefined,
    row,
    proposal,
  };
  for (const [name, value] of Object.entries(values)) if (value) parameters.set(name, value);
  const query = parameters.toString();
  return `#${path || '/'}${query && `?${query}`}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function parseConditions(text: string | undefined): Condition[] {
  try {
    const parsed: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(parsed) ? parsed.filter(isCondition) : [];
  } catch {
    return [];
  }
}

function isCondition(value: unknown): value is Condition {
  return Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === 'string');
}
