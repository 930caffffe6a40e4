import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ATRIUM, CommandLine, ending } from '../support/command-line.js';
import { DisturbedService } from '../support/disturbed-service.js';
import { ROOT } from '../support/service.js';
import { shareService } from '../support/shared-services.js';
import { until } from '../support/until.js';

let atrium: CommandLine;

beforeAll(async () => {
  const { service } = await shareService();
  atrium = new CommandLine(service, await service.provision());
});

describe('diff and sync', () => {
  it('show the differences, guard deletions and make the table equal to the file', async () => {
    const rows = Array.from({ length: 20 }, (_, index) => `K${index},${index}`);
    atrium.write('before.csv', ['code,weight', ...rows].join('\n'));
    await atrium.fill(
      'Synced',
      rows.map((_, index) => ({ code: `K${index}`, weight: index })),
    );
    atrium.write('after.csv', ['code,weight', ...rows.slice(1, 19), 'K19,20', 'K20,1'].join('\n'));
    const compared = await atrium.run('diff after.csv Synced');
    expect(compared.code).toBe(3);
    expect(compared.stdout).toContain('~ K19  weight: 19 → 20');
    expect(compared.stdout).toContain('1 to create, 1 to update, 1 to delete, 18 unchanged.');
    expect((await atrium.run('diff before.csv Synced')).code).toBe(0);
    expect(await atrium.json('sync', 'after.csv', 'Synced', '--yes')).toMatchObject({
      created: 1,
      updated: 1,
      deleted: 1,
    });
    expect((await atrium.run('diff after.csv Synced')).code).toBe(0);
    atrium.write('short.csv', 'code,weight\nK1,1\n');
    const short = ['short.csv', '--table', 'Synced', '--replace'];
    for (const command of [
      ['sync', 'short.csv', 'Synced', '--yes'],
      ['import', ...short],
      ['import', ...short, '--max-deletions', '18', '--results', 'short'],
      ['import', ...short, '--dry-run'],
    ]) {
      const { code, stderr } = await atrium.run(command);
      expect({ command, code, stderr }).toEqual({
        command,
        code: 4,
        stderr: expect.stringMatching(/would delete 19|19 would be|lacks 19|19 rows would/),
      });
      expect(stderr).not.toContain('more.');
    }
    atrium.write('empty.csv', 'code,weight\n');
    expect((await atrium.run('sync empty.csv Synced --yes --max-deletions 100%')).code).toBe(4);
    const empty = await atrium.run('import empty.csv --table Synced --replace --max-deletions 100%');
    expect(empty).toMatchObject(ending(4, 'The file has no rows; nothing was stored. Check the file.'));
    expect(empty.stderr).not.toContain('max-deletions');
    expect((await atrium.run(['import', ...short])).stderr).toContain('raise --max-deletions.');
    expect(await atrium.rowsOf('Synced')).toHaveLength(20);
    const others = Array.from({ length: 20 }, (_, index) => `K${index + 1}`).filter((key) => key !== 'K1');
    await atrium.run(['import', ...short, '--max-deletions', '95%', '--results', 'planned', '--dry-run']);
    expect(atrium.read('planned/dry-run/deleted.csv').split('\n').slice(0, -1).toSorted()).toEqual(
      ['code', ...others].toSorted(),
    );
    const replacement = [...short, '--max-deletions', '95%', '--results', 'replaced'];
    expect(await atrium.json('import', ...replacement)).toMatchObject({ deleted: 19 });
    expect(atrium.read('replaced/deleted.csv').split('\n').slice(0, -1).toSorted()).toEqual(
      ['code', ...others].toSorted(),
    );
    expect(await atrium.rowsOf('Synced')).toEqual([{ code: 'K1', weight: 1 }]);
  });

  it('writes deleted.csv only of a replacement, with the name of the column in the file', async () => {
    const load = ['--table', 'Renamed keys', '--mapping', 'keys.yaml', '--results', 'keys'];
    atrium.write('keys.yaml', 'columns: [{ from: Number, key: equnr, name: Equipment, primaryKey: true }]');
    await atrium.json('import', atrium.write('keys.csv', 'Number\nA\nB\n'), '--create', ...load);
    expect(existsSync(join(atrium.directory, 'keys/deleted.csv'))).toBe(false);
    const replaced = atrium.write('less.csv', 'Number\nA\n');
    await atrium.json('import', replaced, '--replace', '--max-deletions', '50%', ...load);
    expect(atrium.read('keys/deleted.csv')).toBe('Number\nB\n');
    expect(atrium.read('keys/updated.csv')).toBe('Number\n');
    // The file would be taken for a result of the later load.
    await atrium.json('import', replaced, ...load);
    expect(existsSync(join(atrium.directory, 'keys/deleted.csv'))).toBe(false);
  });

  it('reads nothing without --yes if there is no terminal to ask on', async () => {
    await atrium.fill('Asked', [{ code: 'A', weight: 1 }]);
    const asked = await atrium.run('sync absent.csv Asked');
    expect(asked).toMatchObject(ending(1, /^Nothing was changed\. Add --yes/));
    expect(await atrium.rowsOf('Asked')).toEqual([{ code: 'A', weight: 1 }]);
  });

  it('lists invalid rows by their line, and replaces by the valid ones with --on-error continue', async () => {
    await atrium.fill(
      'Partly',
      ['A', 'B', 'C'].map((code) => ({ code, weight: 1.5 })),
    );
    atrium.write('partly.csv', 'code;weight\n\nA;heavy\nD;4,5\n');
    const compared = await atrium.run('diff partly.csv Partly');
    expect(compared.code).toBe(2);
    expect(compared.stdout).toMatch(/^! line 3, key A, column weight: /m);
    expect(compared.stdout).toContain('1 to create, 0 to update, 2 to delete, 0 unchanged, 1 invalid.');
    const lines = (await atrium.run('diff partly.csv Partly --json')).stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ change: 'error', line: 3, code: 'type_mismatch' }),
      expect.objectContaining({ change: 'delete', key: 'B' }),
      expect.objectContaining({ change: 'delete', key: 'C' }),
      { change: 'create', key: 'D', columns: { weight: { from: null, to: 4.5 } } },
      { summary: { create: 1, update: 0, delete: 2, unchanged: 0, error: 1 } },
    ]);
    expect(await atrium.run('sync partly.csv Partly --yes')).toMatchObject({ code: 2 });
    expect((await atrium.rowsOf('Partly')).map(({ code }) => code)).toEqual(['A', 'B', 'C']);
    const partly = ['sync', 'partly.csv', 'Partly', '--yes', '--on-error', 'continue', '--max-deletions', '2'];
    expect((await atrium.run([...partly, '--results', 'partly'])).code).toBe(2);
    expect(atrium.readJson('partly/summary.json')).toMatchObject({ created: 1, deleted: 2, rejected: 1 });
    expect(atrium.read('partly/rejected.csv')).toContain(';A;heavy');
    // The columns of the error are ignored, so the corrected file is imported as it is.
    atrium.write('corrected.csv', atrium.read('partly/rejected.csv').replace(';A;heavy', ';A;2,5'));
    expect(await atrium.json('import', 'corrected.csv', '--table', 'Partly')).toMatchObject({ updated: 1 });
    expect((await atrium.rowsOf('Partly')).map(({ code }) => code)).toEqual(['A', 'D']);
  });

  it('write the folder of --results in every outcome, without files of an earlier load', async () => {
    await atrium.fill('Nightly', [{ code: 'A', weight: 1 }]);
    const folder = () => readdirSync(join(atrium.directory, 'nightly')).toSorted();
    const summary = () => atrium.readJson('nightly/summary.json') as unknown;
    const night = ['sync', 'nightly.csv', 'Nightly', '--yes', '--quiet', '--results', 'nightly'];

    atrium.write('nightly.csv', 'code,weight\nA,heavy\nB,2\n');
    expect(await atrium.run(night)).toMatchObject({ code: 2, stdout: 'Nightly: nothing stored, 1 rejected\n' });
    expect(atrium.read('nightly/rejected.csv')).toMatch(/^2,type_mismatch,weight,.*,A,heavy$/m);
    const errors = [{ line: 2, key: 'A', column: 'weight' }];
    expect(summary()).toMatchObject({ dryRun: false, isStored: false, received: 2, rejected: 1, errors });
    expect(await atrium.rowsOf('Nightly')).toEqual([{ code: 'A', weight: 1 }]);

    // A correction that is in the folder itself would be removed before it is read.
    const own = ['sync', 'nightly/rejected.csv', 'Nightly', '--yes', '--results', 'nightly'];
    expect(await atrium.run(own)).toMatchObject(ending(1, 'Name another folder'));
    expect(folder()).toContain('rejected.csv');

    atrium.write('nightly.csv', 'code,weight\n');
    const failed =
      'Nightly: failed: The file has no rows; at most 0 may be deleted. Nothing was changed. Check the file.\n';
    expect(await atrium.run(night)).toMatchObject({ code: 4, stdout: failed });
    expect(folder()).toEqual(['summary.json']);
    expect(summary()).toMatchObject({ table: 'Nightly', batches: [], error: { message: expect.any(String) } });

    rmSync(join(atrium.directory, 'nightly.csv'));
    expect((await atrium.run(night)).code).toBe(1);
    expect(summary()).toMatchObject({ error: { code: 'no_file', message: expect.stringContaining('nightly.csv') } });

    atrium.write('nightly.csv', 'code,weight\nA,3\nB,2\n');
    const stored = { code: 0, stdout: 'Nightly: stored, 1 created, 1 updated\n', stderr: '' };
    expect(await atrium.run(night)).toEqual(stored);
    expect(summary()).toMatchObject({ isStored: true, created: 1, updated: 1 });
    expect(folder()).toContain('created.csv');
  });

  it('leave the results of the last load if nothing is stored: by a dry run, or without a yes', async () => {
    await atrium.fill('Previewed', [{ code: 'A', weight: 1 }]);
    const sync = ['sync', 'previewed.csv', 'Previewed', '--results', 'previewed'];
    const list = (folder: string) =>
      readdirSync(join(atrium.directory, folder)).map((name) => {
        return [name, name === 'dry-run' ? '' : atrium.read(`${folder}/${name}`)];
      });
    atrium.write('previewed.csv', 'code,weight\nA,2\nB,heavy\n');
    await atrium.run([...sync, '--yes', '--on-error', 'continue']);
    const stored = list('previewed');

    atrium.write('previewed.csv', 'code,weight\nA,3\n');
    const terminal = atrium.openTerminal(...sync);
    await terminal.answer('Apply these changes?', 'n\r');
    expect(await terminal.ended).toBe(1);
    expect(list('previewed')).toEqual(stored);

    expect((await atrium.run([...sync, '--dry-run'])).code).toBe(0);
    expect(list('previewed').filter(([name]) => name !== 'dry-run')).toEqual(stored);
    expect(atrium.read('previewed/dry-run/updated.csv')).toBe('code,weight\nA,3\n');
    const retry = ['import', '--retry-rejected', 'previewed', '--dry-run'];
    expect((await atrium.run(retry)).code).toBe(2);
    expect(atrium.readJson('previewed/dry-run/summary.json')).toMatchObject({ dryRun: true, rejected: 1 });
    expect(readdirSync(join(atrium.directory, 'previewed'))).not.toContain('retry-1');

    const answered = atrium.openTerminal(...sync);
    await answered.answer('Apply these changes?', 'y\r');
    expect(await answered.ended).toBe(0);
    expect(atrium.read('previewed/updated.csv')).toBe('code,weight\nA,3\n');
    expect(atrium.readJson('previewed/summary.json')).toMatchObject({ isStored: true, updated: 1 });

    // Without a terminal, no person sees that the results are those of another night.
    expect(await atrium.run([...sync, '--quiet'])).toMatchObject({
      code: 1,
      stdout: 'Previewed: failed: Nothing was changed. Add --yes to apply it without a question.\n',
    });
    expect(list('previewed').map(([name]) => name)).toEqual(['dry-run', 'summary.json']);
    expect(atrium.readJson('previewed/summary.json')).toMatchObject({ batches: [], error: { code: 'not_confirmed' } });
  });

  it('import leaves no results of an earlier load if there is no file, or more than one', async () => {
    await atrium.fill('Matched', [{ code: 'A', weight: 1 }]);
    const load = (pattern: string, ...flags: string[]) =>
      atrium.run(['import', pattern, '--table', 'Matched', '--results', 'matched', ...flags]);
    const results = () => readdirSync(join(atrium.directory, 'matched'));
    const error = () => atrium.readJson('matched/summary.json').error as object;
    atrium.write('part-1.csv', 'code,weight\nA,heavy\n');
    expect((await load('part-1.csv')).code).toBe(2);
    expect(results()).toContain('rejected.csv');
    expect(await load('parts-*.csv', '--quiet')).toMatchObject({
      ...ending(1, 'The file parts-*.csv does not exist'),
      stdout: 'Matched: failed: The file parts-*.csv does not exist or cannot be read. Nothing was imported.\n',
    });
    expect(results()).toEqual(['summary.json']);
    expect(error()).toMatchObject({ code: 'no_file', message: expect.stringContaining('parts-*.csv') });

    await load('part-1.csv');
    atrium.write('part-2.csv', 'code,weight\nB,1\n');
    expect(await load('part-*.csv')).toMatchObject(ending(1, '--results needs one file.'));
    expect(results()).toEqual(['summary.json']);
    expect(error()).toMatchObject({ message: '--results needs one file.' });
    await load('part-1.csv');
    expect(await load('part-1.csv', '--filter', 'code=A')).toMatchObject(ending(1, 'need --replace'));
    expect(results()).toEqual(['summary.json']);
    expect(error()).toMatchObject({ message: expect.stringContaining('need --replace') });
    await load('part-1.csv');
    const invalid = `option '--on-duplicate <rule>' argument 'bogus' is invalid. Allowed choices are error, first, last.`;
    expect(await load('part-1.csv', '--quiet', '--on-duplicate', 'bogus')).toMatchObject({
      ...ending(1, invalid),
      stdout: `Matched: failed: ${invalid}\n`,
    });
    expect(results()).toEqual(['summary.json']);
    expect(error()).toMatchObject({ message: invalid });
    expect(await load('part-1.csv', '--date-format', 'x', '--date-format', 'y')).toMatchObject(
      ending(1, `argument 'x'`),
    );
    // Files that the pattern selects in the folder itself are not removed.
    await load('part-1.csv');
    expect(await load('matched/*.csv')).toMatchObject(ending(1, 'would replace the file'));
    expect(results()).toContain('rejected.csv');
  });

  it('removes no file of the user from the folder of --results', async () => {
    await atrium.fill('Own files', [{ code: 'A', weight: 1 }]);
    mkdirSync(join(atrium.directory, 'own'));
    symlinkSync(join(atrium.directory, 'own'), join(atrium.directory, 'link'));
    const input = atrium.write('own/created.csv', 'code,weight\nB,2\n');
    const run = (results: string, file = input) =>
      atrium.run(['sync', file, 'Own files', '--yes', '--results', results]);
    for (const results of ['own', 'link'])
      expect(await run(results)).toMatchObject(ending(1, 'would replace the file'));
    const other = atrium.write('other.csv', 'code,weight\nB,2\n');
    expect(await run('own', other)).toMatchObject(ending(1, 'no summary.json'));
    expect(atrium.read('own/created.csv')).toBe('code,weight\nB,2\n');
    expect(await atrium.rowsOf('Own files')).toEqual([{ code: 'A', weight: 1 }]);
  });

  it('compare a file with columns that the table does not have, also under other names', async () => {
    await atrium.fill('Extended', [{ code: 'A', name: 'Pump' }]);
    atrium.write('extended.csv', 'code,name,label\nA,P-1,Pump\nB,P-2,Motor\n');
    // A column of the file has the name of another column of the table.
    const columns = '{ from: code }, { from: name, key: number, name: Number }, { from: label, key: name, name: Name }';
    atrium.write('extended.yaml', `columns: [${columns}]`);
    const flags = ['--mapping', 'extended.yaml', '--create'];
    const compared = await atrium.run(['diff', 'extended.csv', 'Extended', ...flags]);
    expect(compared.stdout).toContain('+ B  name: Motor');
    expect(compared.stdout).toContain('1 to create, 0 to update, 0 to delete, 1 unchanged.');
    expect(await atrium.json('sync', 'extended.csv', 'Extended', ...flags, '--yes')).toMatchObject({ created: 1 });
    expect(await atrium.rowsOf('Extended')).toEqual([
      { code: 'A', name: 'Pump', number: 'P-1' },
      { code: 'B', name: 'Motor', number: 'P-2' },
    ]);
  });

  it('preview a table that does not exist as the load of it', async () => {
    atrium.write('fresh.csv', 'code,weight\nA,1\n,2\nB,3\nB,4\nC,heavy\nD,5\n');
    atrium.write('fresh.yaml', 'columns: [{ from: code, primaryKey: true }, { from: weight, type: number }]');
    const file = ['fresh.csv', 'Fresh', '--mapping', 'fresh.yaml', '--create'];
    const compared = await atrium.run(['diff', ...file]);
    expect(compared.code).toBe(2);
    for (const line of [
      '! line 3',
      '! line 4, key B',
      '! line 5, key B',
      '! line 6, key C, column weight',
      '+ D  weight: 5',
    ])
      expect(compared.stdout).toContain(line);
    expect(compared.stdout).toContain('2 to create, 0 to update, 0 to delete, 0 unchanged, 4 invalid.');
    const last = [...file, '--on-duplicate', 'last'];
    const summary = { create: 3, update: 0, delete: 0, unchanged: 0, error: 2 };
    const lines = (await atrium.run(['diff', ...last, '--json'])).stdout.trim().split('\n');
    expect(JSON.parse(lines.at(-1)!)).toEqual({ summary });
    const dryRun = await atrium.run(['sync', ...last, '--dry-run', '--on-error', 'continue', '--json']);
    expect(JSON.parse(dryRun.stdout)).toMatchObject({ created: 3, rejected: 2, skipped: 1 });
    expect(await atrium.run(['diff', 'fresh.csv', 'Fresh'])).toMatchObject(
      ending(1, /^The table "Fresh" does not exist\..*--create would create it\./),
    );
  });

  it('replace a part of the table', async () => {
    await atrium.fill('Plants', [
      { code: 'A', plant: 'P1' },
      { code: 'B', plant: 'P1' },
      { code: 'C', plant: 'P2' },
    ]);
    atrium.write('plant.csv', 'code,plant\nA,P1\n');
    const scope = ['--filter', 'plant=P1', '--max-deletions', '50%'];
    for (const command of ['import plant.csv --table Plants --replace', 'sync plant.csv Plants'])
      expect(await atrium.run(`${command} --filter plant= --yes`)).toMatchObject(ending(1, '"plant=" has no value'));
    expect((await atrium.run(['diff', 'plant.csv', 'Plants', ...scope])).stdout).toContain('1 to delete, 1 unchanged');
    expect(await atrium.json('sync', 'plant.csv', 'Plants', ...scope, '--yes')).toMatchObject({ deleted: 1 });
    expect((await atrium.rowsOf('Plants')).map(({ code }) => code)).toEqual(['A', 'C']);
  });

  it('synchronise all tables of a configuration', async () => {
    atrium.write('sites.csv', 'code,name\nAT,Vienna\n');
    atrium.write('parts.csv', 'code,name\n1,Pump\n2,Valve\n');
    atrium.write(
      'atrium.sync.yaml',
      'tables:\n  - { file: sites.csv, table: Night Sites, entity: location, create: true }\n  - { file: parts.csv, table: Night Parts, create: true }\n',
    );
    expect(await atrium.json('sync', '--config', 'atrium.sync.yaml', '--yes')).toMatchObject([
      { created: 1 },
      { created: 2 },
    ]);
    const batches = (await atrium.json('batches')).length;
    expect(await atrium.json('sync', '--config', 'atrium.sync.yaml', '--yes')).toMatchObject([
      { unchanged: 1 },
      { unchanged: 2 },
    ]);
    // Columns that exist are not a batch of their own.
    atrium.write('parts.csv', 'code,name\n1,Pump\n2,Gate valve\n');
    expect((await atrium.run('sync --config atrium.sync.yaml --yes')).code).toBe(0);
    expect(await atrium.json('batches')).toHaveLength(batches + 1);
  });
});

