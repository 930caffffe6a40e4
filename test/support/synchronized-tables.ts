import fc from 'fast-check';
import type { ApiResponse } from './api.js';
import { lines, sendFile } from './imports.js';
import { column, type Item, type Surface, type Tables, text, unique } from './tables.js';

const SURFACES = ['locations', 'assets'] as const;
type Modelled = (typeof SURFACES)[number];

/** The column that refers to a location: its parent, or the location of an asset. */
const REFERENCE: Record<Modelled, string> = { locations: 'parent', assets: 'link' };

/** A row, or what is known about a row that does not exist. */
interface Row {
  /** Undefined if it does not exist. */
  values: Item | undefined;
  /** The revision of the table that last changed it. */
  revision: number;
}

const ABSENT: Row = { values: undefined, revision: 0 };

interface ModelChange {
  revision: number;
  before: Map<string, Row>;
  after: Map<string, Row>;
}

interface ModelBatch {
  id: string;
  /** Per table: its revision, and the rows before and afterwards, by key. */
  tables: Map<Modelled, ModelChange>;
  undoneBy?: ModelBatch;
  undoes?: ModelBatch;
}

interface ModelTable {
  name: string;
  revision: number;
  rows: Map<string, Row>;
  /** The revisions at which a rename gave a row the key, or took it from a row. */
  renamed: Map<string, number>;
  /** A copy that follows the change feed. */
  replica: Map<string, Item>;
  replicaRevision: number;
}

export type Command =
  | { kind: 'bulk' | 'import' | 'replace'; surface: Modelled; items: Item[] }
  | { kind: 'delete'; surface: Modelled; keys: string[] }
  | { kind: 'rename'; from: string; to: string }
  | { kind: 'undo'; batch: number; skip: boolean };

const NUMBERS = 6;
const sites = fc.integer({ min: 0, max: NUMBERS - 1 });
const siteKey = (number: number, letter: string) => `${letter}${number}`;
const site = fc.tuple(sites, fc.constantFrom('s', 't')).map(([number, letter]) => siteKey(number, letter));
/** Parents have lower numbers, so that no sequence creates a cycle. */
const parentOf = (key: string, parent: string | null) => (parent !== null && parent[1]! < key[1]! ? parent : null);

const location = fc
  .record({ key: site, name: fc.constantFrom('A', 'B', null), parent: fc.option(site) }, { requiredKeys: ['key'] })
  .map(({ parent, ...row }) => ({ ...row, ...(parent === undefined ? {} : { parent: parentOf(row.key, parent) }) }));
const asset = fc.record(
  { key: fc.constantFrom('1', '2', '3', '4', '5', '6'), name: fc.constantFrom('A', 'B'), link: fc.option(site) },
  { requiredKeys: ['key'] },
);
const distinct = (row: fc.Arbitrary<object>) =>
  fc.uniqueArray(row as fc.Arbitrary<Item>, { selector: ({ key }) => key, minLength: 1, maxLength: 6 });
const rowsOf = { locations: distinct(location), assets: distinct(asset) };
const keysOf = {
  locations: fc.uniqueArray(site, { minLength: 1, maxLength: 4 }),
  assets: fc.uniqueArray(fc.constantFrom('1', '2', '3', '4', '5', '6', '7'), { minLength: 1, maxLength: 4 }),
};
const perSurface = <T>(build: (surface: Modelled) => fc.Arbitrary<T>) => fc.oneof(...SURFACES.map(build));

export const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: perSurface((surface) => writing('bulk', surface)) },
  { weight: 2, arbitrary: perSurface((surface) => writing('import', surface)) },
  { weight: 2, arbitrary: perSurface((surface) => writing('replace', surface)) },
  {
    weight: 2,
    arbitrary: perSurface((surface) => keysOf[surface].map((keys): Command => ({ kind: 'delete', surface, keys }))),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(sites, fc.boolean()).map(([number, isSwapped]): Command => {
      const [from, to] = isSwapped ? ['t', 's'] : ['s', 't'];
      return { kind: 'rename', from: siteKey(number, from), to: siteKey(number, to) };
    }),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ batch: fc.nat({ max: 20 }), skip: fc.boolean() })
      .map((undo): Command => ({ kind: 'undo', ...undo })),
  },
);

function writing(kind: 'bulk' | 'import' | 'replace', surface: Modelled): fc.Arbitrary<Command> {
  return rowsOf[surface].map((items): Command => ({ kind, surface, items }));
}

const COLUMNS: Record<Modelled, ReturnType<typeof text>[]> = {
  locations: [text('Key'), text('Name'), column('Parent', 'hierarchyParent')],
  assets: [text('Key'), text('Name')],
};

/** A Locations table and an Assets table that refers to it, with a model of Maps that executes the same commands. */
export class SynchronizedTables {
  private readonly tables: Record<Modelled, ModelTable>;
  private readonly batches: ModelBatch[] = [];
  private readonly first: Record<Modelled, Map<string, Item>>;
  /** Can the first state be restored? Not after writes of single rows, or if an undo left rows as they are. */
  private isRestorable = true;

