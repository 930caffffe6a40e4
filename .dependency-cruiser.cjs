/**
 * Dependency rules: `app → modules → records → platform`. Modules use only each other's public API, nothing forms a cycle.
 * The comment of each rule states what to write instead; `npm run lint:texts` prints it.
 */
const { join } = require('node:path');

/** Which modules a module may import. A new dependency is a decision: add it here first and state the reason in the commit. */
const MODULE_DEPENDENCIES = {
  workspaces: ['audit'],
  audit: ['events'],
  'access-policies': ['audit', 'workspaces'],
  events: [],
  subscriptions: ['access-policies', 'audit', 'events', 'users'],
  users: ['access-policies', 'audit', 'events', 'workspaces'],
  sessions: ['audit', 'users'],
  auth: ['access-policies', 'audit', 'sessions', 'users', 'workspaces'],
  identity: ['access-policies', 'audit', 'auth', 'sessions', 'users', 'workspaces'],
  'workspace-tables': ['access-policies', 'audit', 'events', 'workspaces'],
  'legacy-webhook': ['audit', 'workspace-tables'],
  odata: ['notes', 'workspace-tables'],
  projects: ['events'],
  tours: ['events', 'projects', 'workspace-tables'],
  attachments: ['workspaces'],
  notes: [
    'access-policies',
    'audit',
    'events',
    'workspace-tables',
    'tours',
    'projects',
    'attachments',
    'users',
    'workspaces',
  ],
  'virtual-staging': ['events', 'tours', 'attachments'],
  analytics: ['notes', 'tours', 'virtual-staging', 'projects', 'workspace-tables', 'workspaces'],
  search: ['events', 'notes', 'projects', 'tours', 'workspace-tables'],
  assistants: ['notes', 'search', 'workspace-tables', 'workspaces'],
  transfers: ['attachments', 'audit', 'subscriptions', 'users', 'workspace-tables', 'workspaces'],
  demo: [
    'access-policies',
    'auth',
    'identity',
    'notes',
    'projects',
    'tours',
    'users',
    'workspace-tables',
    'workspaces',
  ],
};

/** The folders of workspace-tables and what each may import. */
const TABLE_DEPENDENCIES = {
  catalog: [],
  history: ['catalog'],
  engine: ['catalog', 'history'],
  query: ['catalog', 'engine'],
  admin: ['catalog'],
  batches: ['catalog', 'engine', 'history'],
  bulk: ['catalog', 'engine', 'history'],
  imports: ['catalog', 'engine', 'history', 'query'],
  rows: ['catalog', 'engine', 'history'],
  proposals: ['batches', 'catalog', 'engine', 'history', 'imports'],
  'row-history': ['catalog', 'engine', 'history', 'query'],
};

/** The folders of platform and what each may import. */
const PLATFORM_DEPENDENCIES = (() => {
  const ground = ['config', 'telemetry', 'database', 'jobs', 'http'];
  const middle = ['logging', 'storage', 'security', 'throttling'];
  return {
    config: [],
    telemetry: [],
    database: ['config', 'telemetry'],
    jobs: ['config', 'telemetry', 'database'],
    http: ['config', 'telemetry', 'database', 'jobs'],
    ...Object.fromEntries(middle.map((folder) => [folder, ground])),
    body: [...ground, ...middle],
    overload: [...ground, ...middle, 'body'],
    health: [...ground, ...middle, 'body', 'overload'],
  };
})();

/**
 * Abstract classes that a lower module declares so that higher modules can register an implementation, and types of the
 * arguments of services.
 */
const DECLARED = [
  'access-policies/policy-rules',
  'access-policies/policy-subjects',
  'events/event-type.decorator',
  'events/record-event-types',
  'audit/audit-log',
  'workspace-tables/admin/table-referrer',
  'workspace-tables/catalog/caller-view',
  'workspace-tables/rows/row-referrer',
];

const upward =
  'If a lower module needs a higher one, the lower declares an abstract class and the higher registers an implementation (see workspace-tables/rows/row-referrer.ts).';

