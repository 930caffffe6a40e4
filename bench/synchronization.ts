import { Connection, parseReply } from './connection.js';
import { toNdjson } from './import.js';
import { inTurn, measure, ratios, requireRows, secondsOf, spreadOf } from './measure.js';
import type { Options } from './options.js';
import { sampleParts, sampleRows, type SampleRow } from './sample-rows.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, megabytes, NONE, ratio, spread } from './table.js';

const NDJSON = 'application/x-ndjson';

/** Rows of a request that deletes, the most that it may have. */
const DELETED_ROWS = 50_000;
/** Rows of a batch that is undone. */
const UNDONE_ROWS = 100_000;

interface Totals {
  created: number;
  updated: number;
  deleted?: number;
}

interface Report {
  data: { batchId?: string; totals: Totals; undoes?: string };
}

/** A caller of an instance who sends rows, files and deletions to tables. */
class Caller {
  private readonly connection: Connection;

  constructor(
    private readonly stage: Stage,
    baseUrl: string,
  ) {
    this.connection = new Connection(baseUrl, stage.authorization);
  }

  async import(table: string, query: string, parts: readonly Buffer[]): Promise<Report> {
    const path = `${this.tables}/assets/${table}/items/import?${query}`;
    return parseReply(await this.connection.postAs(NDJSON, path, ...parts), 200) as Report;
  }

  /** @returns the last line. */
  async compare(table: string, parts: readonly Buffer[]): Promise<string> {
    const path = `${this.tables}/assets/${table}/items/compare`;
    const { status, body } = await this.connection.postAs(NDJSON, path, ...parts);
    if (status !== 200) throw new Error(`Expected status 200, received ${status}.`);
    return body.subarray(-200).toString().trimEnd().split('\n').at(-1)!;
  }

  async post(path: string, body?: object): Promise<Report> {
    const sent = body ? [Buffer.from(JSON.stringify(body))] : [];
    return parseReply(await this.connection.post(`${this.tables}/${path}`, ...sent), 200) as Report;
  }

  close(): void {
    this.connection.close();
  }

  private get tables(): string {
    return `/v2/api/workspaces/${this.stage.workspaceId}/cw`;
  }
}

/**
 * Measures what a synchronization needs in addition to imports: deletions, replacements, comparisons, previous values
 * and undo.
 */
export async function benchSynchronization(
  stage: Stage,
  options: Options,
  note: (line: string) => void,
): Promise<string> {
  const caller = new Caller(stage, stage.service.baseUrl);
  const rows: string[][] = [];
  try {
    note(`synchronization: deletions of ${integer(DELETED_ROWS)} rows`);
    rows.push(await measureDeletion(stage, caller, options));
    note(`synchronization: replacements of ${integer(options.replacedRows)} rows`);
    rows.push(await measureReplacement(stage, caller, options));
    note(`synchronization: undo of ${integer(UNDONE_ROWS)} rows`);
    rows.push(...(await measureUndo(stage, caller, options)));
    note('synchronization: writes with and without history');
    rows.push(...(await measureHistory(stage, caller, options)));
    note(`synchronization: comparison of ${integer(options.importRows)} rows`);
    rows.push(...(await measureComparison(stage, options)));
  } finally {
    caller.close();
  }
  return [
    '## Synchronization',
    '',
    'Rows of 8 fields, sent over HTTP; durations in seconds. Replacements, dry runs and comparisons read a file of NDJSON in which 10 % of',
    'the rows differ from the stored ones. Tables with `historyDays: 0` store no former rows.',
    '',
    markdownTable(['what', 'measured', 'compared with', 'ratio', 'aim', 'met'], rows),
  ].join('\n');
}

async function measureDeletion(stage: Stage, caller: Caller, { runs }: Options): Promise<string[]> {
  const items = sampleRows(0, DELETED_ROWS);
  const keys = items.map(({ equnr }) => equnr);
  const figures = await measure(runs, async (index) => {
    const name = `deleted_${index}`;
    const { physical } = await stage.createTable(name);
    await stage.database.query('CHECKPOINT');
    const insertion = await secondsOf(async () => {
      requireRows((await caller.post('assets/bulk', { assets: [{ name, items }] })).data.totals.created, DELETED_ROWS);
    });
    const deletion = await secondsOf(async () => {
      const { data } = await caller.post(`assets/${name}/items/delete`, { keys });
      requireRows(data.totals.deleted!, DELETED_ROWS);
    });
    await stage.database.query(`TRUNCATE ${physical}`);
    return { insertion, deletion };
  });
  return compared(`delete ${integer(DELETED_ROWS)} rows`, figures.deletion, 'insert', figures.insertion, 1);
}

async function measureReplacement(
  stage: Stage,
  caller: Caller,
  { runs, replacedRows: count }: Options,
): Promise<string[]> {
  const stored = sampleParts(count, toNdjson);
  const missing = count / 20;
  const file = sampleParts(count - missing, (rows) => toNdjson(changeSome(rows)));
  const figures = await measure(runs, async (index) => {
    const names = { replaced: `replaced_${index}`, imported: `imported_${index}` };
    for (const name of Object.values(names)) {
      await stage.createTable(name);
      requireRows((await caller.import(name, '', stored)).data.totals.created, count);
    }
    await stage.database.query('CHECKPOINT');
    return inTurn(index, {
      replaced: () =>
        secondsOf(async () => {
          const { data } = await caller.import(names.replaced, 'mode=replace', file);
          requireRows(data.totals.deleted!, missing);
        }),
      imported: () => secondsOf(() => caller.import(names.imported, '', file)),
    });
  });
  return compared(`replace ${integer(count)} rows, delete 5 %`, figures.replaced, 'import', figures.imported, 1.3);
}

