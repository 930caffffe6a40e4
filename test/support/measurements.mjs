import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/**
 * Records what a test has measured, for the table of guarantees. Without `MEASUREMENTS_FILE`, nothing is recorded.
 *
 * @param guarantee the title of a guarantee in `test/support/guarantees.json`.
 */
export function recordMeasurement(guarantee, measured) {
  const path = process.env.MEASUREMENTS_FILE;
  if (path) appendFileSync(path, `${JSON.stringify({ guarantee, measured })}\n`);
}

/** @returns what was measured, in the order of the tests. */
export function readMeasurements(path) {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  return lines.map((line) => JSON.parse(line));
}
