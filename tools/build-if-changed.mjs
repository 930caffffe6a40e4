/**
 * Builds the service if a source is newer than the last build, so that `npm start` is fast without changes. The stamp is
 * written after a successful build: an interrupted build is repeated.
 */
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const STAMP = join('dist', '.built');
const SOURCES = [
  'src',
  'migrations',
  'examples',
  'bench',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'nest-cli.json',
];

function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  // The time of a directory changes when a file is removed.
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((entry) => newest(join(path, entry))));
}

const built = statSync(STAMP, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (Math.max(...SOURCES.map(newest)) > built) {
  const startedAt = new Date();
  process.stderr.write('Building Atrium …\n');
  const nest = join('node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const { status } = spawnSync(process.execPath, [nest, 'build'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(STAMP, `${startedAt.toISOString()}\n`);
}
