/**
 * Adds a module by the steps of docs/how-to/extending.md, with other names:
 *
 *     npm run generate -- module inspections
 *     npm run generate -- module work-orders
 *     npm run generate -- module criteria --singular criterion
 *
 * Adds a migration with a column of a fixed table (docs/how-to/adding-a-field.md):
 *
 *     npm run generate -- column projects.cost_center text
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createNames, renameModule } from './names.mjs';
import { applyStep, readSteps } from './steps.mjs';

const ROOT = process.cwd();
const REGISTRY = 'migrations/migrations.ts';
const USAGE = `Usage: npm run generate -- module NAME [--singular NAME]     for example: module work-orders
       npm run generate -- column TABLE.COLUMN TYPE          for example: column projects.cost_center text`;

class UsageError extends Error {}

async function generate() {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { singular: { type: 'string' } } });
  const [kind, name, ...others] = positionals;
  if (kind === 'module' && name && others.length === 0) return generateModule(name, values.singular);
  if (kind === 'column' && name && others.length > 0) return generateColumn(name, others.join(' '));
  throw new UsageError(USAGE);
}

async function generateModule(many, one) {
  const names = createNames(many, one);
  if (!names) {
    throw new UsageError(
      `"${many}" is not a plural in lowercase letters and hyphens. Add --singular NAME for irregular plurals.`,
    );
  }
  if (existsSync(join(ROOT, 'src/modules', names.many)))
    throw new UsageError(`src/modules/${names.many} already exists.`);
  await applySteps(readGuide().map((step) => renameStep(step, names)));
  process.stdout.write(`Replace the fields "title" and "steps" by yours. Then run:

  npm run -s openapi
  npx jest test/e2e/${names.many} test/architecture
`);
}

async function generateColumn(name, type) {
  const [, table, column] = /^([a-z][a-z0-9_]*)\.([a-z][a-z0-9_]*)$/.exec(name) ?? [];
  if (!table) throw new UsageError(`"${name}" is not a table and a column in lowercase letters: projects.cost_center`);
  if (/\bNOT NULL\b/i.test(type) && !/\bDEFAULT\b/i.test(type))
    throw new UsageError(
      'A column that is NOT NULL needs a DEFAULT: instances of the former version insert rows without it.',
    );
  const timestamp = String(Date.now());
  const words = `${table}_${column}`.split('_');
  const className = words.map((word) => word[0].toUpperCase() + word.slice(1)).join('') + timestamp;
  const file = `${timestamp}-${words.join('-')}`;
  const registration = readGuide().filter((step) => step.file === REGISTRY);
  await applySteps([
    { file: `migrations/${file}.ts`, text: renderColumn(className, table, column, type) },
    { ...registration[0], text: `import { ${className} } from './${file}.js';` },
    { ...registration[1], text: `${className},` },
  ]);
}

function renderColumn(className, table, column, type) {
  return `import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ${className} implements MigrationInterface {
  name = '${className}';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(${JSON.stringify(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`)});
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ${table} DROP COLUMN ${column}');
  }
}
`;
}

function readGuide() {
  return readSteps(readFileSync(join(ROOT, 'docs/how-to/extending.md'), 'utf8'));
}

/** Prints the files that it writes. */
async function applySteps(steps) {
  const files = [];
  for (const step of steps) files.push(await applyStep(ROOT, step));
  process.stdout.write(`${[...new Set(files)].map((file) => `  ${file}`).join('\n')}\n\n`);
}

function renameStep(step, names) {
  return Object.fromEntries(Object.entries(step).map(([key, text]) => [key, text && renameModule(text, names)]));
}

await generate().catch((error) => {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
});
