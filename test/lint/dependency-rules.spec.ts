import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/service.js';

const CONFIG = join(ROOT, '.dependency-cruiser.cjs');
const DEPCRUISE = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

const { forbidden } = createRequire(CONFIG)(CONFIG) as {
  forbidden: { name: string; comment: string; from: { path?: string } }[];
};

interface Violation {
  rule: { name: string };
  from: string;
}

/** Returns the violations in a directory. */
function cruise(directory: string): Promise<Violation[]> {
  const args = [
    DEPCRUISE,
    '--config',
    CONFIG,
    '--output-type',
    'json',
    '{packages,src,migrations,clients,examples,bench,test}',
  ];
  return new Promise((done, failed) => {
    execFile(process.execPath, args, { cwd: directory, maxBuffer: 2 ** 26 }, (_, stdout, stderr) => {
      // The exit code is the number of violations.
      if (stdout === '') failed(new Error(stderr));
      else done((JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations);
    });
  });
}

/** The folders that may import only the siblings that their rule lists, such as `^src/modules/tours/`. */
const FOLDERS = forbidden.flatMap(({ name, from }) => {
  const [, folder] = /^\^([\w/-]+)\/$/.exec(from.path ?? '') ?? [];
  return folder?.endsWith(`/${name.replace(/^\w+-/, '')}`) ? [{ name, folder }] : [];
});

/** Files with one forbidden import, and the rule that must report it. */
const FORBIDDEN: [file: string, imported: string, rule: string][] = [
  ...FOLDERS.map(({ name, folder }): [string, string, string] => [
    `${folder}/importer.ts`,
    '../unlisted/unlisted.service.js',
    name,
  ]),
  ['src/platform/health/a.ts', '../../modules/tours/tours.service.js', 'platform-knows-no-feature'],
  ['src/records/a.ts', '../modules/tours/tours.service.js', 'records-import-platform'],
  ['src/embedded-postgres/a.ts', '../platform/config/config.js', 'embedded-postgres-is-independent'],
  ['src/modules/tours/a.ts', '../../app.module.js', 'modules-know-no-app'],
  ['src/modules/unlisted/a.ts', '../tours/tours.service.js', 'module-unlisted'],
  ['src/modules/tours/b.ts', '../projects/project.entity.js', 'module-public-api'],
  ['src/app.module.ts', './modules/projects/project.entity.js', 'app-uses-public-api'],
  ['src/platform/http/a.ts', '../../api-docs/openapi.js', 'only-the-application-imports-api-docs'],
  ['src/api-docs/a.ts', '../pages/start-page.js', 'only-the-application-imports-pages'],
  ['src/service.ts', './operator/output.js', 'nothing-imports-the-operator'],
  ['src/modules/tours/c.ts', '../../platform/database/data-source.js', 'database-access'],
  ['migrations/1-tours.ts', '../src/modules/tours/tours.service.js', 'migrations-are-independent'],
  ['src/modules/tours/d.ts', '../../../test/support/api.js', 'src-is-independent'],
  ['examples/push.ts', '../src/modules/tours/tours.service.js', 'examples-are-callers'],
  ['test/e2e/tours.e2e-spec.ts', '../../src/modules/tours/tours.service.js', 'e2e-tests-are-black-boxes'],
  ['src/modules/tours/e.ts', './e.js', 'no-cycles'],
  ['src/modules/tours/f.ts', './index.js', 'no-barrels'],
  ['src/modules/tours/orphan.ts', 'node:fs', 'no-orphans'],
  ['src/modules/tours/g.ts', './missing.js', 'no-unresolvable'],
  ['src/modules/tours/h.ts', 'undeclared', 'declared-packages'],
  ['src/modules/tours/i.ts', 'jest', 'service-uses-no-tools'],
  ['clients/typescript/src/a.ts', '../../../src/modules/tours/tours.service.js', 'clients-are-callers'],
  ['clients/cli/src/a.ts', '../../typescript/src/transport.js', 'command-line-uses-the-client'],
  ['packages/pages/src/a.ts', '../../../clients/typescript/src/transport.js', 'pages-run-in-browsers'],
  ['packages/tabular/src/a.ts', '../../../src/modules/tours/tours.service.js', 'packages-are-independent'],
  ['packages/tables/src/writer/a.ts', '@nestjs/common', 'engine-knows-no-framework'],
];

/** Two folders that import each other in different files. */
const FOLDER_CYCLE: [file: string, imported: string][] = [
  ['src/platform/overload/cycle-a.ts', '../health/cycle-b.js'],
  ['src/platform/health/cycle-c.ts', '../overload/cycle-d.js'],
];

describe('the dependency rules', () => {
  it('limit the imports of the folders of platform, of the modules, and of workspace-tables', () => {
    const kinds = FOLDERS.map(({ name }) => name.split('-')[0]);
    for (const kind of ['platform', 'module', 'tables'])
      expect(kinds.filter((each) => each === kind).length).toBeGreaterThan(10);
  });

  it('every dependency rule states what to write instead', () => {
    for (const { comment } of forbidden) expect(comment.length).toBeGreaterThan(40);
  });
});

describe('dependency-cruiser', () => {
  let violations: Violation[];
  const directory = mkdtempSync(join(tmpdir(), 'atrium-dependencies-'));

  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  };

  beforeAll(async () => {
    const imports = [...FORBIDDEN.map(([file, imported]) => [file, imported] as const), ...FOLDER_CYCLE];
    for (const [file, imported] of imports) {
      if (imported.startsWith('.') && imported !== './missing.js')
        write(join(dirname(file), imported).replace(/\.js$/, '.ts'), 'export {};\n');
    }
    for (const [file, imported] of imports) write(file, `import '${imported}';\n`);
    write('src/main.ts', 'export {};\n');
    write('package.json', JSON.stringify({ devDependencies: { jest: '*' } }));
    for (const name of ['jest', 'undeclared']) {
      write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'main.js' }));
      write(`node_modules/${name}/main.js`, '');
    }
    violations = await cruise(directory);
  });

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const findRules = (from: string) =>
    violations.filter((violation) => violation.from === from).map(({ rule }) => rule.name);

  it.each(FORBIDDEN)('rejects that %s imports %s (%s)', (file, _, rule) => {
    expect(findRules(file)).toContain(rule);
  });

  it('rejects a cycle of folders without a cycle of files (no-folder-cycles)', () => {
    expect(findRules('src/platform/overload')).toContain('no-folder-cycles');
    for (const [file] of FOLDER_CYCLE) expect(findRules(file)).not.toContain('no-cycles');
  });

  it('every dependency rule has a sample', () => {
    const samples = new Set([...FORBIDDEN.map(([, , rule]) => rule), 'no-folder-cycles']);
    expect(samples).toEqual(new Set(forbidden.map(({ name }) => name)));
  });
});
