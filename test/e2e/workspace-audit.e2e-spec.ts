import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { eventually, lines, NDJSON, sendFile } from '../support/imports.js';
import { TestDatabase, TestService } from '../support/service.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { COLUMNS, TableAdministration } from '../support/table-administration.js';
import { keyAt, manyRows, Tables } from '../support/tables.js';
import { passwordGrant } from '../support/tokens.js';

interface Entry {
  id: string;
  at: string;
  kind: string;
  result: string;
  principal: { type: string; id: string | null; name: string | null };
  credential: string | null;
  address: string | null;
  userAgent: string | null;
  details: Record<string, any>;
}

const ROWS = ['a', 'b', 'c', 'd'].map((key) => ({ key, name: `Name ${key}` }));
const AGENT = 'atrium-test/1.0';
const SERVICE = { type: 'service', id: null, name: null };

let database: Database;
let service: SharedService;
let me: Credentials;
/** The owner with an access token, and with an API key. */
let owner: Api;
let tables: TableAdministration;

beforeAll(async () => {
  ({ database, service } = await shareService());
});

beforeEach(async () => {
  me = await service.provision();
  owner = (await new Api(service.baseUrl).signIn(me)).with({ 'User-Agent': AGENT });
  tables = new TableAdministration(new Api(service.baseUrl).withKey(me.apiKey), me.workspaceId);
});

const pathOf = (workspaceId: string, query = '') => `/v2/api/workspaces/${workspaceId}/audit${query}`;

async function read(query = '', caller = owner, workspaceId = me.workspaceId): Promise<Entry[]> {
  const { status, body } = await caller.get(pathOf(workspaceId, query));
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data.items as Entry[];
}
const kindsOf = (entries: readonly Entry[]) => entries.map(({ kind }) => kind);
const ofKind = (...kinds: string[]) => read(`?kind=${kinds.join()}`);

/** A member of the workspace with an access token. */
async function admit(role: string, workspaceId = me.workspaceId): Promise<Credentials & { id: string; api: Api }> {
  const operator = await service.operatorClient();
  const { id } = await operator.newUser(randomBytes(6).toString('hex'), workspaceId, role);
  const client = await operator.newClient(id);
  return { ...client, id, api: await new Api(service.baseUrl).signIn(client) };
}

/** The owner with the session of `owner`. */
const byOwner = () => ({
  result: 'succeeded',
  principal: { type: 'user', id: me.userId, name: expect.stringContaining('@') as string },
  credential: me.clientId.slice(0, 8),
  address: '127.0.0.1',
  userAgent: AGENT,
});

/** The owner with the API key of `tables`. */
const byKey = (keyId: string) => ({
  result: 'succeeded',
  principal: { type: 'api_key', id: keyId, name: 'API key' },
  credential: me.apiKey.slice(0, 8),
  address: '127.0.0.1',
});

async function findKeyId(): Promise<string> {
  const { body } = await owner.get(`/v2/api/workspaces/${me.workspaceId}/api-keys`);
  return body.data.items.at(-1).id as string;
}

