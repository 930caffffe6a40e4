import { randomUUID } from 'node:crypto';
import type { Api, ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { eventually, importRecord, lines, sendFile } from '../support/imports.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { errorsOf, TableAdministration } from '../support/table-administration.js';
import { column, type Item, Tables, text } from '../support/tables.js';

let database: Database;
let service: SharedService;
let me: Credentials;
let tables: TableAdministration;
/** Another member of the workspace. */
let other: Api;

beforeAll(async () => {
  ({ database, service } = await shareService());
  me = await service.provision();
  tables = TableAdministration.for(Tables.of(service, me));
  const operator = await service.operatorClient();
  const { id } = await operator.newUser(`reviewer-${me.userId}`, me.workspaceId, 'owner');
  other = await tables.api.signIn(await operator.newClient(id));
}, 60_000);

afterAll(() => {
  expect(service.output.join('')).not.toMatch(/internal_error|40P01|Unhandled|uncaught/i);
});

const COLUMNS = [text('Key'), text('Name'), column('Weight', 'number'), column('Parent', 'hierarchyParent')];
const ROWS = ['a', 'b', 'c', 'd'].map((key, at): Item => ({ key, name: `Name ${key}`, weight: at }));

/** A table with four rows and the option. */
async function createTable(approval: object, rows: readonly Item[] = ROWS): Promise<string> {
  const name = await tables.createTable('assets', COLUMNS, [...rows]);
  const edited = await tables.edit('assets', name, { options: { approval } });
  expect(edited.body.data.options).toEqual({ approval });
  return name;
}

const path = (id: string, action = '') => `${tables.path}/proposals/${id}${action && `/${action}`}`;
const get = async (id: string) => (await tables.api.get(path(id))).body.data;
const act = (id: string, action: 'approve' | 'reject' | 'compare', comment?: string, by = tables.api) =>
  by.post(path(id, action), comment === undefined ? {} : { comment });
const idOf = ({ status, body }: ApiResponse): string => {
  expect(body.error).toBeUndefined();
  expect(status).toBe(202);
  return body.data.proposalId as string;
};
const rowsOf = async (name: string) => {
  const rows = await tables.rows('assets', name, { sort: 'key' });
  return rows.map(({ key, name: named, weight }) => `${String(key)} ${String(named)} ${String(weight)}`);
};
const STORED = ['a Name a 0', 'b Name b 1', 'c Name c 2', 'd Name d 3'];
const bulk = (name: string, items: Item[], query: Record<string, string> = {}) =>
  tables.bulk('assets', { name, items }, query);
async function differences(id: string): Promise<Record<string, unknown>[]> {
  const { status, body } = await tables.api.get(path(id, 'differences'));
  expect(status).toBe(200);
  return (body as string)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
/** The events about a proposal. */
async function eventsOf(id: string, count = 2): Promise<string[]> {
  const read = async () => {
    const rows = await database.query<{ type: string }>(
      `SELECT type FROM events WHERE workspace_id = $1 AND data->>'proposalId' = $2 ORDER BY sequence`,
      [me.workspaceId, id],
    );
    return rows.map(({ type }) => type);
  };
  return eventually(read, (types) => types.length >= count);
}

/** Loads of three changes, each with the rows after its approval. */
const LOADS: [string, (name: string) => Promise<ApiResponse>, string[]][] = [
  [
    'a bulk request',
    (name) =>
      bulk(name, [
        { key: 'a', weight: 10 },
        { key: 'b', name: null },
        { key: 'e', name: 'New' },
        { key: 'd', weight: 3 },
      ]),
    ['a Name a 10', 'b null 1', 'c Name c 2', 'd Name d 3', 'e New null'],
  ],
  [
    'an import',
    (name) =>
      sendFile(
        tables,
        name,
        lines([
          { key: 'a', weight: 10 },
          { key: 'b', name: null },
          { key: 'e', name: 'New' },
        ]),
      ),
    ['a Name a 10', 'b null 1', 'c Name c 2', 'd Name d 3', 'e New null'],
  ],
  [
    'a replacement',
    (name) =>
      sendFile(tables, name, lines([{ key: 'a', weight: 10 }, { key: 'd' }]), {
        query: { mode: 'replace', maxDeletions: '2' },
      }),
    ['a Name a 10', 'd Name d 3'],
  ],
  [
    'a deletion of many rows',
    (name) => tables.api.post(`${tables.pathOf('assets', name)}/items/delete`, { keys: ['a', 'b', 'c', 'x'] }),
    ['d Name d 3'],
  ],
];

describe('a load that needs approval', () => {
  it.each(LOADS)('%s is not stored until it is approved, and can be undone then', async (_, load, after) => {
    const name = await createTable({ required: true, over: 2 });
    const revision = await tables.revision('assets', name);
    const answer = await load(name);
    const id = idOf(answer);
    expect(answer.body.message).toBe('Waits for approval');
    expect(answer.body.data.batchId).toBeUndefined();
    expect(answer.body.data.revision).toBe(revision);
    expect(await rowsOf(name)).toEqual(STORED);
    expect(await tables.revision('assets', name)).toBe(revision);
    const found = await get(id);
    const { created = 0, updated = 0, deleted = 0 } = answer.body.data.totals;
    expect(found).toMatchObject({
      status: 'pending',
      createdBy: me.userId,
      tables: [{ name, entity: 'asset', counts: { created, updated, deleted } }],
      report: { totals: answer.body.data.totals },
      batchId: null,
    });
    expect(created + updated + deleted).toBe(3);
    const changes = await differences(id);
    expect(changes.at(-1)).toEqual({ summary: { create: created, update: updated, delete: deleted } });
    const approved = await act(id, 'approve', 'Checked');
    expect(approved).toMatchObject({
      status: 200,
      body: { data: { status: 'approved', comment: 'Checked', decidedBy: me.userId } },
    });
    expect(await rowsOf(name)).toEqual(after);
    expect(await eventsOf(id)).toEqual(['table.load_proposed', 'table.load_approved']);
    const { batchId } = approved.body.data;
    const batch = (await tables.api.get(`${tables.path}/batches/${batchId}`)).body.data;
    expect(batch).toMatchObject({ undoable: true, tables: [{ counts: { created, updated, deleted } }] });
    // Its undo has as many changes, so it waits, too.
    const undo = idOf(await tables.api.post(`${tables.path}/batches/${batchId}/undo`));
    expect(await rowsOf(name)).toEqual(after);
    expect(await get(undo)).toMatchObject({ source: 'undo', undoes: batchId });
    expect((await tables.api.get(`${tables.path}/batches/${batchId}`)).body.data).toMatchObject({ undoneBy: null });
    const undone = await act(undo, 'approve');
    expect(undone.status).toBe(200);
    expect(await rowsOf(name)).toEqual(STORED);
    expect((await tables.api.get(`${tables.path}/batches/${batchId}`)).body.data).toMatchObject({
      undoneBy: undone.body.data.batchId,
    });
  });

  it('lists former and new values of each row, and only changed columns', async () => {
    const name = await createTable({ required: true });
    const id = idOf(await LOADS[0]![1](name));
    const row = { type: 'asset', table: name };
    expect(await differences(id)).toEqual([
      { ...row, change: 'update', key: 'a', columns: { weight: { from: 0, to: 10 } } },
      { ...row, change: 'update', key: 'b', columns: { name: { from: 'Name b', to: null } } },
      { ...row, change: 'create', key: 'e', columns: { name: { from: null, to: 'New' } } },
      { summary: { create: 1, update: 2, delete: 0 } },
    ]);
  });

  it.each([
    ['without a limit', { required: true }, 0],
    ['a number', { required: true, over: 2 }, 2],
    ['a percentage', { required: true, over: '50%' }, 2],
    ['a percentage that is not a whole row', { required: true, over: '49.9%' }, 1],
    ['all rows', { required: true, over: '100%' }, 4],
  ])('is one with more changes than the limit allows: %s', async (_, approval, limit) => {
    const name = await createTable(approval);
    const change = (count: number) =>
      bulk(
        name,
        ROWS.slice(0, count).map(({ key }) => ({ key: key!, weight: 100 + count })),
      );
    if (limit > 0) expect((await change(limit)).status).toBe(200);
    const exceeding = [...ROWS, { key: 'e', weight: 1 }]
      .slice(0, limit + 1)
      .map(({ key }) => ({ key: key!, weight: 9 }));
    expect((await bulk(name, exceeding)).status).toBe(202);
  });

  it('is none if the option is not required, the load changes nothing, or a single row is written', async () => {
    const off = await createTable({ required: false, over: 0 });
    expect((await bulk(off, [{ key: 'a', weight: 5 }])).status).toBe(200);
    const name = await createTable({ required: true });
    expect((await bulk(name, ROWS)).status).toBe(200);
    const item = `${tables.pathOf('assets', name)}/items/a`;
    expect((await tables.api.patch(item, { weight: 7 })).status).toBe(200);
    const dryRun = await bulk(name, [{ key: 'a', weight: 8 }], { dryRun: 'true' });
    expect([dryRun.status, dryRun.body.data.needsApproval]).toEqual([200, true]);
    expect((await tables.edit('assets', name, { options: { approval: null } })).body.data.options).toEqual({});
    expect((await bulk(name, [{ key: 'a', weight: 8 }])).status).toBe(200);
  });

  it('contains the changes of all its tables, which are stored together', async () => {
    const [limited, free] = [await createTable({ required: true, over: 1 }), await createTable({ required: false })];
    const send = () =>
      tables.bulk('assets', [
        {
          name: limited,
          items: [
            { key: 'a', weight: 10 },
            { key: 'b', weight: 10 },
          ],
        },
        { name: free, items: [{ key: 'a', weight: 10 }] },
      ]);
    const id = idOf(await send());
    expect(await rowsOf(free)).toEqual(STORED);
    expect((await get(id)).tables.map((table: { name: string }) => table.name)).toEqual([limited, free]);
    const approved = await act(id, 'approve');
    expect(approved.body.error).toBeUndefined();
    for (const name of [limited, free]) expect((await rowsOf(name))[0]).toBe('a Name a 10');
  });

  it('reports invalid rows, and proposes the valid ones', async () => {
    const name = await createTable({ required: true });
    const answer = await bulk(
      name,
      [
        { key: 'a', weight: 'x' },
        { key: 'b', weight: 5 },
      ],
      { onError: 'continue' },
    );
    const id = idOf(answer);
    expect(answer.body.data.totals).toMatchObject({ failed: 1, updated: 1 });
    expect(answer.body.data.errors).toMatchObject([{ key: 'a', code: 'type_mismatch' }]);
    await act(id, 'approve');
    expect((await rowsOf(name)).slice(0, 2)).toEqual(['a Name a 0', 'b Name b 5']);
  });

  it('must not create columns: it is rejected, and nothing is stored', async () => {
    const name = await createTable({ required: true });
    const sent = { name, columns: [text('More')], items: [{ key: 'a', more: 'x' }] };
    const rejected = await tables.bulk('assets', sent);
    expect(rejected).toMatchObject({ status: 409, body: { error: 'columns_not_approved' } });
    expect(Object.keys(await tables.columns('assets', name))).toEqual(['key', 'name', 'weight', 'parent']);
    expect((await tables.bulk('assets', { ...sent, items: [] })).status).toBe(200);
    await act(idOf(await tables.bulk('assets', sent)), 'approve');
    expect((await tables.rows('assets', name))[0]).toMatchObject({ key: 'a', more: 'x' });
  });

  it('of an import gives its record the status `proposed`, without written rows', async () => {
    const name = await createTable({ required: true });
    const answer = await sendFile(tables, name, lines([{ key: 'a', weight: 10 }]));
    const id = idOf(answer);
    expect(await importRecord(tables, answer.body.data.importId as string)).toMatchObject({
      status: 'proposed',
      rowsWritten: 0,
      report: { proposalId: id },
    });
    expect(await get(id)).toMatchObject({ source: 'import', importId: answer.body.data.importId });
  });

  it('of the legacy webhook waits, too', async () => {
    const records = (names: string[]) => ({
      equipment: names.map((name, at) => ({ EQUNR: `E${at}`, EQKTX: name })),
    });
    const own = await service.provision();
    const webhook = TableAdministration.for(Tables.of(service, own));
    const push = (names: string[]) => webhook.api.post('/v1/api/notes/erp/webhook', records(names));
    expect((await push(['Pump'])).status).toBe(201);
    await webhook.edit('assets', 'Assets', { options: { approval: { required: true, over: 1 } } });
    expect((await push(['Motor'])).status).toBe(200);
    const answer = await push(['Fan', 'Valve', 'Tank']);
    expect(answer).toMatchObject({ status: 202, body: { data: { totals: { created: 2, updated: 1 } } } });
    const { proposalId } = answer.body.data as { proposalId: string };
    expect(await webhook.rows('assets', 'Assets')).toHaveLength(1);
    expect((await webhook.api.get(`${webhook.path}/proposals/${proposalId}`)).body.data).toMatchObject({
      source: 'webhook',
    });
    expect((await webhook.api.post(`${webhook.path}/proposals/${proposalId}/approve`, {})).status).toBe(200);
    expect(await webhook.rows('assets', 'Assets')).toHaveLength(3);
  });

  it('has one proposal, however often it is sent with its Idempotency-Key', async () => {
    const name = await createTable({ required: true });
    const key = randomUUID();
    const send = () =>
      tables.send('assets', { assets: [{ name, items: [{ key: 'a', weight: 10 }] }] }, {}, { 'Idempotency-Key': key });
    expect(idOf(await send())).toBe(idOf(await send()));
  });

  it('contains exact values: numbers, texts with escapes, dates', async () => {
    const columns = [
      text('Key'),
      text('Text'),
      column('Number', 'number'),
      column('Day', 'date'),
      column('Done', 'checkbox'),
    ];
    const name = await tables.createTable('assets', columns);
    await tables.edit('assets', name, { options: { approval: { required: true } } });
    const items = [
      { key: '\\N', text: 'a\\b\t"c"\n\u000b\u0001 😀', number: 0.1 + 0.2, day: '2026-02-28', done: true },
      { key: "o'x", text: '\\.', number: -123456789.125, day: '2026-02-28T10:00:00.123Z', done: false },
      { key: 'tiny', text: ' ', number: 5e-324, day: null, done: null },
    ];
    const id = idOf(await bulk(name, items));
    await act(id, 'approve');
    expect(await tables.rows('assets', name, { sort: 'key' })).toEqual(
      items.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    );
  });
});

describe('a decision', () => {
  it('is made by another user with `by: other`', async () => {
    const name = await createTable({ required: true, by: 'other' });
    const id = idOf(await bulk(name, [{ key: 'a', weight: 10 }]));
    expect(await act(id, 'approve')).toMatchObject({ status: 403, body: { error: 'own_proposal' } });
    expect((await rowsOf(name))[0]).toBe('a Name a 0');
    expect((await act(id, 'approve', undefined, other)).status).toBe(200);
    expect((await rowsOf(name))[0]).toBe('a Name a 10');
  });

  it('rejects with a comment, and is final', async () => {
    const name = await createTable({ required: true });
    const id = idOf(await bulk(name, [{ key: 'a', weight: 10 }]));
    expect((await act(id, 'reject', 'Wrong file', other)).body.data).toMatchObject({
      status: 'rejected',
      comment: 'Wrong file',
    });
    for (const action of ['approve', 'reject', 'compare'] as const)
      expect(await act(id, action)).toMatchObject({ status: 409, body: { error: 'proposal_decided' } });
    expect(await rowsOf(name)).toEqual(STORED);
    expect(await eventsOf(id)).toEqual(['table.load_proposed', 'table.load_rejected']);
  });

  it('is made once by concurrent requests', async () => {
    const name = await createTable({ required: true });
    const id = idOf(await bulk(name, [{ key: 'e', weight: 10 }]));
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) => act(id, at % 2 === 0 ? 'approve' : 'reject')),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
    const { status } = await get(id);
    expect((await rowsOf(name)).length).toBe(status === 'approved' ? 5 : 4);
  });

  it('is not possible after the proposal has expired', async () => {
    const name = await createTable({ required: true, expiresAfterDays: 2 });
    const id = idOf(await bulk(name, [{ key: 'a', weight: 10 }]));
    const { comparedAt, expiresAt } = await get(id);
    expect(Date.parse(expiresAt as string) - Date.parse(comparedAt as string)).toBe(2 * 86_400_000);
    await database.query(`UPDATE table_proposals SET expires_at = now() WHERE id = $1`, [id]);
    expect(await act(id, 'approve')).toMatchObject({ status: 409, body: { error: 'proposal_decided' } });
    await eventually(
      () => get(id),
      ({ status }) => status === 'expired',
    );
    expect(await eventsOf(id)).toEqual(['table.load_proposed', 'table.load_expired']);
    const listed = await tables.api.get(`${tables.path}/proposals?status=expired`);
    expect(listed.body.data.items.map((item: { id: string }) => item.id)).toContain(id);
  });

  it('is hidden from other workspaces', async () => {
    const name = await createTable({ required: true });
    const id = idOf(await bulk(name, [{ key: 'a', weight: 10 }]));
    const outsider = Tables.of(service, await service.provision());
    for (const action of ['approve', 'reject', 'compare'])
      expect((await outsider.api.post(`${outsider.path}/proposals/${id}/${action}`, {})).status).toBe(404);
    expect((await outsider.api.get(`${outsider.path}/proposals/${id}`)).status).toBe(404);
    expect((await outsider.api.get(`${outsider.path}/proposals`)).body.data.items).toEqual([]);
    expect((await outsider.api.post(path(id, 'approve'), {})).status).toBe(404);
  });
});

