import config from './jest.config.mjs';
import { SLOW_SUITES } from './test/support/slow-suites.mjs';

const SLOW = ['test/slow/*.spec.ts', ...Object.keys(SLOW_SUITES)];

/** The slow tests: large volumes, long properties, and suites that take long by design (docs/how-to/testing.md). */
export default { ...config, testMatch: SLOW.map((path) => `<rootDir>/${path}`) };
