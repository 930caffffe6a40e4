import { API_KEY_SCHEME, BEARER_SCHEME } from '../platform/security/require-scope.decorator.js';
import { acceptsIdempotencyKey } from './idempotency-keys.js';
import type { Operation } from './operations.js';

/** The errors of one status in a group of operations. */
export interface StatusErrors {
  /** Of the example, which has the first code. */
  message: string;
  codes: readonly string[];
}

/** By status. */
export type GroupErrors = Readonly<Record<number, StatusErrors>>;

/** By group, or by operation for codes that the other operations of its group do not return. */
export type ErrorReference = Readonly<Record<string, GroupErrors>>;

/** Codes of all operations by status. */
const CODES: Record<string, readonly string[]> = {
  400: ['invalid_request', 'database_limit_exceeded'],
  404: ['not_found'],
  406: ['not_acceptable'],
  408: ['request_timeout'],
  412: ['version_mismatch'],
  413: ['too_large'],
  415: ['unsupported_media_type'],
  416: ['range_not_satisfiable'],
  429: ['too_many_requests'],
  503: ['database_unavailable', 'database_timeout', 'busy', 'overloaded', 'storage_full'],
};

const accepts = (scheme: string, { security = [] }: Operation) => security.some((requirement) => scheme in requirement);

const acceptsJson = ({ requestBody }: Operation) => requestBody?.content['application/json'] !== undefined;

/**
 * What a request can contain, and the codes that it can cause, by status. A name is a part of the names of schemas: most requests
 * of this status do not contain it.
 */
const CONTENTS: readonly {
  name?: string;
  isIn: (operation: Operation) => boolean;
  codes: Record<string, readonly string[]>;
}[] = [
  {
    isIn: (operation) => accepts(BEARER_SCHEME, operation) || accepts(API_KEY_SCHEME, operation),
    codes: { 401: ['unauthenticated'], 403: ['insufficient_scope'] },
  },
  { isIn: (operation) => accepts(BEARER_SCHEME, operation), codes: { 401: ['invalid_token'] } },
  { isIn: (operation) => accepts(API_KEY_SCHEME, operation), codes: { 401: ['invalid_api_key'] } },
  { isIn: acceptsJson, codes: { 413: ['too_many_objects'] } },
  {
    name: 'Page',
    isIn: ({ parameters = [] }) => parameters.some(({ name }) => name === 'cursor'),
    codes: { 400: ['invalid_cursor'] },
  },
  {
    name: 'Body',
    isIn: ({ requestBody }) => requestBody !== undefined,
    codes: { 400: ['malformed_json', 'incomplete_body', 'too_many_fields'] },
  },
  {
    name: 'Files',
    // A form of an import contains rows.
    isIn: (operation) => acceptsJson(operation) && operation.requestBody?.content['multipart/form-data'] !== undefined,
    codes: {
      400: ['too_many_files', 'empty_file'],
      413: ['file_too_large'],
      415: ['unsupported_file_type'],
      503: ['storage_unavailable', 'upload_expired'],
    },
  },
];

const IDEMPOTENCY_CODES: Record<string, readonly string[]> = {
  409: ['idempotency_key_in_flight'],
  422: ['idempotency_key_reused'],
};

/** Is it a code of the `Idempotency-Key`, whatever the operation does? */
export function isIdempotencyCode(code: string): boolean {
  return Object.values(IDEMPOTENCY_CODES).flat().includes(code);
}

/** The codes that a response of the operation can have. @param own does the operation itself declare the status? */
export function codesOf(operation: Operation, status: string, reference: ErrorReference, own: boolean): string[] {
  const declared = own
    ? [
        ...[operation.tags?.[0], operation.operationId].flatMap(
          (name) => reference[name ?? '']?.[Number(status)]?.codes ?? [],
        ),
        ...(CODES[status] ?? []),
        ...contentsOf(operation, status).flatMap(({ codes }) => codes[status]!),
      ]
    : [];
  const repeated = acceptsIdempotencyKey(operation) ? (IDEMPOTENCY_CODES[status] ?? []) : [];
  return [...new Set([...declared, ...repeated])];
}

/** What the request contains in addition to others that have the same status, for names: `Body`, `Page`, `Files`. */
export function contentNameOf(operation: Operation, status: string): string {
  return contentsOf(operation, status).at(-1)?.name ?? '';
}

function contentsOf(operation: Operation, status: string) {
  return CONTENTS.filter(({ codes, isIn }) => codes[status] && isIn(operation));
}
