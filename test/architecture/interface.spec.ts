import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expectForEach } from '../support/for-each.js';
import { findComponent, loadDocument } from '../support/openapi.js';
import { ROOT } from '../support/service.js';

const run = promisify(execFile);

interface Schema {
  $ref?: string;
  type?: string | string[];
  required?: string[];
  properties?: Record<string, Schema>;
  allOf?: Schema[];
  example?: unknown;
}

interface Answer {
  description?: string;
  content?: Record<string, { schema?: Schema; example?: string }>;
  headers?: Record<string, { description?: string }>;
}

interface Operation {
  summary?: string;
  description: string;
  tags?: string[];
  operationId?: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string }[];
  responses: Record<string, Answer>;
}

interface NamedOperation {
  /** Method and path. */
  name: string;
  operation: Operation;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
}

/** Successful responses without the envelope (specification, section 1), with the reason. */
const WITHOUT_ENVELOPE: Record<string, string> = {
  'GET /.well-known/jwks.json': 'read by resource servers, in the shape of RFC 7517',
  'GET /.well-known/oauth-authorization-server': 'read by OAuth 2.0 clients, in the shape of RFC 8414',
  'GET /.well-known/oauth-protected-resource': 'read by OAuth 2.0 clients, in the shape of RFC 9728',
  'GET /v1/api/attachments/{id}': 'the bytes of a file',
  'GET /v1/api/attachments/{id}/thumbnail': 'the bytes of a picture',
  'GET /v1/public/attachments/{id}': 'the bytes of a file',
  'GET /v1/public/attachments/{id}/thumbnail': 'the bytes of a picture',
  'GET /v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/export': 'a stream of rows',
  'GET /v2/api/workspaces/{workspaceId}/notes/export': 'a stream of notes',
  'GET /v2/api/workspaces/{workspaceId}/cw/imports/{id}/errors': 'a stream of errors',
  'POST /v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/items/compare': 'a stream of differences',
  'GET /v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/differences': 'a stream of differences',
  'GET /v2/api/workspaces/{workspaceId}/cw/proposals/{id}/differences': 'a stream of differences',
  'GET /odata/v4/{workspaceId}': 'read by programs that know OData, in the shape of OData 4.0',
  'GET /odata/v4/{workspaceId}/$metadata': 'read by programs that know OData, in the shape of OData 4.0',
  'GET /odata/v4/{workspaceId}/{set}': 'read by programs that know OData, in the shape of OData 4.0',
  'GET /odata/v4/{workspaceId}/{set}/$count': 'read by programs that know OData, in the shape of OData 4.0',
  'POST /odata/v4/{workspaceId}/{set}/$query': 'read by programs that know OData, in the shape of OData 4.0',
  'POST /odata/v4/{workspaceId}/{set}/$count/$query': 'read by programs that know OData, in the shape of OData 4.0',
  'GET /odata/v4/{workspaceId}/{set}/{navigation}': 'read by programs that know OData, in the shape of OData 4.0',
  'GET /v2/api/workspaces/{workspaceId}/power-bi.pbids': 'a file',
  'GET /health/live': 'read by load balancers',
  'GET /health/ready': 'read by load balancers',
  'GET /metrics': 'read by Prometheus',
};

/** Routes that accept only access tokens, with the reason. */
const TOKEN_ONLY: Record<string, string> = {
  'POST /v1/api/oauth2/logout': 'an API key has no session',
  'GET /v1/api/sessions': 'an API key acts for one workspace',
  'DELETE /v1/api/sessions/{id}': 'an API key acts for one workspace',
  'GET /v1/api/users/me/invitations': 'an API key acts for one workspace',
  'POST /v1/api/users/me/invitations/{id}/accept': 'an API key acts for one workspace',
  'DELETE /v1/api/users/me/invitations/{id}': 'an API key acts for one workspace',
};

