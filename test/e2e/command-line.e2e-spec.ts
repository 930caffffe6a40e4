import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { gzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { Webhook } from 'standardwebhooks';
import { Api } from '../support/api.js';
import { ATRIUM, CommandLine, ending } from '../support/command-line.js';
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

const ROWS = [
  { number: '0001', name: 'Pumpe Süd', weight: 1234.5, built: '2024-01-31' },
  { number: '0002', name: 'Ventil "A"; alt', weight: null, built: null },
];

describe('profiles', () => {
  it('are verified, stored with mode 0600 and used by later commands', async () => {
    const caller = await service.provision('Vienna works');
    const own = new CommandLine(service, caller, { ATRIUM_URL: '', ATRIUM_API_KEY: '', ATRIUM_WORKSPACE: '' });
    expect(await own.run('whoami')).toMatchObject(ending(1, 'atrium login'));
    const login = ['login', '--url', service.baseUrl, '--client-id', caller.clientId];
    const wrong = await own.run([...login, '--client-secret', 'wrong']);
    expect(wrong).toMatchObject(ending(1, 'invalid_client'));
    const { path } = await own.json<{ path: string }>(...login, '--client-secret', caller.clientSecret);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await own.run('whoami')).stdout).toContain('workspace "Vienna works"');
    expect(await own.json('workspaces')).toMatchObject([{ id: caller.workspaceId }]);
    const parallel = () => Promise.all(Array.from({ length: 4 }, () => own.json('tables')));
    await parallel();
    const [tokens] = readdirSync(dirname(path)).filter((file) => file.startsWith('tokens-'));
    const stored = own.readJson(join('atrium', tokens!)) as { refreshToken: string };
    // The processes refresh the expired session once: a second use of the refresh token would end it.
    own.write(join('atrium', tokens!), JSON.stringify({ ...stored, renewAt: 0 }));
    await parallel();
    expect(own.readJson(join('atrium', tokens!)).refreshToken).not.toBe(stored.refreshToken);
    expect((await own.json('api', 'GET', '/v1/api/sessions')).data.items).toHaveLength(1);
  });
});

it('needs no workspace in the environment if the caller has one', async () => {
  const own = new CommandLine(service, await service.provision(), { ATRIUM_WORKSPACE: '' });
  await own.fill('Only', [{ code: 'A' }]);
  expect(await own.json('tables')).toMatchObject([{ name: 'Only' }]);
  expect(await own.json('api', 'GET', 'v2/api/workspaces/{workspaceId}/cw/assets')).toMatchObject({
    data: { items: [{ name: 'Only' }] },
  });
});