  private constructor(
    private readonly api: Tables,
    names: Record<Modelled, string>,
    private readonly expectEqual: (actual: unknown, expected: unknown) => void,
  ) {
    const create = (name: string) => ({
      name,
      revision: 1,
      rows: new Map(),
      renamed: new Map(),
      replica: new Map(),
      replicaRevision: 0,
    });
    this.tables = { locations: create(names.locations), assets: create(names.assets) };
    for (const [surface, items] of Object.entries(FIRST_ROWS) as [Modelled, Item[]][])
      for (const item of items) this.tables[surface].rows.set(item['key'] as string, { values: item, revision: 1 });
    this.first = { locations: this.stored('locations'), assets: this.stored('assets') };
  }

  static async create(api: Tables, expectEqual: (actual: unknown, expected: unknown) => void) {
    const names = { locations: unique('Model'), assets: unique('Model') };
    const target = { options: { target: { entity: 'location', table: names.locations } } };
    const assets = [...COLUMNS.assets, column('Link', 'reference', target)];
    await api.bulk('locations', { name: names.locations, columns: COLUMNS.locations, items: FIRST_ROWS.locations });
    await api.bulk('assets', { name: names.assets, columns: assets, items: FIRST_ROWS.assets });
    return new SynchronizedTables(api, names, expectEqual);
  }

  /** Executes the command, and compares the response, the tables and their replicas with the model. */
  async execute(command: Command): Promise<void> {
    if (command.kind === 'undo')
      await this.undo(this.batches[command.batch % (this.batches.length || 1)], command.skip);
    else if (command.kind === 'rename') await this.rename(command);
    else if (command.kind === 'delete') await this.delete(command);
    else await this.write(command);
    await this.compare();
  }

  /** Undoes all batches that have an effect, newest first. @returns whether the first state was restored. */
  async undoAll(): Promise<boolean> {
    const chains = this.batches.filter((batch) => !batch.undoneBy && hasEffect(batch));
    for (const batch of chains.reverse()) {
      await this.undo(batch, true);
      await this.compare();
    }
    if (this.isRestorable) for (const surface of SURFACES) this.expectEqual(this.stored(surface), this.first[surface]);
    return this.isRestorable;
  }

  private async write({ kind, surface, items }: Extract<Command, { items: Item[] }>): Promise<void> {
    const { name } = this.tables[surface];
    const query = kind === 'replace' ? { mode: 'replace', maxDeletions: '100%' } : undefined;
    const answer = await (kind === 'bulk'
      ? this.api.bulk(surface, { name, items })
      : sendFile(this.api, name, lines(items), { surface, query }));
    const written = new Map<string, Item | undefined>();
    if (kind === 'replace') for (const key of this.stored(surface).keys()) written.set(key, undefined);
    for (const item of items) {
      const key = item['key'] as string;
      const stored = this.tables[surface].rows.get(key)?.values;
      written.set(key, { name: null, [REFERENCE[surface]]: null, ...stored, ...item });
    }
    this.record(answer, surface, written);
  }

  private async delete({ surface, keys }: Extract<Command, { keys: string[] }>): Promise<void> {
    const path = `${this.pathOf(surface)}/items/delete`;
    this.record(await this.api.api.post(path, { keys }), surface, new Map(keys.map((key) => [key, undefined])));
  }

  private async rename({ from, to }: Extract<Command, { kind: 'rename' }>): Promise<void> {
    const answer = await this.api.api.post(`${this.pathOf('locations')}/items/${from}/rename`, { key: to });
    const { rows } = this.tables.locations;
    const row = rows.get(from)?.values;
    const expected = !row ? 404 : rows.get(to)?.values ? 409 : 200;
    this.expectEqual(answer.status, expected);
    if (!row || expected !== 200) return;
    const renamed = new Map<string, Item | undefined>([[from, undefined]]);
    renamed.set(to, { ...row, key: to });
    for (const [key, values] of this.stored('locations'))
      if (values['parent'] === from) renamed.set(key, { ...values, parent: to });
    const linked = [...this.stored('assets')].filter(([, values]) => values['link'] === from);
    const { revision } = this.change('locations', renamed);
    for (const key of [from, to]) this.tables.locations.renamed.set(key, revision);
    this.change('assets', new Map(linked.map(([key, values]) => [key, { ...values, link: to }])));
    this.isRestorable = false;
  }

