/**
 * Builds the service if a source is newer than the last build, so that `npm start` is fast without changes. The stamp is
 * written after a successful build: an interrupted build is repeated.
 *
 *     node tools/build-if-changed.mjs [--bundle]     --bundle also bundles the service, if the bundle is older than the build
 *
 * A parent process receives the message `built` before the service is bundled.
 */
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNewer, SOURCES, STAMP } from './build-state.mjs';

const BUNDLE_STAMP = join('dist', 'service', '.bundled');

if (SOURCES.some((path) => isNewer(path, STAMP))) {
  const startedAt = new Date();
  process.stderr.write('Building Atrium …\n');
  const { build } = await import('./build.mjs');
  if (!build()) process.exit(1);
  writeFileSync(STAMP, '');
  // A source that changed during the build is newer.
  utimesSync(STAMP, startedAt, startedAt);
}
process.send?.('built');
if (
  process.argv.includes('--bundle') &&
  [STAMP, join('tools', 'bundle.mjs')].some((path) => isNewer(path, BUNDLE_STAMP))
) {
  process.stderr.write('Bundling Atrium …\n');
  // Loaded only if needed, because esbuild is not fast to load.
  const { bundle } = await import('./bundle.mjs');
  await bundle(join('dist', 'service'));
  writeFileSync(BUNDLE_STAMP, '');
}
// The process would not end while the channel to its parent is open.
process.disconnect?.();
