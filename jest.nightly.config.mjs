import config from './jest.config.mjs';
import fast from './jest.fast.config.mjs';
import { NIGHTLY_SUITES } from './test/support/suites.mjs';

// The workers inherit them. In CI and by hand, suites have their short forms.
process.env.FAULT_ROUNDS ??= '3';
process.env.EVENT_KILLS ??= '10';
process.env.POLICY_PAIRS ??= '5000';
process.env.POLICY_RUNS ??= '40';
process.env.FUZZ_SECONDS ??= '3600';
process.env.FILTER_RUNS ??= '20000';
process.env.PROPERTY_CASES ??= '200';
process.env.BROWSER_VARIANTS ??= 'all';

/** All tests with their long forms (docs/how-to/testing.md). */
export default {
  ...config,
  testMatch: [
    ...fast.testMatch,
    '<rootDir>/test/{lint,nightly}/*.spec.ts',
    ...Object.keys(NIGHTLY_SUITES).map((path) => `<rootDir>/${path}`),
  ],
};
