import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSpecs } from '../support/join-specs.js';
import { ROOT } from '../support/service.js';
import { GUARANTEES, isNightly, NIGHTLY_SUITES, SUITE_SECONDS } from '../support/suites.mjs';

const suites = GUARANTEES.flatMap(({ suites }) => suites);

/** The lists decide which suites run: a suite that is renamed must be renamed in them. */
it.each([
  ['suite-seconds.json', Object.keys(SUITE_SECONDS)],
  ['nightly-suites.json', Object.keys(NIGHTLY_SUITES)],
  ['guarantees.json', suites],
])('%s names only suites that exist', (_, paths) => {
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((suite) => !existsSync(join(ROOT, suite)))).toEqual([]);
});

it('each guarantee has a representative in CI, which is one of its suites', () => {
  const missing = GUARANTEES.filter(({ representative, suites }) => !suites.includes(representative));
  expect(missing.map(({ guarantee }) => guarantee)).toEqual([]);
});

it('the duration of each nightly suite and of each representative is known', () => {
  const named = [...suites, ...Object.keys(NIGHTLY_SUITES)];
  expect(named.filter((suite) => isNightly(suite) && !(suite in SUITE_SECONDS))).toEqual([]);
});

it('the suites of test/units join each spec next to the code once', () => {
  const units = readdirSync(join(ROOT, 'test/units')).map((name) =>
    readFileSync(join(ROOT, 'test/units', name), 'utf8'),
  );
  const calls = units.flatMap((text) => [...text.matchAll(/joinSpecs\('([^']+)'(?:, \[([^\]]*)\])?\)/g)]);
  const joined = calls.flatMap(([, folder, others]) => listSpecs(folder!, others?.match(/[^', ]+/g) ?? []));
  const specs = ['clients', 'packages', 'src'].flatMap((folder) => listSpecs(folder));
  expect(specs.length).toBeGreaterThan(80);
  expect(joined.sort()).toEqual(specs.sort());
});
