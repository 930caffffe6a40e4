// What the service writes into the document of the page, and the page reads.

export type Json = Record<string, unknown>;
/** What an operation accepts as credentials, as in the document. */
export type Security = readonly Record<string, readonly string[]>[];
/** The parts of the document that the page reads itself. */
export interface PageDocument extends Json {
  openapi: string;
  paths: Record<string, Record<string, PageOperation>>;
  components: { schemas: object; securitySchemes: object };
}
interface PageOperation extends Json {
  parameters?: PageParameter[];
  requestBody?: { required?: boolean };
  /** Values of optional parameters without which the request is rejected, by name. */
  'x-prefilled'?: Readonly<Record<string, string>>;
}
interface PageParameter {
  name: string;
  schema?: { 'x-choices'?: IdChoices };
}
/** A POST of an example. */
export interface PageRequest {
  path: string;
  body: unknown;
  security: Security;
}
/** How the page finds the IDs that a parameter accepts. */
export interface IdChoices {
  /** The path of the operation. */
  path: string;
  method: string;
  /** One record: `virtual staging`. */
  kind: string;
  /** The path before the ID, with its parameters. */
  collection: string;
  /** The path of the list, which may contain the records in a field of its items. */
  list: string;
  field?: string;
  query: readonly string[];
  security: Security;
  /** Only records whose field has one of the values. */
  accepted?: { field: string; values: readonly string[] };
  /** The operation ends what it acts on. */
  ends: boolean;
  /** The operation changes what it acts on: the page suggests only what was created on it. */
  needsOwn: boolean;
  restores: boolean;
  /** Creates what the operation changes. */
  preparation: readonly PageRequest[];
}
