import { randomUUID } from 'node:crypto';
import { Api, type ApiResponse } from '../support/api.js';
import { column, text, unique } from '../support/tables.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { until } from '../support/until.js';

const COLUMNS = [text('Key'), text('Plant'), column('Price', 'number'), text('Vendor')];

let service: SharedService;
let owner: Api;
let workspace: string;

beforeAll(async () => {
  service = (await shareService()).service;
  const me = await service.provision();
  owner = await new Api(service.baseUrl).signIn(me);
  workspace = `/v2/api/workspaces/${me.workspaceId}`;
}, 60_000);

const errorOf = ({ status, body }: ApiResponse) => [status, body.error];
const bulk = (api: Api, name: string, items: object[], query = '') =>
  api.post(`${workspace}/cw/assets/bulk${query}`, { assets: [{ name, items }] });

async function createTable(items: object[], options: object = {}): Promise<string> {
  const name = unique('Parts');
  const created = await owner.post(`${workspace}/cw/assets/bulk`, { assets: [{ name, columns: COLUMNS, items }] });
  expect(created.status).toBe(201);
  if (Object.keys(options).length > 0)
    expect((await owner.put(`${workspace}/cw/assets/${name}`, { options })).status).toBe(200);
  return name;
}

/** A caller whose policy has the rules for tables. */
async function restrict(...rules: object[]): Promise<{ caller: Api; policyId: string; tables: object[] }> {
  const tables = rules.map((rule) => ({ entity: 'assets', write: true, ...rule }));
  const created = await owner.post(`${workspace}/access-policies`, { name: unique('Policy'), tables });
  expect([created.status, created.body.details]).toEqual([201, undefined]);
  const policyId = created.body.data.id as string;
  const { apiKey } = (await owner.post(`${workspace}/api-keys`, { name: 'Key', policyId })).body.data;
  return { caller: new Api(service.baseUrl).withKey(apiKey as string), policyId, tables };
}

const rowsOf = async (name: string) =>
  (await owner.get(`${workspace}/cw/assets/${name}/items`)).body.data.items as Record<string, unknown>[];

