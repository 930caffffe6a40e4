/**
 * Writes docs/reference/errors.md and the list of the codes in the TypeScript client from the definitions in
 * `*.errors.ts`, and compares the definitions with the error codes of the sources.
 *
 *     node tools/errors/main.mjs            writes the files; fails if a code has no definition
 *     node tools/errors/main.mjs --check    fails if a file differs
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'prettier';
import { readErrorCodes } from './error-codes.mjs';
import { findProblems, renderCatalog, renderClientCodes } from './render-catalog.mjs';

const ROOT = join(import.meta.dirname, '../..');
const BUILD = join(ROOT, 'dist/src');
const CATALOG = join(ROOT, 'docs/reference/errors.md');
const CLIENT_CODES = join(ROOT, 'clients/typescript/src/error-codes.ts');
const STYLE = { printWidth: 120, singleQuote: true };
const isCheck = process.argv.includes('--check');

const importBuilt = (file) => import(pathToFileURL(join(BUILD, file)).href);

/** The folders in the order of their sections. */
const LAYERS = ['platform', 'records', 'modules'];

/** The definitions of the build, in the order of their sections. A code that has two statuses has two definitions. */
async function readDefinitions() {
  const rank = (file) => LAYERS.indexOf(file.split(sep)[0]);
  const files = readdirSync(BUILD, { recursive: true }).filter((file) => file.endsWith('.errors.js'));
  const modules = await Promise.all(files.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)).map(importBuilt));
  return modules.flatMap((module) => Object.values(module)).flatMap(listDefinitions);
}

/** Of an exported definition or record of definitions. Lists of definitions repeat those of a record. */
function listDefinitions(value) {
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && 'section' in value
    ? [value]
    : Object.values(value).filter((each) => each.section);
}

const { codes, unknown } = readErrorCodes(ROOT);
const definitions = await readDefinitions();
const { STATUS } = await importBuilt('platform/http/error-definition.js');
const problems = findProblems(codes, unknown, definitions);
const files = [
  [CATALOG, await format(renderCatalog(definitions, STATUS), { parser: 'markdown', printWidth: 150 })],
  [CLIENT_CODES, await format(renderClientCodes(definitions), { parser: 'typescript', ...STYLE })],
];
if (problems.length === 0 && isCheck) {
  const changed = files.filter(([file, text]) => readFileSync(file, 'utf8') !== text);
  for (const [file] of changed)
    problems.push(`${relative(ROOT, file)} differs from the code. Run \`npm run errors\` and commit it.`);
}
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
} else if (!isCheck) for (const [file, text] of files) writeFileSync(file, text);