async function measureUndo(stage: Stage, caller: Caller, { runs }: Options): Promise<string[][]> {
  const name = 'undone';
  const { former } = await stage.createTable(name);
  await caller.import(name, '', sampleParts(UNDONE_ROWS, toNdjson));
  let bytes = 0;
  const figures = await measure(Math.min(runs, 3), async (index) => {
    const file = sampleParts(UNDONE_ROWS, (rows) =>
      toNdjson(rows.map((row) => ({ ...row, name: `changed ${index}` }))),
    );
    const { data } = await caller.import(name, '', file);
    requireRows(data.totals.updated, UNDONE_ROWS);
    const { rows } = await stage.database.query<{ bytes: number }>(
      `SELECT pg_total_relation_size('${former}')::float8 / count(*) AS bytes FROM ${former}`,
    );
    bytes = rows[0]!.bytes;
    const undo = await secondsOf(() => caller.post(`batches/${data.batchId}/undo`));
    return { undo };
  });
  const isMet = spreadOf(figures.undo).median <= 5;
  const measured = spread(figures.undo, seconds);
  return [
    [`undo ${integer(UNDONE_ROWS)} changed rows`, measured, NONE, NONE, '≤ 5 s', isMet ? 'yes' : 'no'],
    ['former row with its indexes', `${integer(bytes)} bytes`, NONE, NONE, '≤ 309', bytes <= 309 ? 'yes' : 'no'],
  ];
}

async function measureHistory(
  stage: Stage,
  caller: Caller,
  { runs, replacedRows: count }: Options,
): Promise<string[][]> {
  const items = sampleRows(0, 20_000);
  const changed = changeSome(items);
  const stored = sampleParts(count, toNdjson);
  const file = sampleParts(count, (rows) => toNdjson(changeSome(rows)));
  const round = async (table: string, historyDays: number) => {
    for (const name of [table, `${table}_file`]) await stage.setHistoryDays(await stage.createTable(name), historyDays);
    await caller.import(`${table}_file`, '', stored);
    await stage.database.query('CHECKPOINT');
    const created = await secondsOf(() => caller.post('assets/bulk', { assets: [{ name: table, items }] }));
    const updated = await secondsOf(() => caller.post('assets/bulk', { assets: [{ name: table, items: changed }] }));
    const imported = await secondsOf(() => caller.import(`${table}_file`, '', file));
    return { created, updated, imported };
  };
  const figures = await measure(runs, async (index) => {
    const both = await inTurn(index, {
      with: () => round(`history_${index}`, 30),
      without: () => round(`no_history_${index}`, 0),
    });
    const named = (['with', 'without'] as const).flatMap((name) =>
      (['created', 'updated', 'imported'] as const).map((what) => [`${what} ${name}`, both[name][what]] as const),
    );
    return Object.fromEntries(named) as Record<`${'created' | 'updated' | 'imported'} ${'with' | 'without'}`, number>;
  });
  const row = (name: string, what: 'created' | 'updated' | 'imported', aim: number) =>
    compared(name, figures[`${what} with`], 'historyDays: 0', figures[`${what} without`], aim);
  return [
    row('bulk of 20,000 new rows', 'created', 1.03),
    row('bulk of 20,000 rows, 10 % changed', 'updated', 1.1),
    row(`import of ${integer(count)} rows, 10 % changed`, 'imported', 1.1),
  ];
}

async function measureComparison(stage: Stage, { runs, importRows: count }: Options): Promise<string[][]> {
  const service = await stage.startService();
  const caller = new Caller(stage, service.baseUrl);
  const name = 'compared';
  await stage.createTable(name);
  await stage.createTable('compared_warm');
  await caller.import(name, '', sampleParts(count, toNdjson));
  await caller.compare('compared_warm', [toNdjson(sampleRows(0, 1_000))]);
  const before = service.peakMemory();
  const file = sampleParts(count, (rows) => toNdjson(changeSome(rows)));
  const figures = await measure(Math.min(runs, 2), (index) =>
    inTurn(index, {
      comparison: () =>
        secondsOf(async () => {
          const { summary } = JSON.parse(await caller.compare(name, file)) as { summary: { update: number } };
          requireRows(summary.update, count / 10);
        }),
      dryRun: () => secondsOf(() => caller.import(name, 'dryRun=true', file)),
    }),
  );
  const after = service.peakMemory();
  caller.close();
  await service.stop();
  const growth = before === undefined || after === undefined ? undefined : after - before;
  const isConstant = growth === undefined ? 'not measured' : growth < 100e6 ? 'yes' : 'no';
  return [
    compared(`compare ${integer(count)} rows`, figures.comparison, 'dry run', figures.dryRun, 1.2),
    ['growth of the peak memory', megabytes(growth), NONE, NONE, '< 100 MB', isConstant],
  ];
}

/** Every tenth row differs. */
function changeSome(rows: readonly SampleRow[]): SampleRow[] {
  return rows.map((row, position) => (position % 10 === 0 ? { ...row, name: `changed ${position}` } : row));
}

function compared(what: string, values: readonly number[], floor: string, floors: readonly number[], aim: number) {
  const each = ratios(values, floors);
  const { median } = spreadOf(each);
  const measured = spread(values, seconds);
  return [
    what,
    measured,
    `${floor}: ${spread(floors, seconds)}`,
    spread(each, ratio),
    `≤ ${aim}`,
    median <= aim ? 'yes' : 'no',
  ];
}

function seconds(value: number): string {
  return value.toFixed(2);
}
