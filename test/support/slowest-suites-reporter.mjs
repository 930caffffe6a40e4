import { relative } from 'node:path';

const LISTED = 10;

/** Prints the slowest suites after a run of several. */
export default class SlowestSuitesReporter {
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
    const total = suites.reduce((sum, { seconds }) => sum + seconds, 0);
    const lines = suites.slice(0, LISTED).map(({ path, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${path}\n`);
    // Standard output may contain the JSON report.
    process.stderr.write(`\nSlowest of ${suites.length} suites, with ${total.toFixed(0)} s:\n${lines.join('')}`);
  }
}
