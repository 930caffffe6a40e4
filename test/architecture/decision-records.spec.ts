import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/service.js';

const FOLDER = 'docs/adr';
const SECTIONS = ['Context', 'Considered options', 'Decision', 'Consequences'];
const MAX_LINES = 60;

const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)));
const source = tracked
  .filter((file) => /^(src|tools)\/.*(?<!\.spec)\.m?[tj]s$/.test(file))
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n');
const records = readdirSync(join(ROOT, FOLDER))
  .sort()
  .map((name) => ({ name, text: readFileSync(join(ROOT, FOLDER, name), 'utf8') }));

/** Text in backticks, without code blocks. */
function quotedTerms(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, term]) => term!);
}

/** `docs/glossary.md`, `calendar.ts` or a folder such as `src/records`; also documents that are named without backticks. */
function namedPaths(text: string): string[] {
  const terms = [...quotedTerms(text), ...[...text.matchAll(/\bdocs\/[\w./-]+\.md\b/g)].map(([path]) => path)];
  return terms.filter(
    (term) => /^[\w./-]+\.(ts|mjs|cjs|md)$/.test(term) || /^(src|test|docs|tools)\/[\w./-]+$/.test(term),
  );
}

function pathExists(path: string): boolean {
  return path.includes('/') || path.startsWith('.')
    ? existsSync(join(ROOT, path))
    : tracked.some((file) => file.endsWith(`/${path}`) || file === path);
}

/** Classes, constants such as `DECLARED`, decorators, and members such as `Database.defer`. Settings are in `.env.example`. */
function namedSymbols(text: string): string[] {
  return quotedTerms(text).flatMap((term) => {
    const [, name] = /^@?([A-Z]\w+(?:\.\w+)?)(?:\(.*\))?$/.exec(term) ?? [];
    return name !== undefined && (term.startsWith('@') || /^[A-Z][a-z]+([A-Z]|\.)/.test(name)) ? [name] : [];
  });
}

function symbolExists(symbol: string): boolean {
  const [name, member] = symbol.split('.') as [string, string?];
  const isDeclared = new RegExp(`\\b(class|interface|type|function|const) ${name}\\b`).test(source);
  return isDeclared && (member === undefined || new RegExp(`\\b${member}(<[^>]*>)?\\(`).test(source));
}

describe('decision records', () => {
  it('are named NNNN-verb-object.md and numbered without gaps', () => {
    const numbers = records.map(({ name }) => /^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1]);
    expect(numbers).toEqual(records.map((_, index) => String(index + 1).padStart(4, '0')));
  });

  it('have status, date, one title and the four sections on one page', () => {
    const invalid = records.filter(({ text }) => {
      const isHeaded = /^---\nstatus: (proposed|accepted|superseded by \d{4})\ndate: \d{4}-\d\d-\d\d\n---\n\n# \S/.test(
        text,
      );
      const headings = [...text.matchAll(/^##? (.+)$/gm)].map(([, heading]) => heading).slice(1);
      return !isHeaded || headings.join() !== SECTIONS.join() || text.split('\n').length > MAX_LINES;
    });
    expect(invalid.map(({ name }) => name)).toEqual([]);
  });

  it('name only files that exist', () => {
    const missing = records.flatMap(({ name, text }) =>
      namedPaths(text)
        .filter((path) => !pathExists(path))
        .map((path) => `${name}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('name only classes, decorators and methods that exist', () => {
    const missing = records.flatMap(({ name, text }) =>
      namedSymbols(text)
        .filter((symbol) => !symbolExists(symbol))
        .map((symbol) => `${name}: ${symbol}`),
    );
    expect(missing).toEqual([]);
  });
});
