import { Api, type ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { ODataFeed } from '../support/odata.js';
import { type SharedService, shareServices } from '../support/shared-services.js';
import { column, Tables, text } from '../support/tables.js';

const PRIORITIES = [
  { code: '1', name: 'Very high', level: 1 },
  { code: '2', name: 'High', level: 2 },
  { code: '3', name: 'Medium', level: 3 },
  { code: '4', name: 'Medium', level: 4 },
];

const TYPES = [
  { key: 'note', name: 'Note' },
  {
    key: 'defect',
    name: 'Defect',
    required: ['title', 'priority'],
    statuses: ['open', 'in_progress', 'closed'],
    transitions: [
      { from: 'open', to: 'in_progress' },
      { from: 'in_progress', to: 'closed', role: 'owner' },
      { from: 'in_progress', to: 'open' },
    ],
  },
];

const FIELDS = [
  { key: 'priority', name: 'Priority', type: 'row', table: 'Priorities' },
  { key: 'secondPriority', name: 'Second priority', type: 'row', table: 'Priorities' },
  { key: 'assignee', name: 'Assignee', type: 'user' },
  { key: 'shift', name: 'Shift', type: 'choice', choices: ['day', 'night'] },
  { key: 'downtime', name: 'Downtime in hours', type: 'number' },
  { key: 'stopped', name: 'Plant stopped', type: 'checkbox' },
  { key: 'found', name: 'Found on', type: 'date' },
  { key: 'cause', name: 'Cause', type: 'text', types: ['defect'], required: true },
];

let services: SharedService[];
let me: Credentials;
let api: Api;
let other: Api;
let workspace: string;
let notes: string;

const errorsOf = ({ status, body }: ApiResponse) => [
  status,
  body.error,
  ...(body.details?.errors ?? []).map(({ field, code }: { field: string; code: string }) => `${field} ${code}`),
];
const create = async (note: object) => (await api.post(notes, { title: 'Leak', ...note })).body.data;
const read = async (id: string) => (await api.get(`${notes}/${id}?expand=fields`)).body.data;
const list = async (query: string) => (await api.get(`${notes}?${query}`)).body.data.items as any[];

/** A workspace with a list of priorities, the fields and the types. */
beforeEach(async () => {
  ({ services } = await shareServices(2));
  me = await services[0]!.provision();
  [api, other] = services.map(({ baseUrl }) => new Api(baseUrl).withKey(me.apiKey)) as [Api, Api];
  workspace = `/v2/api/workspaces/${me.workspaceId}`;
  notes = `${workspace}/notes`;
  const tables = Tables.of(services[0]!, me);
  const columns = [text('Code'), text('Name'), column('Level', 'number')];
  expect((await tables.bulk('lists', { name: 'Priorities', columns, items: PRIORITIES })).status).toBe(201);
});

const admit = async (role: 'editor' | 'reader') => {
  const email = `${role}-${me.workspaceId}@example.com`;
  const [service] = services;
  const { id } = await service!.operator<{ id: string }>(
    ...['user', 'create', '--email', email, '--workspace', me.workspaceId, '--role', role],
  );
  const { apiKey } = await service!.operator<{ apiKey: string }>(
    ...['api-key', 'create', '--user', id, '--workspace', me.workspaceId],
  );
  return new Api(service!.baseUrl).withKey(apiKey);
};

const configure = async () => {
  expect(errorsOf(await api.put(`${workspace}/note-types`, { types: TYPES }))).toEqual([200, undefined]);
  expect(errorsOf(await api.put(`${workspace}/note-fields`, { fields: FIELDS }))).toEqual([200, undefined]);
};

describe('a workspace without rules', () => {
  it('stores priority, category, work center and custom fields as texts', async () => {
    const sent = { priority: 'any', category: 'c', workCenter: 'MECH', customFields: { shift: 'whatever' } };
    expect(await create(sent)).toMatchObject({ ...sent, type: 'note', externalReferences: [], watchers: [] });
    expect((await api.get(`${workspace}/note-fields`)).body.data).toEqual({ fields: [] });
    expect((await api.get(`${workspace}/note-types`)).body.data).toEqual({ types: [{ key: 'note', name: 'Note' }] });
    expect(errorsOf(await api.post(notes, { type: 'defect' }))).toEqual([422, 'invalid_note', 'type unknown_type']);
    expect(errorsOf(await api.post(notes, { fields: { shift: 'day' } }))).toEqual([
      422,
      'invalid_note',
      'fields.shift unknown_field',
    ]);
  });
});

describe('the rules of a workspace', () => {
  it('are returned as they were set', async () => {
    await configure();
    expect((await other.get(`${workspace}/note-fields`)).body.data).toEqual({ fields: FIELDS });
    expect((await other.get(`${workspace}/note-types`)).body.data).toEqual({ types: TYPES });
  });

  it('name a table by its ID after another entity has a table with its name, so that they can be sent again', async () => {
    await configure();
    const tables = Tables.of(services[0]!, me);
    expect((await tables.bulk('assets', { name: 'Priorities', columns: [text('Code')], items: [] })).status).toBe(201);
    const { fields } = (await api.get(`${workspace}/note-fields`)).body.data;
    expect(fields[0].table).toMatch(/^[\da-f-]{36}$/);
    expect(errorsOf(await api.put(`${workspace}/note-fields`, { fields }))).toEqual([200, undefined]);
  });

  it('are rejected with all errors if they do not fit together', async () => {
    await configure();
    const fields = [
      { key: 'Title', name: 'Title', type: 'text' },
      { key: 'a', name: 'A', type: 'row' },
      { key: 'A', name: 'A', type: 'choice' },
      { key: 'b', name: 'B', type: 'text', choices: ['x'], types: ['absent'] },
    ];
    expect(errorsOf(await api.put(`${workspace}/note-fields`, { fields }))).toEqual([
      400,
      'invalid_request',
      'fields[2].key duplicate',
      'fields[2].name duplicate',
      'fields[0].key reserved',
      'fields[1].table invalid_field',
      'fields[2].choices invalid_field',
      'fields[3].choices invalid_field',
      'fields[3].types unknown_type',
    ]);
    const absent = [{ key: 'a', name: 'A', type: 'row', table: 'Absent' }];
    expect(errorsOf(await api.put(`${workspace}/note-fields`, { fields: absent }))).toEqual([
      400,
      'invalid_request',
      'fields[0].table unknown_table',
    ]);
    const types = [{ key: 'a', name: 'A', required: ['nothing'], statuses: ['open'], defaultStatus: 'closed' }];
    expect(errorsOf(await api.put(`${workspace}/note-types`, { types }))).toEqual([
      400,
      'invalid_request',
      'fields[7].types unknown_type',
      'types[0].required unknown_field',
      'types[0].defaultStatus unknown_status',
    ]);
    const contradicting = TYPES.map((type) => ({ ...type, required: ['cause'] }));
    expect(errorsOf(await api.put(`${workspace}/note-types`, { types: contradicting }))).toEqual([
      400,
      'invalid_request',
      'types[0].required invalid_field',
    ]);
    expect((await api.get(`${workspace}/note-types`)).body.data).toEqual({ types: TYPES });
  });

  it('are rejected if a choice cannot be chosen, or a name or transition is ambiguous', async () => {
    const fields = [
      { key: 'a', name: 'Cause', type: 'choice', choices: [] },
      { key: 'b', name: 'cause', type: 'choice', choices: ['', ' a ', 'a'] },
    ];
    const answer = await api.put(`${workspace}/note-fields`, { fields });
    expect(errorsOf(answer)).toEqual([
      ...[400, 'invalid_request', 'fields[1].name duplicate', 'fields[0].choices required'],
      ...['fields[1].choices[0] invalid_field', 'fields[1].choices[1] invalid_field'],
    ]);
    expect(answer.body.details.errors[3].message).toContain('" a "');
    const transitions = [
      { from: 'open', to: 'closed' },
      { from: 'Open', to: 'closed', role: 'owner' },
    ];
    const twice = await api.put(`${workspace}/note-types`, { types: [{ key: 'a', name: 'A', transitions }] });
    expect(errorsOf(twice)).toEqual([400, 'invalid_request', 'types[0].transitions[1] duplicate']);
    expect(twice.body.details.errors[0].message).toContain('from "open" to "closed"');
  });

  it('apply to the next note on every instance', async () => {
    expect((await other.post(notes, { type: 'note', priority: 'any' })).status).toBe(201);
    await configure();
    expect(errorsOf(await other.post(notes, { priority: 'any' }))).toEqual([422, 'invalid_note', 'priority not_found']);
    // What another instance remembers must not reject what the present rules permit.
    const clear = async () => expect((await api.put(`${workspace}/note-fields`, { fields: [] })).status).toBe(200);
    await clear();
    expect((await other.post(notes, { priority: 'any' })).status).toBe(201);
    await configure();
    expect((await other.post(notes, { priority: '1' })).status).toBe(201);
    await clear();
    const { body } = await other.post(`${notes}/bulk`, { items: [{ priority: 'any' }] });
    expect(body.data).toMatchObject({ created: 1, failed: 0 });
  });
});

describe('values of fields', () => {
  beforeEach(configure);

  it('are stored as texts, and returned with their types', async () => {
    const { id, customFields, priority, assignee } = await create({
      priority: 'Very high',
      assignee: me.userId,
      customFields: { shift: 'night', downtime: '1.50', stopped: 'X', found: '20261101', free: 'text' },
    });
    expect([priority, assignee, customFields]).toEqual([
      '1',
      me.userId,
      { shift: 'night', downtime: '1.5', stopped: 'true', found: '2026-11-01', free: 'text' },
    ]);
    const { fields } = await read(id as string);
    expect(fields).toEqual({
      priority: { key: '1', title: 'Very high' },
      secondPriority: null,
      assignee: { id: me.userId, title: expect.any(String) },
      shift: 'night',
      downtime: 1.5,
      stopped: true,
      found: '2026-11-01',
    });
    expect(await list('expand=fields')).toMatchObject([{ fields }]);
    expect((await list('fields=title'))[0]).toEqual({ title: 'Leak' });
  });

  it('change one by one, and null removes one', async () => {
    const { id } = await create({ customFields: { shift: 'day', free: 'text' } });
    const fields = { downtime: 2, shift: null, priority: '2' };
    const { body } = await api.patch(`${notes}/${id}`, { fields });
    expect(body.data).toMatchObject({ priority: '2', customFields: { downtime: '2', free: 'text' } });
    const history = (await api.get(`${notes}/${id}/history`)).body.data.items;
    expect(history.map(({ field }: { field: string }) => field)).toEqual([
      null,
      'priority',
      'fields.shift',
      'fields.downtime',
    ]);
    await api.patch(`${notes}/${id}`, { customFields: { downtime: '2', free: 'other' } });
    expect((await api.get(`${notes}/${id}/history`)).body.data.items.at(-1)).toMatchObject({
      field: 'customFields',
      from: { free: 'text' },
      to: { free: 'other' },
    });
  });

  it('of a form are not rounded either', async () => {
    const send = (fields: string) => {
      const form = new FormData();
      form.set('title', 'Leak');
      form.set('fields', fields);
      return fetch(services[0]!.baseUrl + notes, { method: 'POST', headers: { 'X-API-Key': me.apiKey }, body: form });
    };
    for (const [fields, status] of [
      ['{"downtime":0.1234567890123456789}', 422],
      ['{"downtime":12345678901234567891}', 422],
      ['{"downtime":2.5}', 201],
    ] as const)
      expect([fields, (await send(fields)).status]).toEqual([fields, status]);
  });

  it('are rejected if they are sent twice, also if one is stored', async () => {
    const { id } = await create({ priority: '1' });
    const twice = await api.patch(`${notes}/${id}`, { priority: '1', fields: { priority: '2' } });
    expect(errorsOf(twice)).toEqual([422, 'invalid_note', 'fields.priority duplicate']);
  });

  it('that are the text null are removed by null', async () => {
    const fields = [{ key: 'remark', name: 'Remark', type: 'text' }];
    expect((await api.put(`${workspace}/note-fields`, { fields })).status).toBe(200);
    const { id } = await create({ fields: { remark: 'null' } });
    expect((await api.patch(`${notes}/${id}`, { fields: { remark: null } })).body.data.customFields).toEqual({});
  });

  it('are rejected with all errors and the permitted values', async () => {
    const answer = await api.post(notes, {
      status: 'nothing',
      priority: '9',
      assignee: 'nobody@example.com',
      customFields: { shift: 'noon', downtime: 'long' },
      fields: { stopped: 'perhaps', found: '2026-13-01', absent: 1, shift: 'day', cause: 'x' },
    });
    expect(errorsOf(answer)).toEqual([
      422,
      'invalid_note',
      'priority not_found',
      'assignee not_found',
      'customFields["shift"] type_mismatch',
      'customFields["downtime"] type_mismatch',
      'fields.stopped type_mismatch',
      'fields.found type_mismatch',
      'fields.absent unknown_field',
      'fields.shift duplicate',
      'status unknown_status',
      'cause not_of_type',
    ]);
    const messages = JSON.stringify(answer.body.details.errors);
    expect(messages).toContain('Its keys: \\"1\\", \\"2\\", \\"3\\", \\"4\\"');
    expect(messages).toContain('\\"day\\", \\"night\\"');
    expect(errorsOf(await api.post(notes, { priority: 'Medium' }))).toEqual([
      422,
      'invalid_note',
      'priority ambiguous_row',
    ]);
    const key = await api.post(`${workspace}/api-keys`, { name: 'No rows', scopes: ['write:projects'] });
    const caller = new Api(services[0]!.baseUrl).withKey(key.body.data.apiKey as string);
    const project = await api.post('/v1/api/projects', { name: 'Without rows' });
    const ambiguous = await caller.post('/v1/api/notes', { projectId: project.body.data.id, priority: 'Medium' });
    expect(ambiguous.body.message).toBe('priority: Several rows have the name "Medium". Send the key.');
    expect(errorsOf(await api.post(notes, { fields: { cause: 'x' } }))).toEqual([
      422,
      'invalid_note',
      'cause not_of_type',
    ]);
    expect(await list('limit=1')).toEqual([]);
  });

  it('have the limits of the field that they change', async () => {
    const texts = FIELDS.map((field) => (field.key === 'assignee' ? { ...field, type: 'text' } : field));
    expect((await api.put(`${workspace}/note-fields`, { fields: texts })).status).toBe(200);
    const fields = { assignee: '😀'.repeat(256), downtime: '1' };
    expect(errorsOf(await api.post(notes, { fields }))).toEqual([422, 'invalid_note', 'fields.assignee too_long']);
    const items = [{ fields }, { fields: { assignee: '😀'.repeat(255) } }];
    const { body } = await api.post(`${notes}/bulk?onError=continue`, { items });
    expect(body.data).toMatchObject({ created: 1, failed: 1 });
    const customFields = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`text${at}`, 'x']));
    const { id } = await create({ customFields });
    const tooMany = [
      await api.post(notes, { customFields, fields: { shift: 'day' } }),
      await api.patch(`${notes}/${id}`, { fields: { shift: 'day' } }),
    ];
    for (const answer of tooMany) expect(errorsOf(answer)).toEqual([422, 'invalid_note', 'fields invalid_field']);
  });

  it('are not rounded', async () => {
    const sent = '{"title":"Large","fields":{"downtime":9007199254740993}}';
    const headers = { 'Content-Type': 'application/json' };
    const post = (path: string, body: string) => api.send(path, { method: 'POST', headers, body });
    expect(errorsOf(await post(notes, sent))).toEqual([422, 'invalid_note', 'fields.downtime type_mismatch']);
    expect(errorsOf(await post(`${notes}/bulk`, `{"items":[${sent}]}`))).toEqual([
      422,
      'invalid_items',
      'items[0].fields.downtime type_mismatch',
    ]);
  });

  it('can be sent as they were read', async () => {
    const { id } = await create({ type: 'defect', priority: '3', fields: { secondPriority: '1', cause: 'wear' } });
    expect((await api.patch(`${notes}/${id}`, { type: 'note' })).status).toBe(200);
    expect((await api.delete(`${workspace}/cw/lists/Priorities/items/1`)).status).toBe(200);
    const fields = [{ key: 'priority', name: 'Priority', type: 'choice', choices: ['low'] }, ...FIELDS.slice(1)];
    expect((await api.put(`${workspace}/note-fields`, { fields })).status).toBe(200);
    const { customFields, priority } = await read(id as string);
    expect([customFields, priority]).toEqual([{ secondPriority: '1', cause: 'wear' }, '3']);
    const change = { priority, customFields: { ...customFields, shift: 'day' } };
    const { status, body } = await api.patch(`${notes}/${id}`, change);
    expect([status, body.data]).toMatchObject([200, change]);
    expect(errorsOf(await api.patch(`${notes}/${id}`, { priority: '4', fields: { cause: 'other' } }))).toEqual([
      422,
      'invalid_note',
      'priority type_mismatch',
      'cause not_of_type',
    ]);
  });

  it('can be sent as they were read, after their type, status, row or location was removed', async () => {
    const tables = Tables.of(services[0]!, me);
    const locations = ['Halls', 'Yards'].map((name) => ({ name, columns: [text('Code')], items: [{ code: 'L' }] }));
    expect((await tables.bulk('locations', locations)).status).toBe(201);
    const note = { externalId: 'N', type: 'defect', status: 'in_progress', priority: '1', location: 'L' };
    const more = { title: 'Leak', locationKey: 'Halls', asset: 'gone', fields: { cause: 'wear' } };
    expect(
      (await tables.bulk('assets', { name: 'Pumps', columns: [text('Code')], items: [{ code: 'gone' }] })).status,
    ).toBe(201);
    const { id } = await create({ ...note, ...more });
    const renamed = await tables.bulk('lists', { name: 'Priorities', items: [{ code: '5', name: '1', level: 5 }] });
    expect(renamed.status).toBe(200);
    for (const path of ['lists/Priorities/items/1', 'assets/Pumps/items/gone'])
      expect((await api.delete(`${workspace}/cw/${path}`)).status).toBe(200);
    const fields = FIELDS.map(({ types: _, ...field }) => field);
    expect((await api.put(`${workspace}/note-fields`, { fields })).status).toBe(200);
    expect((await api.put(`${workspace}/note-types`, { types: TYPES.slice(0, 1) })).status).toBe(200);
    const statuses = [{ key: 'new', category: 'open' }];
    expect((await api.put(`${workspace}/note-statuses`, { statuses })).status).toBe(200);
    const sent = [{ ...note, asset: 'gone', title: 'Changed' }];
    const { body } = await api.post(`${notes}/bulk`, { items: sent });
    expect([body.details, body.data?.updated]).toEqual([undefined, 1]);
    expect(await read(id as string)).toMatchObject({
      type: 'defect',
      status: 'in_progress',
      priority: '1',
      title: 'Changed',
      location: { table: 'Halls', key: 'L' },
      asset: { key: 'gone' },
    });
    const others = { type: 'request', status: 'closed', location: 'X', asset: 'Y' };
    expect(errorsOf(await api.patch(`${notes}/${id}`, others))).toEqual([
      ...[422, 'invalid_note', 'location not_found', 'asset not_found', 'type unknown_type', 'status unknown_status'],
    ]);
  });

  it('are neither filtered by columns of rows, nor shown with titles, without the scope of tables', async () => {
    const { id } = await create({ priority: '2', assignee: me.userId });
    const { apiKey } = await services[0]!.operator<{ apiKey: string }>(
      ...['api-key', 'create', '--user', me.userId, '--workspace', me.workspaceId],
      ...['--scope', 'write:projects'],
    );
    const limited = new Api(services[0]!.baseUrl).withKey(apiKey);
    const path = '/v1/api/notes';
    expect((await limited.get(`${path}?filter[priority]=2`)).body.data.items).toMatchObject([{ id }]);
    expect(errorsOf(await limited.get(`${path}?filter[priority.level][gt]=1`)).slice(0, 2)).toEqual([
      400,
      'invalid_query',
    ]);
    const expanded = (await limited.get(`${path}/${id}?expand=fields`)).body.data.fields;
    expect([expanded.priority, expanded.assignee]).toEqual([
      { key: '2', title: null },
      { id: me.userId, title: null },
    ]);
    const project = await limited.post('/v1/api/projects', { name: 'Plant', workspaceId: me.workspaceId });
    const rejected = await limited.post(path, { projectId: project.body.data.id, title: 'x', priority: '9' });
    expect(rejected.body.details.errors).toMatchObject([
      { code: 'not_found', message: expect.not.stringContaining('"1"') },
    ]);
    expect((await api.get(`${path}/${id}?expand=fields`)).body.data.fields.priority.title).toBe('High');
  });

  it('are rows of a table that cannot be dropped', async () => {
    const table = `${workspace}/cw/lists/Priorities?confirm=Priorities`;
    const answer = await api.delete(table);
    expect(errorsOf(answer)).toEqual([409, 'table_in_use']);
    expect(answer.body.message).toContain('"priority", "secondPriority"');
    expect((await create({ priority: '1' })).priority).toBe('1');
    const fields = FIELDS.filter(({ type }) => type !== 'row');
    expect((await api.put(`${workspace}/note-fields`, { fields })).status).toBe(200);
    expect((await api.delete(table)).status).toBe(200);
  });

  it('follow a rename of the row', async () => {
    const { id, version } = await create({ priority: '1' });
    const renamed = await api.post(`${workspace}/cw/lists/Priorities/items/1/rename`, { key: 'A' });
    expect(renamed.status).toBe(200);
    expect(await read(id as string)).toMatchObject({
      priority: 'A',
      version: version + 1,
      fields: { priority: { key: 'A', title: 'Very high' } },
    });
    const history = (await api.get(`${notes}/${id}/history`)).body.data.items;
    expect(history.at(-1)).toMatchObject({ field: 'priority', from: '1', to: 'A', actor: me.userId });
  });

  it('show a restricted caller the key of a hidden row, but not its title', async () => {
    const { id } = await create({ priority: '1' });
    const tables = [{ entity: 'lists', table: 'Priorities', filter: { code: '2' } }];
    const policy = await api.post(`${workspace}/access-policies`, { name: 'Second only', tables });
    expect([policy.status, policy.body.details]).toEqual([201, undefined]);
    const key = await api.post(`${workspace}/api-keys`, { name: 'Key', policyId: policy.body.data.id });
    const caller = new Api(services[0]!.baseUrl).withKey(key.body.data.apiKey as string);
    const { fields } = (await caller.get(`${notes}/${id}?expand=fields`)).body.data;
    expect(fields.priority).toEqual({ key: '1', title: null });
    const rejected = await caller.post(notes, { priority: 'Very high' });
    expect(errorsOf(rejected)).toEqual([422, 'invalid_note', 'priority not_found']);
    expect(JSON.stringify(rejected.body)).toContain('Its keys: \\"2\\".');
    expect((await caller.get(`${notes}?filter[priority.level]=1`)).body.data.items).toEqual([]);
    expect((await caller.get(`${notes}?filter[priority]=1`)).body.data.items).toHaveLength(1);
  });
});

