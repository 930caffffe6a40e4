import { access, constants } from 'node:fs/promises';
import { dirname, isAbsolute, relative } from 'node:path';
import { createDirectory } from '../../../../packages/files/src/create-directory.js';
import { UsageError } from '../exit-codes.js';
import { type Io, toAbsolute } from '../io.js';

/** Why the operating system rejects a path, by its code, or by its call and its code. */
const REASONS = new Map<string, (folder: string) => string>(
  Object.entries({
    ENOENT: (folder) => `the folder ${folder} does not exist`,
    // Of a folder that exists, such as `/proc`.
    'mkdir ENOENT': (folder) => `folders cannot be created in ${folder}`,
    ENOTDIR: (folder) => `a part of ${folder} is a file`,
    EEXIST: () => 'it is a file',
    EISDIR: () => 'it is a folder',
    EACCES: () => 'the permission is missing',
    EPERM: () => 'the permission is missing',
    EROFS: () => 'the file system is read-only',
    ENOSPC: () => 'the file system has no space left',
  }),
);

/** The sentence for an error of a file that is written. @param path as the user has written it */
export function describePathError(error: NodeJS.ErrnoException, path: string, io: Io): string {
  if (path === '') return 'The path is empty.';
  const { code = '', syscall = '', message, path: failed = path } = error;
  const toReason = REASONS.get(`${syscall} ${code}`) ?? REASONS.get(code);
  const folder = dirname(failed);
  const shown = isAbsolute(path) ? folder : relative(io.cwd, folder) || '.';
  return `${path} cannot be written: ${toReason?.(shown) ?? message}.`;
}

/**
 * An error of the operating system as one that names the path of the user.
 *
 * @returns other errors as they are
 */
export function toPathError(error: unknown, path: string, io: Io): unknown {
  const { path: failed, syscall } = error as NodeJS.ErrnoException;
  if (failed === undefined || syscall === undefined) return error;
  return new UsageError(describePathError(error as NodeJS.ErrnoException, path, io));
}

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
