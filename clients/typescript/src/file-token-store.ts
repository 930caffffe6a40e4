import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { lock } from 'proper-lockfile';
import { createDirectory } from '../../../packages/files/src/create-directory.js';
import type { Tokens, TokenStore } from './session.js';

/** A lock of a process that was killed is taken over after this time. */
const STALE_LOCK_MS = 15_000;

/** Tokens in a file of mode 0600, which parallel processes share under a lock. */
export class FileTokenStore implements TokenStore {
  constructor(private readonly path: string) {}

  async load(): Promise<Tokens | undefined> {
    try {
      return JSON.parse(await readFile(this.path, 'utf8')) as Tokens;
    } catch {
      // Absent, empty or damaged: a new session replaces it.
      return undefined;
    }
  }

  async save(tokens: Tokens | undefined): Promise<void> {
    const written = `${this.path}.${process.pid}`;
    await writeFile(written, tokens ? JSON.stringify(tokens) : '', { mode: 0o600 });
    await rename(written, this.path);
  }

  async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    await createDirectory(dirname(this.path), 0o700);
    const release = await lock(this.path, {
      realpath: false,
      stale: STALE_LOCK_MS,
      retries: { retries: 600, factor: 1, minTimeout: 50, maxTimeout: 50, randomize: true },
    });
    try {
      return await work();
    } finally {
      await release();
    }
  }
}
