import fc from 'fast-check';
import { type Operation, operations, type Parameter, propertiesOf, resolveSchema, type Schema } from './document.js';

/** A request with references such as `{{project}}`, which are replaced by the ID of a record when it is sent. */
export interface PlannedRequest {
  operation: Operation;
  caller: Caller;
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
  /** Sent with `Transfer-Encoding: chunked`. */
  chunked?: boolean;
  /** The path may belong to no operation, or to another one. */
  hasOtherPath?: boolean;
}

export const CALLERS = ['anonymous', 'unknown', 'key', 'token', 'reader', 'foreign'] as const;
export type Caller = (typeof CALLERS)[number];

/** Values that break assumptions, wherever they are sent. */
const JUNK: unknown[] = [
  null, true, 0, -1, 1.5, 1e21, 2 ** 53, '', ' ', 'x'.repeat(300), 'x'.repeat(70_000), '\u0000', '\ud800', '😀', [], {},
  [null], [[[]]], { a: { b: 1 } }, { toString: 1 }, '=1+1', "'; DROP TABLE notes; --", '%', '_', '2026-02-30', '1e400',
  'not-a-uuid', '00000000-0000-0000-0000-000000000000', '../../etc/passwd', 'true', 'null', '-0', '99999999999999999999',
]; // prettier-ignore

const junk = fc.constantFrom(...JUNK);

/** References by the names of parameters and properties. */
const REFERENCES: [RegExp, string][] = [
  [/^(workspaceId)$/, 'workspace'],
  [/^projectId$/, 'project'],
  [/^tourId$/, 'tour'],
  [/^(userId|assignee|author)$/, 'user'],
  [/^(threadId|noteId)$/, 'note'],
  [/attachment/i, 'attachment'],
  [/^(table|confirm|locationKey|assetKey|listKey)$/, 'table'],
  [/^(key|location|asset|under)$/, 'row'],
];

const PATH_RECORDS: [RegExp, string][] = [
  [/projects/, 'project'],
  [/tours/, 'tour'],
  [/tags/, 'tag'],
  [/notes/, 'note'],
  [/stagings/, 'staging'],
  [/attachments/, 'attachment'],
  [/users/, 'user'],
  [/workspaces\/\{id/, 'workspace'],
  [/imports/, 'import'],
];

const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ minLength: 1, maxLength: 12 }) },
  { weight: 2, arbitrary: fc.constantFrom('Name', 'code', 'A', 'pump', 'Weight', 'open', 'table') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }) },
);

function reference(name: string, kinds: [RegExp, string][]): string | undefined {
  const kind = kinds.find(([pattern]) => pattern.test(name))?.[1];
  return kind && `{{${kind}}}`;
}

/** A reference for a parameter of a path, or a value that names no record. */
export function pathReference(path: string, name: string): string {
  if (name === 'entity') return 'assets';
  if (path.endsWith('/columns/{key}') && name === 'key') return 'weight';
  if (name === 'columns') return 'name,weight';
  return reference(name, REFERENCES) ?? reference(path, PATH_RECORDS) ?? 'x';
}

/** A value of the schema; `name` is that of its property or parameter. */
function valueOf(schema: Schema, name = '', depth = 0): fc.Arbitrary<unknown> {
  const resolved = resolveSchema(schema);
  const choices = resolved.anyOf ?? resolved.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valueOf(choice, name, depth)));
  if (resolved.enum) return fc.constantFrom(...resolved.enum);
  const [type] = [resolved.type ?? (resolved.allOf ? 'object' : 'string')].flat();
  // Readers of events that wait for the longest time would be most of the time of the suite.
  if (name === 'wait') return numberOf({ ...resolved, maximum: 2 }, 'integer');
  if (type === 'integer' || type === 'number') return numberOf(resolved, type);
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  if (type === 'array')
    return fc.array(valueOf(resolved.items ?? {}, name, depth + 1), { maxLength: Math.min(3, resolved.maxItems ?? 3) });
  if (type === 'object') return objectOf(schema, depth);
  return stringOf(resolved, name);
}

function numberOf({ minimum = -5, maximum = 200 }: Schema, type: string): fc.Arbitrary<number> {
  const max = Math.max(minimum, Math.min(maximum, 1_000));
  return type === 'integer' ? fc.integer({ min: minimum, max }) : fc.double({ min: minimum, max, noNaN: true });
}

