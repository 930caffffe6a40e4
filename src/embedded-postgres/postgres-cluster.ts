/**
 * The embedded PostgreSQL on disk, `DATA_DIR/postgres` (its "home"):
 *
 *     data/            the cluster that initdb created
 *     password         of the superuser, mode 0600
 *     postgres.log     log of the server
 *     .s.PGSQL.…       the socket, if the path is short enough
 *
 * A home is created by one rename: a kill during the first start leaves no incomplete one.
 */
import { execFile, type ExecFileException } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { constants, fchownSync, lstatSync, openSync, readFileSync, renameSync } from 'node:fs';
import { lchown, mkdir, open, readdir, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { createDirectory } from '../../packages/files/src/create-directory.js';
import {
  BARE_ENVIRONMENT,
  canEnter,
  chooseSystemUser,
  prepareBinaries,
  isAlive,
  isRoot,
  makeSystemDir,
  SYSTEM_DIR,
  type SystemUser,
} from './postgres-binaries.js';

export const SUPERUSER = 'atrium';

const LOG_FILE_BYTES = 10 * 1024 * 1024;
const LOG_TAIL_LINES = 15;
const DRAFT = /^initdb-(\d+)-/;

export interface Cluster {
  /** DATA_DIR, absolute. */
  dataDir: string;
  /** The home without symbolic links, as in the arguments of the server process. */
  home: string;
  password: string;
  /** The owner, if it is not the user of this process. Only root can act as another user. */
  user: SystemUser | undefined;
  /** Created by this process. */
  isNew: boolean;
}

/** Opens the cluster of DATA_DIR, or creates it. */
export async function openCluster(dataDir: string): Promise<Cluster> {
  await createDirectory(dataDir);
  const link = join(dataDir, 'postgres');
  await requireOwnership(link);
  const isNew = !(await containsCluster(link)) && (await createHome(dataDir, link));
  const home = await realpath(link);
  const { uid, gid } = await stat(home);
  const password = await readFile(join(home, 'password'), 'utf8');
  return { dataDir, home, password, user: isRoot() ? { uid, gid } : undefined, isNew };
}

/** PostgreSQL runs only as the owner of its files; only root can start it as another user. */
async function requireOwnership(home: string): Promise<void> {
  const owner = (await stat(home).catch(() => undefined))?.uid;
  if (owner === undefined || isRoot() || owner === process.getuid?.()) return;
  throw new Error(`${home} belongs to the user with ID ${owner}: run as that user, or choose another DATA_DIR.`);
}

async function containsCluster(home: string): Promise<boolean> {
  const entries = await readdir(home).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [] as string[];
    throw error;
  });
  return entries.includes('data');
}

/**
 * Creates a home at `link`. If several processes do so at once, one succeeds and the others remove theirs.
 *
 * Under root PostgreSQL runs as another user. If that user cannot enter DATA_DIR (below a home of mode 0700, for
 * example), the home is in /var/lib/atrium, and `link` is a symbolic link to it. In both cases a new DATA_DIR gets a
 * new database.
 *
 * @returns whether this process created it
 */
async function createHome(dataDir: string, link: string): Promise<boolean> {
  const user = isRoot() ? chooseSystemUser() : undefined;
  const reachable = !user || canEnter(dataDir, user);
  const parent = reachable ? dataDir : SYSTEM_DIR;
  if (!reachable) await makeSystemDir();
  await removeAbandonedDrafts(parent);

  const token = randomBytes(6).toString('hex');
  const draft = join(parent, `initdb-${process.pid}-${token}`);
  const elsewhere = join(parent, `data-${token}`);
  try {
    await initialize(draft, user, dataDir);
    if (reachable) {
      await rename(draft, link);
    } else {
      await rename(draft, elsewhere);
      await symlink(elsewhere, link);
    }
    return true;
  } catch (error) {
    const lost = await containsCluster(link);
    if (!reachable) await rm(elsewhere, { recursive: true, force: true });
    if (lost) return false;
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'ENOTEMPTY' && code !== 'ENOTDIR') throw error;
    throw new Error(`${link} exists, but is not a PostgreSQL cluster. Remove it or choose another DATA_DIR.`, {
      cause: error,
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The name of a draft contains the ID of its process; drafts of killed processes are removed. */
async function removeAbandonedDrafts(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(DRAFT.exec(name)?.[1]);
    if (pid && !isAlive(pid)) await rm(join(parent, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Requests UTF-8, because with the locale of a minimal container initdb creates a database without an encoding. The
 * port, which is only the end of the socket's name, is random: a server whose DATA_DIR was deleted ends within a minute
 * and must not remove the socket of its successor.
 */
async function initialize(home: string, user: SystemUser | undefined, dataDir: string): Promise<void> {
  const { initdb } = await prepareBinaries(user, dataDir);
  const passwordFile = join(home, 'password');
  await mkdir(home, { mode: 0o700 });
  await writeDurably(passwordFile, randomBytes(24).toString('base64url'));
  if (user) {
    await lchown(passwordFile, user.uid, user.gid);
    await lchown(home, user.uid, user.gid);
  }
  await run(
    initdb,
    [
      `--pgdata=${join(home, 'data')}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      `--set=port=${randomInt(10_000, 65_536)}`,
    ],
    home,
    user,
  );
}

/** The cluster is unusable without its password, so it is synced to disk before the home is renamed. */
async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function run(program: string, args: string[], cwd: string, user: SystemUser | undefined): Promise<void> {
  try {
    await promisify(execFile)(program, args, { ...user, cwd, env: BARE_ENVIRONMENT });
  } catch (error) {
    const { code, signal, stdout, stderr } = error as ExecFileException;
    throw new Error(`${basename(program)} failed (${code ?? signal}):\n${stdout}${stderr}`.trim(), { cause: error });
  }
}

export function logPath(cluster: Cluster): string {
  return join(cluster.home, 'postgres.log');
}

/**
 * Opens the log for appending; a large one is renamed to `postgres.log.1`. The home belongs to PostgreSQL's user, so
 * root does not follow symbolic links there.
 */
export function openLog(cluster: Cluster): number {
  const path = logPath(cluster);
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_FILE_BYTES) renameSync(path, `${path}.1`);
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const file = openSync(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  if (cluster.user) fchownSync(file, cluster.user.uid, cluster.user.gid);
  return file;
}

/** The last lines of the log after the first `start` bytes. */
export function readTail(path: string, start: number): string {
  const written = readFileSync(path).subarray(start).toString().trimEnd();
  return written.split('\n').slice(-LOG_TAIL_LINES).join('\n');
}
