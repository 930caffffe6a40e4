/**
 * Writes docs/reference/errors.md from the error codes of the sources and the entries of `*.error-catalog.ts`, and the
 * list of the codes in the TypeScript client.
 *
 *     node tools/errors/main.mjs            writes the files; fails if a code has no entry
 *     node tools/errors/main.mjs --check    fails if a file differs
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
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

/** The catalogs of the build, in the order of their sections. */
async function readCatalogs() {
  const files = readdirSync(BUILD, { recursive: true }).filter((file) => file.endsWith('.error-catalog.js'));
  const modules = await Promise.all(files.map(importBuilt));
  return modules.flatMap((module) => Object.values(module)).sort((a, b) => a.order - b.order);
}

const { codes, unknown } = readErrorCodes(ROOT);
const catalogs = await readCatalogs();
const { STATUS } = await importBuilt('platform/http/error.filter.js');
const problems = findProblems(codes, unknown, catalogs);
const files = [
  [CATALOG, await format(renderCatalog(codes, catalogs, STATUS), { parser: 'markdown', printWidth: 150 })],
  [CLIENT_CODES, await format(renderClientCodes(codes), { parser: 'typescript', ...STYLE })],
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
