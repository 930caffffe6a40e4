import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/service.js';

const run = promisify(execFile);

interface Schema {
  $ref?: string;
  type?: string | string[];
  required?: string[];
  properties?: Record<string, Schema>;
}

interface Answer {
  description?: string;
  content?: Record<string, { schema?: Schema; example?: string }>;
  headers?: Record<string, { description?: string }>;
}

interface Operation {
  summary?: string;
  tags?: string[];
  operationId?: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string }[];
  responses: Record<string, Answer>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
}

/** Successful responses without the envelope (specification, section 1), with the reason. */
const WITHOUT_ENVELOPE: Record<string, string> = {
  'GET /.well-known/jwks.json': 'read by resource servers, in the shape of RFC 7517',
  'GET /.well-known/oauth-authorization-server': 'read by OAuth 2.0 clients, in the shape of RFC 8414',
  'GET /v1/api/attachments/{id}': 'the bytes of a file',
  'GET /v1/api/attachments/{id}/thumbnail': 'the bytes of a picture',
  'GET /v1/public/attachments/{id}': 'the bytes of a file',
  'GET /v1/public/attachments/{id}/thumbnail': 'the bytes of a picture',
  'GET /health/live': 'read by load balancers',
  'GET /health/ready': 'read by load balancers',
  'GET /metrics': 'read by Prometheus',
};

/** Routes that accept only API keys, with the reason. */
const API_KEY_ONLY: Record<string, string> = {
  'POST /v1/api/notes/erp/webhook': 'section 4.3 of the specification: callers of the legacy schema have nothing else',
};

const document = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as Document;

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

const answersOf = ({ responses }: Operation, statuses: RegExp) =>
  Object.entries(responses).filter(([status]) => statuses.test(status));

describe('openapi.json', () => {
  it('matches the code (otherwise run `npm run openapi`)', async () => {
    await expect(run(process.execPath, ['dist/src/openapi.js', '--check'], { cwd: ROOT })).resolves.toBeDefined();
  });

  it('has unique operation IDs', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('contains every excepted route', () => {
    const excepted = [...Object.keys(WITHOUT_ENVELOPE), ...Object.keys(API_KEY_ONLY)];
    expect(operations.map(({ name }) => name)).toEqual(expect.arrayContaining(excepted));
  });
});

describe.each(operations)('$name', ({ name, operation }) => {
  it('has a summary and a tag', () => {
    expect(operation.summary).toMatch(/\S/);
    expect(operation.tags).toHaveLength(1);
  });

  it('declares its security with existing schemes', () => {
    expect(operation.security).toBeDefined();
    const schemes = operation.security!.flatMap((requirement) => Object.keys(requirement));
    expect(Object.keys(document.components.securitySchemes)).toEqual(expect.arrayContaining(schemes));
  });

  it('accepts all three schemes with the same scopes, or none', () => {
    const [bearer, apiKey, oauth2] = ['bearer', 'apiKey', 'oauth2'].map(
      (scheme) => operation.security!.find((requirement) => scheme in requirement)?.[scheme],
    );
    if (name in API_KEY_ONLY) expect([bearer, apiKey, oauth2]).toEqual([undefined, [expect.any(String)], undefined]);
    else expect([apiKey, oauth2]).toEqual([bearer, bearer]);
  });

  it('documents the errors of the access guard unless it is public', () => {
    const guarded = ['bearer', 'apiKey', 'oauth2'];
    const open = operation.security!.every((requirement) => !guarded.some((scheme) => scheme in requirement));
    const scoped = operation.security!.some((requirement) =>
      Object.values(requirement).some((scopes) => scopes.length > 0),
    );
    const expected = [...(open ? [] : ['401', '503']), ...(scoped ? ['403'] : [])];
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(expected));
  });

  it('documents its successful responses in the envelope', () => {
    const successes = answersOf(operation, /^2/);
    expect(successes.length).toBeGreaterThan(0);
    for (const [status, { description, content }] of successes) {
      expect(description).toMatch(/\S/);
      if (name in WITHOUT_ENVELOPE) continue;
      const schema = content?.['application/json']?.schema;
      expect(schema?.required).toEqual(['status', 'message', 'timestamp', 'data']);
      expect(schema?.properties?.['status']).toMatchObject({ type: 'integer', example: Number(status) });
      expect(schema?.properties?.['data']).toMatchObject(isDeclared(schema?.properties?.['data']));
    }
  });

  it('names each parameter once and documents the rejection of unknown ones', () => {
    const named = (operation.parameters ?? []).map((each) => `${each.in} ${each.name}`.toLowerCase());
    expect(new Set(named).size).toBe(named.length);
    if (/ \/v\d/.test(name)) expect(Object.keys(operation.responses)).toContain('400');
  });

  it('documents its errors with the error schema', () => {
    for (const [, { description, content }] of answersOf(operation, /^[45]/)) {
      expect(description).toMatch(/\S/);
      expect(content?.['application/json']?.schema).toEqual({
        $ref: expect.stringMatching(/^#\/components\/schemas\/(Error|\w+ErrorResponse)Dto$/),
      });
    }
  });
});

describe.each(operations.filter(({ name }) => /items(\/query)?$/.test(name)))('$name', ({ name, operation }) => {
  it('documents its exports, and the headers that pages have', () => {
    const { content = {}, headers = {} } = operation.responses['200']!;
    expect(Object.keys(content)).toEqual(['application/json', 'application/x-ndjson', 'text/csv']);
    for (const type of ['application/x-ndjson', 'text/csv']) expect(content[type]!.example).toMatch(/\n.*\n|\}\n/);
    // A link cannot contain the body of a query.
    expect(Object.keys(headers)).toEqual(name.startsWith('GET') ? ['ETag', 'Link'] : ['ETag']);
  });
});

/** Data is null, or of a declared DTO, or a list of one. */
function isDeclared(data: Schema | undefined): object {
  if (data?.type === 'null') return { type: 'null' };
  const reference = expect.stringMatching(/^#\/components\/schemas\/\w+Dto$/) as string;
  return data?.type === 'array' ? { items: { $ref: reference } } : { $ref: reference };
}