describe('a file of a caller whose access has changed during the upload', () => {
  const csv = { 'Content-Type': 'text/csv' };

  /** Sends the body in two parts. @param between runs after the first one was received. */
  async function upload(
    caller: Api,
    path: string,
    between: () => Promise<unknown>,
  ): Promise<[number, string | undefined]> {
    const encoder = new TextEncoder();
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(encoder.encode('key,plant\n'));
        await between();
        controller.enqueue(encoder.encode('a,A\n'));
        controller.close();
      },
    });
    const init = { method: 'POST', headers: { ...caller.headers, ...csv }, body, duplex: 'half' };
    const response = await fetch(caller.baseUrl + path, init as RequestInit);
    return [response.status, /"error":"(\w+)"/.exec(await response.text())?.[1]];
  }

  /** Until the request is accepted. @returns its key */
  function untilAccepted(policyId: string): Promise<{ id: string; lastUsedAt: string | null }> {
    const find = async () => {
      const { items } = (await owner.get(`${workspace}/api-keys?limit=100`)).body.data;
      return items.find((key: { policyId: string }) => key.policyId === policyId);
    };
    return until(find, ({ lastUsedAt }) => lastUsedAt !== null);
  }

  it.each([
    ['import', 'the key was revoked', [401, 'invalid_api_key']],
    ['import', 'the policy only reads', [403, 'read_only']],
    ['compare', 'the key was revoked', [401, 'invalid_api_key']],
    ['compare', 'the policy hides the table', [404, 'not_found']],
  ])('is not used: %s, %s', async (kind, change, expected) => {
    const name = await createTable([{ key: 'a', plant: 'B' }]);
    const { caller, policyId, tables } = await restrict({ table: name });
    const end = async () => {
      const { id } = await untilAccepted(policyId);
      if (change === 'the key was revoked')
        expect((await owner.delete(`${workspace}/api-keys/${id}`)).status).toBe(200);
      else {
        const rules = change === 'the policy hides the table' ? [] : [{ ...tables[0], write: false }];
        const policy = { name: unique('Policy'), tables: rules };
        expect((await owner.put(`${workspace}/access-policies/${policyId}`, policy)).status).toBe(200);
      }
    };
    const path = `${workspace}/cw/assets/${name}/items/${kind}`;
    expect(await upload(caller, path, end)).toEqual(expected);
    expect(await rowsOf(name)).toMatchObject([{ key: 'a', plant: 'B' }]);
    const { items } = (await owner.get(`${workspace}/cw/imports?limit=1`)).body.data;
    if (kind === 'import') expect(items[0].status).toBe('failed');
  });

  it.each(['compare?', 'import?mode=replace&maxDeletions=100%25&'])(
    'is compared by the columns that the caller may read, whatever hidden ones are named: %s',
    async (kind) => {
      const name = unique('Costs');
      // The name of the visible column is the key, and also the name, of a hidden one.
      const columns = [text('Key'), { ...text('Cost'), key: 'c1' }, { ...text('Cost'), key: 'cost' }];
      const items = [
        { key: 'a', c1: '5', cost: '6' },
        { key: 'b', c1: '6', cost: '5' },
      ];
      const assets = [{ name, columns, items }];
      expect((await owner.post(`${workspace}/cw/assets/bulk`, { assets })).status).toBe(201);
      const { caller } = await restrict({ table: name, columns: { hidden: ['cost'] } });
      const path = `${workspace}/cw/assets/${name}/items/${kind}filter[Cost][eq]=5`;
      const headers = { ...caller.headers, 'Content-Type': 'text/csv' };
      const body = 'key,c1\nnew,5\n';
      const response = await fetch(caller.baseUrl + path, { method: 'POST', headers, body });
      expect([response.status, (await response.text()).includes('"b"')]).toEqual([200, false]);
      const left = kind === 'compare?' ? ['a', 'b'] : ['b', 'new'];
      expect((await rowsOf(name)).map(({ key }) => key)).toEqual(left);
    },
  );

  it.each(['compare?', 'import?mode=replace&maxDeletions=100%25&'])(
    'is compared only with rows that the caller may then select: %s',
    async (kind) => {
      const sites = unique('Sites');
      const locations = [{ name: sites, columns: [text('Key'), text('Zone')], items: [{ key: 'L1', zone: 'Z1' }] }];
      expect((await owner.post(`${workspace}/cw/locations/bulk`, { locations })).status).toBe(201);
      const name = await createTable([{ key: 'old', plant: 'B' }]);
      const columns = [column('Location', 'reference')];
      const assets = [{ name, columns, items: [{ key: 'old', location: 'L1' }] }];
      expect((await owner.post(`${workspace}/cw/assets/bulk`, { assets })).status).toBe(200);
      const site = { entity: 'locations', table: sites };
      const { caller, policyId, tables } = await restrict({ table: name }, site);
      const hide = async () => {
        await untilAccepted(policyId);
        const rules = [tables[0], { ...site, columns: { hidden: ['zone'] } }];
        const policy = { name: unique('Policy'), tables: rules };
        expect((await owner.put(`${workspace}/access-policies/${policyId}`, policy)).status).toBe(200);
      };
      const path = `${workspace}/cw/assets/${name}/items/${kind}filter[location.zone][eq]=Z1`;
      expect(await upload(caller, path, hide)).toEqual([400, 'invalid_query']);
      expect(await rowsOf(name)).toMatchObject([{ key: 'old', plant: 'B' }]);
    },
  );
});

