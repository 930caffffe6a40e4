/** Finds, launches and stops the server process of the embedded PostgreSQL. */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, fstatSync, readFileSync, rmdirSync, statSync, unlinkSync } from 'node:fs';
import { chown, mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BARE_ENVIRONMENT, prepareBinaries, isAlive } from './postgres-binaries.js';
import { type Cluster, logPath, openLog, readTail } from './postgres-cluster.js';

const SOCKET_PATH_BYTES = 90; // systems allow 104 to 108
const POLL_MS = 25;
const FAST_SHUTDOWN_MS = 15_000;
const EMPTY_FILE_MS = 5_000;
const IMMEDIATE_SHUTDOWN_MS = 5_000;

/** Settings that differ from PostgreSQL's defaults. fsync and synchronous_commit remain on. */
const SETTINGS: Record<string, string> = {
  max_connections: '100',
  // A statement or dump that uses all tables of a workspace locks each table and each index.
  max_locks_per_transaction: '256',
  // For bulk writes: pages remain in memory, and checkpoints depend on time instead of volume.
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  // The service reports failed statements. In this log they would fill the disk and expose values of workspaces.
  log_min_messages: 'log',
};
// After a crash: one call for the whole file system instead of one per file, which is slow with thousands of tables.
if (process.platform === 'linux') SETTINGS['recovery_init_sync_method'] = 'syncfs';

export interface Postmaster {
  pid: number;
  socketDir: string;
  /** Only the end of the socket's name: the server listens on no TCP port. */
  port: number;
  /** It accepts connections; otherwise it is starting, recovering or shutting down. */
  isReady: boolean;
}

/** Parses postmaster.pid: one value per line; the server writes the last ones when it is ready. */
export function parsePostmasterPid(text: string): Postmaster | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!(pid > 0)) return undefined;
  return { pid, port: Number(lines[3]), socketDir: lines[4] ?? '', isReady: lines[7] === 'ready' };
}

/** The running server of the cluster. A postmaster.pid after a crash is ignored. */
export function findServer(cluster: Cluster): Postmaster | undefined {
  const noted = readPostmasterPid(cluster);
  return noted && isServer(noted.pid, cluster) ? noted : undefined;
}

export interface Launch {
  hasEnded: boolean;
  /** Why it ended, if a repetition would fail, too: the last lines of its log. */
  error: () => string | undefined;
}

/**
 * Launches a server without waiting for it. It has its own process group, so that Ctrl-C does not end it before the
 * service has drained.
 */
export async function launchServer(cluster: Cluster, settings: Record<string, string> = {}): Promise<Launch> {
  const { postgres } = await prepareBinaries(cluster.user, cluster.dataDir);
  await rejectSecondHost(cluster);
  const socketDir = await makeSocketDir(cluster);
  const logFile = openLog(cluster);
  const logStart = fstatSync(logFile).size;
  removeStalePostmasterPid(cluster);

  const child = spawn(postgres, serverArguments(dataPath(cluster), socketDir, { ...SETTINGS, ...settings }), {
    ...cluster.user,
    cwd: cluster.home,
    detached: true,
    env: BARE_ENVIRONMENT,
    stdio: ['ignore', logFile, logFile],
  });
  closeSync(logFile);
  child.unref();

  const launch: Launch = { hasEnded: false, error: () => undefined };
  child.on('exit', (code, signal) => {
    launch.hasEnded = true;
    launch.error = () =>
      findStartError(readTail(logPath(cluster), logStart) || `It ended with ${signal ?? code}.`, code);
    removeSocketDir(cluster, socketDir);
  });
  child.on('error', (error) => {
    launch.hasEnded = true;
    launch.error = () => error.message;
  });
  return launch;
}

/**
 * Undefined if a repetition may succeed: another process stopped the server, another server uses the cluster, or
 * processes of a killed server have not ended yet.
 */
export function findStartError(lastWords: string, exitCode: number | null): string | undefined {
  const isInUse = /lock file ".*" (already exists|is empty)|pre-existing shared memory block/.test(lastWords);
  return exitCode === 0 || isInUse ? undefined : lastWords;
}