describe('types of notes', () => {
  beforeEach(configure);

  it('require fields when a note is created, cleared or gets the type', async () => {
    expect(errorsOf(await api.post(notes, { type: 'defect', description: 'x' }))).toEqual([
      422,
      'invalid_note',
      'cause required',
      'title required',
      'priority required',
    ]);
    const { id } = await create({ type: 'Defect', priority: '1', fields: { cause: 'wear' } });
    expect(errorsOf(await api.patch(`${notes}/${id}`, { title: null }))).toEqual([
      422,
      'invalid_note',
      'title required',
    ]);
    expect(errorsOf(await api.patch(`${notes}/${id}`, { customFields: {} }))).toEqual([
      422,
      'invalid_note',
      'cause required',
    ]);
    const plain = await create({});
    expect(errorsOf(await api.patch(`${notes}/${plain.id}`, { type: 'defect' }))).toEqual([
      422,
      'invalid_note',
      'cause required',
      'priority required',
    ]);
    expect((await api.patch(`${notes}/${id}`, { description: 'more' })).status).toBe(200);
  });

  it('permit only their statuses and transitions, by the role of the caller', async () => {
    const { id } = await create({ type: 'defect', priority: '1', fields: { cause: 'wear' } });
    expect(errorsOf(await api.patch(`${notes}/${id}`, { status: 'on_hold' }))).toEqual([
      422,
      'invalid_note',
      'status unknown_status',
    ]);
    const forbidden = await api.patch(`${notes}/${id}`, { status: 'closed' });
    expect(errorsOf(forbidden)).toEqual([409, 'invalid_transition', 'status invalid_transition']);
    expect(forbidden.body.message).toBe(
      'A note of the type "defect" cannot change from "open" to "closed". Permitted: in_progress.',
    );
    const externalReferences = [1, 2].map((at) => ({ system: 'SAP', id: `${at}` }));
    await create({ externalReferences });
    const wrong = { status: 'closed', fields: { downtime: 'long' }, externalReferences };
    const all = [
      ...['fields.downtime type_mismatch', 'status invalid_transition'],
      ...externalReferences.map(() => 'externalReferences reference_taken'),
    ];
    expect(errorsOf(await api.patch(`${notes}/${id}`, wrong))).toEqual([422, 'invalid_note', ...all]);
    expect(errorsOf(await api.post(notes, { priority: '9', externalReferences }))).toEqual([
      ...[422, 'invalid_note', 'priority not_found', ...all.slice(2)],
    ]);
    expect((await api.patch(`${notes}/${id}`, { status: 'in_progress' })).status).toBe(200);
    expect((await api.patch(`${notes}/${id}`, { status: 'In Progress', description: 'same' })).status).toBe(200);
    const editor = await admit('editor');
    const rejected = await editor.patch(`${notes}/${id}`, { status: 'closed' });
    expect(errorsOf(rejected)).toEqual([409, 'invalid_transition', 'status invalid_transition']);
    expect(rejected.body.message).toBe(
      'A note of the type "defect" cannot change from "in_progress" to "closed" without the role "owner". Permitted: open.',
    );
    // A change to another type and back does not avoid the transition.
    const asNote = await editor.patch(`${notes}/${id}`, { type: 'note', status: 'closed' });
    expect(errorsOf(asNote)).toEqual([409, 'invalid_transition', 'status invalid_transition']);
    expect((await editor.patch(`${notes}/${id}`, { type: 'note' })).status).toBe(200);
    expect((await editor.patch(`${notes}/${id}`, { status: 'closed' })).status).toBe(200);
    for (const change of [{ type: 'defect' }, { type: 'defect', status: 'closed' }]) {
      const back = await editor.patch(`${notes}/${id}`, change);
      expect(errorsOf(back)).toEqual([409, 'invalid_transition', 'status invalid_transition']);
      expect(back.body.message).toBe(
        'A note with the status "closed" cannot get the type "defect" without the role "owner". Permitted: open, in_progress.',
      );
    }
    expect((await editor.patch(`${notes}/${id}`, { type: 'defect', status: 'in_progress' })).status).toBe(200);
    expect((await api.patch(`${notes}/${id}`, { status: 'closed' })).body.data.closedAt).not.toBeNull();
    // A type that protects the status as well permits it.
    const types = [...TYPES, { ...TYPES[1], key: 'damage', name: 'Damage' }];
    expect((await api.put(`${workspace}/note-types`, { types })).status).toBe(200);
    const fields = FIELDS.map((field) => (field.key === 'cause' ? { ...field, types: ['defect', 'damage'] } : field));
    expect((await api.put(`${workspace}/note-fields`, { fields })).status).toBe(200);
    expect((await editor.patch(`${notes}/${id}`, { type: 'damage' })).body.data.status).toBe('closed');
  });

  it('do not retain notes in a status that was removed', async () => {
    const { id } = await create({ type: 'defect', priority: '1', status: 'in_progress', fields: { cause: 'wear' } });
    const statuses = ['open', 'closed'].map((key) => ({ key, category: key === 'open' ? 'open' : 'done' }));
    const [note, defect] = TYPES;
    const transitions = [{ from: 'open', to: 'closed', role: 'owner' }];
    const types = [note, { ...defect, statuses: ['open', 'closed'], transitions }];
    expect((await api.put(`${workspace}/note-types`, { types })).status).toBe(200);
    expect(errorsOf(await api.put(`${workspace}/note-statuses`, { statuses }))).toEqual([200, undefined]);
    expect(await list('status=In%20Progress')).toMatchObject([{ id, status: 'in_progress' }]);
    expect((await api.patch(`${notes}/${id}`, { status: 'open' })).body.data.status).toBe('open');
  });

  it('permit one of two concurrent changes of the status', async () => {
    const { id } = await create({ type: 'defect', priority: '1', fields: { cause: 'wear' } });
    expect((await api.patch(`${notes}/${id}`, { status: 'in_progress' })).status).toBe(200);
    const [closed, reopened] = await Promise.all([
      api.patch(`${notes}/${id}`, { status: 'closed' }),
      other.patch(`${notes}/${id}`, { status: 'open' }),
    ]);
    // From either result no transition leads to the other one.
    expect([closed.status, reopened.status].sort()).toEqual([200, 409]);
  });
});

