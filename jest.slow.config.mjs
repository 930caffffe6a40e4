import config from './jest.config.mjs';

/** Tests of large volumes and long property tests (docs/how-to/testing.md). */
export default { ...config, testMatch: ['<rootDir>/test/slow/*.spec.ts'] };
