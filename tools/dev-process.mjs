/**
 * A process of `tools/dev.mjs`: loads the packages of the service, waits for the message `start`, and runs the service.
 * It sends the message `ready` when the service listens.
 */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SERVICE = 'dist/src';
const MAIN = resolve(SERVICE, 'main.js');
/** A static import of a package. */
const PACKAGE_IMPORT = /^import [^'"]*['"]((?!\.|node:)[^'"]+)['"]/gm;

// The service must not continue if the process that started it was killed.
process.on('disconnect', () => process.kill(process.pid, 'SIGINT'));

const started = once(process, 'message');
// One after the other: Node 20 cannot require() a module that is being imported.
for (const name of findPackages()) await import(name);
await started;
process.argv[1] = MAIN;
await import(MAIN);
process.send('ready');

/** @returns the packages that the service loads when it starts */
function findPackages() {
  const files = readdirSync(SERVICE, { recursive: true }).filter((path) => /^(?!operator\b).*\.js$/.test(path));
  const names = files.flatMap((path) => {
    const text = readFileSync(join(SERVICE, path), 'utf8');
    return [...text.matchAll(PACKAGE_IMPORT)].map(([, name]) => name);
  });
  return [...new Set(names)];
}
