import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/service.js';

const run = promisify(execFile);

/** What a copy of the project needs to be built and tested. */
const COPIED = [
  'src',
  'migrations',
  'examples',
  'bench',
  'test',
  'tools',
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
  /** The sentence above the block: it names the file. */
  sentence: string;
  language: string;
  text: string;
}

/** The guide for whoever adds a module, carried out step by step in a copy of the project. */
describe('the guide to adding a module', () => {
  let copy: string;

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'atrium-extending-'));
    for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  });

  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  const guide = readFileSync(join(ROOT, 'docs/extending.md'), 'utf8');
  const steps = [...guide.matchAll(/([^\n]*)\n\n```(\w+( setup)?)\n([\s\S]*?)```/g)].map(
    ([, sentence, language, , text]): Step => ({ sentence: sentence!, language: language!, text: text! }),
  );

  /** Puts the lines above the last line that reads so. */
  function insert(file: string, anchor: string, lines: string): void {
    const before = readFileSync(join(copy, file), 'utf8').split('\n');
    const at = before.findLastIndex((line) => line.trim() === anchor);
    expect({ file, anchor, found: at >= 0 }).toEqual({ file, anchor, found: true });
    writeFileSync(join(copy, file), [...before.slice(0, at), lines.trimEnd(), ...before.slice(at)].join('\n'));
  }

  it('leads to a module that is built, documented, within its borders, and tested', async () => {
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