/** The public API of a module: the module, its services, the errors that they throw, the clauses of its tables, and its declared abstract classes. */
const PUBLIC_API = `(\\.(module|service|errors|clauses)|/modules/(${DECLARED.join('|')}))\\.ts$`;

/** Entry points: the service, the generator of openapi.json, the operator CLI. */
const ENTRY_POINTS = '^src/(main|openapi|operator/main|image-process/main)\\.ts$';

/** Packages and scopes that build, check, measure and test the service. */
const TOOLS = [
  ...[
    '@eslint',
    '@jest',
    '@redocly',
    '@swc',
    'dependency-cruiser',
    'eslint',
    'prettier',
    'rolldown',
    'typescript[^/]*',
  ],
  ...[
    'autocannon',
    'fast-check',
    'jest',
    'oidc-provider',
    'openid-client',
    'playwright-core',
    's3rver',
    'simple-oauth2',
    '@odata/client',
    'odata-query',
    'ts-odatajs',
  ],
];

const SPEC = '\\.spec\\.ts$';

/** One rule per folder: it may import only the listed siblings. */
function siblingRules(prefix, root, dependencies, where) {
  return Object.entries(dependencies).map(([folder, targets]) => ({
    name: `${prefix}-${folder}`,
    severity: 'error',
    comment: `${folder} may import ${targets.length > 0 ? targets.join(', ') : 'no sibling folder'}. ${upward} To allow a new import, add it to ${where} in .dependency-cruiser.cjs first.`,
    from: { path: `^${root}/${folder}/`, pathNot: SPEC },
    to: { path: `^${root}/[^/]+/`, pathNot: `^${root}/(${[folder, ...targets].join('|')})/` },
  }));
}

