import { existsSync, readdirSync, statSync } from 'node:fs';
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

const PACKAGE_FILES = ['package.json', 'package-lock.json'];

export const SOURCES = [...SOURCE_FOLDERS, ...PACKAGE_FILES, 'tsconfig.json', 'nest-cli.json'];

/** A production install has no packages to build with. */
export const CAN_BUILD = existsSync(join('node_modules', 'typescript'));

/**
 * Is a source newer than what was built of it? `npm prune` writes the files of packages, so a production install omits
 * them.
 */
export function isOutdated(built, sources) {
  return sources.some((path) => (CAN_BUILD || !PACKAGE_FILES.includes(path)) && isNewer(path, built));
}

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
