import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/service.js';

const read = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, 'test/support', name), 'utf8'));

/** The lists decide which suites run: a suite that is renamed must be renamed in them. */
it.each([
  ['slow-suites.json', Object.keys(read('slow-suites.json') as object)],
  ['guarantees.json', (read('guarantees.json') as { suites: string[] }[]).flatMap(({ suites }) => suites)],
])('%s names only suites that exist', (_, suites) => {
  expect(suites.length).toBeGreaterThan(10);
  expect(suites.filter((suite) => !existsSync(join(ROOT, suite)))).toEqual([]);
});
