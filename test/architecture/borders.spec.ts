import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/service.js';

const CONFIG = join(ROOT, '.dependency-cruiser.cjs');
const DEPCRUISE = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

const { forbidden } = createRequire(CONFIG)(CONFIG) as { forbidden: { name: string; comment: string }[] };

interface Violation {
  rule: { name: string };
  from: string;
}

/** What the rules find below the directory. */
function cruise(directory: string): Promise<Violation[]> {
  const args = [DEPCRUISE, '--config', CONFIG, '--output-type', 'json', '{src,migrations,examples,bench,test}'];
  return new Promise((done, failed) => {
    execFile(process.execPath, args, { cwd: directory, maxBuffer: 2 ** 26 }, (_, stdout, stderr) => {
      // A violation is no failure of the program: its exit code counts them.
      if (stdout === '') failed(new Error(stderr));
      else done((JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations);
    });
  });
}

/** Files that break one rule each: what the file imports, and the rule that must say so. */
const WRONG: [file: string, imported: string, rule: string][] = [
  ['src/platform/health/health.ts', '../../modules/tours/tours.service.js', 'platform-knows-no-feature'],
  ['src/modules/tours/boot.ts', '../../app.module.js', 'modules-know-no-app'],
  ['src/modules/workspaces/a.ts', '../users/users.service.js', 'arrows-of-workspaces'],
  ['src/modules/audit/a.ts', '../users/users.service.js', 'arrows-of-audit'],
  ['src/modules/users/a.ts', '../sessions/sessions.service.js', 'arrows-of-users'],
  ['src/modules/sessions/a.ts', '../auth/clients.service.js', 'arrows-of-sessions'],
  ['src/modules/auth/a.ts', '../tours/tours.service.js', 'arrows-of-auth'],
  ['src/modules/workspace-tables/a.ts', '../tours/tours.service.js', 'arrows-of-workspace-tables'],
  ['src/modules/legacy-webhook/a.ts', '../tours/tours.service.js', 'arrows-of-legacy-webhook'],
  ['src/modules/projects/a.ts', '../tours/tours.service.js', 'arrows-of-projects'],
  ['src/modules/tours/a.ts', '../users/users.service.js', 'arrows-of-tours'],
  ['src/modules/notes/a.ts', '../users/users.service.js', 'arrows-of-notes'],
  ['src/modules/attachments/a.ts', '../tours/tours.service.js', 'arrows-of-attachments'],
  ['src/modules/analytics/a.ts', '../users/users.service.js', 'arrows-of-analytics'],
  ['src/modules/virtual-staging/a.ts', '../users/users.service.js', 'arrows-of-virtual-staging'],
  ['src/modules/demo/a.ts', '../tours/tours.service.js', 'arrows-of-demo'],
  ['src/modules/unheard-of/a.ts', '../tours/tours.service.js', 'arrows-of-new-modules'],
  ['src/modules/tours/b.ts', '../projects/project.entity.js', 'modules-have-doors'],
  ['src/app.module.ts', './modules/projects/project.entity.js', 'app-uses-doors'],
  ['src/service.ts', './operator/output.js', 'nothing-imports-the-operator'],
  ['src/modules/tours/c.ts', '../../platform/database/data-source.js', 'one-door-to-the-database'],
  ['migrations/1-tours.ts', '../src/modules/tours/tours.service.js', 'migrations-remember'],
  ['src/modules/tours/d.ts', '../../../test/support/api.js', 'src-stands-alone'],
  ['examples/push.ts', '../src/modules/tours/tours.service.js', 'examples-are-callers'],
  ['test/e2e/tours.e2e-spec.ts', '../../src/modules/tours/tours.service.js', 'journeys-are-black-boxes'],
  ['src/modules/tours/e.ts', './e.js', 'no-cycles'],
  ['src/modules/tours/f.ts', './index.js', 'no-barrels'],
  ['src/modules/tours/lonely.ts', 'node:fs', 'no-orphans'],
  ['src/modules/tours/g.ts', './nowhere.js', 'no-unresolvable'],
  ['src/modules/tours/h.ts', 'undeclared', 'declared-packages'],
  ['src/modules/tours/i.ts', 'jest', 'no-dev-dependencies'],
];

/** What the wrong files import, and does no wrong itself. */
const INNOCENT = [
  'src/main.ts',
  'src/modules/auth/clients.service.ts',
  'src/modules/projects/project.entity.ts',
  'src/modules/sessions/sessions.service.ts',
  'src/modules/tours/index.ts',
  'src/modules/tours/tours.service.ts',
  'src/modules/users/users.service.ts',
  'src/operator/output.ts',
  'src/platform/database/data-source.ts',
  'test/support/api.ts',
];

describe('borders', () => {
  it('hold', async () => {
    expect(await cruise(ROOT)).toEqual([]);
  });

  it('say what to write instead', () => {
    for (const { comment } of forbidden) expect(comment.length).toBeGreaterThan(40);
  });
});

describe('a house that breaks every rule', () => {
  let violations: Violation[];
  const house = mkdtempSync(join(tmpdir(), 'atrium-borders-'));

  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(house, file)), { recursive: true });
    writeFileSync(join(house, file), text);
  };

  beforeAll(async () => {
    for (const file of INNOCENT) write(file, 'export {};\n');
    for (const [file, imported] of WRONG) write(file, `import '${imported}';\n`);
    write('package.json', JSON.stringify({ devDependencies: { jest: '*' } }));
    for (const name of ['jest', 'undeclared']) {
      write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'main.js' }));
      write(`node_modules/${name}/main.js`, '');
    }
    violations = await cruise(house);
  });

  afterAll(() => rmSync(house, { recursive: true, force: true }));

  it.each(WRONG)('%s imports %s: %s', (file, _, rule) => {
    expect(violations.filter(({ from }) => from === file).map((violation) => violation.rule.name)).toContain(rule);
  });

  it('breaks every rule there is', () => {
    expect(new Set(WRONG.map(([, , rule]) => rule))).toEqual(new Set(forbidden.map(({ name }) => name)));
  });
});
