/**
 * Runs all tests with their long forms: every suite, then the end-to-end tests on partitioned tables, some on the other
 * versions of Node, and those of a cluster, if `CITUS_URL` names one. The last line counts the tests.
 *
 *     npm run test:nightly                    everything
 *     npm run test:nightly -- contract        suites by their path, as with `npx jest`, but in their long forms
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const results = mkdtempSync(join(tmpdir(), 'atrium-nightly-'));
const MEASUREMENTS_FILE = join(results, 'measurements.jsonl');
/** Without them, suites have their short forms. */
const LONG_FORMS = Object.fromEntries([
  ['FAULT_ROUNDS', '3'],
  ['EVENT_KILLS', '10'],
  ['POLICY_PAIRS', '5000'],
  ['POLICY_RUNS', '40'],
  ['FUZZ_SECONDS', '3600'],
  ['FILTER_RUNS', '20000'],
  ['PROPERTY_CASES', '200'],
  ['RACE_ROUNDS', '8'],
  ['BROWSER_VARIANTS', 'all'],
]);
/** Suites that write every table of workspaces: there is no time for all of the stage. */
const WRITING = [
  'attachments',
  'batches',
  'bulk-upsert',
  'column-indexes',
  'events',
  'idempotency',
  'import',
  'notes',
  'note-writes',
  'projects-and-tours',
  'subscriptions',
  'table-administration',
  'tags',
  'users',
  'virtual-staging',
  'workspaces',
];
/** The versions of Node that the service supports. */
const NODE_VERSIONS = ['20.19', '22', '24'];
const majorOf = (version) => version.split('.')[0];
const reports = [];
let status = 0;

function run(program, args, env = {}) {
  process.stderr.write(`\n> ${program} ${args.join(' ')}\n`);
  // Standard output is for the last line.
  const { status: code } = spawnSync(program, args, { stdio: ['ignore', 2, 2], env: { ...process.env, ...env } });
  if (code !== 0) status = 1;
}

function runJest(stage, args, env = {}) {
  const report = join(results, `${stage}.json`);
  const options = ['--json', `--outputFile=${report}`];
  run(process.execPath, ['node_modules/jest/bin/jest.js', ...options, ...args], { ...env, TEST_STAGE: stage });
  reports.push(report);
}

const args = process.argv.slice(2);
runJest('nightly', args, { ...LONG_FORMS, ...process.env, MEASUREMENTS_FILE });
if (args.length === 0) {
  runJest('partitioned', [`/test/e2e/(${WRITING.join('|')})\\.e2e-spec`]);
  const others = NODE_VERSIONS.filter((version) => majorOf(version) !== majorOf(process.versions.node));
  for (const version of others) run(process.execPath, ['test/run/node.mjs', version, '--smoke']);
  if (process.env.CITUS_URL) runJest('citus', []);
}
const summary = spawnSync(process.execPath, ['test/run/summary.mjs', ...reports], {
  stdio: 'inherit',
  env: { ...process.env, MEASUREMENTS_FILE },
});
process.exitCode = status || (summary.status ?? 1);
