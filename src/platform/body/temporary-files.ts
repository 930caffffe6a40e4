import { createHash, randomUUID } from 'node:crypto';
import { open, opendir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { createDirectory } from '../../../packages/files/src/create-directory.js';
import { Config } from '../config/config.js';
import { onHandlerEnd, onResponseEnd } from '../http/handler-hooks.js';
import type { LocalFile } from '../storage/file-storage.js';
import { diskError } from '../storage/storage.errors.js';
import { IncompleteBodyError } from './body.errors.js';
import type { Reservation } from './byte-budget.js';
import { CallerBudgets } from './caller-budgets.js';

/** Interval in which an instance touches the files of its running requests, in milliseconds. */
const TOUCH_MS = 30_000;

/** Age of a file whose process has ended, in milliseconds. */
const ABANDONED_MS = 300_000;

/** Shares of the disk: signed-in callers, those of one user, all anonymous ones together, and those of one address. */
const AUTHENTICATED_SHARE = 3 / 4;
const USER_SHARE = 9 / 16;
const ANONYMOUS_SHARE = 1 / 4;
const ADDRESS_SHARE = 1 / 8;

/** The content of a file. */
export type FileChunks = AsyncIterable<Buffer> | Iterable<Buffer>;

/**
 * Stores the files of running requests in `DATA_DIR/temporary`, on the same disk as attachments. Instances on several
 * machines may share the directory: each touches its files, so that the others can distinguish them from those of a
 * dead process.
 */
@Injectable()
export class TemporaryFiles {
  private readonly directory: string;
  private readonly budgets: CallerBudgets;
  /** Paths of the running requests of this instance. */
  private readonly active = new Set<string>();

  constructor(config: Config) {
    this.directory = join(config.dataDir, 'temporary');
    const bytes = config.body.temporaryBytes;
    this.budgets = new CallerBudgets(
      {
        authenticated: bytes * AUTHENTICATED_SHARE,
        user: bytes * USER_SHARE,
        anonymous: bytes * ANONYMOUS_SHARE,
        address: bytes * ADDRESS_SHARE,
      },
      'The storage for running uploads is exhausted. Send the request again after the seconds in Retry-After.',
    );
    setInterval(() => void this.touch(), TOUCH_MS).unref();
  }

  /**
   * Opens the files of one request. They are charged as they are written.
   *
   * @param bytes of all files as far as known. @throws {UnavailableError} if they do not fit now
   */
  open(request: Request, bytes: number): TemporaryFileQuota {
    const reservation = this.budgets.open(request);
    try {
      reservation.require(bytes);
    } catch (error) {
      reservation.release();
      throw error;
    }
    return new TemporaryFileQuota(this.directory, this.active, reservation);
  }

  /** Opens files without a budget. The caller limits their number and size. */
  openUnlimited(): TemporaryFileQuota {
    return new TemporaryFileQuota(this.directory, this.active);
  }

  /** Removes files of dead processes, at most `limit`. @returns the number of removed files */
  async removeAbandoned(limit = Infinity): Promise<number> {
    let removed = 0;
    const entries = await opendir(this.directory).catch(() => []);
    for await (const { name } of entries) {
      const path = join(this.directory, name);
      // This process may have been suspended, so that its own files look old.
      if (this.active.has(path)) continue;
      const stats = await stat(path).catch(() => undefined);
      if (!stats?.isFile() || stats.mtimeMs > Date.now() - ABANDONED_MS) continue;
      await rm(path, { force: true });
      if (++removed >= limit) break;
    }
    return removed;
  }

  private async touch(): Promise<void> {
    const now = new Date();
    // A file that was moved or does not exist yet need not be touched.
    for (const path of this.active) await utimes(path, now, now).catch(() => undefined);
  }
}

/**
 * The temporary files of one request. They exist as long as a user retains them: the reader of the body, the handler,
 * the response. The last release removes them, except those that were moved.
 */
export class TemporaryFileQuota {
  private readonly logger = new Logger(TemporaryFiles.name);
  private readonly paths: string[] = [];
  private users = 0;
  private bytes = 0;
  private isRemoved = false;

  constructor(
    private readonly directory: string,
    /** Paths of all requests of this instance. */
    private readonly active: Set<string>,
    private readonly reservation?: Reservation,
  ) {}

  /** The used share of the disk, from 0 to 1. */
  get occupancy(): number {
    return this.reservation?.occupancy ?? 0;
  }

  /** @returns a function that releases the files. @throws {IncompleteBodyError} if the sender disconnected */
  retain(): () => void {
    if (this.isRemoved) throw new IncompleteBodyError();
    this.users++;
    let isRetained = true;
    return () => {
      if (!isRetained) return;
      isRetained = false;
      if (--this.users === 0) void this.remove();
    };
  }

  /**
   * Retains the files until the response is sent and the handler has ended: a client that disconnects does not end the
   * work.
   *
   * @returns a function that releases the files before.
   */
  retainUntilEnd(request: Request, response: Response): () => void {
    request.temporaryFiles = this;
    const [onSent, onEnded] = [this.retain(), this.retain()];
    onResponseEnd(response, onSent);
    onHandlerEnd(request, onEnded);
    return () => {
      onSent();
      onEnded();
    };
  }

  /**
   * @param checkSize called with the bytes so far for every chunk; throws if they exceed a limit.
   * @throws {UnavailableError} if the budget is exhausted
   */
  async write(chunks: FileChunks, checkSize: (size: number) => void): Promise<LocalFile> {
    const release = this.retain();
    try {
      return await this.writeFile(chunks, checkSize);
    } catch (error) {
      throw diskError(error);
    } finally {
      release();
    }
  }

  private async writeFile(chunks: FileChunks, checkSize: (size: number) => void): Promise<LocalFile> {
    await createDirectory(this.directory, 0o700);
    const path = join(this.directory, randomUUID());
    const hash = createHash('sha256');
    let size = 0;
    this.paths.push(path);
    this.active.add(path);
    const file = await open(path, 'wx', 0o600);
    try {
      for await (const chunk of chunks) {
        size += chunk.length;
        checkSize(size);
        this.reservation?.resize((this.bytes += chunk.length));
        hash.update(chunk);
        await file.appendFile(chunk);
      }
    } finally {
      await file.close();
    }
    return { path, size, sha256: hash.digest('hex') };
  }

  private async remove(): Promise<void> {
    this.isRemoved = true;
    try {
      await Promise.all(this.paths.map((path) => rm(path, { force: true })));
    } catch (error) {
      // The cleanup job tries again.
      this.logger.warn(`Temporary files could not be removed: ${(error as Error).message}`);
    } finally {
      for (const path of this.paths) this.active.delete(path);
      this.reservation?.release();
    }
  }
}
