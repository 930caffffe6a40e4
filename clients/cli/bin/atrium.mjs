#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const program = new URL('../dist/standalone.js', import.meta.url);
// In a checkout the first call builds the command line.
if (!existsSync(fileURLToPath(program))) {
  const { buildClients } = await import('../../build/clients.mjs');
  await buildClients();
}
await import(program.href);
