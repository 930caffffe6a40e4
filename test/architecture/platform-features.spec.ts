import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectNone } from '../support/for-each.js';

/** Files of platform that name a feature, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/platform/security/scopes.ts':
    'The specification has one list of scopes, which the type of @RequireScope() contains.',
  'src/platform/http/idempotency/idempotency.errors.ts': 'The message names the headers that make another request.',
};

const FEATURES = readdirSync('src/modules').join('|');
/** `identity` as a whole text is a content coding of HTTP. */
const QUOTED_FEATURES = FEATURES.replace(/\bidentity\|?/, '');

/** Paths of the API, names of features as a whole text or as a part of a path, and headers of one feature. */
const NAMED = [
  /\/v\d+\//,
  new RegExp(`(['"\`])(?:${QUOTED_FEATURES})\\1`),
  new RegExp(`['"\`/ ]/(?:${FEATURES})\\b`),
  new RegExp(`['"\`](?:read|write|delete):(?:${FEATURES})\\b`),
  /x-claim-token/i,
];

const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm;
const IMPORT = /^(?:import|export) .* from '.*$/gm;

function findNames(text: string): string[] {
  const code = text.replace(COMMENT, '').replace(IMPORT, '');
  return NAMED.flatMap((pattern) => pattern.exec(code)?.[0] ?? []);
}

describe('platform', () => {
  const found = readdirSync('src/platform', { recursive: true, encoding: 'utf8' })
    .map((name) => join('src/platform', name))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => ({ name, names: findNames(readFileSync(name, 'utf8')) }))
    .filter(({ names }) => names.length > 0);

  it('names no feature', () => {
    expectNone(
      found.filter(({ name }) => !(name in EXCEPTIONS)).map(({ name, names }) => `${name}: ${names.join(', ')}`),
      'Let the module pass the text in, as it registers headers with EffectiveHeaders (ADR 0027).',
    );
  });

  it('has no exception without need', () => {
    expectNone(
      Object.keys(EXCEPTIONS).filter((name) => !found.some((file) => file.name === name)),
      'Remove it from EXCEPTIONS of this test.',
    );
  });

  it('declares the fields of a request in one file (ADR 0001)', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const declares = (name: string) => readFileSync(join('src', name), 'utf8').includes("declare module 'http'");
    expectNone(
      files.filter((name) => name !== 'platform/request-pipeline.ts' && declares(name)),
      'Declare the field in src/platform/request-pipeline.ts, or store the value in a WeakMap of the module.',
    );
  });

  it.each([
    ["get('/v2/api/workspaces')", true],
    ["path.endsWith('/notes')", true],
    ["const TABLES = ['workspaces'];", true],
    ["headers['x-claim-token']", true],
    ["'write:tours'", true],
    ["import { a } from '../modules/notes/a.js';", false],
    ['readonly notes;', false],
  ])('in %j: %j', (text, isNamed) => {
    expect(findNames(text).length > 0).toBe(isNamed);
  });
});
