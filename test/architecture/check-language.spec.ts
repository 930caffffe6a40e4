import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/service.js';

/** Texts with a banned word, and a part of the message that reports it. */
const REJECTED: [kind: string, file: string, text: string, message: string][] = [
  ['an identifier', 'a.ts', 'export const heldRows = 1;', '"held" in the name heldRows'],
  ['a comment', 'a.ts', '// It tells the caller.\nexport {};', '"tells"'],
  ['a docstring', 'a.ts', '/** Refuses the key. */\nexport const a = 1;', '"Refuses"'],
  ['a message', 'a.ts', "export const a = 'The key is refused';", '"refused"'],
  ['a template', 'a.ts', 'export const a = (b: string) => `${b} stands in the body`;', '"stands in"'],
  ['a document', 'a.md', 'Whoever reads this', '"Whoever"'],
  ['a script', 'a.mjs', 'export const spool = 1;', '"spool"'],
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
];

describe('tools/check-language.mjs', () => {
  // Below the repository, because the tool lists the files with git.
  const directory = mkdtempSync(join(ROOT, 'test/architecture/language-'));

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  function check(file: string, text: string): { status: number | null; stdout: string } {
    const path = join(directory, file);
    writeFileSync(path, text);
    const { status, stdout } = spawnSync(process.execPath, ['tools/check-language.mjs', path], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    return { status, stdout };
  }

  it.each(REJECTED)('rejects %s in %s and states the line and what to write', (_, file, text, message) => {
    const { status, stdout } = check(file, text);
    expect(status).toBe(1);
    expect(stdout).toMatch(new RegExp(`${file}:\\d+ .*: write \\w`));
    expect(stdout).toContain(message);
  });

  it.each(ACCEPTED)('accepts %s', (_, file, text) => {
    expect(check(file, text)).toEqual({ status: 0, stdout: '' });
  });
});
