/**
 * Builds the service if a source is newer than the last build, so that `npm start` is fast without changes.
 *
 *     node tools/build-if-changed.mjs [--clean] [--bundle=service] [--bundle=operator]
 *
 * `--clean` builds all files in any case. `--bundle` also bundles the program, if its bundle is older than the build.
 * With the service, it also makes the files that the service offers for download.
 *
 * A parent process receives the message `built` before programs are bundled.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CAN_BUILD, isOutdated, SOURCES, STAMP } from './build-state.mjs';
import { buildTables, isTablesOutdated } from './build-tables.mjs';
import { Step } from './progress.mjs';

const BUNDLER = ['bundle.mjs', 'reject-unresolved.mjs', 'without-http.mjs'].map((name) => join('tools', name));
const CLIENT_SOURCES = [
  'clients/typescript/src',
  'clients/cli/src',
  'packages',
  'package-lock.json',
  'tools/build-clients.mjs',
];
const CLIENT_BUNDLE = 'clients/cli/dist/main.js';
const DOWNLOAD_SOURCES = [
  ...CLIENT_SOURCES,
  'clients/typescript/package.json',
  'clients/typescript/README.md',
  'openapi.json',
  'tools/build-downloads.mjs',
];
const DOWNLOADS = join('dist', 'downloads', '.built');

const clean = process.argv.includes('--clean');
// The types of the client are a source: if they were generated later, they would make the build outdated.
await import('../clients/typescript/generate-types.mjs');
if (clean || isOutdated(STAMP, SOURCES)) {
  requirePackages();
  const { Build } = await import('./build.mjs');
  if (!(await new Build().run({ clean }))) process.exit(1);
}
if (clean || isOutdated(CLIENT_BUNDLE, CLIENT_SOURCES)) {
  requirePackages();
  const { buildClients } = await import('./build-clients.mjs');
  await buildClients();
}
if (isTablesOutdated()) {
  requirePackages();
  await buildTables();
}
process.send?.('built');
const programs = ['service', 'operator'].filter((name) => process.argv.includes(`--bundle=${name}`));
const downloads = programs.includes('service') ? buildDownloadsIfChanged() : undefined;
for (const name of programs) await bundleIfChanged(name);
await downloads;
// The process would not end while the channel to its parent is open.
process.disconnect?.();

async function bundleIfChanged(name) {
  const stamp = join('dist', name, '.bundled');
  if (!isOutdated(stamp, [STAMP, ...BUNDLER])) return;
  requirePackages();
  const step = new Step(`Bundling the ${name}`);
  // Loaded only if needed, because rolldown is not fast to load.
  const bundles = await import('./bundle.mjs');
  await { service: bundles.bundleService, operator: bundles.bundleOperator }[name]();
  writeFileSync(stamp, '');
  step.end();
}

async function buildDownloadsIfChanged() {
  if (!isOutdated(DOWNLOADS, DOWNLOAD_SOURCES)) return;
  requirePackages();
  const { buildDownloads } = await import('./build-downloads.mjs');
  await buildDownloads();
  writeFileSync(DOWNLOADS, '');
}

/** A production install has no packages to build with, and is not built when it starts. */
function requirePackages() {
  if (CAN_BUILD) return;
  process.stderr.write(
    'The build needs the development packages, which are not installed. Run these commands:\n' +
      '  npm ci --include=dev && npm run build    # then, for production: npm prune --omit=dev\n',
  );
  process.exit(1);
}
