import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { ApiResponse } from './api.js';
import type { Database } from './database.js';
import { lines, sendFile } from './imports.js';
import type { Random, Step, TableIndex } from './random-steps.js';
import { TableAdministration } from './table-administration.js';
import { CHOICES, findViolation, isBelow, type ModelBatch, ModelTable, PARENTS, type Written } from './table-model.js';
import { column, type Item, Tables, text, unique } from './tables.js';

const SITE_COLUMNS = [
  text('Key'),
  text('Name'),
  column('State', 'tagStatus'),
  text('Long'),
  text('Extra'),
  column('Rank', 'number', { options: { indexed: true } }),
  column('Parent', 'hierarchyParent'),
  column('Process', 'hierarchyParent'),
];
const SITE_NAMES = ['key', 'name', 'state', 'long', 'extra', 'rank', 'parent', 'process'];
const PUMP_NAMES = ['key', 'name', 'link', 'any'];
/** The columns of an Assets table that refer to rows of Locations tables. */
const LINKS = ['link', 'any'] as const;

/** How long a table is locked, in milliseconds: longer than a write waits for it. */
const LOCKED_MS = 1_200;
const LOCKED_INTERVAL_MS = 10;

/** Pairs of revisions whose differences are compared, per table. */
const PAIRS = 5;

/** How the service must respond to a step, and what the step does if it succeeds. */
export interface Planned {
  /** The step is not possible: it is skipped. */
  send?: (caller: Tables) => Promise<ApiResponse>;
  status: number;
  error?: string;
  /** @param batchId of the response, or of the newest batch if the response was lost. */
  apply: (batchId: string | undefined, answer?: ApiResponse) => void;
}

/** A copy of a table that follows its change feed. */
interface Copy {
  revision: number;
  rows: Map<string, Item>;
}

const SKIPPED: Planned = { status: 0, apply: () => undefined };

/** Two Locations tables with the same keys and an Assets table that refers to them, with a model of each. */
export class ModelledTables {
  readonly tables: readonly [ModelTable, ModelTable, ModelTable];
  private readonly batches: ModelBatch[] = [];
  private readonly copies: readonly Copy[];

  private constructor(
    names: readonly [string, string, string],
    private readonly expectEqual: (actual: unknown, expected: unknown) => void,
  ) {
    const [north, south, pumps] = names;
    this.tables = [
      new ModelTable(north, 'locations', SITE_NAMES),
      new ModelTable(south, 'locations', SITE_NAMES),
      new ModelTable(pumps, 'assets', PUMP_NAMES),
    ];
    this.copies = this.tables.map(() => ({ revision: 0, rows: new Map() }));
  }

  static async create(caller: Tables, expectEqual: (actual: unknown, expected: unknown) => void) {
    const names = [unique('North'), unique('South'), unique('Pumps')] as const;
    const target = { options: { target: { entity: 'location', table: names[0] } } };
    const columns = [text('Key'), text('Name'), column('Link', 'reference', target), column('Any', 'reference')];
    for (const name of names.slice(0, 2)) await caller.bulk('locations', { name, columns: SITE_COLUMNS, items: [] });
    await caller.bulk('assets', { name: names[2], columns, items: [] });
    await TableAdministration.for(caller).setTitle('locations', names[0]);
    const model = new ModelledTables(names, expectEqual);
    model.tables[0].revision++;
    return model;
  }

  plan(step: Exclude<Step, { kind: 'readPages' | 'lockTable' }>): Planned {
    switch (step.kind) {
      case 'bulk':
      case 'import':
      case 'replace':
        return this.planLoad(step);
      case 'put':
      case 'patch':
        return this.planRow(step);
      case 'delete':
        return this.planDelete(step.table, step.key);
      case 'deleteMany':
        return this.planDeleteMany(step.table, step.keys);
      case 'rename':
        return this.planRename(step);
      case 'undo':
        return this.planUndo(step);
      case 'restore':
        return this.planRestore(step);
      case 'rules':
        return this.planRules(step);
      case 'addRequired':
        return this.planRequired(step.table, step.keys);
      case 'emptyScope':
        return this.planEmptyScope(step.table, step.filter);
      case 'readdColumn':
        return this.planColumn(step.table);
    }
  }

