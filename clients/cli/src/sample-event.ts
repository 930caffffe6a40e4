import { randomUUID } from 'node:crypto';
import type { WorkspaceEvent } from '@atrium/client';
import { UsageError } from './exit-codes.js';

interface Schema {
  $ref?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  default?: unknown;
  example?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
}

interface PathItem {
  $ref?: string;
  post?: { requestBody: { content: { 'application/json': { schema: Schema } } } };
}

/** The parts of an OpenAPI document that describe the events. */
export interface OpenApiDocument {
  webhooks: Record<string, PathItem>;
  components: { schemas: Record<string, Schema>; pathItems: Record<string, PathItem> };
}

/** Records contain records, for example the table of an import. */
const MAX_DEPTH = 8;

/** The first example of each name of a property: the document states the same example of others only once. */
type Examples = ReadonlyMap<string, unknown>;

/** An event with the fields that its schema has, and their examples. @throws {UsageError} for an unknown type */
export function createSample(document: OpenApiDocument, type: string, workspaceId: string): WorkspaceEvent {
  const named = document.webhooks[type];
  if (!named)
    throw new UsageError(`"${type}" is not a type of events. Allowed: ${Object.keys(document.webhooks).join(', ')}.`);
  const item = named.$ref === undefined ? named : resolve<PathItem>(document, named.$ref);
  const filler = new SchemaFiller(document);
  const sample = filler.fill(item.post!.requestBody.content['application/json'].schema) as WorkspaceEvent;
  const event = {
    ...sample,
    ...{ id: randomUUID(), type, timestamp: new Date().toISOString() },
    sequence: type === 'ping' ? null : 1,
  };
  const toWorkspace = (name: string, value: unknown): unknown => (name === 'workspaceId' ? workspaceId : value);
  // The records of an event are in its workspace.
  return JSON.parse(JSON.stringify(event), toWorkspace) as WorkspaceEvent;
}

/** `#/components/schemas/NoteDto` */
function resolve<Found>(document: OpenApiDocument, reference: string): Found {
  let found: unknown = document;
  for (const part of reference.split('/').slice(1)) found = (found as Record<string, unknown>)[part];
  return found as Found;
}

class SchemaFiller {
  private readonly examples: Examples;

  constructor(private readonly document: OpenApiDocument) {
    this.examples = collectExamples(Object.values(document.components.schemas));
  }

  /** @param name of the property, unless the schema is that of a whole value. */
  fill(schema: Schema, name?: string, depth = 0): unknown {
    if (schema.$ref !== undefined) return this.fill(resolve<Schema>(this.document, schema.$ref), name, depth);
    if (schema.example !== undefined) return schema.example;
    if (schema.default !== undefined) return schema.default;
    if (schema.enum) return schema.enum[0];
    const [variant] = schema.oneOf ?? schema.anyOf ?? [];
    if (variant) return this.fill(variant, name, depth);
    if (schema.allOf ?? schema.properties) return depth > MAX_DEPTH ? {} : this.fillObject(schema, depth);
    return this.fillValue(schema, name, depth);
  }

  private fillObject({ allOf = [], properties = {} }: Schema, depth: number): object {
    const inherited = allOf.map((part) => this.fill(part, undefined, depth) as object);
    const own = Object.entries(properties).map(([name, schema]) => [name, this.fill(schema, name, depth + 1)] as const);
    return Object.assign({}, ...inherited, Object.fromEntries(own)) as object;
  }

  private fillValue({ type, format, items }: Schema, name: string | undefined, depth: number): unknown {
    // A value that may be absent is absent in most records.
    if (Array.isArray(type)) return type.includes('null') ? null : this.fillValue({ type: type[0]! }, name, depth);
    const example = this.examples.get(name ?? '');
    if (type === 'array' && Array.isArray(example)) return example;
    if (type === 'array') return items && depth < MAX_DEPTH ? [this.fill(items, undefined, depth + 1)] : [];
    if (type === 'integer' || type === 'number') return 1;
    if (type === 'boolean') return false;
    if (type === 'object') return {};
    if (format === 'uuid') return randomUUID();
    if (format === 'date-time') return new Date().toISOString();
    if (format === 'uri') return 'https://example.com/';
    return typeof example === 'string' ? example : 'text';
  }
}

function collectExamples(schemas: readonly Schema[], examples = new Map<string, unknown>()): Examples {
  for (const { properties = {}, allOf = [] } of schemas) {
    for (const [name, property] of Object.entries(properties)) {
      if (property.example !== undefined && !examples.has(name)) examples.set(name, property.example);
      collectExamples([property], examples);
    }
    collectExamples(allOf, examples);
  }
  return examples;
}
