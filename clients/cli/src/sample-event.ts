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
  required?: string[];
  items?: Schema;
}

interface PathItem {
  $ref?: string;
  post?: { requestBody: { content: { 'application/json': { schema: Schema } } } };
  /** Fields of `data` that are typical of a type, by type. */
  'x-samples'?: Record<string, object>;
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

/**
 * An event with the fields that its schema requires: those that are typical of its type, and the examples of the
 * others. All times are that of the event.
 *
 * @throws {UsageError} for an unknown type
 */
export function createSample(document: OpenApiDocument, type: string, workspaceId: string): WorkspaceEvent {
  const named = document.webhooks[type];
  if (!named)
    throw new UsageError(`"${type}" is not a type of events. Allowed: ${Object.keys(document.webhooks).join(', ')}.`);
  const item = named.$ref === undefined ? named : resolve<PathItem>(document, named.$ref);
  const timestamp = new Date().toISOString();
  const { schema } = item.post!.requestBody.content['application/json'];
  const given = { type, timestamp, sequence: type === 'ping' ? null : 1, data: item['x-samples']?.[type] };
  const event = new SchemaFiller(document, timestamp).fill(schema, given);
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

  constructor(
    private readonly document: OpenApiDocument,
    private readonly timestamp: string,
  ) {
    this.examples = collectExamples(Object.values(document.components.schemas));
  }

  /**
   * @param given the value, or the fields of it that are known; undefined: none
   * @param name of the property, unless the schema is that of a whole value.
   */
  fill(schema: Schema, given?: unknown, name?: string, depth = 0): unknown {
    if (schema.$ref !== undefined) return this.fill(resolve<Schema>(this.document, schema.$ref), given, name, depth);
    const isAbsent = given === undefined;
    if (isAbsent && schema.example !== undefined) return schema.example;
    // A value that may be null is null in most records.
    if (given === null || (isAbsent && isNullable(schema))) return null;
    const [variant] = schema.oneOf ?? schema.anyOf ?? [];
    if (variant) return this.fill(variant, given, name, depth);
    if (schema.allOf ?? schema.properties)
      return depth > MAX_DEPTH ? {} : this.fillObject(schema, (given ?? {}) as Record<string, unknown>, depth);
    if (Array.isArray(given))
      return given.map((item: unknown) => this.fill(schema.items ?? {}, item, undefined, depth));
    if (!isAbsent) return schema.format === 'date-time' ? this.timestamp : given;
    return schema.default ?? schema.enum?.[0] ?? this.fillValue(schema, name, depth);
  }

  /** Fields that may be absent are absent, unless they are given. */
  private fillObject(schema: Schema, given: Record<string, unknown>, depth: number): object {
    const { properties, required } = this.collectProperties(schema);
    const names = Object.keys(properties).filter((name) => required.has(name) || given[name] !== undefined);
    return Object.fromEntries(
      names.map((name) => [name, this.fill(properties[name]!, given[name], name, depth + 1)] as const),
    );
  }

  private collectProperties(schema: Schema): { properties: Record<string, Schema>; required: Set<string> } {
    const { $ref, allOf = [], properties = {}, required = [] } = schema;
    if ($ref !== undefined) return this.collectProperties(resolve<Schema>(this.document, $ref));
    const parts = allOf.map((part) => this.collectProperties(part));
    return {
      properties: Object.assign({}, ...parts.map((part) => part.properties), properties) as Record<string, Schema>,
      required: new Set([...parts.flatMap((part) => [...part.required]), ...required]),
    };
  }

  private fillValue({ type, format, items }: Schema, name: string | undefined, depth: number): unknown {
    const example = this.examples.get(name ?? '');
    if (type === 'array' && Array.isArray(example)) return example;
    if (type === 'array') return items && depth < MAX_DEPTH ? [this.fill(items, undefined, undefined, depth + 1)] : [];
    if (type === 'integer' || type === 'number') return 1;
    if (type === 'boolean') return false;
    if (type === 'object') return {};
    if (format === 'uuid') return randomUUID();
    if (format === 'date-time') return this.timestamp;
    if (format === 'uri') return 'https://example.com/';
    return typeof example === 'string' ? example : 'text';
  }
}

function isNullable({ type, oneOf = [], anyOf = [] }: Schema): boolean {
  return [type].flat().includes('null') || [...oneOf, ...anyOf].some(isNullable);
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
