import { STAGE } from './test/support/suites.mjs';

/** The tests compile each file by itself. The build compiles with TypeScript (`nest build`). */
const SWC_OPTIONS = {
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
};

/**
 * The only configuration: `npm test` runs the suites of the stage that `TEST_STAGE` names, or those that its arguments
 * name (docs/how-to/testing.md). By default, these are suites of less than ten seconds, half of those in `test/e2e`:
 * `npx jest PATH` runs any, `TEST_STAGE=ci npx jest` those of CI. Specs of `src`, `packages` and `clients` run in
 * `test/units`. Suites of `test/e2e` call `dist/src/main.js` over HTTP, by default the service of their worker.
 */
export default {
  testMatch: [
    '<rootDir>/{packages,src,clients}/**/*.spec.ts',
    '<rootDir>/test/{architecture,e2e,lint,nightly,units}/*spec.ts',
  ],
  filter: '<rootDir>/test/support/suite-filter.cjs',
  // What several specs share; the build leaves it out as it leaves out the specs.
  testPathIgnorePatterns: ['/node_modules/', '\\.fixture\\.spec\\.ts$'],
  transform: {
    '^.+\\.(ts|js|mjs)$': ['@swc/jest', { ...SWC_OPTIONS, module: { type: 'commonjs' } }],
  },
  transformIgnorePatterns: [
    '/node_modules/(?!(@nestjs|uuid|jose|openid-client|oauth4webapi|file-type|music-metadata|media-typer|win-guid|strtok3|token-types|uint8array-extras|@tokenizer|@borewit|chevrotain|@chevrotain|lodash-es|hucre)/)',
  ],
  // These packages export their entry points only for `import`.
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^file-type$': '<rootDir>/node_modules/file-type/index.js',
    '^hucre/xlsx$': '<rootDir>/node_modules/hucre/dist/xlsx.mjs',
    '^music-metadata$': '<rootDir>/node_modules/music-metadata/lib/index.js',
    '^@chevrotain/([\\w-]+)$': '<rootDir>/node_modules/@chevrotain/$1/lib/src/api.js',
    '^@atrium/client$': '<rootDir>/clients/typescript/src/client.ts',
    '^@atrium/client/node$': '<rootDir>/clients/typescript/src/file-token-store.ts',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/clients/[^/]+/dist'],
  // The rules of lint need no build and no database.
  globalSetup: STAGE === 'lint' ? undefined : '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: STAGE === 'lint' ? undefined : '<rootDir>/test/support/global-teardown.mjs',
  // Generous, so that a busy machine does not fail tests.
  testTimeout: 120_000,
  maxWorkers: 2,
  testSequencer: '<rootDir>/test/support/slowest-first-sequencer.mjs',
  reporters: [
    'default',
    '<rootDir>/test/support/slowest-suites-reporter.mjs',
    // A run fails with a statement that has no condition on its workspace. The listener knows the settings of the
    // embedded PostgreSQL, and the tables, but not their partitions.
    ...(['citus', 'partitioned'].includes(STAGE) ? [] : ['<rootDir>/test/support/statement-listener.mjs']),
  ],
};
