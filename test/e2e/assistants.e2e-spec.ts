import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { measureElapsed } from '../support/elapsed.js';
import { findRole } from '../support/openapi.js';
import { type SharedService, shareService } from '../support/shared-services.js';

const LOCATIONS = [
  { code: 'AT10', name: 'Vienna', parent: null },
  { code: 'AT10-UTL', name: 'Utilities', parent: 'AT10' },
  { code: 'AT10-CW', name: 'Cooling water', parent: 'AT10-UTL' },
  { code: 'DE20', name: 'Munich', parent: null },
];
const ASSETS = [
  { code: 'P-1', name: 'Feed pump', kind: 'pump', plant: 'AT10', weight: 180.5, price: 900, location: 'AT10-CW' },
  { code: 'P-2', name: 'Cooling pump', kind: 'pump', plant: 'AT10', weight: 95, price: 500, location: 'AT10-CW' },
  { code: 'P-3', name: 'Spare pump', kind: 'pump', plant: 'DE20', weight: 95, price: 500, location: 'DE20' },
  { code: 'M-1', name: 'Motor', kind: 'motor', plant: 'AT10', weight: 60, price: 300, location: 'AT10-UTL' },
  { code: 'V-1', name: 'Valve', kind: 'valve', plant: 'DE20', weight: null, price: 40, location: 'DE20' },
];
const text = (key: string) => ({ key, name: key, type: 'text' });
const number = (key: string) => ({ key, name: key, type: 'number' });
const TABLES = {
  locations: [
    {
      name: 'Sites',
      columns: [text('code'), text('name'), { ...text('parent'), type: 'hierarchyParent' }],
      items: LOCATIONS,
    },
  ],
  assets: [
    {
      name: 'Equipment',
      columns: [
        ...['code', 'name', 'kind', 'plant'].map(text),
        ...['weight', 'price'].map(number),
        { ...text('location'), type: 'reference', options: { target: { entity: 'location', table: 'Sites' } } },
      ],
      items: ASSETS,
    },
    { name: 'Secret', columns: [text('code'), text('name')], items: [{ code: 'S-1', name: 'Secret pump' }] },
  ],
};
const POLICY = {
  name: 'AT10',
  scopes: ['read:workspaces', 'write:workspaces'],
  tables: [
    { entity: 'locations', table: 'Sites', under: 'AT10' },
    { entity: 'assets', table: 'Equipment', filter: { plant: 'AT10' }, columns: { hidden: ['price'] }, write: true },
  ],
  notes: { under: 'AT10' },
};
const READS = [
  'list_tables',
  'describe_table',
  'search',
  'query_rows',
  'aggregate_rows',
  'get_row',
  'get_row_history',
  'list_notes',
  'get_note',
];
const WRITES = ['propose_rows', 'create_note', 'add_message'];
const EQUIPMENT = 'assets/Equipment';
/** A text as an answer contains it. */
const CUT = 'Feed… [cut; the text has 600 characters]';

type Answer = Record<string, any>;

let service: SharedService;
let me: Credentials;
let owner: Api;
let workspace: string;
let assistant: Client;
let restricted: Client;
const clients: Client[] = [];
/** The IDs of notes at AT10-CW and at DE20. */
let notes: { visible: string; hidden: string };

