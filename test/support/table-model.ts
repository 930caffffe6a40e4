import type { Item } from './tables.js';

/** The hierarchies of a Locations table, in the order of its columns. */
export const PARENTS = ['parent', 'process'] as const;

/** A row, or what is known about a row that does not exist. */
interface Row {
  /** Undefined if it does not exist. */
  values: Item | undefined;
  /** The revision at which it first had this state: an undo restores it. */
  state: number;
}

const ABSENT: Row = { values: undefined, state: 0 };

/** The rules of the columns `name`, `state` and `long`. */
export interface Rules {
  required: boolean;
  choices: boolean;
  indexed: boolean;
}

export const CHOICES = ['open', 'done'];
export const LONG_TEXT = 'x'.repeat(1_001);

export interface ModelBatch {
  id: string;
  table: string;
  before: Map<string, Row>;
  /** The states of the rows afterwards. */
  states: Map<string, number>;
  isUndone: boolean;
}

/** Rows of a table; undefined: the row is deleted. */
export type Written = ReadonlyMap<string, Item | undefined>;

/** What a write is expected to return. */
export interface Expected {
  status: number;
  error?: string;
}

/** A table as the service must store it. */
export class ModelTable {
  revision = 1;
  rows = new Map<string, Row>();
  rules: Rules = { required: false, choices: false, indexed: false };

  constructor(
    readonly name: string,
    readonly surface: 'locations' | 'assets',
    readonly columns: readonly string[],
  ) {}

  /** The rows that exist. */
  get stored(): Map<string, Item> {
    return new Map([...this.rows].flatMap(([key, { values }]) => (values ? [[key, values]] : [])));
  }

  find(key: string): Item | undefined {
    return this.rows.get(key)?.values;
  }

  /** The row after an upsert of the sent values. */
  merge(sent: Item): Item {
    const empty = Object.fromEntries(this.columns.map((name) => [name, null]));
    return { ...empty, ...this.find(sent['key'] as string), ...sent };
  }

  /**
   * Are all rows allowed by the rules and without a cycle? Only sent values are validated, and required ones of new
   * rows.
   */
  areValid(items: readonly Item[]): boolean {
    const merged = new Map([
      ...this.stored,
      ...items.map((item): [string, Item] => [item['key'] as string, this.merge(item)]),
    ]);
    return items.every((item) => {
      const isNew = this.find(item['key'] as string) === undefined;
      const values = isNew ? this.merge(item) : item;
      const cyclic = this.parents.some((column) => item[column] && isOnCycle(merged, column, item['key'] as string));
      return !cyclic && findViolation(values, this.rules) === undefined;
    });
  }

  get parents(): readonly string[] {
    return this.surface === 'locations' ? PARENTS : [];
  }

  /** Writes the rows that differ, with the next revision. @returns what a batch needs for its undo. */
  write(written: Written): Pick<ModelBatch, 'before' | 'states'> {
    const revision = this.revision + 1;
    const before = new Map<string, Row>();
    const states = new Map<string, number>();
    for (const [key, values] of written) {
      const current = this.rows.get(key) ?? ABSENT;
      if (isEqual(current.values, values)) continue;
      before.set(key, current);
      states.set(key, revision);
      this.rows.set(key, { values, state: revision });
    }
    if (before.size > 0) this.revision = revision;
    return { before, states };
  }

  /** The rows that an undo restores: the others were changed since, violate a rule, or would be on a cycle. */
  findRestorable({ before, states }: ModelBatch): Map<string, Row> {
    const restored = new Map<string, Row>();
    for (const [key, row] of before)
      if ((this.rows.get(key) ?? ABSENT).state === states.get(key) && !findViolation(row.values ?? null, this.rules))
        restored.set(key, row);
    // The service tests the columns in turn until none has a cycle.
    for (
      let position = 0, acyclic = 0;
      acyclic < this.parents.length;
      position = (position + 1) % this.parents.length
    ) {
      const column = this.parents[position]!;
      const after = new Map(this.stored);
      for (const [key, { values }] of restored) {
        if (values) after.set(key, values);
        else after.delete(key);
      }
      const cyclic = [...restored.keys()].filter((key) => isOnCycle(after, column, key));
      for (const key of cyclic) restored.delete(key);
      acyclic = cyclic.length > 0 ? 0 : acyclic + 1;
    }
    return restored;
  }

  restore(restored: ReadonlyMap<string, Row>): Pick<ModelBatch, 'before' | 'states'> {
    const before = new Map<string, Row>();
    const states = new Map<string, number>();
    for (const [key, row] of restored) {
      before.set(key, this.rows.get(key) ?? ABSENT);
      states.set(key, row.state);
      this.rows.set(key, { ...row });
    }
    if (before.size > 0) this.revision++;
    return { before, states };
  }
}

/** Which rule the values violate. @param values null: the row does not exist. */
export function findViolation(values: Item | null, { required, choices, indexed }: Rules): string | undefined {
  if (!values) return undefined;
  if (required && values['name'] === null) return 'required';
  const { state, long } = values;
  if (choices && typeof state === 'string' && !CHOICES.includes(state)) return 'type_mismatch';
  return indexed && typeof long === 'string' && long.length > 1_000 ? 'too_long' : undefined;
}

/** Does the path of parents lead back to the row? */
function isOnCycle(rows: ReadonlyMap<string, Item>, column: string, start: string): boolean {
  const seen = new Set<string>();
  let key = rows.get(start)?.[column];
  while (typeof key === 'string' && !seen.has(key)) {
    if (key === start) return true;
    seen.add(key);
    key = rows.get(key)?.[column];
  }
  return false;
}

/** Do the parents of the row, upwards, name the key? */
export function isBelow(rows: ReadonlyMap<string, Item>, column: string, start: string, ancestor: string): boolean {
  const seen = new Set<string>();
  let key: Item[string] | undefined = start;
  while (typeof key === 'string' && !seen.has(key)) {
    seen.add(key);
    key = rows.get(key)?.[column];
    if (key === ancestor) return true;
  }
  return false;
}

function isEqual(a: Item | undefined, b: Item | undefined): boolean {
  if (!a || !b) return a === b;
  return Object.keys(b).every((name) => (a[name] ?? null) === b[name]);
}
