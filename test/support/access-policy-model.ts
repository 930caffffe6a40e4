import type { ColumnInput, Item, Surface } from './tables.js';

export type Value = Item[string];
export type Row = Readonly<Record<string, Value>>;
/** The rows of a table by their keys. */
export type Rows = ReadonlyMap<string, Row>;
export type TableName = 'Sites' | 'Annex' | 'Machines' | 'Units';
/** The rows of all tables. */
export type State = Readonly<Record<TableName, Rows>>;

export type Condition = Record<string, unknown>;
export type Filter = Readonly<Record<string, Condition>>;

export interface Rule {
  entity: Surface;
  table: string;
  under?: string;
  filter?: Filter;
  columns?: { hidden?: string[]; readOnly?: string[] };
  write?: boolean;
}

/** The rules for tables of a policy; undefined if the policy does not restrict tables. */
export type Policy = readonly Rule[] | undefined;

interface ModelledTable {
  entity: Surface;
  columns: ColumnInput[];
}

const text = (key: string, options?: Record<string, unknown>): ColumnInput => {
  return { key, name: key, type: 'text', ...(options ? { options } : {}) };
};

export const TABLES: Readonly<Record<TableName, ModelledTable>> = {
  Annex: { entity: 'locations', columns: [text('code'), text('name'), text('plant')] },
  Sites: {
    entity: 'locations',
    columns: [
      text('code'),
      text('name'),
      text('plant', { indexed: true }),
      { key: 'size', name: 'size', type: 'number', options: { maximum: 5, level: 'warning' } },
      { key: 'parent', name: 'parent', type: 'hierarchyParent' },
    ],
  },
  Machines: {
    entity: 'assets',
    columns: [
      text('code'),
      text('name'),
      text('plant'),
      { key: 'price', name: 'price', type: 'number' },
      text('vendor', { unique: true, level: 'warning' }),
      {
        key: 'location',
        name: 'location',
        type: 'reference',
        options: { target: { entity: 'location', table: 'Sites' } },
      },
      { key: 'spot', name: 'spot', type: 'reference' },
    ],
  },
  Units: { entity: 'lists', columns: [text('code'), text('name')] },
};

export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

export const columnsOf = (table: TableName): string[] => TABLES[table].columns.map(({ key }) => key!);

/** The columns that refer to rows, with the tables of these rows by name. */
export const REFERENCES: Readonly<Partial<Record<TableName, Record<string, TableName[]>>>> = {
  Sites: { parent: ['Sites'] },
  Machines: { location: ['Sites'], spot: ['Annex', 'Sites'] },
};

/** What a caller may read and write in a table. */
export interface Permission {
  columns: string[];
  readOnly: ReadonlySet<string>;
  canWrite: boolean;
  /** Does a policy limit the rows? */
  limitsRows: boolean;
  permits: (key: string, state: State) => boolean;
}

/** @returns undefined if the table does not exist for the caller. */
export function permit(table: TableName, policies: readonly Policy[]): Permission | undefined {
  const { entity } = TABLES[table];
  const rules: Rule[] = [];
  for (const policy of policies) {
    if (!policy) continue;
    const own = policy.filter((rule) => rule.entity === entity);
    const rule = own.find((each) => each.table === table) ?? own.find((each) => each.table === '*');
    if (!rule || !fits(table, rule)) return undefined;
    rules.push(rule);
  }
  const hidden = new Set(rules.flatMap(({ columns }) => columns?.hidden ?? []));
  return {
    columns: columnsOf(table).filter((key) => !hidden.has(key)),
    readOnly: new Set(rules.flatMap(({ columns }) => columns?.readOnly ?? [])),
    canWrite: rules.every(({ write }) => write),
    limitsRows: rules.some(({ filter, under }) => filter !== undefined || under !== undefined),
    permits: (key, state) => rules.every((rule) => matchesRule(state[table], key, rule)),
  };
}

/** A rule for any table may name columns that a table lacks. */
function fits(table: TableName, { filter = {}, under }: Rule): boolean {
  return (
    Object.keys(filter).every((key) => columnsOf(table).includes(key)) && (under === undefined || table === 'Sites')
  );
}

function matchesRule(rows: Rows, key: string, { filter, under }: Rule): boolean {
  const row = rows.get(key);
  if (!row || !matches(row, filter)) return false;
  return under === undefined || subtree(rows, under).has(key);
}

/** The levels of the rows of a subtree by their keys. */
export function subtree(rows: Rows, root: string): ReadonlyMap<string, number> {
  const levels = new Map<string, number>(rows.has(root) ? [[root, 0]] : []);
  for (const [above, level] of levels)
    for (const [key, row] of rows) if (row['parent'] === above && !levels.has(key)) levels.set(key, level + 1);
  return levels;
}

export function matches(row: Row, filter: Filter = {}): boolean {
  return Object.entries(filter).every(([column, conditions]) =>
    Object.entries(conditions).every(([operator, value]) => compare(row[column] ?? null, operator, value)),
  );
}