describe('a night of several tables', () => {
  const TABLES = ['First', 'Second', 'Third'];
  let night: CommandLine;

  beforeAll(async () => {
    const { service } = await shareService();
    night = new CommandLine(service, await service.provision());
    for (const table of TABLES) await night.fill(table, [{ code: 'A', weight: 1 }]);
  });

  const writeFiles = (first: string, second: string, third: string) => {
    for (const [index, rows] of [first, second, third].entries()) {
      night.write(`${TABLES[index]!}.csv`, `code,weight\n${rows}`);
    }
  };
  const configure = (...more: string[]) =>
    night.write(
      'night.yaml',
      [
        'tables:',
        ...TABLES.map((name, index) => `  - { file: ${name}.csv, table: ${name}, create: true${more[index] ?? ''} }`),
      ].join('\n'),
    );
  const results = TABLES.map((name) => `, results: results/${name}`);
  const load = (...flags: string[]) => night.run(['sync', '--config', 'night.yaml', '--yes', '--quiet', ...flags]);
  const summaryOf = (name: string) => night.readJson(`results/${name}/summary.json`);
  const listFiles = (name: string) => readdirSync(join(night.directory, 'results', name)).toSorted();

  it('leaves no results of the night before, also of retries and of tables that it does not reach', async () => {
    configure(results[0]!, results[1]!, `${results[2]!}, onError: continue`);
    writeFiles('A,2\n', 'A,2\n', 'A,2\nB,heavy\n');
    const counts = ['1 updated', '1 updated', '1 updated, 1 rejected'];
    const stored = TABLES.map((name, index) => `${name}: stored, ${counts[index]!}`);
    expect(await load()).toMatchObject({ code: 2, stdout: `${stored.join('\n')}\n` });
    await night.run('import --retry-rejected results/Third');
    mkdirSync(join(night.directory, 'results/Third/retry-2'));
    night.write('results/Third/retry-2/created.csv', 'of the user');
    expect(listFiles('Third')).toContain('retry-1');

    writeFiles('A,3\n', 'A,heavy\n', 'A,3\n');
    const ended = ['First: stored, 1 updated', 'Second: nothing stored, 1 rejected', 'Third: not loaded'];
    expect(await load()).toMatchObject({ code: 2, stdout: `${ended.join('\n')}\n` });
    expect(listFiles('Third')).toEqual(['retry-2', 'summary.json']);
    expect(summaryOf('Third')).toMatchObject({ table: 'Third', batches: [], error: { code: 'not_loaded' } });
    expect(night.read('results/Third/retry-2/created.csv')).toBe('of the user');

    // Before the first table, so also if it fails.
    rmSync(join(night.directory, 'First.csv'));
    const failed = await load();
    expect(failed).toMatchObject(ending(1, 'First.csv does not exist'));
    expect(failed.stdout).toMatch(
      /^First: failed: The file .*First\.csv does not exist.*\nSecond: not loaded\nThird: /,
    );
    expect(listFiles('Second')).toEqual(['summary.json']);
    const own = await night.run('import results/Third/retry-2/created.csv --table Third --results results/Third');
    expect(own).toMatchObject(ending(1, 'would replace the file'));
  });

  it('rejects two folders of results that are one by a link, and leaves no results of an earlier load', async () => {
    configure(...results);
    writeFiles('A,1\n', 'A,1\n', 'A,1\n');
    await load();
    symlinkSync(join(night.directory, 'results/First'), join(night.directory, 'linked'));
    for (const second of ['linked', 'results/First', 'results/../results/First/']) {
      configure(results[0]!, `, results: ${second}`, results[2]!);
      const { code, stderr } = await load();
      expect({ code, stderr }).toEqual(ending(1, 'would be in one folder'));
      expect(stderr).toMatch(/results\/First of First, and \S+(linked|results\/First) of Second\./);
    }
    for (const table of ['First', 'Third']) {
      expect(listFiles(table).filter((name) => !name.startsWith('retry'))).toEqual(['summary.json']);
      expect(summaryOf(table).error).toMatchObject({ message: expect.stringContaining('would be in one folder') });
    }
  });

  it('that Ctrl-C ends at a later question has stored the tables before, and says so', async () => {
    configure(...results);
    writeFiles('A,11\n', 'A,11\n', 'A,11\n');
    const terminal = night.openTerminal('sync', '--config', 'night.yaml');
    await terminal.answer('Apply these changes?', 'y\r');
    await terminal.answer('Apply these changes?', '\x03');
    expect(await terminal.ended).toBe(130);
    expect(terminal.shown).toMatch(/Not loaded: Third\.[^]*Second:\s+Interrupted\.[^]*Stored before: First\./);
    expect(await night.rowsOf('First')).toEqual([{ code: 'A', weight: 11 }]);
    expect(await night.rowsOf('Second')).not.toContainEqual({ code: 'A', weight: 11 });
  });

  it('goes on after the rejected rows of a table with onError, and validates the key', async () => {
    configure('', `${results[1]!}, onError: continue`, '');
    writeFiles('A,4\n', 'A,heavy\nB,4\n', 'A,4\n');
    const lines = ['First: stored, 1 updated', 'Second: stored, 1 created, 1 rejected', 'Third: stored, 1 updated'];
    expect(await load()).toMatchObject({ code: 2, stdout: `${lines.join('\n')}\n` });
    // A row without a readable key may be one of those that would be deleted.
    configure('', `${results[1]!}, onError: continue, maxDeletions: 50%`, '');
    writeFiles('A,4\n', 'A,1\nC\n', 'A,4\n');
    const reason = 'The key of 1 row cannot be read, so the rows to delete are unknown; nothing was stored.';
    expect((await load()).stdout).toContain(`Second: nothing stored, 1 rejected: ${reason}\n`);
    const sync = ['sync', '--config', 'night.yaml', '--yes'];
    const { stderr } = await night.run(sync);
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain('store the others with --on-error continue');
    expect(summaryOf('Second')).toMatchObject({ isStored: false, reason });
    writeFiles('A,4\n', 'A,9\nB,9\nC\nD,9\n', 'A,4\n');
    expect((await night.run([...sync, '--dry-run'])).stderr).not.toContain('Nothing of the file');
    expect((await load()).stdout).toContain('Second: stored, 1 created, 2 updated, 1 rejected\n');
    configure('', ', onError: proceed', '');
    expect(await load()).toMatchObject(ending(1, /tables\.1\.onError: .*"continue"/));
  });

  it('leaves no results of the night before if the configuration is not valid', async () => {
    configure(...results);
    writeFiles('A,4\n', 'A,heavy\n', 'A,4\n');
    await load();
    expect(listFiles('Second')).toContain('rejected.csv');
    configure(results[0]!, `${results[1]!}, onError: proceed`, ', results: 7');
    expect(await load()).toMatchObject({
      ...ending(1, /tables\.1\.onError: .*"continue"/),
      stdout: expect.stringMatching(
        /^First: failed: night\.yaml is not valid: tables\.1\.onError: .*"continue".*; tables\.2\.results.*\nSecond: failed: /,
      ),
    });
    for (const name of ['First', 'Second']) {
      expect(listFiles(name).filter((file) => file !== 'dry-run')).toEqual(['summary.json']);
      expect(summaryOf(name).error).toMatchObject({ message: expect.stringContaining('onError') });
    }
  });

  it('of a dry run reports all tables, also after one that fails', async () => {
    configure();
    writeFiles('', 'A,heavy\nB,5\n', 'A,5\n');
    const { code, stdout, stderr } = await load('--dry-run');
    expect(code).toBe(4);
    expect(stdout).toMatch(
      /^First: failed: The file has no rows;.*\nSecond: dry run, 1 rejected\nThird: dry run, 1 updated\n$/,
    );
    expect(stderr).toContain('at most 0 may be deleted');
    const shown = await night.run('sync --config night.yaml --dry-run');
    expect(shown.stderr).toContain('Nothing of the file would be stored');
    expect(shown.stderr).toMatch(/^First:\nThe file has no rows/m);
    expect(await night.rowsOf('Third')).toEqual([{ code: 'A', weight: 4 }]);
  });

  it('counts parents and references that name no row, also if nothing has changed', async () => {
    night.write('tree.csv', 'code,parent\nA,\nB,A\nC,X\n');
    night.write('tree.yaml', 'columns: [{ from: code, primaryKey: true }, { from: parent, type: hierarchyParent }]');
    const sync = ['sync', 'tree.csv', 'Tree', '--mapping', 'tree.yaml', '--create', '--yes', '--quiet'];
    expect(await night.run(sync)).toMatchObject({ code: 0, stdout: 'Tree: stored, 3 created, 1 unresolved\n' });
    const batches = (await night.json('batches')).length;
    for (const flags of [[], ['--results', 'tree']])
      expect(await night.run([...sync, ...flags])).toMatchObject({ code: 0, stdout: 'Tree: stored, 1 unresolved\n' });
    expect(await night.json('batches')).toHaveLength(batches);
    expect(night.readJson('tree/summary.json')).toMatchObject({ isStored: true, unchanged: 3, dryRun: false });
  });

  it('does not log that a file is stored if the table changes while it is compared', async () => {
    const { service } = await shareService();
    const proxy = await DisturbedService.start(service, /\/items\/import\?/);
    const disturbed = new CommandLine(proxy, await service.provision());
    await disturbed.fill('Changed', [{ code: 'A', weight: 1 }]);
    disturbed.write('changed.csv', 'code,weight\nA,1\n');
    const sync = ['sync', 'changed.csv', 'Changed', '--yes', '--quiet', '--results', 'changed'];
    // After the comparison, and before the dry run that writes the results.
    proxy.disturbances = [() => disturbed.client.assets('Changed').upsert([{ code: 'A', weight: 2 }])];
    const { code, stdout } = await disturbed.run(sync);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^Changed: failed: .*was changed while it was compared/)]);
    expect(await disturbed.rowsOf('Changed')).toEqual([{ code: 'A', weight: 2 }]);
    expect(await disturbed.run(sync)).toMatchObject({ code: 0, stdout: 'Changed: stored, 1 updated\n' });
    await proxy.stop();
  });

  it('are incomplete if the process is killed, which the commands that need them report', async () => {
    const { service } = await shareService();
    const proxy = await DisturbedService.start(service, /\/differences\?/);
    const killed = new CommandLine(proxy, await service.provision());
    await killed.fill('Killed', [{ code: 'A', weight: 1 }]);
    killed.write('killed.csv', 'code,weight\nA,2\nB,1\nC,heavy\n');
    const sync = ['sync', 'killed.csv', 'Killed', '--yes', '--quiet', '--on-error', 'continue', '--results', 'killed'];
    const readFile = (name: string) => killed.read(`killed/${name}`);
    // The differences are read after the rows are stored and the files have their headings.
    let isDeferred = false;
    proxy.disturbances = [
      () => {
        isDeferred = true;
        return new Promise(() => undefined);
      },
    ];
    const child = killed.spawn(...sync);
    const ended = once(child, 'close');
    await until(() => Promise.resolve(isDeferred));
    child.kill('SIGKILL');
    await ended;
    const stored = [
      { code: 'A', weight: 2 },
      { code: 'B', weight: 1 },
    ];
    expect(await killed.rowsOf('Killed')).toEqual(stored);
    expect(readFile('rejected.csv')).toBe('line,code,column,message,code,weight\n');
    const error = { code: 'unfinished', message: 'The load has not ended.' };
    expect(JSON.parse(readFile('summary.json'))).toMatchObject({ table: 'Killed', batches: [], error });

    const undone = await killed.run('undo --results killed --yes');
    expect([undone.code, undone.stderr]).toEqual([
      1,
      expect.stringContaining('The load has not ended. `atrium batches` lists what was stored.'),
    ]);
    const retried = await killed.run('import --retry-rejected killed');
    expect([retried.code, retried.stderr]).toEqual([
      1,
      expect.stringContaining('does not have all rejected rows: The load has not ended. Repeat the load instead.'),
    ]);
    const reported = await killed.run('notes report killed');
    expect([reported.code, reported.stderr]).toEqual([
      0,
      expect.stringContaining('does not have all errors of Killed'),
    ]);

    expect(await killed.run(sync)).toMatchObject({ code: 2, stdout: expect.stringContaining('1 rejected') });
    expect(readFile('rejected.csv')).toMatch(/^4,type_mismatch,weight,.*,C,heavy$/m);
    expect(JSON.parse(readFile('summary.json'))).not.toHaveProperty('error');
    expect(await killed.rowsOf('Killed')).toEqual(stored);
    await proxy.stop();
  });

  it('has all errors of the rejected rows in errors.ndjson, and the first 100 in summary.json', async () => {
    const rows = Array.from({ length: 150 }, (_, index) => `K${index},heavy,soon`);
    night.write('many.csv', ['code,weight,since', ...rows, 'B,1', 'C,1,2024-01-31'].join('\n'));
    night.write(
      'many.yaml',
      'columns: [{ from: code, primaryKey: true }, { from: weight, type: number }, { from: since, type: date }]',
    );
    const flags = ['--mapping', 'many.yaml', '--create', '--yes', '--on-error', 'continue', '--results', 'many'];
    expect((await night.run(['sync', 'many.csv', 'Many', ...flags])).code).toBe(2);
    const errors = night
      .read('many/errors.ndjson')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(errors).toHaveLength(301);
    expect(errors.slice(0, 2)).toEqual([
      { line: 2, key: 'K0', column: 'weight', code: 'type_mismatch', message: expect.stringContaining('"heavy"') },
      { line: 2, key: 'K0', column: 'since', code: expect.any(String), message: expect.stringContaining('"soon"') },
    ]);
    expect(errors.at(-1)).toEqual({ line: 152, code: 'cell_count', message: expect.any(String) });
    expect(night.readJson('many/summary.json').errors).toHaveLength(100);
  });
});

