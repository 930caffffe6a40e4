import { readdirSync, readFileSync } from 'node:fs';

const read = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const UNITS = readdirSync(new URL('../units', import.meta.url)).map((name) => `test/units/${name}`);

/** The seconds of each suite on two idle cores, with those of its hooks. `test/run/durations.mjs` writes them. */
export const SUITE_SECONDS = read('suite-seconds.json');

/** Seconds of a suite that has no known duration: more than most suites take. */
export const DEFAULT_SECONDS = 5;

/** Nightly suites outside of `test/nightly`, with the reason. */
export const NIGHTLY_SUITES = read('nightly-suites.json');

/** The guarantees of the service with the suites that demonstrate them, and the one of these that CI runs. */
export const GUARANTEES = read('guarantees.json');

/** One suite for each guarantee that no fast suite demonstrates. */
export const REPRESENTATIVES = [...new Set(GUARANTEES.map(({ representative }) => representative))].filter(isNightly);

/** @param path of a suite in the repository. */
export function isNightly(path) {
  return path.startsWith('test/nightly/') || path in NIGHTLY_SUITES;
}

const isEndToEnd = (path) => path.startsWith('test/e2e/');
/** Is it a spec that a suite of test/units joins? */
const isJoined = (path) => /^(clients|packages|src)\//.test(path) && !isNightly(path);

/** Features that a cluster does not concern, and suites that stop or replace the PostgreSQL of the test run. */
const NOT_ON_CLUSTER = /\/(embedded-postgres|first-start|surroundings|statements|database-faults)\.e2e-spec/;

const isDaily = (path) => !isJoined(path) && !isNightly(path) && !path.startsWith('test/lint/');

/** Suites that take as many seconds run in CI only, so that `npm test` takes four minutes. */
const MAX_FAST_SECONDS = 10;
const isFast = (path) => isDaily(path) && (UNITS.includes(path) || secondsOf(path) < MAX_FAST_SECONDS);

/** The suites of each value of `TEST_STAGE` (docs/how-to/testing.md). */
const STAGES = {
  fast: isFast,
  ci: (path) => isDaily(path) || REPRESENTATIVES.includes(path),
  lint: (path) => path.startsWith('test/lint/'),
  guarantees: (path) => REPRESENTATIVES.includes(path),
  nightly: (path) => !isJoined(path),
  partitioned: isEndToEnd,
  citus: (path) =>
    (isEndToEnd(path) && !NOT_ON_CLUSTER.test(path)) || /^test\/nightly\/(cluster|pgbouncer)\./.test(path),
};

/** The stage that is executed: the fast tests by default. */
export const STAGE = process.env.TEST_STAGE ?? 'fast';
if (!Object.hasOwn(STAGES, STAGE)) throw new Error(`TEST_STAGE is one of ${Object.keys(STAGES).join(', ')}.`);
if (STAGE === 'citus' && !process.env.CITUS_URL) throw new Error('TEST_STAGE=citus needs CITUS_URL, a coordinator.');

/**
 * @param paths of the suites that the arguments of Jest select.
 * @returns those of the stage if the arguments name none, else all.
 */
export function selectSuites(paths, stage = STAGE) {
  return UNITS.every((path) => paths.includes(path)) ? paths.filter(STAGES[stage]) : paths;
}

export function secondsOf(path) {
  return SUITE_SECONDS[path] ?? DEFAULT_SECONDS;
}
