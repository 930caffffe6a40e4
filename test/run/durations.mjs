/**
 * Records the durations of suites on idle cores in `test/support/suite-seconds.json`, from JSON reports of Jest.
 * Removes suites that do not exist.
 *
 *     node test/run/durations.mjs report.json …
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import prettier from 'prettier';
import { SUITE_SECONDS } from '../support/suites.mjs';

const PATH = 'test/support/suite-seconds.json';

const seconds = { ...SUITE_SECONDS };
for (const report of process.argv.slice(2))
  for (const { name, startTime, endTime } of JSON.parse(readFileSync(report, 'utf8')).testResults)
    seconds[relative(process.cwd(), name)] = Math.max(1, Math.round((endTime - startTime) / 1000));

const existing = Object.entries(seconds)
  .filter(([path]) => existsSync(path))
  .sort(([one], [other]) => (one < other ? -1 : 1));
const text = JSON.stringify(Object.fromEntries(existing));
writeFileSync(PATH, await prettier.format(text, { ...(await prettier.resolveConfig(PATH)), parser: 'json' }));
const total = existing.reduce((sum, [, each]) => sum + each, 0);
process.stdout.write(`${existing.length} suites take ${total} s.\n`);
