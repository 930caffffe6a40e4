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
