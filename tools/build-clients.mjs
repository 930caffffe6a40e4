/**
 * Bundles the client and the command line (`clients/`) into their `dist` folders. Their packages are not included.
 * Types are not checked here: the build of the service and the typecheck do it.
 *
 *     node tools/build-clients.mjs [--clean]
 *
 * `--clean` removes the modules of earlier builds of the command line, whose names contain a digest, before a package
 * is made.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { rejectUnresolved } from './reject-unresolved.mjs';

const CLIENTS = fileURLToPath(new URL('../clients', import.meta.url));

const OPTIONS = {
  // Packages are not included, except for the client in the command line.
  external: /^(?!\.|\/|[a-z]:\\|@atrium\/)/i,
  checks: { ineffectiveDynamicImport: false },
  onLog: rejectUnresolved,
  output: { format: 'esm', sourcemap: true, entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
};

export async function buildClients() {
  const client = join(CLIENTS, 'typescript');
  const cli = join(CLIENTS, 'cli');
  await build([
    {
      ...OPTIONS,
      input: [join(client, 'src/client.ts'), join(client, 'src/file-token-store.ts')],
      transform: { target: 'es2022' },
      output: { ...OPTIONS.output, dir: join(client, 'dist') },
    },
    // The modules of a command are loaded when it is executed.
    {
      ...OPTIONS,
      input: join(cli, 'src/main.ts'),
      platform: 'node',
      transform: { target: 'node20' },
      output: { ...OPTIONS.output, dir: join(cli, 'dist') },
    },
  ]);
}

if (process.argv[1]?.endsWith('build-clients.mjs')) {
  if (process.argv.includes('--clean')) await rm(join(CLIENTS, 'cli/dist'), { recursive: true, force: true });
  await buildClients();
}
