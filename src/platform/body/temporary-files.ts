import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, opendir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.js';
import { ByteBudget } from './body-memory.js';
import type { LocalFile } from '../storage/file-storage.js';
import { diskError } from '../storage/storage.errors.js';
import { IncompleteBodyError } from './body.errors.js';

/** How often the files of requests under way are touched, in milliseconds. */
const TOUCH_MS = 30_000;

/** A file that nobody has touched for so long belongs to a process that is gone, in milliseconds. */
const GONE_MS = 300_000;

type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>;

/**
 * Where files lie while their request is under way: `DATA_DIR/spool`, on the same disk as those that are kept. Instances on
 * several machines may share it. Each touches its files for as long as it lives, so that those of the others can be told
 * from what a crash left behind.
 */
@Injectable()
export class TemporaryFiles {
  private readonly directory: string;
  private readonly budget: ByteBudget;
  /** Files of requests that are under way here. */
  private readonly held = new Set<string>();

  constructor(config: Config) {
    this.directory = join(config.dataDir, 'spool');
    this.budget = new ByteBudget(
      config.uploads.temporaryBytes,
      'The service is taking in as many files as it can hold; try again shortly.',
    );
    setInterval(() => void this.touch(), TOUCH_MS).unref();
  }

  /** Room for the files of one request. @throws {UnavailableError} when there is none. */
  open(bytes: number): TemporaryFileQuota {
    return new TemporaryFileQuota(this.directory, this.held, this.budget.reserve(bytes));
  }

  /** Removes what a crash left behind, so many files at most. @returns how many it found. */
  async removeOld(most = Infinity): Promise<number> {
    let removed = 0;
    const entries = await opendir(this.directory).catch(() => []);
    for await (const { name } of entries) {
      const path = join(this.directory, name);
      // This process may have slept, and not have come to touch its own.
      if (this.held.has(path)) continue;
      const found = await stat(path).catch(() => undefined);
      if (!found?.isFile() || found.mtimeMs > Date.now() - GONE_MS) continue;
      await rm(path, { force: true });
      if (++removed >= most) break;
    }
    return removed;
  }

  private async touch(): Promise<void> {
    const now = new Date();
    // One that was moved away, or is not there yet, needs it no longer, or not yet.
    for (const path of this.held) await utimes(path, now, now).catch(() => undefined);
  }
}

/**
 * The files of one request. They are there while anybody holds them: whoever reads the request, its handler, its answer.
 * When the last one lets go they are removed, but for those that were moved away.
 */
export class TemporaryFileQuota {
  private readonly logger = new Logger(TemporaryFiles.name);
  private readonly paths: string[] = [];
  private holders = 0;
  private removed = false;

  constructor(
    private readonly directory: string,
    /** Of all requests. */
    private readonly held: Set<string>,
    private readonly giveBack: () => void,
  ) {}

  /** @returns the call that lets go. @throws {IncompleteBodyError} where the files are gone, as their sender is. */
  hold(): () => void {
    if (this.removed) throw new IncompleteBodyError();
    this.holders++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      if (--this.holders === 0) void this.remove();
    };
  }

  /** @param fits is told the bytes so far with each chunk, and throws where they are too many. */
  async write(chunks: Chunks, fits: (size: number) => void): Promise<LocalFile> {
    const letGo = this.hold();
    try {
      return await this.writeFile(chunks, fits);
    } catch (error) {
      throw diskError(error);
    } finally {
      letGo();
    }
  }

  private async writeFile(chunks: Chunks, fits: (size: number) => void): Promise<LocalFile> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const path = join(this.directory, randomUUID());
    const hash = createHash('sha256');
    let size = 0;
    this.paths.push(path);
    this.held.add(path);
    const file = await open(path, 'wx', 0o600);
    try {
      for await (const chunk of chunks) {
        size += chunk.length;
        fits(size);
        hash.update(chunk);
        await file.appendFile(chunk);
      }
    } finally {
      await file.close();
    }
    return { path, size, sha256: hash.digest('hex') };
  }

  private async remove(): Promise<void> {
    this.removed = true;
    try {
      await Promise.all(this.paths.map((path) => rm(path, { force: true })));
    } catch (error) {
      // The cleanup tries again.
      this.logger.warn(`Files of the spool stay: ${(error as Error).message}`);
    } finally {
      for (const path of this.paths) this.held.delete(path);
      this.giveBack();
    }
  }
}