describe('the page "Run it every night"', () => {
  const page = readFileSync(join(ROOT, 'docs/how-to/running-every-night.md'), 'utf8');
  const [script, report] = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block!);
  const [configuration] = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, block]) => block!);

  it('has a script that logs a line per table, prints only what needs a person, and creates a note per error', async () => {
    const { service } = await shareService();
    const job = new CommandLine(service, await service.provision());
    const bin = join(job.directory, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'atrium'), `#!/bin/sh\nexec '${process.execPath}' '${ATRIUM}' "$@"\n`, { mode: 0o755 });
    writeFileSync(join(job.directory, 'nightly'), script!, { mode: 0o755 });
    const env = { ...job.environment, PATH: `${bin}:${process.env['PATH']!}` };
    const run = (cwd: string, command: string, ...args: string[]) => {
      const { status, stdout } = spawnSync(command, args, { env, cwd, encoding: 'utf8' });
      return { code: status, stdout };
    };
    // cron starts it in another folder.
    const night = () => run('/', join(job.directory, 'nightly'));
    const log = () =>
      job
        .read('load.log')
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d /, ''));

    job.write('atrium.sync.yaml', configuration!);
    job.write('locations.csv', 'TPLNR;PLTXT\nAT10;Plant\n');
    job.write('equipment.csv', 'EQUNR;TPLNR;BRGEW\nA;AT10;1\nB;AT20;2\n');
    job.write('mapping.yaml', (await job.run('init sap locations.csv equipment.csv')).stdout);
    expect(night()).toEqual({ code: 0, stdout: '' });
    const stored = ['Functional Locations: stored, 1 created', 'Equipment: stored, 2 created, 1 unresolved'];
    expect(log()).toEqual(stored);

    // Errors of a stored row, of a new one, of two rows with one key, and of a row without a key.
    job.write('equipment.csv', 'EQUNR;TPLNR;BRGEW\nA;AT10;heavy\nB;AT20;2\nN;AT10;x\n;AT10;3\nD;AT10;y\nD;AT10;z\nE\n');
    const rejected = night();
    expect(rejected).toEqual({ code: 2, stdout: expect.stringMatching(/^The load ended with code 2\.\n/) });
    expect(rejected.stdout).toMatch(/^Equipment: nothing stored, 6 rejected$/m);
    expect(rejected.stdout).toMatch(/line 2, key A, column brgew/);
    expect(log().slice(2)).toEqual([
      ...['Functional Locations: stored', 'Equipment: nothing stored, 6 rejected'],
      expect.stringMatching(/^Equipment: \d notes created$/),
    ]);
    const list = async (...flags: string[]) => {
      const notes = await job.json<any[]>('notes', 'list', ...flags);
      return notes.map(({ title, asset, status }) => [title, asset?.key ?? null, status]).toSorted();
    };
    expect(await list()).toEqual([
      ['Equipment A: brgew', 'A', 'open'],
      ['Equipment D: brgew', null, 'open'],
      ['Equipment N: brgew', null, 'open'],
      ['Equipment: cell_count', null, 'open'],
      ['Equipment: equnr', null, 'open'],
    ]);
    const again = run(job.directory, 'bash', '-e', '-c', report!);
    expect(again).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Equipment: 5 notes unchanged\n[^]*Equipment N: brgew/),
    });

    // An error that remains, one that was corrected, and a load that fails.
    job.write('equipment.csv', 'EQUNR;TPLNR;BRGEW\nA;AT10;5\nB;AT20;2\nN;AT10;x\n');
    expect(night().code).toBe(2);
    expect(await list('--status', 'open')).toEqual([['Equipment N: brgew', null, 'open']]);
    rmSync(join(job.directory, 'equipment.csv'));
    expect(night().code).toBe(1);
    const missing = `Equipment: failed: The file ${job.directory}/equipment.csv does not exist or cannot be read.`;
    expect(log().at(-1)).toBe(missing);
    expect(page).toContain(
      missing
        .replace(job.directory, '/srv/atrium')
        .replace('Equipment', 'Functional Locations')
        .replace('equipment', 'locations'),
    );
    expect(await list('--status', 'open')).toEqual([['Equipment N: brgew', null, 'open']]);

    // The night that the lock prevents.
    const [, cron] = /^15 2 \* \* \* +(.*)$/m.exec(page)!;
    const command = cron!.replaceAll('/srv/atrium', job.directory);
    expect(run('/', 'flock', join(job.directory, 'nightly'), 'sh', '-c', command).stdout).toBe(
      'The last night still runs.\n',
    );
  });
});

