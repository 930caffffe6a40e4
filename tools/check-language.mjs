/**
 * Rejects banned words in identifiers, messages, comments and documents, and states what to write
 * (docs/reference/glossary.md).
 *
 *     node tools/check-language.mjs [path …]     all tracked files by default; exit code 1 if anything is found
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import ts from 'typescript';
import { ALLOWED_IDENTIFIERS, BANNED_IDENTIFIER_WORDS, BANNED_PHRASES, IGNORED_FILES } from './banned-words.mjs';

const CODE = ['.ts', '.tsx', '.mjs', '.cjs'];

/** Banned words of an identifier, each with what to write: `closeHeldRows` has close, held and rows. */
function checkIdentifier(identifier) {
  const words = identifier
    .replace(ALLOWED_IDENTIFIERS, '')
    .replace(/([a-z0-9])(?=[A-Z])|([A-Z]+)(?=[A-Z][a-z])/g, '$1$2 ')
    .toLowerCase();
  return [...new Set(words.split(/[^a-z]+/))]
    .filter((word) => Object.hasOwn(BANNED_IDENTIFIER_WORDS, word))
    .map((word) => `"${word}" in the name ${identifier}: write ${BANNED_IDENTIFIER_WORDS[word]}`);
}

/** Banned phrases of a text, each with what to write. Text in backticks quotes code and is not checked. */
function checkText(text) {
  const prose = text.replace(/`[^`\n]*`/g, '``');
  return BANNED_PHRASES.flatMap(({ pattern, write, unless }) =>
    [...prose.matchAll(pattern)]
      .filter(({ index, 0: found }) => !unless?.test(prose.slice(Math.max(0, index - 60), index + found.length + 60)))
      .map(({ index, 0: found }) => ({ index, message: `"${found}": write ${write}` })),
  );
}

/** Lines of comments and documents, in characters. Prettier limits the lines of code. */
const MAX_LINE = 120;

const SAME = /^\s*(?:\/\*\*?|\/\/)[\s*]*The same\b/;

/** The lines of a text that are too long. */
function findLongLines(text, applies = () => true) {
  let index = 0;
  return text.split('\n').flatMap((line) => {
    const start = index;
    index += line.length + 1;
    const { length } = [...line.trimEnd()];
    if (length <= MAX_LINE || !applies(line)) return [];
    return [{ index: start, message: `a line of ${length} characters: write at most ${MAX_LINE}` }];
  });
}

/** Every finding of a source file, with its line. */
function checkSource(source, fileName) {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true);
  const found = [];
  const report = (position, message) =>
    found.push({ line: file.getLineAndCharacterOfPosition(position).line + 1, message });
  const reportText = (start, text) => {
    for (const { index, message } of checkText(text)) report(start + index, message);
  };
  const comments = new Set();
  const visit = (node) => {
    const leading = ts.getLeadingCommentRanges(source, node.getFullStart()) ?? [];
    const trailing = ts.getTrailingCommentRanges(source, node.getEnd()) ?? [];
    for (const range of [...leading, ...trailing]) {
      if (comments.has(range.pos)) continue;
      comments.add(range.pos);
      const comment = source.slice(range.pos, range.end);
      reportText(range.pos, comment);
      if (SAME.test(comment)) report(range.pos, '"The same": write what differs');
      const lineStart = source.lastIndexOf('\n', range.pos - 1) + 1;
      const lines = source.slice(lineStart, range.end);
      for (const { index, message } of findLongLines(lines)) report(lineStart + index, message);
    }
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      for (const message of checkIdentifier(node.text)) report(node.getStart(), message);
    } else if (isProse(node)) {
      reportText(node.getStart(), node.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** A string with a space is a message, unless it is SQL. */
function isProse(node) {
  const isText = ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node);
  return (
    isText && node.text.includes(' ') && !/\b(SELECT|INSERT|UPDATE|DELETE|WHERE|FROM|CREATE|ALTER)\b/.test(node.text)
  );
}

function checkMarkdown(text, fileName) {
  const prose = text.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ' '));
  // Tables, headings, images and code cannot be wrapped. `npm run errors` writes the page of errors.
  const canWrap = (line) => !/^(\||#|!\[)/.test(line) && !/^\s*`[^`]*`\.?$/.test(line);
  const long = fileName === 'docs/reference/errors.md' ? [] : findLongLines(prose, canWrap);
  return [...checkText(prose), ...long].map(({ index, message }) => ({
    line: prose.slice(0, index).split('\n').length,
    message,
  }));
}

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...process.argv.slice(2)])
  .toString()
  .split('\n')
  .filter((file) => [...CODE, '.md'].includes(extname(file)) && existsSync(file))
  .filter((file) => !IGNORED_FILES.some((pattern) => pattern.test(file)));
let count = 0;
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  for (const { line, message } of file.endsWith('.md') ? checkMarkdown(text, file) : checkSource(text, file)) {
    process.stdout.write(`${file}:${line} ${message}\n`);
    count++;
  }
}
if (count > 0) {
  process.stdout.write(`${count} findings. docs/reference/glossary.md lists the terms.\n`);
  process.exitCode = 1;
}
