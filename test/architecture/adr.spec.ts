import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expectForEach } from '../support/for-each.js';
import { ROOT } from '../support/service.js';

const ADR = join(ROOT, 'docs/adr');
const MAX_LINES = 60;

const CODE_DIRECTORIES = [
  'packages',
  'src',
  'migrations',
  'clients/typescript/src',
  'clients/cli/src',
  'test',
  'tools',
  'bench',
  'examples',
  'docs',
];
const FILE_NAME = /^[\w@.][\w@./-]*\.(ts|mjs|cjs|json|md)$/;
const DIRECTORY = new RegExp(`^(${CODE_DIRECTORIES.join('|')})/[\\w./-]+$`);
/** A class or decorator, possibly with a member: `CleanupJobs`, `@TableRef()`, `Database.retryOn`. */
const SYMBOL = /^@?([A-Z][a-z]+(?:[A-Z][a-z]+)+)(?:\.\w+)?(?:\(.*\))?$/;

const adrs = readdirSync(ADR)
  .filter((file) => /^\d{4}-.*\.md$/.test(file))
  .map((file): [string, string] => [file, readFileSync(join(ADR, file), 'utf8')]);

const paths = CODE_DIRECTORIES.flatMap((directory) =>
  readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' }).map((path) => join(directory, path)),
).concat(readdirSync(ROOT));
const source = paths
  .filter((path) => /^(packages|src|migrations|clients|bench|test|tools)\/.*\.(ts|mjs)$/.test(path))
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n');

function exists(quoted: string): boolean {
  if (DIRECTORY.test(quoted)) return paths.includes(quoted.replace(/\/$/, ''));
  if (FILE_NAME.test(quoted))
    return paths.some((path) => path === quoted || basename(path) === quoted || path.endsWith(`/${quoted}`));
  const [, symbol] = SYMBOL.exec(quoted) ?? [];
  return symbol === undefined || new RegExp(`\\b${symbol}`).test(source);
}

/** Checks every ADR in one test, which lists all that fail. */
const forEachAdr = (check: (text: string, file: string) => void) =>
  expectForEach(
    adrs,
    ([file]) => file,
    ([file, text]) => check(text, file),
  );

describe('architecture decision records', () => {
  it('every ADR has the front matter status and date', () => {
    forEachAdr((text) => {
      const [, frontMatter = ''] = /^---\n(.*?)\n---\n/s.exec(text) ?? [];
      expect(frontMatter).toMatch(/^status: (proposed|accepted|superseded by \d{4})$/m);
      expect(frontMatter).toMatch(/^date: \d{4}-\d{2}-\d{2}$/m);
    });
  });

  it('every ADR has one title and the sections of MADR', () => {
    forEachAdr((text) => {
      expect(text.match(/^# .+$/gm)).toHaveLength(1);
      const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
      expect(sections).toEqual(['Context', 'Considered options', 'Decision', 'Consequences']);
    });
  });

  it(`every ADR has at most ${MAX_LINES} lines`, () => {
    forEachAdr((text) => expect(text.split('\n').length).toBeLessThanOrEqual(MAX_LINES));
  });

  it('every ADR names only files and classes that exist', () => {
    forEachAdr((text) => {
      if (/^status: superseded/m.test(text)) return;
      const quotes = [...text.matchAll(/`([^`\n]+)`/g)].map(([, quoted]) => quoted!);
      expect(quotes.filter((quoted) => !exists(quoted))).toEqual([]);
    });
  });

  it('every ADR has a file name with the number and the title', () => {
    forEachAdr((_, file) => expect(file).toMatch(/^\d{4}(-[a-z0-9]+)+\.md$/));
  });
});