describe('the audit log of a workspace has', () => {
  it('what the operator did, sign-ins and rejected sign-ins of members, and uses of API keys', async () => {
    await new Api(service.baseUrl)
      .with({ 'User-Agent': AGENT })
      .token(passwordGrant({ ...me, clientSecret: me.apiKey }));
    await tables.api.get('/v1/api/tours');
    const caller = { principal: { type: 'user', id: me.userId }, credential: me.clientId.slice(0, 8) };
    expect(await read()).toMatchObject([
      { ...byKey(await findKeyId()), kind: 'api_key_used' },
      {
        ...caller,
        kind: 'refused',
        result: 'rejected',
        userAgent: AGENT,
        details: { reason: expect.stringContaining('Client authentication failed') as string },
      },
      { ...caller, kind: 'signed_in', result: 'succeeded', address: '127.0.0.1' },
      { kind: 'api_key_created', principal: SERVICE, address: null, details: { userId: me.userId } },
      { kind: 'member_added', principal: SERVICE, details: { userId: me.userId } },
    ]);
  });

  it('rejections for a missing scope or role and of keys that have ended, each once per minute', async () => {
    const editor = await admit('editor');
    const limited = await new Api(service.baseUrl).signIn(editor, ['read:tours']);
    const keys = `/v2/api/workspaces/${me.workspaceId}/api-keys`;
    const created = (await owner.post(keys, { name: 'Old' })).body.data;
    await owner.delete(`${keys}/${created.id}`);
    for (let count = 0; count < 3; count++) {
      expect((await limited.get(tables.pathOf('assets'))).status).toBe(403);
      expect((await editor.api.get(keys)).status).toBe(403);
      expect((await new Api(service.baseUrl).withKey(created.apiKey).get('/v1/api/tours')).status).toBe(401);
    }
    const rejected = { result: 'rejected', address: '127.0.0.1' };
    const user = { ...rejected, principal: { type: 'user', id: editor.id }, credential: editor.clientId.slice(0, 8) };
    expect(await read('?result=rejected')).toMatchObject([
      {
        ...rejected,
        kind: 'refused',
        principal: { type: 'api_key', id: created.id, name: 'Old' },
        credential: created.apiKey.slice(0, 8),
      },
      { ...user, kind: 'role_rejected', details: { reason: expect.stringContaining('owner') as string } },
      { ...user, kind: 'scope_rejected', details: { reason: expect.stringContaining('read:workspaces') as string } },
    ]);
  });

  it('requests that access policies do not permit, and the policies', async () => {
    const policies = `/v2/api/workspaces/${me.workspaceId}/access-policies`;
    const created = await owner.post(policies, { name: 'Lists', tables: [{ entity: 'lists', table: '*' }] });
    const policyId = created.body.data.id as string;
    const keys = `/v2/api/workspaces/${me.workspaceId}/api-keys`;
    const { id, apiKey } = (await owner.post(keys, { name: 'Restricted', policyId })).body.data;
    const restricted = new Api(service.baseUrl).withKey(apiKey as string);
    for (let count = 0; count < 2; count++)
      expect((await restricted.put(`/v2/api/workspaces/${me.workspaceId}/cw/lists/Any`, {})).body.error).toBe(
        'policy_denied',
      );
    const principal = { type: 'api_key', id, name: 'Restricted' };
    expect(await ofKind('policy_rejected', 'access_policy_created')).toMatchObject([
      { kind: 'policy_rejected', result: 'rejected', principal, credential: apiKey.slice(0, 8), address: '127.0.0.1' },
      { ...byOwner(), kind: 'access_policy_created', details: { reason: `Lists (${policyId})` } },
    ]);
    expect((await restricted.get(pathOf(me.workspaceId))).status).toBe(403);
  });

  it('writes that access policies do not permit, of each kind once per minute', async () => {
    const name = await tables.createTable('assets', COLUMNS, ROWS);
    const restrict = async (rules: object) => {
      const policy = { name: randomBytes(6).toString('hex'), tables: [{ entity: 'assets', table: name, ...rules }] };
      const created = await owner.post(`/v2/api/workspaces/${me.workspaceId}/access-policies`, policy);
      const key = { name: 'Restricted', policyId: created.body.data.id as string };
      const { id, apiKey } = (await owner.post(`/v2/api/workspaces/${me.workspaceId}/api-keys`, key)).body.data;
      const api = new TableAdministration(new Api(service.baseUrl).withKey(apiKey as string), me.workspaceId);
      return { api, principal: { type: 'api_key', id: id as string, name: 'Restricted' } };
    };
    const reader = await restrict({ write: false });
    const writer = await restrict({ write: true, columns: { readOnly: ['weight'] } });
    const load = async ({ api }: typeof reader, table: string, row: object) =>
      (await api.bulk('assets', { name: table, items: [{ key: 'a', ...row }] })).body.error as string;
    // The names that a caller sends are unlimited, and the entries are not.
    const codes = [
      await load(reader, name, { name: 'Changed' }),
      ...[await load(writer, 'Absent', {}), await load(writer, 'Absent, too', {})],
      ...[await load(writer, name, { weight: 1 }), await load(writer, name, { weight: 2 })],
    ];
    expect(codes).toEqual(['read_only', 'table_not_permitted', 'table_not_permitted', 'read_only', 'read_only']);
    const { batchId } = (await tables.bulk('assets', { name, items: [{ key: 'a', weight: 5 }] })).body.data;
    const undone = await writer.api.api.post(`${tables.path}/batches/${batchId}/undo`);
    expect(undone.body.error).toBe('batch_outside_policy');
    const rejected = (principal: object, text: string) => ({
      kind: 'policy_rejected',
      result: 'rejected',
      principal,
      details: { reason: expect.stringContaining(text) as string, requestId: expect.any(String) as string },
    });
    expect(await read('?result=rejected')).toMatchObject([
      rejected(writer.principal, 'The batch changed tables, rows or columns'),
      rejected(writer.principal, 'the column "weight"'),
      rejected(writer.principal, 'no table "Absent" of the entity asset'),
      rejected(reader.principal, `the table "${name}"`),
    ]);
  });

  it('requests with the secret that a rotation has replaced, also after the key was revoked', async () => {
    const keys = `/v2/api/workspaces/${me.workspaceId}/api-keys`;
    const first = (await owner.post(keys, { name: 'Rotated' })).body.data;
    const send = async () =>
      (await new Api(service.baseUrl).withKey(first.apiKey as string).get('/v1/api/tours')).status;
    expect(await send()).toBe(200);
    const rotated = (await owner.post(`${keys}/${first.id}/rotate`, {})).body.data;
    expect(rotated.formerSecrets).toEqual([]);
    await owner.delete(`${keys}/${first.id}`);
    expect(await send()).toBe(401);
    expect(await ofKind('refused')).toMatchObject([
      {
        result: 'rejected',
        principal: { type: 'api_key', id: first.id, name: 'Rotated' },
        credential: first.apiKey.slice(0, 8),
        details: { apiKeyId: first.id },
      },
    ]);
  });

  it('created, rotated and revoked API keys', async () => {
    const keys = `/v2/api/workspaces/${me.workspaceId}/api-keys`;
    const { id } = (await owner.post(keys, { name: 'Reports', scopes: ['read:tours'] })).body.data;
    await owner.post(`${keys}/${id}/rotate`, { overlapS: 60 });
    await owner.delete(`${keys}/${id}`);
    const entries = await read(`?principal=${me.userId}&kind=api_key_created,api_key_rotated,api_key_revoked`);
    expect(kindsOf(entries)).toEqual(['api_key_revoked', 'api_key_rotated', 'api_key_created']);
    for (const entry of entries) expect(entry).toMatchObject({ ...byOwner(), details: { apiKeyId: id } });
    expect(entries[2]!.details).toMatchObject({ reason: 'Reports: read:tours' });
    // The first key was created by the operator.
    expect(await ofKind('api_key_created')).toHaveLength(2);
  });

  it('invited, joined, changed and removed members', async () => {
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const { id } = (await owner.post('/v1/api/users', { email, role: 'reader' })).body.data;
    const client = await (await service.operatorClient()).newClient(id);
    const invited = await new Api(service.baseUrl).signIn(client);
    await invited.post(`/v1/api/users/me/invitations/${me.workspaceId}/accept`);
    await owner.patch(`/v1/api/users/${id}`, { role: 'editor' });
    await owner.delete(`/v1/api/users/${id}`);
    const entries = await ofKind('member_added', 'invitation_accepted', 'member_changed', 'member_removed');
    expect(entries.slice(0, 4)).toMatchObject([
      { ...byOwner(), kind: 'member_removed', details: { userId: id } },
      { ...byOwner(), kind: 'member_changed', details: { userId: id, reason: 'role: editor' } },
      { kind: 'invitation_accepted', principal: { type: 'user', id, name: email } },
      { ...byOwner(), kind: 'member_added', details: { userId: id } },
    ]);
  });

  it('dropped tables and columns', async () => {
    const name = await tables.createTable('assets', COLUMNS);
    const { id } = (await tables.get('assets', name)).body.data;
    const table = { id, entity: 'asset', name };
    const administration = new TableAdministration(owner, me.workspaceId);
    await administration.dropColumn('assets', name, 'weight');
    await administration.drop('assets', name);
    expect(await ofKind('table_dropped', 'column_dropped')).toMatchObject([
      { ...byOwner(), kind: 'table_dropped', details: { table } },
      { ...byOwner(), kind: 'column_dropped', details: { table, column: 'weight' } },
    ]);
  });

  it('changes of names, options, rules and columns of a table with their former and new values', async () => {
    const name = await tables.createTable('assets', COLUMNS, ROWS);
    const { id } = (await tables.get('assets', name)).body.data;
    const change = async (edit: object, confirm = '') => {
      const { body } = await owner.put(`${tables.pathOf('assets', id)}${confirm}`, edit);
      expect(body.error).toBeUndefined();
    };
    await change({ options: { approval: { required: true }, historyDays: 60 } });
    await change({ options: { approval: null } });
    await change({ columns: [{ key: 'weight', name: 'Mass', required: false, options: { minimum: 0 } }] });
    await change({ columns: [{ name: 'Vendor', type: 'text' }], name: `${name} 2` }, `?confirm=${id}`);
    // These change nothing.
    await change({ options: { historyDays: 60 }, columns: [{ key: 'weight', name: 'Mass' }] });
    const columns = [{ name: 'Plant', type: 'text' as const }];
    expect((await tables.bulk('assets', { name: `${name} 2`, columns, items: [] })).status).toBe(200);
    const table = { id, entity: 'asset', name };
    const renamed = { ...table, name: `${name} 2` };
    const text = { type: 'text', required: false, description: null, options: {} };
    const column = (key: string, title: string) => {
      return { column: key, attribute: 'column', from: null, to: { name: title, ...text } };
    };
    expect((await ofKind('table_changed')).map(({ details }) => details)).toEqual(
      [
        { table: renamed, changes: [column('plant', 'Plant')] },
        { table: renamed, changes: [{ attribute: 'name', from: name, to: `${name} 2` }, column('vendor', 'Vendor')] },
        {
          table,
          changes: [
            { column: 'weight', attribute: 'name', from: 'Weight', to: 'Mass' },
            { column: 'weight', attribute: 'options.minimum', from: null, to: 0 },
          ],
        },
        { table, changes: [{ attribute: 'options.approval', from: { required: true }, to: null }] },
        {
          table,
          changes: [
            { attribute: 'options.approval', from: null, to: { required: true } },
            { attribute: 'options.historyDays', from: null, to: 60 },
          ],
        },
      ].map((details) => ({ ...details, requestId: expect.any(String) as string })),
    );
  });

  it('no approval or history that an editor has switched off', async () => {
    const name = await tables.createTable('assets', COLUMNS, ROWS);
    const path = tables.pathOf('assets', name);
    const { api } = await admit('editor');
    const approval = { required: true, by: 'other' };
    expect((await owner.put(path, { options: { approval, historyDays: 60 } })).status).toBe(200);
    for (const [field, options] of [
      ['approval', { approval: null }],
      ['approval', { approval: { ...approval, over: '100%' } }],
      ['historyDays', { historyDays: 59 }],
      ['historyDays', { historyDays: null }],
      ['historyDays', { historyDays: 0, title: 'name' }],
    ] as const) {
      const { status, body } = await api.put(path, { options });
      expect([status, body.error, body.details?.errors[0].field]).toEqual([
        403,
        'insufficient_role',
        `options.${field}`,
      ]);
    }
    const { options } = (await owner.get(path)).body.data;
    expect(options).toEqual({ approval, historyDays: 60 });
    expect((await api.put(path, { options: { approval, historyDays: 61, title: 'name' } })).status).toBe(200);
    expect(kindsOf(await ofKind('role_rejected', 'table_changed'))).toEqual([
      'table_changed',
      'role_rejected',
      'role_rejected',
      'table_changed',
    ]);
  });

  it('the rules of access policies before and after, and no entry of a request without changes', async () => {
    const name = await tables.createTable('assets', COLUMNS, ROWS);
    const policies = `/v2/api/workspaces/${me.workspaceId}/access-policies`;
    const first = [{ entity: 'assets', table: name }];
    const second = [{ entity: 'assets', table: name, write: true }];
    const created = await owner.post(policies, { name: 'Pumps', tables: first });
    const { id } = created.body.data as { id: string };
    const notes = { under: 'AT10' };
    const replaced = { name: 'Fans', scopes: ['read:workspaces'], tables: second, notes };
    for (let count = 0; count < 3; count++) {
      const { status, body } = await owner.put(`${policies}/${id}`, replaced);
      expect([status, body.data?.version]).toEqual([200, 2]);
    }
    await owner.delete(`${policies}/${id}`);
    const entries = await ofKind('access_policy_created', 'access_policy_changed', 'access_policy_deleted');
    const change = (attribute: string, from: unknown, to: unknown) => ({ attribute, from, to });
    expect(entries.map(({ kind, details }) => [kind, details['policy'], details['changes']])).toEqual([
      [
        'access_policy_deleted',
        { id, name: 'Fans' },
        [
          change('name', 'Fans', null),
          change('scopes', ['read:workspaces'], null),
          change('tables', second, null),
          change('notes', notes, null),
        ],
      ],
      [
        'access_policy_changed',
        { id, name: 'Fans' },
        [
          change('name', 'Pumps', 'Fans'),
          change('scopes', null, ['read:workspaces']),
          change('tables', first, second),
          change('notes', null, notes),
        ],
      ],
      ['access_policy_created', { id, name: 'Pumps' }, [change('name', null, 'Pumps'), change('tables', null, first)]],
    ]);
  });

  it('loads with their tables, counts and batch, and no single rows, reads, dry runs or rejected loads', async () => {
    const name = await tables.createTable('assets', COLUMNS, ROWS);
    const { id } = (await tables.get('assets', name)).body.data;
    const created = await ofKind('load_stored');
    const counts = (created: number, updated: number, deleted: number) => {
      return { tables: [{ id, entity: 'asset', name, created, updated, deleted }] };
    };
    const keyId = await findKeyId();
    expect(created).toMatchObject([{ ...byKey(keyId), details: { source: 'bulk', ...counts(4, 0, 0) } }]);
    // None of these is a load.
    const row = `${tables.pathOf('assets', name)}/items/a`;
    expect((await tables.api.put(row, { name: 'Other' })).status).toBe(200);
    expect((await tables.rows('assets', name)).length).toBe(4);
    expect((await tables.bulk('assets', { name, items: [{ key: 'e' }] }, { dryRun: 'true' })).status).toBe(200);
    expect((await tables.bulk('assets', { name, items: [{ key: 'e' }, { name: 'without key' }] })).status).toBe(422);
    expect(await ofKind('load_stored')).toEqual(created);
    const imported = await sendFile(tables, name, lines([{ key: 'b', name: 'New b' }]));
    await sendFile(tables, name, lines(ROWS.slice(0, 3)), { query: { mode: 'replace', maxDeletions: '10' } });
    const deleted = await tables.api.post(`${tables.pathOf('assets', name)}/items/delete`, { keys: ['c'] });
    const undone = await tables.api.post(`${tables.path}/batches/${deleted.body.data.batchId}/undo`);
    const loads = await ofKind('load_stored');
    expect(loads.slice(0, -1)).toMatchObject([
      {
        details: {
          source: 'undo',
          undoes: deleted.body.data.batchId,
          batchId: undone.body.data.batchId,
          ...counts(1, 0, 0),
        },
      },
      { details: { source: 'delete', batchId: deleted.body.data.batchId, ...counts(0, 0, 1) } },
      { details: { source: 'import', ...counts(0, 2, 1) } },
      { details: { source: 'import', importId: imported.body.data.importId, batchId: imported.body.data.batchId } },
    ]);
    for (const load of loads) expect(load).toMatchObject(byKey(keyId));
  });

  it('proposed, approved and rejected loads', async () => {
    const name = await tables.createTable('assets', COLUMNS, ROWS);
    await tables.edit('assets', name, { options: { approval: { required: true } } });
    const propose = async (key: string) => {
      const { body } = await tables.bulk('assets', { name, items: [{ key, name: 'Proposed' }] });
      return body.data.proposalId as string;
    };
    const [approved, rejected] = [await propose('a'), await propose('b')];
    await owner.post(`${tables.path}/proposals/${approved}/approve`, { comment: 'Yes' });
    await owner.post(`${tables.path}/proposals/${rejected}/reject`, { comment: 'No' });
    const changed = [expect.objectContaining({ name, created: 0, updated: 1, deleted: 0 })];
    const entries = await ofKind('load_stored', 'load_proposed', 'load_approved', 'load_rejected');
    expect(entries.slice(0, 4)).toMatchObject([
      { ...byOwner(), kind: 'load_rejected', details: { proposalId: rejected, comment: 'No' } },
      {
        ...byOwner(),
        kind: 'load_approved',
        details: { proposalId: approved, comment: 'Yes', batchId: expect.any(String) as string, tables: changed },
      },
      { ...byKey(await findKeyId()), kind: 'load_proposed', details: { proposalId: rejected } },
      { kind: 'load_proposed', details: { proposalId: approved, source: 'bulk', tables: changed } },
    ]);
    // Only the load that created the table.
    expect(kindsOf(entries.slice(4))).toEqual(['load_stored']);
  });

  it('calls of the legacy webhook with the load', async () => {
    const body = { categories: [{ codegrp: '0PM', code: '0010', catalog: 'C', codegrp_txt: 'A', code_txt: 'B' }] };
    const called = await tables.api.post('/v1/api/notes/erp/webhook', body);
    expect(called.body.error).toBeUndefined();
    expect(await ofKind('webhook_called', 'load_stored')).toMatchObject([
      { ...byKey(await findKeyId()), kind: 'webhook_called' },
      { kind: 'load_stored', details: { source: 'webhook' } },
    ]);
  });

  it('exports that are complete, when the response has ended', async () => {
    const name = await tables.createTable('assets', COLUMNS, ROWS);
    const path = tables.pathOf('assets', name);
    const { id } = (await tables.get('assets', name)).body.data;
    const csv = await owner.get(`${path}/export`, { Accept: 'text/csv' });
    const table = { id, entity: 'asset', name };
    const [entry] = await read();
    const bytes = Buffer.byteLength(csv.body as string);
    expect(entry).toMatchObject({ ...byOwner(), kind: 'export_completed', details: { table, format: 'csv', bytes } });
    await owner.get(`${path}/items?filter[key]=a`, { Accept: NDJSON });
    expect((await read())[0]).toMatchObject({ kind: 'export_completed', details: { table, format: 'ndjson' } });
  });

  it('exports of one table at the same time as one entry', async () => {
    const name = await tables.createTable('assets', COLUMNS, ROWS);
    const path = `${tables.pathOf('assets', name)}/export`;
    const exports = await Promise.all(Array.from({ length: 8 }, () => owner.get(path, { Accept: 'text/csv' })));
    // Further ones may be rejected while others run.
    const times = exports.filter(({ status }) => status === 200).length;
    const entries = await ofKind('export_completed');
    expect(entries.map(({ details }) => details['times'])).toEqual([times]);
  });

  it('frequent reads and rejected calls once per minute with their number, and nothing that changed nothing', async () => {
    const name = await tables.createTable('assets', COLUMNS, ROWS);
    const path = tables.pathOf('assets', name);
    let bytes = 0;
    for (let count = 0; count < 4; count++) {
      bytes += Buffer.byteLength((await owner.get(`${path}/export`, { Accept: 'text/csv' })).body as string);
      await owner.get(`${path}/differences?from=0`);
      expect((await tables.bulk('assets', { name, items: ROWS })).body.data.totals.unchanged).toBe(ROWS.length);
      expect((await tables.api.post('/v1/api/notes/erp/webhook', { nonsense: 1 })).status).toBe(400);
    }
    await tables.api.get(`${path}/export`, { Accept: 'text/csv' });
    const entries = await ofKind('export_completed', 'webhook_called', 'load_stored');
    const summary = entries.map(({ kind, principal, details }) => {
      return [kind, principal.type, details['via'] ?? details['source'], details['times']];
    });
    expect(summary).toEqual([
      ['export_completed', 'api_key', 'export', 1],
      ['webhook_called', 'api_key', undefined, 4],
      ['export_completed', 'user', 'differences', 4],
      ['export_completed', 'user', 'export', 4],
      ['load_stored', 'api_key', 'bulk', undefined],
    ]);
    expect(entries[3]!.details).toMatchObject({ format: 'csv', bytes, table: { name } });
  });

  it('all rows that leave as pages, with the last page', async () => {
    const name = `Pages ${randomBytes(6).toString('hex')}`;
    const rows = manyRows(1_000, (at) => ({ key: keyAt(at), name: 'x' }));
    await tables.createTable('assets', COLUMNS, rows, name);
    const path = tables.pathOf('assets', name);
    const readPages = async (first: string) => {
      for (let cursor: string | null = ''; cursor !== null;) {
        const after = cursor === '' ? '' : `&cursor=${cursor}`;
        const { status, body } = await owner.get(`${path}/${first}${after}`);
        expect(status).toBe(200);
        cursor = body.data.nextCursor as string | null;
      }
    };
    const readFeed = async (headers: Record<string, string>) => {
      let url: string | undefined = `/odata/v4/${me.workspaceId}/assets_${name.replace(' ', '_')}`;
      while (url) {
        const { status, body } = await owner.get(url, headers);
        expect(status).toBe(200);
        const next = body['@odata.nextLink'] as string | undefined;
        url = next?.slice(next.indexOf('/odata/'));
      }
    };
    // Parts, and small pages.
    await owner.get(`${path}/items?limit=999`);
    await owner.get(`${path}/items?filter[key]=${keyAt(1)}`);
    await owner.get(`${path}/changes?since=0&limit=999`);
    expect(await ofKind('export_completed')).toEqual([]);
    const { revision } = (await owner.get(path)).body.data;
    expect((await owner.get(`${path}/changes?since=${revision}`)).body.data.items).toEqual([]);
    expect(await ofKind('export_completed')).toEqual([]);

    await readPages('items?limit=600');
    await readPages('items?limit=1000');
    await readPages('changes?since=0&limit=600');
    await readFeed({ Prefer: 'odata.maxpagesize=600' });
    const entries = await ofKind('export_completed');
    expect(entries.map(({ details }) => [details['via'], details['format'], details['times']])).toEqual([
      ['odata', 'json', 1],
      ['changes', 'json', 1],
      ['pages', 'json', 2],
    ]);
    for (const { details } of entries) expect(details).toMatchObject({ table: { name } });
  });

  it('no ID of a request as its own that the caller has sent', async () => {
    const sent = randomUUID();
    const name = await tables.createTable('assets', COLUMNS);
    const path = tables.pathOf('assets', name);
    const edited = await owner.put(path, { options: { historyDays: 60 } }, { 'X-Request-Id': sent });
    expect(edited.headers.get('x-request-id')).toBe(sent);
    const [{ details } = { details: {} as Entry['details'] }] = await ofKind('table_changed');
    expect(details['sentRequestId']).toBe(sent);
    expect(details['requestId']).not.toBe(sent);
  });

  it('of a new member, key and subscription what it may read', async () => {
    const created = await owner.post(`/v2/api/workspaces/${me.workspaceId}/access-policies`, { name: 'P', tables: [] });
    const policyId = created.body.data.id as string;
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    await owner.post('/v1/api/users', { email, role: 'reader', policyId });
    const expiresAt = '2099-01-01T00:00:00.000Z';
    await owner.post(`/v2/api/workspaces/${me.workspaceId}/api-keys`, { name: 'Limited', policyId, expiresAt });
    const webhook = { url: 'https://example.com/secret', events: ['note.*'], status: 'disabled', policyId };
    expect((await owner.post(`/v2/api/workspaces/${me.workspaceId}/subscriptions`, webhook)).status).toBe(201);
    const entries = await ofKind('member_added', 'api_key_created', 'subscription_created');
    expect(entries.slice(0, 3)).toMatchObject([
      { kind: 'subscription_created', details: { address: 'https://example.com', policyId } },
      { kind: 'api_key_created', details: { policyId, expiresAt } },
      { kind: 'member_added', details: { role: 'reader', policyId } },
    ]);
  });

  it('no name that looks like another one', async () => {
    const workspace = `/v2/api/workspaces/${me.workspaceId}`;
    for (const character of ['\u202e', '\u200b', '\u2066', '\u0007', '\u200f']) {
      const name = `Pumps${character}x`;
      for (const rejected of [
        await tables.bulk('assets', { name, columns: COLUMNS, items: [] }),
        await owner.post(`${workspace}/access-policies`, { name, tables: [] }),
        await owner.post(`${workspace}/api-keys`, { name }),
      ])
        expect(rejected.status).toBe(400);
    }
  });

  it('exports that the caller aborts', async () => {
    const items = manyRows(9_000, (at) => ({ key: keyAt(at), name: 'x'.repeat(1_000) }));
    const name = await tables.createTable('assets', COLUMNS, items);
    await new Promise<void>((done, fail) => {
      const url = `${service.baseUrl}${tables.pathOf('assets', name)}/export`;
      const sent = request(url, { headers: { ...owner.headers, Accept: 'text/csv' } }, (response) => {
        response.once('data', () => response.destroy());
        response.once('close', done);
      });
      sent.once('error', fail).end();
    });
    const [entry] = await eventually(
      () => ofKind('export_completed', 'export_aborted'),
      (entries) => entries.length > 0,
    );
    expect(entry).toMatchObject({
      ...byOwner(),
      kind: 'export_aborted',
      result: 'aborted',
      details: { format: 'csv' },
    });
    expect(entry!.details['bytes']).toBeLessThan(9_000_000);
  });
});

