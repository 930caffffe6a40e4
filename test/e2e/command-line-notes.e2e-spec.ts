import { writeXlsx } from 'hucre/xlsx';
import { CommandLine, ending } from '../support/command-line.js';
import { DisturbedService } from '../support/disturbed-service.js';
import { shareService } from '../support/shared-services.js';

const FIELDS = [
  { key: 'workCenter', name: 'Work center', type: 'choice', choices: ['MECH', 'ELEC'] },
  { key: 'downtime', name: 'Downtime in hours', type: 'number' },
];

const NOTES = [
  { externalId: 'A', title: 'Bearing is hot', workCenter: 'MECH', fields: { downtime: 2.5 } },
  { externalId: 'B', title: 'Sensor fails', workCenter: 'ELEC' },
  { externalId: 'C', title: 'Noise', workCenter: 'MECH' },
];

let atrium: CommandLine;

const lines = (items: readonly object[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');

beforeEach(async () => {
  const { service } = await shareService();
  atrium = new CommandLine(service, await service.provision());
  atrium.write('fields.json', JSON.stringify(FIELDS));
  expect(await atrium.run('note-fields set fields.json')).toMatchObject({ code: 0, stdout: '2 fields were stored.\n' });
});

it('note-fields prints the fields as set reads them', async () => {
  expect(await atrium.json('note-fields', 'list')).toEqual(FIELDS);
  atrium.write('wrong.json', '[{ "key": "a", "name": "A", "type": "choice" }]');
  expect(await atrium.run('note-fields set wrong.json')).toMatchObject(ending(1, /fields\[0\]\.choices/));
  atrium.write('broken.json', '[{ "key": }]');
  expect(await atrium.run('note-fields set broken.json')).toMatchObject(ending(1, /not valid JSON at column 11/));
});

it('notes create, list and export take the type, the category, the work center and the fields of the workspace', async () => {
  const note = ['--title', 'Pump leaks', '--type', 'note', '--category', 'mechanical', '--work-center', 'MECH'];
  const { id, number } = await atrium.json('notes', 'create', ...note, '--field', 'downtime=2.5', '--assignee', 'crew');
  expect(await atrium.json('notes', 'create', '--title', 'Noise', '--work-center', 'ELEC')).toMatchObject({
    type: 'note',
  });
  expect(await atrium.json('notes', 'show', id)).toMatchObject({
    category: 'mechanical',
    workCenter: 'MECH',
    customFields: { downtime: '2.5' },
  });
  expect((await atrium.run(['notes', 'show', id])).stdout).toContain('fields: \n  workCenter: MECH\n  downtime: 2.5\n');
  expect(await atrium.json('notes', 'show', String(number))).toMatchObject({ id });
  expect(await atrium.run('notes show 999')).toMatchObject(ending(1, 'no note with the number 999'));
  const rejected = await atrium.run('notes create --title Noise --field downtime=long --field lost=x');
  expect(rejected.stderr).toMatch(/^ {2}\S+: /m);
  expect(rejected.stderr).not.toMatch(/(\S+: )\1/);
  const wrong = await atrium.run('notes create --title Noise --field downtime=long');
  expect(wrong).toMatchObject(ending(2, /downtime/));
  for (const flags of [
    ['--category', 'mechanical', '--type', 'note', '--work-center', 'MECH'],
    ['--filter', 'downtime>2', '--filter', 'title~leak'],
  ])
    expect(await atrium.json<any[]>('notes', 'list', ...flags)).toMatchObject([{ id }]);
  for (const flags of [
    ['--search', 'leaks'],
    ['--assignee', 'crew', '--filter', 'downtime=2.5'],
  ])
    expect(await atrium.json('notes', 'export', ...flags)).toMatchObject({ id });
  expect(await atrium.run('notes export --location-table Sites')).toMatchObject(ending(1, /locationKey/));
});

it('notes import stores all notes of a file or none, and names the lines in error', async () => {
  atrium.write('notes.ndjson', lines(NOTES));
  const dryRun = await atrium.run('notes import notes.ndjson --dry-run');
  expect(dryRun).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Nothing was stored (--dry-run). 3 created'),
  });
  expect(await atrium.json('notes', 'list')).toEqual([]);
  expect(await atrium.run('notes import notes.ndjson')).toMatchObject({
    code: 0,
    stdout: '3 created, 0 updated, 0 unchanged, 0 failed.\n',
  });
  const changed = lines([{ ...NOTES[0], title: 'Changed' }]) + lines([{ externalId: 'D', workCenter: 'PIPE' }]);
  expect(await atrium.run('notes import -', changed)).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/^Nothing was stored: .* 0 created, 0 updated, 0 unchanged, 1 failed\.\n$/),
    stderr: expect.stringMatching(/^Line 2: .*PIPE/),
  });
  expect((await atrium.json<any[]>('notes', 'list')).map(({ title }) => title)).not.toContain('Changed');
  const rest = await atrium.run('notes import - --on-error continue', changed);
  expect(rest).toMatchObject({ code: 2, stdout: '0 created, 1 updated, 0 unchanged, 1 failed.\n' });
  expect(rest.stderr).toMatch(/^Line 2: .*PIPE/);
  expect(await atrium.run('notes import -', '{"title":"A"}\n[1]\n')).toMatchObject(
    ending(1, /Line 2 is not a JSON object/),
  );
});

