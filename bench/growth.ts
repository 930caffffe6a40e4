import { Connection, parseReply } from './connection.js';
import { percentile, secondsOf } from './measure.js';
import type { Options } from './options.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, milliseconds, ratio } from './table.js';

const NDJSON = 'application/x-ndjson';
const COLUMNS = [
  { name: 'Key', type: 'text', primaryKey: true },
  { name: 'Name', type: 'text' },
  { name: 'Parent', type: 'hierarchyParent' },
  { name: 'Location', type: 'reference' },
];

/** Something whose time may grow with the size of the data. */
interface Scenario {
  name: string;
  sizes: (isQuick: boolean) => [small: number, large: number];
  /** Most times by which the time of the large size is longer. */
  aim: (small: number, large: number) => number;
  prepare: (caller: Caller, size: number) => Promise<void>;
  run: (caller: Caller, size: number) => Promise<unknown>;
}

/** Twice the size takes at most 2.2 times as long. */
const linear = (small: number, large: number): number => 2.2 ** Math.log2(large / small);
const keyAt = (at: number): string => `K${String(at).padStart(8, '0')}`;

/** A caller who creates tables named by their size. */
class Caller {
  private readonly connection: Connection;
  private readonly workspace: string;
  private created = 0;

  constructor(stage: Stage) {
    this.connection = new Connection(stage.service.baseUrl, stage.authorization);
    this.workspace = `/v2/api/workspaces/${stage.workspaceId}`;
  }

  async get(path: string): Promise<Page> {
    return (parseReply(await this.connection.get(`${this.workspace}/${path}`), 200) as { data: Page }).data;
  }

  async send(path: string, body: object, ...expected: number[]): Promise<Page> {
    const reply = await this.connection.post(`${this.workspace}/${path}`, Buffer.from(JSON.stringify(body)));
    return (parseReply(reply, ...expected) as { data: Page }).data;
  }

  /** A table with one row per position, all of one revision. */
  async fill(
    entity: 'assets' | 'locations',
    name: string,
    count: number,
    toRow: (at: number) => object,
  ): Promise<void> {
    await this.send(`cw/${entity}/bulk`, { [entity]: [{ name, columns: COLUMNS, items: [] }] }, 201);
    if (count === 0) return;
    const lines = Array.from({ length: count }, (_, at) => `${JSON.stringify({ key: keyAt(at), ...toRow(at) })}\n`);
    const path = `${this.workspace}/cw/${entity}/${name}/items/import`;
    parseReply(await this.connection.postAs(NDJSON, path, Buffer.from(lines.join(''))), 200);
  }

  async readAllPages(path: string): Promise<void> {
    let cursor: string | null | undefined;
    do {
      const after = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
      cursor = (await this.get(`${path}&limit=1000${after}`)).nextCursor;
    } while (cursor);
  }

  /** A key that no row has. */
  nextKey(): string {
    return `N${++this.created}`;
  }

  close(): void {
    this.connection.close();
  }
}

interface Page {
  nextCursor: string | null;
  table: { revision: number };
}

/** Location tables, of which each has rows of its own; the table `Refers…` refers to all of them. */
async function fillLocations(caller: Caller, tables: number, known: { count: number }): Promise<void> {
  while (known.count < tables) {
    const names = Array.from({ length: Math.min(50, tables - known.count) }, (_, at) => `L${known.count + at}`);
    const requests = names.map((name) => ({ name, columns: COLUMNS, items: [{ key: name }] }));
    await caller.send('cw/locations/bulk', { locations: requests }, 201);
    known.count += names.length;
  }
  await caller.fill('assets', `Refers${tables}`, 100, (at) => ({ location: `L${at % tables}` }));
}

