import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Config } from '../../platform/config/config.js';
import type { ErrorDefinition } from '../../../packages/errors/src/error-definition.js';
import { EXAMPLES_EXTENSION } from '../../api-docs/error-responses.js';
import type { ApiReference } from '../../api-docs/reference.js';
import { declareChoices } from './id-choices.js';
import { resolveSubtree } from '../../../packages/pages/src/docs/resolve-subtree.js';
import {
  type MediaType,
  type Operation,
  operationsOf,
  type Parameter,
  type Response,
  type Schema,
} from '../../api-docs/operations.js';

const FORMS = ['multipart/form-data', 'application/x-www-form-urlencoded'];

/** Marks a field of a form that Swagger UI prefills: its name and value. */
const PREFILL = 'x-prefill';

/**
 * The document as Swagger UI renders it. It calls the service at the origin of the page, because a browser blocks other
 * origins. Fields that the caller may omit are empty: a default is sent only if the caller enters it. Every error has
 * an example.
 */
export function toPageDocument(document: OpenAPIObject, { http }: Config, reference: ApiReference): OpenAPIObject {
  const copy = structuredClone(document);
  // The page lists requests to try out; the guide describes those that the service sends.
  delete (copy as { webhooks?: object }).webhooks;
  const base = new URL(http.publicUrl).pathname;
  if (copy.servers?.[0]) copy.servers[0].url = base;
  const { parameters = {}, schemas = {} } = copy.components as unknown as Components;
  sortParameters(copy, parameters);
  for (const parameter of Object.values(parameters)) dropDefault(parameter);
  showSuccesses(copy);
  for (const operation of operationsOf(copy)) {
    showStatuses(operation, copy.components as unknown as Components);
    showErrors(operation, copy.components as unknown as Components);
    for (const parameter of operation.parameters ?? []) dropDefault(parameter);
    for (const media of formsOf(operation)) prefillForm(media, schemas);
  }
  declareChoices(copy, reference);
  // Relative to the origin of the page, like its requests.
  for (const { externalDocs } of copy.tags ?? [])
    if (externalDocs) Object.assign(externalDocs, { description: 'Guide', url: new URL(externalDocs.url).pathname });
  return copy;
}

/** Values of fields in the examples of successes: nothing has failed, and nothing is archived. */
const SUCCESS_VALUES: ReadonlyMap<string, unknown> = new Map(
  Object.entries({
    errors: [],
    warnings: [],
    error: null,
    disabledReason: null,
    archivedAt: null,
    exceeded: false,
  }),
);

/**
 * Writes the values into the schemas of successes. A partial success has the schemas as they were, with errors. The
 * examples of errors are written by `showErrors()`.
 */
function showSuccesses(document: OpenAPIObject): void {
  const { schemas = {} } = document.components as unknown as Components;
  for (const { responses } of operationsOf(document)) {
    const partial = responses['207'];
    if (partial) responses['207'] = resolveReferences(document, partial);
  }
  for (const [name, schema] of Object.entries(schemas)) if (!IS_ERROR.test(name)) showSuccess(schema);
}

/** Names of the schemas of errors. `RowErrorsDto` is a part of a success. */
const IS_ERROR = /Error(Response|(Base|Details)?Dto)?$/;

function resolveReferences(document: OpenAPIObject, response: Response): Response {
  return resolveSubtree({ ...document, response }, ['response']);
}

function showSuccess({ properties = {}, allOf = [] }: Schema): void {
  for (const [name, property] of Object.entries(properties))
    if (SUCCESS_VALUES.has(name)) properties[name] = { ...property, example: SUCCESS_VALUES.get(name) };
  for (const part of allOf) showSuccess(part);
}