it('notes import reads a table by the names of its columns, and names the lines in error', async () => {
  const table = ['externalId;title;workcenter;Downtime in hours', 'A;"Bearing; hot";MECH;2,5', 'B;Noise;;', ''];
  atrium.write('notes.csv', table.join('\n').replace('2,5', '2.5'));
  expect(await atrium.run('notes import notes.csv')).toMatchObject({
    code: 0,
    stdout: '2 created, 0 updated, 0 unchanged, 0 failed.\n',
  });
  const rows = (await atrium.run('notes export --columns externalId,title,workCenter,downtime --sort number')).stdout;
  expect(rows.split('\n').map((line) => line.split(',').slice(1).join())).toEqual([
    'externalId,title,workCenter,downtime',
    'A,Bearing; hot,MECH,2.5',
    'B,Noise,,',
    '',
  ]);
  const shifts = [
    { key: 'dayShift', name: 'Shift', type: 'text' },
    { key: 'shift', name: 'Night shift', type: 'text' },
  ];
  atrium.write('fields.json', JSON.stringify([...FIELDS, ...shifts]));
  await atrium.run('note-fields set fields.json');
  const wrong = 'externalId,status,downtime\nA,open,long\nB,open\nC,"o\npen",1\n';
  const rejected = await atrium.run('notes import -', wrong);
  expect(rejected).toMatchObject({ code: 2, stdout: expect.stringMatching(/^Nothing was stored: .* 3 failed\.\n$/) });
  expect(rejected.stderr).toMatch(/^Line 2: .*downtime: .*"long".*\nLine 3: .*\nLine 4: .*status/s);
  const rest = await atrium.run('notes import - --on-error continue', wrong);
  expect(rest).toMatchObject({ code: 2, stdout: '0 created, 0 updated, 0 unchanged, 3 failed.\n' });
  expect(rest.stderr.match(/^Line \d/gm)).toEqual(['Line 2', 'Line 3', 'Line 4']);
  for (const [header, message] of [
    ['externalId,colour', /Line 1: "colour" is not a field of notes\. The fields: externalId, .*, shift\./],
    ['title,Title', /Line 1: the field "title" has several columns\./],
    ['title,SHIFT', /Line 1: several fields have the name "SHIFT"\. Write a key: dayShift, shift\./],
  ] as const)
    expect(await atrium.run('notes import -', `${header}\nA,1\n`)).toMatchObject(ending(1, message));
});

