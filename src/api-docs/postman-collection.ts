import type { OpenAPIObject } from '@nestjs/swagger';
import type { MediaType, Operation, Parameter, Schema } from './operations.js';
import { SIGN_IN_SCRIPT, SIGN_OUT_SCRIPT } from './postman-script.js';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

const DESCRIPTION = [
  'Set the variables clientId and clientSecret of the collection. Before a request it signs in, if there is no access',
  'token of this client that is valid for another minute, and chooses the first workspace of the client, unless you set',
  'workspaceId. To use an API key,',
  'choose the authorization type "API Key" with the header X-API-Key and the value {{apiKey}}.',
].join(' ');

/** Variables that the caller or the script sets. */
const VARIABLES = [
  ...['clientId', 'clientSecret', 'apiKey', 'workspaceId'],
  ...['accessToken', 'accessTokenExpiresAt', 'accessTokenOwner', 'chosenWorkspaceId'],
];

/** Fields of JSON and parameters of paths with the value of a variable. */
const FILLED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    client_id: '{{clientId}}',
    client_secret: '{{clientSecret}}',
    workspaceId: '{{workspaceId}}',
  }),
);

interface Pair {
  key: string;
  value: string;
  description?: string;
  disabled?: true;
}

/**
 * The document as a collection of Postman (format 2.1), which Bruno and Insomnia read, too: a folder per group, and the
 * examples of the document as values. Schemas and responses are in the document only.
 */
export function toPostmanCollection(document: OpenAPIObject): object {
  const { info, servers, tags = [], paths } = document;
  const folders = new Map(tags.map(({ name }) => [name, [] as object[]]));
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods) as [string, Operation][])
      folders.get(operation.tags![0]!)!.push(toItem(document, method.toUpperCase(), path, operation));
  }
  return {
    info: { name: info.title, version: info.version, description: DESCRIPTION, schema: SCHEMA },
    auth: toAuth('bearer', { token: '{{accessToken}}' }),
    event: [toEvent('prerequest', SIGN_IN_SCRIPT), toEvent('test', SIGN_OUT_SCRIPT)],
    variable: [{ key: 'baseUrl', value: servers![0]!.url }, ...VARIABLES.map((key) => ({ key, value: '' }))],
    item: [...folders].filter(([, item]) => item.length > 0).map(([name, item]) => ({ name, item })),
  };
}

function toEvent(listen: 'prerequest' | 'test', script: string): object {
  return { listen, script: { type: 'text/javascript', exec: script.split('\n') } };
}

function toItem(document: OpenAPIObject, method: string, path: string, operation: Operation): object {
  const parameters = (operation.parameters ?? []).map((parameter) => resolve<Parameter>(document, parameter));
  const pairsOf = (position: string) => parameters.filter((parameter) => parameter.in === position).map(toPair);
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/\{(\w+)\}/g, (_, name: string) => FILLED.get(name) ?? `:${name}`));
  const variable = pairsOf('path').filter(({ key }) => !FILLED.has(key));
  const query = pairsOf('query');
  const raw = `{{baseUrl}}/${segments.join('/')}`;
  const { type, body } = toBody(document, operation);
  const header = [...(type === undefined ? [] : [{ key: 'Content-Type', value: type }]), ...pairsOf('header')];
  return {
    name: operation.summary,
    request: {
      method,
      description: operation.description,
      auth: toAuthorization(operation),
      url: { raw, host: ['{{baseUrl}}'], path: segments, query, variable },
      header,
      body,
    },
  };
}

/** @returns undefined for that of the collection */
function toAuthorization({ security = [] }: Operation): object | undefined {
  const schemes = new Set(security.flatMap((requirement) => Object.keys(requirement)));
  if (schemes.has('bearer')) return undefined;
  if (schemes.has('basic')) return toAuth('basic', { username: '{{clientId}}', password: '{{clientSecret}}' });
  return schemes.has('apiKey')
    ? toAuth('apikey', { key: 'X-API-Key', value: '{{apiKey}}', in: 'header' })
    : { type: 'noauth' };
}

function toAuth(type: string, values: Record<string, string>): object {
  return { type, [type]: Object.entries(values).map(([key, value]) => ({ key, value, type: 'string' })) };
}

function resolve<Part extends object>(document: OpenAPIObject, part: Part & { $ref?: string }): Part {
  if (part.$ref === undefined) return part;
  const [kind, name] = part.$ref.split('/').slice(-2) as [string, string];
  return (document.components as Record<string, Record<string, Part>>)[kind]![name]!;
}

/** Optional parameters are listed, but not sent. */
function toPair({ name, required, description, schema, example }: Parameter): Pair {
  const value = toText(example ?? schema?.example ?? schema?.default ?? '');
  const pair: Pair = { key: name, value };
  if (description) pair.description = description;
  if (!required) pair.disabled = true;
  return pair;
}

/** @returns the body, and its type unless Postman sets it */
function toBody(document: OpenAPIObject, { requestBody }: Operation): { type?: string; body?: object } {
  const [first] = Object.entries(requestBody?.content ?? {});
  if (!first) return {};
  const [type, media] = first;
  if (type === 'multipart/form-data') return { body: { mode: 'formdata', formdata: toFields(document, media) } };
  const example = media.example ?? Object.values(media.examples ?? {})[0]?.value ?? {};
  const raw = typeof example === 'string' ? example : JSON.stringify(fill(example), null, 2);
  return { type, body: { mode: 'raw', raw } };
}

/** The fields of a form: those of its example, or all of its schema. */
function toFields(document: OpenAPIObject, { example, encoding, schema = {} }: MediaType): object[] {
  if (example !== undefined)
    return Object.entries(example as object).map(([key, value]) => {
      return { key, value: toText(value), type: 'text', contentType: encoding?.[key]?.contentType };
    });
  const fields = (part: Schema): [string, Schema][] => {
    const { allOf = [], properties = {} } = resolve<Schema>(document, part);
    return [...allOf.flatMap(fields), ...Object.entries(properties)];
  };
  return fields(schema).map(([key, part]) => {
    const field = resolve<Schema>(document, part);
    if (field.type === 'array') return { key, type: 'file', src: [], disabled: true };
    return { key, value: toText(field.example ?? ''), type: 'text' };
  });
}

/** The example with the values of variables. */
function fill(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fill);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, FILLED.get(name) ?? fill(field)]));
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
