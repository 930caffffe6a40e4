import type { OpenAPIObject } from '@nestjs/swagger';

/** The parts of an operation that can refer to components. */
export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, Response>;
  [extension: `x-${string}`]: unknown;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

export interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; value: unknown }>;
  /** The types of the parts of a form. */
  encoding?: Record<string, { contentType: string }>;
}

export interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, object>;
  content?: Record<string, MediaType>;
  /** The name of the component if several operations have the response; removed when they share it. */
  [NAME_EXTENSION]?: string;
}

export const NAME_EXTENSION = 'x-name';

export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  example?: unknown;
  default?: unknown;
  enum?: unknown[];
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  required?: string[];
  [keyword: `x-${string}`]: unknown;
}

/** All operations of the document, in its order. */
export function operationsOf({ paths }: OpenAPIObject): Operation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods) as Operation[]);
}

/** All operations in the order of their IDs. Names that follow from it do not depend on the order of the modules. */
export function operationsById(document: OpenAPIObject): Operation[] {
  return operationsOf(document).sort((one, other) => (one.operationId < other.operationId ? -1 : 1));
}

/** The name of the schema of a JSON response. */
export function findSchemaName({ content = {} }: Response): string | undefined {
  return content['application/json']?.schema?.$ref?.split('/').at(-1);
}

/** `Not Found` becomes `NotFound`, `If-Match` becomes `IfMatch`, `workspaceId` becomes `WorkspaceId`. */
export function toPascalCase(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]|$)/g, (_, letter: string) => letter.toUpperCase());
}
