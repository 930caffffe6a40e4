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
    const results = new Map(testResults.map((result) => [relative(this.rootDir, result.testFilePath), result]));
    const measurements = readMeasurements(process.env.MEASUREMENTS_FILE);
    const table = new Table({
      head: ['Guarantee', 'Cases', 'Tests', 'Measured'],
      colWidths: [30, 40, 16, 50],
      wordWrap: true,
      style: { head: [], border: [] },
    });
    for (const { guarantee, cases, suites } of GUARANTEES) {
      const run = suites.flatMap((suite) => results.get(suite) ?? []);
      const count = (name) => run.reduce((sum, result) => sum + result[name], 0);
      const broken = run.filter(({ testExecError }) => testExecError).length;
      const failed = count('numFailingTests') + broken;
      const tests =
        run.length === 0 ? 'not run' : `${count('numPassingTests')} passed${failed > 0 ? `\n${failed} FAILED` : ''}`;
      const measured = measurements.filter((entry) => entry.guarantee === guarantee).map((entry) => entry.measured);
      table.push([guarantee, cases, tests, measured.join('\n')]);
    }
    process.stderr.write(`\n${table.toString()}\n`);
  }
}
