/** The HTTP status of each kind of error. */
export const STATUS = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  timeout: 408,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  unprocessable: 422,
  too_many_requests: 429,
  internal: 500,
  not_implemented: 501,
  unavailable: 503,
} as const;

export type ErrorKind = keyof typeof STATUS;

/** A section of docs/reference/errors.md. */
export interface ErrorSection {
  heading: string;
  /** Name of the guide in `docs` that describes it, without extension. */
  guide: string;
}

export function createSection(heading: string, guide: string): ErrorSection {
  return { heading, guide };
}

export const ALL_REQUESTS = createSection('All requests', 'concepts');

/** What docs/reference/errors.md states about a code. */
interface ErrorText {
  /** What the code means, with its usual cause. */
  meaning: string;
  /** What the caller does next. */
  remedy: string;
}

interface ErrorEntry extends ErrorText {
  kind: ErrorKind;
  /** The message of errors that have no other one, or an example of a message. Swagger UI shows it. */
  message: string;
  /** An example of `details`. */
  details?: object;
}

/** A code that occurs only in `details.errors`. */
interface DetailEntry extends ErrorText {
  kind?: undefined;
}

/** The definition of an error that responses have. */
export interface ErrorDefinition extends ErrorEntry {
  /** Stable and machine-readable. */
  code: string;
  section: ErrorSection;
}

/**
 * Defines the errors of a module by their codes, in its `*.errors.ts`. The responses of the OpenAPI document and their
 * examples, docs/reference/errors.md and the list of the client follow from it.
 */
export function defineErrors<Entries extends Record<string, ErrorEntry | DetailEntry>>(
  section: ErrorSection,
  entries: Entries,
) {
  const definitions = Object.entries(entries).map(([code, entry]) => [code, { code, section, ...entry }]);
  return Object.fromEntries(definitions) as {
    readonly [Code in keyof Entries & string]: Entries[Code] & { code: Code; section: ErrorSection };
  };
}

/** The definition with another example of a message, for the OpenAPI document of one route. */
export function withMessage(definition: ErrorDefinition, message: string): ErrorDefinition {
  return { ...definition, message };
}
