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

/** An event with the fields that its schema has, and their examples. @throws {UsageError} for an unknown type */
export function createSample(document: OpenApiDocument, type: string, workspaceId: string): WorkspaceEvent {
  const named = document.webhooks[type];
  if (!named)
    throw new UsageError(`"${type}" is not a type of events. Allowed: ${Object.keys(document.webhooks).join(', ')}.`);
  const item = named.$ref === undefined ? named : resolve<PathItem>(document, named.$ref);
  const sample = fill(document, item.post!.requestBody.content['application/json'].schema, 0) as WorkspaceEvent;
  return {
    ...sample,
    ...{ id: randomUUID(), type, workspaceId, timestamp: new Date().toISOString() },
    sequence: type === 'ping' ? null : 1,
  };
}

/** `#/components/schemas/NoteDto` */
function resolve<Found>(document: OpenApiDocument, reference: string): Found {
  let found: unknown = document;
  for (const part of reference.split('/').slice(1)) found = (found as Record<string, unknown>)[part];
  return found as Found;
}

function fill(document: OpenApiDocument, schema: Schema, depth: number): unknown {
  if (schema.$ref !== undefined) return fill(document, resolve<Schema>(document, schema.$ref), depth);
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const [variant] = schema.oneOf ?? schema.anyOf ?? [];
  if (variant) return fill(document, variant, depth);
  if (schema.allOf ?? schema.properties) return depth > MAX_DEPTH ? {} : fillObject(document, schema, depth);
  return fillValue(document, schema, depth);
}

function fillObject(document: OpenApiDocument, { allOf = [], properties = {} }: Schema, depth: number): object {
  const inherited = allOf.map((part) => fill(document, part, depth) as object);
  const own = Object.entries(properties).map(([name, schema]) => [name, fill(document, schema, depth + 1)] as const);
  return Object.assign({}, ...inherited, Object.fromEntries(own)) as object;
}

function fillValue(document: OpenApiDocument, { type, format, items }: Schema, depth: number): unknown {
  // A value that may be absent is absent in most records.
  if (Array.isArray(type)) return type.includes('null') ? null : fillValue(document, { type: type[0]! }, depth);
  if (type === 'array') return items && depth < MAX_DEPTH ? [fill(document, items, depth + 1)] : [];
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return false;
  if (type === 'object') return {};
  if (format === 'uuid') return randomUUID();
  if (format === 'date-time') return new Date().toISOString();
  return 'text';
}