const locations = { count: 0 };
const ofTables = (name: string, run: Scenario['run']): Scenario => ({
  name: `number of location tables: ${name}`,
  sizes: () => [50, 99],
  aim: () => 3,
  prepare: (caller, size) => (name === 'expand' ? fillLocations(caller, size, locations) : Promise.resolve()),
  run,
});

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'change feed after one batch, all pages',
    sizes: (isQuick) => (isQuick ? [5_000, 20_000] : [20_000, 160_000]),
    aim: linear,
    prepare: (caller, size) => caller.fill('assets', `Feed${size}`, size, () => ({ name: 'Pump' })),
    run: (caller, size) => caller.readAllPages(`cw/assets/Feed${size}/changes?since=0`),
  },
  {
    name: 'change feed, one change',
    sizes: (isQuick) => (isQuick ? [5_000, 20_000] : [20_000, 160_000]),
    aim: () => 2,
    prepare: (caller, size) =>
      caller
        .send('cw/assets/bulk', { assets: [{ name: `Feed${size}`, items: [{ key: keyAt(1), name: 'Fan' }] }] }, 200)
        .then(() => undefined),
    run: (caller, size) => caller.get(`cw/assets/Feed${size}/changes?since=2`),
  },
  {
    name: 'pages of a subtree, all pages',
    sizes: (isQuick) => (isQuick ? [5_000, 20_000] : [20_000, 160_000]),
    aim: linear,
    prepare: (caller, size) =>
      caller.fill('assets', `Tree${size}`, size, (at) => ({ parent: at > 0 ? keyAt((at - 1) >> 3) : null })),
    run: (caller, size) => caller.readAllPages(`cw/assets/Tree${size}/items?under=${keyAt(0)}`),
  },
  {
    name: 'first page after deletions',
    sizes: (isQuick) => (isQuick ? [100, 20_000] : [100, 160_000]),
    aim: () => 2,
    prepare: async (caller, size) => {
      await caller.fill('assets', `Deleted${size}`, size + 200, () => ({ name: 'Pump' }));
      for (let from = 0; from < size; from += 50_000) {
        const keys = Array.from({ length: Math.min(50_000, size - from) }, (_, at) => keyAt(from + at));
        await caller.send(`cw/assets/Deleted${size}/items/delete`, { keys }, 200);
      }
    },
    run: (caller, size) => caller.get(`cw/assets/Deleted${size}/items?limit=100`),
  },
  {
    name: 'cycle check of 20 rows, by the levels above each',
    sizes: (isQuick) => (isQuick ? [200, 2_000] : [2_000, 20_000]),
    aim: linear,
    prepare: (caller, size) =>
      caller.fill('assets', `Chains${size}`, 20 * size, (at) => ({ parent: at % size > 0 ? keyAt(at - 1) : null })),
    run: (caller, size) => {
      const items = Array.from({ length: 20 }, (_, at) => ({ key: `Leaf${at}`, parent: keyAt((at + 1) * size - 1) }));
      return caller.send('cw/assets/bulk', { assets: [{ name: `Chains${size}`, items }] }, 200);
    },
  },
  ofTables('expand', (caller, size) => caller.get(`cw/assets/Refers${size}/items?expand=location`)),
  ofTables('unresolved references', (caller, size) => caller.get(`cw/assets/Refers${size}/unresolved`)),
  ofTables('row with a reference to no row', (caller, size) => {
    const items = [{ key: caller.nextKey(), location: 'nowhere' }];
    return caller.send('cw/assets/bulk', { assets: [{ name: `Refers${size}`, items }] }, 200);
  }),
  ofTables('note', (caller) => caller.send('notes', { title: 'Leak', location: 'L7' }, 201)),
];

/**
 * Measures how the time of requests grows with the data: medians of the small and of the large size, and their ratio.
 */
export async function benchGrowth(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const caller = new Caller(stage);
  const isQuick = options.importRows < 1_000_000;
  const rows: string[][] = [];
  try {
    for (const { name, sizes, aim, prepare, run } of SCENARIOS) {
      const [small, large] = sizes(isQuick);
      const medians: number[] = [];
      for (const size of [small, large]) {
        note(`growth: ${name}, ${integer(size)}`);
        await prepare(caller, size);
        const times: number[] = [];
        for (let index = 0; index <= options.runs; index++) times.push(await secondsOf(() => run(caller, size)));
        // The first run fills caches.
        medians.push(percentile(times.slice(1), 0.5));
      }
      const [fast, slow] = medians as [number, number];
      const limit = aim(small, large);
      note(`growth: ${name}, ${ratio(slow / fast)} of ${ratio(limit)}`);
      rows.push([
        name,
        ...[small, large].map((size) => integer(size)),
        ...[fast, slow].map((seconds) => milliseconds(seconds * 1_000)),
        ratio(slow / fast),
        `≤ ${ratio(limit)}`,
        slow / fast <= limit ? 'yes' : 'no',
      ]);
    }
    note('growth: rename');
    rows.push(await measureRename(caller, isQuick ? [20, 500] : [199, 2_000]));
  } finally {
    caller.close();
  }
  const headers = ['what', 'small', 'large', 'ms', 'ms, large', 'ratio', 'aim', 'met'];
  return ['## Growth', '', markdownTable(headers, rows)].join('\n');
}

/** The time of a rename to which all columns of all rows of a table refer. */
async function measureRename(caller: Caller, [columns, rows]: [number, number]): Promise<string[]> {
  const names = Array.from({ length: columns }, (_, at) => `r${at}`);
  const table = {
    name: 'Renamed',
    columns: [COLUMNS[0], ...names.map((name) => ({ key: name, name, type: 'reference' }))],
    items: Array.from({ length: rows }, (_, at) => ({
      key: keyAt(at),
      ...Object.fromEntries(names.map((name) => [name, 'Site'])),
    })),
  };
  await caller.fill('locations', 'Renamed sites', 0, () => ({}));
  await caller.send('cw/locations/bulk', { locations: [{ name: 'Renamed sites', items: [{ key: 'Site' }] }] }, 200);
  await caller.send('cw/assets/bulk', { assets: [table] }, 201);
  const seconds = await secondsOf(() =>
    caller.send('cw/locations/Renamed%20sites/items/Site/rename', { key: 'Plant' }, 200),
  );
  const name = `rename, ${columns} columns of ${integer(rows)} rows`;
  return [name, '', '', milliseconds(seconds * 1_000), '', '', '≤ 5,000 ms', seconds <= 5 ? 'yes' : 'no'];
}
