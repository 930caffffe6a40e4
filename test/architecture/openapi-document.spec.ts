import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHARED_SETS } from '../../src/api-docs/error-responses.js';
import { DOCUMENTS } from '../support/documents.js';
import { expectNone } from '../support/for-each.js';
import { findCodes, loadDocument, readDocument } from '../support/openapi.js';
import { ROOT } from '../support/service.js';

/** On average: a module that is added has less, because it shares the schemas of errors and records. */
const MAX_BYTES_PER_OPERATION = 2_472;

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  example?: unknown;
  examples?: unknown;
  schema: { type?: string; format?: string; pattern?: string; example?: unknown; examples?: unknown };
}

interface Operation {
  operationId: string;
  summary: string;
  parameters?: Parameter[];
  requestBody?: object;
  responses: Record<string, { content?: Record<string, { schema?: { $ref?: string } }> }>;
}

const text = readDocument();
const document = JSON.parse(text) as {
  components: Record<string, Record<string, object>>;
  tags: { name: string; description?: string; externalDocs?: { url: string } }[];
  webhooks: object;
};
/** With shared parameters and responses in each operation. */
const shared = loadDocument<{ paths: Record<string, Record<string, Operation>> }>();
const operations = Object.entries(shared.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

/**
 * The types in the table of the guide to events; `.completed` after `virtual_staging.queued` is one of the same record.
 */
function findDocumentedEvents(): string[] {
  const guide = readFileSync(join(ROOT, 'docs/reference/events.md'), 'utf8');
  const [table] = /^\| Type .*\n(?:\|.*\n)+/m.exec(guide)!;
  return table.split('\n').flatMap((row) => {
    const names = [...(row.split('|')[1] ?? '').matchAll(/`([a-z_.*]+)`/g)].map(([, name]) => name!);
    const records = names.flatMap((name) => /^(\w+)\./.exec(name)?.[1] ?? []);
    const isGroup = names.some((name) => name.endsWith('.*'));
    const events = names.filter((name) => !name.endsWith('.*')).map((name) => name.split('.').at(-1)!);
    return (isGroup ? records : records.slice(0, 1)).flatMap((record) => events.map((event) => `${record}.${event}`));
  });
}

describe('the section webhooks', () => {
  it('describes each type of events of the guide, and the test of a subscription', () => {
    const documented = [...findDocumentedEvents(), 'ping'];
    const types = Object.keys(document.webhooks);
    expectNone(
      types.filter((type) => !documented.includes(type)),
      'Add a row to the table of types in docs/reference/events.md: the type, when it is recorded, and its `data`.',
    );
    expectNone(
      documented.filter((type) => !types.includes(type)),
      'Declare the type by @EventType(), or remove it from the table of types in docs/reference/events.md.',
    );
  });
});

/** Other rules of the document are in interface.spec.ts. */
describe('size of openapi.json', () => {
  it(`the file has at most ${MAX_BYTES_PER_OPERATION} bytes per operation`, () => {
    expect(Buffer.byteLength(text) / operations.length).toBeLessThanOrEqual(MAX_BYTES_PER_OPERATION);
  });

  it('no header, parameter, response or schema occurs twice', () => {
    expectNone(findRepeated(document), 'Declare a class with a name, or a component, and refer to it.');
  });

  it('no description contains a sentence twice', () => {
    const repeating = [...descriptionsOf(document)].filter((description) => {
      const sentences = description.split(/(?<=[.!?])\s+/).filter((sentence) => sentence.length > 20);
      return new Set(sentences).size < sentences.length;
    });
    expectNone(repeating, 'Remove the sentence from the comment or decorator that adds it for the second time.');
  });

  it('every component is used', () => {
    const names = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, components]) => Object.keys(components).map((name) => `"#/components/${kind}/${name}"`));
    expect(names.length).toBeGreaterThan(0);
    expectNone(
      names.filter((name) => !text.includes(name)),
      'Remove the class, or name it in a route.',
    );
  });

  it('the schema of every JSON response of a success has a name', () => {
    const unnamed = operations.filter(({ operation: { responses } }) =>
      Object.entries(responses).some(([status, { content }]) => {
        const json = content?.['application/json'];
        return status < '400' && json?.schema && json.schema.$ref === undefined;
      }),
    );
    expect(operations.length).toBeGreaterThan(100);
    expectNone(
      unnamed.map(({ name }) => name),
      'Describe the response by @Enveloped(Dto) with a class.',
    );
  });
});

