import { Webhook } from 'standardwebhooks';
import { CommandLine, ending } from '../support/command-line.js';
import { Receiver } from '../support/receiver.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { column, Tables, text } from '../support/tables.js';
import { until } from '../support/until.js';

let service: SharedService;
let atrium: CommandLine;
let tables: Tables;

beforeAll(async () => {
  ({ service } = await shareService());
  const credentials = await service.provision();
  atrium = new CommandLine(service, credentials);
  tables = Tables.of(service, credentials);
});

describe('atrium api', () => {
  const create = async (...args: string[]): Promise<any> =>
    JSON.parse((await atrium.run(['api', '/v1/api/projects', ...args])).stdout).data;

  it('sends texts with -f, values with -F, files with @, and POST as soon as there are fields', async () => {
    atrium.write('description.txt', 'First line\nSecond "line"');
    const project = await create('-f', 'name=10', '-F', 'description=@description.txt');
    expect(project).toMatchObject({ name: '10', description: 'First line\nSecond "line"' });
    const wrong = await atrium.run('api /v1/api/projects -F name=10');
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('name');
    const listed = await atrium.run('api /v1/api/projects -X GET -F limit=1 --jq .data.items[].name');
    expect(listed).toMatchObject({ code: 0, stdout: '10\n' });
  });

  it('sends nested fields as objects and lists', async () => {
    const path = '/v2/api/workspaces/{workspaceId}/cw/bulk';
    const fields = ['tables[][type]=asset', 'tables[][name]=Nested', 'tables[][columns][][key]=code'];
    const flags = [...fields, 'tables[][columns][][name]=Code', 'tables[][columns][][type]=text'];
    const { code, stderr } = await atrium.run([
      ...['api', path, ...flags.flatMap((field) => ['-f', field])],
      ...['-F', 'tables[][items]=[{ "code": "A" }]'],
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await atrium.rowsOf('Nested')).toEqual([{ code: 'A' }]);
    for (const [first, second] of [
      ['a=1', 'a=2'],
      ['a=1', 'a[b]=2'],
      ['a[]=1', 'a[b]=2'],
      ['[a]=1', 'b=1'],
    ] as const)
      expect((await atrium.run(['api', path, '-f', first, '-f', second])).code).toBe(1);
  });

  it('sends a file or standard input with --input, headers with -H, and prints the response with -i', async () => {
    atrium.write('project.json', '{ "name": "From a file" }');
    expect(await atrium.run('api http://example.com/x')).toMatchObject(ending(1, /^"http:.*" must begin with/));
    const filed = await atrium.run('api POST v1/api/projects --input project.json -i');
    expect(filed.stdout).toMatch(/^HTTP\/1\.1 201 Created\n/);
    const [head, body] = filed.stdout.split('\n\n');
    const { id } = JSON.parse(body!).data;
    const etag = /^etag: (.+)$/m.exec(head!)![1]!;
    const change = ['api', 'PATCH', `/v1/api/projects/${id}`, '-H', `If-Match: ${etag}`];
    const piped = await atrium.run([...change, '--input', '-', '--jq', '.data.name'], '{ "name": "From a pipe" }');
    expect(piped).toMatchObject({ code: 0, stdout: 'From a pipe\n' });
    const outdated = await atrium.run([...change, '-f', 'name=Lost', '-i']);
    expect(outdated.code).toBe(1);
    expect(outdated.stdout).toMatch(/^HTTP\/1\.1 412 Precondition Failed\n/);
    expect(outdated.stdout).toContain('"error": "version_mismatch"');
    expect(outdated.stderr).toContain('412 version_mismatch');
  });

  it('sends a CSV file as it is', async () => {
    await atrium.fill('Sent', [{ code: 'A', weight: 1 }]);
    atrium.write('sent.csv', 'code,weight\nB,2\n');
    const path = 'v2/api/workspaces/{workspaceId}/cw/assets/Sent/items/import';
    const sent = ['api', 'POST', path, '--input', 'sent.csv', '-H', 'Content-Type: text/csv', '-f', 'onError=continue'];
    expect(await atrium.run([...sent, '--jq', '.data.totals.created'])).toMatchObject({ code: 0, stdout: '1\n' });
    const exported = path.replace('/import', '');
    expect((await atrium.run(['api', exported, '-H', 'Accept: text/csv'])).stdout).toContain('B,2');
    const filtered = await atrium.run(['api', exported, '-H', 'Accept: text/csv', '--jq', '.']);
    expect(filtered).toMatchObject(ending(1, 'text/csv'));
  });

  it('reads all pages with --paginate, and applies a filter to each entry', async () => {
    await create('-f', 'name=One more');
    const all = ['api', '/v1/api/projects', '--paginate', '-X', 'GET', '-F', 'limit=1'];
    const lines = (await atrium.run(all)).stdout.trim().split('\n');
    const names = lines.map((line) => JSON.parse(line).name);
    expect(names.length).toBeGreaterThan(1);
    expect((await atrium.run([...all, '--jq', '.name'])).stdout).toBe(names.map((name) => `${name}\n`).join(''));
    const one = await atrium.run(['api', `/v1/api/projects/${JSON.parse(lines[0]!).id}`, '--paginate']);
    expect(one).toMatchObject(ending(1, 'Remove --paginate'));
  });

  it('rejects a wrong filter, header, method or other credentials before it sends a request', async () => {
    const count = async () => (await atrium.run('api /v1/api/projects --paginate')).stdout.split('\n').length;
    const before = await count();
    for (const [flags, message] of [
      [['--jq', '.data |'], 'syntax error'],
      [['-H', 'Accept'], 'is not a header'],
      [['-H', 'X-API-Key: other'], '--profile'],
      [['-X', 'FETCH'], 'is not a method'],
      [['--input', 'absent.json'], 'Nothing was sent'],
    ] as const)
      expect(await atrium.run(['api', '/v1/api/projects', '-f', 'name=Unwanted', ...flags])).toMatchObject(
        ending(1, message),
      );
    expect(await count()).toBe(before);
  });
});

describe('rows', () => {
  it('are shown, changed, created, renamed and deleted by their key', async () => {
    const columns = [text('Code'), column('Weight', 'number'), column('Built', 'date')];
    const items = [{ code: '0001', weight: 1, built: '2024-01-31' }];
    expect((await tables.bulk('assets', { name: 'Rows', columns, items })).status).toBe(201);
    expect(await atrium.run('set Rows 0001 Weight=2.5 built=')).toMatchObject({ code: 0 });
    expect((await atrium.run('get Rows 0001')).stdout).toBe('code: 0001\nweight: 2.5\nbuilt: \n');
    const invalid = await atrium.run('set Rows 0001 weight=2,5');
    expect(invalid).toMatchObject(ending(2, 'weight'));
    const absent = await atrium.run('set Rows 0002 weight=3');
    expect(absent).toMatchObject(ending(1, '"0002". --create creates it.'));
    const created = await atrium.json('set', 'Rows', '0002', 'weight=3', '--create');
    expect(created).toEqual({ code: '0002', weight: 3, built: null });
    expect((await atrium.run('set Rows 0001 mass=3')).stderr).toContain('code, weight, built');
    expect((await atrium.run('set Rows 0001 code=3')).stderr).toContain('atrium rename');
    expect((await atrium.run('rename Rows 0002 A/2')).stdout).toContain('Renamed 0002 to A/2');
    expect(await atrium.json('get', 'Rows', 'A/2')).toMatchObject({ weight: 3 });
    expect((await atrium.run('delete Rows A/2')).stderr).toContain('Add --yes');
    const deleted = await atrium.run('delete Rows A/2 unknown --yes --json');
    const result = JSON.parse(deleted.stdout);
    expect({ code: deleted.code, result }).toMatchObject({ code: 1, result: { deleted: 1, missing: ['unknown'] } });
    expect(await atrium.rowsOf('Rows')).toHaveLength(1);
    await atrium.run(['undo', result.batchId, '--yes']);
    expect(await atrium.rowsOf('Rows')).toHaveLength(2);
    expect((await atrium.run('get Rows none')).stderr).toContain('asset/Rows has no row with the key "none"');
  });
});

describe('notes', () => {
  it('take the fields of the API, and are found by them', async () => {
    await atrium.client.table('location', 'Plant').upsert([{ code: 'AT10' }], {
      columns: [{ key: 'code', name: 'Code', type: 'text' }],
    });
    await atrium.fill('Pumps', [{ code: 'P1' }]);
    const fields = ['--description', 'Oil', '--location', 'AT10', '--location-table', 'Plant', '--asset', 'P1'];
    const people = ['--assignee', 'maria', '--reporter', 'jan', '--priority', 'high'];
    const times = ['--due-date', '2026-12-01T08:00:00Z', '--scheduled-date', '2026-11-30T08:00:00Z'];
    const own = ['--custom-field', 'shift=night', '--custom-field', 'crew=a=b', '--external-id', 'SAP-1'];
    const note = await atrium.json('notes', 'create', '--title', 'Leak', ...fields, ...people, ...times, ...own);
    expect(note).toMatchObject({
      description: 'Oil',
      assignee: 'maria',
      reporter: 'jan',
      priority: 'high',
      externalId: 'SAP-1',
      dueDate: '2026-12-01T08:00:00.000Z',
      scheduledDate: '2026-11-30T08:00:00.000Z',
      customFields: { shift: 'night', crew: 'a=b' },
    });
    expect(JSON.stringify([note.location, note.asset])).toMatch(/AT10.*P1/);
    for (const filter of [
      ['--assignee', 'maria', '--due-to', '2026-12-02T00:00:00Z'],
      ['--external-id', 'SAP-1'],
      ['--asset', 'P1', '--asset-table', 'Pumps'],
      ['--search', 'leak'],
    ])
      expect(await atrium.json('notes', 'list', ...filter)).toMatchObject([{ id: note.id }]);
    expect(await atrium.json('notes', 'list', '--assignee', 'nobody')).toEqual([]);
  });
});

describe('atrium query', () => {
  beforeAll(async () => {
    const columns = [text('Code'), text('Plant'), column('Weight', 'number')];
    const items = [
      { code: 'A', plant: '1000', weight: 10 },
      { code: 'B', plant: '1000', weight: 5 },
      { code: 'C', plant: '2000', weight: 7 },
      { code: 'D', plant: '3000', weight: 1.23456 },
      { code: 'E', plant: '3000', weight: -12345.5 },
    ];
    expect((await tables.bulk('assets', { name: 'Queried', columns, items })).status).toBe(201);
  });

  it('prints the rows that meet all conditions', async () => {
    const { stdout } = await atrium.run('query Queried --where weight>=7 --sort -weight');
    expect(stdout).toMatch(/code +plant +weight\n.*A +1000 +10\n.*C +2000 +7\n/s);
    const exact = await atrium.run('query Queried --where plant=3000 --sort code');
    expect(exact.stdout).toMatch(/D +3000 +1\.23456\n.*E +3000 +-12345\.5\n/s);
    const filter = ['--where', '{"or":[{"code":"C"},{"weight":5}]}', '--where', 'plant^=1'];
    expect(await atrium.json('query', 'Queried', ...filter, '--fields', 'plant')).toEqual([
      { code: 'B', plant: '1000' },
    ]);
    expect(await atrium.json('query', 'Queried', '--limit', '1')).toHaveLength(1);
  });

  it('prints groups with their measures', async () => {
    const measures = ['--count', '--sum', 'weight', '--sort', '-count'];
    const { stdout } = await atrium.run(['query', 'Queried', '--group', 'plant', ...measures]);
    expect(stdout).toMatch(/plant +count +sum\(weight\)\n.*1000 +2 +15\n.*2000 +1 +7\n/s);
    const having = ['--max', 'weight', '--having', 'max(weight)>7'];
    expect(await atrium.json('query', 'Queried', '--group', 'plant', ...having)).toEqual([
      { group: { plant: '1000' }, measures: { 'max(weight)': 10 } },
    ]);
    expect(await atrium.json('query', 'Queried', '--count-distinct', 'plant')).toEqual([
      { group: {}, measures: { 'countDistinct(plant)': 3 } },
    ]);
  });

  it('ends with code 1 if flags of rows and groups are combined', async () => {
    for (const flags of [
      ['--group', 'plant', '--fields', 'code'],
      ['--having', 'count>1'],
    ])
      expect((await atrium.run(['query', 'Queried', ...flags])).code).toBe(1);
  });
});

describe('atrium search', () => {
  it('prints the hits of all kinds with the matching text, and what is incomplete', async () => {
    const columns = [text('Code'), text('Name')];
    const items = ['Searched valve', 'Searched motor'].map((name, at) => ({ code: `S${at}`, name }));
    expect((await tables.bulk('assets', { name: 'Searched', columns, items })).status).toBe(201);
    const { stdout } = await until(
      () => atrium.run('search searched vavle'),
      ({ stderr }) => !stderr.includes('The index is being built'),
    );
    expect(stdout).toMatch(/asset\/Searched, similar +S0 +Searched valve +name: \[Searched\] \[valve\]/);
    const hits = await atrium.json('search', 'searched', '--kinds', 'rows', '--tables', 'assets/Searched');
    expect(hits).toMatchObject([{ kind: 'rows', id: 'S0' }, { id: 'S1' }]);
    const { stderr } = await atrium.run('search searched --limit 1');
    expect(stderr).toContain('There may be more rows.');
    expect((await atrium.run('search searched --kinds walls')).code).toBe(1);
  });
});

describe('webhooks trigger', () => {
  it('sends a signed sample of an event to a local receiver', async () => {
    const receiver = await Receiver.start();
    const trigger = ['webhooks', 'trigger', 'note.created', '--forward', receiver.url];
    try {
      const { code, stdout } = await atrium.run(trigger);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('note.created: 204') });
      const secret = /^Secret: (\S+)$/m.exec(stdout)![1]!;
      const { headers, body } = receiver.received[0]!;
      const event = new Webhook(secret).verify(body, headers) as any;
      const { workspaceId } = atrium.caller;
      const note = { workspaceId, status: 'open', files: [{ contentType: 'image/jpeg' }] };
      expect(event).toMatchObject({ type: 'note.created', workspaceId, data: { note } });
      const example = await atrium.client.notes.create({ title: 'Same fields' });
      expect(Object.keys(event.data.note).toSorted()).toEqual(expect.arrayContaining(Object.keys(example).toSorted()));
      receiver.behavior = (response) => void response.writeHead(500).end();
      expect((await atrium.run(trigger)).code).toBe(1);
      const unknown = await atrium.run(['webhooks', 'trigger', 'note.burnt', '--forward', receiver.url]);
      expect(unknown).toMatchObject(ending(1, 'note.created, '));
    } finally {
      receiver.stop();
    }
  });
});

it('an upsert and a deletion of the client return the batches that undo them', async () => {
  const table = atrium.client.assets('Batched');
  const columns = [{ key: 'code', name: 'Code', type: 'text' as const }];
  const { batchIds } = await table.upsert([{ code: 'A' }, { code: 'B' }, { code: 'C' }], { columns, chunkSize: 2 });
  expect(batchIds).toHaveLength(2);
  const deleted = await table.delete(['A', 'B']);
  expect(deleted).toMatchObject({ totals: { deleted: 2 }, batchIds: [expect.any(String)] });
  const undone = [];
  for (const id of [...deleted.batchIds, ...batchIds.toReversed()])
    undone.push((await atrium.client.batches.undo(id)).totals);
  expect(undone).toEqual([
    { created: 2, updated: 0, deleted: 0 },
    { created: 0, updated: 0, deleted: 1 },
    { created: 0, updated: 0, deleted: 2 },
  ]);
  expect(await atrium.rowsOf('Batched')).toEqual([]);
});
