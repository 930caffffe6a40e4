import config from './jest.config.mjs';

/** The tests of the rules that lint checks. They need no build and no database. */
export default {
  ...config,
  testMatch: ['<rootDir>/test/lint/*.spec.ts'],
  globalSetup: undefined,
  globalTeardown: undefined,
  reporters: ['default'],
};
