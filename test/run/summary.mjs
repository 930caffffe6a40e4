/**
 * Prints the totals of Jest's JSON reports on one line: `N passed, N failed, N skipped`. A suite that could not run
 * counts as one failed test, and so does each run of `FAILED_RUNS_FILE`, unless a failed test explains it. Prints
 * before: the table of guarantees, if `MEASUREMENTS_FILE` contains what the tests have measured, and each failed test
 * with its message, because the output of a test is thousands of lines further up, and a forge may show only the last
 * ones.
 *
 *     node test/run/summary.mjs report.json …
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { drawGuarantees } from '../support/guarantee-table.mjs';
import { readMeasurements } from '../support/measurements.mjs';

const reports = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')));
const sum = (count) => reports.reduce((total, report) => total + count(report), 0);

const { MEASUREMENTS_FILE, FAILED_RUNS_FILE } = process.env;
if (MEASUREMENTS_FILE) {
  const suites = reports.flatMap(({ testResults }) => testResults).map(toSuite);
  process.stderr.write(`\n${drawGuarantees(suites, readMeasurements(MEASUREMENTS_FILE))}\n\n`);
}

for (const { name, status, message, assertionResults } of reports.flatMap(({ testResults }) => testResults)) {
  if (status !== 'failed') continue;
  const failures = assertionResults.filter((test) => test.status === 'failed');
  for (const { fullName, failureMessages } of failures) printFailure(name, fullName, failureMessages.join('\n'));
  if (failures.length === 0) printFailure(name, 'The suite could not run', message);
}

const passed = sum((report) => report.numPassedTests);
const failedTests = sum((report) => report.numFailedTests + report.numRuntimeErrorTestSuites);
const failedRuns = FAILED_RUNS_FILE ? readFileSync(FAILED_RUNS_FILE, 'utf8') : '';
if (failedTests === 0) process.stderr.write(failedRuns);
const failed = failedTests || failedRuns.match(/^exit code /gm)?.length || 0;
const skipped = sum((report) => report.numPendingTests + report.numTodoTests);
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
// A run without tests is a mistake.
if (failed > 0 || reports.some(({ numPassedTests }) => numPassedTests === 0)) process.exitCode = 1;

function printFailure(suite, test, message) {
  const lines = stripVTControlCharacters(message).split('\n').slice(0, 30);
  process.stderr.write(`FAIL ${relative(process.cwd(), suite)}: ${test}\n${lines.join('\n')}\n\n`);
}

function toSuite({ name, status, assertionResults }) {
  const count = (wanted) => assertionResults.filter((test) => test.status === wanted).length;
  // A suite that could not run has no tests.
  const failed = status === 'failed' ? Math.max(1, count('failed')) : 0;
  return { suite: relative(process.cwd(), name), passed: count('passed'), failed };
}
