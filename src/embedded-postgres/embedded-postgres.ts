import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { findDriverErrorMeaning } from '../../packages/sql/src/driver-messages.js';
import { type Cluster, logPath, openCluster, SUPERUSER } from './postgres-cluster.js';
import { findServer, type Launch, launchServer, type Postmaster, stopServer } from './postgres-server.js';

const DATABASE = 'atrium';
/** Database of the presence lock. Not `atrium`: PostgreSQL cannot copy or drop a database with connections. */
const MAINTENANCE_DATABASE = 'postgres';
const PRESENCE_LOCK = 0x617472; // 'atr'; advisory locks are per database, so no other lock conflicts
const START_TIMEOUT_MS = 120_000; // recovery replays up to max_wal_size
const LOCK_TIMEOUT_MS = 20_000; // a process with the exclusive lock stops the server within 15 s
const POLL_MS = 25;
const RELAUNCH_MS = 100; // the last processes of a killed server take about a second to notice
const REJOIN_MS = 250;

export interface EmbeddedPostgresOptions {
  /** Absolute or relative DATA_DIR of the service. */
  dataDir: string;
  /** Further settings, as `postgres -c name=value` takes them. They do not affect a running server. */
  settings?: Record<string, string>;
}

/**
 * A PostgreSQL for development, one per DATA_DIR.
 *
 * Several processes may use it at once, such as the service and the operator CLI. Each holds a shared advisory lock on
 * a separate connection (its presence). The process that gets the lock exclusively when it leaves was the last one and
 * stops the server. After a `kill -9` of the service the server continues, and the next start uses it.
 */
export class EmbeddedPostgres {
  /** A postgres:// URL of the database `atrium`, through the Unix socket. It contains the password. */
  readonly url: string;
  /**
   * Whether this call created the cluster. If the process is killed before it fills the database, the next start
   * returns `false`.
   */
  readonly firstBoot: boolean;

  private connection: Connection | undefined;
  private rejoining: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;

  private constructor(
    private readonly cluster: Cluster,
    connection: Connection,
  ) {
    this.url = socketUrl(connection.server, cluster.password);
    this.firstBoot = cluster.isNew;
    this.watchPresence(connection);
  }

  /**
   * Starts or joins the PostgreSQL under DATA_DIR, and returns once it accepts connections.
   *
   * @throws Error with the end of the server's log if it does not start or is not ready within 120 seconds
   */
  static async start({ dataDir, settings }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const cluster = await openCluster(resolve(dataDir));
    return new EmbeddedPostgres(cluster, await connect(cluster, settings));
  }

  /** Ends the presence of this process; the last one stops the server. Close all other connections before. */
  stop(): Promise<void> {
    this.stopping ??= this.leave();
    return this.stopping;
  }

  private async leave(): Promise<void> {
    await this.rejoining; // a second presence of this process would look like another process
    let connection = this.connection ?? (await join(this.cluster));
    while (connection && !(await this.leaveFrom(connection))) connection = await join(this.cluster);
  }

  /** @returns false if the connection was lost: then it is unknown whether other processes remain. */
  private async leaveFrom({ server, presence }: Connection): Promise<boolean> {
    try {
      await presence.query('SELECT pg_advisory_unlock_shared($1)', [PRESENCE_LOCK]);
      const { rows } = await presence.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [
        PRESENCE_LOCK,
      ]);
      if (rows[0]?.last) await stopServer(this.cluster, server);
      return true;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      return false;
    } finally {
      await presence.end().catch(() => undefined);
    }
  }

  /** Renews a presence that was lost by a restart of the server or by an administrator. */
  private watchPresence(connection: Connection): void {
    this.connection = connection;
    connection.presence.on('end', () => {
      this.connection = undefined;
      this.rejoining = this.rejoin();
    });
  }

  private async rejoin(): Promise<void> {
    while (!this.stopping) {
      const connection = await join(this.cluster).catch(() => undefined);
      if (connection) {
        this.watchPresence(connection);
        return;
      }
      await sleep(REJOIN_MS);
    }
  }
}