describe('parameters of openapi.json', () => {
  it('no optional parameter has an example, which Swagger UI and other clients would prefill', () => {
    const optional = operations.flatMap(({ name, operation: { parameters = [] } }) =>
      parameters.filter(({ required }) => !required).map((parameter) => ({ name, parameter })),
    );
    expect(optional.length).toBeGreaterThan(0);
    const prefilled = optional.filter(
      ({ parameter: { example, examples, schema } }) =>
        (example ?? examples ?? schema.example ?? schema.examples) !== undefined,
    );
    expectNone(
      prefilled.map(({ name, parameter }) => `${name}: ${parameter.name}`),
      'Remove `example` from @ApiProperty() of the parameter, and describe the form in its comment.',
    );
  });

  it('every ID in a path has the form of its values', () => {
    const ids = operations.flatMap(({ name, operation: { parameters = [] } }) =>
      parameters
        .filter((each) => each.in === 'path' && /^id$|Id$/.test(each.name))
        .map(({ schema }) => ({ name, schema })),
    );
    expect(ids.length).toBeGreaterThan(100);
    const formless = ids.filter(({ schema: { type, format, pattern } }) => type === 'string' && !format && !pattern);
    expectNone(
      formless.map(({ name }) => name),
      'Remove the description of @ApiParam(), or describe the form by its schema if the ID is not a UUID.',
    );
  });
});

describe('tags and IDs of the operations of openapi.json', () => {
  const { tags } = document;

  it('every tag has two sentences and a guide in docs', () => {
    const isGuide = (url: string) => DOCUMENTS.some((document) => document.endsWith(`/${url.split('/guide/')[1]}.md`));
    const incomplete = tags.filter(
      ({ description = '', externalDocs }) =>
        description.match(/[^.]\.(?=\s|$)/g)?.length !== 2 || !isGuide(externalDocs?.url ?? ''),
    );
    expect(tags.length).toBeGreaterThan(10);
    expectNone(
      incomplete.map(({ name }) => name),
      'Write two sentences as `description` of @ApiGroup(), and the name of a document as `guide`.',
    );
  });

  it('the groups begin with the start and end with operations of the service', () => {
    expect([tags[0]!.name, tags[1]!.name, tags.at(-1)!.name]).toEqual(['Start here', 'Authentication', 'Operations']);
  });

  it('every summary is short and addresses the reader', () => {
    const long = operations.filter(({ operation: { summary } }) => summary.length > 55 || /caller/.test(summary));
    expect(operations.length).toBeGreaterThan(100);
    expectNone(
      long.map(({ name, operation: { summary } }) => `${name}: ${summary}`),
      'Write at most 55 characters as `summary` of @ApiOperation(), and "your" in place of "the caller\'s".',
    );
  });

  it('every ID in a path has a description', () => {
    const ids = operations.flatMap(({ name, operation: { parameters = [] } }) =>
      parameters
        .filter((each) => each.in === 'path' && /id$/i.test(each.name))
        .map((parameter) => ({ name, parameter })),
    );
    expect(ids.length).toBeGreaterThan(100);
    expectNone(
      ids
        .filter(({ parameter: { description } }) => !description)
        .map(({ name, parameter }) => `${name}: ${parameter.name}`),
      'Name it `id`, which has a description, or add @ApiParam() with one.',
    );
  });

  it('every operation ID is a verb and what it acts on, without the name of a controller', () => {
    const ids = operations.map(({ operation: { operationId } }) => operationId);
    expectNone(
      ids.filter((id) => !/^(logout|[a-z]+[A-Z][A-Za-z]+)$/.test(id)),
      'Write a verb and a record, such as createChecklist, as `operationId` of @ApiOperation().',
    );
  });
});

