import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCUMENTS } from '../../tools/documents.mjs';
import { loadDocument, readDocument } from '../support/openapi.js';
import { ROOT } from '../support/service.js';

/** On average: a module that is added has less, because it shares the schemas of errors and records. */
const MAX_BYTES_PER_OPERATION = 2_655;

interface Media {
  schema?: { $ref?: string };
}

const text = readDocument();
const document = JSON.parse(text) as { components: Record<string, object> };
const { paths } = loadDocument<{
  paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, Media> }> }>>;
}>();

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
    const { webhooks } = JSON.parse(text) as { webhooks: object };
    expect(Object.keys(webhooks).sort()).toEqual([...findDocumentedEvents(), 'ping'].sort());
  });
});

/** Other rules of the document are in interface.spec.ts. */
describe('size of openapi.json', () => {
  it(`the file has at most ${MAX_BYTES_PER_OPERATION} bytes per operation`, () => {
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(Buffer.byteLength(text) / operations.length).toBeLessThanOrEqual(MAX_BYTES_PER_OPERATION);
  });

  it('no header, parameter, response or schema occurs twice', () => {
    expect(findRepeated(document)).toEqual([]);
  });

  it('no description contains a sentence twice', () => {
    const repeating = [...descriptionsOf(document)].filter((description) => {
      const sentences = description.split(/(?<=[.!?])\s+/).filter((sentence) => sentence.length > 20);
      return new Set(sentences).size < sentences.length;
    });
    expect(repeating).toEqual([]);
  });

  it('every component is used', () => {
    const names = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, components]) => Object.keys(components).map((name) => `"#/components/${kind}/${name}"`));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !text.includes(name))).toEqual([]);
  });

  it('the schema of every JSON response has a name', () => {
    const schemas = Object.values(paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ responses }) => Object.values(responses))
      .flatMap(({ content }) => content?.['application/json']?.schema ?? []);
    expect(schemas.length).toBeGreaterThan(0);
    expect(schemas.filter(({ $ref }) => $ref === undefined)).toEqual([]);
  });
});

describe('parameters of openapi.json', () => {
  interface Parameter {
    name: string;
    required?: boolean;
    example?: unknown;
    examples?: unknown;
    schema: { example?: unknown; examples?: unknown };
  }

  it('no optional parameter has an example, which Swagger UI and other clients would prefill', () => {
    const operations = Object.values(paths as unknown as Record<string, Record<string, { parameters?: Parameter[] }>>);
    const optional = operations
      .flatMap((methods) => Object.values(methods).flatMap(({ parameters = [] }) => parameters))
      .filter(({ required }) => !required);
    expect(optional.length).toBeGreaterThan(0);
    const prefilled = optional.filter(
      ({ example, examples, schema }) => (example ?? examples ?? schema.example ?? schema.examples) !== undefined,
    );
    expect(prefilled).toEqual([]);
  });
});

describe('tags and IDs of the operations of openapi.json', () => {
  const { tags } = JSON.parse(text) as {
    tags: { name: string; description?: string; externalDocs?: { url: string } }[];
  };

  it('every tag has two sentences and a guide in docs', () => {
    for (const { name, description = '', externalDocs } of tags) {
      expect({ name, sentences: description.match(/[^.]\.(?=\s|$)/g) }).toEqual({
        name,
        sentences: [expect.any(String), expect.any(String)],
      });
      const guide = externalDocs!.url.split('/guide/')[1]!;
      expect(DOCUMENTS.filter((document) => document.endsWith(`/${guide}.md`))).toHaveLength(1);
    }
  });

  it('the groups begin with the start and end with operations of the service', () => {
    expect([tags[0]!.name, tags[1]!.name, tags.at(-1)!.name]).toEqual(['Start here', 'Authentication', 'Operations']);
  });

  it('every summary is short and addresses the reader', () => {
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods)) as unknown as {
      summary: string;
    }[];
    const summaries = operations.map(({ summary }) => summary);
    expect(summaries.length).toBeGreaterThan(100);
    expect(summaries.filter((summary) => summary.length > 55 || /caller/.test(summary))).toEqual([]);
  });

  it('every ID in a path has a description', () => {
    interface Parameter {
      $ref?: string;
      in: string;
      name: string;
      description?: string;
    }
    const { parameters: shared } = document.components as unknown as { parameters: Record<string, Parameter> };
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods)) as {
      parameters?: Parameter[];
    }[];
    const used = operations.flatMap(({ parameters = [] }) =>
      parameters.map((each) => (each.$ref ? shared[each.$ref.split('/').at(-1)!]! : each)),
    );
    const ids = used.filter((each) => each.in === 'path' && /id$/i.test(each.name));
    expect(ids.length).toBeGreaterThan(100);
    expect(ids.filter(({ description }) => !description)).toEqual([]);
  });

  it('every operation ID is a verb and what it acts on, without the name of a controller', () => {
    const ids = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id!);
    expect(ids.length).toBeGreaterThan(100);
    expect(ids.filter((id) => !/^(logout|[a-z]+[A-Z][A-Za-z]+)$/.test(id))).toEqual([]);
  });
});

