import { Api, type ApiResponse } from '../support/api.js';
import { column, text, unique } from '../support/tables.js';
import { type SharedService, shareService } from '../support/shared-services.js';

const COLUMNS = [
  text('Key'),
  text('Plant'),
  column('Price', 'number'),
  text('Vendor'),
  column('Parent', 'hierarchyParent'),
];

let service: SharedService;
let owner: Api;
let workspace: string;
let userId: string;

beforeAll(async () => {
  service = (await shareService()).service;
  const me = await service.provision();
  userId = me.userId;
  owner = await new Api(service.baseUrl).signIn(me);
  workspace = `/v2/api/workspaces/${me.workspaceId}`;
}, 60_000);

interface Restricted {
  caller: Api;
  name: string;
  path: string;
  push: (...items: object[]) => Promise<void>;
}

/** A table, and a caller whose policy has the rule for it. */
async function restrict(rule: object, options: object = {}): Promise<Restricted> {
  const name = unique('Sites');
  const path = `${workspace}/cw/locations/${encodeURIComponent(name)}`;
  const table = { name, columns: COLUMNS };
  const send = async (items: object[]) => {
    const { status, body } = await owner.post(`${workspace}/cw/locations/bulk`, { locations: [{ ...table, items }] });
    expect([200, 201, body.details]).toContain(status);
  };
  await send([]);
  if (Object.keys(options).length > 0) expect((await owner.put(path, { options })).status).toBe(200);
  const policy = {
    name: unique('Policy'),
    scopes: ['read:workspaces', 'write:workspaces'],
    tables: [{ entity: 'locations', table: name, write: true, ...rule }],
  };
  const created = await owner.post(`${workspace}/access-policies`, policy);
  expect([created.status, created.body.details]).toEqual([201, undefined]);
  const { apiKey } = (await owner.post(`${workspace}/api-keys`, { name: 'Key', policyId: created.body.data.id })).body
    .data;
  const caller = new Api(service.baseUrl).withKey(apiKey as string);
  return { caller, name, path, push: (...items) => send(items) };
}

const PLANT_A = { filter: { plant: 'A' }, columns: { hidden: ['price'] } };
const BELOW_A = { under: 'A', columns: { hidden: ['price', 'vendor', 'plant'] } };

const change = (from: unknown, to: unknown) => ({ from, to });
const errorOf = ({ status, body }: ApiResponse) => [status, body.error, body.details?.errors?.[0]?.code];

async function historyOf({ caller, path }: Restricted, key: string, query = ''): Promise<any[]> {
  const { status, body } = await caller.get(`${path}/items/${key}/history${query}`);
  expect(status).toBe(200);
  return body.data.items.map((entry: any) => [entry.revision, entry.change, entry.columns]);
}