it('notes import rejects the cells of a workbook that have no value', async () => {
  const rows = [['externalId', 'title'], ['A', 'Bearing is hot'], ['B'], ['C']];
  const cells = new Map([
    ['2,1', { type: 'error' as const, value: '#N/A' }],
    ['3,1', { formula: 'NEW()' }],
  ]);
  atrium.write('notes.xlsx', Buffer.from(await writeXlsx({ sheets: [{ name: 'S', rows, cells }] })));
  const imported = await atrium.run('notes import notes.xlsx --on-error continue');
  expect(imported).toMatchObject({ code: 2, stdout: '1 created, 0 updated, 0 unchanged, 2 failed.\n' });
  expect(imported.stderr).toMatch(/^Line 3: .*"title".*#N\/A\.\nLine 4: .*"title".*formula without a stored value\.$/m);
});

it('notes import stores nothing of several requests if a note is invalid, and reports what is stored if one fails', async () => {
  const many = Array.from({ length: 1_010 }, (_, index) => ({ externalId: `M${index}`, title: 'Leak' }));
  const titles = async () => (await atrium.json<any[]>('notes', 'list', '--limit', '2000')).length;
  const wrong = many.with(1_001, { externalId: 'M1001', title: 'x'.repeat(501) }).with(1_002, many[4]!);
  const rejected = await atrium.run('notes import -', lines(wrong));
  expect(rejected).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('0 created, 0 updated, 0 unchanged, 3 failed'),
  });
  expect(rejected.stderr).toMatch(
    /^Line 5: externalId is that of line 1003\..*\nLine 1002: .*title.*\nLine 1003: externalId is that of line 5\./,
  );
  const references = [{ system: 'SAP', id: '4711' }];
  const others = many.slice(0, 3).map((note, at) => ({ ...note, externalId: ['X', 'Y', ' X'][at] }));
  const taken = await atrium.run(
    'notes import -',
    lines(others.with(1, { ...others[1]!, externalReferences: references } as never)) +
      lines([{ title: 'Leak', externalReferences: references }]),
  );
  expect(taken.stderr.match(/^Line \d: \w+/gm)).toEqual([
    'Line 1: externalId',
    'Line 2: externalReferences',
    'Line 3: externalId',
    'Line 4: externalReferences',
  ]);
  expect(await titles()).toBe(0);

  const isStoring = /\/notes\/bulk\?.*dryRun=false/;
  const { service } = await shareService();
  const proxy = await DisturbedService.start(service, isStoring);
  const first = () => Promise.resolve();
  // The caller loses the right to write between the two requests.
  const keys = await atrium.json('keys', 'create', '--name', 'Revoked');
  const revoke = () => atrium.run('keys revoke Revoked --yes');
  proxy.disturbances = [first, revoke];
  const disturbed = new CommandLine(proxy, { ...atrium.caller, apiKey: keys.apiKey });
  const stopped = await disturbed.run('notes import -', lines(many));
  expect(stopped).toMatchObject({
    code: 1,
    stdout: 'The import has stopped. Stored so far: 1,000 created, 0 updated, 0 unchanged, 0 failed.\n',
    stderr: expect.stringContaining('invalid_api_key'),
  });
  expect(await titles()).toBe(1_000);
  await proxy.stop();
});

it.each(['ndjson', 'csv'])('notes import reads what notes export writes as %s', async (format) => {
  const rank = { key: 'rank', name: 'Rank', type: 'number' };
  atrium.write('fields.json', JSON.stringify([...FIELDS, rank, { key: 'priority', name: 'Priority', type: 'number' }]));
  await atrium.run('note-fields set fields.json');
  const nested = { externalId: 'D', title: '=1+1', priority: 2, downtime: 4.5, fields: { rank: 3 } };
  expect(await atrium.run('notes import -', lines([...NOTES, nested]))).toMatchObject({ code: 0 });
  const twice = lines([{ ...nested, fields: { downtime: 1 } }]);
  expect(await atrium.run('notes import -', twice)).toMatchObject(
    ending(1, 'Line 1: the field "downtime" has several'),
  );
  const unknown = await atrium.run('notes import -', lines([{ ...nested, colour: 'red' }]));
  expect(unknown).toMatchObject(ending(2, /^Line 1: .*colour/));

  const exported = (await atrium.run(['notes', 'export', '--format', format, '--sort', 'externalId'])).stdout;
  const changed = exported.replace('Sensor fails', 'Sensor works');
  const imported = await atrium.run('notes import -', changed);
  expect(imported).toMatchObject({ code: 0, stdout: '0 created, 1 updated, 3 unchanged, 0 failed.\n' });
  expect(imported.stderr).toContain('Not imported, because the service sets them: id, number');
  const again = (await atrium.run(['notes', 'export', '--format', format, '--sort', 'externalId'])).stdout;
  const withoutTimes = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');
  expect(withoutTimes(again)).toBe(withoutTimes(changed));
});

