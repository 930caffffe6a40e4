import { STATUS_CODES } from 'node:http';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { ALL_STATUSES, ERROR_EXTENSION, ErrorDto } from '../platform/http/error.dto.js';
import { type ErrorDefinition, STATUS } from '../../packages/errors/src/error-definition.js';
import { findContentName, listImpliedErrors } from './implied-errors.js';
import {
  NAME_EXTENSION,
  type Operation,
  operationsById,
  type Response,
  type Schema,
  toPascalCase,
} from './operations.js';

const DESCRIPTIONS: Record<number, string> = {
  400: 'Malformed.',
  401: 'No valid credentials.',
  403: 'Not permitted.',
  404: 'It does not exist or belongs to another workspace.',
  406: 'No media type in `Accept` is available.',
  408: 'The body arrived too late. The connection is closed.',
  409: 'Conflict.',
  410: 'It was removed.',
  412: 'The record has another version than `If-Match`.',
  413: 'A limit is exceeded.',
  415: 'The media type is not accepted.',
  416: 'The range is outside the file; `Content-Range` contains its size.',
  422: 'Invalid.',
  429: 'Too many requests.',
  501: 'A part of the request is not supported.',
  503: 'Unavailable.',
};

/** Response headers in addition to those of every error. */
const HEADERS: Record<number, Response['headers']> = {
  429: {
    'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', example: 1800 } },
    'RateLimit-Policy': {
      description: 'The policy: `q` requests per `w` seconds.',
      schema: { type: 'string', example: '"token";q=5;w=60' },
    },
    RateLimit: {
      description: '`r` requests remain for the next `t` seconds. Every counted response has this header.',
      schema: { type: 'string', example: '"token";r=0;t=1800' },
    },
  },
};

/** Names of responses of which every operation has some. */
const SHORT_NAMES: Record<number, string> = {
  408: 'Timeout',
  412: 'VersionMismatch',
  413: 'TooLarge',
  415: 'UnsupportedType',
  422: 'Invalid',
  429: 'RateLimited',
  503: 'Unavailable',
};

/**
 * Names of sets of codes that operations of any module can have. All other sets have the name of the module whose
 * operations have them, so that a new module renames no set of another one.
 */
export const SHARED_SETS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Scope: ['insufficient_scope'],
    ScopePolicy: ['insufficient_scope', 'policy_denied'],
    Policy: ['insufficient_role', 'insufficient_scope', 'policy_denied'],
    Record: ['archived', 'external_id_taken', 'parent_immutable'],
    CreateRecord: ['archived', 'external_id_taken', 'idempotency_key_in_flight', 'parent_immutable'],
    CreateRecords: ['duplicate', 'idempotency_key_reused', 'invalid_items'],
    Reference: ['unknown_row', 'unknown_table'],
    CreateReference: ['idempotency_key_reused', 'unknown_row', 'unknown_table'],
    ReadReference: ['busy', 'database_timeout', 'database_unavailable', 'overloaded', 'storage_full', 'table_changed'],
  }).map(([name, codes]) => [codes.join(), name]),
);

/** A response of an operation with an error status. */
interface ErrorResponse {
  operation: Operation;
  /** Its status in the names of schemas. */
  status: string;
  /** The schema of the fields. */
  base: Schema;
  /** The values of `error`. */
  codes: readonly string[];
  response: Response;
}

/** Extension of an operation with the first error of each status, which Swagger UI shows as an example. */
export const EXAMPLES_EXTENSION = 'x-error-examples';

/**
 * Describes the error responses of each operation: their description and codes, which clients receive as a union of
 * literals. The errors are those that `@ApiErrors()` declares, and those that follow from the request.
 */
export function describeErrors(document: OpenAPIObject): void {
  const described = operationsById(document).flatMap((operation) => {
    const declared = takeDeclaredErrors(operation);
    const errors = groupByStatus([...declared, ...listImpliedErrors(operation, declared)]);
    const responses = [...errors].map(([status, definitions]) => describe(operation, status, definitions));
    delete operation.responses[ALL_STATUSES];
    operation[EXAMPLES_EXTENSION] = Object.fromEntries([...errors].map(([status, [first]]) => [status, first]));
    return responses;
  });
  nameErrors(document, described);
}

