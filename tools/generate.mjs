/**
 * Adds a module by the steps of docs/how-to/extending.md with other names, or a migration with a column: `--help`.
 * Templates would be a second description of a module.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { format, resolveConfig } from 'prettier';

const GUIDE = 'docs/how-to/extending.md';

/** The module of the guide. Its name has two words, so that each form of the name occurs only in its own context. */
const EXAMPLE = { one: ['work', 'order'], many: ['work', 'orders'] };
const TIMESTAMP = '1763800000000';

const capitalize = (text) => text[0].toUpperCase() + text.slice(1);
const toPascal = (words) => words.map(capitalize).join('');
const FORMS = [
  (words) => words.join('-'),
  (words) => words.join('_'),
  (words) => words.join(' '),
  (words) => capitalize(words.join(' ')),
  toPascal,
  (words) => words[0] + toPascal(words.slice(1)),
];

async function generateModule(many, { singular: one = findSingular(many) }) {
  const isName = (name) => /^[a-z]+(-[a-z0-9]+)*$/.test(name ?? '');
  if (!isName(many) || !isName(one) || many === one)
    program.error(
      `"${many}" is not a plural in lowercase letters and hyphens whose singular is certain. Add --singular NAME.`,
    );
  if (existsSync(`src/modules/${many}`)) program.error(`src/modules/${many} already exists.`);
  const rename = createRenaming({ one: one.split('-'), many: many.split('-') });
  await applySteps(readSteps().map(({ file, anchor, text }) => ({ file: rename(file), anchor, text: rename(text) })));
  process.stdout.write(`The singular of ${many} is ${one}; --singular NAME chooses another one.

Replace the fields title, priority, dueDate and steps by yours: all files that name them are in
${GUIDE}#replace-the-fields. Then run:

  npx prettier --write src/modules/${many} test/e2e/${many}.e2e-spec.ts migrations
  npm run -s openapi           # writes openapi.json and the types of the client
  npm run -s check:changes     # format, types, lint, rules, and the tests of the module
`);
}

function findSingular(many) {
  if (many.endsWith('ies')) return `${many.slice(0, -3)}y`;
  if (/(ss|x|ch|sh)es$/.test(many)) return many.slice(0, -2);
  // The singular may end with "s", "se" or "sis": statuses, cases, analyses.
  if (many.endsWith('ses')) return undefined;
  return /[^s]s$/.test(many) ? many.slice(0, -1) : undefined;
}

/** Replaces each form of the name of the example by that of the names. */
function createRenaming({ one, many }) {
  const forms = FORMS.flatMap((toForm) => [
    [toForm(EXAMPLE.many), toForm(many)],
    [toForm(EXAMPLE.one), toForm(one)],
  ]);
  const renamed = new Map([...forms, [TIMESTAMP, String(Date.now())]]);
  const article = /^[aeio]/.test(one[0]) ? 'an ' : 'a ';
  // The plural is before the singular, which it contains.
  const names = new RegExp([...renamed.keys()].join('|'), 'g');
  return (text) => text.replace(/\ba (?=work order)/g, article).replace(names, (name) => renamed.get(name));
}

async function generateColumn(name, typeWords) {
  const type = typeWords.join(' ');
  const [, table, column] = /^([a-z][a-z0-9_]*)\.([a-z][a-z0-9_]*)$/.exec(name) ?? [];
  if (!table) program.error(`"${name}" is not a table and a column in lowercase letters: projects.cost_center`);
  if (/\bNOT NULL\b/i.test(type) && !/\bDEFAULT\b/i.test(type))
    program.error('A column that is NOT NULL needs a DEFAULT: instances of the former version insert rows without it.');
  const timestamp = String(Date.now());
  const words = `${table}_${column}`.split('_');
  const className = toPascal(words) + timestamp;
  const file = `${timestamp}-${words.join('-')}`;
  const [imported, listed] = readSteps().filter((step) => step.file === 'migrations/migrations.ts');
  await applySteps([
    { file: `migrations/${file}.ts`, text: renderColumn(className, table, column, type) },
    { ...imported, text: `import { ${className} } from './${file}.js';` },
    { ...listed, text: `${className},` },
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

/** The code blocks of the language `ts`. The sentence above each names the file, and the line below the code. */
function readSteps() {
  return [...readFileSync(GUIDE, 'utf8').matchAll(/([^\n]*)\n\n```ts\n([\s\S]*?)```/g)].map(([, sentence, text]) => {
    const [, edited, anchor] = /^In `(.+?)`, above `(.+)`:$/.exec(sentence) ?? [];
    return { file: edited ?? /`([^`]+\.ts)`:$/.exec(sentence)[1], anchor, text };
  });
}

/** Writes whole files, or inserts lines. Prints the files. */
async function applySteps(steps) {
  for (const { file, anchor, text } of steps) {
    const content = anchor === undefined ? text : insertAbove(file, anchor, text);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, await format(content, { ...(await resolveConfig(file)), filepath: file }));
  }
  process.stdout.write(`${[...new Set(steps.map(({ file }) => `  ${file}`))].join('\n')}\n\n`);
}

/** Above the last line of the file that is the anchor. */
function insertAbove(file, anchor, text) {
  const lines = readFileSync(file, 'utf8').split('\n');
  const index = lines.findLastIndex((line) => line.trim() === anchor);
  if (index < 0) throw new Error(`${file} has no line ${anchor}, which ${GUIDE} names.`);
  return lines.toSpliced(index, 0, text.trimEnd()).join('\n');
}

const program = new Command('npm run generate --').showSuggestionAfterError(false);
program
  .command('module')
  .description('add a module, for example meter-readings')
  .argument('<name>', 'plural in lowercase letters and hyphens')
  .option('--singular <name>', 'for irregular plurals')
  .action(generateModule);
program
  .command('column')
  .description('add a column, for example projects.cost_center text')
  .argument('<table.column>')
  .argument('<type...>')
  .action(generateColumn);
await program.parseAsync();
