import config from './jest.config.mjs';
import { NIGHTLY_PATHS } from './test/support/suites.mjs';

/** The fast tests (docs/how-to/testing.md). */
export default {
  ...config,
  // `test/units` joins the specs next to the code.
  testMatch: ['<rootDir>/test/{architecture,e2e,units}/*spec.ts'],
  testPathIgnorePatterns: [...config.testPathIgnorePatterns, ...NIGHTLY_PATHS.map((path) => `<rootDir>/${path}`)],
};
