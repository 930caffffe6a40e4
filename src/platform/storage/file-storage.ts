import type { Readable } from 'node:stream';
import { listenOnce } from '../listeners.js';

/** Files that are read at a time, after which the slowest readers are disconnected. Others need connections, too. */
export const MAX_OPEN_FILES = 128;

/** A file on the local disk. */
export interface LocalFile {
  path: string;
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
}

/** A stored file. */
export interface StoredFile {
  key: string;
  /** Bytes. */
  size: number;
  modifiedAt: Date;
}

/**
 * Storage of files: on the local disk or in an S3-compatible storage. Only the service creates keys; they consist of
 * lower case letters, digits, `/`, `.` and `-`.
 *
 * Every method throws {UnavailableError} if the storage is unavailable or full.
 */
export abstract class FileStorage {
  private openFiles = 0;

  /** The used share of the files that may be read at a time, from 0 to 1. */
  get occupancy(): number {
    return this.openFiles / MAX_OPEN_FILES;
  }

  /** Moves the file at `path` into the storage, durable on return. A key may be stored again with the same bytes. */
  abstract put(key: string, file: LocalFile): Promise<void>;

  /** Stores small content that the service generated, such as a thumbnail. */
  abstract write(key: string, bytes: Buffer): Promise<void>;

  /** Size in bytes; undefined if the key does not exist. */
  abstract findSize(key: string): Promise<number | undefined>;

  /**
   * Returns the bytes of a file, or those from `start` to `end` inclusive. Read the stream to its end, or destroy it.
   *
   * @throws {MissingFileError}
   */
  async open(key: string, range?: { start: number; end: number }): Promise<Readable> {
    const stream = await this.openStream(key, range);
    this.openFiles++;
    listenOnce(stream, 'close', () => this.openFiles--);
    return stream;
  }

  protected abstract openStream(key: string, range?: { start: number; end: number }): Promise<Readable>;

  /** Does nothing if the key does not exist. */
  abstract remove(key: string): Promise<void>;

  /** All files whose key begins with the prefix, unordered. */
  abstract list(prefix?: string): AsyncIterable<StoredFile>;
}

/** Each part begins with a letter or digit: no `..` and no hidden files. */
const KEY = /^[a-z0-9][a-z0-9.-]*(\/[a-z0-9][a-z0-9.-]*)*$/;

/** Throws an internal error for a key that the service cannot have created. */
export function requireKey(key: string): void {
  if (!KEY.test(key) || key.length > 500) throw new Error(`"${key}" is not a valid storage key`);
}
