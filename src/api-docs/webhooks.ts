import { isDeepStrictEqual } from 'node:util';
import type { Type } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { toPascalCase } from './operations.js';

/** A type of events, with the class of its `data`. */
interface Webhook {
  name: string;
  summary: string;
  dto: Type;
  sample?: object;
}

/**
 * In a path item: fields of `data` that are typical of a type, by type. The other fields have examples in the schema.
 */
const SAMPLES_EXTENSION = 'x-samples';

/** The requests that the service sends to receivers. */
export interface Webhooks {
  /** The component with the fields that all have. */
  envelope: string;
  list: () => readonly Webhook[];
  /** The summaries of the types without `data`. */
  withoutData: Readonly<Record<string, string>>;
}

type Schemas = Record<string, object>;

/** The classes that `declareWebhooks` needs as schemas. */
export function findWebhookModels({ list }: Webhooks): Type[] {
  return list().flatMap(({ dto }) => [dto, findParent(dto) ?? []].flat());
}

/**
 * Describes each type of events in the section `webhooks` of OpenAPI 3.1. Types with the same `data` refer to one path
 * item: those of classes that add no field to the class that they extend.
 */
export function declareWebhooks(document: OpenAPIObject, { envelope, list, withoutData }: Webhooks): void {
  const schemas = document.components!.schemas as Schemas;
  const groups = new Map<string, Webhook[]>();
  for (const type of list()) {
    const schema = shareSchema(schemas, type.dto);
    groups.set(schema, [...(groups.get(schema) ?? []), type]);
  }
  const pathItems: Record<string, object> = {};
  const webhooks: Record<string, object> = {};
  for (const [schema, types] of groups) {
    const event = schema.replace(/Dto$/, '');
    const properties = { data: { $ref: getSchemaPath(schema) } };
    const summary = summarize(types);
    const samples = types.flatMap(({ name, sample }) => (sample ? [[name, sample] as const] : []));
    pathItems[event] = {
      ...describe(event, summary, { allOf: [{ $ref: getSchemaPath(envelope) }], properties }),
      [SAMPLES_EXTENSION]: samples.length > 0 ? Object.fromEntries(samples) : undefined,
    };
    for (const { name } of types) webhooks[name] = { $ref: `#/components/pathItems/${event}` };
  }
  for (const [name, summary] of Object.entries(withoutData))
    webhooks[name] = describe(toPascalCase(name), summary, { $ref: getSchemaPath(envelope) });
  Object.assign(document.components!, { pathItems });
  Object.assign(document, { webhooks });
  const text = JSON.stringify(document);
  for (const name of new Set(list().flatMap(({ dto }) => findParent(dto)?.name ?? [])))
    if (!text.includes(`"${getSchemaPath(name)}"`)) delete schemas[name];
}

/** The list of many types is in the guide. */
const MAX_SUMMARIES = 4;

function summarize(types: readonly Webhook[]): string {
  const [record] = types[0]!.name.split('.');
  return types.length > MAX_SUMMARIES ? `An event of \`${record}.*\`.` : types.map(({ summary }) => summary).join(' ');
}

/** The request that sends an event. */
function describe(event: string, summary: string, schema: object): object {
  const post = {
    operationId: `receive${event}`,
    summary,
    requestBody: { content: { 'application/json': { schema } } },
    responses: { '2XX': { description: 'OK' } },
    security: [],
  };
  return { post };
}

/** The name of the schema of a class, or of the equal one of the class that it extends. */
function shareSchema(schemas: Schemas, dto: Type): string {
  const parent = findParent(dto)?.name;
  if (!parent || !isDeepStrictEqual(schemas[dto.name], schemas[parent])) return dto.name;
  delete schemas[dto.name];
  return parent;
}

function findParent(dto: Type): Type | undefined {
  const parent = Object.getPrototypeOf(dto) as Type;
  return parent.name === '' ? undefined : parent;
}