async function connect(headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${service.baseUrl}/mcp`), { requestInit: { headers } }),
  );
  clients.push(client);
  return client;
}

const connectKey = async (key: object) => {
  const created = await owner.post(`${workspace}/api-keys`, { name: 'Assistant', ...key });
  expect(created.status).toBe(201);
  return connect({ 'X-API-Key': created.body.data.apiKey as string });
};
const set = async (assistants: string) => {
  const { status } = await owner.patch(`/v1/api/workspaces/${me.workspaceId}`, { settings: { assistants } });
  expect(status).toBe(200);
};
const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

/** The structured content of a success; its text is the same. */
async function call(client: Client, name: string, input: object = {}): Promise<Answer> {
  const result = await client.callTool({ name, arguments: input as Record<string, unknown> });
  const [content] = result.content as { text: string }[];
  const parsed = JSON.parse(content!.text) as Answer;
  if (result.isError) throw new Error(`The tool ${name} has failed: ${content!.text}`);
  expect(parsed).toEqual(result.structuredContent);
  return parsed;
}

async function fail(client: Client, name: string, input: object): Promise<Answer> {
  const result = await client.callTool({ name, arguments: input as Record<string, unknown> });
  expect(result.isError).toBe(true);
  return JSON.parse((result.content as { text: string }[])[0]!.text) as Answer;
}

const send = (body: unknown, headers: Record<string, string> = {}) =>
  new Api(service.baseUrl).withKey(me.apiKey).post('/mcp', body, headers);

beforeAll(async () => {
  ({ service } = await shareService());
  me = await service.provision();
  owner = await new Api(service.baseUrl).signIn(me);
  workspace = `/v2/api/workspaces/${me.workspaceId}`;
  for (const [entity, tables] of Object.entries(TABLES))
    expect((await owner.post(`${workspace}/cw/${entity}/bulk`, { [entity]: tables })).status).toBe(201);
  const note = async (title: string, location: string) => {
    const created = await owner.post(`${workspace}/notes`, { title, location, status: 'open' });
    return created.body.data.id as string;
  };
  notes = { visible: await note('Leak at the feed pump', 'AT10-CW'), hidden: await note('Secret leak', 'DE20') };
  await owner.patch(`${workspace}/cw/assets/Equipment/items/M-1`, { weight: 61 });
  await set('propose');
  const policy = await owner.post(`${workspace}/access-policies`, POLICY);
  expect(policy.status).toBe(201);
  assistant = await connect({ 'X-API-Key': me.apiKey });
  restricted = await connectKey({ policyId: policy.body.data.id });
}, 60_000);

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  expect(service.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
});

describe('the tools', () => {
  it('are listed with schemas and hints, and not changed by texts of people', async () => {
    const { tools } = await assistant.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...READS.slice(0, 7),
      'propose_rows',
      ...READS.slice(7),
      ...WRITES.slice(1),
    ]);
    for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
      expect(description).toMatch(/^[A-Z].*\.$/);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(inputSchema.properties).not.toHaveProperty('workspaceId');
      expect(outputSchema).toMatchObject({ type: 'object' });
      expect(annotations).toMatchObject({ readOnlyHint: READS.includes(name), destructiveHint: false });
    }
    expect(JSON.stringify(tools)).not.toContain('Secret');
    expect(assistant.getServerCapabilities()).toEqual({ tools: {} });
    const propertiesOf = (name: string) => tools.find((tool) => tool.name === name)!.outputSchema!.properties as Answer;
    expect(propertiesOf('get_row')).toHaveProperty('references');
    expect(propertiesOf('search')['groups'].items.properties).toHaveProperty('hits');
  });

  it('are those whose scope and role the caller has', async () => {
    expect(await namesOf(await connectKey({ scopes: ['read:workspaces'] }))).toEqual(READS);
    expect(await namesOf(await connectKey({ scopes: ['read:projects'] }))).toEqual(['list_notes', 'get_note']);
    const absent = connectKey({ scopes: ['read:workspaces'] }).then((client) =>
      client.callTool({ name: 'create_note' }),
    );
    await expect(absent).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('no tool "create_note"'),
    });
  });

  it('have the scope and the role of the operations next to them', async () => {
    const document = (await new Api(service.baseUrl).get('/openapi.json')).body as { paths: Answer };
    const operation = (path: string, method: string) => document.paths[path][method] as Answer;
    const scopesOf = ({ security }: Answer) =>
      new Set((security as Answer[]).flatMap((each) => Object.values(each).flat()));
    const cw = '/v2/api/workspaces/{workspaceId}/cw';
    expect([...scopesOf(operation(`${cw}/{entity}/{table}/items/query`, 'post'))]).toEqual(['read:workspaces']);
    expect(findRole(operation(`${cw}/assets/bulk`, 'post'))).toBe('editor');
  });

  it('follow the setting of the workspace', async () => {
    await set('read');
    expect(await namesOf(assistant)).toEqual(READS);
    await set('off');
    expect(await namesOf(assistant)).toEqual([]);
    await expect(assistant.callTool({ name: 'list_tables' })).rejects.toMatchObject({ code: -32602 });
    await set('propose');
    expect(await namesOf(assistant)).toHaveLength(12);
    const invalid = await owner.patch(`/v1/api/workspaces/${me.workspaceId}`, { settings: { assistants: 'all' } });
    expect([invalid.status, invalid.body.details.errors[0].field]).toEqual([400, 'settings.assistants']);
  });

  it('ask callers with several workspaces for one', async () => {
    const operator = await service.operatorClient();
    const other = await service.provision();
    const { id } = await operator.newUser(`several-${me.userId}`, [me.workspaceId, other.workspaceId], 'owner');
    const both = await new Api(service.baseUrl).signIn(await operator.newClient(id));
    const client = await connect(both.headers);
    const [tool] = (await client.listTools()).tools;
    expect((tool!.inputSchema.properties!['workspaceId'] as Answer)['enum']).toHaveLength(2);
    const listed = await call(client, 'list_tables');
    expect(listed['workspaces'].map((each: Answer) => each['id']).sort()).toEqual(
      [me.workspaceId, other.workspaceId].sort(),
    );
    expect((await fail(client, 'query_rows', { table: EQUIPMENT }))['details'].errors[0].field).toBe('workspaceId');
    const page = await call(client, 'query_rows', { table: EQUIPMENT, workspaceId: me.workspaceId });
    expect(page['rows']).toHaveLength(5);

    // Only one of them permits changes.
    const create = (workspaceId?: string) => fail(client, 'create_note', { title: 'x', workspaceId });
    expect((await create())['details'].errors[0]).toMatchObject({ field: 'workspaceId', code: 'required' });
    expect(await create(other.workspaceId)).toMatchObject({
      error: 'assistant_not_permitted',
      message: expect.stringContaining('may only read'),
      details: { errors: [{ field: 'workspaceId' }] },
    });
    expect((await create('0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a'))['error']).toBe('not_found');
    const writing = (await client.listTools()).tools.find(({ name }) => name === 'create_note')!;
    expect(writing.inputSchema).toMatchObject({
      required: ['workspaceId', 'title'],
      properties: { workspaceId: { enum: [me.workspaceId] } },
    });
    expect((await call(client, 'create_note', { title: 'x', workspaceId: me.workspaceId }))['note'].status).toBe(
      'open',
    );
  });
});

describe('questions', () => {
  const query = (input: object) =>
    call(assistant, 'query_rows', { table: EQUIPMENT, fields: ['code'], sort: ['code'], ...input });
  const keys = async (input: object) => ((await query(input))['rows'] as string[][]).map(([key]) => key);
  const aggregate = async (input: object) =>
    (await call(assistant, 'aggregate_rows', { table: EQUIPMENT, ...input }))['rows'] as unknown;

  it.each<[question: string, task: () => Promise<unknown>, answer: unknown]>([
    [
      'Which tables are there?',
      async () => (await call(assistant, 'list_tables'))['tables'].map((t: Answer) => t['table']),
      [EQUIPMENT, 'assets/Secret', 'locations/Sites'],
    ],
    [
      'Which tables have "site" in their name?',
      async () => (await call(assistant, 'list_tables', { name: 'SITE' }))['tables'].length,
      1,
    ],
    [
      'Which columns has the equipment?',
      async () =>
        (await call(assistant, 'describe_table', { table: EQUIPMENT }))['columns'].map((c: Answer) => c['key']),
      ['code', 'name', 'kind', 'plant', 'weight', 'price', 'location'],
    ],
    [
      'To which table does "location" refer?',
      async () =>
        (await call(assistant, 'describe_table', { table: EQUIPMENT }))['columns'].at(-1)['options']['target']['table'],
      'Sites',
    ],
    ['Which pumps are there?', () => keys({ filter: { kind: 'pump' } }), ['P-1', 'P-2', 'P-3']],
    ['Which pumps are heavier than 100 kg?', () => keys({ filter: { kind: 'pump', weight: { gt: 100 } } }), ['P-1']],
    ['What is at the cooling water?', () => keys({ filter: { 'location.name': 'Cooling water' } }), ['P-1', 'P-2']],
    ['What has no weight?', () => keys({ filter: { weight: { null: true } } }), ['V-1']],
    [
      'What is a motor or a valve?',
      () => keys({ filter: { or: [{ kind: 'motor' }, { kind: 'valve' }] } }),
      ['M-1', 'V-1'],
    ],
    [
      'What is the heaviest?',
      () =>
        query({
          sort: ['-weight', 'code'],
          filter: { weight: { null: false } },
          limit: 1,
          fields: ['name', 'weight'],
        }).then(({ rows }) => rows as unknown),
      [['P-1', 'Feed pump', 180.5]],
    ],
    ['How many assets are there?', async () => (await query({ count: 'exact', limit: 1 }))['total'] as unknown, 5],
    [
      'Which locations are in Vienna?',
      async () =>
        (
          await call(assistant, 'query_rows', {
            table: 'locations/Sites',
            under: 'AT10',
            fields: ['code'],
            sort: ['code'],
          })
        )['rows'].flat(),
      ['AT10', 'AT10-CW', 'AT10-UTL'],
    ],
    [
      'How many assets of each kind?',
      () => aggregate({ group: ['kind'] }),
      [
        ['motor', 1],
        ['pump', 3],
        ['valve', 1],
      ],
    ],
    [
      'How heavy are the assets of each plant?',
      () => aggregate({ group: ['plant'], measures: ['sum(weight)'] }),
      [
        ['AT10', 336.5],
        ['DE20', 95],
      ],
    ],
    [
      'Which kinds have several assets?',
      () => aggregate({ group: ['kind'], having: { count: { gte: 2 } } }),
      [['pump', 3]],
    ],
    [
      'Where is P-1?',
      async () =>
        (await call(assistant, 'get_row', { table: EQUIPMENT, key: 'P-1' }))['references'].location['AT10-CW'].title,
      'AT10-CW',
    ],
    [
      'What is above the cooling water?',
      async () =>
        (await call(assistant, 'get_row', { table: 'locations/Sites', key: 'AT10-CW' }))['path'].map(
          (p: Answer) => p['key'],
        ),
      ['AT10', 'AT10-UTL', 'AT10-CW'],
    ],
    [
      'What was the weight of M-1 before?',
      async () =>
        (await call(assistant, 'get_row_history', { table: EQUIPMENT, key: 'M-1' }))['changes'][0]['columns'].weight
          .from as unknown,
      60,
    ],
    [
      'Which open notes are in Vienna?',
      async () =>
        (await call(assistant, 'list_notes', { under: 'AT10', status: ['open'] }))['notes'].map(
          (n: Answer) => n['title'],
        ),
      ['Leak at the feed pump'],
    ],
    [
      'Which notes are about a leak at the feed pump?',
      async () =>
        (await call(assistant, 'list_notes', { q: 'leak feed' }))['notes'].map(
          (n: Answer) => n['id'] === notes.visible,
        ),
      [true],
    ],
  ])('%s', async (_, task, answer) => {
    expect(await task()).toEqual(answer);
  });

  it('without an answer have the header', async () => {
    const filter = { kind: 'boiler' };
    expect(await query({ filter, fields: ['weight'] })).toMatchObject({ columns: ['code', 'weight'], rows: [] });
    const groups = { table: EQUIPMENT, filter, group: ['kind'], measures: ['sum(weight)'] };
    expect(await call(assistant, 'aggregate_rows', groups)).toMatchObject({
      columns: ['kind', 'sum(weight)'],
      rows: [],
    });
  });

  it('reject names with commas or without characters, of any length', async () => {
    for (const name of [`${'a'.repeat(400_000)},`, 'code,name', ' '])
      expect(JSON.stringify(await fail(assistant, 'query_rows', { table: EQUIPMENT, fields: [name] }))).toContain(
        'must be one name without commas',
      );
  });

  it('are answered page by page', async () => {
    const first = await query({ limit: 2 });
    expect(first['rows']).toEqual([['M-1'], ['P-1']]);
    expect(await keys({ limit: 200, cursor: first['nextCursor'] })).toEqual(['P-2', 'P-3', 'V-1']);
    const tables = await call(assistant, 'list_tables', { limit: 1 });
    const next = await call(assistant, 'list_tables', { limit: 200, cursor: tables['nextCursor'] });
    expect((await fail(assistant, 'list_tables', { cursor: 'gone' }))['error']).toBe('invalid_cursor');
    expect([...tables['tables'], ...next['tables']]).toHaveLength(3);
    expect(next['nextCursor']).toBeNull();
  });

  it('are answered with exact keys and numbers, and a number that would be rounded is not proposed', async () => {
    const [code, sum] = ['00012345678901234567890', 0.1 + 0.2];
    const items = [{ code, count: Number.MAX_SAFE_INTEGER, part: sum }];
    const columns = [text('code'), number('count'), number('part')];
    const created = await owner.post(`${workspace}/cw/lists/bulk`, { lists: [{ name: 'Digits', columns, items }] });
    expect(created.status).toBe(201);
    const table = 'lists/Digits';
    expect(await call(assistant, 'query_rows', { table })).toMatchObject({
      rows: [[code, Number.MAX_SAFE_INTEGER, sum]],
    });
    expect(await call(assistant, 'get_row', { table, key: code })).toMatchObject({ row: items[0]! });
    // More references than a page expands.
    const names = Array.from({ length: 11 }, (_, at) => `ref${at}`);
    const target = { entity: 'list', table: 'Digits' };
    const references = names.map((name) => ({ key: name, name, type: 'reference', options: { target } }));
    const row = { code: 'A', ...Object.fromEntries(names.map((name) => [name, code])) };
    const referring = { name: 'Referring', columns: [text('code'), ...references], items: [row] };
    expect((await owner.post(`${workspace}/cw/lists/bulk`, { lists: [referring] })).status).toBe(201);
    const expand = (many: string[]) => owner.get(`${workspace}/cw/lists/Referring/items?expand=${many.join(',')}`);
    expect((await expand(names.slice(1))).status).toBe(200);
    expect((await expand(names)).body).toMatchObject({ status: 400, details: { errors: [{ field: 'expand' }] } });
    const read = await call(assistant, 'get_row', { table: 'lists/Referring', key: 'A', fields: ['code', 'ref10'] });
    expect(Object.keys(read['references'] as object)).toEqual(['ref10']);
    const input = `{"table":"${table}","rows":[{"code":"${code}","count":9007199254740993}]}`;
    const params = `{"name":"propose_rows","arguments":${input}}`;
    const { body } = await send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
    expect(JSON.parse(body.result.content[0].text as string)['details'].errors).toMatchObject([
      { column: 'count', message: expect.stringContaining('9007199254740993') },
    ]);
  });
});

describe('a caller with an access policy', () => {
  it('reads only permitted tables, columns, rows and notes, by all tools', async () => {
    const answers = [
      await call(restricted, 'list_tables'),
      await call(restricted, 'describe_table', { table: EQUIPMENT }),
      await call(restricted, 'query_rows', { table: EQUIPMENT, count: 'exact' }),
      await call(restricted, 'query_rows', { table: 'locations/Sites' }),
      await call(restricted, 'aggregate_rows', {
        table: EQUIPMENT,
        group: ['plant'],
        measures: ['count', 'sum(weight)'],
      }),
      await call(restricted, 'get_row', { table: EQUIPMENT, key: 'P-1' }),
      await call(restricted, 'get_row_history', { table: EQUIPMENT, key: 'M-1' }),
      await call(restricted, 'search', { q: 'pump' }),
      await call(restricted, 'list_notes'),
      await call(restricted, 'get_note', { noteId: notes.visible }),
    ];
    expect(JSON.stringify(answers)).not.toMatch(/Secret|price|DE20|P-3|V-1|Spare/);
    expect(answers[2]).toMatchObject({ total: 3 });
    expect(answers[4]).toMatchObject({ rows: [['AT10', 3, 336.5]] });
  });

  it('receives the same errors for what is hidden as for what is absent', async () => {
    const hidden: [tool: string, input: object, absent: object][] = [
      ['query_rows', { table: 'assets/Secret' }, { table: 'assets/Absent' }],
      ['describe_table', { table: 'assets/Secret' }, { table: 'assets/Absent' }],
      ['aggregate_rows', { table: 'assets/Secret' }, { table: 'assets/Absent' }],
      ['search', { q: 'pump', tables: ['assets/Secret'] }, { q: 'pump', tables: ['assets/Absent'] }],
      ['get_row', { table: EQUIPMENT, key: 'P-3' }, { table: EQUIPMENT, key: 'P-9' }],
      ['get_row_history', { table: EQUIPMENT, key: 'P-3' }, { table: EQUIPMENT, key: 'P-9' }],
      ['query_rows', { table: EQUIPMENT, filter: { price: 500 } }, { table: EQUIPMENT, filter: { prize: 500 } }],
      ['query_rows', { table: EQUIPMENT, sort: ['price'] }, { table: EQUIPMENT, sort: ['prize'] }],
      [
        'aggregate_rows',
        { table: EQUIPMENT, measures: ['sum(price)'] },
        { table: EQUIPMENT, measures: ['sum(prize)'] },
      ],
      [
        'propose_rows',
        { table: EQUIPMENT, rows: [{ code: 'P-1', price: 1 }] },
        { table: EQUIPMENT, rows: [{ code: 'P-1', prize: 1 }] },
      ],
      ['propose_rows', { table: EQUIPMENT, deleteKeys: ['P-3'] }, { table: EQUIPMENT, deleteKeys: ['P-9'] }],
      ['get_note', { noteId: notes.hidden }, { noteId: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' }],
      [
        'add_message',
        { noteId: notes.hidden, description: 'x' },
        { noteId: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a', description: 'x' },
      ],
    ];
    const normalize = (answer: Answer) =>
      JSON.stringify(answer).replace(/Secret|Absent|P-3|P-9|price|prize|[\da-f]{8}-[\da-f-]{27}/g, '?');
    for (const [tool, input, absent] of hidden)
      expect(normalize(await fail(restricted, tool, input))).toBe(normalize(await fail(restricted, tool, absent)));
  });

  it('does not propose rows outside of the permitted part', async () => {
    const outside = await fail(restricted, 'propose_rows', {
      table: EQUIPMENT,
      rows: [{ code: 'X-1', plant: 'DE20' }],
    });
    expect(outside).toMatchObject({
      error: 'invalid_rows',
      details: { errors: [{ code: 'outside_policy', index: 0 }] },
    });
  });
});

describe('proposals', () => {
  const rows = async () =>
    (await owner.get(`${workspace}/cw/assets/Equipment/items?sort=code`)).body.data.items as unknown;

  it('store nothing until a person approves them', async () => {
    const before = await rows();
    const input = {
      table: EQUIPMENT,
      rows: [
        { code: 'P-2', weight: 96 },
        { code: 'P-4', name: 'New pump' },
      ],
      deleteKeys: ['V-1', 'X-9'],
    };
    const proposed = await call(assistant, 'propose_rows', input);
    expect(proposed).toMatchObject({
      counts: { created: 1, updated: 1, unchanged: 0, deleted: 1 },
      missingKeys: ['X-9'],
      differences: [
        { change: 'update', key: 'P-2', columns: { weight: { from: 95, to: 96 } } },
        { change: 'create', key: 'P-4' },
        { change: 'delete', key: 'V-1' },
      ],
    });
    expect(proposed['link']).toBe(`https://atrium.test/tables#/${me.workspaceId}?proposal=${proposed['proposalId']}`);
    expect(await rows()).toEqual(before);
    const path = `${workspace}/cw/proposals/${proposed['proposalId']}`;
    expect((await owner.get(path)).body.data).toMatchObject({
      status: 'pending',
      source: 'assistant',
      createdBy: me.userId,
    });
    expect((await owner.post(`${path}/approve`, {})).status).toBe(200);
    const after = (await rows()) as Answer[];
    expect(after.map(({ code, weight }) => [code, weight])).toEqual([
      ['M-1', 61],
      ['P-1', 180.5],
      ['P-2', 96],
      ['P-3', 95],
      ['P-4', null],
    ]);
  });

  it('are rejected with the field and the remedy if they are not valid', async () => {
    const propose = (input: object) => fail(assistant, 'propose_rows', { table: EQUIPMENT, ...input });
    expect(await propose({ rows: [{ code: 'P-1', weight: 'heavy' }] })).toMatchObject({
      error: 'invalid_rows',
      remedy: 'Correct the rows that `details.errors` lists.',
      details: { errors: [{ index: 0, column: 'weight', code: 'type_mismatch' }] },
    });
    expect(await propose({ rows: [{ code: 'P-1', colour: 'red' }] })).toMatchObject({
      message: expect.stringMatching(/Known columns: code, name/),
      details: { errors: [{ code: 'unknown_column' }] },
    });
    expect(
      (await propose({ rows: [{ code: 'P-1', weight: 1 }], deleteKeys: ['P-1'] }))['details'].errors[0].field,
    ).toBe('rows[0]');
    expect(await propose({ rows: [{ code: 'P-1', name: 'Feed pump' }] })).toMatchObject({
      error: 'nothing_to_propose',
      details: { errors: [{ field: 'rows' }] },
    });
    expect((await propose({}))['details'].errors[0]).toMatchObject({
      field: 'rows',
      message: expect.stringContaining('1 to 500'),
    });
    const many = Array.from({ length: 501 }, (_, at) => ({ code: `N-${at}` }));
    expect((await propose({ rows: many }))['details'].errors[0].field).toBe('rows');
    expect((await propose({ table: 'lists/Absent', rows: [{ code: 'x' }] }))['details'].errors[0].field).toBe('table');
    const pending = (await owner.get(`${workspace}/cw/proposals?status=pending`)).body.data.items;
    expect(pending).toEqual([]);
  });

  it('and notes are recorded in the audit log with the tool', async () => {
    const { note } = await call(assistant, 'create_note', {
      title: 'Check the coupling',
      asset: 'P-1',
      dueDate: '2026-12-01T08:00:00Z',
    });
    expect(await call(assistant, 'add_message', { noteId: note.id, description: 'Tightened.' })).toMatchObject({
      noteId: note.id,
    });
    expect(await call(assistant, 'get_note', { noteId: note.id })).toMatchObject({
      note: { title: 'Check the coupling', asset: { key: 'P-1' }, messageCount: 1, files: 0 },
      messages: [{ description: 'Tightened.' }],
    });
    const entries = (await owner.get(`${workspace}/audit?kind=load_proposed`)).body.data.items as Answer[];
    expect(entries[0]!['details']).toMatchObject({ tool: 'propose_rows', source: 'assistant' });
    const approved = (await owner.get(`${workspace}/audit?kind=load_approved`)).body.data.items as Answer[];
    expect(approved[0]!['details']).not.toHaveProperty('tool');
  });
});

