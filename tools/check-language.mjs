/**
 * Rejects banned words in identifiers, messages, comments and documents, and states what to write
 * (docs/reference/glossary.md).
 *
 *     node tools/check-language.mjs [path …]     all tracked files by default; exit code 1 if anything is found
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parser } from 'typescript-eslint';
import { ALLOWED_IDENTIFIERS, BANNED_IDENTIFIER_WORDS, BANNED_PHRASES, IGNORED_FILES } from './banned-words.mjs';

/** Banned words of an identifier, each with what to write: `closeHeldRows` has close, held and rows. */
function checkIdentifier(identifier) {
  const words = identifier
    .replace(ALLOWED_IDENTIFIERS, '')
    .replace(/([a-z0-9])(?=[A-Z])|([A-Z]+)(?=[A-Z][a-z])/g, '$1$2 ')
    .toLowerCase();
  return [...new Set(words.split(/[^a-z]+/))]
    .filter((word) => Object.hasOwn(BANNED_IDENTIFIER_WORDS, word))
    .map((word) => ({ message: `"${word}" in the name ${identifier}: write ${BANNED_IDENTIFIER_WORDS[word]}` }));
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

/** A comment on another comment, which may change. */
function checkStart(comment) {
  const isSame = /^(?:\/\*\*?|\/\/)[\s*]*The same\b/.test(comment);
  return isSame ? [{ message: '"The same": write what differs' }] : [];
}

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

/** Findings in the names, comments and messages of a source file. */
function checkSource(source, fileName) {
  const { comments, tokens } = parser.parseForESLint(source, { filePath: fileName }).ast;
  const checkPart = (check, [start, end]) =>
    check(source.slice(start, end)).map(({ index = 0, message }) => ({ index: start + index, message }));
  const checkLines = ([start, end]) => checkPart(findLongLines, [source.lastIndexOf('\n', start) + 1, end]);
  return [
    ...tokens.filter(isName).flatMap(({ range }) => checkPart(checkIdentifier, range)),
    ...tokens.filter(isProse).flatMap(({ range }) => checkPart(checkText, range)),
    ...comments.flatMap(({ range }) => [
      ...checkPart(checkText, range),
      ...checkPart(checkStart, range),
      ...checkLines(range),
    ]),
  ];
}

const isName = ({ type }) => ['Identifier', 'PrivateIdentifier', 'JSXIdentifier'].includes(type);

/** A string with a space is a message, unless it is SQL. */
function isProse({ type, value }) {
  const isText = ['String', 'Template', 'JSXText'].includes(type);
  return isText && value.includes(' ') && !/\b(SELECT|INSERT|UPDATE|DELETE|WHERE|FROM|CREATE|ALTER)\b/.test(value);
}

function checkMarkdown(text, fileName) {
  const prose = text.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ' '));
  // Tables, headings, images and code cannot be wrapped. `npm run errors` writes the page of errors.
  const canWrap = (line) => !/^(\||#|!\[)/.test(line) && !/^\s*`[^`]*`\.?$/.test(line);
  const long = fileName === 'docs/reference/errors.md' ? [] : findLongLines(prose, canWrap);
  return [...checkText(prose), ...long];
}

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...process.argv.slice(2)])
  .toString()
  .split('\n')
  .filter((file) => /\.(tsx?|mjs|cjs|md)$/.test(file) && existsSync(file))
  .filter((file) => !IGNORED_FILES.some((pattern) => pattern.test(file)));
const findings = files.flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  const found = file.endsWith('.md') ? checkMarkdown(text, file) : checkSource(text, file);
  return found.map(({ index, message }) => `${file}:${text.slice(0, index).split('\n').length} ${message}\n`);
});
if (findings.length > 0) {
  process.stdout.write(findings.join(''));
  process.stdout.write(`${findings.length} findings. docs/reference/glossary.md lists the terms.\n`);
  process.exitCode = 1;
}