describe('the audit log of a workspace', () => {
  it('is read page by page, with filters', async () => {
    for (const name of ['A', 'B', 'C']) await tables.createTable('assets', COLUMNS, [], `${name} ${me.workspaceId}`);
    const all = await read();
    const pages: Entry[] = [];
    for (let cursor = ''; ;) {
      const { data } = (await owner.get(pathOf(me.workspaceId, `?limit=2${cursor}`))).body;
      pages.push(...(data.items as Entry[]));
      if (!data.hasMore) break;
      cursor = `&cursor=${data.nextCursor}`;
    }
    expect(pages).toEqual(all);
    expect(all.length).toBeGreaterThan(5);
    const times = all.map(({ at }) => at);
    expect(times).toEqual(times.toSorted().reverse());
    const loads = all.filter(({ kind }) => kind === 'load_stored');
    expect(await read('?kind=load_stored')).toEqual(loads);
    const keyId = await findKeyId();
    const ofKey = all.filter(({ principal }) => principal.id === keyId);
    expect(await read(`?principal=${keyId}`)).toEqual(ofKey);
    expect(await read(`?principal=${me.userId}`)).toEqual(all.filter(({ principal }) => principal.type !== 'service'));
    const middle = loads[1]!.at;
    expect(await read(`?from=${middle}`)).toEqual(all.filter(({ at }) => at >= middle));
    expect(await read(`?to=${middle}`)).toEqual(all.filter(({ at }) => at < middle));
    expect(await read('?result=rejected')).toEqual([]);
    expect(await read('?kind=table_dropped')).toEqual([]);
  });

  it.each([
    ['kind', 'kind=nonsense'],
    ['kind', 'kind=signing_keys_rotated'],
    ['principal', 'principal=me'],
    ['from', 'from=yesterday'],
    ['result', 'result=good'],
    ['limit', 'limit=501'],
  ])('rejects an invalid %s: %s', async (field, query) => {
    const { status, body } = await owner.get(pathOf(me.workspaceId, `?${query}`));
    expect([status, body.details?.errors[0]?.field]).toEqual([400, field]);
  });

  it('rejects a cursor of another query, and one that was changed', async () => {
    const { nextCursor } = (await owner.get(pathOf(me.workspaceId, '?limit=1'))).body.data;
    const [fingerprint] = JSON.parse(Buffer.from(nextCursor as string, 'base64url').toString()) as string[];
    const changed = Buffer.from(JSON.stringify([fingerprint, 'soon', randomUUID()])).toString('base64url');
    for (const query of [`?limit=1&kind=signed_in&cursor=${nextCursor}`, `?limit=1&cursor=${changed}`]) {
      const { status, body } = await owner.get(pathOf(me.workspaceId, query));
      expect([status, body.error]).toEqual([400, 'invalid_cursor']);
    }
  });

  it('is streamed as NDJSON with all matching entries', async () => {
    await database.query(
      `INSERT INTO auth_events (id, at, kind, workspace_id, details)
       SELECT gen_random_uuid(), now() - n * interval '1 second', 'table_dropped', $1, '{"n": 1}'
         FROM generate_series(1, 1200) n`,
      [me.workspaceId],
    );
    const stream = async (query = '') => {
      const { status, headers, body } = await owner.get(pathOf(me.workspaceId, query), { Accept: NDJSON });
      expect([status, headers.get('content-type')]).toEqual([200, `${NDJSON}; charset=utf-8`]);
      return (body as string)
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Entry);
    };
    const all = await stream();
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.filter(({ kind }) => kind === 'table_dropped')).toHaveLength(1_200);
    expect(all.slice(0, 100)).toEqual(await read());
    expect(await stream('?kind=table_dropped')).toHaveLength(1_200);
    expect(await stream('?kind=export_aborted')).toEqual([]);
    const limited = await owner.get(pathOf(me.workspaceId, '?limit=10'), { Accept: NDJSON });
    expect([limited.status, limited.body.details.errors[0].field]).toEqual([400, 'limit']);
    expect((await owner.get(pathOf(me.workspaceId), { Accept: 'text/csv' })).status).toBe(406);
  });

  it('shows nothing of another workspace, and sign-ins of a user to the workspaces of its time as a member', async () => {
    const other = await service.provision();
    const foreigner = await new Api(service.baseUrl).signIn(other);
    const operator = await service.operatorClient();
    // A member of both workspaces, who is only invited to a third.
    const both = await admit('editor');
    const email = (await read(`?principal=${both.id}`))[0]!.principal.name!;
    await service.operator('user', 'create', '--email', email, '--workspace', other.workspaceId);
    const third = await service.provision();
    const thirdOwner = await new Api(service.baseUrl).signIn(third);
    expect((await thirdOwner.post('/v1/api/users', { email })).status).toBe(201);
    await new Api(service.baseUrl).signIn(both);
    await Tables.of(service, other).bulk('assets', { name: 'Pumps', columns: COLUMNS, items: [] });
    expect((await both.api.get(`/v2/api/workspaces/${other.workspaceId}/api-keys`)).status).toBe(403);
    const seen = (caller: Api, workspaceId: string) => read(`?principal=${both.id}`, caller, workspaceId);
    expect(kindsOf(await seen(owner, me.workspaceId))).toEqual(['signed_in', 'signed_in']);
    // The second sign-in was before the user became a member.
    expect(kindsOf(await seen(foreigner, other.workspaceId))).toEqual(['role_rejected', 'signed_in']);
    expect(await seen(thirdOwner, third.workspaceId)).toEqual([]);
    expect(kindsOf(await ofKind('load_stored', 'role_rejected'))).toEqual([]);
    expect((await owner.get(pathOf(other.workspaceId))).status).toBe(404);
    // A former member: earlier entries remain, later ones are not added.
    await owner.delete(`/v1/api/users/${both.id}`);
    await new Api(service.baseUrl).signIn(both);
    expect(kindsOf(await seen(owner, me.workspaceId))).toEqual(['signed_in', 'signed_in']);
    expect(kindsOf(await seen(foreigner, other.workspaceId))).toEqual(['signed_in', 'role_rejected', 'signed_in']);
    await operator.suspend(both.id);
    expect((await read('', foreigner, other.workspaceId))[0]).toMatchObject({
      kind: 'user_suspended',
      principal: SERVICE,
      details: { userId: both.id },
    });
  });

  /** The number of sign-ins of a user that the workspace sees after a further one. */
  async function countSignIns(user: Awaited<ReturnType<typeof admit>>): Promise<number> {
    await new Api(service.baseUrl).signIn(user);
    return (await read(`?kind=signed_in&principal=${user.id}`)).length;
  }

  it('shows no sign-in of the time between the end and the restoration of a membership', async () => {
    const member = await admit('editor');
    const path = `/v1/api/users/${member.id}`;
    expect((await owner.delete(path)).status).toBe(200);
    expect(await countSignIns(member)).toBe(1);
    expect((await owner.post(`${path}/restore`)).status).toBe(200);
    expect(await countSignIns(member)).toBe(2);
  });

  it('shows the earlier sign-ins of a member who has left, and later ones from the return on', async () => {
    const member = await admit('editor');
    const [{ principal }] = (await read(`?principal=${member.id}`)) as [Entry];
    const { workspaceId } = await service.provision();
    await service.operator('user', 'create', '--email', principal.name!, '--workspace', workspaceId);
    const path = `/v1/api/users/${member.id}`;
    expect((await member.api.delete(`${path}?workspaceId=${me.workspaceId}`)).status).toBe(200);
    expect(await countSignIns(member)).toBe(1);
    // The user is invited again.
    expect((await owner.post(`${path}/restore`)).status).toBe(200);
    expect(await countSignIns(member)).toBe(1);
    expect((await member.api.post(`/v1/api/users/me/invitations/${me.workspaceId}/accept`)).status).toBe(200);
    expect(await countSignIns(member)).toBe(2);
  });

  it('does not record a rejected request at a workspace of which the caller is not a member', async () => {
    const other = await service.provision();
    const limited = await new Api(service.baseUrl).signIn(other, ['read:tours']);
    expect((await limited.get(pathOf(me.workspaceId))).status).toBe(403);
    expect(await ofKind('scope_rejected')).toEqual([]);
    const theirs = await read('?kind=scope_rejected', await new Api(service.baseUrl).signIn(other), other.workspaceId);
    expect(theirs).toMatchObject([{ kind: 'scope_rejected', principal: { id: other.userId } }]);
  });

  it('needs the role owner and the scope read:workspaces', async () => {
    const codeOf = ({ status, body }: ApiResponse) => `${status} ${body.error}`;
    for (const role of ['reader', 'editor']) {
      const { api } = await admit(role);
      expect(codeOf(await api.get(pathOf(me.workspaceId)))).toBe('403 insufficient_role');
      expect(codeOf(await api.get(pathOf(me.workspaceId), { Accept: NDJSON }))).toBe('403 insufficient_role');
    }
    const limited = await new Api(service.baseUrl).signIn(me, ['read:projects']);
    expect(codeOf(await limited.get(pathOf(me.workspaceId)))).toBe('403 insufficient_scope');
    expect((await new Api(service.baseUrl).get(pathOf(me.workspaceId))).status).toBe(401);
  });

  it('is a part of the log of the operator', async () => {
    await tables.createTable('assets', COLUMNS, ROWS);
    const [load] = await ofKind('load_stored');
    const lines = await service.operator<Entry[]>('audit', '--kind', 'load_stored', '--limit', '1000');
    expect(lines).toContainEqual(
      expect.objectContaining({
        at: load!.at,
        workspaceId: me.workspaceId,
        actorId: me.userId,
        details: { source: 'bulk', batchId: load!.details['batchId'], tables: load!.details['tables'] },
      }),
    );
  });
});