describe('import', () => {
  it('reads CSV of a spreadsheet: latin1, semicolons, decimal commas, local dates, leading zeros', async () => {
    const text =
      'Number;Name;Weight;Built\r\n0001;Pumpe Süd;1.234,50;31.01.2024\r\n0002;"Ventil ""A""; alt";;00.00.0000\r\n';
    expect(await atrium.importNew(atrium.write('latin1.csv', Buffer.from(text, 'latin1')), 'Latin')).toEqual(ROWS);
    const columns = (await atrium.json('describe', 'Latin')).columns.map(({ key, type, primaryKey }: any) => [
      key,
      type,
      primaryKey,
    ]);
    expect(columns).toEqual([
      ['number', 'text', true],
      ['name', 'text', false],
      ['weight', 'number', false],
      ['built', 'date', false],
    ]);
    expect(await atrium.importNew(atrium.write('utf16.csv', Buffer.from(`\ufeff${text}`, 'utf16le')), 'Wide')).toEqual(
      ROWS,
    );
    expect(await atrium.importNew(atrium.write('text.csv.gz', gzipSync(text)), 'Packed')).toEqual(ROWS);
  });

  it('reads standard input, NDJSON and several files', async () => {
    const lines = '{"number":"1","name":"A"}\n{"number":"2","name":null}\n';
    atrium.write('part-1.ndjson', lines);
    atrium.write('part-2.ndjson', '{"number":"3","name":"C"}\n');
    await atrium.importNew('part-1.ndjson', 'Lines');
    expect(await atrium.json('import', 'part-*.ndjson', '--table', 'Lines')).toMatchObject([
      { unchanged: 2 },
      { created: 1 },
    ]);
    const piped = await atrium.run('import - --table Lines --json', 'number,name\n3,D\n');
    expect(JSON.parse(piped.stdout)).toMatchObject({ updated: 1, file: '-' });
  });

  it('reads single quotes that are doubled within a cell with --quote', async () => {
    const file = atrium.write('quotes.csv', "code|name\n'A'|'x|y'\n'B'|'it''s'\n");
    expect(await atrium.importNew(file, 'Quotes', '--quote', "'")).toEqual([
      { code: 'A', name: 'x|y' },
      { code: 'B', name: "it's" },
    ]);
  });

  it('shows the inferred columns and stores nothing without --create and with --dry-run', async () => {
    atrium.write('new.csv', 'Code,Weight\nA,1\nB,2\n');
    const { code, stderr } = await atrium.run('import new.csv --table New');
    expect(code).toBe(1);
    expect(stderr).toContain('--create would create it');
    expect(stderr).toContain('Code: text, primary key');
    expect(stderr).toContain('Weight: number');
    expect(await atrium.json('import', 'new.csv', '--table', 'New', '--create', '--dry-run')).toMatchObject({
      created: 2,
      dryRun: true,
    });
    expect((await atrium.json('tables')).map(({ name }: any) => name)).not.toContain('New');
  });

  it('accepts trailing signs, and rejects missing cells and decimal points in a file with commas', async () => {
    await atrium.fill('Signs', [{ code: 'A', weight: 1, note: 'x' }]);
    const signs = atrium.write('signs.csv', 'Code;Weight;Note\r\nB;1.012,50-;y\r\nC;1,5;\r\n');
    const cut = atrium.write('cut.csv', 'Code;Weight;Note\r\nB;1.012,50-;y\r\nA;1,5\r\n');
    expect(await atrium.run(['import', cut, '--table', 'Signs'])).toMatchObject(
      ending(2, 'line 3: The header has 3 cells; this row has 2 cells.'),
    );
    const compared = await atrium.run(['diff', signs, 'Signs']);
    expect(compared.stdout).toContain('+ B  weight: -1012.5, note: y');
    expect(await atrium.json('import', signs, '--table', 'Signs')).toMatchObject({ created: 2 });
    expect(await atrium.rowsOf('Signs')).toEqual([
      { code: 'A', weight: 1, note: 'x' },
      { code: 'B', weight: -1012.5, note: 'y' },
      { code: 'C', weight: 1.5, note: null },
    ]);
    atrium.write('comma.yaml', "decimal: ','\ncolumns: [{ from: Code }, { from: Weight, type: number }]");
    const points = atrium.write('points.csv', 'Code;Weight\nD;1.5\nE;2,5\n');
    const rejected = ['import', points, '--table', 'Signs', '--mapping', 'comma.yaml'];
    expect(await atrium.run(rejected)).toMatchObject(ending(2, 'line 2, key D'));
    expect((await atrium.run([...rejected, '--on-error', 'continue'])).code).toBe(2);
    expect((await atrium.rowsOf('Signs')).map(({ code }) => code)).toEqual(['A', 'B', 'C', 'E']);
  });

  it('stores nothing if a row is invalid, and names its line', async () => {
    await atrium.importNew(atrium.write('valid.csv', 'code;weight\nA;1,5\n'), 'Strict');
    atrium.write('invalid.csv', 'code;weight\nB;2,5\n\nC;heavy\n');
    const { code, stdout, stderr } = await atrium.run('import invalid.csv --table Strict');
    expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringContaining('Strict') });
    expect(stderr).toMatch(/line 4, key C, column weight: /);
    expect(await atrium.rowsOf('Strict')).toEqual([{ code: 'A', weight: 1.5 }]);
  });

  it('continues with valid rows and writes result files', async () => {
    await atrium.importNew(atrium.write('first.csv', 'code,weight\nA,1\nB,2\n'), 'Results');
    atrium.write('second.csv', 'code,weight\nA,1\nB,3\nC,heavy\nD,4\nE,5\nE,6\n');
    const { code } = await atrium.run('import second.csv --table Results --results out --on-error continue');
    expect(code).toBe(2);
    expect(atrium.read('out/created.csv')).toBe('code,weight\nD,4\n');
    expect(atrium.read('out/updated.csv')).toBe('code,weight\nB,3\n');
    expect(
      atrium
        .read('out/rejected.csv')
        .split('\n')
        .map((line) => line.split(',')[0]),
    ).toEqual(['line', '4', '6', '7', '']);
    const rejected = parse<Record<string, string>>(atrium.read('out/rejected.csv'), { columns: true });
    expect(rejected.map((row) => [row['line'], row['code'], row['column']])).toEqual(
      expect.arrayContaining([['4', expect.any(String), 'weight']]),
    );
    expect(rejected.filter(({ message }) => message!.includes('--on-duplicate'))).toHaveLength(2);
    expect(atrium.readJson('out/summary.json')).toMatchObject({
      created: 1,
      updated: 1,
      unchanged: 1,
      rejected: 3,
    });
    const last = ['--on-duplicate', 'last', '--on-error', 'continue', '--dry-run', '--json'];
    const { stdout } = await atrium.run(['import', 'second.csv', '--table', 'Results', ...last]);
    expect(JSON.parse(stdout)).toMatchObject({ skipped: 1, rejected: 1, unchanged: 3 });
  });

  it.each(['', '--on-error continue --results warned'])(
    'reports rows that violate a constraint with the level warning (%s)',
    async (options) => {
      const flags = options.split(' ').filter(Boolean);
      const columns = [text('Key'), column('Weight', 'number', { options: { minimum: 0, level: 'warning' } })];
      const name = `Warned ${flags.length}`;
      expect((await tables.bulk('assets', { name, columns, items: [] })).status).toBe(201);
      const file = atrium.write('warned.csv', 'Key,Weight\na,1\nb,-1\n');
      const { code, stdout, stderr } = await atrium.run(['import', file, '--table', name, ...flags]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/warnings/);
      expect(stderr).toMatch(/warning, line 3, key b, column weight: -1 is less than the minimum 0\./);
      const again = atrium.write('again.csv', 'Key,Weight\nb,-2\n');
      const summary = await atrium.json('import', again, '--table', name, ...flags);
      expect(summary).toMatchObject({
        updated: 1,
        rejected: 0,
        warned: 1,
        warnings: [{ code: 'below_minimum', key: 'b' }],
      });
    },
  );

  it('leaves no table and no columns behind if nothing of the file is stored', async () => {
    const lines = ['code,weight', ...Array.from({ length: 1_100 }, (_, index) => `K${index},${index}`), 'Z,1,2'];
    atrium.write('rejected.csv', lines.join('\n'));
    const names = async () => (await atrium.json('tables')).map(({ name }: any) => name);
    const create = (file: string, table: string) => atrium.run(['import', file, '--table', table, '--create']);
    const rejected = await create('rejected.csv', 'Unwanted');
    expect(rejected).toMatchObject(ending(2, '"Unwanted" was not created.'));
    const rows = Array.from({ length: 100_000 }, (_, index) => `K${index},${Math.sin(index)}`);
    const archive = gzipSync(['code,weight', ...rows].join('\n'));
    atrium.write('part.csv.gz', archive.subarray(0, archive.length - 1_000));
    const broken = await create('part.csv.gz', 'Unwanted');
    expect(broken).toMatchObject(ending(1, 'part.csv.gz is truncated or corrupt'));
    atrium.write('padded.csv.gz', Buffer.concat([archive, Buffer.alloc(512), gzipSync('\n1,2')]));
    expect(await create('padded.csv.gz', 'Unwanted')).toMatchObject(ending(1, 'is truncated or corrupt'));
    expect(await names()).not.toContain('Unwanted');
    await atrium.importNew(atrium.write('code.csv', 'code\nA\n'), 'Narrow');
    expect((await create('rejected.csv', 'Narrow')).stderr).toContain('No columns were added to "Narrow".');
    expect((await atrium.json('describe', 'Narrow')).columns.map(({ key }: any) => key)).toEqual(['code']);
    // Valid rows of the same file are stored on request.
    await atrium.run('import rejected.csv --table Unwanted --create --on-error continue');
    expect(await atrium.rowsOf('Unwanted')).toHaveLength(1_100);
  });

  it('asks on a terminal, and changes nothing if the answer is Ctrl-C', async () => {
    const shell = `${process.execPath} ${ATRIUM} import ${atrium.write('asked.csv', 'code\nA\n')} --table Asked --create`;
    const child = spawn('script', ['-qec', shell, '/dev/null'], { cwd: atrium.directory, env: atrium.environment });
    const ended = new Promise((settle) => child.once('close', settle));
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    await until(() => shown.includes('[y/N]'), Boolean);
    child.stdin.write('\x03');
    expect(await ended).toBe(130);
    expect(shown).toContain('Nothing was changed.');
    expect(shown).not.toContain('Error');
    expect((await atrium.json('tables')).map(({ name }: any) => name)).not.toContain('Asked');
  });

  it('maps columns, constants, dates and values', async () => {
    atrium.write('sap.csv', 'EQUNR|EQART|DATAB|DATBI\n000010|P |20240131|2024-01-02\n000011|V |00000000|\n');
    atrium.write(
      'mapping.yaml',
      `tables:
  list/Mapped:
    trim: true
    nullValues: ['00000000']
    columns:
      - { from: EQUNR, key: number, name: Number, primaryKey: true }
      - { from: EQART, key: kind, name: Kind, map: { P: pump, V: valve } }
      - { from: DATAB, key: since, name: Since, type: date, format: YYYYMMDD }
      - { from: DATBI, key: until, name: Until, type: date, format: YYYY-DD-MM }
      - { key: plant, name: Plant, value: AT10 }
`,
    );
    expect(await atrium.importNew('sap.csv', 'Mapped', '--mapping', 'mapping.yaml')).toEqual([
      { number: '000010', kind: 'pump', since: '2024-01-31', until: '2024-02-01', plant: 'AT10' },
      { number: '000011', kind: 'valve', since: null, until: null, plant: 'AT10' },
    ]);
    atrium.write('wrong.yaml', 'columns: [{ from: A, type: txt }]');
    const { code, stderr } = await atrium.run('import sap.csv --table Mapped --mapping wrong.yaml');
    expect({ code, stderr }).toEqual(ending(1, 'columns.0.type'));
    for (const [mapping, message] of [
      ['columns: [{ from: EQUNR, key: number }, { from: EQTYP, key: kind }]', 'does not have: EQTYP'],
      ['columns: [{ from: DATAB, type: date, format: DD-MON-YY }]', 'columns.0.format'],
      [
        'columns:\n  - { from: EQUNR, map: { 0001: AT } }',
        'other.yaml line 2: 0001 is the number 1. Write it in quotes',
      ],
      ['columns: [{ key: plant, value: 0100 }]', 'other.yaml line 1: 0100 is the number 100. Write it in quotes'],
      [undefined, 'does not exist'],
    ] as const) {
      if (mapping) atrium.write('other.yaml', mapping);
      const file = mapping ? 'other.yaml' : 'absent.yaml';
      const outcome = await atrium.run(['import', 'sap.csv', '--table', 'Mapped', '--mapping', file]);
      expect(outcome).toMatchObject(ending(1, message));
    }
  });

  it('reads local date-times in the timezone of the mapping or of the flag', async () => {
    const FILE = 'EQUNR;SINCE;UNTIL\nA;2024-01-31 08:00:00;31.12.2024 23:59\nB;2024-03-31 02:30:00;01.02.2024 00:00\n';
    atrium.write('times.csv', FILE);
    const columns = [
      '{ from: EQUNR, key: equnr, primaryKey: true }',
      '{ from: SINCE, key: since, type: date, format: "YYYY-MM-DD HH:mm:ss" }',
      '{ from: UNTIL, key: until, type: date, format: "DD.MM.YYYY HH:mm" }',
    ];
    atrium.write('times.yaml', `timezone: Europe/Vienna\ncolumns: [${columns.join(', ')}]`);
    const load = [
      'import',
      'times.csv',
      '--table',
      'Times',
      '--create',
      '--on-error',
      'continue',
      '--results',
      'times',
    ];
    const mapped = await atrium.run([...load, '--mapping', 'times.yaml']);
    expect(mapped).toMatchObject(ending(2, /line 3, key B, column since: .*Vienna/));
    const stored = { equnr: 'A', since: '2024-01-31T07:00:00.000Z', until: '2024-12-31T22:59:00.000Z' };
    expect(await atrium.rowsOf('Times')).toEqual([stored]);

    atrium.write('times/rejected.csv', atrium.read('times/rejected.csv').replaceAll('02:30:00', '03:30:00'));
    await atrium.json('import', '--retry-rejected', 'times');
    const corrected = { equnr: 'B', since: '2024-03-31T01:30:00.000Z', until: '2024-01-31T23:00:00.000Z' };
    expect(await atrium.rowsOf('Times')).toEqual([stored, corrected]);

    const formats = ['--date-format', 'YYYY-MM-DD HH:mm:ss', '--date-format', 'DD.MM.YYYY HH:mm'];
    const asked = await atrium.run(['diff', 'times.csv', 'Times', ...formats]);
    expect(asked).toMatchObject(ending(1, 'Set --timezone'));
    const zone = ['--timezone', 'Europe/Vienna'];
    const difference = await atrium.run(['diff', 'times.csv', 'Times', ...formats, ...zone]);
    expect(difference).toMatchObject({ code: 2, stdout: expect.stringMatching(/ 1 unchanged, 1 invalid/) });
    const inferred = await atrium.run(['init', 'sap', 'times.csv', '--date-format', formats[1]!, ...zone]);
    expect(inferred.stdout).toMatch(/timezone: Europe\/Vienna[^]*format: YYYY-MM-DD HH:mm:ss/);

    // Two orders of day and month: this program converts the texts.
    atrium.write(
      'orders.csv',
      'EQUNR;SINCE;UNTIL\nC;31.03.2024 02:30;12.31.2024 23:59\nD;01.02.2024 00:00;01.02.2024 00:00\n',
    );
    const orders = columns.join(', ').replace('YYYY-MM-DD HH:mm:ss', 'DD.MM.YYYY HH:mm');
    const months = orders.replace(/DD.MM.YYYY HH:mm(?=[^Y]*$)/, 'MM.DD.YYYY HH:mm');
    atrium.write('orders.yaml', `timezone: Europe/Vienna\ncolumns: [${months}]`);
    const ordered = await atrium.run(['import', 'orders.csv', ...load.slice(2, -2), '--mapping', 'orders.yaml']);
    expect(ordered).toMatchObject(ending(2, /line 2, key C.*not one instant in/));
    expect(await atrium.rowsOf('Times')).toContainEqual({
      equnr: 'D',
      since: '2024-01-31T23:00:00.000Z',
      until: '2024-01-01T23:00:00.000Z',
    });
  });
});

