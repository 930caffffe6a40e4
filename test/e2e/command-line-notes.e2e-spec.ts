import { CommandLine, ending } from '../support/command-line.js';
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
    stdout: '3 created, 0 updated, 0 failed.\n',
  });
  const changed = lines([{ ...NOTES[0], title: 'Changed' }]) + lines([{ externalId: 'D', workCenter: 'PIPE' }]);
  expect(await atrium.run('notes import -', changed)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('PIPE'),
  });
  const rest = await atrium.run('notes import - --on-error continue', changed);
  expect(rest).toMatchObject({ code: 2, stdout: '0 created, 1 updated, 1 failed.\n' });
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
    stdout: '2 created, 0 updated, 0 failed.\n',
  });
  const rows = (await atrium.run('notes export --columns externalId,title,workCenter,downtime --sort number')).stdout;
  expect(rows.split('\n').map((line) => line.split(',').slice(1).join())).toEqual([
    'externalId,title,workCenter,downtime',
    'A,Bearing; hot,MECH,2.5',
    'B,Noise,,',
    '',
  ]);
  const wrong = 'externalId,status,downtime\nA,open,long\nB,open\nC,"o\npen",1\n';
  expect(await atrium.run('notes import -', wrong)).toMatchObject(ending(1, /^Line 3: .*\n? ?Nothing was stored/s));
  const valid = wrong.replace('B,open', 'B,open,');
  const rejected = await atrium.run('notes import -', valid);
  expect(rejected).toMatchObject({ code: 1, stdout: '' });
  expect(rejected.stderr).toMatch(/downtime, line 2: .*"long"/);
  expect(rejected.stderr).toMatch(/status, line 4: /);
  const rest = await atrium.run('notes import - --on-error continue', wrong);
  expect(rest).toMatchObject({ code: 2, stdout: '0 created, 0 updated, 3 failed.\n' });
  expect(rest.stderr.match(/^Line \d/gm)).toEqual(['Line 2', 'Line 3', 'Line 4']);
  for (const [header, message] of [
    ['externalId,colour', /Line 1: "colour" is not a field of notes\. The fields: externalId, .*, downtime\./],
    ['externalId,number', /Line 1: the service sets "number"\. Remove the column\./],
    ['title,Title', /Line 1: the field "title" has several columns\./],
  ] as const)
    expect(await atrium.run('notes import -', `${header}\nA,1\n`)).toMatchObject(ending(1, message));
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
  expect(await atrium.run('notes update --filter number>0 --set shift=day')).toMatchObject(ending(1, /shift/));
});
