import { access, constants } from 'node:fs/promises';
import { createDirectory } from '../../../../packages/files/src/create-directory.js';
import { type Io, toAbsolute } from '../io.js';
import { toPathError } from './path-errors.js';

/** Creates a folder with its parents. @throws {UsageError} if it is not writable */
export async function createFolder(path: string, io: Io, mode?: number): Promise<void> {
  const directory = toAbsolute(path, io);
  try {
    await createDirectory(directory, mode);
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw toPathError(error, path, io);
  }
}
