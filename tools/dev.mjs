/**
 * Runs `nest start --watch` with the database of the settings: the embedded PostgreSQL continues while the service
 * restarts. The pages are bundled again after their changes. Arguments are passed on, such as `--debug`.
 *
 *     npm run start:dev
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watchPages } from '../packages/pages/build.mjs';
import { openDatabase } from '../dist/src/open-database.js';
import { loadConfig } from '../dist/src/platform/config/load-config.js';

try {
  const database = await openDatabase(await loadConfig());
  const pages = await watchPages();
  const args = ['node_modules/@nestjs/cli/bin/nest.js', 'start', '--watch', '--no-shell'];
  const nest = spawn(process.execPath, [...args, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => nest.kill(signal));
  [process.exitCode] = await once(nest, 'exit');
  await pages.close();
  await database.stop();
} catch (error) {
  for (const line of error.errors ?? [error.message]) process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}