describe('errors of openapi.json', () => {
  const errors = operations.flatMap(({ name, operation: { responses } }) =>
    Object.keys(responses)
      .filter((status) => status >= '400')
      .map((status) => ({ name: `${name} ${status}`, status, codes: findCodes(responses, status) })),
  );

  it('every error response has a union of codes', () => {
    expect(errors.length).toBeGreaterThan(500);
    expectNone(
      errors.filter(({ codes }) => codes.length === 0).map(({ name }) => name),
      'Name the errors of the route in @ApiErrors().',
    );
  });

  it('the unions contain every code of docs/reference/errors.md with its status, and no other', () => {
    const catalog = readFileSync(join(ROOT, 'docs/reference/errors.md'), 'utf8');
    const listed = [...catalog.matchAll(/^### `(\w+)`\n\n\*\*([\d, ]+)\*\*/gm)].flatMap(([, code, statuses]) =>
      statuses!.split(', ').map((status) => `${status} ${code}`),
    );
    const documented = new Set(errors.flatMap(({ status, codes }) => codes.map((code) => `${status} ${code}`)));
    // No operation declares these statuses: they are the same for all paths.
    const expected = listed.filter((each) => !/^(405|500) /.test(each) && !EXCEPTED_CODES.includes(each));
    expect(expected.length).toBeGreaterThan(100);
    expectNone(
      expected.filter((each) => !documented.has(each)),
      'Name the error in @ApiErrors() of the routes that return it, then run `npm run openapi`.',
    );
    expectNone(
      [...documented].filter((each) => !expected.includes(each)),
      'Run `npm run errors`: docs/reference/errors.md does not contain them.',
    );
  });
});

/** Codes of errors that no operation of the document returns. */
const EXCEPTED_CODES = [
  '409 client_disabled',
  '409 client_without_secret',
  '400 invalid_field',
  // Every operation with credentials, if the operator trusts an issuer.
  '401 unknown_issuer',
  '401 wrong_audience',
  '503 issuer_unavailable',
  '403 not_a_member',
  // Of the operator CLI.
  '409 issuer_exists',
  '422 export_damaged',
  '409 export_too_new',
  '409 workspace_exists',
  '409 record_exists',
  '409 file_exists',
  '409 workspace_not_deleted',
  '409 identity_exists',
  // Of the endpoint and the tools of assistants.
  '403 origin_not_allowed',
  '403 assistant_not_permitted',
  '422 answer_too_large',
  '422 nothing_to_propose',
  // SCIM has a document of its own (RFC 7643).
  '400 scim_invalid_filter',
  '400 scim_invalid_path',
  '400 scim_invalid_syntax',
  '400 scim_invalid_value',
  '400 scim_mutability',
  '400 scim_no_target',
  '409 scim_uniqueness',
];

describe('bodies of PATCH in openapi.json', () => {
  it('have no defaults, which clients would send instead of leaving the fields unchanged', () => {
    const bodies = Object.values(shared.paths).flatMap(({ patch }) => patch?.requestBody ?? []);
    expect(bodies.length).toBeGreaterThan(5);
    const named = new Set<string>();
    const collect = (node: unknown) => {
      for (const [, name] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
        if (named.has(name!)) continue;
        named.add(name!);
        collect(document.components['schemas']![name!]);
      }
    };
    collect(bodies);
    expectNone(
      [...named].filter((name) => JSON.stringify(document.components['schemas']![name]).includes('"default":')),
      'Derive the class of the body by PartialOf(), which removes the defaults.',
    );
  });
});

describe('findRepeated()', () => {
  const schema = { type: 'string', description: 'x'.repeat(200) };
  const response = { description: 'x'.repeat(60) };

  it('lists equal schemas and responses', () => {
    const repeating = {
      paths: { '/a': { get: { responses: { 404: response, 410: { ...response } } } } },
      components: { schemas: { One: { properties: { a: schema } }, Two: { items: { ...schema } } } },
    };
    expect(findRepeated(repeating)).toHaveLength(2);
  });

  it('permits references, examples and different schemas', () => {
    const reference = { $ref: `#/components/responses/${'x'.repeat(60)}` };
    expect(
      findRepeated({
        responses: { 404: reference, 410: reference },
        schemas: { One: { ...schema, type: 'integer', example: schema }, Two: schema },
      }),
    ).toEqual([]);
  });
});

/** Parts of the document that examples and enumerations may repeat. */
const DATA = ['example', 'examples', 'enum', 'required', 'default', 'security'];

/** Shorter objects than this, in characters of JSON, are not worth a component. */
const SMALL = { headers: 60, parameters: 60, responses: 60, schemas: 200 };

/** JSON of the headers, parameters, responses and schemas that the document contains more than once. */
function findRepeated(root: unknown): string[] {
  const counts = new Map<string, number>();
  const visit = (node: unknown, key = '', parent = ''): void => {
    if (node === null || typeof node !== 'object' || DATA.includes(key)) return;
    const kind = kindOf(key, parent);
    if (kind && !('$ref' in node)) {
      const json = JSON.stringify(node, sortKeys);
      if (json.length > SMALL[kind]) counts.set(`${kind}: ${json}`, (counts.get(`${kind}: ${json}`) ?? 0) + 1);
    }
    for (const [name, child] of Object.entries(node)) visit(child, name, key);
  };
  visit(root);
  return [...counts].flatMap(([json, count]) => (count > 1 ? [json] : []));
}

function kindOf(key: string, parent: string): keyof typeof SMALL | undefined {
  if (['headers', 'parameters', 'responses'].includes(parent)) return parent as keyof typeof SMALL;
  const isSchema =
    ['schema', 'items', 'additionalProperties'].includes(key) ||
    ['schemas', 'properties', 'allOf', 'anyOf', 'oneOf'].includes(parent);
  return isSchema ? 'schemas' : undefined;
}

function sortKeys(_: string, value: unknown): unknown {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}

function* descriptionsOf(node: unknown): Generator<string> {
  if (node === null || typeof node !== 'object') return;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'description' && typeof value === 'string') yield value;
    else yield* descriptionsOf(value);
  }
}