describe('many notes', () => {
  beforeEach(configure);

  const bulk = (items: object[], query = '') => api.post(`${notes}/bulk${query}`, { items });

  it('are created and updated by external ID in one request', async () => {
    const items = [
      { externalId: 'A', title: 'First', priority: '1' },
      { externalId: 'B', title: 'Second' },
      { title: 'Third' },
    ];
    const dryRun = await bulk(items, '?dryRun=true');
    expect([dryRun.status, dryRun.body.data]).toMatchObject([200, { created: 3, dryRun: true }]);
    expect(await list('limit=1')).toEqual([]);
    const first = await bulk(items);
    expect([first.status, first.body.data]).toMatchObject([201, { received: 3, created: 3, updated: 0, failed: 0 }]);
    const second = await bulk([{ ...items[0], title: 'Changed' }, items[1]!, { externalId: 'C' }]);
    expect(second.body.data).toMatchObject({ created: 1, updated: 1, unchanged: 1 });
    expect((await list('sort=createdAt')).map(({ title, number }) => [title, number])).toEqual([
      ['Changed', 1],
      ['Second', 2],
      ['Third', 3],
      [null, 4],
    ]);
  });

  it('are stored together or not at all, with every error', async () => {
    const items = [
      { externalId: 'A', title: 'Valid' },
      { externalId: 'B', priority: '9', status: 'nothing', location: 'absent' },
      { externalId: 'A', title: 'Twice' },
      { title: 5 },
      { type: 'defect', title: 'x' },
    ];
    const errors = [
      'items[0].externalId duplicate',
      'items[1].location not_found',
      'items[1].priority not_found',
      'items[1].status unknown_status',
      'items[2].externalId duplicate',
      'items[3].title invalid_field',
      'items[4].cause required',
      'items[4].priority required',
    ];
    expect(errorsOf(await bulk(items))).toEqual([422, 'invalid_items', ...errors]);
    expect(errorsOf(await bulk([items[0]!, items[1]!, items[4]!]))).toEqual([
      422,
      'invalid_items',
      errors[1],
      errors[2],
      'items[1].status unknown_status',
      'items[2].cause required',
      'items[2].priority required',
    ]);
    expect(await list('limit=1')).toEqual([]);
    const { status, body } = await bulk([...items, { title: 'Valid' }], '?onError=continue');
    expect([status, body.data]).toMatchObject([207, { created: 1, failed: 5 }]);
    expect((await list('limit=10')).map(({ title, number }) => [title, number])).toEqual([['Valid', 1]]);
  });

  it('are created once by concurrent requests on two instances', async () => {
    const items = Array.from({ length: 30 }, (_, at) => ({ externalId: `N-${at}`, title: `Note ${at}` }));
    const answers = await Promise.all([
      bulk(items),
      other.post(`${notes}/bulk`, { items: items.toReversed() }),
      bulk(items.slice(10)),
    ]);
    expect(answers.map(({ status }) => status >= 200 && status < 300)).toEqual([true, true, true]);
    const created = answers.reduce((sum, { body }) => sum + body.data.created, 0);
    const listed = await list('limit=100');
    expect([created, listed.length]).toEqual([30, 30]);
    expect(new Set(listed.map(({ number }) => number)).size).toBe(30);
  });

  it('are changed by a filter, the number first', async () => {
    await bulk(['1', '2', '1'].map((priority, at) => ({ externalId: `${at}`, title: `Note ${at}`, priority })));
    const change = { assignee: me.userId, status: 'in_progress' };
    expect(errorsOf(await api.patch(notes, change))).toEqual([400, 'filter_required']);
    for (const parameter of ['limit', 'archived'])
      expect(errorsOf(await api.patch(`${notes}?status=open&${parameter}=true`, change))).toEqual([
        400,
        'invalid_request',
        `${parameter} unknown_field`,
      ]);
    const path = `${notes}?filter[priority.level][lte]=1`;
    const dryRun = await api.patch(`${path}&dryRun=true`, change);
    expect(dryRun.body.data).toMatchObject({ matched: 2, changed: 2, unchanged: 0, failed: 0, dryRun: true });
    expect(await list('status=in_progress')).toEqual([]);
    expect((await api.patch(path, change)).body.data).toMatchObject({ matched: 2, changed: 2, dryRun: false });
    expect((await api.patch(path, change)).body.data).toMatchObject({ matched: 2, changed: 0, unchanged: 2 });
    expect((await list('assignee=me')).map(({ title }) => title).sort()).toEqual(['Note 0', 'Note 2']);
    const shown = await api.patch(`${notes}?priority=1&dryRun=true`, { type: 'defect' });
    expect([shown.status, shown.body.data]).toMatchObject([200, { matched: 2, changed: 0, failed: 2 }]);
    expect(shown.body.data.errors).toHaveLength(2);
    const rejected = await api.patch(`${notes}?priority=1`, { type: 'defect' });
    expect(errorsOf(rejected)).toEqual([
      422,
      'invalid_items',
      expect.stringMatching(/^notes\[\d\]\.cause required$/),
      expect.stringMatching(/^notes\[\d\]\.cause required$/),
    ]);
    const partial = await api.patch(`${notes}?type=note&onError=continue`, {
      type: 'defect',
      fields: { cause: 'wear' },
    });
    expect([partial.status, partial.body.data]).toMatchObject([200, { matched: 3, changed: 3, failed: 0 }]);
    const failed = await api.patch(`${notes}?type=defect&onError=continue`, {
      status: 'closed',
      fields: { cause: 'x' },
    });
    expect([failed.status, failed.body.data]).toMatchObject([207, { matched: 3, changed: 2, failed: 1 }]);
    expect(failed.body.data.errors).toMatchObject([{ field: 'notes[2].status', code: 'invalid_transition' }]);
  });

  it('are not changed by a request that lacks the value of a filter', async () => {
    await create({ priority: '1' });
    const change = (query: string) => api.patch(`${notes}?${query}`, { status: 'in_progress' });
    const names = ['status', 'projectId', 'tagId', 'tourId', 'dueFrom', 'updatedTo', 'location', 'externalId', 'q'];
    for (const name of names)
      for (const query of [`${name}=`, `${name}=&type=note`])
        expect(errorsOf(await change(query))).toEqual([400, 'invalid_request', `${name} invalid_field`]);
    for (const query of ['projectId=x', 'tagId=x', 'dueFrom=x', 'number=x', 'source=x', 'onError=x'])
      expect(errorsOf(await change(`type=note&${query}`)).slice(0, 2)).toEqual([400, 'invalid_request']);
    for (const name of ['locationKey', 'assetKey'])
      for (const answer of [await change(`${name}=Sites&type=note`), await api.get(`${notes}?${name}=Sites`)])
        expect(errorsOf(answer)).toEqual([400, 'invalid_request', `${name} required`]);
    for (const filter of ['{}', '{"and":[{}]}'])
      expect(errorsOf(await change(`type=note&filter=${filter}`)).slice(0, 2)).toEqual([400, 'invalid_query']);
    for (const path of ['filter[priority]', 'filter[priority][ne]', 'filter[status][notIn]', 'filter[downtime]'])
      expect(errorsOf(await change(`type=note&${path}=`))).toEqual([400, 'invalid_query', `${path} invalid_value`]);
    const combined = `filter=${encodeURIComponent('{"or":[{"priority":" "}]}')}`;
    expect(errorsOf(await change(combined))).toEqual([400, 'invalid_query', 'filter[or][0][priority] invalid_value']);
    expect((await change('filter[category][null]=true&dryRun=true')).body.data).toMatchObject({ matched: 1 });
    expect(await list('status=in_progress')).toEqual([]);
  });

  it('refer to rows while their keys change', async () => {
    const tables = Tables.of(services[0]!, me);
    const columns = [text('Key'), column('Parent', 'hierarchyParent')];
    const sites = { name: 'Sites', columns, items: [{ key: 'AT0' }] };
    expect((await tables.bulk('locations', sites)).status).toBe(201);
    const items = Array.from({ length: 20 }, (_, at) => ({ externalId: `N-${at}`, title: 'Leak' }));
    const write = (location: string) => bulk([{ title: 'First' }, ...items.map((item) => ({ ...item, location }))]);
    expect((await write('AT0')).status).toBe(201);
    for (let at = 0; at < 10; at++) {
      const [written, renamed] = await Promise.all([
        write(`AT${at}`),
        other.post(`${workspace}/cw/locations/Sites/items/AT${at}/rename`, { key: `AT${at + 1}` }),
      ]);
      // If the row has the new key already, nothing is stored.
      expect([at, written.status, renamed.status]).toEqual([at, written.status === 422 ? 422 : 201, 200]);
    }
    expect(await list('location=AT10&limit=100')).toHaveLength(items.length);
  });
});

