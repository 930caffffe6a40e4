import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import Table from 'cli-table3';
import { readMeasurements } from './measurements.mjs';

/** The guarantees of the service with the suites that demonstrate them. */
export const GUARANTEES = JSON.parse(readFileSync(new URL('guarantees.json', import.meta.url), 'utf8'));

/** Prints the table of guarantees with the results of their tests and what was measured. */
export default class GuaranteesReporter {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onRunComplete(_, { testResults }) {
    const suites = testResults.map(({ testFilePath, numPassingTests, numFailingTests, testExecError }) => ({
      suite: relative(this.rootDir, testFilePath),
      passed: numPassingTests,
      failed: numFailingTests + (testExecError ? 1 : 0),
    }));
    process.stderr.write(`\n${drawGuarantees(suites, readMeasurements(process.env.MEASUREMENTS_FILE))}\n`);
  }
}

/**
 * @param {{ suite: string, passed: number, failed: number }[]} results of suites, by their path in the repository. A
 *   suite may have run twice.
 * @returns the table of guarantees.
 */
export function drawGuarantees(results, measurements) {
  const table = new Table({
    head: ['Guarantee', 'Cases', 'Tests', 'Measured'],
    colWidths: [30, 40, 16, 50],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { guarantee, cases, suites } of GUARANTEES) {
    const run = results.filter(({ suite }) => suites.includes(suite));
    const count = (name) => run.reduce((sum, result) => sum + result[name], 0);
    const failed = count('failed') > 0 ? `\n${count('failed')} FAILED` : '';
    const tests = run.length === 0 ? 'not run' : `${count('passed')} passed${failed}`;
    const measured = measurements.filter((entry) => entry.guarantee === guarantee).map((entry) => entry.measured);
    table.push([guarantee, cases, tests, measured.join('\n')]);
  }
  return table.toString();
}
