import { relative } from 'node:path';
import { SLOW_SUITES } from './slow-suites.mjs';

const LISTED = 10;

/** Prints the slowest suites after a run of several, and why those that take long by design do. */
export default class SlowSuitesReporter {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onRunComplete(_, { testResults }) {
    if (testResults.length < 2) return;
    const suites = testResults
      .map(({ testFilePath, perfStats }) => ({
        path: relative(this.rootDir, testFilePath),
        seconds: perfStats.runtime / 1000,
      }))
      .sort((one, other) => other.seconds - one.seconds);
    // Standard output may contain the JSON report.
    process.stderr.write(`\nSlowest suites:\n${suites.slice(0, LISTED).map(line).join('')}`);
  }
}

function line({ path, seconds }) {
  const reason = SLOW_SUITES[path]?.reason;
  return `${seconds.toFixed(1).padStart(6)} s  ${path}${reason ? `\n          ${reason}` : ''}\n`;
}
