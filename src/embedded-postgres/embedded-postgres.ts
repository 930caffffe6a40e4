import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { type Cluster, logOf, openCluster, SUPERUSER } from './postgres-cluster.js';
import { findServer, type Launch, launchServer, type Postmaster, stopServer } from './postgres-server.js';

const DATABASE = 'atrium';
/** Where presence is kept: not in `atrium`, which nobody can copy or drop while someone is connected to it. */
const MAINTENANCE_DATABASE = 'postgres';
const PRESENCE_LOCK = 0x617472; // 'atr'; advisory locks are a database's own, so it meets no other
const START_PATIENCE_MS = 120_000; // recovery replays up to max_wal_size
const LOCK_PATIENCE_MS = 20_000; // whoever holds the lock alone is stopping the server, in 15 s at most
const POLL_MS = 25;
const HELD_MS = 100; // the last processes of a killed server take about a second to notice
const REJOIN_MS = 250;

export interface EmbeddedPostgresOptions {
  /** Absolute or relative DATA_DIR of the service. */
  dataDir: string;
  /** Further settings, as `postgres -c name=value` takes them. They do not reach a server that already runs. */
  settings?: Record<string, string>;
  log?: (line: string) => void;
}

/**
 * The PostgreSQL that the service brings along, one for each DATA_DIR.
 *
 * Several processes may use it at once, the service and the operator's command line, say. Each holds a shared advisory
 * lock on a connection of its own for as long as it is there; whoever then gets the lock alone was the last one, and
 * stops the server. After a `kill -9` of the service the server goes on, and the next start adopts it.
 */
export class EmbeddedPostgres {
  /** A postgres:// URL of the database `atrium`, through the Unix socket. It holds the password. */
  readonly url: string;
  /**
   * Whether this call made the cluster. A process killed before it could fill the new database does not get to see
   * `true` a second time.
   */
  readonly firstBoot: boolean;

  private arrival: Arrival | undefined;
  private rejoining: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;

  private constructor(
    private readonly cluster: Cluster,
    arrival: Arrival,
    private readonly log: (line: string) => void,
  ) {
    this.url = socketUrl(arrival.server, cluster.password);
    this.firstBoot = cluster.isNew;
    this.keepPresence(arrival);
  }

  /**
   * Starts, adopts or recovers the PostgreSQL under DATA_DIR, and returns once it takes connections.
   *
   * @throws Error with the end of the server's log where it does not start, or does not get ready within 120 seconds
   */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const { settings, log = () => undefined } = options;
    const cluster = await openCluster(resolve(options.dataDir), log);
    const arrival = await arrive(cluster, settings, log);
    return new EmbeddedPostgres(cluster, arrival, log);
  }

  /** Leaves. The last process to leave stops the server; otherwise it goes on. Close other connections first. */
  stop(): Promise<void> {
    this.stopping ??= this.leave();
    return this.stopping;
  }

  private async leave(): Promise<void> {
    await this.rejoining; // no second presence of our own may look like somebody else's
    let arrival = this.arrival ?? (await join(this.cluster));
    while (arrival && !(await this.leaveFrom(arrival))) arrival = await join(this.cluster);
  }

  /** @returns false if the connection was cut: then it is not known whether anyone is left. */
  private async leaveFrom({ server, presence }: Arrival): Promise<boolean> {
    try {
      await presence.query('SELECT pg_advisory_unlock_shared($1)', [PRESENCE_LOCK]);
      const { rows } = await presence.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [
        PRESENCE_LOCK,
      ]);
      if (rows[0]?.last) {
        this.log('Stopping PostgreSQL');
        await stopServer(this.cluster, server, this.log);
      }
      return true;
    } catch (error) {
      if (!isPassing(error)) throw error;
      return false;
    } finally {
      await presence.end().catch(() => undefined);
    }
  }

  /** A lost presence, by a restart of the server or an administrator's hand, is taken up again as soon as that works. */
  private keepPresence(arrival: Arrival): void {
    this.arrival = arrival;
    arrival.presence.on('end', () => {
      this.arrival = undefined;
      this.rejoining = this.rejoin();
    });
  }

  private async rejoin(): Promise<void> {
    while (!this.stopping) {
      const arrival = await join(this.cluster).catch(() => undefined);
      if (arrival) {
        this.keepPresence(arrival);
        return;
      }
      await sleep(REJOIN_MS);
    }
  }
}

/** A URL for a socket: its directory, percent-encoded, stands in the host's place. TLS is for networks. */
export function socketUrl({ socketDir, port }: Pick<Postmaster, 'socketDir' | 'port'>, password: string): string {
  return `postgres://${SUPERUSER}:${password}@${encodeURIComponent(socketDir)}:${port}/${DATABASE}?sslmode=disable`;
}

interface Arrival {
  server: Postmaster;
  presence: Client;
}

/**
 * Joins the server of the cluster and launches one where none runs. Several processes may do so at once: PostgreSQL
 * itself lets only one server live on a cluster, and the others' owners join that one in the next round.
 */
async function arrive(
  cluster: Cluster,
  settings: Record<string, string> | undefined,
  log: (line: string) => void,
): Promise<Arrival> {
  const deadline = Date.now() + START_PATIENCE_MS;
  let launch: Launch | undefined;
  const running = findServer(cluster);
  log(running ? `Joining the PostgreSQL that already runs (process ${running.pid})` : 'Starting PostgreSQL');
  while (Date.now() < deadline) {
    const arrival = await join(cluster);
    if (arrival) return arrival;
    if (launch?.hasEnded) {
      const fault = launch.fault();
      if (fault) throw new Error(`PostgreSQL did not start:\n${fault}\n(from ${logOf(cluster)})`);
      launch = undefined;
      await sleep(HELD_MS);
    } else if (!launch && !findServer(cluster)) {
      launch = await launchServer(cluster, settings);
    }
    await sleep(POLL_MS);
  }
  throw new Error(
    `PostgreSQL is not ready after ${START_PATIENCE_MS / 1000} s. It goes on, and the next start joins it; ` +
      `see ${logOf(cluster)}.`,
  );
}

/** Makes this process present on the server. Undefined where none is ready, or it went away in the middle. */
async function join(cluster: Cluster): Promise<Arrival | undefined> {
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
    connectionTimeoutMillis: LOCK_PATIENCE_MS,
    statement_timeout: LOCK_PATIENCE_MS,
  });
  presence.on('error', () => undefined); // unheard, it would end the process; 'end' follows and is heard
  try {
    await presence.connect();
    await presence.query('SELECT pg_advisory_lock_shared($1)', [PRESENCE_LOCK]);
    await requireDatabase(presence);
    // It may have begun to shut down since. If not, nobody stops it any more: we hold the lock.
    if (findServer(cluster)?.isReady) return { server, presence };
  } catch (error) {
    if (!isPassing(error)) {
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

/** Whether an error says that the server is not there just now: waiting, or looking again, may help. */
function isPassing(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  const passing = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', '57P01', '57P02', '57P03', '57014', '53300'];
  return passing.includes(code ?? '') || /^Connection terminated|not queryable|^timeout expired/.test(message ?? '');
}
