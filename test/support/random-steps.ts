import type { Item } from './tables.js';
import { CHOICES, LONG_TEXT, PARENTS } from './table-model.js';

/** Numbers that depend only on the seed. */
export class Random {
  constructor(private state: number) {}

  /** A whole number from 0 to `below` - 1. */
  below(below: number): number {
    // Mulberry32.
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  /** Some of the values, at least one. */
  some<T>(values: readonly T[], most: number): T[] {
    const chosen = new Set(Array.from({ length: 1 + this.below(most) }, () => this.of(values)));
    return [...chosen];
  }
}

const SITES = ['a', 'b', 'c', 'd', 'constructor'];
const PUMPS = ['1', '2', '3', '4', '5'];

/** The index of the Locations table or of the Assets table. */
export const TABLES = [0, 1, 2] as const;
export type TableIndex = (typeof TABLES)[number];

export type Step =
  | { kind: 'bulk' | 'import' | 'replace'; table: TableIndex; items: Item[] }
  | { kind: 'put' | 'patch'; table: TableIndex; item: Item }
  | { kind: 'delete'; table: TableIndex; key: string }
  | { kind: 'deleteMany'; table: TableIndex; keys: string[] }
  | { kind: 'rename'; table: 0 | 1; from: string; to: string }
  | { kind: 'undo'; last: number; skip: boolean }
  | { kind: 'restore'; table: TableIndex; back: number; selection: { keys: string[] } | { filter: { name: string } } }
  | { kind: 'rules'; table: 0 | 1; edit: 'required' | 'choices' | 'indexed'; isSet: boolean }
  | { kind: 'addRequired'; table: TableIndex; keys: string[] }
  | { kind: 'emptyScope'; table: TableIndex; filter: string }
  | { kind: 'readdColumn'; table: 0 | 1 }
  | { kind: 'readPages'; table: 0 | 1 }
  | { kind: 'lockTable'; table: TableIndex };

const WEIGHTS: [Step['kind'], number][] = [
  ['bulk', 22],
  ['import', 8],
  ['replace', 8],
  ['put', 8],
  ['patch', 8],
  ['delete', 3],
  ['deleteMany', 5],
  ['rename', 9],
  ['undo', 26],
  ['restore', 8],
  ['rules', 8],
  ['addRequired', 3],
  ['emptyScope', 2],
  ['readdColumn', 2],
  ['readPages', 3],
  ['lockTable', 2],
];

const KINDS = WEIGHTS.flatMap(([kind, weight]) => Array.from({ length: weight }, () => kind));

/** How often steps are chosen that form a case together, in percent. */
const CASES_PERCENT = 10;

/** Creates steps that often contradict each other: few keys, and parents in all directions. */
export function createSteps(random: Random): Step[] {
  if (!random.chance(CASES_PERCENT)) return [createStep(random)];
  return random.of([createUndoneCycle, createUndoneViolation, createAmbiguousRename])(random);
}

/** An undo of the second batch would restore a parent that is below its row since the third one. */
function createUndoneCycle(random: Random): Step[] {
  const table = random.of([0, 1] as const);
  const parent = random.of(PARENTS);
  const [row, other] = random.some(SITES, 8) as [string, string?];
  const set = (...items: Item[]): Step => ({ kind: 'bulk', table, items });
  if (other === undefined) return [];
  const valid = { name: 'A', state: 'open', long: null };
  return [
    set({ key: row, ...valid, [parent]: other }, { key: other, ...valid, [parent]: null }),
    set({ key: row, [parent]: null }),
    set({ key: other, [parent]: row }),
    { kind: 'undo', last: 1, skip: random.chance(50) },
  ];
}

/** An undo of the second batch would restore a value that a rule forbids since then. */
function createUndoneViolation(random: Random): Step[] {
  const table = random.of([0, 1] as const);
  const key = random.of(SITES);
  const edit = random.of(['required', 'choices', 'indexed'] as const);
  const valid = { name: 'A', state: 'open', long: null };
  const invalid = { required: { name: null }, choices: { state: 'late' }, indexed: { long: LONG_TEXT } }[edit];
  return [
    { kind: 'rules', table, edit, isSet: false },
    { kind: 'replace', table, items: [{ key, ...valid, ...invalid }] },
    random.chance(50)
      ? { kind: 'bulk', table, items: [{ key, ...valid }] }
      : { kind: 'deleteMany', table, keys: [key] },
    { kind: 'rules', table, edit, isSet: true },
    { kind: 'undo', last: 0, skip: random.chance(50) },
  ];
}

/** A rename of a row whose key another Locations table has, too, with references to it. */
function createAmbiguousRename(random: Random): Step[] {
  const [from, to] = random.some(SITES, 8) as [string, string?];
  const table = random.of([0, 1] as const);
  if (to === undefined) return [];
  const items = [{ key: from, name: 'A', state: 'open', long: null }];
  return [
    { kind: 'bulk', table: 0, items },
    { kind: 'bulk', table: 1, items },
    { kind: 'bulk', table: 2, items: [{ key: random.of(PUMPS), link: from, any: from }] },
    { kind: 'delete', table, key: to },
    { kind: 'rename', table, from, to },
  ];
}

/** @param kind of the step; by default a random one. */
export function createStep(random: Random, kind: Step['kind'] = random.of(KINDS)): Step {
  const table = random.of(TABLES);
  const site = random.of([0, 1] as const);
  switch (kind) {
    case 'bulk':
    case 'import':
    case 'replace':
      return { kind, table, items: random.some(keysOf(table), 4).map((key) => createItem(random, table, key)) };
    case 'put':
    case 'patch':
      return { kind, table, item: createItem(random, table, random.of(keysOf(table))) };
    case 'delete':
      return { kind, table, key: random.of(keysOf(table)) };
    case 'deleteMany':
    case 'addRequired':
      return { kind, table, keys: random.some(keysOf(table), 3) };
    case 'rename':
      return { kind, table: site, from: random.of(SITES), to: random.of(SITES) };
    case 'undo':
      // Mostly one of the last batches, so that undos form chains.
      return { kind, last: random.below(random.chance(70) ? 4 : 12), skip: random.chance(50) };
    case 'restore': {
      const selection = random.chance(70)
        ? { keys: random.some(keysOf(table), 4) }
        : { filter: { name: random.of(['A', 'B', 'C']) } };
      return { kind, table, back: random.below(random.chance(70) ? 5 : 20), selection };
    }
    case 'rules':
      return { kind, table: site, edit: random.of(['required', 'choices', 'indexed']), isSet: random.chance(65) };
    case 'emptyScope':
      return { kind, table, filter: random.of(['{}', '{"key":{}}', '{"name":{}}']) };
    case 'readdColumn':
    case 'readPages':
      return { kind, table: site };
    case 'lockTable':
      return { kind, table };
  }
}

export function keysOf(table: TableIndex): readonly string[] {
  return table === 2 ? PUMPS : SITES;
}

/** A row that sends some of the columns. */
function createItem(random: Random, table: TableIndex, key: string): Item {
  const reference = () => (random.chance(25) ? null : random.of(SITES));
  const values: Item =
    table === 2
      ? { name: random.of(['A', 'B', null]), link: reference(), any: reference() }
      : {
          name: random.of(['A', 'B', 'C', 'D', null]),
          state: random.of([...CHOICES, 'open', 'late', null]),
          long: random.of(['short', 'short', LONG_TEXT, null]),
          extra: random.of(['x', 'y', null]),
          rank: random.of([1, 1, 2, 3, null]),
          parent: reference(),
          process: reference(),
        };
  return { key, ...Object.fromEntries(Object.entries(values).filter(() => random.chance(50))) };
}