function compare(value: Value, operator: string, expected: unknown): boolean {
  switch (operator) {
    case 'eq':
      return value === expected;
    case 'ne':
      return value !== expected;
    case 'in':
      return (expected as unknown[]).includes(value);
    case 'null':
      return (value === null) === expected;
    case 'contains':
      return value !== null && contains(value, String(expected));
    case 'gte':
      return value !== null && value >= (expected as string | number);
    case 'lt':
      return value !== null && value < (expected as string | number);
  }
  throw new Error(`The model has no operator ${operator}.`);
}

export function contains(value: Value, part: string): boolean {
  return typeof value === 'string' && value.toLowerCase().includes(part.toLowerCase());
}

/** The changes of rows that the caller may know. */
export interface KnownChanges {
  /** The rows that the caller could read then, and cannot read now. */
  deleted: string[];
  /** The rows that the caller can read now, and could not read as they are then. */
  written: string[];
}

export function findChanges(then: Rows, now: Rows): KnownChanges {
  const differs = ([key, row]: [string, Row]) => JSON.stringify(row) !== JSON.stringify(then.get(key));
  return {
    deleted: [...then.keys()].filter((key) => !now.has(key)).sort(),
    written: [...now].filter(differs).map(([key]) => key),
  };
}

/** The rows as the caller reads them. */
export function readable(table: TableName, { columns, permits }: Permission, state: State): Rows {
  const found = [...state[table]].filter(([key]) => permits(key, state));
  return new Map(found.map(([key, row]) => [key, select(row, columns)]));
}

export function select(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((key) => [key, row[key] ?? null]));
}

export function titleOf(row: Row): Value {
  return row['name'] || row['code']!;
}

/** What a write sends. */
export interface Write {
  table: TableName;
  items: readonly Row[];
  continues?: boolean;
  /** Does it delete the permitted rows that it does not send? */
  replaces?: boolean;
  /** Are omitted values null? */
  isComplete?: boolean;
  /** Keys of rows that it deletes. */
  deletions?: readonly string[];
}

export interface Outcome {
  state: State;
  /** The keys of the rejected rows. */
  rejected: ReadonlySet<string>;
}

/** What a write of visible columns, of which none is read-only, does. */
export function write(before: State, permission: Permission, sent: Write): Outcome {
  const { table, items, continues, replaces, isComplete, deletions = [] } = sent;
  const stored = before[table];
  const omitted = permission.columns.filter((key) => !permission.readOnly.has(key));
  const empty = Object.fromEntries(columnsOf(table).map((key) => [key, null]));
  const cleared = isComplete ? select({}, omitted) : {};
  const rejected = new Set<string>();
  for (const { code } of items) {
    const key = String(code);
    if (stored.has(key) && !permission.permits(key, before)) rejected.add(key);
  }
  const keys = new Set(items.map(({ code }) => String(code)));
  const isDeleted = (key: string) => (replaces && permission.permits(key, before)) || deletions.includes(key);
  const remaining = [...stored].filter(([key]) => keys.has(key) || !isDeleted(key));
  for (;;) {
    const written = items
      .filter(({ code }) => !rejected.has(String(code)))
      .map((item): [string, Row] => {
        const key = String(item['code']);
        return [key, { ...empty, ...stored.get(key), ...cleared, ...item }];
      });
    const state = { ...before, [table]: new Map([...remaining, ...written]) };
    const outside = written.filter(
      ([key, row]) => !isEqual(row, stored.get(key)) && !permission.permits(key, state as State),
    );
    if (outside.length === 0) return { state: rejected.size > 0 && !continues ? before : state, rejected };
    for (const [key] of outside) rejected.add(key);
  }
}

function isEqual(row: Row, stored: Row | undefined): boolean {
  return stored !== undefined && Object.entries(row).every(([key, value]) => stored[key] === value);
}

export function without(state: State, table: TableName, keys: readonly string[]): State {
  return { ...state, [table]: new Map([...state[table]].filter(([key]) => !keys.includes(key))) };
}

/** All rows after a key has been changed, with the references to it. */
export function rename(state: State, table: TableName, from: string, to: string): State {
  const isElsewhere = TABLES[table].entity === 'locations' && state[table === 'Sites' ? 'Annex' : 'Sites'].has(from);
  const renamed = TABLE_NAMES.map((name): [TableName, Rows] => {
    const columns = Object.entries(REFERENCES[name] ?? {}).filter(
      ([, targets]) => targets.includes(table) && !(targets.length > 1 && isElsewhere),
    );
    const rows = [...state[name]].map(([key, row]): [string, Row] => {
      const isRow = name === table && key === from;
      const changed = columns.filter(([column]) => row[column] === from).map(([column]) => [column, to]);
      return [isRow ? to : key, { ...row, ...Object.fromEntries(changed), ...(isRow ? { code: to } : {}) }];
    });
    return [name, new Map(rows)];
  });
  return Object.fromEntries(renamed) as unknown as State;
}
