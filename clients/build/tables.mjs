/**
 * Bundles the table browser (`clients/tables`) with its packages into `dist/tables`, which the service serves at
 * `/tables`: the page, and the reader of workbooks, which the page loads when it needs it. Types are checked by
 * `npm run typecheck`.
 */
import { join } from 'node:path';
import { rejectUnresolved } from './reject-unresolved.mjs';

const SOURCES = join('clients', 'tables', 'src');
const READER = './workbook-reader.js';

const describeBundle = (input, name) => ({
  input: join(SOURCES, input),
  platform: 'browser',
  external: [READER],
  resolve: { alias: { '@atrium/client': join(process.cwd(), 'clients/typescript/src/client.ts') } },
  transform: { target: 'es2022', jsx: { runtime: 'automatic' } },
  onLog: rejectUnresolved,
  output: { file: join('dist', 'tables', name), format: 'esm', minify: true, sourcemap: false },
});

const BUNDLES = [describeBundle('app.tsx', 'app.js'), describeBundle('workbook-reader.ts', READER)];

export async function buildTables() {
  // Loaded only if needed, because rolldown is not fast to load.
  const { build } = await import('rolldown');
  await build(BUNDLES);
}

/** Bundles again after each change, and prints errors, until `close` of the result is called. */
export async function watchTables() {
  const { watch } = await import('rolldown');
  const watcher = watch(BUNDLES);
  watcher.on('event', ({ code, error }) => {
    if (code === 'ERROR') process.stderr.write(`${error.message}\n`);
  });
  return watcher;
}