describe('atrium notes report', () => {
  const report = async (...flags: string[]) => (await atrium.run(['notes', 'report', 'reported', ...flags])).stdout;
  const loadRows = async (rows: string[], ...more: string[]) => {
    atrium.write('reported.csv', ['code,weight', ...rows].join('\n'));
    const flags = ['--table', 'Reported Sites', '--entity', 'location', '--results', 'reported', ...more];
    await atrium.run(['import', 'reported.csv', ...flags]);
  };
  const listNotes = async (...flags: string[]) =>
    (await atrium.json<any[]>('notes', 'list', '--search', 'Reported', ...flags)).toSorted((one, other) =>
      one.title.localeCompare(other.title),
    );

  it('changes, opens and closes its notes, and leaves archived notes as they are', async () => {
    const columns = [
      { name: 'Code', type: 'text' as const },
      { name: 'Weight', type: 'number' as const },
    ];
    await atrium.client.locations('Reported Sites').upsert([{ code: 'A' }], { columns });
    await loadRows(['A,heavy', 'B,big']);
    expect(await report('--priority', 'high')).toBe('Reported Sites: 2 notes created\n');
    const [a, b] = await listNotes();
    expect([a.title, a.location?.key, a.priority]).toEqual(['Reported Sites A: weight', 'A', 'high']);
    expect([b.title, b.location, b.reporter]).toEqual(['Reported Sites B: weight', null, 'atrium notes report']);
    await atrium.client.notes.create({ externalId: a.externalId, assignee: 'maria', priority: 'low' });
    expect(await report('--priority', 'high')).toBe('Reported Sites: 2 notes unchanged\n');

    await loadRows(['A,huge', 'B,1']);
    expect(await report()).toBe('Reported Sites: 1 note updated, 1 closed\n');
    const [changed, closed] = await listNotes();
    expect(changed).toMatchObject({ assignee: 'maria', priority: 'low', description: expect.stringContaining('huge') });
    expect(closed).toMatchObject({ status: 'resolved', closedAt: expect.any(String) });

    await loadRows(['A,1', 'B,big']);
    expect(await report()).toBe('Reported Sites: 1 note reopened, 1 closed\n');
    expect((await listNotes()).map(({ status }) => status)).toEqual(['resolved', 'open']);
    await atrium.client.json('DELETE', `${atrium.client.workspacePath}/notes/${b.id}`);
    expect(await report()).toBe('Reported Sites: 1 note unchanged\n');
  });

  it('reads the last retry of a load', async () => {
    await loadRows(['R,heavy', 'S,big', 'T,1'], '--on-error', 'continue');
    expect(await report()).toMatch(/^Reported Sites: 2 notes created/);
    const rejected = atrium.read('reported/rejected.csv');
    for (const corrected of [rejected, rejected.replace(',R,heavy', ',R,1')]) {
      atrium.write('reported/rejected.csv', corrected);
      await atrium.run('import --retry-rejected reported');
    }
    expect(await report()).toBe('Reported Sites: 1 note closed, 1 unchanged\n');
    atrium.write('reported/retry-2/rejected.csv', rejected.replace(',S,big', ',S,1').replace(/.*,R,heavy\n/, ''));
    await atrium.run('import --retry-rejected reported/retry-2');
    const failed = await atrium.run('import --retry-rejected reported --mapping absent.yaml');
    expect(failed).toMatchObject(ending(1, 'absent.yaml'));
    expect(await report()).toBe('Reported Sites: 1 note closed\n');
  });

  it('does not close notes of rows that a retry has not stored', async () => {
    const setApproval = (required: boolean) =>
      atrium.client.put('/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}', {
        params: { path: { workspaceId: atrium.caller.workspaceId, entity: 'locations', table: 'Reported Sites' } },
        body: { options: { approval: required ? { required } : null } },
      });
    await loadRows(['U,heavy', 'V,big', 'T,1'], '--on-error', 'continue');
    expect(await report()).toMatch(/^Reported Sites: 2 notes created/);
    const rejected = atrium.read('reported/rejected.csv');
    atrium.write('reported/rejected.csv', rejected.replace(/.*,U,heavy\n/, '').replace(',V,big', ',V,1'));
    expect(await atrium.run('import --retry-rejected reported')).toMatchObject({ code: 0 });
    expect(await report()).toBe('Reported Sites: 2 notes unchanged\n');
    atrium.write('reported/rejected.csv', rejected.replace(',U,heavy', ',U,1').replace(',V,big', ',V,2'));
    await setApproval(true);
    expect(await atrium.run('import --retry-rejected reported')).toMatchObject({ code: 5 });
    await setApproval(false);
    expect(await report()).toBe('Reported Sites: 2 notes unchanged\n');
  });

  it('finds a note whose reporter was changed, and leaves what people have changed', async () => {
    await loadRows(['P,heavy']);
    await report('--priority', 'high');
    const [created] = await listNotes('--status', 'open');
    const changed = { reporter: 'j.novak', assignee: 'maria', priority: 'low', dueDate: '2030-01-01T00:00:00.000Z' };
    await atrium.client.notes.create({ externalId: created.externalId, ...changed });
    expect(await report('--priority', 'high')).toBe('Reported Sites: 1 note unchanged\n');
    const getNote = () => atrium.client.notes.get(created.id);

    await loadRows(['P,1']);
    expect(await report()).toBe('Reported Sites: 1 note closed\n');
    expect(await getNote()).toMatchObject({ ...changed, status: 'resolved' });

    await loadRows(['P,huge']);
    expect(await report('--priority', 'high', '--assignee', 'peter')).toBe('Reported Sites: 1 note reopened\n');
    expect(await getNote()).toMatchObject({ ...changed, status: 'open', description: expect.stringContaining('huge') });
  });

  it('creates one note for the errors of rows with one key, and for an error of many rows', async () => {
    await loadRows(['D,first', 'D,second']);
    await report();
    const ofKey = await listNotes('--status', 'open');
    expect(ofKey.map(({ title }) => title)).toEqual(['Reported Sites D: code', 'Reported Sites D: weight']);
    expect(ofKey[1].description).toMatch(/^"first" .*\n"second" .*$/);
    await loadRows(Array.from({ length: 205 }, (_, index) => `M${index},heavy`));
    await report();
    const [common, ...others] = await listNotes('--status', 'open');
    expect([common.title, others]).toEqual(['Reported Sites: weight', []]);
    expect(common.description.split('\n')).toHaveLength(101);
    expect(common.description).toMatch(/^Key M0: "heavy" .*[^]*… and more$/);
  });

  it('reports a folder without results of a load, and one of a former version', async () => {
    expect(await atrium.run('notes report absent')).toMatchObject(ending(1, 'summary.json'));
    rmSync(join(atrium.directory, 'reported/errors.ndjson'));
    expect(await atrium.run('notes report reported')).toMatchObject(ending(1, 'Load the table again'));
  });
});

