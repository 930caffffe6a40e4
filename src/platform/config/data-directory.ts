import { access, constants } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createDirectory } from '../../../packages/files/src/create-directory.js';
import { EnvironmentError } from './environment-error.js';

/** Creates DATA_DIR if it is absent. @throws {EnvironmentError} if the process cannot write to it. */
export async function requireDataDirectory(dataDir: string): Promise<void> {
  try {
    await createDirectory(dataDir);
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unwritableError(dataDir, error);
  }
}

/**
 * The error of DATA_DIR, if it is known without an attempt to create the directory: with other wrong settings, the
 * service creates nothing.
 */
export async function findDataDirectoryErrors(dataDir: string): Promise<string[]> {
  try {
    await requireWritable(dataDir);
    return [];
  } catch (error) {
    return unwritableError(dataDir, error).errors;
  }
}

/** @throws {EnvironmentError} if DATA_DIR does not contain the database of the embedded PostgreSQL. */
export async function requireDatabase(dataDir: string): Promise<void> {
  try {
    await access(join(dataDir, 'postgres', 'data'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return;
    const remedy = 'Set DATA_DIR or DATABASE_URL as for the service, or start the service first.';
    throw new EnvironmentError([`DATA_DIR: ${resolve(dataDir)} contains no database. ${remedy}`]);
  }
}

/** Checks the directory, or the one in which it would be created. */
async function requireWritable(directory: string): Promise<void> {
  try {
    // With the slash, the system rejects a file.
    await access(`${directory}/`, constants.W_OK | constants.X_OK);
  } catch (error) {
    const parent = dirname(directory);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === directory) throw error;
    await requireWritable(parent);
  }
}

/** The error of a directory in DATA_DIR, or a file, that the process cannot create or write. */
export function unwritableError(path: string, error: unknown): EnvironmentError {
  const { code } = error as NodeJS.ErrnoException;
  const isOtherFile = code === 'EEXIST' || code === 'ENOTDIR';
  const reason = isOtherFile ? 'is not a directory' : `cannot be created or written (${code})`;
  return new EnvironmentError([`DATA_DIR: ${path} ${reason}`]);
}
