import { CommandLine, ending } from '../support/command-line.js';
import { shareService } from '../support/shared-services.js';
import { unique } from '../support/tables.js';

let atrium: CommandLine;
let table: string;

beforeAll(async () => {
  const { service } = await shareService();
  atrium = new CommandLine(service, await service.provision());
});

const FIRST = [
  { code: 'A', name: 'Feed pump', weight: 1 },
  { code: 'B', name: 'Sump pump', weight: 2 },
];
const LAST = [
  { code: 'A', name: 'Feed pump', weight: 10 },
  { code: 'C', name: 'Motor', weight: 3 },
];

/** Revision 1: the first rows. 2: A is heavier, and C is new. 3: B is deleted. */
beforeEach(async () => {
  table = unique('Past');
  await atrium.fill(table, FIRST);
  await atrium.client.assets(table).upsert(LAST);
  await atrium.client.assets(table).delete(['B']);
});

/** The local time of the command line. */
const TIME = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`;
const UUID = '[0-9a-f-]{36}';

const edit = (body: object) =>
  atrium.client.put('/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}', {
    params: { path: { workspaceId: atrium.caller.workspaceId, entity: 'assets', table } },
    body,
  });

describe('history', () => {
  it('shows the changes of a row with their time, author, values and batch', async () => {
    await atrium.run(['rename', table, 'A', 'Z']);
    const { code, stdout, stderr } = await atrium.run(['history', table, 'Z']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { email, displayName } = await atrium.client.get('/v1/api/users/{id}', {
      params: { path: { id: atrium.caller.userId }, query: { workspaceId: atrium.caller.workspaceId } },
    });
    const author = (displayName ?? email).replace(/[.+]/g, String.raw`\$&`);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^time +revision +change +by +values +batch$/);
    expect(lines[1]).toMatch(new RegExp(`^${TIME} +4 +renamed +${author} +code: A → Z`));
    expect(lines[2]).toMatch(new RegExp(`^${TIME} +2 +updated +${author} +weight: 1 → 10 +${UUID}$`));
    expect(lines[3]).toMatch(new RegExp(`^${TIME} +1 +created +${author} +.*name: Feed pump, weight: 1 +${UUID}$`));
    const entries = await atrium.json('history', table, 'Z', '--limit', '2');
    expect(entries).toMatchObject([
      { revision: 4, change: 'renamed', by: atrium.caller.userId },
      { revision: 2, change: 'updated', columns: { weight: { from: 1, to: 10 } } },
    ]);
    // The batch that it shows can be undone.
    expect((await atrium.json('batches', table)).map(({ id }: any) => id)).toContain(entries[1].batchId);
  });

  it('shows deleted rows, and rejects unknown keys', async () => {
    expect((await atrium.run(['history', table, 'B'])).stdout).toMatch(/ 3 +deleted .*name: Sump pump, weight: 2/);
    expect(await atrium.run(['history', table, 'X'])).toMatchObject({
      code: 1,
      stderr: `asset/${table} has no row with the key "X". It has no stored former rows, either.\n`,
    });
  });

  it('shows the ID of the author if the credentials do not permit to read members', async () => {
    const { apiKey } = await atrium.json('keys', 'create', '--name', 'Reader', '--scope', 'read:workspaces');
    const own = new CommandLine(atrium.service, { ...atrium.caller, apiKey });
    const { code, stdout } = await own.run(['history', table, 'A']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(atrium.caller.userId) });
  });

  it('states that the earlier changes are not stored', async () => {
    await edit({ options: { historyDays: 0 } });
    await edit({ options: { historyDays: null } });
    await atrium.client.assets(table).patch('A', { weight: 11 });
    const { stdout, stderr } = await atrium.run(['history', table, 'A']);
    expect(stdout).toMatch(/weight: 10 → 11/);
    expect(stdout).not.toMatch(/created/);
    expect(stderr).toBe('Earlier changes of the row are not stored any more.\n');
  });
});

describe('--as-of', () => {
  it('reads rows, groups and files as they were at a revision', async () => {
    const csv = 'code,name,weight\nA,Feed pump,1\nB,Sump pump,2\n';
    expect((await atrium.run(['export', table, '--as-of', '1'])).stdout.replaceAll('\r', '')).toBe(csv);
    expect(await atrium.json('query', table, '--as-of', '1', '--where', 'weight>=2')).toEqual([FIRST[1]]);
    expect(await atrium.json('query', table, '--as-of', '1', '--sum', 'weight')).toMatchObject([
      { measures: { 'sum(weight)': 3 } },
    ]);
    expect(await atrium.json('get', table, 'B', '--as-of', '2')).toEqual(FIRST[1]);
    expect(await atrium.run(['get', table, 'C', '--as-of', '1'])).toMatchObject(
      ending(1, `asset/${table} has no row with the key "C". As of 1 it did not exist`),
    );
    await atrium.json('export', table, '--as-of', '1', '--format', 'xlsx', '--output', 'past.xlsx');
    expect(await atrium.importNew('past.xlsx', unique('Copy'))).toEqual(FIRST);
  });

  it('accepts a time, also of a day, and rejects a time without a zone', async () => {
    const [entry] = (await atrium.json('history', table, 'A')).slice(-1);
    expect(await atrium.json('query', table, '--as-of', entry.at)).toEqual(FIRST);
    expect(await atrium.run(['query', table, '--as-of', '2999-01-01'])).toMatchObject(ending(1, 'is in the future'));
    // Before the table existed, it had no rows.
    expect(await atrium.run(['query', table, '--as-of', '2000-01-01'])).toMatchObject({ code: 0, stdout: '' });
    expect(await atrium.run(['query', table, '--as-of', '2026-01-01 08:00'])).toMatchObject(
      ending(1, 'a time with its zone such as'),
    );
  });
});

describe('diff --from', () => {
  it('prints the differences of two moments as those of a file, with the exit code 3', async () => {
    const now = await atrium.run(['diff', table, '--from', '1']);
    expect(now).toEqual({
      code: 3,
      stderr: '',
      stdout: '~ A  weight: 1 → 10\n- B\n+ C  name: Motor, weight: 3\n1 created, 1 updated, 1 deleted.\n',
    });
    const between = await atrium.run(['diff', table, '--from', '2', '--to', '3', '--json']);
    expect(between.stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(JSON.parse(between.stdout.split('\n')[1]!)).toEqual({ summary: { create: 0, update: 0, delete: 1 } });
    expect(await atrium.run(['diff', table, '--from', '3'])).toMatchObject({
      code: 0,
      stdout: '0 created, 0 updated, 0 deleted.\n',
    });
  });

  it.each([
    [['--to', '2'], '--to needs --from'],
    [[], 'Write a file and a table, or a table and --from'],
    [['Other', '--from', '1'], 'Omit the file'],
    [['--from', '1', '--under', 'A'], '--under is for the comparison of a file'],
    [['--from', '1', '--on-duplicate', 'last'], '--on-duplicate is for the comparison of a file'],
    [['--from', '2', '--to', '1'], '"to" is before "from"'],
  ])('rejects %j', async (flags, message) => {
    expect(await atrium.run(['diff', table, ...flags])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });
});

describe('restore', () => {
  const all = ['--key', 'A', '--key', 'B', '--key', 'C'];
  const restore = (...flags: string[]) => atrium.run(['restore', table, '--as-of', '1', ...flags]);
  const changes = () => `asset/${table} as of 1: deletes 1 created rows, restores 1 updated and 1 deleted rows.\n`;

  it('shows the changes, and stores them as a batch that can be undone', async () => {
    expect(await restore(...all, '--dry-run')).toEqual({ code: 0, stderr: '', stdout: changes() });
    expect(await atrium.rowsOf(table)).toEqual(LAST);
    expect(await restore(...all)).toEqual({
      code: 1,
      stdout: '',
      stderr: `${changes()}Nothing was changed. Add --yes to apply it without a question.\n`,
    });
    expect(await atrium.rowsOf(table)).toEqual(LAST);
    const { code, stdout, stderr } = await restore(...all, '--yes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: changes() });
    const [, batch] = /^Restored 3 rows as batch (\S+)\. `atrium undo \1` takes it back\.\n$/.exec(stdout)!;
    expect(await atrium.rowsOf(table)).toEqual(FIRST);
    expect((await atrium.run(['batches', table])).stdout).toMatch(new RegExp(`^${batch!} .* restore `, 'm'));
    expect((await atrium.run(['history', table, 'B'])).stdout).toMatch(/ 4 +restored .*name: null → Sump pump/);
    await atrium.json('undo', batch!, '--yes');
    expect(await atrium.rowsOf(table)).toEqual(LAST);
  });

  it('asks on a terminal', async () => {
    for (const [answer, rows] of [
      ['n', LAST],
      ['y', FIRST],
    ] as const) {
      const terminal = atrium.openTerminal('restore', table, '--as-of', '1', ...all);
      await terminal.answer('Restore them? [y/N]', `${answer}\r`);
      await terminal.ended;
      expect(await atrium.rowsOf(table)).toEqual(rows);
    }
  });

  it('selects rows by a filter, and reports rows without differences', async () => {
    const report = await atrium.json('restore', table, '--as-of', '1', '--filter', 'weight>=10', '--yes');
    expect(report).toMatchObject({ batchId: expect.any(String), totals: { updated: 1, created: 0 } });
    expect(await atrium.rowsOf(table)).toEqual([FIRST[0], LAST[1]]);
    const nothing = await restore('--key', 'A', '--key', 'typo', '--yes');
    expect(nothing).toMatchObject({
      code: 0,
      stdout: 'Nothing to restore: the rows are as they were as of 1.\n',
      stderr: 'No row has or had the keys "typo".\n',
    });
    // Each line once: a key without a row, and a key without a difference.
    expect((await restore('--key', 'A', '--key', 'B', '--key', 'typo', '--dry-run')).stderr).toBe(
      '1 of the keys have no difference: the row is as it was, or did not exist then and now.\n' +
        'No row has or had the keys "typo".\n',
    );
  });

  it('ends with the exit code 2 if a former row is not valid any more, and 5 if it needs approval', async () => {
    await edit({ columns: [{ key: 'weight', options: { minimum: 2 } }] });
    const invalid = await restore(...all, '--yes');
    expect(invalid).toMatchObject({ code: 2, stdout: '' });
    expect(invalid.stderr).toMatch(/ key A, column weight: 1 is less than the minimum 2\./);
    expect(await atrium.rowsOf(table)).toEqual(LAST);
    await edit({ options: { approval: { required: true } } });
    const preview = await restore('--key', 'B', '--dry-run');
    expect(preview).toMatchObject({ code: 0, stderr: 'The restoration would wait for approval.\n' });
    const { code, stdout } = await restore('--key', 'B', '--yes');
    expect({ code, stdout }).toEqual({
      code: 5,
      stdout: expect.stringMatching(/waits for approval: `atrium proposals/),
    });
    expect(await atrium.rowsOf(table)).toEqual(LAST);
  });

  it.each([[[]], [[...all, '--filter', 'weight=1']]])('needs exactly one selection: %j', async (flags) => {
    expect(await restore(...flags, '--yes')).toMatchObject(ending(1, 'either --key KEY or --filter CONDITION'));
  });

  it('rejects a filter without a value, such as that of an empty variable', async () => {
    expect(await restore('--filter', 'name=', '--yes')).toMatchObject(ending(1, '"name=" has no value'));
  });
});

it('completion and help have the commands and flags of the history', async () => {
  await atrium.fill('Offered', [{ code: 'A' }]);
  expect(await atrium.complete('restore', 'Off')).toEqual(['Offered']);
  expect(await atrium.complete('restore', 'Offered', '--as')).toEqual(['--as-of']);
  const { stdout } = await atrium.run('complete fish --word=his --');
  expect(stdout).toMatch(/^history\tlist the changes of a row/);
  const help = (await atrium.run('diff --help')).stdout;
  expect(help).toMatch(
    /^Usage: atrium diff \[options\] <file> <table>\n +atrium diff \[options\] <table> --from <moment>$/m,
  );
  expect((await atrium.run('restore --help')).stdout).toContain('atrium restore Equipment --as-of 12');
});
