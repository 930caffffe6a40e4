/** The server process of the embedded PostgreSQL: finding it, launching it, stopping it. */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, fstatSync, readFileSync, rmdirSync, statSync, unlinkSync } from 'node:fs';
import { chown, mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BARE_ENVIRONMENT, prepareBinaries, isAlive } from './postgres-binaries.js';
import { type Cluster, logOf, openLog, readTail } from './postgres-cluster.js';

const SOCKET_PATH_BYTES = 90; // systems allow 104 to 108
const POLL_MS = 25;
const FAST_SHUTDOWN_MS = 15_000;
const EMPTY_FILE_MS = 5_000;
const IMMEDIATE_SHUTDOWN_MS = 5_000;

/** What departs from PostgreSQL's defaults. Durability does not: fsync and synchronous_commit stay on. */
const SETTINGS: Record<string, string> = {
  max_connections: '100',
  // A workspace's tables and their indexes are each a lock for a statement, or a dump, that touches them all.
  max_locks_per_transaction: '256',
  // Bulk writes: keep their pages in memory, and let checkpoints come by the clock rather than by volume.
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  // Failed statements are the service's to report. Here they would fill the disk and spill tenants' values.
  log_min_messages: 'log',
  // After a crash: one call for the whole file system rather than one a file, which thousands of tables make slow.
  ...(process.platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
};

export interface Postmaster {
  pid: number;
  socketDir: string;
  /** Only the end of the socket's name: the server listens on no TCP port. */
  port: number;
  /** It takes connections; otherwise it is starting, recovering or shutting down. */
  isReady: boolean;
}

/** Reads postmaster.pid: one fact a line, the last ones written only as the server comes up. */
export function parsePostmasterPid(text: string): Postmaster | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!(pid > 0)) return undefined;
  return { pid, port: Number(lines[3]), socketDir: lines[4] ?? '', isReady: lines[7] === 'ready' };
}

/** The server that now runs on the cluster. A postmaster.pid that a crash left behind does not count. */
export function findServer(cluster: Cluster): Postmaster | undefined {
  const noted = readPostmasterPid(cluster);
  return noted && isServer(noted.pid, cluster) ? noted : undefined;
}

export interface Launch {
  hasEnded: boolean;
  /** Why it ended, where another try will not help: the last lines of its log. */
  fault: () => string | undefined;
}

/**
 * Launches a server, and does not wait for it. It leads a session of its own, so that Ctrl-C, which goes to the whole
 * process group, leaves it alone until the service has drained.
 */
export async function launchServer(cluster: Cluster, settings: Record<string, string> = {}): Promise<Launch> {
  const { postgres } = await prepareBinaries(cluster.user, cluster.dataDir);
  await refuseSecondHost(cluster);
  const socketDir = await makeSocketDir(cluster);
  const logFile = openLog(cluster);
  const logStart = fstatSync(logFile).size;
  removeStalePostmasterPid(cluster);

  const child = spawn(postgres, serverArguments(dataOf(cluster), socketDir, { ...SETTINGS, ...settings }), {
    ...cluster.user,
    cwd: cluster.home,
    detached: true,
    env: BARE_ENVIRONMENT,
    stdio: ['ignore', logFile, logFile],
  });
  closeSync(logFile);
  child.unref();

  const launch: Launch = { hasEnded: false, fault: () => undefined };
  child.on('exit', (code, signal) => {
    launch.hasEnded = true;
    launch.fault = () => findFault(readTail(logOf(cluster), logStart) || `It ended with ${signal ?? code}.`, code);
    removeSocketDir(cluster, socketDir);
  });
  child.on('error', (error) => {
    launch.hasEnded = true;
    launch.fault = () => error.message;
  });
  return launch;
}

/**
 * No fault: another process has stopped the server in good order, another server holds the cluster, or the last
 * processes of a killed server still do.
 */
export function findFault(lastWords: string, exitCode: number | null): string | undefined {
  const isHeld = /lock file ".*" (already exists|is empty)|pre-existing shared memory block/.test(lastWords);
  return exitCode === 0 || isHeld ? undefined : lastWords;
}

