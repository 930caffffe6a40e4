import {
  AtriumClient,
  type DifferenceSummary,
  InvalidRowsError,
  NotFoundError,
  type TableClient,
} from '@atrium/client';
import type { Credentials } from '../support/credentials.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { unique } from '../support/tables.js';

interface Pump {
  code: string;
  name: string | null;
  weight: number | null;
}

const COLUMNS = [
  { key: 'code', name: 'Code', type: 'text' },
  { key: 'name', name: 'Name', type: 'text' },
  { key: 'weight', name: 'Weight', type: 'number' },
] as const;
const FIRST: Pump[] = [
  { code: 'a/b', name: 'Feed pump', weight: 1 },
  { code: 'c', name: 'Sump pump', weight: 2 },
];

let service: SharedService;
let me: Credentials;
let client: AtriumClient;
let table: TableClient<Pump>;

beforeAll(async () => {
  ({ service } = await shareService());
  me = await service.provision();
  client = new AtriumClient({ baseUrl: service.baseUrl, apiKey: me.apiKey, workspaceId: me.workspaceId });
});

/** Revision 1: two rows. 2: `a/b` is heavier, and `d` is new. 3: `c` is deleted. */
beforeEach(async () => {
  table = client.assets<Pump>(unique('Client history'));
  await table.upsert(FIRST, { columns: [...COLUMNS] });
  await table.upsert([
    { code: 'a/b', weight: 10 },
    { code: 'd', name: 'New pump' },
  ]);
  await table.delete(['c']);
});

async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

describe('history() of the client', () => {
  it('lists the changes of a row whose key has a slash, the newest first', async () => {
    const [updated, created, ...rest] = await collect(table.history('a/b'));
    expect(rest).toEqual([]);
    expect(updated).toMatchObject({ revision: 2, change: 'updated', columns: { weight: { from: 1, to: 10 } } });
    expect(updated).toMatchObject({ by: me.userId, batchId: expect.any(String) });
    expect(created).toMatchObject({ revision: 1, change: 'created', columns: { weight: { from: null, to: 1 } } });
  });

  it('reads all pages', async () => {
    for (let weight = 100; weight < 160; weight++) await table.patch('d', { weight });
    const changes = await collect(table.history('d'));
    expect(changes).toHaveLength(61);
    expect(new Set(changes.map(({ revision }) => revision)).size).toBe(61);
  });

  it('fails with NotFoundError for an unknown row', async () => {
    await expect(collect(table.history('unknown'))).rejects.toThrow(NotFoundError);
  });
});

describe('asOf of the client', () => {
  it('returns rows, exports, groups and single rows as they were at a revision', async () => {
    expect(await collect(table.rows({ asOf: 1, limit: 1 }))).toEqual(FIRST);
    expect(await collect(table.snapshot({ asOf: 1, filter: { weight: { gte: 2 } } }))).toEqual([FIRST[1]]);
    expect(await collect(table.aggregate({ asOf: '1', measures: ['sum(weight)'] }))).toEqual([
      { group: {}, measures: { 'sum(weight)': 3 } },
    ]);
    expect(await table.get('c', { asOf: 1 })).toEqual(FIRST[1]);
    await expect(table.get('c')).rejects.toThrow(NotFoundError);
    await expect(table.get('d', { asOf: 1 })).rejects.toThrow(NotFoundError);
  });

  it('accepts a time as a Date, or as a text with its zone', async () => {
    const at = (await collect(table.history('a/b'))).at(-1)!.at;
    const offset = at.replace('Z', '+00:00');
    for (const asOf of [new Date(at), at, offset]) expect(await collect(table.rows({ asOf }))).toEqual(FIRST);
    await expect(collect(table.rows({ asOf: new Date('2999-01-01') }))).rejects.toMatchObject({
      code: 'invalid_query',
    });
    await expect(table.get('a/b', { asOf: 99 })).rejects.toMatchObject({ code: 'unknown_revision' });
  });
});

describe('differences() of the client', () => {
  it('compares two moments, and a moment with now', async () => {
    let summary: DifferenceSummary | undefined;
    const differences = table.differences({ from: 1, onSummary: (counts) => (summary = counts) });
    expect(await collect(differences)).toEqual([
      { change: 'update', key: 'a/b', columns: { weight: { from: 1, to: 10 } } },
      {
        change: 'delete',
        key: 'c',
        columns: { name: { from: 'Sump pump', to: null }, weight: { from: 2, to: null } },
      },
      { change: 'create', key: 'd', columns: { name: { from: null, to: 'New pump' } } },
    ]);
    expect(summary).toEqual({ create: 1, update: 1, delete: 1 });
    const between = await collect(table.differences({ from: 2, to: 3 }));
    expect(between.map(({ change, key }) => [change, key])).toEqual([['delete', 'c']]);
  });
});

describe('restore() of the client', () => {
  it('sets rows back by their keys as a batch, after a dry run that stores nothing', async () => {
    const before = await collect(table.rows());
    const request = { asOf: 1, keys: ['a/b', 'c', 'd'] };
    const counts = { created: 1, updated: 1, deleted: 1 };
    const dryRun = await table.restore({ ...request, dryRun: true });
    expect(dryRun).toMatchObject({ totals: counts });
    expect(dryRun.batchId).toBeUndefined();
    expect(await collect(table.rows())).toEqual(before);
    const { batchId, totals } = await table.restore(request);
    expect(totals).toMatchObject(counts);
    expect(await collect(table.rows())).toEqual(FIRST);
    await client.batches.undo(batchId!);
    expect(await collect(table.rows())).toEqual(before);
  });

  it('sets rows back by a filter', async () => {
    await table.restore({ asOf: 1, filter: { weight: { gte: 2 } } });
    expect(await collect(table.rows({ fields: ['code', 'weight'] }))).toEqual([
      { code: 'a/b', weight: 1 },
      { code: 'c', weight: 2 },
      { code: 'd', weight: null },
    ]);
  });

  it('fails with InvalidRowsError and stores nothing if a value is not valid any more', async () => {
    const params = { path: { workspaceId: me.workspaceId, entity: 'assets', table: table.name } } as const;
    const options = { indexed: true, minimum: 5 };
    await client.put('/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}', {
      params,
      body: { columns: [{ key: 'weight', options }] },
    });
    const before = await collect(table.rows());
    await expect(table.restore({ asOf: 1, keys: ['a/b', 'd'] })).rejects.toThrow(InvalidRowsError);
    expect(await collect(table.rows())).toEqual(before);
  });
});
