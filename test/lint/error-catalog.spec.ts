import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/service.js';

const run = promisify(execFile);

const SOURCE = `
interface Definition { code: string; kind: 'conflict' | 'malformed' }
declare const ERRORS: { [Code in 'name_taken' | 'slug_taken' | 'invalid']: Definition & { code: Code } };
class DomainError extends Error {
  constructor(readonly definition: Definition, message: string) { super(message); }
}
export class TakenError extends DomainError {
  constructor(code: 'name_taken' | 'slug_taken') { super(ERRORS[code], 'Taken.'); }
}
export class FieldsError extends DomainError {
  errors: object[];
  constructor(code: 'too_long' | 'too_short') {
    super(ERRORS.invalid, 'Invalid.');
    this.errors = [{ code, message: 'Invalid.' }];
  }
}
export const passOn = ({ code, message }: { code: string; message: string }) => ({ code, message });
export const createUnknown = (code: string) => ({ code, message: 'x' });
`;

describe('docs/reference/errors.md', () => {
  it('is checked by a reader that finds the literal codes of details, and reports codes and definitions without the other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-codes-'));
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/some.errors.ts'), SOURCE);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      '{ "compilerOptions": { "strict": true, "types": [] }, "include": ["src"] }',
    );
    const print = `
      import { findProblems, readErrorCodes } from ${JSON.stringify(join(ROOT, 'tools/errors/error-codes.mjs'))};
      const read = readErrorCodes(${JSON.stringify(folder)});
      const definitions = [
        { code: 'name_taken', kind: 'conflict', meaning: 'The name is taken.' },
        { code: 'name_taken', kind: 'conflict', meaning: 'Another record has the name.' },
        { code: 'invalid', kind: 'malformed' },
        { code: 'invalid', kind: 'conflict' },
        { code: 'too_long', kind: 'malformed' },
        { code: 'slug_taken', kind: 'conflict' },
        { code: 'never_thrown', kind: 'conflict' },
        { code: 'obsolete' },
      ];
      console.log(JSON.stringify({ codes: [...read.codes.keys()], problems: findProblems(read, definitions) }));`;
    const { stdout } = await run('node', ['--input-type=module', '--eval', print]);
    rmSync(folder, { recursive: true });
    const { codes, problems } = JSON.parse(stdout) as { codes: string[]; problems: string[] };
    expect(codes).toEqual(['too_long', 'too_short']);
    expect(problems).toEqual([
      'src/some.errors.ts:18: code is not a string literal. Give the code a literal type.',
      'too_short (src/some.errors.ts) has no definition. Add it to the *.errors.ts of the module.',
      'name_taken has several definitions. Remove all but one.',
      'too_long occurs only in details.errors. Remove kind and message of its definition.',
      'never_thrown does not occur in the code. Remove its definition.',
      'obsolete does not occur in the code. Remove its definition.',
    ]);
  });
});
