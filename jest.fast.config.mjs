import config from './jest.config.mjs';
import { NIGHTLY_PATHS } from './test/support/suites.mjs';

/** The fast tests (docs/how-to/testing.md). */
export default {
  ...config,
  testPathIgnorePatterns: [...config.testPathIgnorePatterns, ...NIGHTLY_PATHS.map((path) => `<rootDir>/${path}`)],
};
