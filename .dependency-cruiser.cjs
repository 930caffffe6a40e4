/**
 * The arrows of the house, executed: `app → modules → platform`, modules entered by their doors alone, no cycles.
 * Each rule's comment says what to write instead; `npm run lint` prints it.
 */
const { join } = require('node:path');

/**
 * Which modules a module may enter. A module that is not named here enters none: a new arrow is a decision, and is
 * drawn here first. Arrows point down; two modules that need one another are one too many arrows, see `upward`.
 */
const ARROWS = {
  workspaces: ['audit'],
  audit: [],
  users: ['audit', 'workspaces'],
  sessions: ['audit', 'users'],
  auth: ['audit', 'sessions', 'users', 'workspaces'],
  'workspace-tables': ['workspaces'],
  'legacy-webhook': ['audit', 'workspace-tables'],
  projects: ['workspaces'],
  tours: ['projects', 'workspace-tables', 'workspaces'],
  attachments: [],
  notes: ['workspace-tables', 'tours', 'projects', 'attachments', 'workspaces'],
  'virtual-staging': ['tours', 'attachments'],
  analytics: ['notes', 'tours', 'virtual-staging', 'projects', 'workspace-tables', 'workspaces'],
  demo: ['auth', 'projects', 'users', 'workspaces'],
};

/** Abstract classes that a lower module declares for higher ones to register: the way upward. */
const DECLARED = [
  'workspaces/workspace-provisioner',
  'users/user-access',
  'workspace-tables/catalog/table-referrer',
  'workspace-tables/rows/row-referrer',
];

const upward =
  'Where the lower must reach the higher, the lower declares an abstract class and the higher registers one (see workspaces/workspace-provisioner.ts).';

/**
 * The doors of a module: the module itself, its services, and what it declares for others. The errors its services
 * throw are doors too: they are part of what a service promises (`@throws`), so whoever calls it may catch one, or
 * refuse early with the very same one, as auth does for a refresh token that it cannot read.
 */
const DOORS = `(\\.(module|service|errors)|/modules/(${DECLARED.join('|')}))\\.ts$`;

/** What is started: the service, the writer of openapi.json, the operator's command line. */
const STARTED = '^src/(main|openapi|operator/main)\\.ts$';

const SPEC = '\\.spec\\.ts$';

const arrows = Object.entries(ARROWS).map(([module, targets]) => ({
  name: `arrows-of-${module}`,
  severity: 'error',
  comment:
    `${module} enters ${targets.length > 0 ? `${targets.join(', ')} alone` : 'no other module'}. ${upward} ` +
    'A new arrow is drawn in ARROWS of .dependency-cruiser.cjs first.',
  from: { path: `^src/modules/${module}/` },
  to: { path: '^src/modules/', pathNot: `^src/modules/(${[module, ...targets].join('|')})/` },
}));

