#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/main.js', import.meta.url);
// In a checkout the first call builds the command line.
if (!existsSync(fileURLToPath(main))) {
  const { buildClients } = await import('../../../tools/build-clients.mjs');
  await buildClients();
}
const { run } = await import(main.href);
await run(process.argv);
