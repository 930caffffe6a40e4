/**
 * Checks the files that a commit would change: types, lint, language, dependencies, format, and the tests next to them.
 *
 *     npm run check:changes                     since the last commit
 *     npm run check:changes -- origin/main      since another commit
 *
 * Two steps run at a time. Exit code 1 if one fails; its output is printed when it ends.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const CACHE = 'node_modules/.cache';
const CODE = /\.(ts|tsx|mjs|cjs|js)$/;

/** The suites of test/architecture that concern a change. */
const RULES = [
  {
    files: /\.(controller|dto|errors|decorator)\.ts$/,
    suites: ['access-policies', 'interface', 'openapi-document', 'roles', 'routes'],
  },
  { files: /\.entity\.ts$|^migrations\//, suites: ['migrations', 'row-references', 'table-owners'] },
  { files: /\.repository\.ts$/, suites: ['table-owners'] },
  { files: /^src\/platform\//, suites: ['platform-features', 'settings'] },
  { files: /\.md$/, suites: ['adr', 'documents'] },
  { files: /^test\/.*\.(spec|e2e-spec)\.ts$|^test\/support\/.*\.json$/, suites: ['suites'] },
];

const since = process.argv[2] ?? 'HEAD';
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\0').filter(Boolean);
const changed = [
  ...new Set([
    ...git('diff', '--name-only', '-z', '--diff-filter=d', since),
    ...git('ls-files', '-z', '--others', '--exclude-standard'),
  ]),
];

/** The specs with the name of a changed file, those of its folder that import it, changed suites, and rules. */
function listSuites() {
  const suites = changed.filter((file) => /\.(spec|e2e-spec)\.ts$/.test(file) && !file.endsWith('.fixture.spec.ts'));
  for (const file of changed.filter((name) => /^(clients|packages|src)\/.*\.tsx?$/.test(name))) {
    const folder = dirname(file);
    const module = basename(file).replace(/(\.spec)?\.tsx?$/, '');
    const specs = readdirSync(folder).filter((name) => name.endsWith('.spec.ts') && !name.endsWith('.fixture.spec.ts'));
    const imports = (spec) => readFileSync(join(folder, spec), 'utf8').includes(`'./${module}.js'`);
    suites.push(
      ...specs.filter((spec) => spec === `${module}.spec.ts` || imports(spec)).map((spec) => join(folder, spec)),
    );
  }
  for (const rule of RULES) {
    if (changed.some((file) => rule.files.test(file)))
      suites.push(...rule.suites.map((suite) => `test/architecture/${suite}.spec.ts`));
  }
  return [...new Set(suites)].filter((suite) => existsSync(suite));
}

/** Runs a program of node_modules or a script of tools. @returns whether it succeeded. */
async function execute(title, commands) {
  const startedAt = Date.now();
  let output = '';
  let code = 0;
  for (const [program, ...args] of commands) {
    const path =
      program.startsWith('tools/') || program.startsWith('clients/') ? program : `node_modules/.bin/${program}`;
    const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) break;
  }
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'}  ${seconds.padStart(5)} s  ${title}\n`);
  if (code !== 0) process.stdout.write(`${output}\n`);
  return code === 0;
}

/** The longest steps are first. */
function listSteps() {
  const code = changed.filter((file) => CODE.test(file));
  const suites = listSuites();
  const steps = [];
  if (code.length > 0) {
    const cached = ['--cache', '--cache-location', `${CACHE}/eslint/`, '--cache-strategy', 'content'];
    const cruise = [
      '--cache',
      `${CACHE}/dependency-cruiser`,
      '--cache-strategy',
      'content',
      '--output-type',
      'err-long',
    ];
    const folders = ['packages', 'src', 'migrations', 'clients', 'examples', 'bench', 'test'];
    const types = [['clients/typescript/generate-types.mjs'], ['tsc', '-p', 'test/tsconfig.json', '--noEmit']];
    if (changed.some((file) => file.startsWith('clients/tables/')))
      types.push(['tsc', '-p', 'clients/tables/tsconfig.json']);
    steps.push(['types', types], ['lint', [['eslint', ...cached, '--no-warn-ignored', ...code]]]);
    steps.push(['dependencies', [['depcruise', '--config', '.dependency-cruiser.cjs', ...cruise, ...folders]]]);
  }
  if (suites.length > 0)
    steps.splice(1, 0, [
      `tests of ${suites.length} suites`,
      [['jest', '--maxWorkers=1', '--runTestsByPath', ...suites]],
    ]);
  steps.push(['language', [['tools/check-language.mjs', ...changed]]]);
  steps.push(['format', [['prettier', '--check', '--log-level', 'warn', '--ignore-unknown', ...changed]]]);
  return steps;
}

async function check() {
  if (changed.length === 0) {
    process.stdout.write(
      'Nothing has changed since the last commit. To compare with another one: npm run check:changes -- COMMIT\n',
    );
    return true;
  }
  const steps = listSteps();
  let succeeded = true;
  const work = async () => {
    for (let step = steps.shift(); step; step = steps.shift()) succeeded = (await execute(...step)) && succeeded;
  };
  await Promise.all([work(), work()]);
  return succeeded;
}

process.exitCode = (await check()) ? 0 : 1;
