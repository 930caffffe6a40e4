import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/service.js';

const run = promisify(execFile);

const SOURCE = `
interface Definition { code: string; kind: 'conflict' | 'malformed' }
declare const ERRORS: { [Code in 'name_taken' | 'slug_taken' | 'invalid' | 'passed']: Definition & { code: Code } };
class DomainError extends Error {
  constructor(readonly definition: Definition, message: string) { super(message); }
}
export class TakenError extends DomainError {
  constructor(code: 'name_taken' | 'slug_taken') { super(ERRORS[code], 'Taken.'); }
}
export class FieldsError extends DomainError {
  errors: object[];
  constructor(code: string) { super(ERRORS.invalid, 'Invalid.'); this.errors = [{ code, message: 'Invalid.' }]; }
}
export class PassedError extends DomainError {
  constructor(definition: Definition) { super(definition, 'Passed.'); }
}
export const create = (definition: Definition) => [new FieldsError('too_long'), new PassedError(ERRORS.passed)];
export const createUnknown = (code: string) => new DomainError({ code, kind: 'conflict' }, 'x');
`;

describe('docs/reference/errors.md', () => {
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
      const found = [...codes.values()].map(({ code, isThrown }) => [code, isThrown]).sort();
      const definitions = [
        { code: 'name_taken', kind: 'conflict', meaning: 'The name is taken.' },
        { code: 'name_taken', kind: 'conflict', meaning: 'Another record has the name.' },
        { code: 'invalid', kind: 'malformed' },
        { code: 'invalid', kind: 'conflict' },
        { code: 'too_long', kind: 'malformed' },
        { code: 'passed', kind: 'malformed' },
        { code: 'obsolete' },
      ];
      console.log(JSON.stringify({ found, problems: findProblems(codes, unknown, definitions) }));`;
    const { stdout } = await run('node', ['--input-type=module', '--eval', print]);
    rmSync(folder, { recursive: true });
    const { found, problems } = JSON.parse(stdout) as { found: [string, boolean][]; problems: string[] };
    expect(found).toEqual([
      ['invalid', true],
      ['name_taken', true],
      ['passed', true],
      ['slug_taken', true],
      ['too_long', false],
    ]);
    expect(problems).toEqual([
      "src/some.errors.ts:18: { code, kind: 'conflict' } is not a string literal. Give the code a literal type.",
      'slug_taken (src/some.errors.ts) has no definition. Add it to the *.errors.ts of the module.',
      'obsolete does not occur in the code. Remove its definition.',
      'too_long occurs only in details.errors. Remove kind and message of its definition.',
      'name_taken has several definitions. Remove all but one.',
    ]);
  });
});
