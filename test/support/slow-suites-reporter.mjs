import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * Suites that take long by design, so that they are slow tests, with their seconds on two idle cores and the reason
 * (docs/how-to/testing.md).
 */
export const SLOW_SUITES = JSON.parse(readFileSync(new URL('slow-suites.json', import.meta.url), 'utf8'));

const LISTED = 10;
const NEEDS_REASON_S = 20;

/** Prints the slowest suites after a run of several, and why each of them that takes more than 20 seconds does. */
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
    const listed = suites.filter(({ seconds }, position) => position < LISTED || seconds > NEEDS_REASON_S);
    // Standard output may contain the JSON report.
    process.stderr.write(`\nSlowest suites:\n${listed.map(line).join('')}`);
  }
}

function line({ path, seconds }) {
  const reason = SLOW_SUITES[path]?.reason ?? 'Make it faster, or add it to test/support/slow-suites.json.';
  return `${seconds.toFixed(1).padStart(6)} s  ${path}${seconds > NEEDS_REASON_S ? `\n          ${reason}` : ''}\n`;
}