/** The document describes a success of each status by the same schema, whose example has the status 200. */
function showStatuses({ responses }: Operation, components: Components): void {
  for (const [status, response] of Object.entries(responses)) {
    if (!/^2/.test(status) || status === '200') continue;
    const name = response.$ref?.split('/').at(-1);
    const shown = structuredClone(name === undefined ? response : components.responses![name]!);
    const media = shown.content?.['application/json'];
    if (!media?.schema) continue;
    media.schema = { allOf: [media.schema], properties: { status: { type: 'integer', example: Number(status) } } };
    responses[status] = shown;
  }
}

/**
 * Adds an example to every error response. Operations that share a response have its example, unless their own has
 * another code, scope or record.
 */
function showErrors(operation: Operation, components: Components): void {
  const examples = operation[EXAMPLES_EXTENSION] as Record<string, ErrorDefinition>;
  delete operation[EXAMPLES_EXTENSION];
  for (const [status, error] of Object.entries(examples)) {
    const response = operation.responses[status]!;
    const found = response.$ref ? components.responses![response.$ref.split('/').at(-1)!]! : response;
    const [[type, media]] = Object.entries(found.content!) as [[string, MediaType]];
    const example = createErrorExample(Number(status), error);
    if (media.example === undefined) media.example = example;
    else if (!isDeepStrictEqual(media.example, example))
      operation.responses[status] = { ...found, content: { [type]: { ...media, example } } };
  }
}

function createErrorExample(status: number, { code, message, details }: ErrorDefinition): object {
  const body = { status, message, timestamp: 1_767_225_600_000, error: code, requestId: '4f7c2a91' };
  return details ? { ...body, details } : body;
}

interface Components {
  responses?: Record<string, Response>;
  parameters?: Record<string, Parameter>;
  schemas?: Record<string, Schema>;
}

/** Required parameters first, those of the path in its order: of many parameters the last are out of view. */
function sortParameters({ paths }: OpenAPIObject, defined: Record<string, Parameter>): void {
  for (const [path, methods] of Object.entries(paths)) {
    const rank = (parameter: Parameter & { $ref?: string }) => {
      const { name, in: location, required } = defined[parameter.$ref?.split('/').at(-1) ?? ''] ?? parameter;
      if (location === 'path') return path.indexOf(`{${name}}`);
      return required ? path.length : Infinity;
    };
    for (const { parameters } of Object.values(methods) as Operation[])
      parameters?.sort((one, other) => (rank(one) > rank(other) ? 1 : rank(one) < rank(other) ? -1 : 0));
  }
}

function dropDefault(parameter: Parameter): void {
  if (parameter.required || !parameter.schema) return;
  const { default: value, ...schema } = parameter.schema;
  if (value === undefined) return;
  parameter.schema = schema;
  parameter.description = [parameter.description, `Default: \`${JSON.stringify(value)}\`.`].filter(Boolean).join(' ');
}

function formsOf({ requestBody }: Operation): MediaType[] {
  return FORMS.flatMap((type) => requestBody?.content[type] ?? []);
}

/** Writes the fields of the form in place, because operations with the same fields have different examples. */
function prefillForm(media: MediaType, schemas: Record<string, Schema>): void {
  const example = (Object.values(media.examples ?? {})[0]?.value ?? {}) as Record<string, unknown>;
  const { properties, required } = resolveForm(media.schema ?? {}, schemas);
  const prefilled = Object.entries(properties).map(([name, property]) => [
    name,
    Object.hasOwn(example, name) ? { ...property, [PREFILL]: { name, value: example[name] } } : property,
  ]);
  media.schema = { type: 'object', required, properties: Object.fromEntries(prefilled) as Schema['properties'] };
  delete media.examples;
}

function resolveForm(
  schema: Schema,
  schemas: Record<string, Schema>,
): Required<Pick<Schema, 'properties' | 'required'>> {
  const target = schema.$ref ? schemas[schema.$ref.split('/').at(-1)!]! : schema;
  const parts = (target.allOf ?? []).map((part) => resolveForm(part, schemas));
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), target.properties) as Record<
      string,
      Schema
    >,
    required: [...parts.flatMap(({ required }) => required), ...(target.required ?? [])],
  };
}