/** Routes that accept only API keys, with the reason. */
const API_KEY_ONLY: Record<string, string> = {
  'POST /v1/api/notes/erp/webhook': 'section 4.3 of the specification: callers of the legacy schema have nothing else',
};

/** Excel and Power BI send an API key only as the password of Basic credentials. */
const KEY_AS_PASSWORD = / \/odata\//;

const document = loadDocument<Document>();

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

const itemOperations = operations.filter(({ name }) => /items(\/query)?$/.test(name));

/** Checks every operation in one test, which lists all that fail. */
const forEachOf = (checked: NamedOperation[], check: (each: NamedOperation) => void) =>
  expectForEach(checked, ({ name }) => name, check);

const answersOf = ({ responses }: Operation, statuses: RegExp) =>
  Object.entries(responses).filter(([status]) => statuses.test(status));

describe('openapi.json', () => {
  it('openapi.json matches the code (otherwise run `npm run openapi`)', async () => {
    await expect(run(process.execPath, ['dist/src/openapi.js', '--check'], { cwd: ROOT })).resolves.toBeDefined();
  });

  it('openapi.json has unique operation IDs', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('openapi.json contains every excepted route', () => {
    const excepted = [WITHOUT_ENVELOPE, API_KEY_ONLY, TOKEN_ONLY].flatMap((routes) => Object.keys(routes));
    expect(operations.map(({ name }) => name)).toEqual(expect.arrayContaining(excepted));
  });
});

describe('operations of openapi.json', () => {
  it('every operation has a summary and a tag', () => {
    forEachOf(operations, ({ operation }) => {
      expect(operation.summary).toMatch(/\S/);
      expect(operation.tags).toHaveLength(1);
    });
  });

  it('every operation declares its security with existing schemes', () => {
    forEachOf(operations, ({ operation }) => {
      expect(operation.security).toBeDefined();
      const schemes = operation.security!.flatMap((requirement) => Object.keys(requirement));
      expect(Object.keys(document.components.securitySchemes)).toEqual(expect.arrayContaining(schemes));
    });
  });

  it('every operation accepts all three schemes, or those in the lists of exceptions, and its description names the scopes of oauth2', () => {
    forEachOf(operations, ({ name, operation }) => {
      const scopesIn = (scheme: string) => operation.security!.flatMap((requirement) => requirement[scheme] ?? []);
      const schemes = [...new Set(operation.security!.flatMap((requirement) => Object.keys(requirement)))];
      if (name in API_KEY_ONLY) expect(schemes).toEqual(['apiKey']);
      else if (name in TOKEN_ONLY) expect(schemes).toEqual(['bearer', 'oauth2']);
      else if (KEY_AS_PASSWORD.test(name)) expect(schemes).toEqual(['bearer', 'apiKey', 'oauth2', 'apiKeyAsPassword']);
      else expect([[], ['bearer', 'apiKey', 'oauth2'], ['basic']]).toContainEqual(schemes);
      // Tools know scopes only of OAuth 2.
      expect([...scopesIn('bearer'), ...scopesIn('apiKey')]).toEqual([]);
      for (const scope of scopesIn('oauth2')) expect(operation.description).toMatch(`\`${scope}\``);
    });
  });

  it('every operation documents the errors of the access guard unless it is public', () => {
    forEachOf(operations, ({ operation }) => {
      const guarded = ['bearer', 'apiKey', 'oauth2'];
      const open = operation.security!.every((requirement) => !guarded.some((scheme) => scheme in requirement));
      const scoped = operation.description.includes('Scope: ');
      const expected = [...(open ? [] : ['401', '503']), ...(scoped ? ['403'] : [])];
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(expected));
    });
  });

  it('every operation documents its successful responses in the envelope', () => {
    forEachOf(operations, ({ name, operation }) => {
      const successes = answersOf(operation, /^2/);
      expect(successes.length).toBeGreaterThan(0);
      for (const [, { description, content }] of successes) {
        expect(description).toMatch(/\S/);
        if (name in WITHOUT_ENVELOPE) continue;
        const { required, properties = {} } = resolveEnvelope(content?.['application/json']?.schema);
        expect(required).toEqual(['status', 'message', 'timestamp', 'data']);
        expect(properties['status']).toMatchObject({ type: 'integer' });
        // One schema describes the messages of created and of updated records.
        expect(properties['message']).toMatchObject({ type: 'string', example: 'OK' });
        expectObject(properties['data']);
      }
    });
  });

  it('every operation names each parameter once and documents the rejection of unknown ones', () => {
    forEachOf(operations, ({ name, operation }) => {
      const named = (operation.parameters ?? []).map((each) => `${each.in} ${each.name}`.toLowerCase());
      expect(new Set(named).size).toBe(named.length);
      if (/ \/v\d/.test(name)) expect(Object.keys(operation.responses)).toContain('400');
    });
  });

  it('every operation documents its errors with the error schema', () => {
    forEachOf(operations, ({ operation }) => {
      for (const [, { description, content }] of answersOf(operation, /^[45]/)) {
        expect(description).toMatch(/\S/);
        const { schema } = content?.['application/json'] ?? {};
        const { anyOf: [own] = [schema] } = schema as { anyOf?: [typeof schema] };
        expect(own).toMatchObject({
          allOf: [{ $ref: expect.stringMatching(/^#\/components\/schemas\/\w*Error\w*$/) }],
          properties: { error: { enum: expect.any(Array) } },
        });
      }
    });
  });
});

describe('operations that return items', () => {
  it('every operation that returns items documents only pages, as JSON, and the headers that they have', () => {
    forEachOf(itemOperations, ({ name, operation }) => {
      const { content = {}, headers = {} } = operation.responses['200']!;
      // Generators would not return a page as JSON if a stream were an alternative.
      expect(Object.keys(content)).toEqual(['application/json']);
      // A link cannot contain the body of a query.
      expect(Object.keys(headers)).toEqual(name.startsWith('GET') ? ['ETag', 'Link'] : ['ETag']);
    });
  });

  it('the export documents its formats, each with an example of several rows', () => {
    const { operation } = operations.find(({ operation: { operationId } }) => operationId === 'exportRows')!;
    const { content = {} } = operation.responses['200']!;
    expect(Object.keys(content).sort()).toEqual(['application/x-ndjson', 'text/csv']);
    for (const { example } of Object.values(content)) expect(example).toMatch(/\n.*\n|\}\n/);
  });
});

/** The properties of `Envelope` and of the schema that extends it. */
function resolveEnvelope(reference: Schema | undefined): Schema {
  expect(reference).toEqual({ $ref: expect.stringMatching(/^#\/components\/schemas\/\w+Response$/) });
  const schema = findComponent(document, reference!.$ref!) as Schema & { anyOf?: Schema[] };
  // The response to a form of OAuth 2.0 has no envelope.
  if (schema.anyOf) return resolveEnvelope(schema.anyOf[0]);
  expect(schema.allOf).toEqual([{ $ref: '#/components/schemas/Envelope' }]);
  const envelope = document.components.schemas['Envelope']!;
  const inherited = Object.entries(schema.properties!).map(([name, own]) => [
    name,
    { ...envelope.properties![name], ...own },
  ]);
  return {
    required: [...envelope.required!, ...schema.required!],
    properties: { ...envelope.properties, ...(Object.fromEntries(inherited) as Schema['properties']) },
  };
}

/** Data is an object (specification, section 1): of a declared DTO, or without properties. */
function expectObject(data: Schema | undefined): void {
  if (data?.$ref === undefined) {
    expect(data).toEqual({ type: 'object', maxProperties: 0 });
    return;
  }
  expect(data.$ref).toMatch(/^#\/components\/schemas\/\w+Dto$/);
  const schema = findComponent(document, data.$ref) as Schema;
  expect(schema.type ?? (schema.allOf && 'object')).toBe('object');
}
