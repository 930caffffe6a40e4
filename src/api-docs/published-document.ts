import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';
import { withoutFiles } from '../platform/body/files-body.decorator.js';
import { EXAMPLES_EXTENSION } from './error-responses.js';
import { type Operation, operationsOf, type Schema } from './operations.js';

/** Formats of text of which every tool knows an example. */
const KNOWN_FORMATS = ['uuid', 'date', 'date-time', 'email', 'uri'];
const PLAIN_TYPES = ['integer', 'number', 'boolean'];

/** The first example of each name of a property, as JSON. */
type Known = Map<string, string>;

type Schemas = Record<string, Schema>;

/**
 * The document at `/openapi.json`: what many operations have in common is said once, for the document or for a path.
 * Properties have no example that says no more than their type or format, that the first property of the same name has,
 * or that the example of a body contains. Only Swagger UI shows these; generators of clients do not need them.
 */
export function toPublishedDocument(document: OpenAPIObject): OpenAPIObject {
  const published = structuredClone(document);
  const operations = operationsOf(published);
  const schemas = published.components!.schemas as Schemas;
  const returned = findReturned(published, operations);
  const known: Known = new Map();
  for (const [name, schema] of Object.entries(schemas)) dropExamples(schema, returned.has(name) ? known : undefined);
  for (const operation of operations) {
    delete operation[EXAMPLES_EXTENSION];
    shortenExamples(operation);
  }
  shareSecurity(published, operations);
  for (const [path, methods] of Object.entries(published.paths)) {
    const parameters = takeSharedParameters(Object.values(methods) as Operation[]);
    if (parameters.length > 0) published.paths[path] = { parameters, ...methods } as typeof methods;
  }
  return published;
}

/** Names of the schemas that not only bodies of requests contain. Each of these bodies has an example. */
function findReturned({ components }: OpenAPIObject, operations: readonly Operation[]): ReadonlySet<string> {
  const { schemas, requestBodies: _, ...others } = components!;
  const names = new Set<string>();
  const collect = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (names.has(name!)) continue;
      names.add(name!);
      collect(schemas![name!]);
    }
  };
  collect([others, operations.map(({ parameters, responses }) => [parameters, responses])]);
  return names;
}

/** A single example needs no name. A form has none that JSON has, too, apart from its files. */
function shortenExamples({ requestBody }: Operation): void {
  const { 'application/json': json, ...others } = requestBody?.content ?? {};
  for (const media of Object.values(others))
    if (json && isDeepStrictEqual(media.examples, withoutFiles(json.examples))) delete media.examples;
  for (const media of Object.values(requestBody?.content ?? {})) {
    const examples = Object.values(media.examples ?? {});
    if (examples.length !== 1) continue;
    media.example = examples[0]!.value;
    delete media.examples;
  }
}

/** @param known undefined: all examples are dropped. */
function dropExamples(schema: Schema, known: Known | undefined): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!known || isPlain(property)) delete property.example;
    else if (property.example !== undefined) {
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

/** What most operations require is what the document requires; the others state their own. */
function shareSecurity(document: OpenAPIObject, operations: readonly Operation[]): void {
  const requirements = operations.map(({ security }) => JSON.stringify(security));
  const countOf = (requirement: string) => requirements.filter((each) => each === requirement).length;
  const common = requirements.reduce((most, each) => (countOf(each) > countOf(most) ? each : most));
  document.security = JSON.parse(common) as OpenAPIObject['security'];
  for (const operation of operations) if (JSON.stringify(operation.security) === common) delete operation.security;
}

/** Removes the parameters that all operations of a path have. @returns them */
function takeSharedParameters(operations: readonly Operation[]): object[] {
  const lists = operations.map(({ parameters = [] }) => parameters);
  const isShared = (parameter: object) =>
    lists.length > 1 && lists.every((list) => list.some((each) => isDeepStrictEqual(each, parameter)));
  for (const [index, operation] of operations.entries()) {
    operation.parameters = lists[index]!.filter((each) => !isShared(each));
    if (operation.parameters.length === 0) delete operation.parameters;
  }
  return lists[0]!.filter(isShared);
}
