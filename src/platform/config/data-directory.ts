import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EnvironmentError } from './environment-error.js';

/** Creates DATA_DIR if it is absent. @throws {EnvironmentError} if the process cannot write to it. */
export function requireDataDirectory(dataDir: string): void {
  try {
    createDirectory(dataDir);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unwritableError(dataDir, error);
  }
}

/** The error of a directory in DATA_DIR, or a file, that the process cannot create or write. */
export function unwritableError(path: string, error: unknown): EnvironmentError {
  const { code } = error as NodeJS.ErrnoException;
  const isOtherFile = code === 'EEXIST' || code === 'ENOTDIR';
  const reason = isOtherFile ? 'is not a directory' : `cannot be created or written (${code})`;
  return new EnvironmentError([`DATA_DIR: ${path} ${reason}`]);
}

/**
 * Creates a directory with its parents. Node's `recursive` never ends in a file system that rejects directories with
 * ENOENT, such as /proc.
 */
export function createDirectory(directory: string, mode?: number): void {
  if (isDirectory(directory)) return;
  const parent = dirname(directory);
  if (parent !== directory) createDirectory(parent, mode);
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isDirectory(directory)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