describe('the history of a row, for callers with an access policy', () => {
  it('contains the versions that were in the permitted part, without hidden columns', async () => {
    const sites = await restrict(PLANT_A);
    await sites.push({ key: 'a', plant: 'B', vendor: 'secret', price: 1 });
    await sites.push({ key: 'a', plant: 'A', vendor: 'ABB' });
    await sites.push({ key: 'a', price: 2 });
    await sites.push({ key: 'a', vendor: 'GEA' });
    await sites.push({ key: 'a', plant: 'B', vendor: 'secret 2' });
    await sites.push({ key: 'a', vendor: 'secret 3' });
    await sites.push({ key: 'a', plant: 'A' });
    const entered = { key: change(null, 'a'), plant: change(null, 'A') };
    const entries = [
      [8, 'created', { ...entered, vendor: change(null, 'secret 3') }],
      [6, 'deleted', { key: change('a', null), plant: change('A', null), vendor: change('GEA', null) }],
      [5, 'updated', { vendor: change('ABB', 'GEA') }],
      [3, 'created', { ...entered, vendor: change(null, 'ABB') }],
    ];
    expect(await historyOf(sites, 'a')).toEqual(entries);
    const { items } = (await sites.caller.get(`${sites.path}/items/a/history`)).body.data;
    expect(items[0]).toMatchObject({ by: userId, batchId: expect.any(String), at: expect.any(String) });
    const pages: unknown[] = [];
    let cursor: string | null = null;
    do {
      const suffix = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await sites.caller.get(`${sites.path}/item/history?key=a&limit=1${suffix}`);
      pages.push(...body.data.items.map((entry: any) => [entry.revision, entry.change, entry.columns]));
      cursor = body.data.nextCursor as string | null;
    } while (cursor !== null);
    expect(pages).toEqual(entries);
  });

  it('does not exist if no version was in the permitted part', async () => {
    const sites = await restrict(PLANT_A);
    await sites.push({ key: 'b', plant: 'B' });
    await sites.push({ key: 'b', vendor: 'ABB' });
    const [hidden, absent] = await Promise.all(
      ['b', 'c'].map((key) => sites.caller.get(`${sites.path}/items/${key}/history`)),
    );
    expect([hidden!.status, hidden!.body.error, hidden!.body.message]).toEqual([
      404,
      absent!.body.error,
      absent!.body.message,
    ]);
  });

  it('follows a rename only if both keys were in the permitted part', async () => {
    const sites = await restrict({ filter: { key: { in: ['a', 'b', 'd'] } } });
    const rename = (from: string, to: string) => owner.post(`${sites.path}/items/${from}/rename`, { key: to });
    await sites.push({ key: 'a', vendor: 'ABB' });
    for (const [from, to] of ['a b', 'b c', 'c d'].map((keys) => keys.split(' ')))
      expect((await rename(from!, to!)).status).toBe(200);
    const created = (key: string) => ({ key: change(null, key), vendor: change(null, 'ABB') });
    const deleted = { key: change('b', null), vendor: change('ABB', null) };
    expect(await historyOf(sites, 'd')).toEqual([[5, 'created', created('d')]]);
    expect(await historyOf(sites, 'b')).toEqual([
      [4, 'deleted', deleted],
      [3, 'renamed', { key: change('a', 'b') }],
      [2, 'created', created('a')],
    ]);
    expect((await sites.caller.get(`${sites.path}/items/c/history`)).status).toBe(404);
  });

  it('begins and ends with the moves of the rows above it', async () => {
    const sites = await restrict(BELOW_A);
    await sites.push({ key: 'A' }, { key: 'B' }, { key: 'hall', parent: 'B' }, { key: 'room', parent: 'hall' });
    await sites.push({ key: 'hall', parent: 'A' });
    await sites.push({ key: 'room', vendor: 'secret' });
    await sites.push({ key: 'hall', plant: 'secret' });
    await sites.push({ key: 'hall', parent: 'B' });
    await sites.push({ key: 'room', price: 1 });
    await sites.push({ key: 'hall', parent: 'A' });
    const entered = { key: change(null, 'room'), parent: change(null, 'hall') };
    expect(await historyOf(sites, 'room')).toEqual([
      [8, 'created', entered],
      [6, 'deleted', { key: change('room', null), parent: change('hall', null) }],
      [3, 'created', entered],
    ]);
    expect((await sites.caller.get(`${sites.path}/items/B/history`)).status).toBe(404);
  });
});

