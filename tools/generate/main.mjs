/**
 * Adds a module by the steps of docs/how-to/extending.md, with other names:
 *
 *     npm run generate -- module inspections
 *     npm run generate -- module work-orders
 *     npm run generate -- module criteria --singular criterion
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createNames, renameModule } from './names.mjs';
import { applyStep, readSteps } from './steps.mjs';

const ROOT = process.cwd();
const USAGE =
  'Usage: npm run generate -- module NAME [--singular NAME], for example: npm run generate -- module work-orders';

class UsageError extends Error {}

async function generate() {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { singular: { type: 'string' } } });
  const [kind, many, ...others] = positionals;
  if (kind !== 'module' || !many || others.length > 0) throw new UsageError(USAGE);
  const names = createNames(many, values.singular);
  if (!names) {
    throw new UsageError(
      `"${many}" is not a plural in lowercase letters and hyphens. Add --singular NAME for irregular plurals.`,
    );
  }
  if (existsSync(join(ROOT, 'src/modules', names.many)))
    throw new UsageError(`src/modules/${names.many} already exists.`);
  const guide = readFileSync(join(ROOT, 'docs/how-to/extending.md'), 'utf8');
  const files = [];
  for (const step of readSteps(guide)) files.push(await applyStep(ROOT, renameStep(step, names)));
  process.stdout.write(`${[...new Set(files)].map((file) => `  ${file}`).join('\n')}\n\n`);
  process.stdout.write(`Replace the fields "title" and "steps" by yours. Then run:

  npm run -s openapi
  npx jest test/e2e/${names.many} test/architecture
`);
}

function renameStep(step, names) {
  return Object.fromEntries(Object.entries(step).map(([key, text]) => [key, text && renameModule(text, names)]));
}

await generate().catch((error) => {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
});
