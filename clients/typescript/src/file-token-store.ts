import { AsyncLocalStorage } from 'node:async_hooks';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { lock } from 'proper-lockfile';
import { createDirectory } from '../../../packages/files/src/create-directory.js';
import type { Tokens, TokenStore } from './session.js';

/** A lock of a process that was killed is taken over after this time. */
const STALE_LOCK_MS = 15_000;

/** Another process uses a file, or took over its lock because this process was stopped. */
export class LockError extends Error {
  override readonly name = 'LockError';
}

/**
 * Executes the work while no other process does so for the file.
 *
 * @param work its argument returns an error if the lock was lost. The call has then ended, and the work must not write
 * @throws {LockError}
 */
export async function withLock<Result>(
  path: string,
  work: (findLoss: () => LockError | undefined) => Promise<Result>,
): Promise<Result> {
  await createDirectory(dirname(path), 0o700);
  let rejectWork: (error: Error) => void = () => undefined;
  const loss = new Promise<never>((_, reject) => {
    rejectWork = reject;
  });
  let lost: LockError | undefined;
  const release = await lock(path, {
    realpath: false,
    stale: STALE_LOCK_MS,
    retries: { retries: 600, factor: 1, minTimeout: 50, maxTimeout: 50, randomize: true },
    // By default it throws in a timer, which ends the process.
    onCompromised: (cause) => {
      lost = new LockError(`The lock of ${path} was lost: ${cause.message}. Repeat the call.`, { cause });
      rejectWork(lost);
    },
  }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw error;
    const message = `${path} has been locked by another process for more than 30 s. Repeat the call when it has ended.`;
    throw new LockError(message, { cause: error });
  });
  try {
    return await Promise.race([work(() => lost), loss]);
  } finally {
    // A lock that was lost cannot be released.
    await release().catch(() => undefined);
  }
}

/** Tokens in a file of mode 0600, which parallel processes share under a lock. */
export class FileTokenStore implements TokenStore {
  /** The lock of the work that calls the methods. */
  readonly #lock = new AsyncLocalStorage<() => LockError | undefined>();

  constructor(private readonly path: string) {}

  async load(): Promise<Tokens | undefined> {
    try {
      return JSON.parse(await readFile(this.path, 'utf8')) as Tokens;
    } catch {
      // Absent, empty or damaged: a new session replaces it.
      return undefined;
    }
  }

  /** @throws {LockError} within work whose lock was lost: another process may have saved its tokens */
  async save(tokens: Tokens | undefined): Promise<void> {
    const lost = this.#lock.getStore()?.();
    if (lost) throw lost;
    const written = `${this.path}.${process.pid}`;
    await writeFile(written, tokens ? JSON.stringify(tokens) : '', { mode: 0o600 });
    await rename(written, this.path);
  }

  exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    return withLock(this.path, (findLoss) => this.#lock.run(findLoss, work));
  }
}
