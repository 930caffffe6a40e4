import config from './jest.config.mjs';

/** Suites of features that a cluster does not concern, or that stop or replace the PostgreSQL of the test run. */
const OMITTED = ['embedded-postgres', 'first-start', 'surroundings', 'statements', 'database-faults'];

/** The end-to-end tests and those of outages on a cluster of Citus (docs/how-to/testing.md). */
export default {
  ...config,
  testMatch: ['<rootDir>/test/e2e/*.e2e-spec.ts', '<rootDir>/test/nightly/{cluster,pgbouncer}.spec.ts'],
  testPathIgnorePatterns: [...config.testPathIgnorePatterns, `/(?:${OMITTED.join('|')})\\.e2e-spec\\.ts$`],
  // The statement listener needs the settings of the embedded PostgreSQL.
  reporters: config.reporters.filter((reporter) => !reporter.includes('statement-listener')),
};
