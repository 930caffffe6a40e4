import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { ROOT } from '../support/service.js';

const LONG_LINE = 'word '.repeat(30);

/** Texts with a finding, and a part of the message that reports it. */
const REJECTED: [kind: string, file: string, text: string, message: string][] = [
  ['an identifier', 'a.ts', 'export const heldRows = 1;', '"held" in the name heldRows'],
  ['a comment', 'a.ts', '// It tells the caller.\nexport {};', '"tells"'],
  ['a docstring', 'a.ts', '/** Refuses the key. */\nexport const a = 1;', '"Refuses"'],
  ['a message', 'a.ts', "export const a = 'The key is refused';", '"refused"'],
  ['a template', 'a.ts', 'export const a = (b: string) => `${b} stands in the body`;', '"stands in"'],
  ['a document', 'a.md', 'Whoever reads this', '"Whoever"'],
  ['a script', 'a.mjs', 'export const spool = 1;', '"spool"'],
  ['a long comment', 'a.ts', `/**\n * ${LONG_LINE}\n */\nexport const a = 1;`, '152 characters'],
  ['a long line', 'a.md', `Text.\n\n${LONG_LINE}`, '149 characters'],
  ['a comment on another one', 'a.ts', '/** The same for rows. */\nexport const a = 1;', '"The same"'],
];

/** Texts without a finding. */
const ACCEPTED: [kind: string, file: string, text: string][] = [
  ['plain text', 'a.ts', '/** Returns the rows. */\nexport const rows = 1;'],
  ['code in backticks', 'a.md', 'The word `whoever` is banned.'],
  ['a code block', 'a.md', '```\nwhoever\n```'],
  ['SQL', 'a.ts', "export const a = 'SELECT told FROM notes';"],
  ['a string without a space', 'a.ts', "export const a = 'told';"],
  ['a word that contains a banned word', 'a.ts', 'export const threshold = 1; // household'],
  ['a technical term', 'a.md', 'ECONNREFUSED means connection refused.'],
  ['a long row of a table', 'a.md', `| ${LONG_LINE} |`],
  ['a long line of code', 'a.md', `\`\`\`\n${LONG_LINE}\n\`\`\``],
];

type Sample = readonly [kind: string, file: string, text: string, ...unknown[]];

const fileOf = (file: string, index: number) => `sample-${index}${extname(file)}`;
const indexed = <T extends Sample>(samples: T[]) => samples.map((sample, index) => [...sample, index] as const);

describe('tools/check-language.mjs', () => {
  // A repository of its own: the tool lists the files with git, and other tests read all files of this one.
  const directory = mkdtempSync(join(tmpdir(), 'atrium-language-'));

  beforeAll(() => expect(spawnSync('git', ['init', '--quiet'], { cwd: directory }).status).toBe(0));

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  /** Checks one file per sample, all in one process. */
  function check(folder: string, samples: Sample[]): { status: number | null; lines: string[] } {
    const path = join(directory, folder);
    mkdirSync(path);
    for (const [index, [, file, text]] of samples.entries()) writeFileSync(join(path, fileOf(file, index)), text);
    const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'tools/check-language.mjs'), path], {
      cwd: directory,
      encoding: 'utf8',
    });
    return { status, lines: stdout.split('\n') };
  }

  const findingsOf = (lines: string[], file: string, index: number) =>
    lines.filter((line) => line.includes(`/${fileOf(file, index)}:`));

  describe('with banned words', () => {
    let outcome: ReturnType<typeof check>;

    beforeAll(() => (outcome = check('rejected', REJECTED)));

    it('exits with code 1 if a file contains a banned word', () => {
      expect(outcome.status).toBe(1);
    });

    it.each(indexed(REJECTED))(
      'rejects %s in %s and states the line and what to write',
      (_kind, file, _text, message, index) => {
        const findings = findingsOf(outcome.lines, file, index);
        expect(findings).toEqual([expect.stringMatching(/:\d+ .*: write \w/)]);
        expect(findings[0]).toContain(message);
      },
    );
  });

  describe('without banned words', () => {
    let outcome: ReturnType<typeof check>;

    beforeAll(() => (outcome = check('accepted', ACCEPTED)));

    it('exits with code 0 and prints nothing if no file contains a banned word', () => {
      expect(outcome).toEqual({ status: 0, lines: [''] });
    });

    it.each(indexed(ACCEPTED))('accepts %s', (_kind, file, _text, index) => {
      expect(findingsOf(outcome.lines, file, index)).toEqual([]);
    });
  });
});
