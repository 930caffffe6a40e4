import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { TestDatabase } from './database.js';
import { until } from './until.js';

/** Only the end of the names of the sockets: the servers listen on no TCP port. */
const PORT = 5432;
const SETTINGS = { listen_addresses: '', fsync: 'off', max_connections: '100' };

interface SystemUser {
  uid: number;
  gid: number;
}

/** A PostgreSQL server of one suite, with the programs and the user of the server of the test run. */
export class PostgresProcess {
  readonly url: string;
  private child?: ChildProcess;

  constructor(
    private readonly programs: string,
    private readonly user: SystemUser,
    readonly home: string,
  ) {
    this.url = `postgres://atrium@${encodeURIComponent(home)}:${PORT}/atrium?sslmode=disable`;
  }

  get data(): string {
    return join(this.home, 'data');
  }

  /** @param locale options of initdb. Versions before 17 have no locale of their own. */
  initialize(locale: readonly string[] = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']): void {
    const encoding = ['--encoding=UTF8', '--locale=C', ...locale];
    this.run(join(this.programs, 'initdb'), [
      '-D',
      this.data,
      '-U',
      'atrium',
      '--auth=trust',
      '--no-sync',
      ...encoding,
    ]);
  }

  /** Copies the files of another server. */
  copy(source: PostgresProcess): void {
    this.run('cp', ['-r', source.data, this.data]);
    rmSync(join(this.data, 'postmaster.pid'));
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.data, name), content);
    if (process.getuid?.() === 0) chownSync(join(this.data, name), this.user.uid, this.user.gid);
  }

  async start(): Promise<void> {
    const settings = { unix_socket_directories: this.home, port: String(PORT), ...SETTINGS };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const output: string[] = [];
    this.child = this.spawn(join(this.programs, 'postgres'), ['-D', this.data, ...options]);
    this.child.stderr!.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    const isReady = () =>
      this.query('SELECT 1', [], 'postgres')
        .then(() => true)
        .catch(() => false);
    await until(isReady).catch((error: unknown) => {
      throw new Error(`PostgreSQL did not start:\n${output.join('')}`, { cause: error });
    });
  }

  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGINT');
    await exited;
  }

  /** Pauses the whole server, so that it does not respond, and lets it continue. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const { pid } = this.child!;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    for (const each of [pid!, ...children.map(Number)]) process.kill(each, signal);
  }

  async query<Row extends object>(sql: string, parameters: unknown[] = [], database = 'atrium'): Promise<Row[]> {
    const client = new Client({ host: this.home, port: PORT, user: 'atrium', database });
    await client.connect();
    try {
      return (await client.query<Row>(sql, parameters)).rows;
    } finally {
      await client.end();
    }
  }

  private run(program: string, args: string[]): void {
    const { status, stderr } = spawnSync(program, args, { ...this.options, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
  }

  private spawn(program: string, args: string[]): ChildProcess {
    return spawn(program, args, { ...this.options, stdio: ['ignore', 'ignore', 'pipe'] });
  }

  private get options() {
    return { ...(process.getuid?.() === 0 ? this.user : {}), cwd: this.home };
  }
}

/** A primary and a replica that it streams its changes to. */
export class ReplicatedPostgres {
  private constructor(
    private readonly folder: string,
    readonly primary: PostgresProcess,
    readonly replica: PostgresProcess,
  ) {}

  static async start(): Promise<ReplicatedPostgres> {
    const source = await TestDatabase.dataDirectory();
    const pid = readFileSync(join(source, 'postmaster.pid'), 'utf8').split('\n')[0]!;
    const programs = dirname(readlinkSync(`/proc/${pid}/exe`));
    const user = statSync(source);
    const folder = mkdtempSync(join(tmpdir(), 'atrium-replica-'));
    const create = (name: string) => {
      const home = join(folder, name);
      mkdirSync(home);
      for (const path of [folder, home]) chownSync(path, user.uid, user.gid);
      return new PostgresProcess(programs, user, home);
    };
    const [primary, replica] = [create('primary'), create('replica')];
    primary.initialize();
    await primary.start();
    await primary.query('CREATE DATABASE atrium', [], 'postgres');
    await copyPrimary(primary, replica);
    await replica.start();
    return new ReplicatedPostgres(folder, primary, replica);
  }

  /** Waits until the replica contains what is committed now. */
  async synchronize(): Promise<void> {
    const [{ position }] = (await this.primary.query('SELECT pg_current_wal_lsn() AS position')) as [
      { position: string },
    ];
    const hasReplayed = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS done';
    await until(async () => (await this.replica.query<{ done: boolean }>(hasReplayed, [position]))[0]!.done);
  }

  /** Lets the replica be outdated. */
  async pauseReplay(): Promise<void> {
    await this.replica.query('SELECT pg_wal_replay_pause()');
    const state = 'SELECT pg_get_wal_replay_pause_state() AS state';
    await until(async () => (await this.replica.query<{ state: string }>(state))[0]!.state === 'paused');
  }

  async resumeReplay(): Promise<void> {
    await this.replica.query('SELECT pg_wal_replay_resume()');
  }

  async stop(): Promise<void> {
    await this.replica.stop();
    await this.primary.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A base backup, as pg_basebackup makes it. The embedded PostgreSQL does not have that program. */
async function copyPrimary(primary: PostgresProcess, replica: PostgresProcess): Promise<void> {
  const client = new Client({ host: primary.home, port: PORT, user: 'atrium', database: 'postgres' });
  await client.connect();
  await client.query("SELECT pg_backup_start('replica', fast => true)");
  replica.copy(primary);
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  await client.end();
  replica.write('backup_label', rows[0]!.labelfile);
  replica.write('standby.signal', '');
  replica.write('postgresql.auto.conf', `primary_conninfo = 'host=${primary.home} port=${PORT} user=atrium'\n`);
}
