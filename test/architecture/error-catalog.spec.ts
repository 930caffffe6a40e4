import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/service.js';

const run = promisify(execFile);

const SOURCE = `
class DomainError extends Error {
  constructor(readonly kind: 'conflict' | 'malformed', readonly code: string, message: string) { super(message); }
}
export class TakenError extends DomainError {
  constructor(code: 'name_taken' | 'slug_taken') { super('conflict', code, 'Taken.'); }
}
export class FieldsError extends DomainError {
  errors: object[];
  constructor(code: string) { super('malformed', 'invalid', 'Invalid.'); this.errors = [{ code, message: 'Invalid.' }]; }
}
export const create = (name: string) => [new FieldsError('too_long'), new DomainError('conflict', name.slice(1), 'x')];
`;

describe('docs/reference/errors.md', () => {
  it('contains every error code of the sources with its status, cause and remedy', async () => {
    const { stdout, stderr } = await run('node', ['tools/errors/main.mjs', '--check'], { cwd: ROOT });
    expect(stdout + stderr).toBe('');
  });

  it('is checked by a reader that finds literal, derived and passed codes, and reports all others', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-codes-'));
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/some.errors.ts'), SOURCE);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      '{ "compilerOptions": { "strict": true, "types": [] }, "include": ["src"] }',
    );
    const print = `
      import { readErrorCodes } from ${JSON.stringify(join(ROOT, 'tools/errors/error-codes.mjs'))};
      import { findProblems } from ${JSON.stringify(join(ROOT, 'tools/errors/render-catalog.mjs'))};
      const { codes, unknown } = readErrorCodes(${JSON.stringify(folder)});
      const found = [...codes.values()].map(({ code, kinds }) => [code, ...kinds]).sort();
      const entry = { name_taken: {}, invalid: {}, too_long: {}, obsolete: {} };
      console.log(JSON.stringify({ found, problems: findProblems(codes, unknown, [{ codes: entry }]) }));`;
    const { stdout } = await run('node', ['--input-type=module', '--eval', print]);
    rmSync(folder, { recursive: true });
    const { found, problems } = JSON.parse(stdout) as { found: string[][]; problems: string[] };
    expect(found).toEqual([
      ['invalid', 'malformed'],
      ['name_taken', 'conflict'],
      ['slug_taken', 'conflict'],
      ['too_long'],
    ]);
    expect(problems).toEqual([
      'src/some.errors.ts:12: name.slice(1) is not a string literal. Give the code a literal type.',
      'slug_taken (src/some.errors.ts) has no entry. Add it to the *.error-catalog.ts of the module.',
      'obsolete does not occur in the code. Remove its entry.',
    ]);
  });
});
