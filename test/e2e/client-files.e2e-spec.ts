import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import {
  AtriumClient,
  type ColumnDefinition,
  type ComparisonSummary,
  ConflictError,
  ConnectionError,
  type Filter,
  type ImportSource,
  NotFoundError,
} from '@atrium/client';
import type { Credentials } from '../support/credentials.js';
import { type SharedService, shareService } from '../support/shared-services.js';

type Equipment = { equnr: string; name: string | null; weight: number | null };

const COLUMNS = [
  { key: 'equnr', name: 'EQUNR', type: 'text' },
  { key: 'name', name: 'Name', type: 'text' },
  { key: 'weight', name: 'Weight', type: 'number' },
] as const;

let service: SharedService;
let me: Credentials;
let client: AtriumClient;

beforeAll(async () => {
  ({ service } = await shareService());
  me = await service.provision();
  client = new AtriumClient({ baseUrl: service.baseUrl, apiKey: me.apiKey, workspaceId: me.workspaceId });
});

function* equipment(count: number): Generator<Equipment> {
  for (let index = 0; index < count; index++)
    yield { equnr: String(index).padStart(8, '0'), name: `Pump ${index}`, weight: index };
}

/** Creates a table with rows. */
async function fill(table: string, count: number) {
  await client.assets<Equipment>(table).upsert(equipment(count), { columns: [...COLUMNS] });
  return client.assets<Equipment>(table);
}

async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

describe('files', () => {
  it('are not replaced or compared with a filter that has no condition', async () => {
    const table = await fill('Unlimited', 3);
    // As if a variable of the caller were undefined.
    for (const filter of [
      {},
      { name: {} },
      { name: undefined },
      { name: { eq: undefined } },
      { or: [{ weight: 1, name: undefined }] },
    ] as Filter<Equipment>[]) {
      const replacing = table.import(equipment(1), { mode: 'replace', maxDeletions: '100%', filter });
      await expect(replacing).rejects.toThrow(/condition/);
      await expect(collect(table.compare(equipment(1), { filter }))).rejects.toThrow(/condition/);
    }
    expect(await collect(table.rows())).toHaveLength(3);
    const filter = { weight: { gte: 1 }, name: { in: ['Pump 1', 'Pump 2'] } };
    const differences = await collect(table.compare(equipment(1), { filter }));
    expect(differences.filter(({ change }) => change === 'delete')).toHaveLength(2);
  });

  it('are compared with a file and replaced by it, and the batch is undone', async () => {
    const table = await fill('Replaced', 20);
    const file = [...equipment(19), { equnr: '99', name: 'New', weight: 1.5 }].map((row) => ({ ...row, name: 'Pump' }));
    const summaries: ComparisonSummary[] = [];
    const onSummary = (summary: ComparisonSummary) => summaries.push(summary);
    const differences = await collect(table.compare(file, { onSummary }));
    expect(summaries).toEqual([{ create: 1, update: 19, delete: 1, unchanged: 0, error: 0 }]);
    expect(differences.find(({ change }) => change === 'update')).toEqual({
      change: 'update',
      key: '00000000',
      columns: { name: { from: 'Pump 0', to: 'Pump' } },
    });
    const before = await collect(table.rows());
    await expect(table.import(file, { mode: 'replace', maxDeletions: 0 })).rejects.toThrow(ConflictError);
    const semicolons = [
      'equnr;Weight',
      ...file.map(({ equnr, weight }) => `${equnr};${String(weight).replace('.', ',')}`),
    ];
    const { totals, batchId } = await table.import(semicolons.join('\n'), {
      format: 'csv',
      delimiter: ';',
      decimal: ',',
      mode: 'replace',
      maxDeletions: '10%',
    });
    expect(totals).toMatchObject({ created: 1, unchanged: 19, deleted: 1 });
    expect(await table.get('99')).toMatchObject({ weight: 1.5 });
    const batches = await collect(client.batches.list());
    expect(batches[0]).toMatchObject({ id: batchId, source: 'import', undoable: true });
    expect(await client.batches.undo(batchId!)).toMatchObject({
      undoes: batchId,
      skipped: 0,
      totals: { created: 1, updated: 0, deleted: 1 },
    });
    await expect(client.batches.undo(batchId!)).rejects.toMatchObject({ code: 'already_undone' });
    expect(await collect(table.rows())).toEqual(before);
  });

  it('report the differences of columns that a load does not apply', async () => {
    const table = await fill('Ignored', 1);
    const [key, name] = COLUMNS;
    const { tables } = await table.upsert([...equipment(1)], { columns: [key, { ...name, name: 'Another name' }] });
    expect(tables[0]!.columnsIgnored).toMatchObject([{ key: 'name' }]);
  });

  it('list all errors of an import with the rejected rows', async () => {
    const table = await fill('Rejected', 0);
    const importId = crypto.randomUUID();
    const options = { format: 'csv', onError: 'continue', importId } as const;
    const report = await table.import('EQUNR,weight\n1,heavy\n2,3\n', options);
    // Without a check of the code.
    for (const { line, key, column, otherLine } of report.errors)
      expect({ line, key, column, otherLine }).toEqual({ line: 2, key: '1', column: 'weight', otherLine: undefined });
    expect(report.errors).toHaveLength(1);
    expect(await collect(client.imports.errors(importId))).toMatchObject([{ line: 2, sent: '1,heavy' }]);
  });

  it.each<[string, (text: string) => ImportSource, object]>([
    ['a text', (text) => text, {}],
    ['bytes', (text) => Buffer.from(text), {}],
    ['a blob', (text) => new Blob([text]), {}],
    ['a compressed stream', (text) => Readable.from([gzipSync(text)]), { encoding: 'gzip' }],
    ['rows', () => equipment(2), { format: 'ndjson' }],
  ])('create their table and add columns: %s', async (kind, toSource, options) => {
    const table = client.assets<Equipment>(`"Created" from ${kind}`);
    const [key, name, weight] = COLUMNS;
    const text = [...equipment(2)].map((row) => `${row.equnr},${row.name},${row.weight}`).join('\n');
    const send = (createColumns: ColumnDefinition[], dryRun = false) => {
      const format = { format: 'csv', unknownColumns: 'ignore', ...options } as const;
      return table.import(toSource(`equnr,name,weight\n${text}\n`), { ...format, createColumns, dryRun });
    };
    expect(await send([key, name], true)).toMatchObject({ totals: { created: 2 } });
    await expect(table.describe()).rejects.toThrow(NotFoundError);
    expect(await send([key, name])).toMatchObject({ totals: { created: 2 }, tables: [{ tableCreated: true }] });
    expect(await send([weight])).toMatchObject({ totals: { updated: 2 }, tables: [{ columnsAdded: ['weight'] }] });
    expect(await collect(table.rows())).toEqual([...equipment(2)]);
  });

  it('report a comparison that breaks off', async () => {
    const cut: typeof fetch = async (...request) => {
      const text = await (await fetch(...request)).text();
      const response = new Response(text.slice(0, text.indexOf('{"summary"')));
      Object.defineProperty(response, 'url', { value: service.baseUrl });
      return response;
    };
    await fill('Cut', 1);
    const differences = new AtriumClient({
      baseUrl: service.baseUrl,
      apiKey: me.apiKey,
      workspaceId: me.workspaceId,
      fetch: cut,
    })
      .assets<Equipment>('Cut')
      .compare([]);
    await expect(collect(differences)).rejects.toThrow(ConnectionError);
  });
});