function takeDeclaredErrors(operation: Operation): ErrorDefinition[] {
  const keys = Object.keys(operation).filter((key) => key.startsWith(ERROR_EXTENSION)) as (typeof EXAMPLES_EXTENSION)[];
  return keys.map((key) => {
    const definition = operation[key] as ErrorDefinition;
    delete operation[key];
    return definition;
  });
}

/** Each code of a status once. */
function groupByStatus(errors: readonly ErrorDefinition[]): Map<number, ErrorDefinition[]> {
  const groups = new Map<number, ErrorDefinition[]>();
  for (const error of errors) {
    const group = groups.get(STATUS[error.kind]) ?? [];
    if (!group.some(({ code }) => code === error.code)) groups.set(STATUS[error.kind], [...group, error]);
  }
  return groups;
}

function describe(operation: Operation, status: number, errors: readonly ErrorDefinition[]): ErrorResponse {
  const codes = errors.map(({ code }) => code);
  // `@ApiProduces()` of the route also sets the media type of its errors, which are always JSON.
  const { [status]: declared, [ALL_STATUSES]: ofAll } = operation.responses;
  const base = schemaOf(declared ?? ofAll) ?? { $ref: getSchemaPath(ErrorDto) };
  const response: Response = {
    description: DESCRIPTIONS[status],
    ...(HEADERS[status] ? { headers: HEADERS[status] } : {}),
  };
  operation.responses[status] = response;
  const name = (SHORT_NAMES[status] ?? toPascalCase(STATUS_CODES[status]!)) + findContentName(operation, status);
  return { operation, status: name, base, codes, response };
}

/** Names each set of fields and codes. The most frequent one of a status has no group in its name. */
function nameErrors({ components }: OpenAPIObject, responses: ErrorResponse[]): void {
  const schemas = components!.schemas as Record<string, Schema>;
  const names = new Set<string>();
  // `@ApiErrorsAlsoAs()`: the first alternative has codes of ours, the other belongs to another protocol.
  const alternativesOf = (base: Schema) => schemas[nameOf(base)]?.anyOf ?? [base];
  const groups = new Map<string, ErrorResponse[]>();
  for (const response of responses) {
    const [own] = alternativesOf(response.base) as [Schema];
    const key = JSON.stringify([response.status + kindOf(own), [...response.codes].sort()]);
    groups.set(key, [...(groups.get(key) ?? []), response]);
  }
  for (const group of [...groups.values()].sort((a, b) => b.length - a.length)) {
    const [{ status, base, codes, operation }] = group as [ErrorResponse];
    const [own] = alternativesOf(base) as [Schema];
    const sorted = [...codes].sort();
    const shared = SHARED_SETS.get(sorted.join());
    const ofUsers = ['', familyOf(group), toPascalCase(operation.tags?.[0] ?? ''), toPascalCase(operation.operationId)];
    const prefixes = shared === undefined ? ofUsers : [shared];
    const prefix = prefixes.find((each) => !names.has(each + status + kindOf(own)))! + status;
    names.add(prefix + kindOf(own));
    const schema: Schema = { allOf: [own], properties: { error: { enum: sorted } } };
    for (const { base, response } of group) {
      const [, ...others] = alternativesOf(base);
      response.content = {
        'application/json': { schema: others.length > 0 ? { anyOf: [schema, ...others] } : schema },
      };
      response[NAME_EXTENSION] = prefix + kindOf(base);
    }
  }
  for (const { base } of responses) if (schemas[nameOf(base)]?.anyOf) delete schemas[nameOf(base)];
}

/** What most of the operations belong to: `Tables` for those of `Tables: push` and `Tables: read`. */
function familyOf(responses: ErrorResponse[]): string {
  const families = responses.map(({ operation }) => operation.tags?.[0]?.split(':')[0] ?? '');
  const countOf = (family: string) => families.filter((each) => each === family).length;
  return toPascalCase(families.reduce((most, family) => (countOf(family) > countOf(most) ? family : most)));
}

/** Empty, or `Row` if the errors have more fields. */
function kindOf(base: Schema): string {
  return nameOf(base).replace(/Error(Response|Dto)$/, '');
}

function nameOf({ $ref = '' }: Schema): string {
  return $ref.split('/').at(-1)!;
}

function schemaOf(response?: Response): Schema | undefined {
  return Object.values(response?.content ?? {})[0]?.schema;
}
