import config from './jest.config.mjs';

// The support server inherits it.
process.env.TEST_PARTITIONED = '1';

/** Suites that write every table of workspaces. The nightly stage has no time for all. */
const WRITING = [
  'attachments',
  'batches',
  'bulk-upsert',
  'column-indexes',
  'events',
  'idempotency',
  'import',
  'notes',
  'note-writes',
  'projects-and-tours',
  'subscriptions',
  'table-administration',
  'tags',
  'users',
  'virtual-staging',
  'workspaces',
];

/** The end-to-end tests with fixed tables that are partitioned by workspace (docs/how-to/testing.md). */
export default {
  ...config,
  testMatch: [
    `<rootDir>/test/e2e/${process.env.PARTITIONED_SUITES === 'writing' ? `(${WRITING.join('|')})` : '*'}.e2e-spec.ts`,
  ],
  // The statement listener knows the tables, not their partitions.
  reporters: config.reporters.filter((reporter) => !reporter.includes('statement-listener')),
};