describe('queries', () => {
  beforeEach(async () => {
    await configure();
    const items = [
      { priority: '1', fields: { downtime: 0.5, stopped: false }, dueDate: '2026-12-01T09:00:00Z' },
      { priority: '1', fields: { downtime: 3, stopped: true }, status: 'closed' },
      { priority: '3', fields: { shift: 'night', secondPriority: '1' } },
      {},
    ];
    const sent = items.map((item, at) => ({ externalId: `N${at}`, title: `Note ${at}`, ...item }));
    expect((await api.post(`${notes}/bulk`, { items: sent })).status).toBe(201);
  });

  const titles = async (query: string) => (await list(`sort=createdAt&${query}`)).map(({ title }) => title.slice(5));

  it.each([
    ['filter[downtime][gt]=1', ['1']],
    ['filter[downtime][null]=true', ['2', '3']],
    ['filter[stopped]=false', ['0']],
    ['filter[priority.name][contains]=high', ['0', '1']],
    ['filter[secondPriority.name][contains]=high', ['2']],
    ['filter={"or":[{"shift":"night"},{"status":"closed"}]}', ['1', '2']],
    ['filter[dueDate]=2026-12-01', ['0']],
    ['filter[status][ne]=closed&priority=1', ['0']],
    ['filter[title][endsWith]=3&q=note', ['3']],
    ['type=note&filter[number][between]=2,3', ['1', '2']],
  ])('of a list: %s', async (query, expected) => {
    expect(await titles(query)).toEqual(expected);
  });

  it('find only texts of the type among those that are older than the field', async () => {
    const numbers = ['-2.5', ' 7 ', '1e3', '.5', '4e-320'];
    const dates = ['2024-02-29', '2024-12-31T23:59:59.999Z', '2000-02-29'];
    const others = [
      '1.7e308',
      '1.7e308',
      '1e999',
      '-1e999',
      '1e-400',
      '1e99999',
      'NaN',
      'Infinity',
      '0x1F',
      '1.5.2',
      '2024-02-30',
      '1900-02-29',
    ];
    others.push('0000-01-01', '2023-04-31', '2024-02-29T25:00:00Z', '2024-02-29\n', '10000-01-01', '٣', '-', '.', 'e1');
    const items = [...numbers, ...dates, ...others].map((value) => ({
      title: value,
      customFields: { measured: value, later: value },
    }));
    expect((await api.post(`${notes}/bulk`, { items })).body.data).toMatchObject({ failed: 0 });
    const fields = [
      { key: 'later', name: 'Later', type: 'date' },
      { key: 'measured', name: 'Measured', type: 'number' },
    ];
    expect((await api.put(`${workspace}/note-fields`, { fields })).status).toBe(200);
    const found = async (filter: string) => (await list(`limit=100&${filter}`)).map(({ title }) => title).sort();
    expect(await found('filter[measured][null]=false')).toEqual(numbers.toSorted());
    expect(await found('filter[later][null]=false')).toEqual(dates.toSorted());
    expect(await found('filter[measured][gt]=1')).toEqual([' 7 ', '1e3']);
    const { body } = await api.get(`${notes}/aggregate?group=source&measures=sum(measured),max(later)`);
    expect(Object.values(body.data.items[0].measures)).toEqual([1005, '2024-12-31T23:59:59.999Z']);
  });

  it('name an unknown field, and list the fields', async () => {
    for (const query of [
      '?filter[absent]=1',
      '/aggregate?group=absent',
      '/export?fields=absent',
      '/export?sort=absent',
    ]) {
      const answer = await api.get(`${notes}${query}`);
      expect([query, answer.status, answer.body.error]).toEqual([query, 400, 'invalid_query']);
      expect(answer.body.message).toMatch(
        / has no column "absent"\. Known columns: id, number, .*, downtime,.*cause\.$/,
      );
    }
  });

  it('find statuses and types in any letter case, and reject an external reference without a system', async () => {
    await create({ type: 'defect', status: 'in_progress', title: 'Defect', priority: '1', fields: { cause: 'wear' } });
    for (const query of [
      'type=Defect',
      'filter[type]=DEFECT',
      'filter[status]=In Progress',
      'filter[status][in]=IN-PROGRESS',
    ])
      expect([query, (await list(query)).map(({ title }) => title)]).toEqual([query, ['Defect']]);
    const { body } = await api.get(`${notes}/aggregate?group=type&filter[status]=In Progress`);
    expect(body.data.items).toMatchObject([{ group: { type: 'defect' } }]);
    expect(errorsOf(await api.get(`${notes}?externalReference=SAP`))).toEqual([
      400,
      'invalid_request',
      'externalReference invalid_field',
    ]);
  });

  it('find persons by ID and email address, whichever a note has', async () => {
    const { email } = (await api.get(`/v1/api/users/${me.userId}`)).body.data;
    const texts = FIELDS.filter(({ key }) => key !== 'assignee');
    expect((await api.put(`${workspace}/note-fields`, { fields: texts })).status).toBe(200);
    await create({ title: 'Older', assignee: email, reporter: email });
    const fields = [...FIELDS, { key: 'reporter', name: 'Reporter', type: 'user' }];
    expect((await api.put(`${workspace}/note-fields`, { fields })).status).toBe(200);
    await create({ title: 'Newer', assignee: email, reporter: email });
    for (const name of ['assignee', 'reporter'])
      for (const value of ['me', me.userId, email.toUpperCase()])
        expect([name, value, (await list(`sort=createdAt&${name}=${value}`)).map(({ title }) => title)]).toEqual([
          ...[name, value, ['Older', 'Newer']],
        ]);
    const groups = await api.get(`${notes}/aggregate?group=title&assignee=${email}`);
    expect(groups.body.data.items).toHaveLength(2);
    await api.patch(`${notes}?assignee=${email}`, { assignee: me.userId });
    const persons = await api.get(`${notes}/aggregate?group=assignee&assignee=me`);
    expect(persons.body.data.items).toMatchObject([{ group: { assignee: me.userId } }]);
  });

  it('group notes and count them', async () => {
    const group = async (query: string) =>
      (await api.get(`${notes}/aggregate?${query}`)).body.data.items.map(({ group: of, measures }: any) => [
        Object.values(of),
        Object.values(measures),
      ]);
    expect(await group('group=status,priority')).toEqual([
      [['closed', '1'], [1]],
      [['open', '1'], [1]],
      [['open', '3'], [1]],
      [['open', null], [1]],
    ]);
    expect(await group('group=priority.name&measures=count,sum(downtime)&sort=-count')).toEqual([
      [['Very high'], [2, 3.5]],
      [[null], [1, null]],
      [['Medium'], [1, null]],
    ]);
  });

  it('select the notes of groups and exports as those of a list', async () => {
    const columns = [text('Key'), column('Parent', 'hierarchyParent')];
    const items = [{ key: 'P1' }, { key: 'P1-A', parent: 'P1' }, { key: 'P2' }];
    expect((await Tables.of(services[0]!, me).bulk('locations', { name: 'Plants', columns, items })).status).toBe(201);
    await create({ title: 'Pump leaks', location: 'P1-A', assignee: me.userId, priority: '1' });
    await create({ title: "Pump isn't quiet", location: 'P1', priority: '2' });
    await create({ title: 'Pump leaks', location: 'P2', priority: '2' });
    for (const [query, titles] of [
      ['under=P1', ['Pump leaks', "Pump isn't quiet"]],
      ['under=P1&locationKey=Plants&q=leak', ['Pump leaks']],
      ['under=P1&assignee=me', ['Pump leaks']],
      [`q=${encodeURIComponent("isn't")}`, ["Pump isn't quiet"]],
      ['under=P1&filter[priority]=2', ["Pump isn't quiet"]],
      ['q=nothing', []],
    ] as const) {
      const groups = await api.get(`${notes}/aggregate?group=title&sort=-title&${query}`);
      expect([query, groups.body.data.items.map(({ group }: any) => group.title)]).toEqual([query, titles]);
      const { body } = await other.send(`${notes}/export?fields=title&sort=-title&${query}`, {
        headers: { Accept: 'text/csv' },
      });
      const [, ...lines] = (body as string).trimEnd().split('\n');
      expect(lines.map((line) => line.slice(line.indexOf(',') + 1))).toEqual(titles);
    }
    const unknown = await api.get(`${notes}/aggregate?under=P1&locationKey=Priorities`);
    expect([unknown.status, unknown.body.error]).toEqual([422, 'unknown_table']);
    expect(errorsOf(await api.get(`${notes}/export?locationKey=Plants`))).toEqual([
      400,
      'invalid_request',
      'locationKey required',
    ]);
    const first = await api.get(`${notes}/aggregate?group=title&limit=1&under=P1`);
    const cursor = encodeURIComponent(first.body.data.nextCursor);
    expect((await api.get(`${notes}/aggregate?group=title&limit=1&under=P1&cursor=${cursor}`)).status).toBe(200);
    const others = await api.get(`${notes}/aggregate?group=title&limit=1&under=P2&cursor=${cursor}`);
    expect([others.status, others.body.error]).toEqual([400, 'invalid_cursor']);
  });

  it('export notes as JSON lines and CSV', async () => {
    const query = 'fields=title,priority,downtime&sort=number&filter[priority]=1';
    const lines = await api.get(`${notes}/export?${query}`, { Accept: 'application/x-ndjson' });
    const rows = (lines.body as string)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(rows).toMatchObject([
      { title: 'Note 0', priority: '1', downtime: 0.5 },
      { title: 'Note 1', priority: '1', downtime: 3 },
    ]);
    const csv = await api.get(`${notes}/export?${query}`, { Accept: 'text/csv' });
    expect((csv.body as string).split('\n')[0]).toContain('title,priority,downtime');
    expect((csv.body as string).trimEnd().split('\n')).toHaveLength(3);
  });
});

