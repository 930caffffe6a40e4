import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Its time is that of the start of the last successful build. */
export const STAMP = join('dist', '.built');

/** The folders of TypeScript files that are compiled, as in tsconfig.json. */
export const SOURCE_FOLDERS = [
  'src',
  ...readdirSync('packages').map((name) => join('packages', name, 'src')),
  'migrations',
  'clients/typescript/src',
  'clients/cli/src',
  'examples',
  'bench',
];

export const SOURCES = [...SOURCE_FOLDERS, 'package.json', 'package-lock.json', 'tsconfig.json', 'nest-cli.json'];

/**
 * Is the file, or a file in the folder, newer than the other file? A file that does not exist is older than all others.
 */
export function isNewer(path, other) {
  return findNewest(path) > findNewest(other);
}

function findNewest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  // The time of a directory changes when a file is removed.
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((entry) => findNewest(join(path, entry))));
}
