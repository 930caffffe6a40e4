import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ErrorDto } from '../../platform/http/error.dto.js';
import { BASIC_SCHEME, OAUTH2_SCHEME } from '../../platform/security/require-scope.decorator.js';
import { type ErrorReference, isIdempotencyCode, type StatusErrors } from '../error-codes.js';
import { type MediaType, type Operation, operationsOf, type Response, toPascalCase } from '../operations.js';

/** An error as the examples of the document contain it, without the fields that every error has. */
interface ExampleError {
  error: string;
  message: string;
  details?: object;
}

const listed = (...errors: object[]) => ({ total: errors.length, errors });

const COLUMN = { type: 'asset', table: 'Example Assets', column: 'weight' };

const ROW_ERROR = {
  field: 'assets[0].items[1].weight',
  code: 'type_mismatch',
  message: '"heavy" is not a number.',
  ...COLUMN,
  index: 1,
  key: 'EX-2002',
};

const TYPE_ERROR = {
  field: 'columns[0].type',
  code: 'column_type_conflict',
  message: 'The column "weight" has the type number, not text.',
  ...COLUMN,
};

/** Typical errors by the phrase of the status and the schema of its fields, or by the code of an `Idempotency-Key`. */
const ERROR_EXAMPLES: Record<string, ExampleError> = {
  BadRequest: {
    error: 'invalid_request',
    message: 'The request is not valid.',
    details: listed({ field: 'limit', code: 'invalid_field', message: 'limit must be an integer from 1 to 1000.' }),
  },
  Unauthorized: {
    error: 'unauthenticated',
    message: 'Credentials are required. Send Authorization: Bearer <access token>, or X-API-Key.',
  },
  UnauthorizedClient: { error: 'invalid_client', message: 'Client authentication failed' },
  Forbidden: { error: 'insufficient_scope', message: 'This needs the scope write:projects. Sign in with it.' },
  NotFound: { error: 'not_found', message: 'The resource was not found.' },
  NotAcceptable: {
    error: 'not_acceptable',
    message: 'Available: application/json, application/x-ndjson, text/csv.',
  },
  RequestTimeout: { error: 'request_timeout', message: 'The body was not received within 60 seconds.' },
  Conflict: { error: 'archived', message: 'The record is archived. Restore it first.' },
  ConflictWithRowError: {
    error: 'column_type_conflict',
    message: 'An existing column was sent with another type. Nothing was stored.',
    details: listed(TYPE_ERROR),
  },
  ConflictWithTableError: {
    error: 'name_taken',
    message: 'Another table has this name.',
    details: listed({ field: 'name', code: 'name_taken', message: 'Another table has the name "Assets".' }),
  },
  ConflictWithImportError: { error: 'import_cancelled', message: 'The import was cancelled. Nothing was stored.' },
  Gone: { error: 'revision_gone', message: 'Changes since revision 12 are no longer stored. Export the table again.' },
  PreconditionFailed: {
    error: 'version_mismatch',
    message: 'The record has version 3, but If-Match contains version 2. Nothing was changed; read the record again.',
  },
  PayloadTooLarge: {
    error: 'too_large',
    message: 'The body exceeds the limit of 1048576 bytes.',
    details: { limit: 1_048_576, actual: 2_097_152 },
  },
  PayloadTooLargeWithImportError: {
    error: 'line_too_long',
    message: 'A line of the file is too long.',
    details: { limit: 1_048_576, ...listed({ code: 'line_too_long', message: 'The line is too long.', line: 5001 }) },
  },
  UnsupportedMediaType: { error: 'unsupported_media_type', message: 'Send application/json.' },
  RangeNotSatisfiable: {
    error: 'range_not_satisfiable',
    message: 'The requested range is outside the file, which has 102400 bytes.',
    details: { limit: 102_400 },
  },
  UnprocessableEntity: {
    error: 'unknown_row',
    message: 'The location "AT10-UTL-XX" was not found.',
    details: listed({ field: 'location', code: 'unknown_row', message: 'The location "AT10-UTL-XX" was not found.' }),
  },
  UnprocessableEntityWithRowError: {
    error: 'invalid_rows',
    message: '1 of 2 rows cannot be stored. Nothing was stored.',
    details: listed(ROW_ERROR),
  },
  UnprocessableEntityWithTableError: {
    error: 'invalid_columns',
    message: 'The column cannot be dropped. Nothing was changed.',
    details: listed({
      ...COLUMN,
      code: 'invalid_primary_key',
      message: '"equnr" is the primary key and cannot be dropped. Drop the table instead.',
    }),
  },
  UnprocessableEntityWithImportError: {
    error: 'invalid_rows',
    message: '1 of 5000 rows cannot be stored. Nothing was stored.',
    details: listed({ code: 'type_mismatch', message: '"heavy" is not a number.', column: 'weight', line: 5001 }),
  },
  UnprocessableEntityWithLegacyRecordError: {
    error: 'invalid_records',
    message: '1 error in the records. Nothing was stored.',
    details: listed({
      field: 'GEWEI',
      code: 'type_mismatch',
      message: '"x" is not a number.',
      array: 'equipment',
      index: 0,
    }),
  },
  idempotency_key_in_flight: {
    error: 'idempotency_key_in_flight',
    message: 'A request with this Idempotency-Key is still running. Send it again to receive its response.',
  },
  idempotency_key_reused: {
    error: 'idempotency_key_reused',
    message: 'The Idempotency-Key was used for another request. Nothing was done.',
  },
  TooManyRequests: { error: 'too_many_requests', message: 'Too many requests; try again in 30 minutes.' },
  ServiceUnavailable: {
    error: 'overloaded',
    message: 'The service is overloaded. Retry after 2 seconds.',
  },
};

