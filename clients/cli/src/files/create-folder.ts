import { access, constants } from 'node:fs/promises';
import { createDirectory } from '../../../../packages/files/src/create-directory.js';
import { toPathError } from './path-errors.js';

/** Creates a folder with its parents. @throws {UsageError} if it is not writable */
export async function createFolder(path: string, mode?: number): Promise<void> {
  try {
    await createDirectory(path, mode);
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw toPathError(error, path);
  }
}