describe('notes of a workspace with types and fields', () => {
  it('are created with what it requires, found by it, and read with it', async () => {
    const other = await service.provision();
    const admin = await new Api(service.baseUrl).signIn(other);
    const path = `/v2/api/workspaces/${other.workspaceId}`;
    const fields = [
      { ...number('downtime'), required: true },
      { ...text('shift'), types: ['inspection'] },
    ];
    const types = ['note', 'inspection'].map((key) => ({ key, name: key }));
    expect((await admin.put(`${path}/note-types`, { types })).status).toBe(200);
    expect((await admin.put(`${path}/note-fields`, { fields })).status).toBe(200);
    await admin.patch(`/v1/api/workspaces/${other.workspaceId}`, { settings: { assistants: 'propose' } });
    const client = await connect({ 'X-API-Key': other.apiKey });

    const missing = await fail(client, 'create_note', { title: 'Noise' });
    expect(missing['details'].errors).toMatchObject([{ field: 'downtime', code: 'required' }]);
    const long = await fail(client, 'create_note', { title: 'Noise', fields: { shift: 'x'.repeat(8_001) } });
    expect(long['details'].errors[0].field).toBe('fields.shift');
    await call(client, 'create_note', { title: 'Noise', fields: { downtime: 1 } });
    const values = { category: 'mechanical', workCenter: 'MECH' };
    const sent = { title: 'Inspect', type: 'inspection', ...values, fields: { downtime: 2.5, shift: 'night' } };
    const { note } = await call(client, 'create_note', sent);
    expect((await call(client, 'get_note', { noteId: note.id }))['note']).toMatchObject(sent);
    for (const conditions of [
      { type: ['inspection'] },
      { filter: { downtime: { gt: 2 }, workCenter: { eq: 'MECH' } } },
    ])
      expect((await call(client, 'list_notes', conditions))['notes']).toMatchObject([{ id: note.id }]);
    const unknown = await fail(client, 'list_notes', { filter: { colour: 'red' } });
    expect(unknown['details'].errors[0].field).toBe('filter[colour]');
  });
});