describe('the batches of callers with an access policy', () => {
  const batches = `cw/batches`;
  const idOf = async (response: Promise<ApiResponse>) => (await response).body.data.batchId as string;
  const undo = (api: Api, id: string, query = '') => api.post(`${workspace}/${batches}/${id}/undo${query}`);

  it('are those of permitted tables, without the numbers of hidden rows', async () => {
    const [limited, whole, hidden] = [await createTable([]), await createTable([]), await createTable([])];
    const { caller } = await restrict({ table: limited, filter: { plant: 'A' } }, { table: whole });
    const tables = [limited, whole, hidden].map((name) => ({ name, items: [{ key: 'a', plant: 'B' }] }));
    const id = await idOf(owner.post(`${workspace}/cw/assets/bulk`, { assets: tables }));
    const other = await idOf(bulk(owner, hidden, [{ key: 'b' }]));
    const { items } = (await caller.get(`${workspace}/${batches}?limit=100`)).body.data;
    expect(items.map((batch: any) => batch.id)).not.toContain(other);
    const expected = [
      expect.objectContaining({ name: limited, counts: null }),
      expect.objectContaining({ name: whole, counts: { created: 1, updated: 0, deleted: 0 } }),
    ];
    expect(items.find((batch: any) => batch.id === id).tables).toEqual(expected);
    expect((await caller.get(`${workspace}/${batches}/${id}`)).body.data.tables).toEqual(expected);
    expect((await owner.get(`${workspace}/${batches}/${id}`)).body.data.tables).toHaveLength(3);
    for (const request of [caller.get(`${workspace}/${batches}/${other}`), undo(caller, other)]) {
      const { status, body } = await request;
      const absent = (await caller.get(`${workspace}/${batches}/${randomUUID()}`)).body;
      expect([status, body.error, body.message]).toEqual([404, absent.error, absent.message]);
    }
    expect(errorOf(await undo(caller, id))).toEqual([403, 'batch_outside_policy']);
    expect(await rowsOf(whole)).toHaveLength(1);
  });

  it('are undone only if all their rows and columns are permitted', async () => {
    const items = [
      { key: 'a', plant: 'A', vendor: 'old', price: 1 },
      { key: 'b', plant: 'B', vendor: 'old', price: 1 },
      { key: 'd', plant: 'A', vendor: 'old', price: 1 },
    ];
    const name = await createTable(items);
    const rule = { table: name, filter: { plant: 'A' }, columns: { hidden: ['price'], readOnly: ['vendor'] } };
    const { caller } = await restrict(rule);
    const before = await rowsOf(name);
    const denied = async (changes: object[]) => {
      const id = await idOf(bulk(owner, name, changes));
      expect(errorOf(await undo(caller, id))).toEqual([403, 'batch_outside_policy']);
      expect((await undo(owner, id)).status).toBe(200);
      expect(await rowsOf(name)).toEqual(before);
    };
    await denied([{ key: 'b', vendor: 'new' }]);
    await denied([{ key: 'a', plant: 'B' }]);
    await denied([{ key: 'b', plant: 'A' }]);
    await denied([{ key: 'c', plant: 'B' }]);
    await denied([{ key: 'a', price: 2 }]);
    await denied([{ key: 'a', vendor: 'new' }]);
    await denied([
      { key: 'c', plant: 'A' },
      { key: 'b', vendor: 'new' },
    ]);
    const deletion = await idOf(owner.post(`${workspace}/cw/assets/${name}/items/delete`, { keys: ['a', 'd'] }));
    const created = await idOf(bulk(owner, name, [{ key: 'c', plant: 'A', price: 9 }]));
    expect((await undo(caller, created)).body.data.tables[0].counts).toEqual({ created: 0, updated: 0, deleted: 1 });
    expect((await undo(caller, deletion)).body.data.tables[0].counts).toEqual({ created: 2, updated: 0, deleted: 0 });
    expect(await rowsOf(name)).toEqual(before);
  });

  it('are not undone if their rows have left the permitted part since', async () => {
    const name = await createTable([{ key: 'a', plant: 'A' }]);
    const { caller } = await restrict({ table: name, filter: { plant: 'A' }, columns: { hidden: ['price'] } });
    const id = await idOf(bulk(caller, name, [{ key: 'a', vendor: 'new' }]));
    await bulk(owner, name, [{ key: 'a', plant: 'B', price: 3 }]);
    for (const query of ['', '?onConflict=skip'])
      expect(errorOf(await undo(caller, id, query))).toEqual([403, 'batch_outside_policy']);
    await bulk(owner, name, [{ key: 'a', plant: 'A' }]);
    const conflict = await undo(caller, id);
    expect(errorOf(conflict)).toEqual([409, 'batch_conflict']);
    expect(conflict.body.details.errors).toMatchObject([{ key: 'a', code: 'changed_since' }]);
    const reader = await restrict({ table: name, write: false });
    expect(errorOf(await undo(reader.caller, id))).toEqual([403, 'read_only']);
  });

  it('are undone if a table that is read-only was named, but not changed', async () => {
    const [written, unchanged] = [await createTable([]), await createTable([{ key: 'a', plant: 'A' }])];
    const { caller } = await restrict({ table: written }, { table: unchanged, write: false });
    const tables = [written, unchanged].map((name) => ({ name, items: [{ key: 'a', plant: 'A' }] }));
    const id = await idOf(owner.post(`${workspace}/cw/assets/bulk`, { assets: tables }));
    expect((await undo(caller, id)).status).toBe(200);
    expect([await rowsOf(written), (await rowsOf(unchanged)).length]).toEqual([[], 1]);
  });

  it('name no hidden column in conflicts', async () => {
    const name = await createTable([{ key: 'a', plant: 'A' }]);
    const { caller } = await restrict({ table: name, columns: { hidden: ['price'] } });
    const id = await idOf(bulk(owner, name, [{ key: 'a', plant: 'B' }]));
    await owner.patch(`${workspace}/cw/assets/${name}/items/a`, { price: 1 });
    const edited = await owner.put(`${workspace}/cw/assets/${name}`, {
      columns: [{ key: 'price', required: true }],
    });
    expect(edited.status).toBe(200);
    const response = await undo(caller, id);
    expect(response.status).toBe(409);
    expect(JSON.stringify(response.body)).not.toContain('price');
  });
});

