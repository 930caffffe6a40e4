import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { environmentSchema } from '../../src/platform/config/environment.js';
import { SECRET_SETTINGS } from '../../src/platform/config/secret-files.js';
import { expectNone } from '../support/for-each.js';
import { ROOT } from '../support/service.js';

const run = promisify(execFile);

/** Settings beyond this number are rarely set: a constant next to the code that uses it is simpler. */
const MAX_SETTINGS = 62;

/** Texts that contain the number of a limit but do not state it. */
const OTHER_FACTS = [
  // Measured figures, and their conditions.
  'docs/how-to/operating.md: 1,000 rows',
  'docs/how-to/operating.md: 100 rows',
  'docs/how-to/operating.md: 1 GiB',
  'packages/json/src/json-structure.ts: 1,000 values',
  // The arithmetic of what a caller can cost.
  'docs/explanation/security.md: 1 GiB',
  'docs/explanation/security.md: 10 files',
  'docs/explanation/security.md: 20 MiB',
  // What a page shows.
  'docs/how-to/browsing-tables.md: 1,000 rows',
  // A default of a query.
  'src/modules/analytics/dto/analytics-query.dto.ts: 30 days',
  // Examples of a format.
  'src/platform/config/limits.ts: 50,000 rows',
  'src/platform/config/limits.ts: 20 MiB',
  // The validity of a former secret.
  'src/modules/subscriptions/subscriptions.service.ts: 24 hours',
];

const FOLDERS = ['clients', 'docs', 'src', 'packages'];

/** Generated files, decisions and figures, which state numbers. */
const STATES_NUMBERS = /^docs\/(adr|reference\/(limits|errors)|explanation\/(benchmarks|performance|reliability))/;

function listTexts(): string[] {
  const isText = (path: string) =>
    /\.(ts|md)$/.test(path) && !/\.spec\.ts$|node_modules|\/dist\/|openapi-types/.test(path);
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return ['README.md', ...files].filter((path) => isText(path) && !STATES_NUMBERS.test(path));
}

/** The values without a setting in docs/reference/limits.md, such as `50,000 rows`, and sizes, also as `20 MB`. */
function listPhrases(): RegExp[] {
  const page = readFileSync(join(ROOT, 'docs/reference/limits.md'), 'utf8');
  const values = [...page.matchAll(/^\| [^|]+ \| ([\d,]+) ([A-Za-z]+) +\| +\|/gm)];
  const units = (unit: string) => (/^[KMG]iB$/.test(unit) ? `${unit[0]}i?B` : unit);
  const phrases = values.map(([, number, unit]) => `\\b${number!} ${units(unit!)}\\b`);
  return [...new Set(phrases)].map((phrase) => new RegExp(phrase));
}

describe('docs/reference/limits.md', () => {
  it('docs/reference/limits.md contains the limits and defaults of the sources', async () => {
    const { stdout, stderr } = await run('node', ['tools/limits.mjs', '--check'], { cwd: ROOT });
    expect(stdout + stderr).toBe('');
  });

  it('is the only text with a limit that is the same in every deployment', () => {
    const phrases = listPhrases();
    expect(phrases.length).toBeGreaterThan(15);
    const repeated = listTexts().flatMap((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return phrases.flatMap((phrase) => phrase.exec(text)?.map((found) => `${path}: ${found}`) ?? []);
    });
    expectNone(
      repeated.filter((found) => !OTHER_FACTS.includes(found)),
      'Name the limit and refer to docs/reference/limits.md. A fact that is not the limit belongs to OTHER_FACTS.',
    );
    expectNone(
      OTHER_FACTS.filter((fact) => !repeated.includes(fact)),
      'Remove it from OTHER_FACTS.',
    );
  });
});

it('documents name only settings that exist', () => {
  const names = new Set<string>([
    ...Object.keys(environmentSchema.shape),
    ...SECRET_SETTINGS.map((name) => `${name}_FILE`),
  ]);
  const families = new Set([...names].map((name) => name.split('_')[0]!));
  const sources = listTexts().filter((path) => path.endsWith('.ts'));
  const code = sources.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n');
  for (const [, constant] of code.matchAll(/\bconst ([A-Z][A-Z0-9_]+)\b/g)) names.add(constant!);
  const isHistory = (path: string) => /^docs\/how-to\/upgrading/.test(path);
  const unknown = listTexts()
    .filter((path) => path.endsWith('.md') && !isHistory(path))
    .flatMap((path) => {
      const found = readFileSync(join(ROOT, path), 'utf8').match(/`[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [];
      return found.map((name) => [path, name.slice(1)] as const);
    })
    .filter(([, name]) => families.has(name.split('_')[0]!) && !names.has(name));
  expectNone(
    unknown.map((found) => found.join(': ')),
    'No setting has this name. Correct it, or add the setting to src/platform/config/environment.ts.',
  );
});

it(`the service has at most ${MAX_SETTINGS} settings`, () => {
  expect(Object.keys(environmentSchema.shape).length).toBeLessThanOrEqual(MAX_SETTINGS);
});
