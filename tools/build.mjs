/**
 * Builds what is older than its sources: the service (`nest build`), the clients, the pages and the downloads.
 *
 *     node tools/build.mjs [--clean]
 *
 * `--clean` builds everything in any case. A production install has nothing to build with: it runs what was built.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const CAN_BUILD = existsSync(join('node_modules', '@nestjs', 'cli'));
const CONFIGURATION = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'nest-cli.json'];
/** Created when the service was built; its time is that of the start of the build. */
const STAMP = join('dist', '.built');

/** What is built. The clients are bundles, which take two seconds. */
const TARGETS = [
  {
    sources: [...CONFIGURATION, 'bench', 'clients', 'examples', 'migrations', 'packages', 'src'],
    output: STAMP,
    build: buildService,
  },
  {
    sources: ['package-lock.json', 'openapi.json', 'clients', 'packages'],
    output: join('dist', 'downloads', 'atrium.mjs'),
    build: buildClients,
  },
];

const clean = process.argv.includes('--clean');
if (CAN_BUILD) {
  // A source of the clients: generated later, it would make them outdated.
  await import('../clients/typescript/generate-types.mjs');
  const outdated = TARGETS.filter(({ sources, output }) => clean || isOutdated(output, sources));
  if (clean) rmSync('dist', { recursive: true, force: true });
  await Promise.all(outdated.map(({ build }) => build()));
} else if (!existsSync(STAMP)) {
  process.stderr.write(
    'The build needs the development packages, which are not installed. Run these commands:\n' +
      '  npm ci --include=dev && npm run build    # then, for production: npm prune --omit=dev\n',
  );
  process.exitCode = 1;
}

/** Prints its duration, which `nest build` does not, and its errors. @throws if it fails */
async function buildService() {
  const startedAt = new Date();
  process.stderr.write('Building the service …');
  const report = () => {
    const restart = process.stderr.isTTY ? '\rBuilding the service …' : '';
    process.stderr.write(`${restart} ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  };
  const timer = process.stderr.isTTY ? setInterval(report, 100) : undefined;
  const child = spawn(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'build'], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) process.exit(1);
  // Of the start: a source that changed during the build is newer.
  writeFileSync(STAMP, '');
  utimesSync(STAMP, startedAt, startedAt);
  report();
  process.stderr.write('\n');
}

/** The client and the command line, the pages, and the downloads, which contain the former. */
async function buildClients() {
  await (await import('../clients/build/clients.mjs')).buildClients();
  await (await import('../packages/pages/build.mjs')).buildPages();
  await (await import('../clients/build/downloads.mjs')).buildDownloads();
}

/** Is a source newer? A file that does not exist is older than all others. */
function isOutdated(output, sources) {
  return sources.some((path) => findNewest(path) > findNewest(output));
}

function findNewest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  // The time of a directory changes when a file is removed.
  const entries = readdirSync(path).filter((name) => name !== 'dist' && name !== 'node_modules');
  return Math.max(stat.mtimeMs, ...entries.map((name) => findNewest(join(path, name))));
}
