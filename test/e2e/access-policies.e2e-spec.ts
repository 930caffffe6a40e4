import { randomBytes, randomUUID } from 'node:crypto';
import { type ApiResponse, Api } from '../support/api.js';
import { findMixedResponses } from '../support/caller-pairs.js';
import type { Credentials } from '../support/credentials.js';
import { type SharedService, shareServices } from '../support/shared-services.js';

const LOCATIONS = [
  { code: 'P', name: 'Company', plant: 'ALL', parent: null },
  { code: 'AT10', name: 'Vienna', plant: 'AT10', parent: 'P' },
  { code: 'AT10-1', name: 'Hall 1', plant: 'AT10', parent: 'AT10' },
  { code: 'AT10-2', name: 'Hall 2', plant: 'AT10', parent: 'AT10' },
  { code: 'DE20', name: 'Munich', plant: 'DE20', parent: 'P' },
  { code: 'DE20-1', name: 'Hall 1', plant: 'DE20', parent: 'DE20' },
];

const ASSETS = [
  { code: 'A-1', name: 'Pump', plant: 'AT10', price: 100, vendor: 'KSB', location: 'AT10-1' },
  { code: 'A-2', name: 'Motor', plant: 'AT10', price: 200, vendor: 'ABB', location: 'DE20-1' },
  { code: 'B-1', name: 'Pump', plant: 'DE20', price: 300, vendor: 'KSB', location: 'DE20-1' },
  { code: 'B-2', name: 'Valve', plant: null, price: 400, vendor: 'GEA', location: 'NONE' },
];

const TABLES = {
  locations: [
    {
      name: 'Sites',
      columns: [
        { key: 'code', name: 'Code', type: 'text' },
        { key: 'name', name: 'Name', type: 'text' },
        { key: 'plant', name: 'Plant', type: 'text', options: { indexed: true } },
        { key: 'parent', name: 'Parent', type: 'hierarchyParent' },
      ],
      items: LOCATIONS,
    },
  ],
  assets: [
    {
      name: 'Equipment',
      columns: [
        { key: 'code', name: 'Code', type: 'text' },
        { key: 'name', name: 'Name', type: 'text' },
        { key: 'plant', name: 'Plant', type: 'text' },
        { key: 'price', name: 'Price', type: 'number' },
        { key: 'vendor', name: 'Vendor', type: 'text' },
        {
          key: 'location',
          name: 'Location',
          type: 'reference',
          options: { target: { entity: 'location', table: 'Sites' } },
        },
      ],
      items: ASSETS,
    },
    { name: 'Secret', columns: [{ key: 'code', name: 'Code', type: 'text' }], items: [{ code: 'S-1' }] },
  ],
  lists: [{ name: 'Units', columns: [{ key: 'code', name: 'Code', type: 'text' }], items: [{ code: 'kg' }] }],
};

const PLANT = {
  name: 'Plant AT10',
  scopes: ['read:workspaces', 'write:workspaces'],
  tables: [
    { entity: 'locations', table: 'Sites', under: 'AT10' },
    {
      entity: 'assets',
      table: 'equipment',
      filter: { plant: 'AT10' },
      columns: { hidden: ['price'], readOnly: ['vendor'] },
      write: true,
    },
    { entity: 'lists', table: '*' },
  ],
};