/** URL of a Unix socket: its percent-encoded directory is the host. A socket needs no TLS. */
export function socketUrl({ socketDir, port }: Pick<Postmaster, 'socketDir' | 'port'>, password: string): string {
  return `postgres://${SUPERUSER}:${password}@${encodeURIComponent(socketDir)}:${port}/${DATABASE}?sslmode=disable`;
}

interface Connection {
  server: Postmaster;
  presence: Client;
}

/**
 * Joins the server of the cluster, or launches one if none runs. Several processes may do so at once: PostgreSQL allows
 * one server per cluster, and the other processes join it in the next round.
 */
async function connect(cluster: Cluster, settings: Record<string, string> | undefined): Promise<Connection> {
  let launch: Launch | undefined;
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const connection = await join(cluster);
    if (connection) return connection;
    if (launch?.hasEnded) {
      const error = launch.error();
      if (error) throw new Error(`PostgreSQL did not start:\n${error}\n(from ${logPath(cluster)})`);
      launch = undefined;
      await sleep(RELAUNCH_MS);
    } else if (!launch && !findServer(cluster)) {
      launch = await launchServer(cluster, settings);
    }
    await sleep(POLL_MS);
  }
  throw new Error(
    `PostgreSQL is not ready after ${START_TIMEOUT_MS / 1000} s. It continues, and the next start joins it; ` +
      `see ${logPath(cluster)}.`,
  );
}

/** Connects the presence of this process. Undefined if no server is ready, or if it stopped meanwhile. */
async function join(cluster: Cluster): Promise<Connection | undefined> {
  const server = findServer(cluster);
  if (!server?.isReady) return undefined;
  const presence = new Client({
    host: server.socketDir,
    port: server.port,
    user: SUPERUSER,
    password: cluster.password,
    database: MAINTENANCE_DATABASE,
    ssl: false,
    application_name: 'atrium presence',
    connectionTimeoutMillis: LOCK_TIMEOUT_MS,
    statement_timeout: LOCK_TIMEOUT_MS,
  });
  presence.on('error', () => undefined); // without a listener it would end the process; 'end' follows
  try {
    await presence.connect();
    await presence.query('SELECT pg_advisory_lock_shared($1)', [PRESENCE_LOCK]);
    await requireDatabase(presence);
    // The server may be shutting down. If it is not, the lock now prevents that other processes stop it.
    if (findServer(cluster)?.isReady) return { server, presence };
  } catch (error) {
    if (!isTemporary(error)) {
      await presence.end().catch(() => undefined);
      throw error;
    }
  }
  await presence.end().catch(() => undefined);
  return undefined;
}

async function requireDatabase(presence: Client): Promise<void> {
  const find = () =>
    presence.query<{ encoding: string }>(
      'SELECT pg_encoding_to_char(encoding) AS encoding FROM pg_database WHERE datname = $1',
      [DATABASE],
    );
  let { rows } = await find();
  if (!rows[0]) {
    await presence.query(`CREATE DATABASE ${DATABASE}`).catch((error: unknown) => {
      const { code } = error as { code?: string };
      const exists = code === '42P04' || code === '23505'; // another process was faster
      if (!exists) throw error;
    });
    ({ rows } = await find());
  }
  if (rows[0]?.encoding !== 'UTF8') {
    throw new Error(`The database "${DATABASE}" has the encoding ${rows[0]?.encoding}, not UTF8.`);
  }
}

/** Does the error mean that the server is temporarily unavailable? */
function isTemporary(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  const temporary = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', '57P01', '57P02', '57P03', '57014', '53300'];
  return temporary.includes(code ?? '') || findDriverErrorMeaning(message ?? '') === 'unavailable';
}