describe('the imports of callers with an access policy', () => {
  const send = (api: Api, name: string, body: string) => {
    const importId = randomUUID();
    const path = `${workspace}/cw/assets/${name}/items/import?onError=continue&importId=${importId}`;
    return api.send(path, { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body }).then(() => importId);
  };

  it('are those that the caller has sent under its present policies', async () => {
    const name = await createTable([{ key: 'b', plant: 'B' }]);
    const { caller, policyId, tables } = await restrict({ table: name, filter: { plant: 'A' } });
    const own = await send(caller, name, 'key,plant,price\na,A,1\nb,A,1\nx,A,none\n');
    // The API key belongs to the owner, so both have the same author.
    const others = await send(owner, name, 'key,plant,price\nb,B,secret\n');
    const path = (id: string) => `${workspace}/cw/imports/${id}`;
    expect((await caller.get(path(own))).body.data).toMatchObject({ id: own, rowsRead: 3, rowsFailed: 2 });
    const errors = (await caller.get(`${path(own)}/errors`, { accept: 'application/x-ndjson' })).body as string;
    expect(errors).toContain('outside_policy');
    expect((await caller.get(`${workspace}/cw/imports`)).body.data.items).toMatchObject([{ id: own }]);
    const absent = (await caller.get(path(randomUUID()))).body;
    for (const request of [
      caller.get(path(others)),
      caller.get(`${path(others)}/errors`),
      caller.delete(path(others)),
    ]) {
      const { status, body } = await request;
      expect([status, body.error, body.message]).toEqual([404, absent.error, absent.message]);
    }
    expect(errorOf(await caller.delete(path(own)))).toEqual([409, 'already_finished']);
    await owner.put(`${workspace}/access-policies/${policyId}`, { name: unique('Policy'), tables });
    expect((await caller.get(path(own))).status).toBe(404);
    expect((await owner.get(path(own))).status).toBe(200);
  });
});