it('notes update changes those that match, notes export writes all', async () => {
  await atrium.run('notes import -', lines(NOTES));
  const args = ['notes', 'update', '--filter', 'workCenter=MECH', '--set', 'status=in_progress', '--set', 'downtime=1'];
  expect(await atrium.run([...args, '--dry-run'])).toMatchObject({
    code: 0,
    stdout: 'Nothing was changed (--dry-run). 2 notes match: 2 changed, 0 unchanged.\n',
  });
  expect((await atrium.run(args)).stdout).toBe('2 notes match: 2 changed, 0 unchanged.\n');
  const { stdout } = await atrium.run([
    'notes',
    'export',
    '--filter',
    'downtime=1',
    '--columns',
    'title,status',
    '--sort',
    'title',
  ]);
  expect(stdout.split('\n').map((line) => line.split(',').slice(1).join())).toEqual([
    'title,status',
    'Bearing is hot,in_progress',
    'Noise,in_progress',
    '',
  ]);
  for (const name of ['shift', 'title'])
    expect(await atrium.run(`notes update --filter number>0 --set ${name}=day`)).toMatchObject(
      ending(2, `--set cannot change "${name}". Allowed: type, status, `),
    );
  expect(await atrium.run('notes update --set status=open')).toMatchObject(ending(1, '--filter or --assignee'));
  const { id } = await atrium.json('notes', 'create', '--title', 'Crew', '--assignee', 'crew');
  expect((await atrium.run('notes update --assignee crew --set downtime=3')).stdout).toMatch(
    /^1 notes match: 1 changed/,
  );
  expect(await atrium.json('notes', 'show', id)).toMatchObject({ fields: { downtime: 3 } });
  const transition = 'notes update --filter number>0 --set downtime=long';
  expect(await atrium.run(transition)).toMatchObject(ending(2, /downtime/));
  expect(await atrium.run(`${transition} --on-error continue`)).toMatchObject(ending(2, /downtime/));
});

it('notes report changes the other notes if the rules do not permit the change of one', async () => {
  const setTypes = async (transitions: { from: string; to: string }[]) => {
    const params = { path: { workspaceId: atrium.caller.workspaceId } };
    const body = { types: [{ key: 'note', name: 'Note', transitions }] };
    await atrium.client.put('/v2/api/workspaces/{workspaceId}/note-types', { params, body });
  };
  const load = async (rows: string[]) => {
    atrium.write('parts.csv', ['code,weight', ...rows, ''].join('\n'));
    await atrium.run('import parts.csv --table Parts --entity list --on-error continue --results parts');
  };
  const columns = [
    { name: 'Code', type: 'text' as const },
    { name: 'Weight', type: 'number' as const },
  ];
  await atrium.client.lists('Parts').upsert([{ code: 'A' }], { columns });
  const transitions = [
    { from: 'open', to: 'in_progress' },
    { from: 'in_progress', to: 'resolved' },
  ];
  await setTypes(transitions);
  await load(['A,heavy', 'B,big']);
  expect(await atrium.run('notes report parts')).toMatchObject({ code: 0, stdout: 'Parts: 2 notes created\n' });
  await atrium.run('notes update --filter title~B: --set status=in_progress');

  await load(['A,1', 'B,2', 'C,tall']);
  expect(await atrium.run('notes report parts')).toMatchObject({
    code: 2,
    stdout: 'Parts: 1 note created, 1 closed, 1 rejected\n',
    stderr: expect.stringMatching(/^Parts A: weight: .*cannot change from "open" to "resolved".*invalid_transition/),
  });
  const { code, stdout } = await atrium.run('notes report parts --json');
  const report = { rejected: 1, unchanged: 1, errors: [{ title: 'Parts A: weight' }] };
  expect([code, JSON.parse(stdout)]).toMatchObject([2, [report]]);

  await setTypes([...transitions, { from: 'open', to: 'resolved' }]);
  expect(await atrium.run('notes report parts')).toMatchObject({
    code: 0,
    stdout: 'Parts: 1 note closed, 1 unchanged\n',
  });
});
