import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Database } from './database.js';
import { freePort } from './service.js';
import { Tunnel } from './tunnel.js';
import { until } from './until.js';

/** Path of PgBouncer on this machine; undefined if it is not installed. */
export const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));

/** A PgBouncer in transaction mode, with no settings for the service. */
export class PgBouncer {
  private constructor(
    private readonly process: ChildProcess,
    private readonly dir: string,
    private readonly tunnel: Tunnel,
    /** URL of the database through the pooler. */
    readonly url: string,
  ) {}

  /** @param poolSize connections to the server. */
  static async start(database: Database, poolSize: number): Promise<PgBouncer> {
    const tunnel = await Tunnel.to(database);
    const { hostname, port, username, password, pathname } = new URL(tunnel.url);
    const own = await freePort();
    const dir = await mkdtemp(join(tmpdir(), 'atrium-pgbouncer-'));
    await chmod(dir, 0o755);
    const settings = join(dir, 'pgbouncer.ini');
    const secret = password && ` password=${decodeURIComponent(password)}`;
    const server = `host=${hostname} port=${port} user=${username}${secret}`;
    await writeFile(
      settings,
      `[databases]
${pathname.slice(1)} = ${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
`,
    );
    // PgBouncer does not run as root.
    const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    const child = spawn(PGBOUNCER!, ['-q', ...asUser, settings], { stdio: 'ignore' });
    const url = `postgres://${username}@127.0.0.1:${own}${pathname}`;
    const pooler = new PgBouncer(child, dir, tunnel, url);
    await until(() =>
      pooler.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    );
    return pooler;
  }

  /** Runs a statement as another client of the pooler. */
  async query<Row extends object>(sql: string): Promise<Row[]> {
    const client = new Client({ connectionString: this.url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
    await this.tunnel.close();
    await rm(this.dir, { recursive: true });
  }
}
