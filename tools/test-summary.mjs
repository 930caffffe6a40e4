/**
 * Prints the totals of Jest's JSON report on one line: `N passed, N failed, N skipped`. A suite that could not run counts as
 * one failed test.
 */
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
const skipped = report.numPendingTests + report.numTodoTests;
process.stdout.write(`${report.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`);
if (failed > 0 || report.numPassedTests === 0) process.exitCode = 1;
