import { isDeepStrictEqual } from 'node:util';
import type { Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type Operation, operationsOf, type Schema } from './operations.js';
import { shareFields } from './shared-fields.js';

type Schemas = Record<string, Schema & { items?: Schema }>;

/** Keywords whose values are data of callers and not schemas. */
const DATA = ['default', 'enum', 'example', 'examples'];

/**
 * Describes the schemas as decorators cannot: with names, and with the fields that bodies and lists have.
 *
 * @param recordModels classes with the fields of many records
 * @throws {Error} if different schemas have the same title
 */
export function describeSchemas(document: OpenAPIObject, recordModels: readonly Type[]): void {
  const schemas = document.components!.schemas as Schemas;
  nameSchemas(document, schemas);
  for (const { patch } of Object.values(document.paths))
    dropDefaults((patch as Operation | undefined)?.requestBody, schemas);
  for (const operation of operationsOf(document)) divideSelected(operation, schemas);
  shareFields(document, recordModels);
}

/**
 * Moves the schemas that have a title to `components`, because code generators use the names of components as names of
 * types. Decorators set titles if a class cannot describe the schema.
 */
function nameSchemas({ paths }: OpenAPIObject, schemas: Schemas): void {
  const move = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(move);
    if (node === null || typeof node !== 'object') return node;
    for (const [key, value] of Object.entries(node)) {
      if (!DATA.includes(key)) (node as Record<string, unknown>)[key] = move(value);
    }
    const { title, ...schema } = node as { title?: unknown };
    if (typeof title !== 'string') return node;
    if (schemas[title] && !isDeepStrictEqual(schemas[title], schema))
      throw new Error(`Two schemas are named ${title}.`);
    schemas[title] = schema;
    return reference(title);
  };
  move([paths, { ...schemas }]);
  // The generator describes a named enumeration like the first property that has it.
  for (const schema of Object.values(schemas) as { enum?: unknown; description?: string }[])
    if (schema.enum) delete schema.description;
}

/**
 * Removes the defaults from the body of a PATCH: they apply to new records only. A client that fills in defaults would
 * change fields that the caller did not set.
 */
function dropDefaults(body: unknown, schemas: Schemas): void {
  const visited = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== 'object' || visited.has(node)) return;
    visited.add(node);
    visit(find(schemas, node as Schema));
    for (const property of Object.values((node as Schema).properties ?? {})) delete property.default;
    Object.values(node).forEach(visit);
  };
  visit(body);
}

/**
 * A list with the query parameter `fields` returns records of which no field is certain. So the schema of its records
 * is divided: `ProjectFields` has the fields, and `ProjectDto` additionally requires them.
 */
function divideSelected({ parameters = [], responses }: Operation, schemas: Schemas): void {
  if (!parameters.some(({ name, in: location }) => name === 'fields' && location === 'query')) return;
  const resolve = (schema: Schema = {}): Schema => (schema.$ref ? resolve(find(schemas, schema)) : schema);
  const data = resolve(responses['200']?.content?.['application/json']?.schema).properties?.['data'];
  // An export has no page.
  const { items } = (resolve(data).properties ?? {}) as { items?: { items?: Schema } };
  const record = find(schemas, items?.items);
  if (!record?.required) return;
  const { required, ...fields } = record;
  const name = nameOf(items!.items!);
  const fieldsName = name.replace(/Dto$/, 'Fields');
  schemas[fieldsName] = fields;
  schemas[name] = { allOf: [reference(fieldsName)], required };
  items!.items = reference(fieldsName);
}

function find(schemas: Schemas, node: Schema = {}): Schema | undefined {
  return typeof node.$ref === 'string' ? schemas[nameOf(node)] : undefined;
}

const nameOf = ({ $ref }: Schema): string => $ref!.split('/').at(-1)!;

const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
