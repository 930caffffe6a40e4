import { ALL_REQUESTS, defineErrors } from './error-definition.js';

export const HTTP_ERRORS = defineErrors(ALL_REQUESTS, {
  invalid_request: {
    kind: 'malformed',
    message: 'The request is not valid.',
    details: {
      total: 1,
      errors: [{ field: 'limit', code: 'invalid_field', message: 'limit must be an integer from 1 to 1000.' }],
    },
    meaning: 'A field or query parameter is unknown, missing, or has the wrong type or format, or the body is a list.',
    remedy: 'Correct every field that `details.errors` lists. Each entry has its own code.',
  },
  invalid_field: {
    kind: 'malformed',
    message: 'items[0] must be an object',
    meaning: 'The value of a field has the wrong type or format, or exceeds a limit; the message contains the rule.',
    remedy: 'Send a value that meets the rule, or omit the field if it is optional.',
  },
  unknown_field: {
    meaning:
      'The operation does not have this field or query parameter: the name is misspelled, in another letter case, or belongs to another operation.',
    remedy: 'Compare the name with Swagger UI, or omit the field.',
  },
  invalid_header: {
    kind: 'unprocessable',
    message:
      'The header does not match the columns of the table; nothing was stored. Use the keys or names of its columns.',
    meaning:
      '`If-Match` or `Idempotency-Key` has the wrong form (400), or the columns of a CSV file do not match those of the table (422).',
    remedy: 'Correct the header that `details.errors` names. For CSV, use the keys or names of the columns.',
  },
  required: {
    kind: 'malformed',
    message: 'A variation requires at least one image in files.',
    meaning:
      'A required value is missing: a field, a cell of a required column, or `workspaceId` of members of several workspaces. Or a column with empty rows was changed to required.',
    remedy: 'Send a value for the field or column. Fill empty rows before you change their column.',
  },
  duplicate: {
    kind: 'unprocessable',
    message: 'items[0] has the same externalId "A-17". Send each externalId once.',
    meaning:
      'Two items of a bulk request have the same `externalId` or email address, or two statuses have the same name.',
    remedy: 'Send each of them once.',
  },
  invalid_cursor: {
    kind: 'malformed',
    message: 'The cursor does not belong to this query. Start again without a cursor.',
    meaning: 'The cursor was altered, or filters, sort order or fields differ from the query that returned it.',
    remedy: 'Repeat the query without `cursor`, and follow `nextCursor` without changing the other parameters.',
  },
  not_found: {
    kind: 'not_found',
    message: 'The resource was not found. Check the ID.',
    meaning:
      'The ID, key, name or path is wrong, or the resource belongs to another workspace. The response does not distinguish them.',
    remedy: 'Check the path, or the field in `details.errors`, and the workspace of your credentials.',
  },
  method_not_allowed: {
    kind: 'method_not_allowed',
    message: '/health/live does not support PUT. Allowed: GET, HEAD.',
    meaning: 'The path exists, but not with this HTTP method.',
    remedy: 'Use a method from the header `Allow`.',
  },
  not_acceptable: {
    kind: 'not_acceptable',
    message: 'Accept contains none of the available media types: application/json, text/csv.',
    meaning: '`Accept` lists only media types that the operation cannot produce.',
    remedy: 'Send one of the media types in the message, or omit `Accept`.',
  },
  version_mismatch: {
    kind: 'precondition_failed',
    message: 'The record has version 3, but If-Match contains version 2. Nothing was changed; read the record again.',
    meaning:
      'Another request changed the record or row after you read it, or it does not exist. With `If-None-Match: *`, it exists already.',
    remedy: 'Read it again, apply your change to the new version, and send the new `ETag`.',
  },
  too_large: {
    kind: 'too_large',
    message: 'The body exceeds the limit of 1048576 bytes of this route. Send less in one request.',
    details: { limit: 1_048_576, actual: 2_097_152 },
    meaning:
      'The body, the headers (431), a form or a decompressed file exceeds its limit, which is in `details`, with the actual value if known.',
    remedy: 'Send less in one request. Use an import for many rows, and a form instead of base64 for files.',
  },
  too_many_fields: {
    kind: 'malformed',
    message: 'The body exceeds the limit of 20000 different keys of this route. Send less in one request.',
    meaning: 'The body has more different keys than the limit in the message.',
    remedy: 'Send fewer fields, or several requests.',
  },
  unsupported_media_type: {
    kind: 'unsupported_media_type',
    message: 'Send application/json.',
    meaning: '`Content-Type`, its charset or `Content-Encoding` is missing or is not in the message.',
    remedy: 'Send one of the media types in the message.',
  },
  request_timeout: {
    kind: 'timeout',
    message: 'The body was not received within 60 seconds.',
    meaning: 'The headers or the body were not received in time: the connection is slow or interrupted.',
    remedy: 'Send the request again on a new connection; compress large bodies.',
  },
  range_not_satisfiable: {
    kind: 'range_not_satisfiable',
    message: 'The requested range is outside the file, which has 102400 bytes.',
    details: { limit: 102_400 },
    meaning: '`Range` begins after the last byte of the file, or has several ranges.',
    remedy: 'Request a range within the size in `Content-Range`.',
  },
  overloaded: {
    kind: 'unavailable',
    message: 'The instance is overloaded. Send the request again after the seconds in Retry-After.',
    meaning: 'The instance has no capacity or no memory for another request, and did nothing.',
    remedy: 'Send the request again after `Retry-After` seconds, with fewer in parallel.',
  },
  busy: {
    kind: 'unavailable',
    message: 'Another request is changing the same data. Send the request again.',
    meaning:
      'Another request changes the same data, or others read much data: a lock or a turn was not free within the time limit.',
    remedy: 'Send the request again after `Retry-After` seconds. Nothing was stored.',
  },
  database_timeout: {
    kind: 'unavailable',
    message:
      'The statement exceeded the time limit of the database; nothing was stored. Send the request again, or request less data.',
    meaning:
      'A statement exceeded the time limit of the database: it reads too much, for example by a filter without an index on a large table.',
    remedy: 'Request less, add an index, or send the request again. Nothing was stored.',
  },
  database_unavailable: {
    kind: 'unavailable',
    message: 'The database is currently unavailable. Retry later.',
    meaning: 'PostgreSQL does not respond: it restarts, fails over, or has no free connection.',
    remedy: 'Send the request again after `Retry-After` seconds. Nothing was stored.',
  },
  database_limit_exceeded: {
    kind: 'malformed',
    message:
      'The request exceeds a limit of the database; nothing was stored. Send shorter values or fewer conditions.',
    meaning:
      'The request exceeds a limit of the database: a value is too long for an index, or a query has too many conditions.',
    remedy: 'Send shorter values or fewer conditions.',
  },
  storage_full: {
    kind: 'unavailable',
    message: 'The file storage is full. Retry later.',
    meaning: 'The disk of the files or of the database, or its quota, has no space left. Reading is still possible.',
    remedy: 'Ask the operator for space, then send the request again.',
  },
  not_ready: {
    kind: 'unavailable',
    message: 'This instance is not ready for requests. Retry later.',
    meaning: 'The instance starts, drains before its exit, or cannot reach the database.',
    remedy: 'Use another instance, or retry later.',
  },
  internal_error: {
    kind: 'internal',
    message: 'An internal error occurred. Send the requestId to the operator.',
    meaning: 'The service has a defect: an error that it does not expect. OAuth 2.0 forms receive `server_error`.',
    remedy: 'Send the `requestId` to the operator, who finds the cause in the log.',
  },
});