  /** Compares the tables, and the copies that follow their feeds, with the model. */
  async compare(caller: Tables): Promise<void> {
    await Promise.all(this.tables.map((table, index) => this.compareTable(caller, table, this.copies[index]!)));
  }

  private async compareTable(caller: Tables, table: ModelTable, copy: Copy): Promise<void> {
    const expected = table.stored;
    const isLinked = table === this.tables[2];
    const query: Record<string, string | number> = { limit: 50 };
    if (isLinked) query['expand'] = 'link';
    const [page, { items, addedColumns, revision }] = await Promise.all([
      caller.read(table.surface, table.name, query),
      readChanges(caller, pathOf(caller, table), copy.revision),
    ]);
    const { items: rows, nextCursor, expanded } = page.body.data;
    this.expectEqual([toMap(rows as Item[]), nextCursor], [expected, null]);
    if (isLinked) this.compareTitles(expanded.link as Record<string, { title: string }>);
    for (const row of copy.rows.values()) for (const key of addedColumns) row[key] = null;
    for (const { key, deleted, item } of items) {
      if (deleted) copy.rows.delete(key);
      else copy.rows.set(key, item);
    }
    copy.revision = revision;
    this.expectEqual(copy.rows, expected);
    this.expectEqual(revision, table.revision);
    table.takeSnapshot();
  }

  /**
   * Compares the history with the model: the rows as of each revision that was seen, the differences between random
   * ones, and the values of each row at each of them.
   */
  async compareHistory(caller: Tables, random: Random): Promise<void> {
    const pairs = this.tables.map((table) => choosePairs(random, [...table.snapshots.keys()]));
    await Promise.all(this.tables.map((table, index) => this.compareHistoryOf(caller, table, pairs[index]!)));
  }

  private async compareHistoryOf(caller: Tables, table: ModelTable, pairs: readonly [number, number][]): Promise<void> {
    const path = pathOf(caller, table);
    for (const [revision, expected] of table.snapshots) {
      const { items } = (await caller.read(table.surface, table.name, { asOf: revision, limit: 50 })).body.data;
      this.expectEqual([revision, toMap(items as Item[])], [revision, expected]);
    }
    for (const [from, to] of pairs) {
      const lines = (await caller.api.get(`${path}/differences?from=${from}&to=${to}`)).body as string;
      const changes = table.findDifferences(from, to);
      this.expectEqual([from, to, parseLines(lines).slice(0, -1)], [from, to, changes]);
    }
    for (const key of table.rows.keys()) {
      const { body } = await caller.api.get(`${path}/items/${key}/history?limit=200`);
      const since = table.received.get(key) ?? 0;
      const seen = [...table.snapshots].filter(([revision]) => revision >= since);
      const states = seen.map(([revision, rows]) => [revision, toEmptyless(rows.get(key))]);
      const entries = body.data.items as RowChange[];
      const replayed = seen.map(([revision]) => [revision, replay(entries, key, revision)]);
      this.expectEqual([key, replayed], [key, states]);
    }
  }

  /** Increases with each change. */
  get revisions(): number {
    return this.tables.reduce((sum, { revision }) => sum + revision, 0);
  }

  /** Are the tables as they were before the step? */
  async isUnchanged(caller: Tables): Promise<boolean> {
    for (const { surface, name, revision } of this.tables)
      if ((await caller.revision(surface, name)) !== revision) return false;
    return true;
  }