describe('the proposals of callers with an access policy', () => {
  it('are their own, without hidden columns', async () => {
    const approval = { required: true };
    const name = await createTable([{ key: 'a', plant: 'A', price: 5 }], { approval });
    const { caller } = await restrict({ table: name, filter: { plant: 'A' }, columns: { hidden: ['price'] } });
    const propose = async (api: Api, items: object[]) => {
      const { status, body } = await bulk(api, name, items);
      expect(status).toBe(202);
      return body.data.proposalId as string;
    };
    const own = await propose(caller, [{ key: 'a', vendor: 'new' }]);
    const others = await propose(owner, [{ key: 'b', plant: 'B', vendor: 'secret' }]);
    const path = (id: string) => `${workspace}/cw/proposals/${id}`;
    expect((await caller.get(`${workspace}/cw/proposals`)).body.data.items.map(({ id }: any) => id)).toEqual([own]);
    expect((await caller.get(path(own))).body.data.status).toBe('pending');
    for (const request of [
      caller.get(path(others)),
      caller.get(`${path(others)}/differences`),
      caller.post(`${path(others)}/compare`),
    ])
      expect(errorOf(await request)).toEqual([404, 'not_found']);
    const differences = async () => (await caller.get(`${path(own)}/differences`)).body as string;
    const [change] = (await differences()).split('\n').map((line) => (line === '' ? undefined : JSON.parse(line)));
    expect(change).toMatchObject({ key: 'a', columns: { vendor: { from: null, to: 'new' } } });
    const compare = async (api: Api) => expect((await api.post(`${path(own)}/compare`)).status).toBe(200);
    await compare(caller);
    expect(await differences()).toContain('vendor');
    expect(await differences()).not.toContain('price');
    // The owner also compares rows that have left the policy.
    await owner.patch(`${workspace}/cw/assets/${name}/items/a`, { plant: 'B', vendor: 'secret' });
    await compare(owner);
    const hidden = await caller.get(`${path(own)}/differences`);
    expect([...errorOf(hidden), JSON.stringify(hidden.body).includes('secret')]).toEqual([
      409,
      'compared_by_other',
      false,
    ]);
    expect((await caller.get(path(own))).body.data).toEqual(expect.not.objectContaining({ report: expect.anything() }));
    expect((await caller.get(path(own))).body.data.status).toBe('pending');
    expect((await owner.get(`${path(own)}/differences`)).body).toContain('secret');
    await owner.patch(`${workspace}/cw/assets/${name}/items/a`, { plant: 'A', vendor: null });
    await compare(caller);
    expect(await differences()).toContain('vendor');
    for (const decision of ['approve', 'reject'])
      expect((await caller.post(`${path(own)}/${decision}`, {})).status).toBe(403);
    expect((await owner.post(`${path(own)}/approve`, {})).status).toBe(200);
  });

  it('have no values of a table that does not exist any more', async () => {
    const name = await createTable([{ key: 'a', plant: 'A', price: 5, vendor: 'ABB' }], {
      approval: { required: true },
    });
    const { caller } = await restrict({ table: name, filter: { plant: 'A' }, columns: { hidden: ['price'] } });
    const deletion = await caller.post(`${workspace}/cw/assets/${name}/items/delete`, { keys: ['a'] });
    expect(deletion.status).toBe(202);
    const path = `${workspace}/cw/proposals/${deletion.body.data.proposalId}/differences`;
    const columns = async () =>
      Object.keys(JSON.parse(((await caller.get(path)).body as string).split('\n')[0]!).columns);
    expect(await columns()).toEqual(['plant', 'vendor']);
    expect((await owner.delete(`${workspace}/cw/assets/${name}?confirm=${encodeURIComponent(name)}`)).status).toBe(200);
    expect(await columns()).toEqual([]);
  });
});
