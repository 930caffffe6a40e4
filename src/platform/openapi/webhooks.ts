import { isDeepStrictEqual } from 'node:util';
import type { Type } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';

/** The requests that the service sends to receivers. */
export interface Webhooks {
  /** The component with the fields that all have. */
  envelope: string;
  /** The types of events, each with the class of its `data`. */
  list: () => readonly { name: string; summary: string; dto: Type }[];
}

type Schemas = Record<string, object>;

/** The classes that `declareWebhooks` needs as schemas. */
export function findWebhookModels({ list }: Webhooks): Type[] {
  return list().flatMap(({ dto }) => [dto, parentOf(dto) ?? []].flat());
}

/**
 * Describes each type of events in the section `webhooks` of OpenAPI 3.1. A class that adds no field is described by the class that it
 * extends, so that the document contains the same `data` once.
 */
export function declareWebhooks(document: OpenAPIObject, { envelope, list }: Webhooks): void {
  const schemas = document.components!.schemas as Schemas;
  const requestBodies: Record<string, object> = {};
  const entries = list().map(({ name, summary, dto }) => {
    const schema = shareSchema(schemas, dto);
    const body = schema.replace(/Dto$/, '');
    const data = { properties: { data: { $ref: getSchemaPath(schema) } } };
    const content = { 'application/json': { schema: { allOf: [{ $ref: getSchemaPath(envelope) }, data] } } };
    requestBodies[body] ??= { content };
    const post = {
      operationId: name.replace(/[._]([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      summary,
      requestBody: { $ref: `#/components/requestBodies/${body}` },
      responses: { '2XX': { description: 'Received.' } },
      security: [],
    };
    return [name, { post }];
  });
  Object.assign(document.components!, { requestBodies });
  Object.assign(document, { webhooks: Object.fromEntries(entries) as object });
  const text = JSON.stringify(document);
  for (const name of new Set(list().flatMap(({ dto }) => parentOf(dto)?.name ?? [])))
    if (!text.includes(`"${getSchemaPath(name)}"`)) delete schemas[name];
}

/** The name of the schema of a class, or of the equal one of the class that it extends. */
function shareSchema(schemas: Schemas, dto: Type): string {
  const parent = parentOf(dto)?.name;
  if (!parent || !isDeepStrictEqual(schemas[dto.name], schemas[parent])) return dto.name;
  delete schemas[dto.name];
  return parent;
}

function parentOf(dto: Type): Type | undefined {
  const parent = Object.getPrototypeOf(dto) as Type;
  return parent.name === '' ? undefined : parent;
}