describe('an export', () => {
  const exportAs = async (type: string, query = '') =>
    (await api.get(`${notes}/export?sort=number&${query}`, { Accept: type })).body as string;
  const toObjects = (lines: string) =>
    lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('contains texts that are not of the type of their field', async () => {
    const sent = { downtime: '=about 3 "hours"\n\\', stopped: 'perhaps', found: 'später' };
    await create({ externalId: 'A', customFields: sent });
    await create({ externalId: 'B', customFields: { downtime: '-2.5', stopped: 'true', found: '2026-01-31' } });
    await configure();
    const columns = 'fields=externalId,downtime,stopped,found';
    const rows = toObjects(await exportAs('application/x-ndjson', columns));
    const typed = { externalId: 'B', downtime: -2.5, stopped: true, found: '2026-01-31' };
    expect(rows).toMatchObject([{ externalId: 'A', ...sent }, typed]);
    const csv = await exportAs('text/csv', columns);
    expect(csv).toContain('A,"\'=about 3 ""hours""\n\\",perhaps,später\n');
    expect(csv).toContain('B,-2.5,true,2026-01-31\n');
    // An import of the export changes nothing, and a note with such a value is not created.
    const items = rows.map(({ externalId, id: _, ...fields }) => ({ externalId, fields }));
    expect((await api.post(`${notes}/bulk`, { items })).body.data).toMatchObject({ unchanged: 2 });
    expect(errorsOf(await api.post(`${notes}/bulk`, { items: [{ fields: sent }] }))).toEqual([
      ...[422, 'invalid_items'],
      ...['downtime', 'stopped', 'found'].map((key) => `items[0].fields.${key} type_mismatch`),
    ]);
  });

  it('as JSON lines of all fields contains other custom fields and external references', async () => {
    await configure();
    const externalReferences = [{ system: 'SAP', id: '1', url: null }];
    const note = {
      externalId: 'A',
      externalReferences,
      customFields: { downtime: '1', 'free "ü"\t\\': 'a\n"b"\u0001' },
    };
    await create(note);
    await create({ externalId: 'B' });
    const [first, second] = toObjects(await exportAs('application/x-ndjson'));
    const { downtime: _, ...others } = note.customFields;
    expect(first).toMatchObject({ downtime: 1, externalReferences, customFields: others });
    expect(second).toMatchObject({ externalReferences: [], customFields: {} });
    expect(second).not.toHaveProperty('watchers');
    const { externalId, customFields, downtime } = first;
    const item = { externalId, customFields, externalReferences: first.externalReferences, fields: { downtime } };
    expect((await api.post(`${notes}/bulk`, { items: [item] })).body.data).toMatchObject({ unchanged: 1 });
    expect((await exportAs('text/csv')).split('\n')[0]).not.toMatch(/customFields|externalReferences/);
  });
});

