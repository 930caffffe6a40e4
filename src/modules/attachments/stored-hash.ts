import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type { FileStorage } from '../../platform/storage/file-storage.js';
import { MissingFileError } from '../../platform/storage/storage.errors.js';

/** Reads a file. @returns the SHA-256 of its content as hexadecimal digits; undefined if the key does not exist. */
export async function readStoredHash(storage: Pick<FileStorage, 'open'>, key: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    await pipeline(await storage.open(key), hash);
  } catch (error) {
    if (error instanceof MissingFileError) return undefined;
    throw error;
  }
  return hash.digest('hex');
}
