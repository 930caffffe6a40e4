/**
 * Checks the files that a commit would change. First what takes seconds: language, format, dependencies; then types,
 * lint, the OpenAPI document, the codes of errors, the tests next to the files, and those of the architecture. Two
 * steps run at a time.
 *
 *     npm run check:changes                     since the last commit
 *     npm run check:changes -- origin/main      since another commit
 *
 * Exit code 1 if a step fails; its output is printed when it ends.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isNightly } from '../test/support/suites.mjs';

const CODE = /\.(ts|tsx|mjs|cjs|js)$/;
/** Files from which the OpenAPI document is built. */
const DOCUMENTED = /^src\/.*(\.(controller|dto|errors|decorator|entity)\.ts$|\/api-docs\/)/;

const since = process.argv[2] ?? 'HEAD';
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\0').filter(Boolean);

/**
 * The specs with the name of a changed or deleted file, those of its folder that import it, changed suites, and the
 * architecture tests, whose rules concern files of all kinds.
 */
function listSuites(changed) {
  const isSpec = (file) => /\.(spec|e2e-spec)\.ts$/.test(file) && !file.endsWith('.fixture.spec.ts');
  const neighbors = changed
    .filter((file) => /^(clients|packages|src)\/.*\.tsx?$/.test(file) && existsSync(dirname(file)))
    .flatMap((file) => {
      const module = basename(file).replace(/(\.spec)?\.tsx?$/, '');
      return readdirSync(dirname(file))
        .filter(isSpec)
        .map((spec) => join(dirname(file), spec))
        .filter(
          (spec) => spec.endsWith(`/${module}.spec.ts`) || readFileSync(spec, 'utf8').includes(`'./${module}.js'`),
        );
    });
  const rules = readdirSync('test/architecture').map((name) => `test/architecture/${name}`);
  const suites = [...changed, ...neighbors, ...rules.filter((suite) => !isNightly(suite))].filter(isSpec);
  return [...new Set(suites)].filter((suite) => existsSync(suite));
}

/** Titles and commands: scripts of the repository, or programs of node_modules. */
function listSteps(changed) {
  const present = changed.filter((file) => existsSync(file));
  const code = present.filter((file) => CODE.test(file));
  const suites = listSuites(changed);
  const cached = ['--cache', '--cache-location', 'node_modules/.cache/eslint/', '--cache-strategy', 'content'];
  // As lint:texts, which does not read the configuration files of the root folder.
  const texts = present.filter((file) => file.includes('/') || file.endsWith('.md'));
  return [
    texts.length > 0 && ['language', [['tools/check-language.mjs', ...texts]]],
    present.length > 0 && ['format', [['prettier', '--check', '--log-level', 'warn', '--ignore-unknown', ...present]]],
    code.length > 0 && [
      'dependencies of the files',
      [['depcruise', '--config', '.dependency-cruiser.cjs', '--max-depth', '1', '--output-type', 'err-long', ...code]],
    ],
    changed.some((file) => CODE.test(file)) && ['types', [['clients/typescript/generate-types.mjs'], ['oxlint']]],
    code.length > 0 && ['lint', [['eslint', ...cached, '--no-warn-ignored', ...code]]],
    changed.some((file) => DOCUMENTED.test(file)) && [
      'openapi.json and codes of errors',
      [['tools/build.mjs'], ['dist/src/openapi.js', '--check'], ['tools/errors/main.mjs', '--check']],
    ],
    [`tests of ${suites.length} suites`, [['jest', '--maxWorkers=1', '--runTestsByPath', ...suites]]],
  ].filter(Boolean);
}

/** Prints the output of a command that fails, and sets the exit code. */
async function execute(title, commands) {
  const startedAt = Date.now();
  process.stdout.write(`started          ${title}\n`);
  let failure = '';
  try {
    for (const [program, ...args] of commands) {
      const path = program.includes('/') ? program : `node_modules/.bin/${program}`;
      await promisify(execFile)(process.execPath, [path, ...args], { maxBuffer: Infinity });
    }
  } catch ({ stdout, stderr }) {
    failure = `${stdout}${stderr}\n`;
    process.exitCode = 1;
  }
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${failure ? 'FAILED' : 'passed'}  ${seconds.padStart(5)} s  ${title}\n${failure}`);
}

const changed = [
  ...new Set([
    ...git('diff', '--name-only', '-z', '--no-renames', since),
    ...git('ls-files', '-z', '--others', '--exclude-standard'),
  ]),
];
if (changed.length === 0)
  process.stdout.write(
    `Nothing has changed since ${since}. To compare with a commit: npm run check:changes -- COMMIT\n`,
  );
else {
  const steps = listSteps(changed);
  const work = async () => {
    for (let step = steps.shift(); step; step = steps.shift()) await execute(...step);
  };
  await Promise.all([work(), work()]);
}
