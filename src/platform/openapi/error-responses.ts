import { STATUS_CODES } from 'node:http';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { ErrorDto } from '../http/error.dto.js';
import { BASIC_SCHEME } from '../security/require-scope.decorator.js';
import { ERROR_EXAMPLES, errorBody } from './error-examples.js';
import { acceptsIdempotencyKey } from './idempotency-keys.js';
import { type Operation, operationsOf, type Response, type Schema, toPascalCase } from './operations.js';

const DESCRIPTIONS: Record<string, string> = {
  400: 'The request has the wrong shape: malformed JSON, a wrong type, an unknown field or query parameter.',
  401: 'The credentials are missing, invalid, expired or revoked.',
  403: 'The credentials lack the scope (`insufficient_scope`).',
  404: 'The resource does not exist or belongs to another workspace.',
  406: 'None of the media types in `Accept` is available; the message lists those that are.',
  408: 'The body was not received in time. The connection is closed.',
  409: 'The request conflicts with stored data.',
  410: 'The resource existed and was removed.',
  412: 'The record does not have the version in `If-Match`. Nothing was changed.',
  413: 'The body or the number of rows exceeds a limit; the details contain limit and actual value.',
  415: 'The media type is not accepted.',
  416: 'The range is outside the file; `Content-Range` contains its size.',
  422: 'The request is well-formed, but its content cannot be stored. Nothing was stored; the details list every error.',
  429: 'The rate limit in `RateLimit-Policy` is exceeded. Retry after `Retry-After` seconds.',
  503: 'The service is overloaded or the database is unavailable. Retry after `Retry-After` seconds.',
};

/** Errors of every POST that accepts an `Idempotency-Key`. */
const IDEMPOTENCY_ERRORS: Record<string, { name: string; description: string }> = {
  409: {
    name: 'RequestInProgress',
    description: 'A request with the same `Idempotency-Key` is still running. Retry after `Retry-After` seconds.',
  },
  422: {
    name: 'IdempotencyKeyReused',
    description: 'The `Idempotency-Key` was used for another request. Nothing was done.',
  },
};

/** Every error links to its code in docs/errors.md. */
const HELP_LINK = {
  description: 'Meaning, cause and remedy of the code: `<…/guide/errors#invalid_rows>; rel="help"`.',
  schema: { type: 'string' as const },
};

/** Response headers in addition to those of every error. */
const HEADERS: Record<string, Response['headers']> = {
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

/** Describes the error responses that `@ApiErrors()` declared, in `components`, because most routes share them. */
export function shareErrors(document: OpenAPIObject): void {
  const shared: Record<string, Response> = {};
  for (const operation of operationsOf(document)) {
    const errors = acceptsIdempotencyKey(operation) ? IDEMPOTENCY_ERRORS : {};
    for (const status of Object.keys({ ...operation.responses, ...errors })) {
      if (status < '400') continue;
      const { name, response } = describe(operation, status, errors[status]);
      shared[name] = response;
      operation.responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  document.components!.responses = shared as Record<string, never>;
  document.components!.headers = { ...document.components!.headers, HelpLink: HELP_LINK };
}

function describe(operation: Operation, status: string, also?: (typeof IDEMPOTENCY_ERRORS)[string]) {
  const declared = operation.responses[status];
  const causes = [
    ...(declared ? [{ name: nameError(operation, status), description: DESCRIPTIONS[status] ?? '' }] : []),
    ...(also ? [also] : []),
  ];
  // `@ApiProduces()` of the route also sets the media type of its errors, which are always JSON.
  const schema = schemaOf(declared) ?? { $ref: getSchemaPath(ErrorDto) };
  const response: Response = {
    description: causes.map(({ description }) => description).join(' Or: '),
    headers: { Link: { $ref: '#/components/headers/HelpLink' }, ...HEADERS[status] },
    content: { 'application/json': { schema, ...exampleOf(status, causes[0]!.name) } },
  };
  return { name: causes.map(({ name }) => name).join('Or'), response };
}

/** An error of the operation itself goes before those of its `Idempotency-Key`. */
function exampleOf(status: string, cause: string): object {
  const error = ERROR_EXAMPLES[cause] ?? ERROR_EXAMPLES[cause.replace(/With\w+$/, '')];
  return error ? { example: errorBody(status, error) } : {};
}

/** `BadRequest`, or `ConflictWithRowError` if the errors have more fields. */
function nameError({ responses, security = [] }: Operation, status: string): string {
  const phrase = toPascalCase(STATUS_CODES[status]!);
  const schema = schemaOf(responses[status])?.$ref?.split('/').at(-1);
  // The endpoints of OAuth 2 authenticate clients.
  if (status === '401' && security.some((requirement) => BASIC_SCHEME in requirement)) return `${phrase}Client`;
  return schema === ErrorDto.name ? phrase : `${phrase}With${schema!.replace(/Response$/, '')}`;
}

function schemaOf(response?: Response): Schema | undefined {
  return Object.values(response?.content ?? {})[0]?.schema;
}
