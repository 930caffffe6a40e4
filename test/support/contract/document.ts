import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { loadDocument } from '../openapi.js';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: boolean | Schema;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  example?: unknown;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

export interface Operation {
  method: string;
  path: string;
  operationId: string;
  parameters: Parameter[];
  body?: Record<string, { schema?: Schema }>;
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

interface OpenApiDocument {
  paths: Record<
    string,
    Record<
      string,
      Pick<Operation, 'operationId' | 'responses'> & {
        parameters?: Parameter[];
        requestBody?: { content: Operation['body'] };
      }
    >
  >;
  components: { schemas: Record<string, Schema> };
}

const document = loadDocument<OpenApiDocument>();

/** All operations of the document. */
export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { requestBody, parameters, ...operation }]) => ({
    ...operation,
    parameters: parameters ?? [],
    method: method.toUpperCase(),
    path,
    ...(requestBody?.content ? { body: requestBody.content } : {}),
  })),
);

/** The schema that a reference names. */
export function resolveSchema(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : resolveSchema(document.components.schemas[name]!);
}

/** All properties of an object schema, including those of `allOf`. */
export function propertiesOf(schema: Schema): { properties: Record<string, Schema>; required: string[] } {
  const { allOf = [], properties = {}, required = [] } = resolveSchema(schema);
  const inherited = allOf.map(propertiesOf);
  return {
    properties: Object.assign({}, ...inherited.map((each) => each.properties), properties) as Record<string, Schema>,
    required: [...inherited.flatMap((each) => each.required), ...required],
  };
}

const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
addFormats.default(ajv);
for (const format of ['binary', 'password']) ajv.addFormat(format, true);
ajv.addSchema({ $id: 'openapi', components: { schemas: mapValues(document.components.schemas, closeInner) } });

const validators = new Map<Schema, ValidateFunction>();

/** Why the body does not match the schema, or has a field that the schema does not declare; undefined if it matches. */
export function findMismatch(schema: Schema, body: unknown): string | undefined {
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(absolute(close(schema)));
    validators.set(schema, validate);
  }
  return validate(body) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'body' });
}

/** Forbids undeclared properties wherever a schema is used as a whole; the members of `allOf` describe only parts. */
function close(schema: Schema): Schema {
  const closed = closeInner(schema);
  const isOpen = schema.additionalProperties !== undefined;
  const isObject = schema.$ref ?? schema.properties ?? schema.allOf ?? schema.anyOf ?? schema.oneOf;
  return isObject && !isOpen ? ({ ...closed, unevaluatedProperties: false } as Schema) : closed;
}

/** Closes only the schemas within. */
function closeInner(schema: Schema): Schema {
  const { properties, items, allOf, anyOf, oneOf, additionalProperties } = schema;
  const closed = { ...schema };
  if (properties) closed.properties = mapValues(properties, close);
  if (items) closed.items = close(items);
  if (allOf) closed.allOf = allOf.map(closeInner);
  if (anyOf) closed.anyOf = anyOf.map(close);
  if (oneOf) closed.oneOf = oneOf.map(close);
  if (typeof additionalProperties === 'object') closed.additionalProperties = close(additionalProperties);
  return closed;
}

/** Lets references point to the document. */
function absolute(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/')) as Schema;
}

function mapValues<T, R>(record: Record<string, T>, map: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