/** Stops the server and waits for its end: a fast shutdown, and after 15 seconds an immediate one, which loses nothing. */
export async function stopServer(cluster: Cluster, server: Postmaster, log: (line: string) => void): Promise<void> {
  signal(server.pid, 'SIGINT');
  if (!(await hasEnded(cluster, server, FAST_SHUTDOWN_MS))) {
    log('PostgreSQL is slow to stop: stopping it at once. The next start recovers.');
    signal(server.pid, 'SIGQUIT');
    if (!(await hasEnded(cluster, server, IMMEDIATE_SHUTDOWN_MS))) {
      throw new Error(`PostgreSQL (process ${server.pid}) does not stop; see ${logOf(cluster)}.`);
    }
  }
  removeSocketDir(cluster, server.socketDir);
}

export function serverArguments(data: string, socketDir: string, settings: Record<string, string>): string[] {
  const all = { listen_addresses: '', unix_socket_directories: quoteInList(socketDir), ...settings };
  return ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The setting is a list: without quotes a comma would split the path, and spaces at its ends would be dropped. */
function quoteInList(path: string): string {
  return `"${path.replaceAll('"', '""')}"`;
}

/** Whether a socket's path has room in the home: the system cuts off longer ones. */
export function fitsSocket(home: string): boolean {
  return Buffer.byteLength(join(home, '.s.PGSQL.65535')) < SOCKET_PATH_BYTES;
}

function dataOf(cluster: Cluster): string {
  return join(cluster.home, 'data');
}

function pidFileOf(cluster: Cluster): string {
  return join(dataOf(cluster), 'postmaster.pid');
}

function readPostmasterPid(cluster: Cluster): Postmaster | undefined {
  try {
    return parsePostmasterPid(readFileSync(pidFileOf(cluster), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Whether the process is the server of this cluster, and not one that got its id after a crash. The command line tells,
 * and unlike the working directory a container's root may read it. A zombie has none.
 */
function isServer(pid: number, cluster: Cluster): boolean {
  const argument = `-D ${dataOf(cluster)} `;
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-ww', '-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' }).stdout.includes(argument);
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(argument);
  } catch {
    return false;
  }
}

/**
 * PostgreSQL replaces a stale postmaster.pid itself, with two exceptions. The id in it may now belong to some other
 * process of the same user: likely in a container, where ids are few. Or it is empty, as a crash at the wrong moment
 * leaves it; while a server that starts writes it at once. Looking and removing are one step here, without a pause in
 * which another process could launch a server; should one have, PostgreSQL's shared memory still keeps a second one out.
 */
function removeStalePostmasterPid(cluster: Cluster): void {
  const noted = readPostmasterPid(cluster);
  const isForeign = noted && isAlive(noted.pid) && !isServer(noted.pid, cluster);
  if (isForeign || isLeftEmpty(pidFileOf(cluster))) unlinkSync(pidFileOf(cluster));
}

function isLeftEmpty(path: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false });
  return file?.size === 0 && Date.now() - file.mtimeMs > EMPTY_FILE_MS;
}

/** Two containers that share a volume do not see each other's processes, and would ruin the data together. */
async function refuseSecondHost(cluster: Cluster): Promise<void> {
  const noted = readPostmasterPid(cluster);
  if (!noted || !(await answers(join(noted.socketDir, `.s.PGSQL.${noted.port}`))) || findServer(cluster)) return;
  throw new Error(
    `Another container already runs PostgreSQL on ${cluster.home}. ` +
      'Stop it, or give several instances one database with DATABASE_URL.',
  );
}

async function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.on('connect', () => resolve(true)).on('error', () => resolve(false));
    connection.on('connect', () => connection.destroy());
  });
}

async function makeSocketDir(cluster: Cluster): Promise<string> {
  if (fitsSocket(cluster.home)) return cluster.home;
  const directory = await mkdtemp(join(tmpdir(), 'atrium-'));
  if (cluster.user) await chown(directory, cluster.user.uid, cluster.user.gid);
  return directory;
}

/** Only an empty directory goes: the server removes its socket, and under root a recursive rm is not to be misled. */
function removeSocketDir(cluster: Cluster, socketDir: string): void {
  if (socketDir === cluster.home) return;
  try {
    rmdirSync(socketDir);
  } catch {
    // a killed server leaves its socket; a temporary directory may stay
  }
}

function signal(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended by itself
  }
}

async function hasEnded(cluster: Cluster, server: Postmaster, patience: number): Promise<boolean> {
  const deadline = Date.now() + patience;
  while (isServer(server.pid, cluster)) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}