describe('errors of openapi.json', () => {
  interface ErrorSchema {
    properties?: { error?: { enum?: string[] } };
    /** The other alternative is a response to a form of OAuth 2.0. */
    anyOf?: [{ $ref: string }, object];
  }
  const { schemas } = document.components as { schemas: Record<string, ErrorSchema> };
  const errors = Object.entries(
    paths as unknown as Record<
      string,
      Record<string, { responses: Record<string, { content?: Record<string, Media> }> }>
    >,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.entries(responses)
        .filter(([status]) => status >= '400')
        .map(([status, { content }]) => {
          const { schema } = content!['application/json']!;
          const find = (reference: string) => schemas[reference.split('/').at(-1)!]!;
          const [own] = find(schema!.$ref!).anyOf ?? [{ $ref: schema!.$ref! }];
          const codes = find(own.$ref).properties!.error!.enum!;
          return { name: `${method} ${path} ${status}`, status, codes };
        }),
    ),
  );

  it('every error response has a union of codes', () => {
    expect(errors.length).toBeGreaterThan(500);
    expect(errors.filter(({ codes }) => codes.length === 0)).toEqual([]);
  });

  it('the unions contain every code of docs/reference/errors.md with its status, and no other', () => {
    const catalog = readFileSync(join(ROOT, 'docs/reference/errors.md'), 'utf8');
    const listed = [...catalog.matchAll(/^### `(\w+)`\n\n\*\*([\d, ]+)\*\*/gm)].flatMap(([, code, statuses]) =>
      statuses!.split(', ').map((status) => `${status} ${code}`),
    );
    const documented = new Set(errors.flatMap(({ status, codes }) => codes.map((code) => `${status} ${code}`)));
    // No operation declares these statuses: they are the same for all paths.
    const expected = listed.filter((each) => !/^(405|500) /.test(each) && !EXCEPTED_CODES.includes(each));
    expect([...documented].sort()).toEqual(expected.sort());
  });
});

/** Codes of errors that no operation of the document returns. */
const EXCEPTED_CODES = ['409 client_disabled', '400 invalid_field'];

describe('bodies of PATCH in openapi.json', () => {
  it('have no defaults, which clients would send instead of leaving the fields unchanged', () => {
    const { paths: described } = JSON.parse(text) as { paths: Record<string, { patch?: { requestBody: object } }> };
    const bodies = Object.values(described).flatMap(({ patch }) => patch?.requestBody ?? []);
    expect(bodies.length).toBeGreaterThan(5);
    const named = new Set<string>();
    const collect = (node: unknown) => {
      for (const [, name] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
        if (named.has(name!)) continue;
        named.add(name!);
        collect(document.components['schemas']![name as keyof object]);
      }
    };
    collect(bodies);
    const schemas = [...named].map((name) => [
      name,
      JSON.stringify(document.components['schemas']![name as keyof object]),
    ]);
    expect(schemas.filter(([, json]) => json!.includes('"default":'))).toEqual([]);
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
  type Schemas = Record<string, { anyOf?: { $ref: string }[]; properties?: { error?: { enum?: string[] } } }>;
  const { schemas } = document.components as { schemas: Schemas };

  /** The union of `error` by operation and status. */
  const codesOf = (id: string, status: number): string[] => {
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods)) as unknown as {
      operationId: string;
      responses: Record<string, { content?: Record<string, Media> }>;
    }[];
    const { responses } = operations.find(({ operationId }) => operationId === id)!;
    const find = (name?: string) => schemas[name!.split('/').at(-1)!]!;
    const schema = find(responses[status]!.content!['application/json']!.schema!.$ref);
    // The other alternative is the error of a form, by RFC 6749.
    return (schema.anyOf ? find(schema.anyOf[0]!.$ref) : schema).properties!.error!.enum!;
  };

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
    ['readAssets', ['table_changed'], ['too_many_exports', 'too_many_imports', 'statuses_changed']],
    ['exportRows', ['table_changed', 'too_many_exports'], ['too_many_imports', 'storage_unavailable']],
    ['importRows', ['too_many_imports', 'instance_stopping'], ['too_many_exports', 'upload_expired']],
    ['saveNote', ['statuses_changed', 'storage_unavailable', 'upload_expired'], ['table_busy', 'too_many_waiting']],
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
    expect(codesOf(id, status).filter((code) => !others.includes(code))).toEqual(codes);
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
