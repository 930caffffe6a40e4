import { lstat, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a directory with its parents, as `mkdir` with `recursive` does. That never ends in a file system that rejects
 * directories with ENOENT, such as `/proc`.
 *
 * @returns the first directory that was created; undefined if all exist.
 */
export async function createDirectory(directory: string, mode?: number): Promise<string | undefined> {
  if (await isDirectory(directory)) return undefined;
  const parent = dirname(directory);
  const first = parent === directory || (await exists(parent)) ? undefined : await createDirectory(parent, mode);
  try {
    await mkdir(directory, { mode });
    return first ?? directory;
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!(await isDirectory(directory))) throw error;
    return first;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/** Also a link whose target does not exist. */
async function exists(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined;
}