describe('the entity set of notes in the OData feed', () => {
  let feed: ODataFeed;

  beforeEach(async () => {
    await configure();
    feed = new ODataFeed(services[0]!, me);
    const items = [
      {
        priority: '1',
        fields: { downtime: 0.5, stopped: false, found: '2026-01-31' },
        dueDate: '2026-12-01T09:00:00.5Z',
      },
      { priority: '1', fields: { downtime: 3, stopped: true, shift: 'day' }, status: 'closed' },
      { priority: '3', fields: { shift: 'night' } },
      {},
    ];
    const sent = items.map((item, at) => ({ externalId: `N${at}`, title: `Note ${at}`, ...item }));
    expect((await api.post(`${notes}/bulk`, { items: sent })).status).toBe(201);
  });

  const titlesOf = (body: any) => body.value.map(({ title }: { title: string }) => title.slice(5));

  it('has the fields of the workspace as properties, and rows as navigation', async () => {
    const fields = [
      ...FIELDS,
      { key: 'priorityRow', name: 'Text', type: 'text' },
      { key: 'and', name: 'And', type: 'number' },
    ];
    expect((await api.put(`${workspace}/note-fields`, { fields })).status).toBe(200);
    const { text: xml } = await feed.get('/$metadata');
    const type = /<EntityType Name="notes"[^]*?<\/EntityType>/.exec(xml)![0].split('\n');
    for (const line of [
      '<Key><PropertyRef Name="id"/></Key>',
      '<Property Name="id" Type="Edm.String" Nullable="false"/>',
      '<Property Name="number" Type="Edm.Double"/>',
      '<Property Name="dueDate" Type="Edm.DateTimeOffset" Precision="3"/>',
      '<Property Name="priority" Type="Edm.String"/>',
      '<Property Name="downtime" Type="Edm.Double"/>',
      '<Property Name="stopped" Type="Edm.Boolean"/>',
      '<Property Name="found" Type="Edm.Date"/>',
      '<Property Name="priorityRow" Type="Edm.String"/>',
      '<Property Name="_and" Type="Edm.Double"/>',
      '<NavigationProperty Name="priorityRow_" Type="Atrium.lists_Priorities"/>',
    ])
      expect(type).toContain(line);
    expect(xml).toContain('<NavigationPropertyBinding Path="priorityRow_" Target="lists_Priorities"/>');
    const { body } = await feed.get('/notes', { $filter: "priorityRow_/level eq 3 and contains(title,'2')" });
    expect([titlesOf(body), body.value[0]]).toMatchObject([['2'], { _and: null, priorityRow: null, priority: '3' }]);
  });

  it.each([
    ['downtime gt 1', ['1']],
    ['downtime eq null', ['2', '3']],
    ['stopped eq false', ['0']],
    ["priorityRow/name eq 'Very high'", ['0', '1']],
    ["shift eq 'night' or status eq 'closed'", ['1', '2']],
    ['found eq 2026-01-31', ['0']],
    ['dueDate eq 2026-12-01', ['0']],
    ['dueDate gt 2026-12-01T09:00:00Z', ['0']],
    ['dueDate lt 2026-12-01T11:00:00.5+02:00', []],
    ['dueDate le 2026-12-01T11:00:00.5+02:00 and dueDate ne 2026-12-02T00:00:00Z', ['0']],
    ["tolower(title) eq 'note 3'", ['3']],
    ["not (number in (1,2)) and source eq 'workspace'", ['2', '3']],
  ])('selects by %s', async ($filter, expected) => {
    const { status, body } = await feed.get('/notes', { $filter, $orderby: 'number', $count: 'true' });
    expect([status, body['@odata.count'], titlesOf(body)]).toEqual([200, expected.length, expected]);
    expect((await feed.get('/notes/$count', { $filter })).text).toBe(String(expected.length));
  });

  it('contains instants whole', async () => {
    const { body } = await feed.get('/notes', { $filter: 'number eq 1', $select: 'dueDate,createdAt,closedAt' });
    const [{ createdAt }] = await list('filter[number]=1');
    expect(body.value).toEqual([
      expect.objectContaining({ dueDate: '2026-12-01T09:00:00.500Z', createdAt, closedAt: null }),
    ]);
  });

  it('is sorted, selected, expanded, skipped, limited and paged by links', async () => {
    const options = { $orderby: 'priority desc,number desc', $select: 'title,downtime', $skip: '1', $top: '3' };
    const first = await feed.get('/notes', { ...options, $count: 'true' }, { prefer: 'odata.maxpagesize=2' });
    expect(first.body).toMatchObject({
      '@odata.count': 4,
      value: [
        { title: 'Note 2', downtime: null },
        { title: 'Note 1', downtime: 3 },
      ],
    });
    const rest = await feed.get(first.body['@odata.nextLink'] as string, {}, { prefer: 'odata.maxpagesize=2' });
    expect([rest.body.value, rest.body['@odata.nextLink']]).toEqual([[{ title: 'Note 0', downtime: 0.5 }], undefined]);
    const expanded = { $expand: 'priorityRow($select=name)', $select: 'id', $orderby: 'number' };
    const { body } = await feed.get('/notes', expanded);
    expect(body.value.map((each: any) => each.priorityRow)).toEqual([
      { name: 'Very high' },
      { name: 'Very high' },
      { name: 'Medium' },
      null,
    ]);
    const one = `/notes('${body.value[2].id}')`;
    expect((await feed.get(one)).body).toMatchObject({
      title: 'Note 2',
      shift: 'night',
      createdAt: expect.any(String),
    });
    expect((await feed.get(`${one}/priorityRow`)).body).toMatchObject({ code: '3', name: 'Medium', level: 3 });
    expect((await feed.get("/notes('absent')")).status).toBe(404);
  });

  it('has neither delta links nor archived notes, nor texts that are not of the type', async () => {
    const { body, headers } = await feed.get('/notes', { $orderby: 'number' }, { prefer: 'odata.track-changes' });
    expect([body['@odata.deltaLink'], headers.get('etag'), headers.get('preference-applied')]).toEqual([
      undefined,
      null,
      null,
    ]);
    const delta = await feed.get('/notes', { $deltatoken: '5' });
    expect([delta.status, delta.body.error]).toMatchObject([
      400,
      { code: 'invalid_odata_query', message: '$deltatoken: "notes" has no delta links. Read all entities again.' },
    ]);
    await api.delete(`${notes}/${body.value[3].id}`);
    await create({ title: 'Note 4', customFields: { later: 'tomorrow', measured: 'Infinity' } });
    const fields = [
      { key: 'later', name: 'Later', type: 'date' },
      { key: 'measured', name: 'Measured', type: 'number' },
    ];
    expect((await api.put(`${workspace}/note-fields`, { fields })).status).toBe(200);
    const after = (await feed.get('/notes', { $orderby: 'number' })).body;
    expect([titlesOf(after), after.value[3]]).toMatchObject([['0', '1', '2', '4'], { later: null, measured: null }]);
  });

  it('shows a restricted caller no hidden note, and no title of a hidden row', async () => {
    const tables = Tables.of(services[0]!, me);
    const columns = [text('Key'), text('Name'), column('Parent', 'hierarchyParent')];
    const items = ['AT10', 'AT20'].map((key) => ({ key, name: `Site ${key}` }));
    expect((await tables.bulk('locations', { name: 'Sites', columns, items })).status).toBe(201);
    await create({ title: 'Note in', location: 'AT10', priority: '1' });
    await create({ title: 'Note out', location: 'AT20', priority: '2' });
    const rules = [
      { entity: 'lists', table: 'Priorities', filter: { code: '2' } },
      { entity: 'locations', table: 'Sites' },
    ];
    const policy = await api.post(`${workspace}/access-policies`, {
      name: 'Site',
      tables: rules,
      notes: { under: 'AT10' },
    });
    expect([policy.status, policy.body.details]).toEqual([201, undefined]);
    const key = await api.post(`${workspace}/api-keys`, { name: 'Key', policyId: policy.body.data.id });
    const limited = new ODataFeed(services[1]!, { ...me, apiKey: key.body.data.apiKey as string });
    const { body } = await limited.get('/notes', { $expand: 'priorityRow', $count: 'true' });
    expect([titlesOf(body), body['@odata.count'], body.value[0]]).toMatchObject([
      ['in'],
      1,
      { priority: '1', priorityRow: null, location: 'AT10' },
    ]);
    expect((await limited.get('/notes/$count')).text).toBe('1');
    const unseen = { $filter: "priorityRow/name eq 'Very high'", $count: 'true' };
    expect((await limited.get('/notes', unseen)).body).toMatchObject({ '@odata.count': 0, value: [] });
    const out = (await feed.get('/notes', { $filter: "title eq 'Note out'" })).body.value[0].id as string;
    expect((await limited.get(`/notes('${out}')`)).status).toBe(404);
  });
});

