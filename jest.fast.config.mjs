import config from './jest.config.mjs';
import { SLOW_SUITES } from './test/support/slow-suites.mjs';

const SLOW = ['test/slow/', ...Object.keys(SLOW_SUITES)].map((path) => `<rootDir>/${path}`);

/** The fast tests (docs/how-to/testing.md). */
export default { ...config, testPathIgnorePatterns: [...config.testPathIgnorePatterns, ...SLOW] };