describe('a restoration by callers with an access policy', () => {
  const restore = ({ caller, path }: Restricted, body: object) => caller.post(`${path}/restore`, body);
  const rowOf = async ({ path }: Restricted, key: string) => (await owner.get(`${path}/items/${key}`)).body.data?.item;

  it('sets back only rows that are and were in the permitted part', async () => {
    const sites = await restrict(PLANT_A);
    await sites.push(
      { key: 'both', plant: 'A', vendor: 'old', price: 1 },
      { key: 'left', plant: 'A', vendor: 'old' },
      { key: 'entered', plant: 'B', vendor: 'secret' },
      { key: 'never', plant: 'B', vendor: 'old' },
      { key: 'deleted', plant: 'A', vendor: 'old' },
    );
    await sites.push(
      { key: 'both', vendor: 'new', price: 2 },
      { key: 'left', plant: 'B', vendor: 'new' },
      { key: 'entered', plant: 'A' },
      { key: 'never', vendor: 'new' },
      { key: 'added', plant: 'A' },
    );
    await owner.delete(`${sites.path}/items/deleted`);
    const asOf = '2';
    for (const key of ['entered', 'left']) {
      const response = await restore(sites, { asOf, keys: ['both', key] });
      expect(errorOf(response)).toEqual([422, 'invalid_rows', 'outside_policy']);
      expect(JSON.stringify(response.body)).not.toContain('secret');
    }
    expect(errorOf(await restore(sites, { asOf, filter: { vendor: { ne: 'x' } } }))[0]).toBe(422);
    const { status, body } = await restore(sites, { asOf, keys: ['both', 'deleted', 'added', 'never', 'typo'] });
    expect([status, body.data.totals, body.data.missingKeys]).toEqual([
      200,
      expect.objectContaining({ created: 1, updated: 1, deleted: 1 }),
      ['never', 'typo'],
    ]);
    expect(await rowOf(sites, 'both')).toMatchObject({ vendor: 'old', price: 2 });
    expect(await rowOf(sites, 'deleted')).toMatchObject({ vendor: 'old' });
    expect(await rowOf(sites, 'added')).toBeUndefined();
    expect(await rowOf(sites, 'entered')).toMatchObject({ plant: 'A' });
    expect(await rowOf(sites, 'left')).toMatchObject({ plant: 'B', vendor: 'new' });
    expect(await rowOf(sites, 'never')).toMatchObject({ vendor: 'new' });
  });

  it('changes no read-only column and no table that is read-only', async () => {
    const sites = await restrict({ columns: { readOnly: ['vendor'] } });
    await sites.push({ key: 'a', plant: 'A', vendor: 'old' }, { key: 'b', plant: 'A', vendor: 'old' });
    await sites.push({ key: 'a', plant: 'B' }, { key: 'b', plant: 'B', vendor: 'new' });
    expect(errorOf(await restore(sites, { asOf: '2', keys: ['a', 'b'] }))).toEqual([403, 'read_only', 'read_only']);
    expect((await restore(sites, { asOf: '2', keys: ['a'] })).status).toBe(200);
    expect(await rowOf(sites, 'a')).toMatchObject({ plant: 'A', vendor: 'old' });
    expect(await rowOf(sites, 'b')).toMatchObject({ plant: 'B', vendor: 'new' });
    const reader = await restrict({ write: false });
    await reader.push({ key: 'a' });
    expect(errorOf(await restore(reader, { asOf: '2', keys: ['a'] }))[1]).toBe('read_only');
    expect((await sites.caller.post(`${reader.path}/restore`, { asOf: '2', keys: ['a'] })).status).toBe(404);
  });
});

