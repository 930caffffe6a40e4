import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { AtriumClient, ERROR_CODES } from '@atrium/client';
import { bundleClient } from '../support/client-bundle.js';
import { findCodes, loadDocument } from '../support/openapi.js';
import { ROOT } from '../support/service.js';
import { expectNone } from '../support/for-each.js';

const run = promisify(execFile);
const GENERATOR = 'clients/typescript/generate-types.mjs';
const TYPES = 'clients/typescript/src/openapi-types.ts';
const MAX_COMPRESSED_BYTES = 15_000;

describe('the generator of the types of the client', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-types-'));
    mkdirSync(join(folder, 'clients/typescript/src'), { recursive: true });
    cpSync(join(ROOT, GENERATOR), join(folder, GENERATOR));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const generate = () => run(process.execPath, [GENERATOR], { cwd: folder });

  it('writes the types of all paths of the OpenAPI document, into a file that is not committed', async () => {
    cpSync(join(ROOT, 'openapi.json'), join(folder, 'openapi.json'));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await generate();
    const types = readFileSync(join(folder, TYPES), 'utf8');
    const { paths } = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as { paths: object };
    expect(Object.keys(paths).filter((path) => !types.includes(`"${path}": {`))).toEqual([]);
    expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).toContain(TYPES);
  });

  it('writes nothing in a production install, which has no generator, and in an image, which has no document', async () => {
    await generate();
    cpSync(join(ROOT, 'openapi.json'), join(folder, 'openapi.json'));
    await generate();
    expect(existsSync(join(folder, TYPES))).toBe(false);
  });
});

it('the client knows every error code of the OpenAPI document', () => {
  const { paths } = loadDocument<{ paths: Record<string, Record<string, { responses: Record<string, object> }>> }>();
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const codes = operations.flatMap(({ responses }) =>
    Object.keys(responses).flatMap((status) => findCodes(responses, status)),
  );
  expect(codes.length).toBeGreaterThan(1_000);
  // Errors of RFC 6749, in responses to forms only.
  const known = new Set<string>([...ERROR_CODES, 'unsupported_grant_type']);
  expectNone(
    [...new Set(codes)].filter((code) => !known.has(code)),
    'Run `npm run errors`, which writes the codes for the client.',
  );
});

it('the client sends an Idempotency-Key to every operation that changes something and respects it', async () => {
  type Operation = { parameters?: { $ref?: string; name?: string }[] };
  const { paths } = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as {
    paths: Record<string, { post?: Operation }>;
  };
  const hasKey = ({ parameters = [] }: Operation) => /idempotency-?key/i.test(JSON.stringify(parameters));
  const sendsKey = async (path: string) => {
    let sent = false;
    const client = new AtriumClient({
      baseUrl: 'http://service.test',
      apiKey: 'key',
      fetch: (_, init) => {
        sent = new Headers(init?.headers).has('idempotency-key');
        return Promise.resolve(new Response('{}'));
      },
    });
    await client.request('POST', path);
    return sent;
  };
  const operations = Object.entries(paths).flatMap(([path, { post }]) => (post ? [{ path, post }] : []));
  // Reads have no effect: they may be repeated with any key.
  const changes = operations.filter(({ path }) => !/\/(?:\$?query|compare)$/.test(path));
  const wrong: string[] = [];
  for (const { path, post } of changes) if ((await sendsKey(path)) !== hasKey(post)) wrong.push(path);
  expectNone(wrong, 'Correct WITHOUT_KEY in clients/typescript/src/transport.ts.');
  expect(changes.length).toBeGreaterThan(50);
});

it('the client for browsers is below 15 kB compressed and needs no module of Node', async () => {
  const bundle = await bundleClient('--format=esm', '--minify');
  expect(gzipSync(bundle).length).toBeLessThan(MAX_COMPRESSED_BYTES);
});