describe('errors', () => {
  it.each<[tool: string, input: object, field: string, message: RegExp]>([
    ['query_rows', { table: 'Equipment' }, 'table', /such as assets\/Equipment/],
    ['query_rows', { table: 'assets/Absent' }, 'table', /list_tables/],
    ['query_rows', { table: EQUIPMENT, filter: { colour: 'red' } }, 'filter[colour]', /Known columns: code, name/],
    ['query_rows', { table: EQUIPMENT, filter: { toString: 1 } }, 'filter[toString]', /Known columns: code, name/],
    ['query_rows', { table: EQUIPMENT, fields: ['colour'] }, 'fields', /Known columns: code, name/],
    ['query_rows', { table: EQUIPMENT, filter: { weight: { near: 1 } } }, 'filter[weight][near]', /lte/],
    ['query_rows', { table: EQUIPMENT, limit: 500 }, 'limit', /200/],
    ['query_rows', { table: EQUIPMENT, colour: 1 }, 'colour', /Known: table, filter/],
    ['query_rows', { table: EQUIPMENT, q: 'a\u0000b' }, 'q', /U\+0000/],
    ['query_rows', {}, 'table', /table/],
    ['query_rows', { table: EQUIPMENT, fields: ['weight,price'] }, 'fields[0]', /one name/],
    ['query_rows', { table: EQUIPMENT, fields: [''] }, 'fields[0]', /one name/],
    ['query_rows', { table: EQUIPMENT, sort: ['-weight,code'] }, 'sort[0]', /one name/],
    ['query_rows', { table: EQUIPMENT, cursor: 'eA' }, 'cursor', /cursor/],
    [
      'query_rows',
      { table: EQUIPMENT, filter: { 'location.nope': 1 } },
      'filter[location.nope]',
      /: code, name, parent\.$/,
    ],
    ['aggregate_rows', { table: EQUIPMENT, group: [' '] }, 'group[0]', /one name/],
    ['aggregate_rows', { table: EQUIPMENT, group: ['kind'], sort: ['weight'] }, 'sort', /Allowed: kind, count\.$/],
    ['aggregate_rows', { table: EQUIPMENT, having: { weight: 1 } }, 'having[weight]', /: count\.$/],
    ['aggregate_rows', { table: EQUIPMENT, measures: [] }, 'measures', /is empty/],
    ['list_notes', { filter: { nope: 1 } }, 'filter[nope]', /"notes" has no column "nope". Known columns: id, number/],
    ['propose_rows', { table: EQUIPMENT, rows: [{ code: 'P-1', weight: {} }] }, 'rows[0].weight', /text, number/],
    ['propose_rows', { table: EQUIPMENT, rows: [{ code: 'P-1', name: CUT }] }, 'rows[0].name', /was cut/],
    ['create_note', { title: CUT }, 'title', /was cut/],
    ['create_note', { title: 'x', fields: { shift: CUT } }, 'fields.shift', /was cut/],
    ['add_message', { noteId: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a', description: CUT }, 'description', /was cut/],
    ['get_row', { table: EQUIPMENT, key: 'X' }, 'key', /search/],
    ['get_row', { table: EQUIPMENT, key: { a: 1 } }, 'key', /string/],
    ['get_note', { noteId: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' }, 'noteId', /list_notes/],
    ['create_note', { title: 'x', location: 'X' }, 'location', /X/],
    ['create_note', { title: 'x', dueDate: 'tomorrow' }, 'dueDate', /with its zone, such as 2026/],
    ['list_notes', { status: 'open' }, 'status', /array/],
    ['list_tables', { workspaceId: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' }, 'workspaceId', /not found/],
  ])('of %s %j name the field and the remedy', async (tool, input, field, message) => {
    const error = await fail(assistant, tool, input);
    expect(error['remedy']).toMatch(/\.$/);
    expect(error['details'].errors[0].field).toBe(field);
    expect(`${error['message']} ${error['details'].errors[0].message}`).toMatch(message);
  });

  it('of large answers state how to narrow the request, and long texts are cut', async () => {
    const items = Array.from({ length: 200 }, (_, at) => ({
      code: `L-${at}`,
      name: 'x'.repeat(400),
      note: 'y'.repeat(5_000),
    }));
    const columns = ['code', 'name', 'note'].map(text);
    expect(
      (await owner.post(`${workspace}/cw/lists/bulk`, { lists: [{ name: 'Large', columns, items }] })).status,
    ).toBe(201);
    const error = await fail(assistant, 'query_rows', { table: 'lists/Large', limit: 200 });
    expect(error).toMatchObject({
      error: 'answer_too_large',
      details: { limit: 65_536 },
      remedy: 'Narrow it by limit, fields, filter.',
    });
    const { rows } = (await call(assistant, 'query_rows', { table: 'lists/Large', limit: 1 })) as { rows: string[][] };
    const note = rows[0]![2];
    expect(note).toBe(`${'y'.repeat(500)}… [cut; the text has 5000 characters]`);
    expect((await call(assistant, 'get_row', { table: 'lists/Large', key: 'L-1' }))['row'].note).toHaveLength(5_000);

    // Of tools that lack some of these arguments.
    const wide = Array.from({ length: 12 }, (_, at) => `c${at}`);
    const row = Object.fromEntries(wide.map((name) => [name, 'z'.repeat(8_000)]));
    const table = { name: 'Wide', columns: ['code', ...wide].map(text), items: [{ code: 'W', ...row }] };
    expect((await owner.post(`${workspace}/cw/lists/bulk`, { lists: [table] })).status).toBe(201);
    const ofRow = await call(assistant, 'get_row', { table: 'lists/Wide', key: 'W' });
    expect(ofRow['row'].c0).toBe(`${'z'.repeat(4_000)}… [cut; the text has 8000 characters]`);
    const ofColumn = await call(assistant, 'get_row', { table: 'lists/Wide', key: 'W', fields: ['c0'] });
    expect(ofColumn['row']).toEqual({ code: 'W', c0: 'z'.repeat(8_000) });
    const { note: long } = await call(assistant, 'create_note', { title: 'Long' });
    for (let count = 0; count < 12; count++)
      await call(assistant, 'add_message', { noteId: long.id, description: 'm'.repeat(8_000) });
    const ofNote = await call(assistant, 'get_note', { noteId: long.id });
    expect(ofNote['messages'][11].description).toMatch(/^m{4000}… \[cut; the text has 8000 characters\]$/);
    const [ofMessage] = (await call(assistant, 'get_note', { noteId: long.id, limit: 1 }))['messages'];
    expect(ofMessage.description).toHaveLength(8_000);
  });

  it('of large answers do not occur to a single entry, or after a change', async () => {
    const other = await service.provision();
    const admin = await new Api(service.baseUrl).signIn(other);
    const path = `/v2/api/workspaces/${other.workspaceId}`;
    const fields = Array.from({ length: 50 }, (_, at) => text(`f${at}`));
    expect((await admin.put(`${path}/note-fields`, { fields })).status).toBe(200);
    await admin.patch(`/v1/api/workspaces/${other.workspaceId}`, { settings: { assistants: 'propose' } });
    const client = await connect({ 'X-API-Key': other.apiKey });
    const values = Object.fromEntries(fields.map(({ key }) => [key, '漢'.repeat(600)]));
    const sent = { title: '漢'.repeat(500), description: '漢'.repeat(8_000), fields: values };
    const { note } = await call(client, 'create_note', sent);
    expect(note).toEqual({ id: expect.any(String), number: 1, title: sent.title, status: 'open' });
    const [listed] = (await call(client, 'list_notes', { limit: 1 }))['notes'];
    expect(listed).toMatchObject({ id: note.id, customFields: { f49: expect.stringContaining('has 600 characters') } });
    expect((await call(client, 'get_note', { noteId: note.id, limit: 1 }))['note'].fields.f49).toMatch(
      /600 characters/,
    );

    const described = Array.from({ length: 151 }, (_, at) => ({ ...text(`c${at}`), description: 'd'.repeat(600) }));
    const tables = { lists: [{ name: 'Wide', columns: described, items: [] }] };
    expect((await admin.post(`${path}/cw/lists/bulk`, tables)).status).toBe(201);
    const first = await call(client, 'describe_table', { table: 'lists/Wide' });
    const next = await call(client, 'describe_table', { table: 'lists/Wide', cursor: first['nextCursor'] });
    expect([...first['columns'], ...next['columns']].map(({ key }) => key as string)).toEqual(
      described.map(({ key }) => key),
    );
    expect(next['nextCursor']).toBeNull();
  });

  it('of requests have the form of JSON-RPC, and are fast', async () => {
    const deep = `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`;
    const tools = (input: unknown) => ({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: input });
    const requests: [body: unknown, status: number, code: number | undefined][] = [
      ['{', 400, -32_700],
      [deep, 400, -32_700],
      [[tools({ name: 'list_tables' })], 400, -32_600],
      [{ jsonrpc: '2.0', id: 7 }, 400, -32_700],
      [`{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"${'x'.repeat(1_100_000)}"}}`, 413, -32_000],
      [{ jsonrpc: '2.0', id: 7, method: 'resources/list' }, 200, -32_601],
      [tools({ name: 'drop_tables', arguments: {} }), 200, -32_602],
      [tools({ name: 'toString', arguments: {} }), 200, -32_602],
      [tools({ arguments: {} }), 200, -32_602],
      [tools({ name: 5 }), 200, -32_602],
      [tools({ name: 'list_tables', arguments: [] }), 200, -32_602],
      [tools({ name: 'list_tables', arguments: 'x' }), 200, -32_602],
      [tools({ name: 'list_tables', arguments: null }), 200, undefined],
      ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', 400, -32_700],
      ['{"jsonrpc":"2.0","id":"9007199254740993","method":"ping"}', 200, undefined],
    ];
    for (const [body, status, code] of requests) {
      const elapsed = measureElapsed();
      const answer = await send(body);
      expect([answer.status, answer.body.jsonrpc, answer.body.error?.code]).toEqual([status, '2.0', code]);
      expect(elapsed()).toBeLessThan(3_000);
      expect(answer.body.error?.message ?? '').not.toMatch(/[{[]/);
    }
    const nested = {
      table: EQUIPMENT,
      filter: Array.from({ length: 25 }).reduce<object>((not) => ({ not }), { kind: 'pump' }),
    };
    expect((await fail(assistant, 'query_rows', nested))['details'].errors[0].code).toBe('filter_too_deep');
  });

  it('of credentials lead to the metadata, and other methods and origins are rejected', async () => {
    const anonymous = new Api(service.baseUrl);
    const rejected = await anonymous.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' });
    expect([rejected.status, rejected.body.error.data.error]).toEqual([401, 'unauthenticated']);
    const [, address] = /^Bearer resource_metadata="(.*)"$/.exec(rejected.headers.get('www-authenticate')!) ?? [];
    const path = new URL(address!).pathname;
    expect(path).toBe('/.well-known/oauth-protected-resource/mcp');
    const metadata = await anonymous.get(path);
    expect(metadata.body).toMatchObject({
      resource: expect.stringMatching(/\/mcp$/),
      bearer_methods_supported: ['header'],
    });
    expect((await anonymous.get('/.well-known/oauth-protected-resource')).body).toEqual(metadata.body);
    expect((await anonymous.get('/.well-known/oauth-protected-resource/other')).status).toBe(404);
    const invalid = await anonymous.withToken('x.y.z').post('/mcp', {});
    expect(invalid.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", resource_metadata="/);
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    for (const origin of ['https://evil.example', 'null'])
      expect([(await send(ping, { Origin: origin })).status]).toEqual([403]);
    expect(await send(ping)).toMatchObject({ status: 200, body: { id: 1, result: {} } });
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await new Api(service.baseUrl).withKey(me.apiKey).send('/mcp', { method });
      expect([answer.status, answer.headers.get('allow'), answer.body.jsonrpc]).toEqual([405, 'POST', '2.0']);
    }
    const notification = await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([notification.status, notification.body]).toEqual([202, '']);
  });
});

describe('the guide', () => {
  it('has a transcript of these calls', async () => {
    const caller = await service.provision();
    const api = new Api(service.baseUrl).withKey(caller.apiKey);
    const path = `/v2/api/workspaces/${caller.workspaceId}/cw/assets/bulk`;
    expect((await api.post(path, { assets: [TABLES.assets[0]] })).status).toBe(201);
    const setting = { settings: { assistants: 'propose' } };
    expect((await api.patch(`/v1/api/workspaces/${caller.workspaceId}`, setting)).status).toBe(200);
    const client = await connect({ 'X-API-Key': caller.apiKey });
    const calls: [tool: string, input: object][] = [
      ['list_tables', {}],
      ['query_rows', { table: EQUIPMENT, filter: { kind: 'pump', weight: { gte: 95 } }, fields: ['name', 'weight'] }],
      ['query_rows', { table: EQUIPMENT, filter: { wheight: { gte: 95 } } }],
      ['propose_rows', { table: EQUIPMENT, rows: [{ code: 'P-2', weight: 96 }] }],
    ];
    const lines: string[] = [];
    for (const [name, input] of calls) {
      const { content, isError } = await client.callTool({ name, arguments: input as Record<string, unknown> });
      const answer = JSON.parse((content as { text: string }[])[0]!.text) as object;
      lines.push(`> ${name} ${JSON.stringify(input)}`, ...(isError ? ['isError'] : []));
      lines.push(...Object.entries(answer).map(([field, value]) => `${field}: ${JSON.stringify(value)}`), '');
    }
    const recorded = lines.join('\n').replace(/[\da-f]{8}-[\da-f-]{27}/g, 'ID');
    const guide = readFileSync(join(__dirname, '../../docs/how-to/connecting-an-assistant.md'), 'utf8');
    const [, documented] = /```text transcript\n([\s\S]*?)```/.exec(guide) ?? [];
    expect(documented).toBe(recorded);
  });
});
