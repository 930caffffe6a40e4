import type { Readable } from 'node:stream';

/** A file that lies on this machine's disk. */
export interface LocalFile {
  path: string;
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
}

/** What lies under a key. */
export interface StoredFile {
  key: string;
  /** Bytes. */
  size: number;
  modifiedAt: Date;
}

/**
 * Where the bytes of attachments lie: on this machine's disk or in an object storage. Keys are made by the service alone,
 * of lower-case letters, digits, `/`, `.` and `-`.
 *
 * Every method throws {UnavailableError} where the storage cannot be reached or is full.
 */
export abstract class FileStorage {
  /** Takes over the file at `path`: durable when it resolves. The same key may be put again, with the same bytes. */
  abstract put(key: string, file: LocalFile): Promise<void>;

  /** Small content made by the service itself, such as a thumbnail. */
  abstract write(key: string, bytes: Buffer): Promise<void>;

  /** Bytes of the file under the key. */
  abstract findSize(key: string): Promise<number | undefined>;

  /**
   * The bytes of a file, or those from `start` to `end`, both included. Whoever opens it reads it to its end or destroys it.
   *
   * @throws {MissingFileError}
   */
  abstract open(key: string, range?: { start: number; end: number }): Promise<Readable>;

  /** What is not there is no error. */
  abstract remove(key: string): Promise<void>;

  /** All files whose key begins with the prefix, in no certain order. */
  abstract list(prefix?: string): AsyncIterable<StoredFile>;
}

/** Parts of a key begin with a letter or a digit, so that none leads out of a folder or hides in it. */
const KEY = /^[a-z0-9][a-z0-9.-]*(\/[a-z0-9][a-z0-9.-]*)*$/;

/** A key that the service would never make is a fault in the service. */
export function requireKey(key: string): void {
  if (!KEY.test(key) || key.length > 500) throw new Error(`"${key}" is not a key of the file storage`);
}