/** Stops the server: a fast shutdown, and after 15 seconds an immediate one. Neither loses data. */
export async function stopServer(cluster: Cluster, server: Postmaster): Promise<void> {
  signal(server.pid, 'SIGINT');
  if (!(await hasEnded(cluster, server, FAST_SHUTDOWN_MS))) {
    signal(server.pid, 'SIGQUIT');
    if (!(await hasEnded(cluster, server, IMMEDIATE_SHUTDOWN_MS))) {
      throw new Error(`PostgreSQL (process ${server.pid}) does not stop; see ${logPath(cluster)}.`);
    }
  }
  removeSocketDir(cluster, server.socketDir);
}

export function serverArguments(data: string, socketDir: string, settings: Record<string, string>): string[] {
  const all = { listen_addresses: '', unix_socket_directories: quoteInList(socketDir), ...settings };
  return ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The setting is a list: without quotes a comma would split the path, and outer spaces would be removed. */
function quoteInList(path: string): string {
  return `"${path.replaceAll('"', '""')}"`;
}

/** Does the path of a socket in the home fit the system's limit? */
export function fitsSocket(home: string): boolean {
  return Buffer.byteLength(join(home, '.s.PGSQL.65535')) < SOCKET_PATH_BYTES;
}

function dataPath(cluster: Cluster): string {
  return join(cluster.home, 'data');
}

function pidFilePath(cluster: Cluster): string {
  return join(dataPath(cluster), 'postmaster.pid');
}

function readPostmasterPid(cluster: Cluster): Postmaster | undefined {
  try {
    return parsePostmasterPid(readFileSync(pidFilePath(cluster), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Is the process the server of this cluster, and not another process that got its ID after a crash? Compares the
 * command line, which a container's root may read, unlike the working directory. A zombie has none.
 */
function isServer(pid: number, cluster: Cluster): boolean {
  const argument = `-D ${dataPath(cluster)} `;
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
 * PostgreSQL replaces a stale postmaster.pid except in two cases: its ID now belongs to another process of the same
 * user, which is likely in a container, or a crash left it empty. The check and the removal are synchronous, so that
 * this process cannot launch a server in between; PostgreSQL's shared memory prevents a second server of another
 * process.
 */
function removeStalePostmasterPid(cluster: Cluster): void {
  const noted = readPostmasterPid(cluster);
  const isForeign = noted && isAlive(noted.pid) && !isServer(noted.pid, cluster);
  if (isForeign || isLeftEmpty(pidFilePath(cluster))) unlinkSync(pidFilePath(cluster));
}

function isLeftEmpty(path: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false });
  return file?.size === 0 && Date.now() - file.mtimeMs > EMPTY_FILE_MS;
}

/** Two containers that share a volume do not see each other's processes and would corrupt the data. */
async function rejectSecondHost(cluster: Cluster): Promise<void> {
  const noted = readPostmasterPid(cluster);
  if (!noted || !(await acceptsConnections(join(noted.socketDir, `.s.PGSQL.${noted.port}`))) || findServer(cluster))
    return;
  throw new Error(
    `Another container already runs PostgreSQL on ${cluster.home}. ` +
      'Stop it, or set DATABASE_URL to one database for all instances.',
  );
}

async function acceptsConnections(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.on('connect', () => resolve(true)).on('error', () => resolve(false));
    connection.on('connect', () => connection.destroy());
  });
}

async function makeSocketDir(cluster: Cluster): Promise<string> {
  if (fitsSocket(cluster.home)) return cluster.home;
  const prefix = join(tmpdir(), 'atrium-');
  if (!fitsSocket(`${prefix}XXXXXX`)) {
    throw new Error(
      `DATA_DIR: ${cluster.dataDir} is too long for the path of a Unix socket, and so is TMPDIR: ${tmpdir()}. ` +
        'Choose a shorter path for one of them.',
    );
  }
  const directory = await mkdtemp(prefix);
  if (cluster.user) await chown(directory, cluster.user.uid, cluster.user.gid);
  return directory;
}

/** Removes only an empty directory: the server removes its socket, and a recursive rm as root would be unsafe. */
function removeSocketDir(cluster: Cluster, socketDir: string): void {
  if (socketDir === cluster.home) return;
  try {
    rmdirSync(socketDir);
  } catch {
    // A killed server leaves its socket; the temporary directory remains.
  }
}

function signal(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has already ended
  }
}

async function hasEnded(cluster: Cluster, server: Postmaster, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isServer(server.pid, cluster)) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}