function stringOf({ format, maxLength, example }: Schema, name: string): fc.Arbitrary<unknown> {
  const known = reference(name, REFERENCES);
  if (known) return fc.constant(known);
  if (format === 'uuid') return fc.constantFrom('{{project}}', '{{tour}}', '{{note}}', '{{workspace}}');
  if (format === 'date-time') return fc.constantFrom('2026-12-01T08:00:00Z', '2020-01-01T00:00:00+01:00');
  if (format === 'date') return fc.constantFrom('2026-12-01', '2026-03-01');
  if (format === 'email') return fc.integer({ min: 0, max: 50 }).map((at) => `user${at}@example.com`);
  const examples = typeof example === 'string' ? [fc.constant(example)] : [];
  return fc.oneof(
    ...examples,
    text.map((value) => value.slice(0, maxLength)),
  );
}

function objectOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const { properties, required } = propertiesOf(schema);
  const names = Object.keys(properties);
  if (names.length === 0 || depth > 4) return fc.dictionary(fc.constantFrom('code', 'name', 'weight', 'parent'), text);
  const shape = Object.fromEntries(names.map((name) => [name, valueOf(properties[name]!, name, depth + 1)]));
  return fc.record(shape, { requiredKeys: names.filter((name) => required.includes(name)) });
}

interface Draft {
  path: Record<string, unknown>;
  query: [string, unknown][];
  headers: Record<string, string>;
  body: unknown;
}

const headerOf = ({ name, schema }: Parameter): fc.Arbitrary<string> =>
  name === 'If-Match'
    ? fc.constantFrom('"1"', '"2"', '*', '"1", "2"')
    : name === 'Idempotency-Key'
      ? fc.uuid()
      : valueOf(schema, name).map((value) => String(value).replace(/[^\x21-\x7e]/g, '') || 'x');

function draftOf({ path, parameters, body }: Operation): fc.Arbitrary<Draft> {
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const inHeader = parameters.filter((parameter) => parameter.in === 'header');
  const pathValue = ({ name, schema }: Parameter) => {
    const known = name === 'id' ? reference(path, PATH_RECORDS) : undefined;
    return fc.oneof(
      { weight: 9, arbitrary: known ? fc.constant(known) : valueOf(schema, name) },
      { weight: 1, arbitrary: text },
    );
  };
  const json = body?.['application/json']?.schema;
  return fc.record({
    path: fc.record(Object.fromEntries(inPath.map((each) => [each.name, pathValue(each)]))),
    query: fc
      .record(Object.fromEntries(inQuery.map((each) => [each.name, valueOf(each.schema, each.name)])), {
        requiredKeys: inQuery.filter(({ required }) => required).map(({ name }) => name),
      })
      .chain((values) => {
        const entries = Object.entries(values);
        return fc.subarray(entries, { maxLength: Math.min(4, entries.length) });
      }),
    headers: fc.record(Object.fromEntries(inHeader.map((each) => [each.name, headerOf(each)])), { requiredKeys: [] }),
    body: json ? valueOf(json) : fc.constant(undefined),
  }) as fc.Arbitrary<Draft>;
}

type Mutation = (request: PlannedRequest, draft: Draft) => void;

const withBody =
  (body: string | Buffer): Mutation =>
  (request) => {
    request.body = Buffer.from(body as string);
  };

/** Changes a property of the body, at some depth. */
function mutateBody(seed: number, value: unknown, key: string | undefined): Mutation {
  return (request, { body }) => {
    let node: unknown = structuredClone(body);
    const root = { body: node };
    for (let at: unknown = root, step = seed; typeof at === 'object' && at !== null; step = Math.floor(step / 7)) {
      const keys = Object.keys(at);
      if (keys.length === 0) break;
      node = at;
      at = (at as Record<string, unknown>)[keys[step % keys.length]!];
      if (step % 7 < 2 && at !== null && typeof at === 'object') continue;
      if (at === null || typeof at !== 'object' || step % 3 === 0) break;
    }
    const keys = Object.keys(node as object);
    (node as Record<string, unknown>)[key ?? keys[seed % Math.max(1, keys.length)] ?? 'x'] = value;
    request.body = Buffer.from(JSON.stringify(root.body) ?? '');
  };
}

const addQuery =
  (query: string): Mutation =>
  (request) => {
    request.path += (request.path.includes('?') ? '&' : '?') + query;
  };

