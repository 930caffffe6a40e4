/**
 * Bundles the client and the command line (`clients/`) into their `dist` folders. Their packages are not included.
 * Types are not checked here: the build of the service and the typecheck do it.
 *
 *     node clients/build/clients.mjs [--clean] [--types]
 *
 * Before a package is made, `--clean` removes the modules of earlier builds of the command line, whose names contain a
 * digest, and `--types` writes the declarations of the client.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { isolatedDeclaration } from 'rolldown/experimental';
import { rejectUnresolved } from './reject-unresolved.mjs';

const CLIENTS = fileURLToPath(new URL('..', import.meta.url));
const CLIENT = join(CLIENTS, 'typescript');

const OPTIONS = {
  // Packages are not included, except for the client in the command line.
  external: /^(?!\.|\/|[a-z]:\\|@atrium\/)/i,
  checks: { ineffectiveDynamicImport: false },
  onLog: rejectUnresolved,
  output: { format: 'esm', sourcemap: true, entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
};

export async function buildClients() {
  const cli = join(CLIENTS, 'cli');
  await build([
    {
      ...OPTIONS,
      input: [join(CLIENT, 'src/client.ts'), join(CLIENT, 'src/file-token-store.ts')],
      transform: { target: 'es2022' },
      output: { ...OPTIONS.output, dir: join(CLIENT, 'dist') },
    },
    // The modules of a command are loaded when it is executed.
    {
      ...OPTIONS,
      input: [join(cli, 'src/main.ts'), join(cli, 'src/standalone.ts')],
      platform: 'node',
      transform: { target: 'node20' },
      output: { ...OPTIONS.output, dir: join(cli, 'dist') },
    },
  ]);
}

/**
 * Writes one declaration per file of the client, without a check of the types.
 *
 * @throws Error if an exported name has no written type
 */
export async function writeDeclarations(folder) {
  await mkdir(folder, { recursive: true });
  const sources = (await readdir(join(CLIENT, 'src'))).filter((name) => name.endsWith('.ts'));
  for (const source of sources) {
    const { code, errors } = await isolatedDeclaration(source, await readFile(join(CLIENT, 'src', source), 'utf8'));
    if (errors.length > 0) throw new Error(`${join(CLIENT, 'src', source)}: ${errors[0].message}`);
    await writeFile(join(folder, source.replace(/ts$/, 'd.ts')), code);
  }
}

if (process.argv[1]?.endsWith(join('build', 'clients.mjs'))) {
  if (process.argv.includes('--clean')) await rm(join(CLIENTS, 'cli/dist'), { recursive: true, force: true });
  await buildClients();
  if (process.argv.includes('--types')) await writeDeclarations(join(CLIENT, 'dist/types'));
}