describe('other systems and watchers', () => {
  it('identify one note by system and ID', async () => {
    const reference = { system: 'SAP', id: '10004711', url: 'https://sap.example.com/10004711' };
    const { id, number } = await create({ externalReferences: [reference] });
    expect(await list('externalReference=SAP:10004711')).toMatchObject([{ id, externalReferences: [reference] }]);
    const taken = await api.post(notes, { externalReferences: [{ system: 'SAP', id: '10004711' }] });
    expect(errorsOf(taken)).toEqual([409, 'reference_taken', 'externalReferences reference_taken']);
    expect(taken.body.message).toContain(`Note ${number} `);
    const races = await Promise.all(
      [api, other, api, other].map((each) => each.post(notes, { externalReferences: [{ system: 'SAP', id: '1' }] })),
    );
    expect(races.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    for (const none of [[], null]) {
      const cleared = await api.patch(`${notes}/${id}`, { externalReferences: none });
      expect([cleared.status, cleared.body.data.externalReferences]).toEqual([200, []]);
      const set = await api.patch(`${notes}/${id}`, { externalReferences: [reference] });
      expect(set.body.data.externalReferences).toEqual([reference]);
    }
    expect((await api.patch(`${notes}/${id}`, { externalReferences: null })).status).toBe(200);
    expect((await api.post(notes, { externalReferences: [reference] })).status).toBe(201);
    const candidates = await Promise.all([1, 2, 3, 4, 5, 6].map(() => create({})));
    const changes = await Promise.all(
      candidates.map((note, at) =>
        [api, other][at % 2]!.patch(`${notes}/${note.id}`, { externalReferences: [{ system: 'SAP', id: '2' }] }),
      ),
    );
    expect(changes.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  });

  it('do not reveal a note that the caller may not see', async () => {
    const columns = [text('Key'), column('Parent', 'hierarchyParent')];
    const items = [{ key: 'AT10' }, { key: 'AT20' }, { key: 'AT11', parent: 'AT10' }];
    expect((await Tables.of(services[0]!, me).bulk('locations', { name: 'Sites', columns, items })).status).toBe(201);
    const externalReferences = [{ system: 'SAP', id: '3' }];
    await create({ location: 'AT20', externalReferences });
    const policy = await api.post(`${workspace}/access-policies`, { name: 'Site', notes: { under: 'AT10' } });
    expect([policy.status, policy.body.details]).toEqual([201, undefined]);
    const key = await api.post(`${workspace}/api-keys`, { name: 'Key', policyId: policy.body.data.id });
    const caller = new Api(services[1]!.baseUrl).withKey(key.body.data.apiKey as string);
    const taken = await caller.post(notes, { location: 'AT10', externalReferences });
    expect(errorsOf(taken)).toEqual([409, 'reference_taken', 'externalReferences reference_taken']);
    expect(taken.body.message).toBe('Another note has the external reference "3" of "SAP". Each belongs to one note.');
    const sent = ['AT10', 'AT20', 'AT11'].map((location) => ({ title: location, location }));
    const { body } = await caller.post(`${notes}/bulk?onError=continue`, { items: sent });
    expect(body.data.items.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'created',
      'failed',
      'created',
    ]);
    expect(await list('under=AT10&location=AT11')).toMatchObject([{ title: 'AT11' }]);
    expect(await list('under=AT10&location=AT20')).toEqual([]);
  });

  it('are hidden on every surface from a caller who may not see the note', async () => {
    const columns = [text('Key'), column('Parent', 'hierarchyParent')];
    const items = [{ key: 'AT10' }, { key: 'AT20' }];
    expect((await Tables.of(services[0]!, me).bulk('locations', { name: 'Sites', columns, items })).status).toBe(201);
    for (const [externalId, location] of [
      ['seen', 'AT10'],
      ['unseen', 'AT20'],
    ])
      await create({ externalId, location, title: 'Leak', priority: externalId });
    const policy = await api.post(`${workspace}/access-policies`, { name: 'Site', notes: { under: 'AT10' } });
    const key = await api.post(`${workspace}/api-keys`, { name: 'Key', policyId: policy.body.data.id });
    const caller = new Api(services[1]!.baseUrl).withKey(key.body.data.apiKey as string);
    const groups = await caller.get(`${notes}/aggregate?group=priority`);
    expect(groups.body.data.items).toEqual([{ group: { priority: 'seen' }, measures: { count: 1 } }]);
    for (const type of ['text/csv', 'application/x-ndjson']) {
      const { status, body } = await caller.send(`${notes}/export`, { headers: { Accept: type } });
      const exported = JSON.stringify(body);
      expect([status, exported.includes('seen'), exported.includes('unseen')]).toEqual([200, true, false]);
    }
    const found = await caller.get(`${workspace}/search?q=leak&kinds=notes`);
    expect(found.body.data.groups[0].items).toHaveLength(1);
    const changed = await caller.patch(`${notes}?filter[title]=Leak`, { status: 'closed' });
    expect([changed.status, changed.body.data.matched]).toEqual([200, 1]);
    const hidden = await caller.post(`${notes}/bulk`, { items: [{ externalId: 'unseen', status: 'closed' }] });
    expect(errorsOf(hidden)).toEqual([422, 'invalid_items', 'items[0].externalId not_found']);
    expect((await list('status=closed')).map(({ externalId }: { externalId: string }) => externalId)).toEqual(['seen']);
  });

  it('have names that can be stored', async () => {
    const absent = await api.post(notes, { externalReferences: [{ id: '5' }] });
    expect(absent.body.details.errors).toMatchObject([{ message: 'system must be a string' }]);
    for (const system of ['S\u0000', 'S\ud800'])
      expect(errorsOf(await api.post(notes, { externalReferences: [{ system, id: '1' }] }))).toEqual([
        400,
        'invalid_request',
        'externalReferences[0].system invalid_field',
      ]);
  });

  it('watch a note until they stop', async () => {
    const { id } = await create({});
    const watched = await api.post(`${notes}/${id}/watchers`, {});
    expect([watched.status, watched.body.data.watchers]).toEqual([200, [me.userId]]);
    expect((await api.post(`${notes}/${id}/watchers`, {})).body.data.version).toBe(watched.body.data.version);
    const outsider = await services[0]!.provision();
    expect(errorsOf(await api.post(`${notes}/${id}/watchers`, { userId: outsider.userId }))).toEqual([
      422,
      'invalid_note',
      'userId not_found',
    ]);
    const upper = me.userId.toUpperCase();
    expect((await api.post(`${notes}/${id}/watchers`, { userId: upper })).body.data.watchers).toEqual([me.userId]);
    expect((await api.delete(`${notes}/${id}/watchers?userId=${upper}`)).body.data.watchers).toEqual([]);
    expect((await api.delete(`${notes}/${id}/watchers`)).body.data.watchers).toEqual([]);
  });

  it('can be readers, who change only their own watching and not the note', async () => {
    const reader = await admit('reader');
    const { id, version, updatedAt } = await create({});
    const { status, body } = await reader.post(`${notes}/${id}/watchers`, {});
    expect([status, body.data]).toMatchObject([200, { version: version + 1, updatedAt, updatedBy: me.userId }]);
    expect(body.data.watchers).toHaveLength(1);
    for (const answer of [
      await reader.post(`${notes}/${id}/watchers`, { userId: me.userId }),
      await reader.delete(`${notes}/${id}/watchers?userId=${me.userId}`),
    ])
      expect(errorsOf(answer)).toEqual([403, 'insufficient_role', 'userId insufficient_role']);
    expect((await reader.delete(`${notes}/${id}/watchers`)).body.data.watchers).toEqual([]);
    const history = (await api.get(`${notes}/${id}/history`)).body.data.items;
    expect(history.slice(1)).toMatchObject([{ field: 'watchers' }, { field: 'watchers', to: [] }]);
  });
});
