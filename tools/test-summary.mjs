/**
 * Prints the totals of Jest's JSON reports on one line: `N passed, N failed, N skipped`. A suite that could not run counts as
 * one failed test.
 *
 *     node tools/test-summary.mjs report.json …
 */
import { readFileSync } from 'node:fs';

const reports = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')));
const sum = (count) => reports.reduce((total, report) => total + count(report), 0);

const passed = sum((report) => report.numPassedTests);
const failed = sum((report) => report.numFailedTests + report.numRuntimeErrorTestSuites);
const skipped = sum((report) => report.numPendingTests + report.numTodoTests);
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
// A run without tests is a mistake.
if (failed > 0 || reports.some(({ numPassedTests }) => numPassedTests === 0)) process.exitCode = 1;