/** Runs a script in the folder of a command line, which is `$ATRIUM_COMMAND` in it. */
const bash = (own: CommandLine, script: string) =>
  spawnSync('bash', ['-c', script], {
    cwd: own.directory,
    env: { ...own.environment, ATRIUM_COMMAND: `${process.execPath} ${ATRIUM}` },
    encoding: 'utf8',
    timeout: 30_000,
  });

describe('export', () => {
  it('writes the selected rows as CSV, NDJSON and workbooks', async () => {
    const rows = ['A', 'B', 'C'].map((code, index) => ({ code, weight: index + 0.5 }));
    await atrium.fill('Exported', rows);
    const { stdout } = await atrium.run('export Exported --filter weight>=1.5 --filter code!=C');
    expect(parse(stdout, { columns: true })).toEqual([{ code: 'B', weight: '1.5' }]);
    const { stdout: lines } = await atrium.run('export Exported --format ndjson');
    expect(
      lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows);
    await atrium.run('export Exported --format xlsx --output exported.xlsx');
    expect(await atrium.importNew('exported.xlsx', 'Workbook')).toEqual(rows);
    expect((await atrium.run('export Exported --filter weight')).stderr).toContain('is not a condition');
  });
});

describe('export --output', () => {
  const CSV = 'code\nA\n';
  let own: CommandLine;
  const inFolder = (name: string): string => join(own.directory, name);

  beforeEach(async () => {
    own = new CommandLine(service, await service.provision());
    await own.fill('Written', [{ code: 'A' }]);
  });

  it('replaces the file of a link, whose mode remains', async () => {
    own.write('target.csv', 'former');
    chmodSync(inFolder('target.csv'), 0o600);
    symlinkSync('target.csv', inFolder('link.csv'));
    expect(await own.run('export Written --output link.csv')).toMatchObject({ code: 0 });
    expect(lstatSync(inFolder('link.csv')).isSymbolicLink()).toBe(true);
    expect(own.read('target.csv').replace('\uFEFF', '').replaceAll('\r', '')).toBe(CSV);
    expect(statSync(inFolder('target.csv')).mode & 0o777).toBe(0o600);
    expect(readdirSync(own.directory).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('has all rows of one of several exports at a time', async () => {
    const run = () => own.run('export Written --output shared.csv');
    expect(await Promise.all([run(), run(), run()])).toMatchObject([{ code: 0 }, { code: 0 }, { code: 0 }]);
    expect(own.read('shared.csv').replace('\uFEFF', '').replaceAll('\r', '')).toBe(CSV);
    expect(readdirSync(own.directory).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('leaves the former file and its mode if the export fails', async () => {
    own.write('former.csv', 'former');
    chmodSync(inFolder('former.csv'), 0o600);
    const { code } = await own.run('export Written --filter absent=1 --output former.csv');
    expect([code, own.read('former.csv')]).toEqual([1, 'former']);
    expect(statSync(inFolder('former.csv')).mode & 0o777).toBe(0o600);
    expect(readdirSync(own.directory).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it.each(['/dev/stdout', '/proc/self/fd/1', 'pipe', '.'])('rejects %s, which is not a file', (name) => {
    spawnSync('mkfifo', [inFolder('pipe')]);
    const path = name.startsWith('/') ? name : inFolder(name);
    const { status, stderr } = bash(
      own,
      `echo former > file.csv; $ATRIUM_COMMAND export Written --format csv --output ${path} >> file.csv`,
    );
    expect([status, own.read('file.csv')]).toEqual([1, 'former\n']);
    expect(stderr).toContain('is not a file. Omit --output');
    expect(lstatSync(inFolder('pipe')).isFIFO()).toBe(true);
  });
});

describe('a closed pipe', () => {
  let own: CommandLine;

  beforeEach(async () => {
    own = new CommandLine(service, await service.provision());
  });

  it('does not end the loads that follow, and the exit code is that of the loads', async () => {
    for (const name of ['First', 'Second']) {
      await own.fill(name, [{ code: 'A' }]);
      own.write(`${name}.csv`, 'code\nA\nB\n');
    }
    own.write('short.csv', 'code\nZ\n');
    const entries = ['First', 'Second'].map((name) => `  - { file: ${name}.csv, table: ${name} }\n`);
    own.write('sync.yaml', `tables:\n${entries.join('')}  - { file: short.csv, table: First }\n`);
    const { stdout } = bash(
      own,
      '$ATRIUM_COMMAND sync --config sync.yaml --yes --quiet 2> >(true) | true; echo ${PIPESTATUS[0]}',
    );
    expect(stdout).toBe('4\n');
    for (const name of ['First', 'Second']) expect(await own.rowsOf(name)).toHaveLength(2);
  });

  it('ends a command that prints without an end, with the exit code 0', async () => {
    await own.fill('Endless', [{ code: 'A' }]);
    const follow = own.spawn('follow', 'Endless', '--since', '0');
    const ended = new Promise((settle) => follow.once('exit', settle));
    await new Promise((settle) => follow.stdout.once('data', settle));
    follow.stdout.destroy();
    await own.client.assets('Endless').upsert([{ code: 'B' }]);
    expect(await ended).toBe(0);
    expect(bash(own, '$ATRIUM_COMMAND export Endless | true; echo ${PIPESTATUS[0]}').stdout).toBe('0\n');
  });
});

describe('other commands', () => {
  it('follow changes until they are interrupted', async () => {
    await atrium.importNew(atrium.write('followed.csv', 'code,weight\nA,1\n'), 'Followed');
    const child = atrium.spawn('follow', 'Followed', '--since', '0');
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await until(() => printed.includes('"A"'), Boolean);
    await atrium.run('import - --table Followed', 'code,weight\nB,2\n');
    await until(() => printed.includes('"B"'), Boolean);
    child.kill('SIGINT');
    expect(await new Promise((settle) => child.once('exit', settle))).toBe(0);
  });

  it('print events, and forward them as webhooks that the verifier accepts', async () => {
    const receiver = await Receiver.start();
    const child = atrium.spawn('webhooks', 'listen', '--forward', receiver.url, '--types', 'note.*');
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    try {
      const secretLine = /^Secret: (\S+)$/m;
      await until(() => secretLine.test(printed), Boolean);
      const secret = secretLine.exec(printed)![1]!;
      await atrium.json('notes', 'create', '--title', 'Forwarded');
      await until(() => receiver.received.length > 0, Boolean);
      const { headers, body } = receiver.received[0]!;
      expect(new Webhook(secret).verify(body, headers)).toMatchObject({
        type: 'note.created',
        data: { note: { title: 'Forwarded' } },
      });
      await until(() => /^\d+ note\.created: 204$/m.test(printed), Boolean);
      receiver.stop();
      await atrium.json('notes', 'create', '--title', 'Not received');
      await until(() => /^\d+ note\.created: .*ECONNREFUSED/m.test(printed), Boolean);
    } finally {
      receiver.stop();
      child.kill('SIGINT');
    }
    expect(await new Promise((settle) => child.once('exit', settle))).toBe(0);
    const { stdout, code } = await atrium.run('events tail --since 0 --once --types note.*');
    expect(code).toBe(0);
    const events = stdout.split('\n').filter(Boolean);
    expect(events.map((line) => JSON.parse(line).data.note.title)).toEqual(['Forwarded', 'Not received']);
    expect((await atrium.run('events tail --since yesterday')).stderr).toContain('--since');
  });

  it('create notes with files and list them', async () => {
    atrium.write(
      'leak.png',
      Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      ),
    );
    const note = await atrium.json('notes', 'create', '--title', 'Leak', '--file', 'leak.png');
    expect(note.files).toHaveLength(1);
    expect((await atrium.run('notes list')).stdout).toContain('Leak');
    expect((await atrium.run(['notes', 'show', note.id])).stdout).toContain('title: Leak');
  });

  it('create, list, rotate and revoke API keys', async () => {
    const create = ['keys', 'create', '--name', 'Reports', '--scope', 'read:workspaces', '--expires', '30d'];
    const { id, apiKey, expiresAt } = await atrium.json(...create);
    const days = (new Date(expiresAt).getTime() - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    const statusOf = async (key: string) =>
      (await new Api(service.baseUrl).withKey(key).get('/v1/api/workspaces')).status;
    expect(await statusOf(apiKey)).toBe(200);
    const { stdout: list } = await atrium.run('keys list');
    expect(list).toContain(`Reports`);
    expect(list).toContain(`${apiKey.slice(0, 8)}…${apiKey.slice(-4)}`);
    expect(list).not.toContain(apiKey);
    const { stdout: rotated } = await atrium.run(['keys', 'rotate', id, '--overlap', '1h']);
    const second = /API key: (\S+)/.exec(rotated)![1]!;
    expect([await statusOf(apiKey), await statusOf(second)]).toEqual([200, 200]);
    expect(await atrium.run(['keys', 'rotate', id, '--overlap', 'soon'])).toMatchObject(ending(1, 'is not a duration'));
    expect(await atrium.run('keys create --name X --expires 2027-02-30')).toMatchObject(ending(1, 'expiresAt'));
    for (const command of [
      ['create', '--name', 'X'],
      ['rotate', id],
    ]) {
      // An absent variable of a script must not create a key that does not expire.
      const empty = await atrium.run(['keys', ...command, '--expires', '']);
      expect(empty).toMatchObject(ending(1, '--expires is empty'));
      const long = await atrium.run(['keys', ...command, '--expires', '999999999d']);
      expect(long).toMatchObject(ending(1, 'expiresAt'));
    }
    const [key] = await atrium.json('keys', 'list');
    expect(key).toMatchObject({ id, expiresAt });
    expect(await atrium.run(['keys', 'revoke', id])).toMatchObject(ending(1, '--yes'));
    expect((await atrium.run(['keys', 'revoke', id, '--yes'])).stdout).toContain('"Reports" is revoked');
    expect([await statusOf(apiKey), await statusOf(second)]).toEqual([401, 401]);
  });

  it('apply, list, show and delete access policies', async () => {
    const file = 'contractor.yaml';
    atrium.write(
      file,
      'name: Contractor\ntables:\n  - { entity: assets, table: "*", columns: { hidden: [weight] } }\nnotes: { under: AT10 }\n',
    );
    const { stdout: created } = await atrium.run(['policies', 'apply', file]);
    const id = /ID: (\S+)/.exec(created)![1]!;
    expect(created).toContain('"Contractor" is created');
    expect((await atrium.run(['policies', 'apply', file])).stdout).toContain(
      `replaced. It applies from the next request on`,
    );
    atrium.write('misspelled.yaml', 'name: Misspelled\ntables: [{ entity: assets, table: Equipmnt }]\n');
    const { stderr } = await atrium.run('policies apply misspelled.yaml');
    expect(stderr).toContain('warning, tables[0].table: No table of assets has the name or ID "Equipmnt"');
    expect((await atrium.run('policies list')).stdout).toMatch(/Contractor\s+assets\/\*\s+all/);
    const { stdout: shown } = await atrium.run(['policies', 'show', id]);
    expect(shown).toContain('hidden:');
    expect(shown).toContain('under: AT10');
    const [{ id: client, userId }] = await atrium.json('policies', 'clients');
    expect((await atrium.run(['policies', 'assign', id, client])).stdout).toContain(`The client ${client} has the`);
    const { stdout: clients } = await atrium.run('policies clients');
    expect(clients).toContain('Contractor');
    expect(clients).not.toContain(userId);
    expect((await atrium.run(['policies', 'withdraw', client])).stdout).toContain('no access policy of its own');
    expect((await atrium.run('policies clients')).stdout).not.toContain('Contractor');
    const key = await atrium.json('keys', 'create', '--name', 'Contractor', '--policy', id);
    expect(key.policyId).toBe(id);
    expect(await atrium.run(['policies', 'delete', id, '--yes'])).toMatchObject(
      ending(1, 'is assigned to 1 membership, client, API key or subscription'),
    );
    expect((await atrium.run(['keys', 'revoke', key.id, '--yes'])).code).toBe(0);
    expect((await atrium.run(['policies', 'delete', id, '--yes'])).stdout).toContain('is deleted');
  });

  it('list the audit log with filters, as a table, as JSON and as lines of JSON', async () => {
    await atrium.fill('Audited', [{ code: 'A', weight: 1 }]);
    const { stdout: table } = await atrium.run('audit list --kind load_stored --limit 1');
    expect(table).toContain('load_stored');
    expect(table).toContain('Audited +1 ~0 -0');
    const entries = await atrium.json('audit', 'list', '--kind', 'load_stored', '--limit', '2');
    const [newest] = entries as [{ details: object }];
    expect(newest).toMatchObject({ kind: 'load_stored', result: 'succeeded', address: '127.0.0.1' });
    const { stdout } = await atrium.run('audit list --kind load_stored --format ndjson');
    expect(JSON.parse(stdout.split('\n')[0]!)).toEqual(newest);
    expect(await atrium.json('audit', 'list', '--result', 'aborted', '--from', '2026-01-01')).toEqual([]);
    expect(await atrium.run('audit list --kind nonsense')).toMatchObject(ending(1, 'kind'));
  });

  it('show titles without characters that control a terminal, and return them exactly as JSON', async () => {
    const title = 'Leak \u001b[2J\u009b31m\u007f\u202egnp.exe\nforged line';
    const note = await atrium.client.notes.create({ title, description: 'First line\n\u001b]0;title\u0007' });
    for (const args of [
      ['notes', 'list'],
      ['notes', 'show', note.id],
    ]) {
      const { stdout } = await atrium.run(args);
      expect(stdout).toContain('Leak ·[2J');
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    }
    expect((await atrium.json('notes', 'show', note.id)).title).toBe(note.title);
  });

  it('send any request', async () => {
    const { data } = await atrium.json('api', 'POST', '/v1/api/projects', '--field', 'name=Plant');
    expect(data.name).toBe('Plant');
    const { stdout } = await atrium.run('api GET /v1/api/projects --paginate --field limit=1');
    expect(JSON.parse(stdout)).toMatchObject({ id: data.id });
  });

  it('complete, explain themselves and reject unknown flags', async () => {
    const { stdout: script } = await atrium.run('completion bash');
    const complete = (...words: string[]) => {
      const state = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}`;
      const shell = ['-c', `${script}\n${state}; _atrium; echo "\${COMPREPLY[@]}"`];
      return spawnSync('bash', shell, { encoding: 'utf8' }).stdout.trim();
    };
    expect(complete('atrium', 'im')).toBe('import');
    expect(complete('atrium', 'import', '--on')).toBe('--on-error --on-duplicate');
    expect(complete('atrium', 'webhooks', 'l')).toBe('listen');
    expect(complete('atrium', 'webhooks', 'listen', '--for')).toBe('--forward');
    expect(complete('atrium', 'sync', '--on-error', '""')).toBe('continue');
    expect(complete('atrium', 'import', '--format', 'n')).toBe('ndjson');
    expect(complete('atrium', 'export', '--format', '""')).toBe('csv ndjson xlsx');
    expect(complete('atrium', 'audit', 'list', '--format', '""')).toBe('ndjson');
    // Files: the command line is executed in the folder of the repository.
    expect(complete('atrium', 'import', 'CONTRIB')).toBe('CONTRIBUTING.md');
    expect(complete('atrium', 'import', '--table', 'x', '--yes', 'CONTRIB')).toBe('CONTRIBUTING.md');
    expect(complete('atrium', 'import', '--mapping', 'CONTRIB')).toBe('CONTRIBUTING.md');
    // No value of these is a file.
    for (const words of ['query Table --group', 'search pump --kinds', 'policies show', 'export Table', 'api'])
      expect([words, complete('atrium', ...words.split(' '), 'CONTRIB')]).toEqual([words, '']);
    expect(await atrium.run('import x.csv --tabel x')).toMatchObject(ending(1, '--table'));
    expect(await atrium.run('import . --table x')).toMatchObject(ending(1, '. is a folder.'));
    const unread = `set -o pipefail; ${process.execPath} ${ATRIUM} tables --json | true`;
    expect(spawnSync('bash', ['-c', unread], { encoding: 'utf8', env: atrium.environment })).toMatchObject({
      status: 0,
      stderr: '',
    });
    const failure = await atrium.run('describe Unknown --json');
    expect(failure.code).toBe(1);
    expect(JSON.parse(failure.stderr)).toMatchObject({ error: { message: expect.stringContaining('atrium tables') } });
  });
});

it('has examples for every command, prints tables of 80 columns with whole IDs, and reports wrong flags as JSON', async () => {
  const { stdout: help } = await atrium.run('--help');
  const names = [...help.split('Commands:')[1]!.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(15);
  const webhooks = ['webhooks listen', 'webhooks trigger'];
  const keys = ['keys create', 'keys list', 'keys rotate', 'keys revoke'];
  const nested = [
    'auth token',
    'events tail',
    ...webhooks,
    'notes list',
    'notes show',
    'notes create',
    ...keys,
    'audit list',
  ];
  const commands = [...names.filter((name) => name !== 'help'), ...nested];
  const texts = await forEachOf(
    commands,
    async (command) => (await atrium.run([...command.split(' '), '--help'])).stdout,
  );
  expect(commands.filter((_, index) => !texts[index]!.includes('Examples:\n  '))).toEqual([]);
  await atrium.fill('A table with a long name that does not fit', [{ code: 'A', weight: 1 }]);
  const [batch] = await atrium.json<{ id: string }[]>('batches', '--limit', '1');
  const shell = `stty cols 80; ${process.execPath} ${ATRIUM} batches --limit 1`;
  // A terminal of a person, also if the test runs in CI, where Node has no colors.
  const { CI: _, ...terminal } = { ...atrium.environment, TERM: 'xterm-256color' } as NodeJS.ProcessEnv;
  const { stdout } = spawnSync('script', ['-qec', shell, '/dev/null'], { encoding: 'utf8', env: terminal });
  const lines = stripVTControlCharacters(stdout).split(/\r?\n/);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(lines.join('\n')).toContain(batch!.id);
  expect(stdout).not.toBe(stripVTControlCharacters(stdout));
  const wrong = await atrium.run('import x.csv --json');
  expect(JSON.parse(wrong.stderr)).toMatchObject({ error: { message: expect.stringContaining('--table') } });
});

/** Two processes at a time. */
async function forEachOf<Value, Result>(values: Value[], work: (value: Value) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let index = 0; index < values.length; index += 2)
    results.push(...(await Promise.all(values.slice(index, index + 2).map(work))));
  return results;
}
