/**
 * Builds the service if a source is newer than the last build, so that `npm start` is fast without changes. The stamp is
 * written after a successful build: an interrupted build is repeated.
 *
 *     node tools/build-if-changed.mjs [--bundle]     --bundle also bundles the service, if the bundle is older than the build
 */
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const STAMP = join('dist', '.built');
const BUNDLE_STAMP = join('dist', 'service', '.bundled');
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
  const { build } = await import('./build.mjs');
  if (!build()) process.exit(1);
  writeFileSync(STAMP, '');
  // A source that changed during the build is newer.
  utimesSync(STAMP, startedAt, startedAt);
}
const bundled = statSync(BUNDLE_STAMP, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (process.argv.includes('--bundle') && Math.max(newest(STAMP), newest(join('tools', 'bundle.mjs'))) > bundled) {
  process.stderr.write('Bundling Atrium …\n');
  // Loaded only if needed, because esbuild is not fast to load.
  const { bundle } = await import('./bundle.mjs');
  await bundle(join('dist', 'service'));
  writeFileSync(BUNDLE_STAMP, '');
}
