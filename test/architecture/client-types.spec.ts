import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { ERROR_CODES } from '@atrium/client';
import { bundleClient } from '../support/client-bundle.js';
import { ROOT } from '../support/service.js';

const run = promisify(execFile);
const MAX_COMPRESSED_BYTES = 15_000;

it('the types of the client are generated from the committed OpenAPI document', async () => {
  await run(process.execPath, ['tools/generate-client-types.mjs', '--check'], { cwd: ROOT });
});

it('the client knows every error code of the OpenAPI document', () => {
  const document = readFileSync(join(ROOT, 'openapi.json'), 'utf8');
  const codes = [...document.matchAll(/"error": "([a-z_]+)"/g)].map(([, code]) => code!);
  // Errors of RFC 6749, in responses to forms only.
  const known = new Set<string>([...ERROR_CODES, 'unsupported_grant_type']);
  expect([...new Set(codes)].filter((code) => !known.has(code))).toEqual([]);
});

it('the client for browsers is below 15 kB compressed and needs no module of Node', async () => {
  const bundle = await bundleClient('--format=esm', '--minify');
  expect(gzipSync(bundle).length).toBeLessThan(MAX_COMPRESSED_BYTES);
});
