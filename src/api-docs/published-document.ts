import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';
import { EXAMPLES_EXTENSION } from './error-responses.js';
import { type Operation, operationsOf, type Schema } from './operations.js';

/** Formats of text of which every tool knows an example. */
const KNOWN_FORMATS = ['uuid', 'date', 'date-time', 'email', 'uri'];
const PLAIN_TYPES = ['integer', 'number', 'boolean'];

/** The first example of each name of a property, as JSON. */
type Known = Map<string, string>;

/**
 * The document at `/openapi.json`: without the examples of properties that say no more than their type or format, or
 * that the first property of the same name has. Only Swagger UI shows them; generators of clients do not need them.
 * Examples of a form that has those of JSON are omitted, too.
 */
export function toPublishedDocument(document: OpenAPIObject): OpenAPIObject {
  const schemas = structuredClone(document.components!.schemas) as Record<string, Schema>;
  const known: Known = new Map();
  for (const schema of Object.values(schemas)) dropExamples(schema, known);
  const published = { ...document, paths: structuredClone(document.paths) };
  for (const operation of operationsOf(published)) {
    delete operation[EXAMPLES_EXTENSION];
    dropRepeatedExamples(operation);
  }
  return { ...published, components: { ...document.components, schemas: schemas } };
}

function dropRepeatedExamples({ requestBody }: Operation): void {
  const { 'application/json': json, ...forms } = requestBody?.content ?? {};
  for (const form of Object.values(forms))
    if (json && isDeepStrictEqual(form.examples, json.examples)) delete form.examples;
}

function dropExamples(schema: Schema, known: Known): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (isPlain(property)) delete property.example;
    if (property.example !== undefined) {
      const example = JSON.stringify(property.example);
      if (known.get(name) === example) delete property.example;
      else if (!known.has(name)) known.set(name, example);
    }
    dropExamples(property, known);
  }
  for (const part of schema.allOf ?? []) dropExamples(part, known);
}

/** A reference has the values of its enum. */
function isPlain({ $ref, type, format }: Schema): boolean {
  const types = [type ?? []].flat().filter((each) => each !== 'null');
  return $ref !== undefined || KNOWN_FORMATS.includes(format ?? '') || types.some((each) => PLAIN_TYPES.includes(each));
}