  /** Reads pages after a cursor while all rows are written: each must have the rows of the revision in its ETag. */
  async readPages(index: 0 | 1, writer: Tables, reader: Tables): Promise<void> {
    const table = this.tables[index];
    if (table.stored.size < 4) return;
    const rowsAfterFirst = () => [...table.stored.values()].sort(compareRanks).slice(1);
    const query = { sort: 'rank', limit: 1 };
    const { nextCursor } = (await reader.read(table.surface, table.name, query)).body.data;
    const expected = new Map([[table.revision, rowsAfterFirst()]]);
    let isWriting = true;
    const pages: ApiResponse[] = [];
    const reading = Array.from({ length: 3 }, async () => {
      while (isWriting)
        pages.push(await reader.read(table.surface, table.name, { ...query, limit: 50, cursor: nextCursor as string }));
    });
    for (let round = 0; round < 6; round++) {
      const items = [...table.stored.keys()].map((key) => ({ key, name: `round ${round}` }));
      const planned = this.planLoad({ kind: 'bulk', table: index, items });
      const answer = await planned.send!(writer);
      this.expectEqual(answer.status, 200);
      planned.apply(answer.body.data.batchId as string);
      expected.set(table.revision, rowsAfterFirst());
    }
    isWriting = false;
    await Promise.all(reading);
    for (const { headers, body } of pages) {
      const revision = Number.parseInt(headers.get('ETag')!.slice(1));
      this.expectEqual([revision, body.data.items], [revision, expected.get(revision)]);
    }
  }