describe('the change feed of callers with an access policy', () => {
  /** All pages. @param onPage is called after the first page. */
  const changesOf = async ({ caller, path }: Restricted, since: number, limit = 100, onPage?: () => Promise<void>) => {
    const changes: unknown[] = [];
    let cursor = '';
    for (;;) {
      const { status, body } = await caller.get(`${path}/changes?since=${since}&limit=${limit}${cursor}`);
      expect([status, body.details]).toEqual([200, undefined]);
      changes.push(...body.data.items.map(({ key, deleted, item }: any) => [key, deleted ? null : item]));
      if (!body.data.hasMore) return { changes, revision: body.data.revision as number };
      cursor = `&cursor=${body.data.nextCursor}`;
      await onPage?.();
      onPage = undefined;
    }
  };

  it('deletes rows that have left the permitted part, and contains those that have entered it', async () => {
    const sites = await restrict(PLANT_A);
    const row = (key: string, vendor: string | null = null) => [key, { key, plant: 'A', vendor, parent: null }];
    await sites.push(
      ...['left', 'same', 'changed', 'deleted', 'left and deleted'].map((key) => ({ key, plant: 'A' })),
      ...['entered', 'never', 'never deleted'].map((key) => ({ key, plant: 'B' })),
    );
    const first = await changesOf(sites, 0, 2);
    expect(first).toEqual({
      changes: ['changed', 'deleted', 'left', 'left and deleted', 'same'].map((key) => row(key)),
      revision: 2,
    });
    await sites.push(
      { key: 'left', plant: 'B', vendor: 'secret' },
      { key: 'changed', vendor: 'ABB' },
      { key: 'left and deleted', plant: 'B' },
      { key: 'entered', plant: 'A' },
      { key: 'never', vendor: 'secret' },
      { key: 'created', plant: 'A' },
      { key: 'created and left', plant: 'A' },
    );
    await sites.push({ key: 'created and left', plant: 'B' });
    for (const key of ['deleted', 'left and deleted', 'never deleted'])
      expect((await owner.delete(`${sites.path}/items/${encodeURIComponent(key)}`)).status).toBe(200);
    const expected = [
      row('changed', 'ABB'),
      row('created'),
      row('entered'),
      ['left', null],
      ['left and deleted', null],
      ['deleted', null],
    ];
    for (const limit of [1, 2, 100])
      expect(await changesOf(sites, first.revision, limit)).toEqual({ changes: expected, revision: 7 });
    expect(await changesOf(sites, 7)).toEqual({ changes: [], revision: 7 });
  });

  it('follows the moves of the rows above', async () => {
    const sites = await restrict(BELOW_A);
    await sites.push({ key: 'A' }, { key: 'B' }, { key: 'hall', parent: 'A' }, { key: 'room', parent: 'hall' });
    await sites.push({ key: 'hall', parent: 'B' });
    expect(await changesOf(sites, 2)).toEqual({
      changes: [
        ['hall', null],
        ['room', null],
      ],
      revision: 3,
    });
    await sites.push({ key: 'hall', parent: 'A' });
    const rows = [
      ['room', { key: 'room', parent: 'hall' }],
      ['hall', { key: 'hall', parent: 'A' }],
    ];
    expect(await changesOf(sites, 3)).toEqual({ changes: rows, revision: 4 });
    expect(await changesOf(sites, 2)).toEqual({ changes: [rows[1]], revision: 4 });
    const { body } = await sites.caller.get(`${sites.path}/differences?from=3`);
    const differences = (body as string)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(differences.map(({ change: kind, key }) => [kind, key])).toEqual([
      ['create', 'hall'],
      ['create', 'room'],
      [undefined, undefined],
    ]);
  });

  it.each([
    ['filter', PLANT_A],
    ['under', BELOW_A],
  ])(
    'contains each row once, however often it was written or has left the part of a policy with %s',
    async (_, rule) => {
      const sites = await restrict(rule);
      const isBelow = rule === BELOW_A;
      const inside = isBelow ? { parent: 'A' } : { plant: 'A' };
      const outside = isBelow ? { parent: 'B' } : { plant: 'B' };
      if (isBelow) await sites.push({ key: 'A' }, { key: 'B' });
      const keys = ['written', 'returned', 'created again', 'left', 'left and written', 'created again outside'];
      await sites.push(...keys.map((key) => ({ key, ...inside })), { key: 'entered', ...outside });
      const { revision } = await changesOf(sites, 0);
      for (const vendor of ['1', '2', '3']) await sites.push({ key: 'written', vendor });
      for (const part of [outside, inside, outside, inside]) await sites.push({ key: 'returned', ...part });
      for (const part of [outside, inside, outside]) await sites.push({ key: 'left', ...part });
      for (const vendor of ['1', '2']) await sites.push({ key: 'left and written', ...outside, vendor });
      for (const part of [inside, outside, inside]) await sites.push({ key: 'entered', ...part });
      for (const key of ['created again', 'created again outside'])
        expect((await owner.delete(`${sites.path}/items/${encodeURIComponent(key)}`)).status).toBe(200);
      await sites.push({ key: 'created again', ...inside }, { key: 'created again outside', ...outside });
      for (const limit of [1, 2, 100]) {
        const { changes } = await changesOf(sites, revision, limit);
        const summary = (changes as [string, object | null][]).map(
          ([key, item]) => `${key}: ${item ? 'row' : 'deleted'}`,
        );
        expect(summary.sort()).toEqual([
          'created again outside: deleted',
          'created again: row',
          'entered: row',
          'left and written: deleted',
          'left: deleted',
          'returned: row',
          'written: row',
        ]);
      }
    },
  );

  it('has pages of one moment, and continues at it', async () => {
    const sites = await restrict(PLANT_A);
    await sites.push(...['a', 'b', 'c'].map((key) => ({ key, plant: 'A' })));
    const write = () => sites.push({ key: 'a', vendor: 'ABB' }, { key: 'c', plant: 'B' });
    const { changes, revision } = await changesOf(sites, 0, 1, write);
    expect(changes).toMatchObject([
      ['a', { vendor: null }],
      ['b', {}],
      ['c', {}],
    ]);
    expect(revision).toBe(2);
    expect(await changesOf(sites, revision)).toMatchObject({
      changes: [
        ['a', { vendor: 'ABB' }],
        ['c', null],
      ],
      revision: 3,
    });
  });

  it('is rejected if the table stores no former rows, or none since the revision', async () => {
    const sites = await restrict(PLANT_A, { historyDays: 0 });
    await sites.push({ key: 'a', plant: 'A' });
    const read = (since: number, suffix = '') => sites.caller.get(`${sites.path}/changes?since=${since}${suffix}`);
    const denied = await read(0);
    expect([denied.status, denied.body.error, denied.body.message]).toEqual([
      403,
      'policy_denied',
      expect.stringContaining('historyDays is 0'),
    ]);
    expect((await owner.get(`${sites.path}/changes?since=0`)).status).toBe(200);
    await owner.put(sites.path, { options: { historyDays: 1 } });
    await sites.push({ key: 'a', vendor: 'ABB' });
    const { revision } = await changesOf(sites, 0);
    expect((await read(1)).body.error).toBe('revision_gone');
    expect((await read(revision + 1)).body.error).toBe('unknown_revision');
    expect((await read(0, '&cursor=eA')).body.error).toBe('invalid_cursor');
  });
});

