import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/service.js';

const run = promisify(execFile);

/** The files that the build and the tests require. */
const COPIED = [
  'src',
  'migrations',
  'packages',
  'examples',
  'clients',
  'bench',
  'test',
  'tools',
  'docs',
  'README.md',
  'openapi.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'nest-cli.json',
  'jest.config.mjs',
  '.dependency-cruiser.cjs',
  '.env.example',
];

interface Step {
  /** The sentence above the code block names the file. */
  sentence: string;
  language: string;
  text: string;
}

/** Executes the steps of docs/how-to/extending.md in a copy of the repository. */
describe('the guide to adding a module', () => {
  let copy: string;

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'atrium-extending-'));
    for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  });

  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  const guide = readFileSync(join(ROOT, 'docs/how-to/extending.md'), 'utf8');
  const steps = [...guide.matchAll(/([^\n]*)\n\n```(\w+( setup)?)\n([\s\S]*?)```/g)].map(
    ([, sentence, language, , text]): Step => ({ sentence: sentence!, language: language!, text: text! }),
  );

  /** Inserts the lines above the last occurrence of the anchor line. */
  function insert(file: string, anchor: string, lines: string): void {
    const before = readFileSync(join(copy, file), 'utf8').split('\n');
    const index = before.findLastIndex((line) => line.trim() === anchor);
    expect({ file, anchor, found: index >= 0 }).toEqual({ file, anchor, found: true });
    writeFileSync(join(copy, file), [...before.slice(0, index), lines.trimEnd(), ...before.slice(index)].join('\n'));
  }

  it('produces a module that builds, is documented, meets the dependency rules and passes its tests', async () => {
    for (const { sentence, language, text } of steps) {
      const edit = /^In `(.+?)`, above `(.+)`:$/.exec(sentence);
      const file = /`([^`]+\.ts)`:$/.exec(sentence)?.[1];
      if (edit) insert(edit[1]!, edit[2]!, text);
      else if (language === 'ts') {
        expect({ sentence, file: typeof file }).toEqual({ sentence, file: 'string' });
        mkdirSync(dirname(join(copy, file!)), { recursive: true });
        writeFileSync(join(copy, file!), text);
      } else if (language === 'sh') {
        for (const command of text.trim().split('\n')) {
          await run('bash', ['-c', command], { cwd: copy, env: { ...process.env, CI: 'true' } }).catch(
            (error: unknown) => {
              const { stdout, stderr } = error as { stdout: string; stderr: string };
              throw new Error(`${command}:\n${stdout}\n${stderr}`);
            },
          );
        }
      }
    }
    const { paths } = JSON.parse(readFileSync(join(copy, 'openapi.json'), 'utf8')) as { paths: object };
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['/v1/api/checklists', '/v1/api/checklists/{id}', '/v1/api/checklists/{id}/restore']),
    );
  }, 300_000);
});
