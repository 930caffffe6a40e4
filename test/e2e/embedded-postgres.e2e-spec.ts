import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { until } from '../support/until.js';

/** A process that uses the embedded PostgreSQL like the service or the operator CLI. */
const PROGRAM = `
  import { EmbeddedPostgres } from ${JSON.stringify(
    pathToFileURL(resolve('dist/src/embedded-postgres/embedded-postgres.js')).href,
  )};
  const postgres = await EmbeddedPostgres.start(JSON.parse(process.env.OPTIONS));
  console.log(JSON.stringify({ url: postgres.url, firstBoot: postgres.firstBoot }));
  process.stdin.once('data', async () => {
    await postgres.stop();
    process.stdin.destroy();
  });
`;

interface Started {
  url: string;
  firstBoot: boolean;
}

class Participant {
  readonly process: ChildProcess;
  private readonly ended: Promise<number | null>;
  private errors = '';

  constructor(dataDir: string, settings?: Record<string, string>) {
    this.process = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
      env: { ...process.env, OPTIONS: JSON.stringify({ dataDir, settings }) },
      stdio: 'pipe',
      detached: true, // Starts a process group, as a service in a terminal does.
    });
    this.process.stderr?.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
    this.ended = new Promise((settle) => this.process.once('close', settle));
  }

  async started(): Promise<Started> {
    for await (const line of createInterface({ input: this.process.stdout! })) return JSON.parse(line) as Started;
    throw new Error(`The process ended before it was ready:\n${this.errors}`);
  }

  async stop(): Promise<void> {
    this.process.stdin?.write('stop\n');
    expect({ code: await this.ended, errors: this.errors }).toEqual({ code: 0, errors: '' });
  }

  async signal(name: NodeJS.Signals, toGroup = false): Promise<void> {
    process.kill(toGroup ? -this.process.pid! : this.process.pid!, name);
    await this.ended;
  }
}

