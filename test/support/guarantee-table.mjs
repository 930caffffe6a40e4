import Table from 'cli-table3';
import { GUARANTEES } from './suites.mjs';

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
