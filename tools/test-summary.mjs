/**
 * Prints what Jest's JSON report counts, alone on a line: `N passed, N failed, N skipped`. A suite that could not run
 * at all has no tests to count; it counts as one that failed.
 */
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
const skipped = report.numPendingTests + report.numTodoTests;
process.stdout.write(`${report.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`);
if (failed > 0 || report.numPassedTests === 0) process.exitCode = 1;
