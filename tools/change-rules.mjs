/** The suites of test/architecture that concern a change of these files. */
export const RULES = [
  {
    files: /\.(controller|dto|errors|decorator)\.ts$/,
    suites: ['access-policies', 'event-samples', 'interface', 'openapi-document', 'roles', 'routes'],
  },
  { files: /\.errors\.ts$|^clients\/typescript\//, suites: ['client-types'] },
  {
    files: /\.entity\.ts$|^migrations\//,
    suites: ['erasures', 'migrations', 'row-references', 'transfer-tables'],
  },
  { files: /\.module\.ts$/, suites: ['erasures'] },
  // They read all statements.
  { files: /^(migrations|packages|src)\/.*\.ts$/, suites: ['cluster-rules', 'postgres-functions', 'table-owners'] },
  { files: /^src\/modules\/transfers\//, suites: ['transfer-tables'] },
  { files: /^src\/platform\//, suites: ['platform-features', 'settings'] },
  { files: /^src\/platform\/security\//, suites: ['routes'] },
  { files: /\.limit-catalog\.ts$|\.md$|^src\/platform\/config\//, suites: ['limits'] },
  { files: /^\.env\.example$/, suites: ['settings', 'limits'] },
  { files: /\.md$/, suites: ['adr', 'asvs', 'documents'] },
  {
    files: /^deploy\/|^(Dockerfile|compose\.yaml|package\.json|docs\/how-to\/(operating|running-every-night)\.md)$/,
    suites: ['deployment'],
  },
  {
    files:
      /(^|\/)package(-lock)?\.json$|^(CHANGELOG|CONTRIBUTING)\.md$|^clients\/cli\/src\/main\.ts$|kubernetes\.yaml$/,
    suites: ['versions'],
  },
  { files: /(^|\/)package(-lock)?\.json$/, suites: ['licenses'] },
  { files: /^test\/.*\.(spec|e2e-spec)\.ts$|^test\/support\/.*\.json$/, suites: ['suites'] },
  { files: /^test\/support\/statement-rules\.mjs$/, suites: ['statement-rules'] },
  { files: /^test\/support\/cluster-rules\.mjs$/, suites: ['cluster-rules'] },
];

/** The suites that no change selects, with the reason. */
export const NOT_FOR_CHANGES = {
  'linear-time': 'Nightly: measures functions with 1 MB of their worst input.',
  'production-install': 'Nightly: installs the packages of production.',
  start: 'Nightly: starts services, and measures what they load.',
};
