import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectForEach, expectNone } from '../support/for-each.js';
import { listMissing } from '../support/named-code.js';
import { ROOT } from '../support/service.js';

const ADR = join(ROOT, 'docs/adr');
const MAX_LINES = 60;
const MAX_RECORDS = 60;

const adrs = readdirSync(ADR)
  .filter((file) => /^\d{4}-.*\.md$/.test(file))
  .map((file): [string, string] => [file, readFileSync(join(ADR, file), 'utf8')]);

const numbers = new Set(adrs.map(([file]) => file.slice(0, 4)));

/** Folders whose documents and comments refer to ADRs. */
const FOLDERS = ['clients', 'docs', 'eslint', 'examples', 'migrations', 'packages', 'src', 'test', 'tools'];
const REFERENCE = /\bADRs?[\s*/]+(\d{4})\b|\badr\/(\d{4})\b/g;

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
      expect(frontMatter).toMatch(/^status: (proposed|accepted)$/m);
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

  // Few records are read, and a subject has one. Extend the record of the subject.
  it(`at most ${MAX_RECORDS} ADRs exist, each with another number`, () => {
    expect(adrs.length).toBeLessThanOrEqual(MAX_RECORDS);
    expect(numbers.size).toBe(adrs.length);
  });

  it(`every ADR has at most ${MAX_LINES} lines`, () => {
    forEachAdr((text) => expect(text.split('\n').length).toBeLessThanOrEqual(MAX_LINES));
  });

  it('every ADR names only files and classes that exist', () => {
    forEachAdr((text) => expect(listMissing(text, 'docs/adr')).toEqual([]));
  });

  it('every reference to an ADR names one that exists', () => {
    const files = FOLDERS.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    ).filter((name) => /\.(tsx?|mjs|md)$/.test(name) && !/(^|\/)(node_modules|dist|generated)\//.test(name));
    const references = files.flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(REFERENCE)].map(([, text, path]) => ({
        file,
        number: (text ?? path)!,
      })),
    );
    expect(references.length).toBeGreaterThan(50);
    expectNone(
      references.filter(({ number }) => !numbers.has(number)).map(({ file, number }) => `${file}: ADR ${number}`),
      'Name the record into which it was merged, or state the reason itself.',
    );
  });

  it('the index lists every ADR once, with its title', () => {
    const index = readFileSync(join(ADR, 'README.md'), 'utf8');
    forEachAdr((text, file) => {
      const [, title] = /^# (.+)$/m.exec(text) ?? [];
      expect(index.split(`| [${file.slice(0, 4)}](${file}) | ${title}`)).toHaveLength(2);
    });
  });

  it('every ADR has a file name with the number and the title', () => {
    forEachAdr((_, file) => expect(file).toMatch(/^\d{4}(-[a-z0-9]+)+\.md$/));
  });
});
