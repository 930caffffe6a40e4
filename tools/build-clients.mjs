/**
 * Bundles the client and the command line (`clients/`) into their `dist` folders. Their packages are not included. Types are
 * not checked here: the build of the service and the typecheck do it.
 *
 *     node tools/build-clients.mjs [--clean]
 *
 * `--clean` removes the modules of earlier builds of the command line, whose names contain a digest, before a package is made.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const CLIENTS = fileURLToPath(new URL('../clients', import.meta.url));

const OPTIONS = {
  bundle: true,
  format: 'esm',
  packages: 'external',
  splitting: true,
  sourcemap: true,
  logLevel: 'error',
};

export async function buildClients() {
  const client = join(CLIENTS, 'typescript');
  const cli = join(CLIENTS, 'cli');
  await Promise.all([
    build({
      ...OPTIONS,
      entryPoints: [join(client, 'src/client.ts'), join(client, 'src/file-token-store.ts')],
      outdir: join(client, 'dist'),
      target: 'es2022',
    }),
    // The modules of a command are loaded when it is executed.
    build({
      ...OPTIONS,
      entryPoints: [join(cli, 'src/main.ts')],
      outdir: join(cli, 'dist'),
      chunkNames: 'chunks/[name]-[hash]',
      platform: 'node',
      target: 'node20',
    }),
  ]);
}

if (process.argv[1]?.endsWith('build-clients.mjs')) {
  if (process.argv.includes('--clean')) await rm(join(CLIENTS, 'cli/dist'), { recursive: true, force: true });
  await buildClients();
}
