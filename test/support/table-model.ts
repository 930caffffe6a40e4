import type { Item } from './tables.js';

/** The hierarchies of a Locations table, in the order of its columns. */
export const PARENTS = ['parent', 'process'] as const;

/** The values of a row; undefined if it does not exist. */
type Row = Item | undefined;

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
  /** The revision of its rows. */
  revision: number;
  before: Map<string, Row>;
  after: Map<string, Row>;
  isUndone: boolean;
}

/** What a batch needs for its undo. */
export type ModelChange = Pick<ModelBatch, 'revision' | 'before' | 'after'>;

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
  /** The rows at each revision. */
  readonly snapshots = new Map<number, ReadonlyMap<string, Item>>();
  /** The revisions at which a rename gave a row the key. */
  readonly received = new Map<string, number>();
  /** The revisions at which a rename took the key from a row. */
  readonly givenUp = new Map<string, number>();
  /** The revision since which the column `extra` exists. */
  addedRevision = 1;
  rules: Rules = { required: false, choices: false, indexed: false };

  constructor(
    readonly name: string,
    readonly surface: 'locations' | 'assets',
    readonly columns: readonly string[],
  ) {}

  /** The rows that exist. */
  get stored(): Map<string, Item> {
    return new Map([...this.rows].flatMap(([key, values]) => (values ? [[key, values]] : [])));
  }

  find(key: string): Item | undefined {
    return this.rows.get(key);
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

  /** Writes the rows that differ, with the next revision. @param renamed the former and the new key of a rename. */
  write(written: Written, renamed?: { from: string; to: string }): ModelChange {
    const differing = [...written].filter(([key, values]) => !isEqual(this.find(key), values));
    const change = this.restore(new Map(differing));
    if (renamed) {
      this.givenUp.set(renamed.from, change.revision);
      this.received.set(renamed.to, change.revision);
    }
    return change;
  }

  /** The differences between the snapshots of two revisions, as the service lists them. */
  findDifferences(from: number, to: number): object[] {
    const [before, after] = [this.snapshots.get(from)!, this.snapshots.get(to)!];
    return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((key) => {
      const [old, next] = [before.get(key), after.get(key)];
      const changed = this.columns.filter((name) => name !== 'key' && (old?.[name] ?? null) !== (next?.[name] ?? null));
      const columns = Object.fromEntries(
        changed.map((name) => [name, { from: old?.[name] ?? null, to: next?.[name] ?? null }]),
      );
      if (old && next && changed.length === 0) return [];
      return [{ change: !old ? 'create' : next ? 'update' : 'delete', key, columns }];
    });
  }

  /** Remembers the rows of the current revision. */
  takeSnapshot(): void {
    const rows = [...this.stored].map(([key, values]): [string, Item] => [key, { ...values }]);
    this.snapshots.set(this.revision, new Map(rows));
  }

  /** The rows that an undo restores: the others were changed since, violate a rule, or would be on a cycle. */
  findRestorable({ revision, before, after }: ModelBatch): Map<string, Row> {
    const restored = new Map<string, Row>();
    for (const [key, values] of before) {
      const current = this.find(key);
      const renamedAt = Math.max(this.received.get(key) ?? 0, this.givenUp.get(key) ?? 0);
      const isOther = current !== undefined && renamedAt > revision;
      if (isEqual(current, after.get(key)) && !isOther && !findViolation(values ?? null, this.rules))
        restored.set(key, values);
    }
    // The service tests the columns in turn until none has a cycle.
    for (
      let position = 0, acyclic = 0;
      acyclic < this.parents.length;
      position = (position + 1) % this.parents.length
    ) {
      const column = this.parents[position]!;
      const after = new Map(this.stored);
      for (const [key, values] of restored) {
        if (values) after.set(key, values);
        else after.delete(key);
      }
      const cyclic = [...restored.keys()].filter((key) => isOnCycle(after, column, key));
      for (const key of cyclic) restored.delete(key);
      acyclic = cyclic.length > 0 ? 0 : acyclic + 1;
    }
    return restored;
  }

  /** The selected rows that differ from those of the revision, as a restoration writes them; undefined: deleted. */
  findFormer(revision: number, isSelected: (key: string, row: Item) => boolean): Map<string, Item | undefined> {
    const then = this.snapshots.get(revision)!;
    const names = this.columns.filter((name) => name !== 'extra' || this.addedRevision <= revision);
    const former = new Map<string, Item | undefined>();
    for (const key of [...new Set([...then.keys(), ...this.stored.keys()])].sort()) {
      const [row, now] = [then.get(key), this.find(key)];
      if (![row, now].some((each) => each && isSelected(key, each))) continue;
      const values = row && Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
      if (!isEqual(now, values)) former.set(key, values);
    }
    return former;
  }

  /** Writes the rows, with the next revision. */
  restore(restored: ReadonlyMap<string, Row>): ModelChange {
    const before = new Map<string, Row>();
    const after = new Map<string, Row>();
    for (const [key, values] of restored) {
      before.set(key, copy(this.find(key)));
      after.set(key, copy(values));
      this.rows.set(key, copy(values));
    }
    if (before.size > 0) this.revision++;
    return { revision: this.revision, before, after };
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

function copy(values: Row): Row {
  return values && { ...values };
}

function isEqual(a: Item | undefined, b: Item | undefined): boolean {
  if (!a || !b) return a === b;
  return Object.keys(b).every((name) => (a[name] ?? null) === b[name]);
}