describe('a caller with an access policy', () => {
  let services: SharedService[];
  let me: Credentials;
  let owner: Api;
  let caller: Api;
  let workspace: string;
  let policyId: string;
  let assets: string;
  let sites: string;

  const withKey = (apiKey: string, instance = 0) => new Api(services[instance]!.baseUrl).withKey(apiKey);
  const issueKey = async (policy: string | null): Promise<string> => {
    const created = await owner.post(`${workspace}/api-keys`, { name: 'Key', policyId: policy });
    expect(created.status).toBe(201);
    return created.body.data.apiKey as string;
  };
  const createPolicy = async (policy: object): Promise<string> => {
    const created = await owner.post(`${workspace}/access-policies`, {
      ...PLANT,
      name: randomBytes(6).toString('hex'),
      ...policy,
    });
    expect([created.status, created.body.details]).toEqual([201, undefined]);
    return created.body.data.id as string;
  };
  const keysOf = ({ body }: ApiResponse) => (body.data.items as { code: string }[]).map(({ code }) => code);
  const errorOf = ({ status, body }: ApiResponse) => [status, body.error, body.details?.errors?.[0]?.code];
  const row = async (code: string) => (await owner.get(`${assets}/items/${code}`)).body.data?.item;
  const lines = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, any>);

  beforeAll(async () => {
    ({ services } = await shareServices(2));
    me = await services[0]!.provision();
    owner = await new Api(services[0]!.baseUrl).signIn(me);
    workspace = `/v2/api/workspaces/${me.workspaceId}`;
    [assets, sites] = [`${workspace}/cw/assets/Equipment`, `${workspace}/cw/locations/Sites`];
    for (const [entity, tables] of Object.entries(TABLES))
      expect((await owner.post(`${workspace}/cw/${entity}/bulk`, { [entity]: tables })).status).toBe(201);
    policyId = await createPolicy({ name: PLANT.name });
    caller = withKey(await issueKey(policyId));
  });

  describe('reads', () => {
    it('only the tables that a rule names', async () => {
      const list = async (entity: string) => (await caller.get(`${workspace}/cw/${entity}`)).body.data.items as any[];
      expect((await list('assets')).map(({ name, columnCount }) => [name, columnCount])).toEqual([['Equipment', 5]]);
      expect((await list('lists')).map(({ name }) => name)).toEqual(['Units']);
      const [hidden, absent] = await Promise.all([
        caller.get(`${workspace}/cw/assets/Secret/items`),
        caller.get(`${workspace}/cw/assets/Nothing/items`),
      ]);
      expect([hidden.status, hidden.body.error, hidden.body.message]).toEqual([
        404,
        absent.body.error,
        absent.body.message,
      ]);
      const { body } = await caller.get('/v1/api/workspaces');
      expect(body.data.items[0].counts?.tables ?? body.data.items[0].tables).toBe(3);
    });

    it('only permitted rows and columns of other tables, by filters through references and in aggregates', async () => {
      const read = async (filter: string) => keysOf(await caller.get(`${assets}/items?${filter}`));
      expect(await read('filter[location.name]=Hall 1')).toEqual(['A-1']);
      expect(await read('filter[location.name][null]=true')).toEqual(['A-2']);
      expect(await read('filter[location.plant][ne]=AT10')).toEqual(['A-2']);
      expect(await read('filter[location.parent.parent.name]=Company')).toEqual([]);
      const groups = await caller.get(`${assets}/aggregate?group=location.name`);
      expect(groups.body.data.items).toEqual([
        { group: { 'location.name': 'Hall 1' }, measures: { count: 1 } },
        { group: { 'location.name': null }, measures: { count: 1 } },
      ]);
      for (const query of ['measures=sum(price)', 'group=price', 'filter[price]=100'])
        expect(errorOf(await caller.get(`${assets}/aggregate?${query}`))).toEqual([
          400,
          'invalid_query',
          'unknown_column',
        ]);
      expect((await caller.get(`${workspace}/cw/assets/Secret/aggregate`)).status).toBe(404);
    });

    it('only the rows of the filter, in pages, counts, exports and by key', async () => {
      const page = await caller.get(`${assets}/items?count=exact`);
      expect([keysOf(page), page.body.data.total]).toEqual([['A-1', 'A-2'], 2]);
      expect((await caller.get(`${assets}/items?count=estimated`)).body.data.total).toBeLessThanOrEqual(4);
      expect(keysOf(await caller.get(`${assets}/items?q=pump`))).toEqual(['A-1']);
      expect(keysOf(await caller.post(`${assets}/items/query`, { filter: { plant: { ne: 'AT10' } } }))).toEqual([]);
      expect(keysOf(await caller.get(`${assets}/items?sort=-name&limit=1`))).toEqual(['A-1']);
      const exported = await caller.send(`${assets}/export`, { headers: { accept: 'application/x-ndjson' } });
      expect(lines(exported.body as string).map(({ code }) => code)).toEqual(['A-1', 'A-2']);
      const [hidden, absent] = await Promise.all([
        caller.get(`${assets}/items/B-1`),
        caller.get(`${assets}/items/X-1`),
      ]);
      expect([hidden.status, hidden.body.message]).toEqual([404, absent.body.message]);
      expect((await caller.get(`${assets}/items/A-1`)).status).toBe(200);
    });

    it('no hidden column, in definitions, rows, filters and sorts', async () => {
      const table = (await caller.get(assets)).body.data;
      expect(table.columns.map(({ key }: { key: string }) => key)).toEqual([
        'code',
        'name',
        'plant',
        'vendor',
        'location',
      ]);
      expect((await caller.get(`${assets}/items/A-1`)).body.data.item).not.toHaveProperty('price');
      expect(Object.keys((await caller.get(`${assets}/items`)).body.data.items[0])).not.toContain('price');
      for (const query of ['filter[price]=100', 'sort=price', 'fields=price']) {
        const { status, body } = await caller.get(`${assets}/items?${query}`);
        const absent = await caller.get(`${assets}/items?${query.replace('price', 'prize')}`);
        expect([status, body.error]).toEqual([400, absent.body.error]);
        expect(body.message.replace('price', 'prize')).toBe(absent.body.message);
      }
    });

    it('only the subtree, in pages, paths and children', async () => {
      expect(keysOf(await caller.get(`${sites}/items`))).toEqual(['AT10', 'AT10-1', 'AT10-2']);
      expect(keysOf(await caller.get(`${sites}/items?under=AT10&depth=1`))).toEqual(['AT10', 'AT10-1', 'AT10-2']);
      expect(keysOf(await caller.get(`${sites}/items?under=P`))).toEqual([]);
      expect(keysOf(await caller.get(`${sites}/items?under=DE20`))).toEqual([]);
      expect(keysOf(await caller.get(`${sites}/items/P/children`))).toEqual(['AT10']);
      expect(keysOf(await caller.get(`${sites}/items/DE20/children`))).toEqual([]);
      const { body } = await caller.get(`${sites}/items/AT10-1/path`);
      expect(body.data.path.map(({ key }: { key: string }) => key)).toEqual(['AT10', 'AT10-1']);
      expect(body.data.unresolvedParent).toBeNull();
    });

    it('of references to hidden rows only the key, and they are resolved', async () => {
      const { body } = await caller.get(`${assets}/items?expand=location`);
      expect(body.data.items.map(({ location }: any) => location)).toEqual(['AT10-1', 'DE20-1']);
      expect(Object.keys(body.data.expanded.location)).toEqual(['AT10-1']);
      expect((await caller.get(`${assets}/unresolved`)).body.data.items).toEqual([]);
      expect((await caller.get(`${sites}/unresolved`)).body.data.items).toEqual([]);
      expect((await owner.get(`${assets}/unresolved`)).body.data.items).toHaveLength(1);
    });

    it('titles of permitted parents, also if the policy hides the column of its own filter', async () => {
      const rule = { entity: 'locations', table: 'Sites', filter: { plant: 'AT10' }, columns: { hidden: ['plant'] } };
      const limited = withKey(await issueKey(await createPolicy({ tables: [rule] })));
      const { revision } = (await owner.get(sites)).body.data;
      for (const query of ['', `&asOf=${revision}`]) {
        const { body } = await limited.get(`${sites}/items?expand=parent&sort=code${query}`);
        expect(body.data.items.map(({ code, parent }: any) => [code, parent])).toEqual([
          ['AT10', 'P'],
          ['AT10-1', 'AT10'],
          ['AT10-2', 'AT10'],
        ]);
        // The parent of AT10 is hidden.
        expect(body.data.expanded.parent).toMatchObject({ AT10: { table: 'Sites', title: 'AT10' } });
        expect(Object.keys(body.data.expanded.parent)).toEqual(['AT10']);
      }
    });

    it('nothing by routes that do not obey policies', async () => {
      const paths = ['subscriptions', 'api-keys', 'access-policies', 'audit'];
      for (const path of paths) expect((await caller.get(`${workspace}/${path}`)).status).toBe(403);
      expect((await caller.get('/v1/api/projects')).body.error).toBe('insufficient_scope');
    });
  });

  describe('writes', () => {
    const bulk = (items: object[], query = '') =>
      caller.post(`${workspace}/cw/assets/bulk${query}`, { assets: [{ name: 'Equipment', items }] });

    it('only rows that match before and after', async () => {
      expect(
        (
          await bulk([
            { code: 'A-3', name: 'Fan', plant: 'AT10' },
            { code: 'A-1', name: 'Pump 1' },
          ])
        ).status,
      ).toBe(200);
      expect(await row('A-1')).toMatchObject({ name: 'Pump 1', price: 100, vendor: 'KSB' });
      const rejected = await bulk([
        { code: 'A-4', plant: 'AT10' },
        { code: 'A-5', plant: 'DE20' },
        { code: 'B-1', name: 'Taken' },
        { code: 'A-2', plant: null },
      ]);
      expect([rejected.status, rejected.body.error]).toEqual([422, 'invalid_rows']);
      expect(rejected.body.details.errors.map(({ index, code }: any) => [index, code])).toEqual([
        [1, 'outside_policy'],
        [2, 'outside_policy'],
        [3, 'outside_policy'],
      ]);
      const partial = await bulk(
        [
          { code: 'A-4', plant: 'AT10' },
          { code: 'A-5', plant: 'DE20' },
          { code: 'B-1', name: 'Taken' },
        ],
        '?onError=continue',
      );
      expect([partial.status, partial.body.data.totals]).toEqual([
        207,
        expect.objectContaining({ created: 1, failed: 2 }),
      ]);
      expect([await row('A-4'), await row('A-5')]).toEqual([expect.objectContaining({ plant: 'AT10' }), undefined]);
      expect(await row('B-1')).toMatchObject({ name: 'Pump' });
    });

    it('single rows by the same rules, and no read-only or hidden column', async () => {
      expect((await caller.put(`${assets}/items/A-1`, { name: 'Pump', plant: 'AT10' })).status).toBe(200);
      expect(await row('A-1')).toMatchObject({ name: 'Pump', price: 100, vendor: 'KSB' });
      expect(errorOf(await caller.put(`${assets}/items/B-1`, { name: 'X', plant: 'AT10' }))).toEqual([
        422,
        'invalid_rows',
        'outside_policy',
      ]);
      expect((await caller.patch(`${assets}/items/B-1`, { name: 'X' })).status).toBe(404);
      expect(errorOf(await caller.patch(`${assets}/items/A-1`, { plant: 'DE20' }))).toEqual([
        422,
        'invalid_rows',
        'outside_policy',
      ]);
      expect(errorOf(await caller.patch(`${assets}/items/A-1`, { vendor: 'X' }))).toEqual([
        403,
        'read_only',
        'read_only',
      ]);
      expect(errorOf(await caller.patch(`${assets}/items/A-1`, { price: 1 }))).toEqual([
        422,
        'invalid_rows',
        'unknown_column',
      ]);
      expect(errorOf(await bulk([{ code: 'A-1', vendor: 'X' }]))).toEqual([403, 'read_only', 'read_only']);
      expect(errorOf(await bulk([{ code: 'A-1', price: 1 }]))).toEqual([422, 'invalid_rows', 'unknown_column']);
      expect((await caller.delete(`${assets}/items/B-1`)).status).toBe(404);
      expect((await caller.delete(`${assets}/items/A-4`)).status).toBe(200);
      expect(await row('B-1')).toMatchObject({ name: 'Pump', plant: 'DE20' });
    });

    it('no other tables and columns', async () => {
      const send = (entity: string, table: object) =>
        caller.post(`${workspace}/cw/${entity}/bulk`, { [entity]: [table] });
      const items = [{ code: 'X' }];
      const columns = [{ key: 'code', name: 'Code', type: 'text' }];
      expect(errorOf(await send('lists', { name: 'Units', items }))).toEqual([403, 'read_only', 'read_only']);
      const [hidden, absent] = [
        await send('assets', { name: 'Secret', items }),
        await send('assets', { name: 'Nothing', columns, items }),
      ];
      expect([errorOf(hidden), errorOf(absent)]).toEqual(
        Array(2).fill([403, 'table_not_permitted', 'table_not_permitted']),
      );
      for (const key of ['price', 'prize']) {
        const added = { name: 'Equipment', columns: [{ key, name: key, type: 'number' }], items: [{ code: 'A-1' }] };
        expect(errorOf(await send('assets', added))).toEqual([403, 'table_not_permitted', 'table_not_permitted']);
      }
      expect(errorOf(await caller.put(`${sites}/items/AT10-3`, { name: 'Hall 3', parent: 'AT10' }))).toEqual([
        403,
        'read_only',
        'read_only',
      ]);
    });

    it('imports, replacements and comparisons of the permitted part only', async () => {
      const send = (path: string, csv: string) =>
        caller.send(`${assets}/items/${path}`, { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: csv });
      const compared = await send('compare', 'code,name,plant\nA-1,Pump,AT10\nB-1,Pump,AT10\nA-9,Fan,DE20\n');
      const differences = lines(compared.body as string);
      expect(differences.map(({ change, key, code }) => [change ?? 'summary', key, code])).toEqual([
        ['error', 'B-1', 'outside_policy'],
        ['error', 'A-9', 'outside_policy'],
        ['delete', 'A-2', undefined],
        ['delete', 'A-3', undefined],
        ['summary', undefined, undefined],
      ]);
      const rejected = await send('import', 'code,name,plant\nA-1,Pump,AT10\nB-1,Pump,AT10\nA-9,Fan,DE20\n');
      expect([rejected.status, rejected.body.details.errors.map(({ line, code }: any) => [line, code])]).toEqual([
        422,
        [
          [3, 'outside_policy'],
          [4, 'outside_policy'],
        ],
      ]);
      const replaced = await send(
        'import?mode=replace&maxDeletions=100%25',
        'code,name,plant\nA-1,Pump,AT10\nA-2,Motor,AT10\n',
      );
      expect([replaced.status, replaced.body.data.totals]).toEqual([200, expect.objectContaining({ deleted: 1 })]);
      expect(keysOf(await owner.get(`${assets}/items`))).toEqual(['A-1', 'A-2', 'B-1', 'B-2']);
      expect((await row('A-2')).price).toBe(200);
    });

    it('deletions and renames of the permitted part only', async () => {
      const deleted = await caller.post(`${assets}/items/delete`, { keys: ['B-1', 'X-1'] });
      expect([deleted.status, deleted.body.data.totals]).toEqual([
        200,
        expect.objectContaining({ deleted: 0, missing: 2 }),
      ]);
      expect((await caller.post(`${assets}/items/B-1/rename`, { key: 'B-9' })).status).toBe(404);
      expect((await caller.post(`${assets}/items/A-2/rename`, { key: 'A-9' })).status).toBe(200);
      expect((await caller.post(`${assets}/items/A-9/rename`, { key: 'A-2' })).status).toBe(200);
    });
  });

  describe('renames a row with all rows that refer to it, or nothing', () => {
    const sitesRule = { entity: 'locations', table: 'Areas', write: true };
    const partsRule = { entity: 'assets', table: 'Parts', write: true };
    const readOnly = (...keys: string[]) => ({ columns: { readOnly: keys } });
    const hidden = (...keys: string[]) => ({ columns: { hidden: keys } });
    let areas: string;

    const rows = async () => {
      const read = async (path: string) => (await owner.get(`${workspace}/cw/${path}/items?sort=code`)).body.data.items;
      return [await read('locations/Areas'), await read('assets/Parts')] as unknown;
    };

    beforeAll(async () => {
      areas = `${workspace}/cw/locations/Areas`;
      const location = { key: 'location', name: 'Location', type: 'reference' };
      const target = { target: { entity: 'location', table: 'Areas' } };
      const locations = [
        {
          name: 'Areas',
          columns: [
            { key: 'code', name: 'Code', type: 'text' },
            { key: 'plant', name: 'Plant', type: 'text' },
            { key: 'parent', name: 'Parent', type: 'hierarchyParent' },
          ],
          items: [
            { code: 'top', plant: 'A' },
            { code: 'hall', plant: 'A', parent: 'top' },
            { code: 'room', plant: 'A', parent: 'hall' },
            { code: 'cell', plant: 'B', parent: 'room' },
            { code: 'orphan', plant: 'A', parent: 'missing' },
            { code: 'free', plant: 'A', parent: 'top' },
          ],
        },
      ];
      const assets = [
        {
          name: 'Parts',
          columns: [
            { key: 'code', name: 'Code', type: 'text' },
            { key: 'plant', name: 'Plant', type: 'text' },
            { ...location, options: target },
          ],
          items: [
            { code: 'p1', plant: 'A', location: 'hall' },
            { code: 'p2', plant: 'B', location: 'hall' },
          ],
        },
      ];
      expect((await owner.post(`${workspace}/cw/locations/bulk`, { locations })).status).toBe(201);
      expect((await owner.post(`${workspace}/cw/assets/bulk`, { assets })).status).toBe(201);
    });

    it.each<[string, object, [string, string], unknown[]]>([
      [
        'its key is read-only',
        { tables: [{ ...sitesRule, ...readOnly('code') }] },
        ['free', 'new'],
        [403, 'read_only'],
      ],
      [
        'the parent of a child is read-only',
        { tables: [{ ...sitesRule, ...readOnly('parent') }] },
        ['top', 'new'],
        [403, 'read_only'],
      ],
      [
        'the parent of a child is hidden',
        { tables: [{ ...sitesRule, ...hidden('parent') }] },
        ['top', 'new'],
        [422, 'invalid_key', 'outside_policy'],
      ],
      [
        'a child is outside',
        { tables: [{ ...sitesRule, filter: { plant: 'A' } }] },
        ['room', 'new'],
        [422, 'invalid_key', 'outside_policy'],
      ],
      [
        'another table refers to it and is only read',
        { tables: [sitesRule, { ...partsRule, write: false }] },
        ['hall', 'new'],
        [403, 'read_only'],
      ],
      [
        'another table refers to it by a read-only column',
        { tables: [sitesRule, { ...partsRule, ...readOnly('location') }] },
        ['hall', 'new'],
        [403, 'read_only'],
      ],
      ['a hidden table refers to it', { tables: [sitesRule] }, ['hall', 'new'], [422, 'invalid_key', 'outside_policy']],
      [
        'a row outside refers to it',
        { tables: [sitesRule, { ...partsRule, filter: { plant: 'A' } }] },
        ['hall', 'new'],
        [422, 'invalid_key', 'outside_policy'],
      ],
      [
        'a row that refers to it would leave the permitted part',
        { tables: [sitesRule, { ...partsRule, filter: { location: 'hall' } }] },
        ['hall', 'new'],
        [422, 'invalid_key', 'outside_policy'],
      ],
      [
        'a row would enter the permitted part below it',
        { tables: [{ ...sitesRule, under: 'top' }] },
        ['free', 'missing'],
        [422, 'invalid_key', 'outside_policy'],
      ],
      [
        'it is the root of the permitted notes',
        { tables: [sitesRule, partsRule], notes: { under: 'hall' } },
        ['hall', 'new'],
        [422, 'invalid_key', 'outside_policy'],
      ],
      [
        'notes at a row would become permitted below it',
        { tables: [sitesRule, partsRule], notes: { under: 'top' } },
        ['free', 'missing'],
        [422, 'invalid_key', 'outside_policy'],
      ],
    ])('nothing if %s', async (_, policy, [from, to], expected) => {
      const limited = withKey(await issueKey(await createPolicy(policy)));
      const before = await rows();
      const renamed = await limited.post(`${areas}/items/${from}/rename`, { key: to });
      expect(errorOf(renamed).slice(0, expected.length)).toEqual(expected);
      expect(await rows()).toEqual(before);
    });

    it('all if the policy permits each of them', async () => {
      const limited = withKey(
        await issueKey(await createPolicy({ tables: [{ ...sitesRule, under: 'top' }, partsRule] })),
      );
      const renamed = await limited.post(`${areas}/items/hall/rename`, { key: 'hall 1' });
      expect([renamed.status, renamed.body.data?.changed]).toEqual([200, { children: 1, references: 2, ambiguous: 0 }]);
      expect((await limited.post(`${areas}/items/free/rename`, { key: 'free 1' })).status).toBe(200);
    });
  });

  it('permits the row whose text has the digits of a number in the filter', async () => {
    const name = randomBytes(6).toString('hex');
    const columns = [{ key: 'code', name: 'Code', type: 'text' }];
    const items = ['10000000000004711', '10000000000004712'].map((code) => ({ code }));
    expect((await owner.post(`${workspace}/cw/lists/bulk`, { lists: [{ name, columns, items }] })).status).toBe(201);
    const id = await createPolicy({ tables: [{ entity: 'lists', table: name }] });
    const limited = withKey(await issueKey(id));
    const rule = `{"entity":"lists","table":"${name}","filter":{"code":10000000000004711}}`;
    const body = `{"name":"${name}","tables":[${rule}]}`;
    const request = { method: 'PUT', body, headers: { 'Content-Type': 'application/json' } };
    expect((await owner.send(`${workspace}/access-policies/${id}`, request)).status).toBe(200);
    expect(keysOf(await limited.get(`${workspace}/cw/lists/${name}/items`))).toEqual(['10000000000004711']);
  });

  it('obeys a changed policy from the next request on, on every instance', async () => {
    const id = await createPolicy({});
    const key = await issueKey(id);
    const [first, second] = [withKey(key), withKey(key, 1)];
    const etag = (await second.get(`${assets}/items`)).headers.get('etag')!;
    expect(keysOf(await second.get(`${assets}/items`))).toEqual(['A-1', 'A-2']);
    const changed = await owner.put(`${workspace}/access-policies/${id}`, {
      name: 'Changed',
      tables: [{ entity: 'assets', table: 'Equipment', filter: { plant: 'DE20' } }],
    });
    expect([changed.status, changed.body.data.version]).toEqual([200, 2]);
    for (const api of [first, second]) expect(keysOf(await api.get(`${assets}/items`))).toEqual(['B-1']);
    const { status } = await second.get(`${assets}/items`, { 'If-None-Match': etag });
    expect(status).toBe(200);
  });

  it('changes and receives only permitted rows if others change the table at the same time', async () => {
    const name = randomBytes(6).toString('hex');
    const columns = TABLES.assets[0]!.columns.slice(0, 4);
    const plants = Array.from({ length: 24 }, (_, at) => (at % 2 === 0 ? 'AT10' : 'DE20'));
    const items = plants.map((plant, at) => ({ code: `R-${at}`, name: 'Former', plant, price: 100 + at }));
    const created = await owner.post(`${workspace}/cw/assets/bulk`, { assets: [{ name, columns, items }] });
    expect(created.status).toBe(201);
    const rule = {
      entity: 'assets',
      table: name,
      filter: { plant: 'AT10' },
      columns: { hidden: ['price'] },
      write: true,
    };
    // Keys of one user.
    const whole = withKey(await issueKey(null));
    const limited = withKey(await issueKey(await createPolicy({ tables: [rule] })));
    const path = (at: number) => `${workspace}/cw/assets/${name}/items/R-${at}`;
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        plants.flatMap((_, at) => [
          whole.patch(path(at), { price: 1_000 * round + at }),
          limited.patch(path(at), { name: `Limited ${round}` }),
        ]),
      );
      for (const [at, plant] of plants.entries()) {
        const [ofWhole, ofLimited] = answers.slice(2 * at, 2 * at + 2) as [ApiResponse, ApiResponse];
        expect([ofWhole.status, ofWhole.body.data.item.price]).toEqual([200, 1_000 * round + at]);
        const isPermitted = plant === 'AT10';
        expect(ofLimited.status).toBe(isPermitted ? 200 : 404);
        expect(JSON.stringify(ofLimited.body)).not.toMatch(/price|Former/);
        const { item } = (await whole.get(path(at))).body.data;
        expect(item).toMatchObject({ name: isPermitted ? `Limited ${round}` : 'Former', price: 1_000 * round + at });
      }
    }
    const deleted = await Promise.all(
      plants.flatMap((_, at) => [whole.patch(path(at), { name: 'Kept' }), limited.delete(path(at))]),
    );
    expect(deleted.filter((_, at) => at % 4 === 3).map(({ status }) => status)).toEqual(
      plants.slice(12).map(() => 404),
    );
    const rest = (await whole.get(`${workspace}/cw/assets/${name}/items`)).body.data.items as { plant: string }[];
    expect(rest.filter(({ plant }) => plant === 'DE20')).toHaveLength(12);
  });

  it('has the policies of the membership and of the key together', async () => {
    const operator = await services[0]!.operatorClient();
    const { id: userId } = await operator.newUser(randomBytes(6).toString('hex'), me.workspaceId, 'editor');
    const client = await operator.newClient(userId);
    const own = await createPolicy({
      scopes: undefined,
      tables: [{ entity: 'assets', table: '*', filter: { name: 'Pump' } }],
    });
    expect((await owner.patch(`/v1/api/users/${userId}`, { policyId: own })).status).toBe(200);
    const member = await new Api(services[0]!.baseUrl).signIn(client);
    expect(keysOf(await member.get(`${assets}/items`))).toEqual(['A-1', 'B-1']);
    expect((await owner.patch(`/v1/api/users/${userId}`, { policyId: null })).status).toBe(200);
    expect(keysOf(await member.get(`${assets}/items`))).toHaveLength(4);
  });

  it('reads and writes only notes at the locations of the policy', async () => {
    const create = (api: Api, body: object) => api.post(`${workspace}/notes`, { title: 'Leak', ...body });
    const idOf = async (response: Promise<ApiResponse>) => (await response).body.data.id as string;
    const [inside, outside, without] = [
      await idOf(create(owner, { location: 'AT10-1' })),
      await idOf(create(owner, { location: 'DE20' })),
      await idOf(create(owner, { externalId: 'N-1' })),
    ];
    const limited = withKey(await issueKey(await createPolicy({ notes: { under: 'AT10' } })));
    const list = async (query = '') => {
      const { body } = await limited.get(`${workspace}/notes${query}`);
      return (body.data.items as { id: string }[]).map(({ id }) => id);
    };
    expect([await list(), await list('?q=leak'), await list('?location=DE20')]).toEqual([[inside], [inside], []]);
    expect((await limited.get(`${workspace}/notes/${inside}`)).status).toBe(200);
    for (const id of [outside, without]) {
      const note = `${workspace}/notes/${id}`;
      for (const path of [note, `${note}/messages`, `${note}/history`])
        expect((await limited.get(path)).status).toBe(404);
      expect((await limited.patch(note, { title: 'Mine' })).status).toBe(404);
      expect((await limited.delete(note)).status).toBe(404);
      expect((await limited.post(`${note}/messages`, { description: 'Mine' })).status).toBe(404);
    }
    const fed = (await limited.get(`${workspace}/notes/feed?limit=100`)).body.data.items as { noteId: string }[];
    expect(new Set(fed.map(({ noteId }) => noteId))).toEqual(new Set([inside]));
    for (const body of [{}, { location: 'DE20' }]) expect((await create(limited, body)).status).toBe(422);
    // Only the error of the location: it is not also outside of the policy.
    const unknown = await create(limited, { location: 'AT10-unknown' });
    expect([unknown.status, unknown.body.details.errors.map(({ field, code }: any) => [field, code])]).toEqual([
      422,
      [['location', 'not_found']],
    ]);
    expect((await create(limited, { externalId: 'N-1', location: 'AT10' })).status).toBe(404);
    const own = await idOf(create(limited, { location: 'AT10' }));
    expect(errorOf(await limited.patch(`${workspace}/notes/${own}`, { location: null }))).toEqual([
      ...[422, 'invalid_note', 'outside_policy'],
    ]);
    expect((await limited.patch(`${workspace}/notes/${own}`, { location: 'AT10-2' })).status).toBe(200);
    expect((await limited.post(`${workspace}/notes/${own}/messages`, { description: 'Done' })).status).toBe(201);
    // A caller who may write locations may not move others below its own, where it would read their notes.
    const { body: policy } = await owner.post(`${workspace}/access-policies`, {
      name: 'Notes',
      notes: { under: 'AT10' },
    });
    const writer = withKey(await issueKey(policy.data.id as string));
    const sites = `${workspace}/cw/locations/Sites`;
    const move = { code: 'DE20', parent: 'AT10' };
    for (const response of [
      await writer.patch(`${sites}/items/DE20`, { parent: 'AT10' }),
      await writer.put(`${sites}/items/DE20`, { name: 'Munich', plant: 'DE20', parent: 'AT10' }),
      await writer.patch(`${sites}/items/DE20-1`, { parent: 'AT10-1' }),
      // It could be created again below.
      await writer.delete(`${sites}/items/DE20`),
      await writer.post(`${sites}/items/delete`, { keys: ['DE20-1'] }),
      await writer.post(`${workspace}/cw/locations/bulk`, { locations: [{ name: 'Sites', items: [move] }] }),
      await writer.send(`${sites}/items/import`, {
        method: 'POST',
        body: `${JSON.stringify(move)}\n`,
        headers: { 'Content-Type': 'application/x-ndjson' },
      }),
    ])
      expect([response.status, JSON.stringify(response.body.details)]).toEqual([
        422,
        expect.stringContaining('outside_policy'),
      ]);
    expect(await list()).not.toContain(outside);
    // Parents that do not change may be sent.
    const same = { name: 'Munich 2', plant: 'DE20', parent: 'P' };
    expect((await writer.put(`${sites}/items/DE20`, same)).status).toBe(200);
    const created = await writer.put(`${sites}/items/AT10-9`, { name: 'Hall 9', plant: 'AT10', parent: 'AT10' });
    expect(created.status).toBe(201);
    expect((await writer.delete(`${sites}/items/AT10-9`)).status).toBe(200);
    // A flat table has no hierarchy that a caller could add.
    const flat = {
      name: 'Rooms',
      columns: [{ key: 'code', name: 'Code', type: 'text' }],
      items: [{ code: 'AT10' }, { code: 'R1' }],
    };
    expect((await owner.post(`${workspace}/cw/locations/bulk`, { locations: [flat] })).status).toBe(201);
    const columns = [{ key: 'parent', name: 'Parent', type: 'hierarchyParent' }];
    const items = [{ code: 'R1', parent: 'AT10' }];
    const added = await writer.post(`${workspace}/cw/locations/bulk`, {
      locations: [{ name: 'Rooms', columns, items }],
    });
    expect([added.status, JSON.stringify(added.body.details)]).toEqual([
      422,
      expect.stringContaining('outside_policy'),
    ]);
    expect((await writer.patch(`${sites}/items/AT10-2`, { parent: 'AT10-1' })).status).toBe(200);
    expect((await owner.patch(`${sites}/items/AT10-2`, { parent: 'AT10' })).status).toBe(200);
    expect((await owner.patch(`${sites}/items/DE20`, { name: 'Munich' })).status).toBe(200);
    // Without a rule for notes, notes at hidden rows show only the key.
    const { body } = await caller.get(`${workspace}/notes/${outside}`);
    expect(body.data.location).toMatchObject({ key: 'DE20', name: null });
  });

  describe('policies', () => {
    it('are checked against the tables that they name', async () => {
      const create = (tables: object[]) => owner.post(`${workspace}/access-policies`, { name: 'Wrong', tables });
      const equipment = { entity: 'assets', table: 'Equipment' };
      const fieldOf = async (rule: object) => {
        const { status, body } = await create([rule]);
        return [status, body.error, body.details.errors[0].field];
      };
      expect(await fieldOf({ ...equipment, filter: { plnt: 'X' } })).toEqual([
        422,
        'invalid_policy',
        'tables[0].filter[plnt]',
      ]);
      expect(await fieldOf({ ...equipment, under: 'X' })).toEqual([422, 'invalid_policy', 'tables[0].under']);
      expect(await fieldOf({ ...equipment, columns: { hidden: ['code'] } })).toEqual([
        422,
        'invalid_policy',
        'tables[0].columns.hidden',
      ]);
      expect(await fieldOf({ ...equipment, columns: { hidden: ['prize'] } })).toEqual([
        422,
        'invalid_policy',
        'tables[0].columns.hidden[0]',
      ]);
      // A filter without conditions would permit all rows.
      for (const table of ['Equipment', '*'])
        expect(await fieldOf({ entity: 'assets', table, filter: {} })).toEqual([
          422,
          'invalid_policy',
          'tables[0].filter',
        ]);
      for (const [name, problem] of [
        ['Code', 'Send the key'],
        ['place.name', 'leads through a reference'],
      ] as const)
        expect((await create([{ ...equipment, filter: { [name]: 'X' } }])).body.details.errors).toEqual([
          { field: 'tables[0].filter', code: 'invalid_value', message: expect.stringContaining(problem) },
        ]);
      const { id } = (await owner.get(assets)).body.data as { id: string };
      const byId = await create([equipment, { ...equipment, table: id }]);
      expect(byId.body.details.errors).toEqual([
        expect.objectContaining({ field: 'tables[1].table', code: 'duplicate' }),
      ]);
      const twice = await create([equipment, { ...equipment, table: 'EQUIPMENT' }]);
      expect(twice.body.details.errors).toEqual([
        expect.objectContaining({ field: 'tables[1].table', code: 'duplicate' }),
      ]);
    });

    it('warn of rules that permit nothing until their table or row exists', async () => {
      const [table, root] = [`Later ${randomUUID()}`, randomBytes(4).toString('hex')];
      const name = randomUUID();
      const input = {
        name,
        tables: [
          { entity: 'locations', table: 'sites', under: 'AT10' },
          { entity: 'locations', table, under: root },
          { entity: 'assets', table: randomUUID() },
          { entity: 'lists', table: '*' },
        ],
        notes: { under: root },
      };
      const policies = `${workspace}/access-policies`;
      const created = await owner.post(policies, input);
      expect(created.status).toBe(201);
      const warningsOf = ({ body }: ApiResponse) =>
        (body.data.warnings as { field: string; code: string }[] | undefined)?.map(({ field, code }) => [field, code]);
      const unknownId = ['tables[2].table', 'unknown_table'];
      const unknownNote = ['notes.under', 'unknown_row'];
      const withoutTable = [['tables[1].table', 'unknown_table'], unknownId, unknownNote];
      expect(warningsOf(created)).toEqual(withoutTable);
      expect(created.body.data.warnings[0].message).toContain(`"${table}"`);
      const path = `${policies}/${created.body.data.id as string}`;
      const read = await owner.get(path);
      expect(warningsOf(read)).toEqual(withoutTable);
      const listed = (await owner.get(policies)).body.data.items as { name: string }[];
      expect(listed.find((policy) => policy.name === name)).not.toHaveProperty('warnings');

      const columns = [
        { key: 'code', name: 'Code', type: 'text' },
        { key: 'parent', name: 'Parent', type: 'hierarchyParent' },
      ];
      const push = (items: object[]) =>
        owner.post(`${workspace}/cw/locations/bulk`, { locations: [{ name: table, columns, items }] });
      expect((await push([])).status).toBe(201);
      // The ETag covers the warnings.
      const emptyTable = await owner.get(path, { 'If-None-Match': read.headers.get('etag')! });
      expect(warningsOf(emptyTable)).toEqual([['tables[1].under', 'unknown_row'], unknownId, unknownNote]);
      expect((await push([{ code: root }])).body.data.totals.created).toBe(1);
      expect(warningsOf(await owner.get(path))).toEqual([unknownId]);
      const tables = input.tables.filter((_, position) => position !== 2);
      expect(warningsOf(await owner.put(path, { ...input, tables }))).toBeUndefined();
    });

    it('warn of columns that no table has, and of filters that limit nothing', async () => {
      const table = `Filtered ${randomUUID()}`;
      const columns = ['Code', 'Plant'].map((name) => ({ key: name.toLowerCase(), name, type: 'text' }));
      const pushed = await owner.post(`${workspace}/cw/lists/bulk`, { lists: [{ name: table, columns, items: [] }] });
      expect(pushed.status).toBe(201);
      const warningsOf = async (tables: object[]) => {
        const { status, body } = await owner.post(`${workspace}/access-policies`, { name: randomUUID(), tables });
        expect(status).toBe(201);
        const warnings = (body.data.warnings ?? []) as { field: string; code: string; message: string }[];
        return warnings.map(({ field, code, message }) => [field, code, /"\w+"|true|false/.exec(message)![0]]);
      };
      const rule = { entity: 'lists', table };
      const any = { entity: 'lists', table: '*' };
      const misspelled = { hidden: ['plant', 'plantt'], readOnly: ['kode'] };
      expect(await warningsOf([{ ...any, columns: misspelled, filter: { plannt: 'A' } }])).toEqual([
        ['tables[0].columns.hidden[1]', 'unknown_column', '"plantt"'],
        ['tables[0].columns.readOnly[0]', 'unknown_column', '"kode"'],
        ['tables[0].filter', 'unknown_column', '"plannt"'],
      ]);
      const unlimited = [
        { plant: { notIn: [] } },
        { plant: { notIn: '' } },
        { code: 'A', plant: { notIn: [] } },
        { or: [{ plant: 'A' }, { plant: { notIn: [] } }] },
        { not: { and: [{ code: 'A' }, { plant: { in: [] } }] } },
      ];
      for (const filter of unlimited)
        for (const each of [rule, any])
          expect(await warningsOf([{ ...each, filter }])).toEqual([['tables[0].filter', 'invalid_value', 'true']]);
      expect(await warningsOf([{ ...rule, filter: { plant: { in: [] } } }])).toEqual([
        ['tables[0].filter', 'invalid_value', 'false'],
      ]);
      for (const filter of [{ plant: { notIn: ['A'] } }, { or: [{ plant: 'A' }, { plant: { in: [] } }] }])
        expect(await warningsOf([{ ...any, filter, columns: { hidden: ['plant'] } }])).toEqual([]);
    });

    it('warn of rules that no longer fit the columns of their table', async () => {
      const table = `Shrinking ${randomUUID()}`;
      const columns = ['Code', 'Plant'].map((name) => ({ key: name.toLowerCase(), name, type: 'text' }));
      const pushed = await owner.post(`${workspace}/cw/assets/bulk`, { assets: [{ name: table, columns, items: [] }] });
      expect(pushed.status).toBe(201);
      const rule = { entity: 'assets', table, filter: { plant: 'AT10' } };
      const id = await createPolicy({ tables: [rule] });
      const dropped = await owner.delete(
        `${workspace}/cw/assets/${encodeURIComponent(table)}/columns/plant?confirm=plant`,
      );
      expect(dropped.status).toBe(200);
      const { body } = await owner.get(`${workspace}/access-policies/${id}`);
      expect(body.data.warnings).toEqual([expect.objectContaining({ field: 'tables[0].filter[plant]' })]);
    });

    it('cannot be assigned to owners or from another workspace, nor deleted while assigned', async () => {
      const operator = await services[0]!.operatorClient();
      const { id: userId } = await operator.newUser(randomBytes(6).toString('hex'), me.workspaceId, 'owner');
      expect(errorOf(await owner.patch(`/v1/api/users/${userId}`, { policyId }))).toEqual([
        422,
        'policy_not_assignable',
        'policy_not_assignable',
      ]);
      const both = { role: 'editor', policyId: me.workspaceId };
      expect((await owner.patch(`/v1/api/users/${userId}`, both)).body.error).toBe('policy_not_assignable');
      expect((await owner.patch(`/v1/api/users/${userId}`, { ...both, policyId })).status).toBe(200);
      expect((await owner.patch(`/v1/api/users/${userId}`, { role: 'owner' })).body.error).toBe(
        'policy_not_assignable',
      );
      const used = await owner.delete(`${workspace}/access-policies/${policyId}`);
      expect([used.status, used.body.error]).toEqual([409, 'policy_in_use']);
      const unused = await createPolicy({});
      // Of two owners who change a policy that both have read, the second one learns of the first.
      const path = `${workspace}/access-policies/${unused}`;
      const { headers } = await owner.get(path);
      const replace = () => owner.put(path, { name: unused }, { 'If-Match': headers.get('etag')! });
      expect([(await replace()).status, (await replace()).status]).toEqual([200, 412]);
      expect((await owner.delete(`${workspace}/access-policies/${unused}`)).status).toBe(200);
      expect((await owner.get(`${workspace}/access-policies/${unused}`)).status).toBe(404);
      const taken = await owner.post(`${workspace}/access-policies`, { ...PLANT, name: 'PLANT at10' });
      expect(errorOf(taken)).toEqual([409, 'policy_name_taken', 'policy_name_taken']);
    });
  });
});