describe('events of the audit log', () => {
  const eventsPath = (query = '') => `/v2/api/workspaces/${me.workspaceId}/events${query}`;
  const readEvents = (query: string, caller = owner) =>
    eventually(
      async () =>
        (await caller.get(eventsPath(query))).body.data.events as { type: string; actor: object; data: any }[],
      (events) => events.length > 0,
    );

  it('contain the entry, for owners only', async () => {
    const editor = await admit('editor');
    const keys = `/v2/api/workspaces/${me.workspaceId}/api-keys`;
    const { id } = (await owner.post(keys, { name: 'Reports' })).body.data;
    const [entry] = await ofKind('api_key_created');
    const events = await readEvents('?types=audit.*');
    // A key that the operator creates causes no event.
    expect(events).toMatchObject([
      { type: 'audit.api_key_created', actor: { userId: me.userId, source: 'api' }, data: { entry } },
    ]);
    expect(events[0]!.data.entry.details.apiKeyId).toBe(id);
    const all = await readEvents('?types=*', editor.api);
    expect(all.map(({ type }) => type)).toEqual(['member.joined', 'member.joined']);
    expect((await readEvents('', editor.api)).map(({ type }) => type)).toEqual(['member.joined', 'member.joined']);
    const rejected = await editor.api.get(eventsPath('?types=audit.*'));
    expect([rejected.status, rejected.body.error]).toEqual([403, 'insufficient_role']);
  });

  it('report rejections, changed roles and exports, each once', async () => {
    const editor = await admit('editor');
    const name = await tables.createTable('assets', COLUMNS, ROWS);
    for (let count = 0; count < 3; count++) await editor.api.get(pathOf(me.workspaceId));
    await owner.patch(`/v1/api/users/${editor.id}`, { role: 'reader' });
    await editor.api.get(`${tables.pathOf('assets', name)}/export`, { Accept: 'text/csv' });
    const events = await eventually(
      () => readEvents('?types=audit.*'),
      (found) => found.length === 3,
    );
    expect(events).toMatchObject([
      { type: 'audit.role_rejected', actor: { userId: editor.id } },
      {
        type: 'audit.member_changed',
        actor: { userId: me.userId },
        data: { entry: { details: { userId: editor.id } } },
      },
      {
        type: 'audit.export_completed',
        actor: { userId: editor.id },
        data: { entry: { principal: { id: editor.id } } },
      },
    ]);
  });
});