it('as of a moment, a table that a policy hides does not exist, also if its history is shorter', async () => {
  const [hidden, pumps] = [unique('Hidden'), unique('Pumps')];
  const columns = [text('Key'), column('Site', 'reference')];
  const items = [{ key: 'p', site: 's' }];
  await owner.post(`${workspace}/cw/locations/bulk`, {
    locations: [{ name: hidden, columns: [text('Key')], items: [{ key: 's' }] }],
  });
  expect((await owner.post(`${workspace}/cw/assets/bulk`, { assets: [{ name: pumps, columns, items }] })).status).toBe(
    201,
  );
  const at = encodeURIComponent(new Date().toISOString());
  const hiddenPath = `${workspace}/cw/locations/${hidden}`;
  for (const historyDays of [0, 30]) await owner.put(hiddenPath, { options: { historyDays } });
  const rule = { entity: 'assets', table: pumps };
  const policy = await owner.post(`${workspace}/access-policies`, { name: unique('Policy'), tables: [rule] });
  const key = await owner.post(`${workspace}/api-keys`, { name: 'Key', policyId: policy.body.data.id });
  const caller = new Api(service.baseUrl).withKey(key.body.data.apiKey as string);
  const path = `${workspace}/cw/assets/${pumps}/items?asOf=${at}`;
  expect((await owner.get(`${path}&expand=site`)).body.error).toBe('history_expired');
  const { status, body } = await caller.get(`${path}&expand=site`);
  expect([status, body.data.items, body.data.expanded]).toEqual([200, items, { site: {} }]);
  const filtered = await caller.get(`${path}&filter[site.key]=s`);
  expect(filtered.status).not.toBe(410);
  expect(JSON.stringify(filtered.body)).not.toContain(hidden);
});
