import { readFileSync } from 'node:fs';

const read = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));

/** The seconds of each suite on two idle cores, with those of its hooks. `test/run/durations.mjs` writes them. */
export const SUITE_SECONDS = read('suite-seconds.json');

/** Seconds of a suite that has no known duration: more than most suites take. */
export const DEFAULT_SECONDS = 5;

/** Nightly suites outside of `test/nightly`, with the reason. */
export const NIGHTLY_SUITES = read('nightly-suites.json');

/** The guarantees of the service with the suites that demonstrate them, and the one of these that CI runs. */
export const GUARANTEES = read('guarantees.json');

/** Folders and suites that `npm test` omits. */
export const NIGHTLY_PATHS = ['test/nightly/', ...Object.keys(NIGHTLY_SUITES)];

/** The suites that CI runs in addition to `npm test`: one for each guarantee that no fast suite demonstrates. */
export const REPRESENTATIVES = [...new Set(GUARANTEES.map(({ representative }) => representative))].filter(isNightly);

/** @param path of a suite in the repository. */
export function isNightly(path) {
  return NIGHTLY_PATHS.some((nightly) => (nightly.endsWith('/') ? path.startsWith(nightly) : path === nightly));
}

export function secondsOf(path) {
  return SUITE_SECONDS[path] ?? DEFAULT_SECONDS;
}
