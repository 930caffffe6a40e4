import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectNone } from '../support/for-each.js';
import { listSpecs } from '../support/join-specs.js';
import { ROOT } from '../support/service.js';
import {
  GUARANTEES,
  isNightly,
  NIGHTLY_SUITES,
  REPRESENTATIVES,
  secondsOf,
  selectSuites,
  SUITE_SECONDS,
} from '../support/suites.mjs';

const suites = GUARANTEES.flatMap(({ suites }) => suites);
const units = readdirSync(join(ROOT, 'test/units')).map((name) => `test/units/${name}`);

/** The lists decide which suites run: a suite that is renamed must be renamed in them. */
it.each([
  ['suite-seconds.json', Object.keys(SUITE_SECONDS)],
  ['nightly-suites.json', Object.keys(NIGHTLY_SUITES)],
  ['guarantees.json', suites],
])('%s names only suites that exist', (_, paths) => {
  expect(paths.length).toBeGreaterThan(10);
  expectNone(
    paths.filter((suite) => !existsSync(join(ROOT, suite))),
    'Write the new name of the suite, or remove the entry.',
  );
});

it('each guarantee has a representative in CI, which is one of its suites', () => {
  const missing = GUARANTEES.filter(({ representative, suites }) => !suites.includes(representative));
  expectNone(
    missing.map(({ guarantee }) => guarantee),
    'Name one of `suites` as `representative` in test/support/guarantees.json.',
  );
});

it('the duration of each nightly suite and of each representative is known', () => {
  const named = [...suites, ...Object.keys(NIGHTLY_SUITES)];
  expectNone(
    named.filter((suite) => isNightly(suite) && !(suite in SUITE_SECONDS)),
    'Run only the suite, and write its seconds into test/support/suite-seconds.json.',
  );
});

/** Seconds of all suites of CI, of which two run at a time. A suite that does not fit is nightly. */
const MAX_CI_SECONDS = 1_260;

it(`the suites of CI take at most ${MAX_CI_SECONDS} seconds, as far as their duration is known`, () => {
  const inCi = Object.keys(SUITE_SECONDS).filter((path) => !isNightly(path) || REPRESENTATIVES.includes(path));
  expect(inCi.reduce((sum, path) => sum + SUITE_SECONDS[path]!, 0)).toBeLessThanOrEqual(MAX_CI_SECONDS);
});

/** Of `npm test`, which takes four minutes. A suite that takes 10 seconds runs in CI only. */
const MAX_FAST_SECONDS = 480;

it(`the suites of npm test take at most ${MAX_FAST_SECONDS} seconds, as far as their duration is known`, () => {
  const fast = selectSuites([...units, ...Object.keys(SUITE_SECONDS)], 'fast');
  expect([...new Set(fast)].reduce((sum, path) => sum + secondsOf(path), 0)).toBeLessThanOrEqual(MAX_FAST_SECONDS);
});

describe('a run of tests', () => {
  const [spec, fast, nightly] = ['src/a.spec.ts', 'test/e2e/a.e2e-spec.ts', 'test/nightly/a.spec.ts'] as const;
  // Its duration is known.
  const slow = 'test/e2e/subscriptions.e2e-spec.ts';
  const all = [...units, spec, fast, slow, nightly, 'test/lint/a.spec.ts', ...REPRESENTATIVES];

  it.each([
    ['fast', [...units, fast]],
    ['ci', [...units, fast, slow, ...REPRESENTATIVES]],
    ['guarantees', REPRESENTATIVES],
    ['nightly', all.filter((path) => path !== spec)],
    ['lint', ['test/lint/a.spec.ts']],
    ['partitioned', all.filter((path) => path.startsWith('test/e2e/'))],
  ])('without named suites has those of the stage %s', (stage, expected) => {
    expect(selectSuites(all, stage)).toEqual(expected);
  });

  it('has the named suites in each stage', () => {
    expect(selectSuites([spec, nightly], 'fast')).toEqual([spec, nightly]);
    expect(selectSuites([spec], 'lint')).toEqual([spec]);
  });
});

it('the suites of test/units join each spec next to the code once', () => {
  const units = readdirSync(join(ROOT, 'test/units')).map((name) =>
    readFileSync(join(ROOT, 'test/units', name), 'utf8'),
  );
  const calls = units.flatMap((text) => [...text.matchAll(/joinSpecs\('([^']+)'(?:, \[([^\]]*)\])?\)/g)]);
  const joined = calls.flatMap(([, folder, others]) => listSpecs(folder!, others?.match(/[^', ]+/g) ?? []));
  const specs = ['clients', 'packages', 'src'].flatMap((folder) => listSpecs(folder));
  expect(specs.length).toBeGreaterThan(80);
  expectNone(
    specs.filter((spec) => !joined.includes(spec)),
    'Add a suite to test/units that joins the specs of the folder.',
  );
  expectNone(
    joined.filter((spec, position) => joined.indexOf(spec) !== position || !specs.includes(spec)),
    'Let only one suite of test/units join the folder of the spec.',
  );
});
