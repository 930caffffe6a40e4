/**
 * Builds the service (`nest build`), the clients, the pages and the downloads, if their sources have changed.
 *
 *     node tools/build.mjs [--clean]
 *
 * `--clean` builds everything in any case. A production install has nothing to build with: it runs what was built, and
 * fails if that was built from other sources.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const CAN_BUILD = existsSync(join('node_modules', '@nestjs', 'cli'));
const CONFIGURATION = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'nest-cli.json'];

/** What is built, and the file that states from which sources. The clients are bundles, which take two seconds. */
const TARGETS = [
  {
    sources: [...CONFIGURATION, 'bench', 'clients', 'examples', 'migrations', 'packages', 'src'],
    stamp: join('dist', '.built'),
    build: buildService,
  },
  {
    sources: ['package-lock.json', 'openapi.json', 'clients', 'packages'],
    stamp: join('dist', 'downloads', '.built'),
    build: buildClients,
  },
];

/** Built or installed. The types of the client are made of `openapi.json`, which a production install cannot do. */
const NOT_SOURCES = ['dist', 'node_modules', 'openapi-types.ts'];

const clean = process.argv.includes('--clean');
if (CAN_BUILD) {
  // The clients are compiled with them.
  await import('../clients/typescript/generate-types.mjs');
  if (clean) rmSync('dist', { recursive: true, force: true });
  await Promise.all(TARGETS.map(buildIfOutdated));
} else if (!TARGETS.every((target) => isBuiltFrom(target, computeFingerprint(target)))) {
  const isBuilt = TARGETS.every(({ stamp }) => existsSync(stamp));
  process.stderr.write(
    `${isBuilt ? 'dist was built from other sources' : 'Nothing was built'}, and the packages that build are not ` +
      'installed. Run these commands:\n' +
      '  npm ci --include=dev && npm run build    # then, for production: npm prune --omit=dev\n',
  );
  process.exitCode = 1;
}

/** Prints its duration, which `nest build` does not, and its errors. @throws if it fails */
async function buildService() {
  const startedAt = Date.now();
  process.stderr.write('Building the service …');
  const child = spawn(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'build'], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exit(1);
  process.stderr.write(` ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

/** The client and the command line, the pages, and the downloads, which contain the former. */
async function buildClients() {
  await (await import('../clients/build/clients.mjs')).buildClients();
  await (await import('../packages/pages/build.mjs')).buildPages();
  await (await import('../clients/build/downloads.mjs')).buildDownloads();
}

/** A source that changes during the build is built the next time. */
async function buildIfOutdated(target) {
  const fingerprint = computeFingerprint(target);
  if (isBuiltFrom(target, fingerprint)) return;
  await target.build();
  writeFileSync(target.stamp, fingerprint);
}

function isBuiltFrom({ stamp }, fingerprint) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint;
}

/** Of the contents: npm writes the lock file again, and a copy of the repository has other times. */
function computeFingerprint({ sources }) {
  const hash = createHash('sha256');
  for (const path of sources.flatMap(listFiles)) {
    const content = readFileSync(path);
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function listFiles(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => !NOT_SOURCES.includes(name));
  return names.sort().flatMap((name) => listFiles(join(path, name)));
}
