/**
 * `npm run test:citus`: the end-to-end tests and the races on a cluster, whose coordinator `CITUS_URL` names
 * (docs/how-to/testing.md).
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

if (!process.env.CITUS_URL) {
  console.log('Citus: skipped: CITUS_URL does not name a coordinator');
  process.exit();
}
const jest = resolve('node_modules/jest/bin/jest.js');
const args = [jest, '--config', 'jest.citus.config.mjs', ...process.argv.slice(2)];
process.exit(spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1);