/** Ways to find out, or to change, what a policy hides. */
describe('a caller who looks for what its access policy hides', () => {
  let services: SharedService[];
  let me: Credentials;
  let owner: Api;
  let workspace: string;
  let parts: string;
  let partsId: string;

  const COLUMNS = [
    { key: 'code', name: 'Code', type: 'text' },
    { key: 'plant', name: 'Plant', type: 'text', options: { indexed: true } },
    { key: 'serial', name: 'Serial', type: 'text', options: { unique: true } },
    { key: 'cost', name: 'Price of purchase', type: 'number', options: { maximum: 100, level: 'warning' } },
    { key: 'parent', name: 'Parent', type: 'hierarchyParent' },
  ];
  const PARTS = [
    { code: 'A-1', plant: 'A', serial: 'S1', cost: 500, parent: null },
    { code: 'A-2', plant: 'A', serial: 'S2', cost: 20, parent: 'B-1' },
    { code: 'B-1', plant: 'B', serial: 'S3', cost: 30, parent: 'A-1' },
    { code: 'B-2', plant: 'B', serial: 'S4', cost: 500, parent: null },
    { code: 'C-1', plant: 'C', serial: 'S5', cost: 500, parent: null },
  ];
  const RULE = { entity: 'locations', table: 'Parts', filter: { plant: { ne: 'B' } }, write: true };

  const create = async (tables: object[]): Promise<string> => {
    const name = randomBytes(6).toString('hex');
    const created = await owner.post(`${workspace}/access-policies`, { name, tables });
    expect([created.status, created.body.details]).toEqual([201, undefined]);
    return created.body.data.id as string;
  };
  const issue = async (policyId: string): Promise<Api[]> => {
    const created = await owner.post(`${workspace}/api-keys`, { name: 'Key', policyId });
    return services.map(({ baseUrl }) => new Api(baseUrl).withKey(created.body.data.apiKey as string));
  };
  const restrict = async (...tables: object[]) => issue(await create(tables));
  const keys = ({ body }: ApiResponse) => (body.data.items as { code: string }[]).map(({ code }) => code);
  const firstError = ({ status, body }: ApiResponse) => [status, body.details?.errors?.[0]?.code];

  beforeAll(async () => {
    ({ services } = await shareServices(2));
    me = await services[0]!.provision();
    owner = await new Api(services[0]!.baseUrl).signIn(me);
    workspace = `/v2/api/workspaces/${me.workspaceId}`;
    parts = `${workspace}/cw/locations/Parts`;
    const tables = [{ name: 'Parts', columns: COLUMNS, items: PARTS }];
    expect((await owner.post(`${workspace}/cw/locations/bulk`, { locations: tables })).status).toBe(201);
    const edited = await owner.put(parts, { options: { uniqueTogether: [['plant', 'cost']] } });
    expect(edited.status).toBe(200);
    partsId = edited.body.data.id as string;
  });

  it('learns no key of a hidden row from a value that must be unique', async () => {
    const [caller] = await restrict(RULE);
    for (const response of [
      await caller!.patch(`${parts}/items/A-1`, { serial: 'S3' }),
      await caller!.post(`${workspace}/cw/locations/bulk`, {
        locations: [{ name: 'Parts', items: [{ code: 'A-1', serial: 'S3' }] }],
      }),
    ]) {
      expect(firstError(response)).toEqual([422, 'not_unique']);
      expect(response.body.details.errors[0].message).toBe('Another row has the value "S3", too.');
    }
    const visible = await caller!.patch(`${parts}/items/A-1`, { serial: 'S2' });
    expect(visible.body.details.errors[0].message).toBe('The row "A-2" has the value "S2", too.');
  });

  it('learns nothing of a hidden column from constraints, warnings and the options of the table', async () => {
    const [caller] = await restrict({ ...RULE, columns: { hidden: ['cost'] } });
    expect((await caller!.get(parts)).body.data.options).toEqual({ uniqueTogether: [] });
    const changed = await caller!.patch(`${parts}/items/A-1`, { serial: 'S9' });
    expect([changed.status, JSON.stringify(changed.body)]).toEqual([200, expect.not.stringContaining('cost')]);
    expect((await caller!.patch(`${parts}/items/A-1`, { serial: 'S1' })).status).toBe(200);
    const rejected = await caller!.patch(`${parts}/items/A-1`, { plant: 'C' });
    expect([firstError(rejected), JSON.stringify(rejected.body)]).toEqual([
      [422, 'outside_policy'],
      expect.not.stringContaining('cost'),
    ]);
    const file = { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: 'code,plant\nA-1,C\n' };
    const compared = await caller!.send(`${parts}/items/compare`, file);
    expect(JSON.stringify(compared.body)).not.toContain('cost');
    expect((await caller!.get(`${parts}/violations`)).body.data.items).toEqual([]);
    for (const scope of ['filter[cost]=500', 'filter[Price of purchase]=500'])
      expect((await caller!.send(`${parts}/items/compare?${scope}`, file)).status).toBe(400);
    const columns = [{ key: 'cost', name: 'Cost', type: 'number' }];
    const send = (definitions: object[]) =>
      caller!.post(`${workspace}/cw/locations/bulk`, {
        locations: [{ name: 'Parts', columns: definitions, items: [{ code: 'A-1' }] }],
      });
    expect(firstError(await send(columns))).toEqual([403, 'table_not_permitted']);
  });

  it('adds no column, and finds no hidden one, by the name of a visible column', async () => {
    const [caller] = await restrict({
      entity: 'locations',
      table: 'Names',
      columns: { hidden: ['cost'] },
      write: true,
    });
    const columns = [
      { key: 'code', name: 'Code', type: 'text' },
      { key: 'cost', name: 'Secret', type: 'number' },
      { key: 'first', name: 'Cost', type: 'text' },
      { key: 'second', name: 'Long name', type: 'text' },
    ];
    const bulk = (api: Api, sent: object[]) =>
      api.post(`${workspace}/cw/locations/bulk`, {
        locations: [{ name: 'Names', columns: sent, items: [{ code: 'A' }] }],
      });
    expect((await bulk(owner, columns)).status).toBe(201);
    for (const name of ['Cost', 'Long name'])
      expect(firstError(await bulk(caller!, [{ name, type: 'text' }]))).toEqual([403, 'table_not_permitted']);
    expect((await bulk(caller!, [{ key: 'first', name: 'Cost', type: 'text' }])).status).toBe(200);
    expect((await owner.get(`${workspace}/cw/locations/Names`)).body.data.columns).toHaveLength(4);
  });

  it('learns no number of hidden rows from estimates', async () => {
    const [caller] = await restrict(RULE);
    const { body } = await caller!.get(`${parts}/items?count=estimated&filter[plant]=B`);
    expect(body.data.total).toBe(0);
    expect((await caller!.get(`${parts}/items?count=estimated`)).body.data.total).toBe(3);
  });

  it('reads no import of others, not even by its ID', async () => {
    const [caller] = await restrict(RULE);
    const importId = randomUUID();
    const headers = { 'Content-Type': 'text/csv' };
    const path = `${parts}/items/import?onError=continue&importId=${importId}`;
    await owner.send(path, { method: 'POST', headers, body: 'code,cost\nB-1,secret\n' });
    expect((await owner.get(`${workspace}/cw/imports/${importId}`)).status).toBe(200);
    for (const suffix of ['', '/errors'])
      expect((await caller!.get(`${workspace}/cw/imports/${importId}${suffix}`)).body.error).toBe('not_found');
    expect((await caller!.delete(`${workspace}/cw/imports/${importId}`)).body.error).toBe('not_found');
  });

  it('receives no stored response of a request under a former policy', async () => {
    const policy = await create([RULE]);
    const [caller] = await issue(policy);
    const body = { locations: [{ name: 'Parts', items: [{ code: 'C-1', plant: 'C' }] }] };
    const send = () => caller!.post(`${workspace}/cw/locations/bulk`, body, { 'Idempotency-Key': `key-${policy}` });
    expect((await send()).status).toBe(200);
    expect((await send()).headers.get('idempotent-replayed')).toBe('true');
    const tables = [{ ...RULE, filter: { plant: 'A' } }];
    expect((await owner.put(`${workspace}/access-policies/${policy}`, { name: policy, tables })).status).toBe(200);
    const repeated = await send();
    expect([repeated.status, repeated.body.data, repeated.headers.get('idempotent-replayed')]).toEqual([
      422,
      undefined,
      null,
    ]);
  });

  it('reads no row with a cursor, an ETag or a path of another policy', async () => {
    const [former] = await restrict({ ...RULE, filter: undefined });
    const page = await former!.get(`${parts}/items?limit=2&sort=-plant`);
    const [caller] = await restrict(RULE);
    const following = await caller!.get(`${parts}/items?limit=2&sort=-plant&cursor=${page.body.data.nextCursor}`);
    expect(keys(following)).toEqual(['A-2', 'A-1']);
    const etag = (await former!.get(`${parts}/items`)).headers.get('etag')!;
    expect((await caller!.get(`${parts}/items`, { 'If-None-Match': etag })).status).toBe(200);
    const { path, unresolvedParent } = (await caller!.get(`${parts}/items/A-2/path`)).body.data;
    expect([path, unresolvedParent]).toEqual([[{ key: 'A-2', title: 'A-2' }], null]);
    const matching = await caller!.put(`${parts}/items/B-1`, { plant: 'A' }, { 'If-Match': '"1"' });
    const absent = await caller!.put(`${parts}/items/X-1`, { plant: 'A' }, { 'If-Match': '"1"' });
    expect([matching.status, matching.body.message]).toEqual([absent.status, absent.body.message]);
  });

  it.each([
    ['owner', 'caller', 'other'],
    ['caller', 'owner', 'other'],
    ['other', 'caller', 'owner'],
  ])('reads one row with its own columns, if the callers read it in the order %s, %s, %s', async (...order) => {
    const name = order.join(' ');
    const items = [{ code: 'A', price: 42, vendor: 'KSB' }];
    const columns = [
      { name: 'Code', type: 'text' },
      { name: 'Price', type: 'number' },
      { name: 'Vendor', type: 'text' },
    ];
    expect((await owner.post(`${workspace}/cw/assets/bulk`, { assets: [{ name, columns, items }] })).status).toBe(201);
    const hide = (key: string) => restrict({ entity: 'assets', table: name, columns: { hidden: [key] }, write: true });
    const [[caller], [other]] = [await hide('price'), await hide('vendor')];
    const readers = {
      owner: { api: owner, row: { code: 'A', price: 42, vendor: 'KSB' } },
      caller: { api: caller!, row: { code: 'A', vendor: 'KSB' } },
      other: { api: other!, row: { code: 'A', price: 42 } },
    } as const;
    const table = `${workspace}/cw/assets/${name}`;
    for (const path of ['items/A', 'item?key=A', 'items/A?asOf=1', 'item?key=A&asOf=1'])
      for (const reader of order as (keyof typeof readers)[]) {
        const { body } = await readers[reader].api.get(`${table}/${path}`);
        expect([path, reader, body.data?.item]).toEqual([path, reader, readers[reader].row]);
      }
    // A row that is written back as it was read retains the values of the hidden columns.
    for (const { api } of [readers.caller, readers.other, readers.owner]) {
      const { body, headers } = await api.get(`${table}/items/A`);
      const { code: _, ...row } = body.data.item as Record<string, unknown>;
      const written = await api.put(`${table}/items/A`, row, { 'If-Match': headers.get('etag')! });
      expect(written.status).toBe(200);
    }
    expect((await owner.get(`${table}/items/A`)).body.data.item).toEqual(readers.owner.row);
  });

  it('sees a note at a hidden row with its key only, and creates none there', async () => {
    const [caller] = await restrict(RULE);
    const note = (await owner.post(`${workspace}/notes`, { title: 'Leak', location: 'B-1' })).body.data;
    for (const path of [`${workspace}/notes/${note.id}`, `/v1/api/notes/${note.id}`]) {
      const { status, body } = await caller!.get(path);
      expect([status, body.data.location]).toEqual([200, { tableId: partsId, key: 'B-1', table: null, name: null }]);
    }
    const [hidden, absent] = [
      await caller!.post(`${workspace}/notes`, { location: 'B-1' }),
      await caller!.post(`${workspace}/notes`, { location: 'X-1' }),
    ];
    expect([hidden.status, hidden.body.details.errors[0].message.replace('B-1', 'X-1')]).toEqual([
      422,
      absent.body.details.errors[0].message,
    ]);
    expect((await caller!.get(`${workspace}/notes?under=B-1`)).body.data.items).toEqual([]);
  });

  it('has the part of a table that its rule permits, whatever names tables and columns get', async () => {
    const columns = [
      { key: 'code', name: 'Code', type: 'text' },
      { key: 'werk', name: 'Plant', type: 'text' },
      { key: 'price', name: 'Price', type: 'number' },
    ];
    const items = [
      { code: 'A', werk: 'A', price: 1 },
      { code: 'B', werk: 'B', price: 2 },
    ];
    const path = `${workspace}/cw/assets`;
    const load = (name: string) => owner.post(`${path}/bulk`, { assets: [{ name, columns, items }] });
    const limits = { entity: 'assets', filter: { werk: 'A' }, columns: { hidden: ['price'] }, write: true };
    const rule = (table: string) => ({ ...limits, table });
    expect((await load('Bound')).status).toBe(201);
    const policy = await create([rule('bound'), rule('Later'), { entity: 'assets', table: '*' }]);
    const callers = await issue(policy);
    const show = async () => (await owner.get(`${workspace}/access-policies/${policy}`)).body.data;
    const tableNames = async () => (await show()).tables.map(({ table }: { table: string }) => table) as string[];
    const expectRestricted = async (name: string) => {
      for (const caller of callers)
        expect((await caller.get(`${path}/${name}/items`)).body.data.items).toEqual([{ code: 'A', werk: 'A' }]);
    };
    // A table that exists later, too.
    expect((await load('Later')).status).toBe(201);
    const { version, ...shown } = await show();
    for (const name of ['Bound', 'Later']) {
      await expectRestricted(name);
      expect((await owner.put(`${path}/${name}?confirm=${name}`, { name: `${name} 2` })).status).toBe(200);
      await expectRestricted(`${name} 2`);
    }
    expect(await tableNames()).toEqual(['Bound 2', 'Later 2', '*']);
    // Rules with the former names would restrict nothing.
    const stale = {
      method: 'PUT',
      body: { name: shown.name, tables: shown.tables },
      headers: { 'If-Match': `"${version}"` },
    };
    expect((await owner.send(`${workspace}/access-policies/${policy}`, stale)).status).toBe(412);
    expect((await show()).version).toBe(version + 2);
    // Another table with a former name has no rule of its own.
    expect((await load('Bound')).status).toBe(201);
    expect((await callers[0]!.get(`${path}/Bound/items`)).body.data.items).toEqual(items);
    // A dropped table leaves its rule to the next one with its name.
    expect((await owner.delete(`${path}/Bound 2?confirm=Bound 2`)).status).toBe(200);
    expect((await load('Bound 2')).status).toBe(201);
    await expectRestricted('Bound 2');
    expect(await tableNames()).toEqual(['Bound 2', 'Later 2', '*']);
    // The filter names a key, and no column that gets the same name.
    const edit = {
      columns: [
        { key: 'werk', name: 'Other' },
        { key: 'price', name: 'werk' },
      ],
    };
    expect((await owner.put(`${path}/Bound 2`, edit)).status).toBe(200);
    await expectRestricted('Bound 2');
    for (const filter of [{ Plant: 'A' }, { or: [{ werk: 'A' }, { 'Price of it': 1 }] }]) {
      const named = [{ ...rule('Bound 2'), filter }];
      const rejected = await owner.post(`${workspace}/access-policies`, { name: randomUUID(), tables: named });
      expect([rejected.status, rejected.body.details.errors[0].field]).toEqual([422, 'tables[0].filter']);
    }
  });

  it('has the part of the next table with the name if a policy is saved while the table is dropped', async () => {
    const columns = [
      { key: 'code', name: 'Code', type: 'text' },
      { key: 'price', name: 'Price', type: 'number' },
    ];
    const path = `${workspace}/cw/assets`;
    const load = async (name: string) =>
      expect(
        (await owner.post(`${path}/bulk`, { assets: [{ name, columns, items: [{ code: 'A', price: 1 }] }] })).status,
      ).toBe(201);
    const any = { entity: 'assets', table: '*' };
    const visible = async (policyId: string, name: string) =>
      (await (await issue(policyId))[0]!.get(`${path}/${name}/items`)).body.data.items as object[];
    for (let round = 0; round < 6; round++) {
      const name = `Raced ${round}`;
      await load(name);
      const rules = [{ entity: 'assets', table: name, columns: { hidden: ['price'] } }, any];
      const replaced = await create(rules);
      const [, ...saved] = await Promise.all([
        owner.delete(`${path}/${name}?confirm=${name}`),
        owner.put(`${workspace}/access-policies/${replaced}`, { name: randomUUID(), tables: rules }),
        owner.post(`${workspace}/access-policies`, { name: randomUUID(), tables: rules }),
      ]);
      expect(saved.map(({ status }) => status)).toEqual([200, 201]);
      await load(name);
      for (const policyId of [replaced, saved[1].body.data.id as string])
        expect(await visible(policyId, name)).toEqual([{ code: 'A' }]);
    }
  });

  it('gets no rule by the name that an editor gives to a table', async () => {
    const operator = await services[0]!.operatorClient();
    const { id } = await operator.newUser(randomBytes(6).toString('hex'), me.workspaceId, 'editor');
    const editor = await new Api(services[0]!.baseUrl).signIn(await operator.newClient(id));
    const tables = [{ name: 'Unnamed', columns: COLUMNS.slice(0, 2), items: [{ code: 'A', plant: 'A' }] }];
    expect((await owner.post(`${workspace}/cw/locations/bulk`, { locations: tables })).status).toBe(201);
    await create([{ entity: 'locations', table: 'Awaited' }]);
    const path = `${workspace}/cw/locations/Unnamed?confirm=Unnamed`;
    const renamed = await editor.put(path, { name: 'awaited' });
    expect([renamed.status, renamed.body.error, renamed.body.details?.errors[0].field]).toEqual([
      ...[403, 'insufficient_role', 'name'],
    ]);
    expect((await editor.put(path, { name: 'Not awaited' })).status).toBe(200);
  });

  it('retains a table that was renamed, on every instance', async () => {
    const callers = await restrict({ entity: 'locations', table: 'Renamed' });
    const tables = [{ name: 'Renamed', columns: COLUMNS.slice(0, 2), items: [{ code: 'A', plant: 'A' }] }];
    expect((await owner.post(`${workspace}/cw/locations/bulk`, { locations: tables })).status).toBe(201);
    const { id } = (await owner.get(`${workspace}/cw/locations/Renamed`)).body.data;
    const path = `${workspace}/cw/locations/${id as string}`;
    for (const caller of callers)
      for (const suffix of ['/items', '/items/A']) expect((await caller.get(path + suffix)).status).toBe(200);
    expect((await owner.put(`${path}?confirm=Renamed`, { name: 'Other' })).status).toBe(200);
    for (const caller of callers)
      for (const suffix of ['/items', '/items/A']) expect((await caller.get(path + suffix)).status).toBe(200);
  });

  it('has what two policies permit, whatever columns and parents each of them hides', async () => {
    const operator = await services[0]!.operatorClient();
    const { id: userId } = await operator.newUser(randomBytes(6).toString('hex'), me.workspaceId, 'owner');
    const member = await new Api(services[0]!.baseUrl).signIn(await operator.newClient(userId));
    const read = async (own: object, ofKey: object) => {
      expect((await owner.patch(`/v1/api/users/${userId}`, { role: 'owner', policyId: null })).status).toBe(200);
      const created = await member.post(`${workspace}/api-keys`, { name: 'Key', policyId: await create([ofKey]) });
      const demotion = { role: 'editor', policyId: await create([own]) };
      expect((await owner.patch(`/v1/api/users/${userId}`, demotion)).status).toBe(200);
      return new Api(services[0]!.baseUrl).withKey(created.body.data.apiKey as string).get(`${parts}/items`);
    };
    const noPlant = { entity: 'locations', table: 'Parts', columns: { hidden: ['plant', 'parent'] } };
    const notB = { entity: 'locations', table: 'Parts', filter: { plant: { ne: 'B' } } };
    const below = { entity: 'locations', table: 'Parts', under: 'A-1' };
    for (const [first, second] of [
      [notB, noPlant],
      [noPlant, notB],
    ] as const) {
      const page = await read(first, second);
      expect([keys(page), 'plant' in page.body.data.items[0]]).toEqual([['A-1', 'A-2', 'C-1'], false]);
    }
    // A row above A-2 has the plant B.
    expect(keys(await read(notB, below))).toEqual(['A-1', 'A-2']);
    expect(keys(await read(below, notB))).toEqual(['A-1', 'A-2']);
  });

  it('has columns hidden by their keys, because names change', async () => {
    for (const table of ['Parts', '*']) {
      const tables = [{ entity: 'locations', table, columns: { hidden: ['Price of purchase'] } }];
      const { status, body } = await owner.post(`${workspace}/access-policies`, { name: 'By name', tables });
      expect([status, body.details.errors[0].field]).toEqual([422, 'tables[0].columns.hidden[0]']);
    }
  });

  it('pushes nothing by the former webhook into tables that no rule names', async () => {
    const [caller] = await restrict(RULE);
    const pushed = await caller!.post('/v1/api/notes/erp/webhook', { priorities: [{ PRIOK: '1', PRIOKX: 'High' }] });
    expect(pushed.status).toBe(403);
    expect((await owner.get(`${workspace}/cw/lists`)).body.data.items).toEqual([]);
  });
});