  private async undo(batch: ModelBatch | undefined, skip: boolean): Promise<void> {
    if (!batch) return;
    const answer = await this.api.api.post(
      `${this.api.path}/batches/${batch.id}/undo${skip ? '?onConflict=skip' : ''}`,
    );
    const restored = new Map<Modelled, Map<string, Row>>();
    let conflicts = 0;
    for (const [surface, { revision, before, after }] of batch.tables) {
      const unchanged = new Map<string, Row>();
      for (const [key, row] of before) {
        const current = this.tables[surface].rows.get(key) ?? ABSENT;
        const isOther = current.values && (this.tables[surface].renamed.get(key) ?? 0) > revision;
        if (isEqual(current.values, after.get(key)!.values) && !isOther) unchanged.set(key, row);
        else conflicts++;
      }
      restored.set(surface, unchanged);
    }
    const error = batch.undoneBy ? 'already_undone' : conflicts > 0 && !skip ? 'batch_conflict' : undefined;
    this.expectEqual([answer.status, answer.body.error], [error ? 409 : 200, error]);
    if (error) return;
    if (conflicts > 0) this.isRestorable = false;
    const undo: ModelBatch = { id: answer.body.data.batchId as string, tables: new Map(), undoes: batch };
    for (const [surface, rows] of restored) undo.tables.set(surface, this.restore(surface, rows));
    batch.undoneBy = undo;
    this.batches.push(undo);
  }

  private restore(surface: Modelled, restored: ReadonlyMap<string, Row>) {
    const table = this.tables[surface];
    const revision = table.revision + 1;
    const before = new Map<string, Row>();
    const after = new Map<string, Row>();
    for (const [key, { values }] of restored) {
      before.set(key, table.rows.get(key) ?? ABSENT);
      after.set(key, { values, revision });
      table.rows.set(key, { values, revision });
    }
    if (before.size > 0) table.revision = revision;
    return { revision, before, after };
  }

  private record(answer: ApiResponse, surface: Modelled, written: ReadonlyMap<string, Item | undefined>): void {
    this.expectEqual(answer.status, 200);
    const tables = new Map([[surface, this.change(surface, written)]]);
    this.batches.push({ id: answer.body.data.batchId as string, tables });
  }

  /** Writes the rows that differ. @param written undefined: deleted. */
  private change(surface: Modelled, written: ReadonlyMap<string, Item | undefined>) {
    const table = this.tables[surface];
    const revision = table.revision + 1;
    const before = new Map<string, Row>();
    const after = new Map<string, Row>();
    for (const [key, values] of written) {
      const current = table.rows.get(key) ?? ABSENT;
      if (isEqual(current.values, values)) continue;
      before.set(key, current);
      after.set(key, { values, revision });
      table.rows.set(key, { values, revision });
    }
    if (before.size > 0) table.revision = revision;
    return { revision, before, after };
  }

  private async compare(): Promise<void> {
    for (const surface of SURFACES) {
      const table = this.tables[surface];
      const expected = this.stored(surface);
      const rows = await this.api.rows(surface, table.name);
      this.expectEqual(toMap(rows), expected);
      await this.follow(surface);
      this.expectEqual(table.replica, expected);
      this.expectEqual(table.replicaRevision, table.revision);
    }
  }

  /** Applies the changes of the feed to the replica. Their revisions must not decrease. */
  private async follow(surface: Modelled): Promise<void> {
    const table = this.tables[surface];
    const answer = await this.api.api.get(`${this.pathOf(surface)}/changes?since=${table.replicaRevision}`);
    let last = table.replicaRevision;
    for (const { key, revision, deleted, item } of answer.body.data.items) {
      this.expectEqual(revision >= last, true);
      last = revision as number;
      if (deleted) table.replica.delete(key as string);
      else table.replica.set(key as string, item as Item);
    }
    table.replicaRevision = answer.body.data.revision as number;
  }

  /** The rows that exist. */
  private stored(surface: Modelled): Map<string, Item> {
    const rows = [...this.tables[surface].rows].flatMap(([key, { values }]) =>
      values ? [[key, values] as const] : [],
    );
    return new Map(rows);
  }

  private pathOf(surface: Surface & Modelled): string {
    return `${this.api.path}/${surface}/${encodeURIComponent(this.tables[surface].name)}`;
  }
}

const FIRST_ROWS: Record<Modelled, Item[]> = {
  locations: [
    { key: 's0', name: 'A', parent: null },
    { key: 's1', name: 'A', parent: 's0' },
    { key: 's2', name: 'B', parent: 's1' },
    { key: 's4', name: null, parent: 's2' },
  ],
  assets: [
    { key: '1', name: 'A', link: 's1' },
    { key: '2', name: 'B', link: 's2' },
    { key: '3', name: 'B', link: 'absent' },
  ],
};

/**
 * Does the batch, or the batch that it applies again, have an effect? An undo of a batch that has not been undone
 * itself has none.
 */
function hasEffect({ undoes }: ModelBatch): boolean {
  return undoes === undefined || !hasEffect(undoes);
}

function isEqual(a: Item | undefined, b: Item | undefined): boolean {
  if (!a || !b) return a === b;
  return Object.keys(b).every((name) => a[name] === b[name]);
}

function toMap(rows: readonly Item[]): Map<string, Item> {
  return new Map(rows.map((row) => [row['key'] as string, row]));
}
