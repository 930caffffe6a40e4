/**
 * Bundles the table browser (`clients/tables`) with its packages into `dist/tables/app.js`, which the service serves at
 * `/tables`. Types are checked by `npm run typecheck`.
 */
import { join } from 'node:path';
import { rejectUnresolved } from './reject-unresolved.mjs';

const BUNDLE = join('dist', 'tables', 'app.js');

export async function buildTables() {
  // Loaded only if needed, because rolldown is not fast to load.
  const { build } = await import('rolldown');
  await build({
    input: 'clients/tables/src/app.tsx',
    platform: 'browser',
    resolve: { alias: { '@atrium/client': join(process.cwd(), 'clients/typescript/src/client.ts') } },
    transform: { target: 'es2022', jsx: { runtime: 'automatic' } },
    onLog: rejectUnresolved,
    output: { file: BUNDLE, format: 'esm', minify: true, sourcemap: false },
  });
}
