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

/** By group. */
export type ErrorReference = Readonly<Record<string, GroupErrors>>;

/** Codes of operations without a body. */
const INVALID_QUERY = ['invalid_request', 'invalid_cursor', 'database_limit_exceeded'];

/**
 * Codes by status, whether or not a group has others. Clients handle those of one status alike, so the operations share them;
 * the codes of conflicts and of invalid content differ by group.
 */
const CODES: Record<string, readonly string[]> = {
  400: [
    ...INVALID_QUERY,
    'malformed_json',
    'incomplete_body',
    'too_many_fields',
    'too_many_files',
    'empty_file',
    'required',
  ],
  401: ['unauthenticated', 'invalid_token', 'invalid_api_key'],
  403: ['insufficient_scope'],
  404: ['not_found'],
  406: ['not_acceptable'],
  408: ['request_timeout'],
  412: ['version_mismatch'],
  413: ['too_large', 'too_many_objects', 'file_too_large'],
  415: ['unsupported_media_type', 'unsupported_file_type'],
  416: ['range_not_satisfiable'],
  429: ['too_many_requests'],
  503: [
    'database_unavailable',
    'database_timeout',
    'busy',
    'overloaded',
    'not_ready',
    'storage_full',
    'storage_unavailable',
    'upload_expired',
    'statuses_changed',
    'table_busy',
    'table_changed',
    'too_many_exports',
    'too_many_imports',
    'too_many_waiting',
    'instance_stopping',
  ],
};

const IDEMPOTENCY_CODES: Record<string, readonly string[]> = {
  409: ['idempotency_key_in_flight'],
  422: ['idempotency_key_reused'],
};

/** Is it a code of the `Idempotency-Key`, whatever the operation does? */
export function isIdempotencyCode(code: string): boolean {
  return Object.values(IDEMPOTENCY_CODES).flat().includes(code);
}

/** The codes that a response of the operation can have. @param own does the operation itself declare the status? */
export function codesOf(operation: Operation, status: string, group: GroupErrors, own: boolean): string[] {
  const shared = status === '400' && !operation.requestBody ? INVALID_QUERY : (CODES[status] ?? []);
  const codes = own ? [...(group[Number(status)]?.codes ?? []), ...shared] : [];
  const repeated = acceptsIdempotencyKey(operation) ? (IDEMPOTENCY_CODES[status] ?? []) : [];
  return [...new Set([...codes, ...repeated])];
}