  /**
   * Writes of single rows arrive while the table is locked longer than they may wait: all are rejected, and the
   * instance continues.
   */
  async lockTable(index: TableIndex, database: Database, caller: Tables): Promise<void> {
    const table = this.tables[index];
    const client = new Client(database.url);
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM workspace_tables WHERE name = $1 FOR UPDATE', [table.name]);
      const writes: Promise<ApiResponse>[] = [];
      // Also when the first write has waited too long, which ends the wait of the others.
      const end = Date.now() + LOCKED_MS;
      while (Date.now() < end) {
        const key = `locked ${writes.length}`;
        writes.push(caller.api.put(`${pathOf(caller, table)}/items/${encodeURIComponent(key)}`, { name: 'A' }));
        await delay(LOCKED_INTERVAL_MS);
      }
      for (const { status } of await Promise.all(writes)) this.expectEqual(status, 503);
    } finally {
      await client.end();
    }
  }

  private planLoad({ kind, table: index, items }: Extract<Step, { items: Item[] }>): Planned {
    const table = this.tables[index];
    const { name, surface } = table;
    const query: Record<string, string> = kind === 'replace' ? { mode: 'replace', maxDeletions: '100%' } : {};
    const send = (caller: Tables) =>
      kind === 'bulk'
        ? caller.bulk(surface, { name, items })
        : sendFile(caller, name, lines(items), { surface, query });
    if (!table.areValid(items)) return { send, status: 422, error: 'invalid_rows', apply: () => undefined };
    const missing = kind === 'replace' ? [...table.stored.keys()] : [];
    const written = new Map<string, Item | undefined>(missing.map((key) => [key, undefined]));
    for (const item of items) written.set(item['key'] as string, table.merge(item));
    return { send, status: 200, apply: this.recorder(table, written) };
  }

  private planRow({ kind, table: index, item }: Extract<Step, { item: Item }>): Planned {
    const table = this.tables[index];
    const { key, ...body } = item as Item & { key: string };
    const path = (caller: Tables) => `${pathOf(caller, table)}/items/${key}`;
    const send = (caller: Tables) => caller.api[kind](path(caller), body);
    const exists = table.find(key) !== undefined;
    if (kind === 'patch' && !exists) return { send, status: 404, apply: () => undefined };
    const sent = kind === 'put' ? { ...Object.fromEntries(table.columns.map((name) => [name, null])), ...item } : item;
    if (!table.areValid([sent])) return { send, status: 422, error: 'invalid_rows', apply: () => undefined };
    const apply = (_: unknown, answer?: ApiResponse) => {
      table.write(new Map([[key, table.merge(sent)]]));
      if (answer) this.expectEqual(sortLinks(answer.body.data.unresolved), sortLinks(this.findUnresolved(table, key)));
    };
    return { send, status: exists ? 200 : 201, apply };
  }

  private planDelete(index: TableIndex, key: string): Planned {
    const table = this.tables[index];
    const send = (caller: Tables) => caller.api.delete(`${pathOf(caller, table)}/items/${key}`);
    if (!table.find(key)) return { send, status: 404, apply: () => undefined };
    return { send, status: 200, apply: () => void table.write(new Map([[key, undefined]])) };
  }

  private planDeleteMany(index: TableIndex, keys: readonly string[]): Planned {
    const table = this.tables[index];
    const existing = keys.filter((key) => table.find(key));
    const send = (caller: Tables) => caller.api.post(`${pathOf(caller, table)}/items/delete`, { keys });
    return { send, status: 200, apply: this.recorder(table, new Map(existing.map((key) => [key, undefined]))) };
  }

  private planRename({ table: index, from, to }: Extract<Step, { kind: 'rename' }>): Planned {
    const table = this.tables[index];
    const row = table.find(from);
    const send = (caller: Tables) => caller.api.post(`${pathOf(caller, table)}/items/${from}/rename`, { key: to });
    const nothing = () => undefined;
    if (!row) return { send, status: 404, apply: nothing };
    if (from === to) return { send, status: 200, apply: nothing };
    if (table.find(to)) return { send, status: 409, error: 'key_taken', apply: nothing };
    if (PARENTS.some((parent) => isBelow(table.stored, parent, from, to)))
      return { send, status: 422, error: 'invalid_key', apply: nothing };
    return { send, status: 200, apply: (_, answer) => this.rename(index, from, to, answer) };
  }

  private rename(index: 0 | 1, from: string, to: string, answer: ApiResponse | undefined): void {
    const table = this.tables[index];
    const pumps = this.tables[2];
    const isAmbiguous = this.tables[1 - index]!.find(from) !== undefined;
    const changed = { children: 0, references: 0, ambiguous: 0 };
    const renamed = new Map<string, Item | undefined>([[to, { ...table.find(from)!, key: to }]]);
    for (const [key, values] of table.stored) {
      const children = PARENTS.filter((parent) => values[parent] === from);
      changed.children += children.length;
      if (children.length > 0)
        renamed.set(key, { ...values, ...Object.fromEntries(children.map((each) => [each, to])) });
    }
    renamed.set(from, undefined);
    const relinked = new Map<string, Item>();
    for (const [key, values] of pumps.stored) {
      const named = LINKS.filter((link) => values[link] === from && (link === 'any' || index === 0));
      const followed = named.filter((link) => link === 'link' || !isAmbiguous);
      changed.references += followed.length;
      changed.ambiguous += named.length - followed.length;
      if (followed.length > 0)
        relinked.set(key, { ...values, ...Object.fromEntries(followed.map((link) => [link, to])) });
    }
    table.write(renamed, { from, to });
    pumps.write(relinked);
    if (answer) this.expectEqual(answer.body.data.changed, changed);
  }

  private planUndo({ last, skip }: Extract<Step, { kind: 'undo' }>): Planned {
    const batch = this.batches.at(-1 - last);
    if (!batch) return SKIPPED;
    const query = skip ? '?onConflict=skip' : '';
    const send = (caller: Tables) => caller.api.post(`${caller.path}/batches/${batch.id}/undo${query}`);
    if (batch.isUndone) return { send, status: 409, error: 'already_undone', apply: () => undefined };
    const table = this.tables.find(({ name }) => name === batch.table)!;
    const restored = table.findRestorable(batch);
    const conflicts = batch.before.size - restored.size;
    if (conflicts > 0 && !skip) return { send, status: 409, error: 'batch_conflict', apply: () => undefined };
    const apply = (id: string | undefined, answer?: ApiResponse) => {
      this.batches.push({ id: id!, table: table.name, ...table.restore(restored), isUndone: false });
      batch.isUndone = true;
      if (answer) this.expectEqual(answer.body.data.skipped, conflicts);
    };
    return { send, status: 200, apply };
  }

  private planRestore({ table: index, back, selection }: Extract<Step, { kind: 'restore' }>): Planned {
    const table = this.tables[index];
    const asOf = [...table.snapshots.keys()].at(-1 - back);
    if (asOf === undefined) return SKIPPED;
    const send = (caller: Tables) =>
      caller.api.post(`${pathOf(caller, table)}/restore`, { asOf: String(asOf), ...selection });
    const former = table.findFormer(asOf, (key, row) =>
      'keys' in selection ? selection.keys.includes(key) : row['name'] === selection.filter.name,
    );
    const items = [...former.values()].filter((values) => values !== undefined);
    if (!table.areValid(items)) return { send, status: 422, error: 'invalid_rows', apply: () => undefined };
    const written = new Map([...former].map(([key, values]) => [key, values && table.merge(values)]));
    return { send, status: 200, apply: this.recorder(table, written) };
  }

  private planRules({ table: index, edit, isSet }: Extract<Step, { kind: 'rules' }>): Planned {
    const table = this.tables[index];
    const columns = {
      required: { key: 'name', required: isSet },
      choices: { key: 'state', options: { choices: isSet ? CHOICES : null } },
      indexed: { key: 'long', options: { indexed: isSet || null } },
    };
    const send = (caller: Tables) => caller.api.put(pathOf(caller, table), { columns: [columns[edit]] });
    const added = { required: false, choices: false, indexed: false, [edit]: isSet };
    const isViolated = [...table.stored.values()].some((values) => findViolation(values, added));
    if (isViolated) return { send, status: 422, error: 'invalid_columns', apply: () => undefined };
    const apply = () => {
      if (table.rules[edit] !== isSet) table.revision++;
      table.rules[edit] = isSet;
    };
    return { send, status: 200, apply };
  }

  /** A required column must have a value in each row afterwards: here, not all rows get one. */
  private planRequired(index: TableIndex, keys: readonly string[]): Planned {
    const { surface, name, stored } = this.tables[index];
    if ([...stored.keys()].every((key) => keys.includes(key))) return SKIPPED;
    const columns = [text('Owner', { required: true })];
    const items = keys.map((key) => ({ key, owner: 'x' }));
    return { send: (caller) => caller.bulk(surface, { name, columns, items }), status: 422, apply: () => undefined };
  }

  private planEmptyScope(index: TableIndex, filter: string): Planned {
    const { surface, name } = this.tables[index];
    const query = { mode: 'replace', maxDeletions: '100%', filter };
    const send = (caller: Tables) => sendFile(caller, name, lines([{ key: 'a' }]), { surface, query });
    return { send, status: 400, error: 'invalid_query', apply: () => undefined };
  }

  /** Drops the column and adds it again: it is empty in all rows, also in those that an undo restores. */
  private planColumn(index: 0 | 1): Planned {
    const table = this.tables[index];
    const send = async (caller: Tables) => {
      const dropped = await caller.api.delete(`${pathOf(caller, table)}/columns/extra?confirm=extra`);
      if (dropped.status !== 200) return dropped;
      return caller.api.put(pathOf(caller, table), { columns: [text('Extra')] });
    };
    const apply = () => {
      table.revision += 2;
      table.addedRevision = table.revision;
      const batches = this.batches.filter((batch) => batch.table === table.name);
      for (const rows of [table.rows, ...batches.flatMap(({ before, after }) => [before, after])])
        for (const values of rows.values()) if (values) values['extra'] = null;
      for (const rows of table.snapshots.values()) for (const values of rows.values()) values['extra'] = null;
    };
    return { send, status: 200, apply };
  }

  private recorder(table: ModelTable, written: Written): Planned['apply'] {
    return (id) => this.batches.push({ id: id!, table: table.name, ...table.write(written), isUndone: false });
  }

  private findUnresolved(table: ModelTable, key: string): { column: string; value: string }[] {
    const row = table.find(key)!;
    const [north, south] = this.tables;
    const targets = (name: string) =>
      table.surface === 'locations' ? [table] : name === 'link' ? [north] : [north, south];
    return (table.surface === 'locations' ? PARENTS : LINKS).flatMap((name) => {
      const value = row[name] as string | null;
      return value !== null && !targets(name).some((target) => target.find(value)) ? [{ column: name, value }] : [];
    });
  }

  /** The titles of expand are those of the rows that exist. */
  private compareTitles(expanded: Record<string, { title: string }>): void {
    const [north, , pumps] = this.tables;
    const linked = new Set([...pumps.stored.values()].map(({ link }) => link));
    const titles = [...north.stored].flatMap(([key, { name }]) => (linked.has(key) ? [[key, name || key]] : []));
    const found = Object.entries(expanded).map(([key, { title }]): [string, string] => [key, title]);
    this.expectEqual(new Map(found), new Map(titles as [string, string][]));
  }
}