describe('a proposal whose rows were changed since', () => {
  const item = (name: string, key: string) => `${tables.pathOf('assets', name)}/items/${key}`;
  /** Changes a, deletes b, creates e. */
  const propose = async (name: string) =>
    idOf(
      await sendFile(
        tables,
        name,
        lines([{ key: 'a', weight: 10 }, { key: 'c' }, { key: 'd' }, { key: 'e', weight: 5 }]),
        { query: { mode: 'replace', maxDeletions: '4' } },
      ),
    );

  it.each<[string, (name: string) => Promise<ApiResponse>, string, string[]]>([
    [
      'changed',
      (name) => tables.api.patch(item(name, 'a'), { name: 'Other' }),
      'a',
      ['a Other 10', 'c Name c 2', 'd Name d 3', 'e null 5'],
    ],
    [
      'changed to the proposed value',
      (name) => tables.api.patch(item(name, 'a'), { weight: 10 }),
      'a',
      ['a Name a 10', 'c Name c 2', 'd Name d 3', 'e null 5'],
    ],
    [
      'changed, but to be deleted',
      (name) => tables.api.patch(item(name, 'b'), { name: 'Other' }),
      'b',
      ['a Name a 10', 'c Name c 2', 'd Name d 3', 'e null 5'],
    ],
    [
      'deleted, as proposed',
      (name) => tables.api.delete(item(name, 'b')),
      'b',
      ['a Name a 10', 'c Name c 2', 'd Name d 3', 'e null 5'],
    ],
    [
      'created',
      (name) => tables.api.put(item(name, 'e'), { name: 'Other', weight: 1 }),
      'e',
      ['a Name a 10', 'c Name c 2', 'd Name d 3', 'e Other 5'],
    ],
  ])('is rejected with the rows, and can be compared again: a row was %s', async (_, change, key, after) => {
    const name = await createTable({ required: true });
    const id = await propose(name);
    expect((await change(name)).status).toBeLessThan(300);
    const before = await rowsOf(name);
    const rejected = await act(id, 'approve');
    expect(rejected).toMatchObject({ status: 409, body: { error: 'proposal_outdated' } });
    expect(errorsOf(rejected)).toMatchObject([{ table: name, key, code: 'changed_since' }]);
    expect(await rowsOf(name)).toEqual(before);
    const compared = await act(id, 'compare');
    expect(compared).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });
    expect(await rowsOf(name)).toEqual(before);
    const summary = (await differences(id)).at(-1)!['summary'];
    const { created, updated, deleted } = compared.body.data.tables[0].counts;
    expect(summary).toEqual({ create: created, update: updated, delete: deleted });
    const approved = await act(id, 'approve');
    expect(approved.body.error).toBeUndefined();
    expect(await rowsOf(name)).toEqual(after);
  });

  it('cannot be compared again if a row that it changes was deleted', async () => {
    const name = await createTable({ required: true });
    const id = await propose(name);
    await tables.api.delete(item(name, 'a'));
    const rejected = await act(id, 'compare');
    expect(rejected).toMatchObject({ status: 409, body: { error: 'proposal_outdated' } });
    expect(errorsOf(rejected)).toMatchObject([{ key: 'a', code: 'changed_since' }]);
  });

  it('is approved although an index and options were added that do not limit its rows', async () => {
    const name = await createTable({ required: true });
    const id = await propose(name);
    await tables.edit('assets', name, { columns: [{ key: 'name', options: { indexed: true } }] });
    await tables.indexIs('assets', name, 'name', 'ready');
    await tables.edit('assets', name, { options: { title: 'name', approval: { required: true, over: 1 } } });
    expect((await act(id, 'approve')).status).toBe(200);
  });

  it('is rejected if columns were changed, and can be compared again', async () => {
    const name = await createTable({ required: true });
    const id = await propose(name);
    await tables.edit('assets', name, { columns: [{ key: 'weight', options: { maximum: 20 } }] });
    expect(await act(id, 'approve')).toMatchObject({ status: 409, body: { error: 'proposal_outdated' } });
    await act(id, 'compare');
    expect((await act(id, 'approve')).status).toBe(200);
  });

  it('is rejected with the error of the row that cannot be stored any more', async () => {
    const name = await createTable({ required: true });
    await tables.edit('assets', name, { columns: [{ key: 'name', options: { unique: true } }] });
    const id = idOf(await bulk(name, [{ key: 'a', name: 'Wanted' }]));
    await tables.api.patch(item(name, 'b'), { name: 'Wanted' });
    const rejected = await act(id, 'approve');
    expect(rejected).toMatchObject({ status: 409, body: { error: 'proposal_outdated' } });
    const [error] = errorsOf(rejected);
    expect(error).toMatchObject({ key: 'a', column: 'name', code: 'not_unique' });
    // The position would be that of the changed rows, not of the load.
    expect([error!['index'], error!['line']]).toEqual([undefined, undefined]);
    expect((await rowsOf(name)).slice(0, 2)).toEqual(['a Name a 0', 'b Wanted 1']);
  });

  it('is approved also if its rows as JSON have more characters than a line of a file', async () => {
    const texts = ['1', '2', '3', '4', '5', '6'].map((at) => text(`Text ${at}`));
    const name = await tables.createTable('assets', [text('Key'), ...texts], []);
    await tables.edit('assets', name, { options: { approval: { required: true } } });
    const values = texts.map((_, at) => [`text_${at + 1}`, '"'.repeat(99_000)]);
    const id = idOf(await bulk(name, [{ key: 'a', ...(Object.fromEntries(values) as Item) }]));
    expect((await act(id, 'approve')).status).toBe(200);
    expect(await tables.rows('assets', name)).toMatchObject([{ key: 'a', text_6: '"'.repeat(99_000) }]);
  });

  it('is rejected if its parents would form a cycle now', async () => {
    const name = await createTable({ required: true });
    const id = idOf(await bulk(name, [{ key: 'a', parent: 'b' }]));
    await tables.api.patch(item(name, 'b'), { parent: 'a' });
    const rejected = await act(id, 'approve');
    expect(errorsOf(rejected)).toMatchObject([{ key: 'a', code: 'hierarchy_cycle' }]);
  });

  it('is rejected if a table was dropped', async () => {
    const name = await createTable({ required: true });
    const id = await propose(name);
    await tables.drop('assets', name);
    for (const action of ['approve', 'compare'] as const)
      expect(await act(id, action)).toMatchObject({
        status: 409,
        body: {
          error: 'proposal_outdated',
          message: `The table "${name}" was dropped since the proposal was compared; nothing was stored. Reject the proposal, and send the load again.`,
        },
      });
    expect((await act(id, 'reject')).status).toBe(200);
  });

  it('changes exactly the reviewed rows also if other rows were changed', async () => {
    const name = await createTable({ required: true });
    const id = await propose(name);
    await tables.api.patch(item(name, 'd'), { weight: 30 });
    expect((await act(id, 'approve')).status).toBe(200);
    expect(await rowsOf(name)).toEqual(['a Name a 10', 'c Name c 2', 'd Name d 30', 'e null 5']);
  });
});

describe('the option `approval`', () => {
  it.each<[string, unknown]>([
    ['over', { required: true, over: '101%' }],
    ['over', { required: true, over: -1 }],
    ['over', { required: true, over: '5' }],
    ['by', { required: true, by: 'me' }],
    ['expiresAfterDays', { required: true, expiresAfterDays: 91 }],
    ['required', { over: 5 }],
  ])('is rejected with the field `%s`: %j', async (field, approval) => {
    const name = await tables.createTable('assets', COLUMNS);
    const rejected = await tables.edit('assets', name, { options: { approval } });
    expect(rejected.status).toBe(400);
    expect(errorsOf(rejected)).toMatchObject([{ field: `options.approval.${field}` }]);
  });
});