describe('a load and its entry', () => {
  let own: TestDatabase;
  let instance: TestService;

  beforeAll(async () => {
    own = await TestDatabase.create();
    instance = await TestService.start(own);
  });

  afterAll(async () => {
    await instance?.stop();
    await own?.drop();
  });

  const count = async (sql: string) => (await own.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`))[0]!.n;

  it.each([
    ['the entry cannot be stored', 'BEFORE INSERT ON auth_events', "NEW.kind = 'load_stored'"],
    ['the commit fails', 'AFTER INSERT ON table_batches DEFERRABLE INITIALLY DEFERRED', 'true'],
  ])('are both absent if %s', async (_, timing, condition) => {
    const mine = await instance.provision();
    const loaded = Tables.of(instance, mine);
    const constraint = timing.includes('DEFERRABLE') ? 'CONSTRAINT' : '';
    await own.query(`
      CREATE OR REPLACE FUNCTION reject_load() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
      CREATE ${constraint} TRIGGER reject_load ${timing} FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION reject_load()`);
    const table = { name: 'Pumps', columns: COLUMNS, items: ROWS };
    expect((await loaded.bulk('assets', table)).status).toBe(500);
    expect(await count('table_batches')).toBe(0);
    expect(await count(`auth_events WHERE kind = 'load_stored'`)).toBe(0);
    expect((await loaded.read('assets', 'Pumps')).status).toBe(404);
    await own.query(`DROP TRIGGER reject_load ON ${timing.includes('auth') ? 'auth_events' : 'table_batches'}`);
    expect((await loaded.bulk('assets', table)).status).toBe(201);
    expect(await count(`auth_events WHERE kind = 'load_stored' AND workspace_id = '${mine.workspaceId}'`)).toBe(1);
    await own.query('DELETE FROM table_batches');
    await own.query(`DELETE FROM auth_events WHERE kind = 'load_stored'`);
  });

  it('exist in equal numbers after concurrent loads, of which some are rejected', async () => {
    const mine = await instance.provision();
    const loaded = Tables.of(instance, mine);
    await loaded.bulk('assets', { name: 'Pumps', columns: COLUMNS, items: [] });
    const loads = manyRows(40, (at) => {
      const items: object[] = [{ key: keyAt(at % 5), name: `Load ${at}` }];
      if (at % 3 === 0) items.push({ name: 'without key' });
      return loaded.bulk('assets', { name: 'Pumps', items });
    });
    const stored = (await Promise.all(loads)).flatMap(({ status, body }) => (status < 300 ? [body.data.batchId] : []));
    const entries = await own.query<{ id: string }>(
      `SELECT details->>'batchId' AS id FROM auth_events WHERE workspace_id = $1 AND kind = 'load_stored'`,
      [mine.workspaceId],
    );
    expect(stored.length).toBeGreaterThan(20);
    // With the load that created the table.
    expect(entries.length).toBe(stored.length + 1);
    expect(entries.map(({ id }) => id)).toEqual(expect.arrayContaining(stored));
  });
});
