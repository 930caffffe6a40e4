import config from './jest.config.mjs';
import { REPRESENTATIVES } from './test/support/suites.mjs';

/** The representatives of guarantees that CI runs in addition to the fast tests (docs/how-to/testing.md). */
export default { ...config, testMatch: REPRESENTATIVES.map((suite) => `<rootDir>/${suite}`) };