const setHeader =
  (name: string, value: string): Mutation =>
  (request) => {
    request.headers[name] = value;
  };

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.constantFrom<Mutation>(
    (request) => delete request.body,
    withBody('{"a":'),
    withBody('null'),
    withBody('[]'),
    withBody('"text"'),
    withBody('{"__proto__":{"a":1}}'),
    withBody('{"constructor":{"prototype":1}}'),
    withBody('{"a":1,"a":2}'),
    withBody('{"a":"\\u0000","b":"\\ud800"}'),
    withBody(`${'[['.repeat(100)}${']]'.repeat(100)}`),
    withBody(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
    withBody(JSON.stringify({ ['k'.repeat(70_000)]: 1 })),
    setHeader('Content-Type', 'text/plain'),
    setHeader('Content-Type', 'application/x-www-form-urlencoded'),
    setHeader('Content-Type', 'multipart/form-data; boundary=x'),
    setHeader('Content-Type', 'application/json; charset=utf-16'),
    setHeader('Content-Encoding', 'gzip'),
    setHeader('If-Match', 'W/"x"'),
    setHeader('If-None-Match', '*'),
    setHeader('Idempotency-Key', 'with space'),
    setHeader('Accept', 'image/png'),
    setHeader('Range', 'bytes=0-0,5-1'),
    setHeader('Authorization', 'Bearer a b'),
    setHeader('Authorization', `Basic ${Buffer.from('a:b').toString('base64')}`),
    setHeader('X-API-Key', 'x'.repeat(5_000)),
    addQuery('limit[a]=1'),
    addQuery('fields[a][b]=1'),
    addQuery('unknown=1'),
    addQuery('%ff=1'),
    addQuery('limit=1&limit=2'),
    addQuery(`${'q'.repeat(5_000)}=1`),
    addQuery('filter[code][eq]=1&filter[code]=2'),
    addQuery('filter[x]=\u0000'.replace('\u0000', '%00')),
    addQuery('cursor=abc'),
    addQuery('sort=-nothing'),
    addQuery('__proto__[a]=1'),
    (request) => {
      request.body = Buffer.alloc(0);
      request.chunked = true;
      delete request.headers['Content-Type'];
    },
    (request) => {
      request.hasOtherPath = true;
      request.path = request.path.replace(/\/([^/?]*)(\?|$)/, '/%ff$2');
    },
  ),
  fc.record({ seed: fc.nat(5_000), value: junk }).map(({ seed, value }) => mutateBody(seed, value, undefined)),
  fc.record({ seed: fc.nat(5_000), value: junk }).map(({ seed, value }) => mutateBody(seed, value, 'unknown')),
  fc.record({ at: fc.nat(10), value: junk }).map<Mutation>(({ at, value }) => (request, { query }) => {
    const name = query[at % Math.max(1, query.length)]?.[0] ?? 'limit';
    addQuery(`${name}=${encodeURIComponent(toWellFormed(value).slice(0, 5_000))}`)(request, { query } as Draft);
  }),
);

const toWellFormed = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed();

function plan(operation: Operation, caller: Caller, draft: Draft, mutations: Mutation[]): PlannedRequest {
  const inPath = operation.path.replace(
    /\{(\w+)\}/g,
    (_, name: string) => encodeURIComponent(toWellFormed(draft.path[name])) || 'x',
  );
  const query = draft.query
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([key, each]) => [`${name}[${key}]`, each] as const)
        : [[name, value] as const],
    )
    .map(([name, value]) => `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(toWellFormed(value))}`);
  const request: PlannedRequest = {
    operation,
    caller,
    path: inPath + (query.length > 0 ? `?${query.join('&')}` : ''),
    headers: { ...draft.headers },
  };
  if (draft.body !== undefined) {
    request.body = Buffer.from(JSON.stringify(draft.body));
    request.headers['Content-Type'] = 'application/json';
  }
  // The dots of `.` and `..` are resolved by clients and routers.
  if (/\/\.{1,2}(\/|\?|$)/.test(decodeURIComponent(inPath))) request.hasOtherPath = true;
  for (const mutate of mutations) mutate(request, draft);
  return request;
}

/** Ends the session of the caller, or removes the user who calls: all later requests would be rejected. */
export const EXCLUDED = new Set(['logout']);

/** Requests to all operations, by several callers, valid ones and mutations of them. */
export const plannedRequest: fc.Arbitrary<PlannedRequest> = fc
  .constantFrom(...operations.filter(({ operationId }) => !EXCLUDED.has(operationId)))
  .chain((operation) =>
    fc
      .record({
        caller: fc.oneof(
          { weight: 6, arbitrary: fc.constant<Caller>('key') },
          { weight: 4, arbitrary: fc.constantFrom(...CALLERS) },
        ),
        draft: draftOf(operation),
        mutations: fc.oneof(
          { weight: 4, arbitrary: fc.constant<Mutation[]>([]) },
          { weight: 6, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 2 }) },
        ),
      })
      .map(({ caller, draft, mutations }) => plan(operation, caller, draft, mutations)),
  );