/** The first and the last revision, and random ones. */
function choosePairs(random: Random, revisions: readonly number[]): [number, number][] {
  const pairs = Array.from({ length: PAIRS - 1 }, () => [random.of(revisions), random.of(revisions)]);
  return [
    [revisions[0]!, revisions.at(-1)!],
    ...pairs.map(([a, b]): [number, number] => [Math.min(a!, b!), Math.max(a!, b!)]),
  ];
}

/** An entry of the history of a row. */
interface RowChange {
  revision: number;
  change: string;
  columns: Record<string, { from: Item[string]; to: Item[string] }>;
}

/** The row at a revision by its history, without empty values. @param entries the newest first. */
function replay(entries: readonly RowChange[], key: string, revision: number): Item | undefined {
  let row: Item | undefined;
  for (const entry of entries.toReversed()) {
    if (entry.revision > revision) break;
    const { columns, change } = entry;
    const values = Object.entries(columns).map(([name, { to }]) => [name, to]);
    const before = columns['key']?.from === null ? {} : row;
    row = change === 'deleted' ? undefined : toEmptyless({ ...before, ...Object.fromEntries(values) });
  }
  // It may have received another key.
  return row?.['key'] === key ? row : undefined;
}

function toEmptyless(row: Item | undefined): Item | undefined {
  return row && Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

function parseLines(lines: unknown): unknown[] {
  // A single line is parsed already.
  if (typeof lines !== 'string') return [lines];
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

function pathOf(caller: Tables, { surface, name }: ModelTable): string {
  return `${caller.path}/${surface}/${encodeURIComponent(name)}`;
}

async function readChanges(caller: Tables, path: string, since: number) {
  const { body } = await caller.api.get(`${path}/changes?since=${since}`);
  type Change = { key: string; deleted: boolean; item: Item };
  return body.data as { items: Change[]; addedColumns: string[]; revision: number };
}

/** By rank and key; empty ranks are last. */
function compareRanks(a: Item, b: Item): number {
  const rank = (row: Item) => (row['rank'] as number | null) ?? Number.POSITIVE_INFINITY;
  const [first, second] = [rank(a), rank(b)];
  if (first !== second) return first < second ? -1 : 1;
  return (a['key'] as string) < (b['key'] as string) ? -1 : 1;
}

function sortLinks(links: { column: string; value: string }[]): string[] {
  return links.map(({ column: name, value }) => `${name} ${value}`).sort();
}

function toMap(rows: readonly Item[]): Map<string, Item> {
  return new Map(rows.map((row) => [row['key'] as string, row]));
}