module.exports = {
  forbidden: [
    {
      name: 'platform-knows-no-feature',
      severity: 'error',
      comment:
        'Platform stands under every feature. Declare an abstract class in platform and let the module provide it, as security/authenticator.ts and auth do.',
      from: { path: '^src/platform/' },
      to: { path: '^(src/(?!platform/)|migrations/)' },
    },
    {
      name: 'modules-know-no-app',
      severity: 'error',
      comment:
        'A module stands on platform and other modules, and does not know who starts it. Take what is needed by injection.',
      from: { path: '^src/modules/' },
      to: { path: '^(src/(?!modules/|platform/)|migrations/)' },
    },
    ...arrows,
    {
      name: 'arrows-of-new-modules',
      severity: 'error',
      comment:
        'This module enters another without an arrow. Draw it in ARROWS of .dependency-cruiser.cjs, downward, and say why in the commit.',
      from: { path: '^src/modules/([^/]+)/', pathNot: `^src/modules/(${Object.keys(ARROWS).join('|')})/` },
      to: { path: '^src/modules/', pathNot: '^src/modules/$1/' },
    },
    {
      name: 'modules-have-doors',
      severity: 'error',
      comment:
        'Enter a module through its *.module.ts, its *.service.ts or the *.errors.ts those throw, never through its entity, repository or DTO. Give its service a method that answers what you need, or say your own shape of the data.',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/', pathNot: ['^src/modules/$1/', DOORS] },
    },
    {
      name: 'app-uses-doors',
      severity: 'error',
      comment:
        "What starts the service and what operates it use a module's *.module.ts and *.service.ts. Put what is missing into the service.",
      from: { path: '^src/(?!modules/|platform/)' },
      to: { path: '^src/modules/', pathNot: '\\.(module|service)\\.ts$' },
    },
    {
      name: 'nothing-imports-the-operator',
      severity: 'error',
      comment: 'The command line is thin calls on services. What another needs of it belongs into a service.',
      from: { path: '^src/(?!operator/)' },
      to: { path: '^src/operator/' },
    },
    {
      name: 'one-door-to-the-database',
      severity: 'error',
      comment:
        'Reach the database through Database (database.ts), Directory (directory.ts), page-records.ts, audited-record.ts, sql-literal.ts and database.errors.ts. How it is opened and run is for platform/database alone; the app imports database.module.ts.',
      from: { path: '^src/', pathNot: ['^src/platform/database/', SPEC] },
      to: {
        path: '^src/platform/database/',
        pathNot:
          '^src/platform/database/(database|directory|database\\.module|database\\.errors|page-records|audited-record|sql-literal)\\.ts$',
      },
    },
    {
      name: 'migrations-remember',
      severity: 'error',
      comment:
        'A migration says what was, while the code moves on: write its SQL out and import nothing of src but platform/database.',
      from: { path: '^migrations/' },
      to: { path: '^src/', pathNot: '^src/platform/database/' },
    },
    {
      name: 'src-stands-alone',
      severity: 'error',
      comment: 'The service runs without its tests, benchmarks, examples and tools. Move what it needs into src.',
      from: { path: '^(src|migrations)/', pathNot: SPEC },
      to: { path: '^(test|bench|examples|tools)/|\\.spec\\.ts$' },
    },
    {
      name: 'examples-are-callers',
      severity: 'error',
      comment: 'An example shows what any caller can write: it speaks HTTP and imports nothing of the service.',
      from: { path: '^examples/' },
      to: { path: '^(src|migrations|test|bench)/' },
    },
    {
      name: 'journeys-are-black-boxes',
      severity: 'error',
      comment: 'A journey drives the built service over HTTP. A rule that needs no HTTP gets a spec beside its code.',
      from: { path: '^test/(journeys|support)/' },
      to: { path: '^(src|migrations)/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: `Files that import one another cannot be understood or tested apart. Move what both need into a third file. ${upward}`,
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-barrels',
      severity: 'error',
      comment:
        'No index.ts: whoever needs a name imports it from the file that defines it, so that every arrow can be seen.',
      from: {},
      to: { path: '(^|/)index\\.ts$', pathNot: 'node_modules' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'Nothing that is started leads to this file. Import it, or delete it.',
      from: { path: STARTED },
      to: { path: '^(src|migrations)/', pathNot: [STARTED, SPEC], reachable: false },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      comment: 'This import leads nowhere. Relative imports end in `.js`; a package stands in package.json.',
      from: {},
      to: { couldNotResolve: true, pathNot: '(^|/)dist/' },
    },
    {
      name: 'declared-packages',
      severity: 'error',
      comment: 'The package comes along with another by chance. Add it to package.json, with a reason, or do without.',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-dev-dependencies',
      severity: 'error',
      comment:
        'The service must run where only `dependencies` are installed: move the package there, or import its types alone.',
      from: { path: '^(src|migrations)/', pathNot: SPEC },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: join(__dirname, 'tsconfig.json') },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
