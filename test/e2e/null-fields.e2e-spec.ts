import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Api } from '../support/api.js';
import { findComponent, loadDocument } from '../support/openapi.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { unique } from '../support/tables.js';

interface Schema {
  $ref?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, Media> };
}

const document = loadDocument<{ paths: Record<string, Record<string, Operation>> }>();

/** Bodies with a format of another standard, which OAuth clients and OData define. */
const OTHER_STANDARDS = ['token', 'revoke', 'introspect'];

interface Case {
  id: string;
  method: string;
  path: string;
  body: unknown;
}

const resolve = (schema: Schema): Schema => {
  const found = schema.$ref ? resolve(findComponent(document, schema.$ref) as Schema) : schema;
  const parts = (found.allOf ?? []).map(resolve);
  return parts.reduce<Schema>(
    (all, part) => ({
      ...all,
      ...part,
      properties: { ...all.properties, ...part.properties },
      required: [...(all.required ?? []), ...(part.required ?? [])],
    }),
    found,
  );
};

/** The paths of the optional fields of the value, also of those that the value does not have. */
function findOptionalFields(schema: Schema, value: unknown, path: (string | number)[] = []): (string | number)[][] {
  const { properties = {}, required = [], items } = resolve(schema);
  if (Array.isArray(value)) return items && value.length > 0 ? findOptionalFields(items, value[0], [...path, 0]) : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(properties).flatMap(([name, field]) => [
    ...(required.includes(name) ? [] : [[...path, name]]),
    ...findOptionalFields(field, (value as Record<string, unknown>)[name], [...path, name]),
  ]);
}

/** A copy of the value with another value at the path; undefined omits the field. */
function withField(value: unknown, [name, ...rest]: (string | number)[], replacement: unknown): unknown {
  if (name === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((each, index) => (index === name ? withField(each, rest, replacement) : each) as unknown);
  const fields = value as Record<string, unknown>;
  return { ...fields, [name]: withField(fields[name], rest, replacement) };
}

/** Names of access policies are unique. */
const rename = (body: unknown): unknown =>
  typeof (body as { name?: unknown }).name === 'string' ? { ...(body as object), name: unique('Name') } : body;

const BODIES: Case[] = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { operationId: id, requestBody }]) => {
    const media = requestBody?.content['application/json'];
    if (!media || OTHER_STANDARDS.includes(id)) return [];
    const examples = [media.example, ...Object.values(media.examples ?? {}).map(({ value }) => value)];
    const body = examples.find((example) => typeof example === 'object' && example !== null) ?? {};
    return [{ id, method: method.toUpperCase(), path, body }];
  }),
);

const FIELDS = BODIES.flatMap(({ id, method, path, body }) => {
  const { schema } = document.paths[path]![method.toLowerCase()]!.requestBody!.content['application/json']!;
  return findOptionalFields(schema, body).map((field) => ({ id, method, path, body, field }));
});

describe('optional fields of JSON bodies', () => {
  let service: SharedService;
  let api: Api;
  let workspaceId: string;

  beforeAll(async () => {
    ({ service } = await shareService());
    const me = await service.provision();
    ({ workspaceId } = me);
    api = new Api(service.baseUrl).withKey(me.apiKey);
  });

  it('are found in the document', () => {
    expect(FIELDS.length).toBeGreaterThan(150);
    expect(FIELDS.map(({ id, field }) => `${id}.${field.join('.')}`)).toEqual(
      expect.arrayContaining([
        'createApiKey.scopes',
        'createUser.role',
        'changeUser.role',
        'changeSubscription.status',
      ]),
    );
  });

  it.each(BODIES.map(({ id }) => id))('of %s: null is the same as an absent field', async (operation) => {
    const different: unknown[] = [];
    for (const { id, method, path, body, field } of FIELDS) {
      if (id !== operation) continue;
      const target = path.replace('{workspaceId}', workspaceId).replace(/\{\w+\}/g, () => randomUUID());
      const send = async (value: unknown) => {
        const answer = await api.send(target, {
          method,
          body: JSON.stringify(withField(rename(body), field, value)),
          headers: { 'Content-Type': 'application/json' },
        });
        const { error, details } = answer.body as { error?: string; details?: unknown };
        return answer.status < 400 ? 'accepted' : { status: answer.status, error, details };
      };
      const [absent, empty] = [await send(undefined), await send(null)];
      if (!isDeepStrictEqual(absent, empty)) different.push({ field: field.join('.'), absent, null: empty });
    }
    expect(different).toEqual([]);
  });
});