module.exports = {
  forbidden: [
    {
      name: 'platform-knows-no-feature',
      severity: 'error',
      comment:
        'Platform contains no feature knowledge. Declare an abstract class in platform and let the module provide it, as security/authenticator.ts and auth do.',
      from: { path: '^src/platform/', pathNot: SPEC },
      to: { path: '^(src/(?!platform/)|migrations/)' },
    },
    {
      name: 'records-import-platform',
      severity: 'error',
      comment: 'The domain kernel src/records imports only platform. Move feature knowledge into the module.',
      from: { path: '^src/records/' },
      to: { path: '^(src/(?!platform/|records/)|migrations/)' },
    },
    {
      name: 'embedded-postgres-is-independent',
      severity: 'error',
      comment: 'The embedded PostgreSQL knows nothing of the service. Pass what it needs as options.',
      from: { path: '^src/embedded-postgres/', pathNot: SPEC },
      to: { path: '^(src/(?!embedded-postgres/)|migrations/)' },
    },
    {
      name: 'modules-know-no-app',
      severity: 'error',
      comment:
        'A module imports platform, records and other modules, not the application that starts it. Inject what it needs.',
      from: { path: '^src/modules/' },
      to: { path: '^(src/(?!modules/|platform/|records/)|migrations/)' },
    },
    ...siblingRules('platform', 'src/platform', PLATFORM_DEPENDENCIES, 'PLATFORM_DEPENDENCIES'),
    ...siblingRules('module', 'src/modules', MODULE_DEPENDENCIES, 'MODULE_DEPENDENCIES'),
    ...siblingRules('tables', 'src/modules/workspace-tables', TABLE_DEPENDENCIES, 'TABLE_DEPENDENCIES'),
    {
      name: 'module-unlisted',
      severity: 'error',
      comment:
        'This module imports another module but has no entry in MODULE_DEPENDENCIES of .dependency-cruiser.cjs. Add one and state the reason in the commit.',
      from: { path: '^src/modules/([^/]+)/', pathNot: `^src/modules/(${Object.keys(MODULE_DEPENDENCIES).join('|')})/` },
      to: { path: '^src/modules/', pathNot: '^src/modules/$1/' },
    },
    {
      name: 'module-public-api',
      severity: 'error',
      comment:
        'Import only the public API of a module: *.module.ts, *.service.ts, *.errors.ts, *.clauses.ts and its declared abstract classes. Add a method to its service, or declare your own type.',
      // Fixtures create the tables that the tested statements write.
      from: { path: '^src/modules/([^/]+)/', pathNot: '\\.fixture\\.spec\\.ts$' },
      to: { path: '^src/modules/', pathNot: ['^src/modules/$1/', PUBLIC_API] },
    },
    {
      name: 'app-uses-public-api',
      severity: 'error',
      comment:
        'The application and the operator CLI import only *.module.ts and *.service.ts of a module. Add what is missing to the service.',
      from: { path: '^src/(?!modules/|platform/|records/)' },
      // The operator CLI reads the choices of an option without loading a service.
      to: { path: '^src/modules/', pathNot: ['\\.(module|service)\\.ts$', '/audit/audit-kinds\\.ts$'] },
    },
    {
      name: 'only-the-application-imports-api-docs',
      severity: 'error',
      comment:
        'The OpenAPI document names paths of features. Only the application, the pages and the generators import it; pass in what another folder needs.',
      from: {
        path: '^(src|migrations)/',
        pathNot: ['^src/(api-docs|pages)/', '^src/(application|api-reference|error-reference|openapi)\\.ts$'],
      },
      to: { path: '^src/api-docs/' },
    },
    {
      name: 'only-the-application-imports-pages',
      severity: 'error',
      comment: 'The pages that browsers show name paths of features. Only the application serves them.',
      from: { path: '^(src|migrations)/', pathNot: ['^src/pages/', '^src/application\\.ts$'] },
      to: { path: '^src/pages/' },
    },
    {
      name: 'nothing-imports-the-operator',
      severity: 'error',
      comment: 'The operator CLI only calls services. Move shared code into a service.',
      from: { path: '^src/(?!operator/)' },
      to: { path: '^src/operator/' },
    },
    {
      name: 'database-access',
      severity: 'error',
      comment:
        'Use Database (database.ts), Directory (directory.ts), database-state.ts, deferred-transactions.ts, copy-streams.ts, read-replica.ts, standalone-statements.ts, audited-record.ts, entity-columns.ts, shared-reads.ts, prepared-statements.ts, erasures.ts, erased-person.ts, names-persons.decorator.ts and database.errors.ts. Only the application imports database.module.ts, and only the operator CLI cluster.ts.',
      from: { path: '^src/', pathNot: ['^src/platform/database/', SPEC] },
      to: {
        path: '^src/platform/database/',
        pathNot:
          '^src/platform/database/(database|database-state|deferred-transactions|copy-streams|read-replica|standalone-statements|directory|cluster|database\\.module|database\\.errors|audited-record|entity-columns|shared-reads|prepared-statements|erasures|erased-person|names-persons\\.decorator)\\.ts$',
      },
    },
    {
      name: 'migrations-are-independent',
      severity: 'error',
      comment:
        'A migration records a past state. Write its SQL out and import nothing of src except platform/database.',
      from: { path: '^migrations/' },
      to: { path: '^src/', pathNot: '^src/platform/database/' },
    },
    {
      name: 'src-is-independent',
      severity: 'error',
      comment: 'The service runs without its tests, benchmarks, examples and tools. Move what it needs into src.',
      from: { path: '^(src|migrations)/', pathNot: SPEC },
      to: { path: '^(test|bench|examples|tools)/|\\.spec\\.ts$' },
    },
    {
      name: 'examples-are-callers',
      severity: 'error',
      comment: 'An example shows what any caller can write. It uses HTTP and imports nothing of the service.',
      from: { path: '^examples/' },
      to: { path: '^(src|migrations|test|bench)/' },
    },
    {
      name: 'packages-are-independent',
      severity: 'error',
      comment: 'The service and its clients use the packages. Packages import nothing of them.',
      from: { path: '^packages/', pathNot: ['^packages/pages/', SPEC] },
      to: { path: '^(src|migrations|clients|test|bench|examples|tools)/' },
    },
    {
      name: 'engine-knows-no-framework',
      severity: 'error',
      comment:
        'The engine of tables, SQL, JSON and errors do without a framework. Pass what the service knows: Sql, limits, or an abstract class that the service implements (packages/tables/README.md).',
      from: { path: '^packages/(errors|json|sql|tables)/', pathNot: SPEC },
      to: { path: '(^|node_modules/)(@nestjs/|(express|typeorm|class-validator|class-transformer)(/|$))' },
    },
    {
      name: 'clients-are-callers',
      severity: 'error',
      comment: 'The client and the command line are callers of the API. They import nothing of the service.',
      from: { path: '^clients/' },
      to: { path: '^(src|migrations|test|bench|examples)/' },
    },
    {
      name: 'command-line-uses-the-client',
      severity: 'error',
      comment: 'The command line imports @atrium/client and @atrium/client/node, as any program does.',
      from: { path: '^clients/cli/' },
      to: { path: '^clients/typescript/src/', pathNot: '/(client|file-token-store)\\.ts$' },
    },
    {
      name: 'pages-run-in-browsers',
      severity: 'error',
      comment:
        'The pages import @atrium/client, the rules for files with their reader of workbooks, the sign-in at issuers, and Preact. More packages are a decision: the table browser has at most 50 kB.',
      from: { path: '^packages/pages/src/' },
      to: {
        pathNot: [
          '^packages/pages/src/',
          '^clients/typescript/src/client\\.ts$',
          '^packages/sign-in/src/',
          '^packages/tabular/src/',
          '^packages/tables/src/catalog/request-limits\\.ts$',
          // Also of a linked folder.
          'node_modules/preact/',
        ],
      },
    },
    {
      name: 'e2e-tests-are-black-boxes',
      severity: 'error',
      comment:
        'An end-to-end test calls the built service over HTTP. Write a unit test next to the code for a rule without HTTP.',
      from: { path: '^test/(e2e|support)/' },
      to: { path: '^(src|migrations)/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: `Files of a cycle cannot be understood or tested separately. Move what both need into a third file. ${upward}`,
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-cycles',
      severity: 'error',
      comment: `The folders of platform, of workspace-tables and of the engine import each other in one direction only. Move the file to the folder that needs it. ${upward}`,
      scope: 'folder',
      from: { path: '^(src/(platform|modules/workspace-tables)|packages/tables/src)/' },
      to: { circular: true },
    },
    {
      name: 'no-barrels',
      severity: 'error',
      comment: 'No index.ts. Import a name from the file that defines it.',
      from: {},
      to: { path: '(^|/)index\\.ts$', pathNot: 'node_modules' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'No entry point reaches this file. Import it, or delete it.',
      from: { path: ENTRY_POINTS },
      // TypeScript reads declarations of packages without an import, TypeORM entities by their name, and tools definitions
      // of errors and limits.
      to: {
        path: '^(src|migrations|packages/(errors|json|sql|tables)/src)/',
        pathNot: [ENTRY_POINTS, SPEC, '\\.d\\.ts$', '\\.(entity|errors)\\.ts$', 'limit-catalog\\.ts$'],
        reachable: false,
      },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      comment: 'This import cannot be resolved. Relative imports end in `.js`; packages are listed in package.json.',
      from: {},
      to: { couldNotResolve: true, pathNot: '(^|/)dist/' },
    },
    {
      name: 'declared-packages',
      severity: 'error',
      comment: 'The package is only a transitive dependency. Add it to package.json with a reason, or do without it.',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'service-uses-no-tools',
      severity: 'error',
      comment:
        'The service does without the packages that build, check and test it: a production install does not contain them.',
      from: { path: '^(src|migrations)/', pathNot: SPEC },
      to: { path: `^node_modules/(${TOOLS.join('|')})/`, dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: join(__dirname, 'tsconfig.json') },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^dist/', '^test/generated-clients/', '^clients/[^/]+/dist/'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