describe('batches', () => {
  it('are listed and undone, unless their rows have changed since', async () => {
    await atrium.fill('Loaded', [
      { code: 'A', weight: 1 },
      { code: 'B', weight: 2 },
    ]);
    const { batches } = await atrium.json<{ batches: string[] }>(
      'sync',
      atrium.write('bad.csv', 'code,weight\nA,9\nC,3\n'),
      'Loaded',
      '--yes',
      '--max-deletions',
      '1',
    );
    expect(await atrium.json('batches', 'Loaded', '--limit', '1')).toMatchObject([
      {
        id: batches[0],
        source: 'import',
        undoable: true,
        tables: [{ counts: { created: 1, updated: 1, deleted: 1 } }],
      },
    ]);
    expect((await atrium.run('batches Loaded')).stdout).toMatch(/^\S+ .* import +Loaded +\+1 ~1 -1$/m);
    const asked = await atrium.run(['undo', batches[0]!]);
    expect(asked).toMatchObject(ending(1, 'Add --yes'));
    expect(asked.stderr).toContain('asset/Loaded: deletes 1 created rows, restores 1 updated and 1 deleted rows');
    const undone = await atrium.json('undo', batches[0]!, '--yes');
    expect((await atrium.run('batches Loaded')).stdout).toMatch(/import +Loaded +\+1 ~1 -1 +undone$/m);
    expect(await atrium.rowsOf('Loaded')).toEqual([
      { code: 'A', weight: 1 },
      { code: 'B', weight: 2 },
    ]);
    expect(await atrium.run(['undo', batches[0]!, '--yes'])).toMatchObject(ending(1, 'already_undone'));
    await atrium.run('import - --table Loaded', 'code,weight\nA,7\n');
    const conflict = await atrium.run(['undo', undone.batchId, '--yes']);
    expect(conflict).toMatchObject(ending(1, '--on-conflict skip'));
    expect(conflict.stderr).toContain('key A');
    expect(await atrium.json('undo', undone.batchId, '--yes', '--on-conflict', 'skip')).toMatchObject({ skipped: 1 });
    expect(await atrium.rowsOf('Loaded')).toEqual([
      { code: 'A', weight: 7 },
      { code: 'C', weight: 3 },
    ]);
  });
});