it('no response depends on the caller who has sent the same request before, in either order', async () => {
  const { services } = await shareServices();
  expect(await findMixedResponses(services[0]!, 200)).toEqual([]);
});

describe('a caller whose policy permits two of the tables that references may name', () => {
  /** Two references lead to more tables than a query may read. */
  const TABLES = 60;
  let owner: Api;
  let caller: Api;
  let assets: string;

  beforeAll(async () => {
    const { services } = await shareServices(1);
    const me = await services[0]!.provision();
    owner = await new Api(services[0]!.baseUrl).signIn(me);
    const workspace = `/v2/api/workspaces/${me.workspaceId}`;
    assets = `${workspace}/cw/assets/Pumps`;
    const columns = ['code', 'name'].map((key) => ({ key, name: key, type: 'text' }));
    const tables = Array.from({ length: TABLES }, (_, at) => {
      const number = String(at).padStart(3, '0');
      return { name: `Area ${number}`, columns, items: [{ code: `L${number}`, name: `Hall ${number}` }] };
    });
    for (let at = 0; at < TABLES; at += 25) {
      const locations = tables.slice(at, at + 25);
      expect((await owner.post(`${workspace}/cw/locations/bulk`, { locations })).status).toBe(201);
    }
    const pumps = {
      name: 'Pumps',
      columns: [
        { key: 'code', name: 'code', type: 'text' },
        { key: 'location', name: 'location', type: 'reference' },
        { key: 'former', name: 'former', type: 'reference' },
      ],
      // The tables by name: the first one, a hidden one, the last one, and none.
      items: [
        { code: 'P1', location: 'L000' },
        { code: 'P2', location: 'L030' },
        { code: 'P3', location: 'L059' },
        { code: 'P4', location: 'none' },
      ],
    };
    expect((await owner.post(`${workspace}/cw/assets/bulk`, { assets: [pumps] })).status).toBe(201);
    const areas = ['Area 000', 'Area 059'].map((table) => ({ entity: 'locations', table }));
    const policy = { name: 'Two areas', tables: [...areas, { entity: 'assets', table: 'Pumps' }] };
    const { id: policyId } = (await owner.post(`${workspace}/access-policies`, policy)).body.data;
    const { apiKey } = (await owner.post(`${workspace}/api-keys`, { name: 'Key', policyId })).body.data;
    caller = new Api(services[0]!.baseUrl).withKey(apiKey as string);
  }, 60_000);

  const codesOf = ({ body }: ApiResponse) => (body.data.items as { code: string }[]).map(({ code }) => code);

  it('filters and groups through the references, which is rejected for a caller without a policy', async () => {
    const filter = 'filter[location.name][contains]=Hall&filter[former.name][null]=true';
    for (const path of [`items?${filter}`, 'aggregate?group=location.name,former.name']) {
      const { status, body } = await owner.get(`${assets}/${path}`);
      expect([status, body.details.errors[0].code]).toEqual([400, 'too_many_targets']);
    }
    expect(codesOf(await caller.get(`${assets}/items?${filter}`))).toEqual(['P1', 'P3']);
    expect(codesOf(await caller.get(`${assets}/items?filter[location.name][null]=true`))).toEqual(['P2', 'P4']);
    const { items } = (await caller.get(`${assets}/aggregate?group=location.name`)).body.data;
    expect(items).toEqual([
      { group: { 'location.name': 'Hall 000' }, measures: { count: 1 } },
      { group: { 'location.name': 'Hall 059' }, measures: { count: 1 } },
      { group: { 'location.name': null }, measures: { count: 2 } },
    ]);
  });

  it('reads titles of permitted rows only, and references to hidden rows are resolved', async () => {
    const { expanded } = (await caller.get(`${assets}/items?expand=location`)).body.data;
    const titles = Object.values<{ table: string; title: string }>(expanded.location);
    expect(titles.map(({ table, title }) => [table, title])).toEqual([
      ['Area 000', 'L000'],
      ['Area 059', 'L059'],
    ]);
    const { items } = (await caller.get(`${assets}/unresolved`)).body.data;
    expect(items).toEqual([{ key: 'P4', column: 'location', value: 'none' }]);
  });
});
