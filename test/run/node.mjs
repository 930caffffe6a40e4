/**
 * Runs the black-box tests on another version of Node: Jest and each service that it starts.
 *
 *     node test/run/node.mjs 24                 the end-to-end tests on Node 24
 *     node test/run/node.mjs 22 test/e2e/tags   some suites
 *     node test/run/node.mjs 24 --smoke         a few suites; skipped if that Node cannot be downloaded
 *
 * It installs the npm package that `npx node@24` uses.
 */
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, resolve } from 'node:path';
import { installNode } from '../support/cached-packages.mjs';

const SMOKE = [
  'test/architecture/production-install',
  'test/e2e/oauth2-forms',
  'test/e2e/tags',
  'test/e2e/import.e2e',
  'test/e2e/media-cases',
  'src/platform/overload',
];

const [version, ...args] = process.argv.slice(2);
if (!/^\d+(\.\d+){0,2}$/.test(version ?? '')) {
  process.stderr.write('Name a version of Node: node test/run/node.mjs 24\n');
  process.exit(2);
}
const smoke = args.includes('--smoke');
const node = installNode(version);
if (!node) {
  process.stderr.write(`Node ${version} could not be downloaded.${smoke ? ' Its tests are skipped.' : ''}\n`);
  process.exit(smoke ? 0 : 1);
}

const suites = args.filter((argument) => argument !== '--smoke');
if (suites.length === 0) suites.push(...(smoke ? SMOKE : ['test/e2e']));
const jest = resolve('node_modules/jest/bin/jest.js');
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
process.stderr.write(`Node ${spawnSync(node, ['--version']).stdout.toString().trim()}\n`);
process.exit(spawnSync(node, [jest, ...suites], { stdio: 'inherit', env }).status ?? 1);
