import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { CommandLine } from '../support/command-line.js';
import { TestDatabase, TestService } from '../support/service.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { until } from '../support/until.js';

let service: SharedService;
let atrium: CommandLine;

beforeAll(async () => {
  ({ service } = await shareService());
  atrium = new CommandLine(service, await service.provision());
});

describe('an import that was interrupted', () => {
  // So many that the import is not complete when it is interrupted.
  const KEYS = Array.from({ length: 60_000 }, (_, index) => `K${String(index).padStart(6, '0')}`);

  /** The stored states of imports. The ID of an import is stored before the request. */
  const listStates = (): string => {
    const states = join(atrium.directory, 'atrium/imports');
    const names = existsSync(states) ? readdirSync(states).filter((name) => name.endsWith('.json')) : [];
    return names.map((name) => readFileSync(join(states, name), 'utf8')).join();
  };

  // Ctrl-C, and a failure of the machine.
  it.each(['SIGINT', 'SIGKILL'] as const)(
    'continues with --resume after %s: nothing twice, nothing lost',
    async (signal) => {
      const table = `Resumed after ${signal}`;
      await atrium.fill(table, [{ code: 'K000000', weight: 0 }]);
      atrium.write('resume.csv', ['code,weight', ...KEYS.map((key, index) => `${key},${index}`)].join('\n'));
      const command = ['import', 'resume.csv', '--table', table, '--results', 'resumed', '--on-error', 'continue'];
      const before = listStates();
      const child = atrium.spawn(...command);
      let message = '';
      child.stderr.on('data', (chunk: Buffer) => (message += chunk.toString()));
      let isClosed = false;
      child.once('close', () => (isClosed = true));
      await until(() => isClosed || listStates() !== before, Boolean);
      child.kill(signal);
      await until(() => isClosed, Boolean);
      expect([1, KEYS.length]).toContain((await atrium.rowsOf(table)).length);
      // The command may have ended before the signal.
      const isInterrupted = child.exitCode !== 0;
      if (isInterrupted && signal === 'SIGINT')
        expect([child.exitCode, message]).toEqual([1, expect.stringContaining('--resume')]);
      const summary = isInterrupted
        ? await atrium.json(...command, '--resume')
        : (atrium.readJson('resumed/summary.json') as object);
      // One row existed. The report of an import whose response was lost is read later.
      const counts = { received: KEYS.length, created: KEYS.length - 1, updated: 0, unchanged: 1, rejected: 0 };
      expect(summary).toMatchObject(counts);
      expect((await atrium.rowsOf(table)).map(({ code }) => code)).toEqual(KEYS);
      const created = parse<{ code: string }>(atrium.read('resumed/created.csv'), { columns: true });
      expect(created.map(({ code }) => code)).toEqual(KEYS.slice(1));
    },
  );

  const MAPPING = 'columns: [{ from: code }, { from: weight, type: number, map: { x: 0 } }]';

  it.each([
    ['a file sent as it is', 'Atomic', []],
    ['a mapped file', 'Atomic mapped', ['--mapping', 'resume.yaml']],
    ['a replacement', 'Atomic replaced', ['--replace', '--max-deletions', '100%']],
  ])('%s: all rows are stored or none, and all of them the next time', async (_, table, flags) => {
    atrium.write('resume.yaml', MAPPING);
    const resumed = ['code,weight', ...KEYS.map((key, index) => `${key},${index}`)].join('\n');
    atrium.write('resume.csv', resumed);
    await atrium.fill(table, [
      { code: 'K000000', weight: 9 },
      { code: 'Z', weight: 1 },
    ]);
    const command = ['import', 'resume.csv', '--table', table, ...flags];
    const before = listStates();
    const child = atrium.spawn(...command);
    const ended = new Promise((settle) => child.once('close', settle));
    await until(() => listStates() !== before, Boolean);
    child.kill('SIGKILL');
    await ended;
    const others = flags.includes('--replace') ? [] : ['Z'];
    expect([2, KEYS.length + others.length]).toContain((await atrium.rowsOf(table)).length);
    expect(await atrium.json(...command, '--resume')).toMatchObject({ received: KEYS.length, rejected: 0 });
    expect((await atrium.rowsOf(table)).map(({ code }) => code)).toEqual([...KEYS, ...others]);
  });
});

describe('a service that does not respond', () => {
  let own: CommandLine;
  let running: TestService;
  let database: TestDatabase;

  beforeAll(async () => {
    database = await TestDatabase.create();
    running = await TestService.start(database);
    own = new CommandLine(running, await running.provision());
  });

  afterAll(async () => {
    process.kill(running.pid, 'SIGCONT');
    await running.stop('SIGKILL');
    await database.drop();
  });

  /** Runs a command, and measures the time until its standard error contains a text. */
  const watch = (text: string, ...args: string[]) => {
    const child = own.spawn(...args);
    let shown = '';
    child.stderr.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    const ended = new Promise<number | null>((settle) => child.once('close', settle));
    const startedAt = Date.now();
    const reported = until(() => shown.includes(text), Boolean).then(() => Date.now() - startedAt);
    return { child, ended, reported, shown: () => shown };
  };

  it('is reported within five seconds with what was stored and how to continue, and Ctrl-C ends the command', async () => {
    await own.fill('Loaded', [{ code: 'K0', weight: 0 }]);
    const rows = Array.from({ length: 60_000 }, (_, index) => `K${index},${index}`);
    own.write('loaded.csv', ['code,weight', ...rows].join('\n'));
    const load = ['import', 'loaded.csv', '--table', 'Loaded', '--on-error', 'continue', '--results', 'out'];
    const first = watch('No response', ...load);
    const states = join(own.directory, 'atrium/imports');
    // The ID of the import is stored before the request.
    await until(() => existsSync(states) && readdirSync(states).some((name) => name.endsWith('.json')), Boolean);
    // Frozen: connections are open, but nothing is answered.
    const frozenAt = Date.now();
    process.kill(running.pid, 'SIGSTOP');
    await first.reported;
    // The limit is 5 s on an idle machine.
    expect(Date.now() - frozenAt).toBeLessThan(10_000);
    expect(first.shown()).toMatch(/stores all rows of the file or none; .* --resume to continue/);
    first.child.kill('SIGINT');
    expect(await first.ended).toBe(1);
    expect(first.shown()).toMatch(/Interrupted\. The service stores all rows of the file or none/);
    process.kill(running.pid, 'SIGCONT');
    expect(await own.json(...load, '--resume')).toMatchObject({ received: 60_000, rejected: 0 });
  });

  it('is reported also if nothing listens, and the command continues when it responds again', async () => {
    const { PORT: port } = running.env;
    await running.stop('SIGKILL');
    const tables = watch('No response', 'tables');
    expect(await tables.reported).toBeLessThan(10_000);
    running = await TestService.start(database, { PORT: port! });
    expect(await tables.ended).toBe(0);
    expect(tables.shown()).toContain('The service responds again.');
  });
});
