import { BODY_ERRORS } from '../platform/body/body.errors.js';
import { type ErrorDefinition, STATUS } from '../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../packages/errors/src/http.errors.js';
import { IDEMPOTENCY_ERRORS } from '../platform/http/idempotency/idempotency.errors.js';
import { STORAGE_ERRORS } from '../platform/storage/storage.errors.js';
import { THROTTLING_ERRORS } from '../platform/throttling/throttling.errors.js';
import { acceptsIdempotencyKey } from './operation-descriptions.js';
import type { Operation } from './operations.js';
import { JSON_ERRORS } from '../../packages/json/src/json.errors.js';

/** Errors that requests with a certain content can cause, whatever the operation does. */
interface ImpliedErrors {
  /** Part of the names of schemas, because most requests with the status do not have the content. */
  name?: string;
  appliesTo: (operation: Operation) => boolean;
  errors: readonly ErrorDefinition[];
}

const hasParameter = ({ parameters = [] }: Operation, name: string) => parameters.some((each) => each.name === name);

const needsCredentials = ({ security = [] }: Operation) => security.some((each) => Object.keys(each).length > 0);

const acceptsJson = ({ requestBody }: Operation) => requestBody?.content['application/json'] !== undefined;

const IMPLIED_ERRORS: readonly ImpliedErrors[] = [
  { appliesTo: () => true, errors: [HTTP_ERRORS.invalid_request, HTTP_ERRORS.database_limit_exceeded] },
  {
    appliesTo: (operation) =>
      hasParameter(operation, 'workspaceId') || (operation.parameters ?? []).some((each) => each.in === 'path'),
    errors: [HTTP_ERRORS.not_found],
  },
  { appliesTo: needsCredentials, errors: [THROTTLING_ERRORS.too_many_requests] },
  { appliesTo: (operation) => hasParameter(operation, 'If-Match'), errors: [HTTP_ERRORS.version_mismatch] },
  { appliesTo: (operation) => hasParameter(operation, 'Range'), errors: [HTTP_ERRORS.range_not_satisfiable] },
  { name: 'Page', appliesTo: (operation) => hasParameter(operation, 'cursor'), errors: [HTTP_ERRORS.invalid_cursor] },
  {
    appliesTo: ({ requestBody }) => requestBody !== undefined,
    errors: [HTTP_ERRORS.request_timeout, HTTP_ERRORS.too_large, HTTP_ERRORS.unsupported_media_type],
  },
  { appliesTo: acceptsJson, errors: [JSON_ERRORS.too_many_objects] },
  {
    name: 'Body',
    appliesTo: ({ requestBody }) => requestBody !== undefined,
    errors: [JSON_ERRORS.malformed_json, BODY_ERRORS.incomplete_body, HTTP_ERRORS.too_many_fields],
  },
  {
    name: 'Files',
    // A form of an import contains rows.
    appliesTo: (operation) =>
      acceptsJson(operation) && operation.requestBody?.content['multipart/form-data'] !== undefined,
    errors: [
      BODY_ERRORS.too_many_files,
      BODY_ERRORS.empty_file,
      BODY_ERRORS.file_too_large,
      BODY_ERRORS.unsupported_file_type,
      STORAGE_ERRORS.storage_unavailable,
    ],
  },
  { appliesTo: acceptsIdempotencyKey, errors: Object.values(IDEMPOTENCY_ERRORS) },
];

/** What an operation that is temporarily unavailable for a reason of its own can also return. */
const UNAVAILABLE = [
  HTTP_ERRORS.overloaded,
  HTTP_ERRORS.database_unavailable,
  HTTP_ERRORS.database_timeout,
  HTTP_ERRORS.busy,
  HTTP_ERRORS.storage_full,
];

/** The errors of the operation, in addition to those that its route declares. */
export function listImpliedErrors(operation: Operation, declared: readonly ErrorDefinition[]): ErrorDefinition[] {
  const implied = IMPLIED_ERRORS.filter(({ appliesTo }) => appliesTo(operation)).flatMap(({ errors }) => errors);
  const isUnavailable = needsCredentials(operation) || declared.some(({ kind }) => kind === 'unavailable');
  return isUnavailable ? [...implied, ...UNAVAILABLE] : implied;
}

/** What the request contains in addition to others that have the same status, for names: `Body`, `Page`, `Files`. */
export function findContentName(operation: Operation, status: number): string {
  const named = IMPLIED_ERRORS.filter(
    ({ appliesTo, errors }) => appliesTo(operation) && errors.some(({ kind }) => STATUS[kind] === status),
  );
  return named.at(-1)?.name ?? '';
}