describe('codes of errors in openapi.json', () => {
  const schemas = document.components['schemas']!;

  /** The union of `error` by operation and status. */
  const codesOf = (id: string, status: number): string[] => {
    const { operation } = operations.find((each) => each.operation.operationId === id)!;
    return findCodes(operation.responses, status);
  };

  it.each([...SHARED_SETS])('a shared response with %s has the name %s', (codes, name) => {
    const has = (responses: Record<string, object>, key: string) => findCodes(responses, key).join() === codes;
    const names = Object.keys(document.components['responses']!);
    const named = names.filter((each) => has(document.components['responses']!, each));
    expect(named.filter((each) => !each.startsWith(name))).toEqual([]);
    const using = operations.filter(({ operation: { responses } }) =>
      Object.keys(responses).some((status) => has(responses, status)),
    );
    expect(using).not.toEqual([]);
  });

  it.each([
    ['listProjects', ['invalid_cursor'], ['malformed_json', 'too_many_files']],
    ['getProject', ['invalid_request'], ['invalid_cursor', 'malformed_json', 'invalid_query']],
    ['createProject', ['malformed_json'], ['invalid_cursor', 'too_many_files', 'unsupported_grant_type']],
    ['saveNote', ['malformed_json', 'too_many_files', 'empty_file'], ['invalid_cursor', 'required']],
    ['queryRows', ['invalid_query', 'invalid_cursor', 'malformed_json'], ['empty_file', 'malformed_import']],
    ['importRows', ['malformed_import'], ['invalid_cursor', 'empty_file']],
    ['issueToken', ['unsupported_grant_type'], ['invalid_cursor', 'malformed_import']],
  ])('%s declares for 400 the codes that it can return', (id, included, excluded) => {
    const codes = codesOf(id, 400);
    expect(codes).toEqual(expect.arrayContaining(included));
    expect(codes.filter((code) => excluded.includes(code))).toEqual([]);
  });

  it.each([
    ['getProject', ['database_unavailable', 'overloaded'], ['table_changed', 'storage_unavailable', 'not_ready']],
    ['readAssets', ['table_changed'], ['too_many_exports', 'too_many_imports', 'note_rules_changed']],
    ['exportRows', ['table_changed', 'too_many_exports'], ['too_many_imports', 'storage_unavailable']],
    ['importRows', ['too_many_imports', 'instance_stopping'], ['too_many_exports', 'upload_expired']],
    ['saveNote', ['note_rules_changed', 'storage_unavailable', 'upload_expired'], ['table_busy', 'too_many_waiting']],
    ['downloadAttachment', ['storage_unavailable'], ['upload_expired', 'table_busy']],
    ['listEvents', ['too_many_waiting'], ['table_busy']],
    ['getReadiness', ['not_ready'], ['table_busy']],
  ])('%s declares for 503 the codes that it can return', (id, included, excluded) => {
    const codes = codesOf(id, 503);
    expect(codes).toEqual(expect.arrayContaining(included));
    expect(codes.filter((code) => excluded.includes(code))).toEqual([]);
  });

  it.each([
    ['getProject', 401, ['unauthenticated', 'invalid_token', 'invalid_api_key']],
    ['pushLegacyRecords', 401, ['unauthenticated', 'invalid_api_key']],
    ['issueToken', 401, ['invalid_client', 'invalid_grant']],
    ['issueToken', 403, ['invalid_scope', 'invalid_grant']],
    ['revokeToken', 401, ['invalid_client']],
    ['listSessions', 401, ['unauthenticated', 'invalid_token']],
    ['getProject', 404, ['not_found']],
    ['createProject', 413, ['too_large', 'too_many_objects']],
    ['saveNote', 413, ['too_large', 'too_many_objects', 'file_too_large']],
    ['upsertAssets', 413, ['too_many_rows', 'proposal_too_large', 'too_many_tables', 'too_large', 'too_many_objects']],
    ['deleteRows', 413, ['proposal_too_large', 'too_many_keys', 'too_large', 'too_many_objects']],
    ['importRows', 413, ['line_too_long', 'proposal_too_large', 'too_large']],
    ['createProject', 415, ['unsupported_media_type']],
    ['saveNote', 415, ['unsupported_media_type', 'unsupported_file_type']],
    ['deleteRows', 422, ['invalid_keys']],
  ])('%s declares for %i only the codes that it can return', (id, status, codes) => {
    const others = ['idempotency_key_reused'];
    expect(codesOf(id, status).filter((code) => !others.includes(code))).toEqual(codes.toSorted());
  });

  it('an error of a row is one of several kinds, and its code determines its fields', () => {
    interface Kind {
      allOf: { $ref: string }[];
      properties: Record<string, { enum?: string[] }>;
    }
    const { oneOf, discriminator } = schemas['RowErrorDto'] as unknown as {
      oneOf: { $ref: string }[];
      discriminator: { propertyName: string; mapping: Record<string, string> };
    };
    const kinds = oneOf.flatMap(({ $ref }) => {
      const { properties } = schemas[$ref.split('/').at(-1)!] as unknown as Kind;
      return properties[discriminator.propertyName]!.enum!.map((code) => [code, $ref] as const);
    });
    expect(oneOf.length).toBeGreaterThan(1);
    // No code belongs to two kinds.
    expect(new Set(kinds.map(([code]) => code)).size).toBe(kinds.length);
    expect(discriminator.mapping).toEqual(Object.fromEntries(kinds));
  });
});
