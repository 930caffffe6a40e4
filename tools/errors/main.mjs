/**
 * Writes docs/errors.md from the error codes of the sources and the entries of `*.error-catalog.ts`.
 *
 *     node tools/errors/main.mjs            writes the file; fails if a code has no entry
 *     node tools/errors/main.mjs --check    fails if the file differs
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'prettier';
import { readErrorCodes } from './error-codes.mjs';
import { findProblems, renderCatalog } from './render-catalog.mjs';

const ROOT = join(import.meta.dirname, '../..');
const BUILD = join(ROOT, 'dist/src');
const FILE = join(ROOT, 'docs/errors.md');

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
const text = await format(renderCatalog(codes, catalogs, STATUS), { parser: 'markdown', printWidth: 150 });
if (problems.length === 0 && process.argv.includes('--check') && readFileSync(FILE, 'utf8') !== text) {
  problems.push(`${relative(ROOT, FILE)} differs from the code. Run \`npm run errors\` and commit it.`);
}
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
} else if (!process.argv.includes('--check')) writeFileSync(FILE, text);