interface Components {
  responses: Record<string, Response>;
  schemas: Record<string, { allOf?: { $ref: string }[]; anyOf?: { $ref: string }[]; properties?: ErrorProperties }>;
}

interface ErrorProperties {
  error?: { enum?: string[] };
}

/**
 * Adds an example to every error response. Operations that share a response have its example, unless their own has another
 * scope or names another record.
 */
export function addErrorExamples(document: OpenAPIObject, reference: ErrorReference): void {
  const components = document.components as unknown as Components;
  for (const operation of operationsOf(document)) {
    const group = { ...reference[operation.operationId], ...reference[operation.tags?.[0] ?? ''] };
    for (const [status, response] of Object.entries(operation.responses)) {
      if (status < '400') continue;
      const found = response.$ref ? components.responses[lastSegmentOf(response.$ref)]! : response;
      const [[type, media]] = Object.entries(found.content!) as [[string, MediaType]];
      const example = createBody(status, findExample(operation, status, media, components, group[Number(status)]));
      if (media.example === undefined) media.example = example;
      else if (JSON.stringify(media.example) !== JSON.stringify(example))
        operation.responses[status] = { ...found, content: { [type]: { ...media, example } } };
    }
  }
}

/** An error of the operation itself goes before those of its `Idempotency-Key`. */
function findExample(
  operation: Operation,
  status: string,
  { schema }: MediaType,
  { schemas }: Components,
  group?: StatusErrors,
): ExampleError {
  const named = schemas[lastSegmentOf(schema!.$ref!)]!;
  // The other alternative is the response to a form of OAuth 2.0.
  const { allOf, properties } = named.anyOf ? schemas[lastSegmentOf(named.anyOf[0]!.$ref)]! : named;
  const [code, ...others] = properties!.error!.enum!;
  if (others.length === 0 && isIdempotencyCode(code!)) return ERROR_EXAMPLES[code!]!;
  const phrase = toPascalCase(STATUS_CODES[status]!);
  const base = lastSegmentOf(allOf![0]!.$ref).replace(/Response$/, '');
  const typical =
    (isForClients(operation, status) ? ERROR_EXAMPLES[`${phrase}Client`] : undefined) ??
    (base === ErrorDto.name ? undefined : ERROR_EXAMPLES[`${phrase}With${base}`]) ??
    ERROR_EXAMPLES[phrase]!;
  if (!group) return status === '403' ? { ...typical, message: describeScope(operation) } : typical;
  const error = status === '404' ? typical.error : group.codes[0]!;
  return error === typical.error ? { ...typical, message: group.message } : { error, message: group.message };
}

/** The endpoints of OAuth 2.0 authenticate clients. */
function isForClients({ security = [] }: Operation, status: string): boolean {
  return status === '401' && security.some((requirement) => BASIC_SCHEME in requirement);
}

/** Each operation that declares 403 needs a scope, or its group has codes of its own. */
function describeScope({ security = [] }: Operation): string {
  const [scope = 'api'] = security.flatMap((requirement) => requirement[OAUTH2_SCHEME] ?? []);
  return `This needs the scope ${scope}. Sign in with it.`;
}

function createBody(status: string, { error, message, details }: ExampleError): object {
  return {
    status: Number(status),
    message,
    timestamp: 1_767_225_600_000,
    error,
    requestId: '4f7c2a91',
    ...(details ? { details } : {}),
  };
}

function lastSegmentOf(reference: string): string {
  return reference.split('/').at(-1)!;
}