describe('the embedded PostgreSQL', () => {
  let dataDir: string;
  let participants: Participant[] = [];

  const home = () => join(dataDir, 'postgres');
  const pidFile = () => join(home(), 'data', 'postmaster.pid');
  const serverPid = () => Number.parseInt(readFileSync(pidFile(), 'utf8'), 10);
  const isServerRunning = () => {
    try {
      return isAlive(serverPid());
    } catch {
      // A server that ends removes its file.
      return false;
    }
  };

  function makeDataDir(): void {
    dataDir = mkdtempSync(join(tmpdir(), 'atrium-embedded-'));
    chmodSync(dataDir, 0o755); // Under root, PostgreSQL runs as another user, which must be able to read the folder.
  }

  async function endAll(): Promise<void> {
    for (const { process: child } of participants) child.kill('SIGKILL');
    participants = [];
    if (isServerRunning()) process.kill(serverPid(), 'SIGQUIT');
    while (isServerRunning()) await sleep(25);
  }

  function removeDataDir(): void {
    if (existsSync(home())) rmSync(realpathSync(home()), { recursive: true });
    rmSync(dataDir, { recursive: true });
  }

  function spawnParticipant(settings?: Record<string, string>): Participant {
    const participant = new Participant(dataDir, settings);
    participants.push(participant);
    return participant;
  }

  async function startParticipant(settings?: Record<string, string>): Promise<Participant & Started> {
    const participant = spawnParticipant(settings);
    return Object.assign(participant, await participant.started());
  }

  describe('on an empty DATA_DIR', () => {
    beforeEach(makeDataDir);
    afterEach(async () => {
      await endAll();
      removeDataDir();
    });

    it('two concurrent processes create one server, which stops with the last one', async () => {
      const [one, two] = await Promise.all([startParticipant(), startParticipant()]);
      expect([one.firstBoot, two.firstBoot].sort()).toEqual([false, true]);
      expect(one.url).toBe(two.url);
      expect(readdirSync(dataDir)).toEqual(['postgres']);
      expect(await ask(one.url, 'SHOW server_encoding')).toBe('UTF8');
      expect(await ask(one.url, 'SHOW listen_addresses')).toBe('');
      expect(await ask(one.url, 'SHOW fsync')).toBe('on');
      expect(statSync(home()).mode & 0o777).toBe(0o700);
      expect(statSync(join(home(), 'password')).mode & 0o777).toBe(0o600);

      await one.stop();
      expect(isServerRunning()).toBe(true);
      await two.stop();
      expect(isServerRunning()).toBe(false);
    });

    it.each([100, 400])('starts after a SIGKILL during the first start, %i ms after its beginning', async (delay) => {
      const killed = spawnParticipant();
      while (readdirSync(dataDir).length === 0) await sleep(5);
      await sleep(delay);
      await killed.signal('SIGKILL');

      const next = await startParticipant();
      expect(await ask(next.url, 'SELECT 1')).toBe(1);
      expect(readdirSync(dataDir)).toEqual(['postgres']);
    });

    const underRoot = process.getuid?.() === 0 ? it : it.skip;

    underRoot('uses /var/lib/atrium if its user cannot read DATA_DIR', async () => {
      chmodSync(dataDir, 0o700);
      const one = await startParticipant();
      expect(one.firstBoot).toBe(true);
      expect(realpathSync(home())).toMatch(/^\/var\/lib\/atrium\/data-/);
      await one.stop();
      expect((await startParticipant()).firstBoot).toBe(false);
    });
  });

  describe('with data', () => {
    beforeAll(async () => {
      makeDataDir();
      const one = await startParticipant();
      await ask(one.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
      await one.stop();
    });
    afterEach(endAll);
    afterAll(removeDataDir);

    const expectData = async ({ url }: Started) => expect(await ask(url, 'SELECT answer FROM kept')).toBe(42);

    it('two processes that start and stop concurrently share one server', async () => {
      const [one, two] = await Promise.all([startParticipant(), startParticipant()]);
      await expectData(one);
      await expectData(two);
      await Promise.all([one.stop(), two.stop()]);
      expect(isServerRunning()).toBe(false);
    });

    it.each([
      { name: 'SIGKILL of the service', kill: (it: Participant) => it.signal('SIGKILL') },
      { name: 'Ctrl-C for the process group', kill: (it: Participant) => it.signal('SIGINT', true) },
    ])('the server continues to run after $name, and the next start uses it', async ({ kill }) => {
      await kill(await startParticipant());
      expect(isServerRunning()).toBe(true);
      const orphan = serverPid();

      const next = await startParticipant();
      expect(serverPid()).toBe(orphan);
      await expectData(next);
      await next.stop();
      expect(isServerRunning()).toBe(false);
    });

    it('recovers after a SIGKILL of all processes', async () => {
      const killed = await startParticipant();
      await killed.signal('SIGKILL');
      process.kill(serverPid(), 'SIGKILL');
      await expectData(await startParticipant());
    });

    it('starts even if another process of its user now has the process ID of a killed server', async () => {
      const one = await startParticipant();
      const stalePidFile = readFileSync(pidFile(), 'utf8');
      await one.stop();
      const { uid, gid } = statSync(home());
      const other = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid } : {});
      writeFileSync(pidFile(), stalePidFile.replace(/^\d+/, `${other.pid}`));

      await expectData(await startParticipant());
      other.kill();
    });

    it('counts a process whose connection was closed', async () => {
      const one = await startParticipant();
      const presence = 'FROM pg_stat_activity WHERE application_name = $1';
      const findPresence = () => ask(one.url, `SELECT pid ${presence}`, ['atrium presence']);
      const closed = await findPresence();
      await ask(one.url, `SELECT pg_terminate_backend(pid) ${presence}`, ['atrium presence']);
      await until(findPresence, (pid) => pid !== undefined && pid !== closed);
      const two = await startParticipant();
      await two.stop();
      expect(isServerRunning()).toBe(true);
      await one.stop();
      expect(isServerRunning()).toBe(false);
    });

    it('applies additional settings, and reports the error of PostgreSQL if it does not start', async () => {
      const settings = { shared_preload_libraries: 'no_such_library' };
      await expect(startParticipant(settings)).rejects.toThrow(/could not access file "no_such_library"/);
    });
  });
});

async function ask(url: string, sql: string, parameters: unknown[] = []): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(sql, parameters);
  await client.end();
  return rows[0] && Object.values(rows[0])[0];
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
