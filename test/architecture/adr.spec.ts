import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectForEach } from '../support/for-each.js';
import { listMissing } from '../support/named-code.js';
import { ROOT } from '../support/service.js';

const ADR = join(ROOT, 'docs/adr');
const MAX_LINES = 60;

const adrs = readdirSync(ADR)
  .filter((file) => /^\d{4}-.*\.md$/.test(file))
  .map((file): [string, string] => [file, readFileSync(join(ADR, file), 'utf8')]);

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
      // A superseded record describes how it was.
      if (!text.includes('\nstatus: superseded by ')) expect(listMissing(text, 'docs/adr')).toEqual([]);
    });
  });

  it('every superseded ADR and the one that supersedes it link to each other', () => {
    forEachAdr((text, file) => {
      const [, number] = /^status: superseded by (\d{4})$/m.exec(text) ?? [];
      if (number === undefined) return;
      const [successor, successorText] = adrs.find(([name]) => name.startsWith(`${number}-`)) ?? ['', ''];
      expect(text).toContain(`](${successor})`);
      expect(successorText).toContain(`](${file})`);
    });
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
