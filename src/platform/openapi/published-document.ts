import type { OpenAPIObject } from '@nestjs/swagger';
import type { Schema } from './operations.js';

/** Formats of text of which every tool knows an example. */
const KNOWN_FORMATS = ['uuid', 'date', 'date-time', 'email'];
const PLAIN_TYPES = ['integer', 'number', 'boolean'];

/**
 * The document at `/openapi.json`: without the examples of properties that say no more than their type or format. Only Swagger
 * UI shows them; generators of clients do not need them.
 */
export function toPublishedDocument(document: OpenAPIObject): OpenAPIObject {
  const schemas = structuredClone(document.components!.schemas) as Record<string, Schema>;
  Object.values(schemas).forEach(dropPlainExamples);
  return { ...document, components: { ...document.components, schemas: schemas } };
}

function dropPlainExamples(schema: Schema): void {
  for (const property of Object.values(schema.properties ?? {})) {
    if (isPlain(property)) delete property.example;
    dropPlainExamples(property);
  }
  schema.allOf?.forEach(dropPlainExamples);
}

/** A reference has the values of its enum. */
function isPlain({ $ref, type, format }: Schema): boolean {
  const types = [type ?? []].flat().filter((each) => each !== 'null');
  return $ref !== undefined || KNOWN_FORMATS.includes(format ?? '') || types.some((each) => PLAIN_TYPES.includes(each));
}
