import type { ErrorCatalog } from './http/error-catalog.js';

export const PLATFORM_ERRORS: ErrorCatalog = {
  title: 'All requests',
  order: 1,
  guide: 'concepts',
  codes: {
    invalid_request: {
      meaning: 'The request has the wrong shape.',
      cause: 'A field or query parameter is unknown, missing, or has the wrong type or format. A body is a list.',
      remedy: 'Correct every field that `details.errors` lists. Each entry has its own code.',
    },
    invalid_field: {
      meaning: 'The value of a field is not allowed.',
      cause: 'The value has the wrong type or format, or exceeds a limit; the message contains the rule.',
      remedy: 'Send a value that meets the rule, or omit the field if it is optional.',
    },
    unknown_field: {
      meaning: 'The operation does not have this field or query parameter.',
      cause: 'The name is misspelled, in another letter case, or belongs to another operation.',
      remedy: 'Compare the name with Swagger UI, or omit the field.',
    },
    invalid_header: {
      meaning: 'A header, or the header line of a CSV file, cannot be used.',
      cause:
        '`If-Match` or `Idempotency-Key` has the wrong form (400), or the columns of a CSV file do not match those of the table (422).',
      remedy: 'Correct the header that `details.errors` names. For CSV, use the keys or names of the columns.',
    },
    required: {
      meaning: 'A required value is missing.',
      cause:
        'A field or a required column has no value. Members of several workspaces omitted `workspaceId`. A column with empty rows was changed to required.',
      remedy: 'Send a value for the field or column. Fill empty rows before you change their column.',
    },
    duplicate: {
      meaning: 'The request contains the same thing twice.',
      cause:
        'Two items of a bulk request have the same `externalId` or email address, or two statuses have the same name.',
      remedy: 'Send each of them once.',
    },
    invalid_cursor: {
      meaning: 'The cursor does not belong to this query.',
      cause: 'The cursor was altered, or filters, sort order or fields differ from the query that returned it.',
      remedy: 'Repeat the query without `cursor`, and follow `nextCursor` without changing the other parameters.',
    },
    not_found: {
      meaning: 'The resource does not exist, or the caller cannot see it.',
      cause:
        'The ID, key, name or path is wrong, or the resource belongs to another workspace. The response does not distinguish them.',
      remedy: 'Check the path, or the field in `details.errors`, and the workspace of your credentials.',
    },
    method_not_allowed: {
      meaning: 'The path exists, but not with this HTTP method.',
      cause: 'The client used another method than the operation has.',
      remedy: 'Use a method from the header `Allow`.',
    },
    not_acceptable: {
      meaning: 'No available media type matches `Accept`.',
      cause: '`Accept` lists only media types that the operation cannot produce.',
      remedy: 'Send one of the media types in the message, or omit `Accept`.',
    },
    version_mismatch: {
      meaning: 'The record or row does not have the version in `If-Match`.',
      cause:
        'Another request changed it after you read it, or it does not exist. With `If-None-Match: *`, it exists already.',
      remedy: 'Read it again, apply your change to the new version, and send the new `ETag`.',
    },
    malformed_json: {
      meaning: 'The body cannot be read as JSON.',
      cause: 'The JSON is truncated, has a syntax error, a duplicate key or too many levels, or is not UTF-8.',
      remedy: 'Let a JSON library write the body; the message contains the position.',
    },
    duplicate_key: {
      meaning: 'An object of the body contains a key twice.',
      cause: 'The body was joined from texts. Most parsers would silently use the last value.',
      remedy: 'Send each key once; the message contains its position.',
    },
    malformed_form: {
      meaning: 'The form cannot be read.',
      cause: 'A part has the wrong name, boundary or size, or a form exceeds the limit of its fields.',
      remedy: 'Let an HTTP library write the form, and send files in `files`.',
    },
    incomplete_body: {
      meaning: 'The body ended before it was complete.',
      cause: 'The sender disconnected or sent fewer bytes than `Content-Length`.',
      remedy: 'Send the request again.',
    },
    invalid_base64: {
      meaning: 'The content of a file in JSON is not base64.',
      cause: 'The text contains other characters, or a data URL prefix.',
      remedy: 'Encode the bytes as base64, or send the file in a form.',
    },
    too_many_fields: {
      meaning: 'An object has too many fields.',
      cause: 'The request exceeds the limit that the message contains.',
      remedy: 'Send fewer fields, or several requests.',
    },
    too_many_objects: {
      meaning: 'The body contains too many objects and lists, or fields and elements.',
      cause: 'The body exceeds the limit in `details.limit`.',
      remedy: 'Send several smaller requests.',
    },
    too_large: {
      meaning: 'The body, the headers, a form or a decompressed file exceeds its limit.',
      cause:
        '`details` contains the limit and, if known, the actual value. For headers (431), the message contains it.',
      remedy:
        'Send less in one request. Use an import for more than 50,000 rows, and a form instead of base64 for files.',
    },
    unsupported_media_type: {
      meaning: 'The operation does not accept this media type, charset or encoding.',
      cause: '`Content-Type` or `Content-Encoding` is missing or is not in the message.',
      remedy: 'Send one of the media types in the message.',
    },
    request_timeout: {
      meaning: 'The headers or the body were not received in time.',
      cause: 'The connection is slow or interrupted.',
      remedy: 'Send the request again on a new connection; compress large bodies.',
    },
    empty_file: {
      meaning: 'A file has no content.',
      cause: 'The file was empty or was not written completely before the upload.',
      remedy: 'Send a file with content, or omit it.',
    },
    file_too_large: {
      meaning: 'A file exceeds the limit per file.',
      cause: '`details` contains the limit and, if known, the size.',
      remedy: 'Send a smaller file.',
    },
    too_many_files: {
      meaning: 'The request contains too many files.',
      cause: 'A request has at most ten files; a virtual staging has exactly one.',
      remedy: 'Send the other files in another request.',
    },
    unsupported_file_type: {
      meaning: 'The content of a file is not accepted.',
      cause: 'The bytes decide, not the name: SVG, HTML, archives and unknown formats are rejected.',
      remedy: 'Send an image, audio, video or PDF file.',
    },
    range_not_satisfiable: {
      meaning: 'The requested range is outside the file.',
      cause: '`Range` begins after the last byte, or has several ranges.',
      remedy: 'Request a range within the size in `Content-Range`.',
    },
    idempotency_key_reused: {
      meaning: 'The `Idempotency-Key` belongs to another request.',
      cause:
        'Method, path, query, body, `If-Match`, `X-Claim-Token`, the credentials, or the workspaces and scopes of the caller ' +
        'differ from the first request with this key.',
      remedy: 'Use a new key for a new request.',
    },
    idempotency_key_in_flight: {
      meaning: 'A request with this `Idempotency-Key` is still running.',
      cause: 'The client repeated a request before it received the response.',
      remedy: 'Send it again after `Retry-After` seconds to receive the first response.',
    },
    insufficient_scope: {
      meaning: 'The credentials lack a scope of the operation.',
      cause: 'The access token was issued with fewer scopes than the operation requires.',
      remedy: 'Sign in with the scope in the message. Ask the operator if the client may not request it.',
    },
    too_many_requests: {
      meaning: 'A rate limit is exceeded.',
      cause: 'The caller or address sent more requests than `RateLimit-Policy` allows.',
      remedy: 'Wait for `Retry-After` seconds. Refresh tokens instead of signing in again.',
    },
    overloaded: {
      meaning: 'The instance has no capacity or no memory for another request.',
      cause: 'More requests, or larger ones, arrive than the instance can answer in time. It did nothing.',
      remedy: 'Send the request again after `Retry-After` seconds, with fewer in parallel.',
    },
    busy: {
      meaning: 'Another request changes the same data, or others read much data.',
      cause: 'A lock, or a turn of the reads that may take long, was not free within the time limit.',
      remedy: 'Send the request again after `Retry-After` seconds. Nothing was stored.',
    },
    database_timeout: {
      meaning: 'A statement exceeded the time limit of the database.',
      cause: 'The query reads too much, for example a filter without an index on a large table.',
      remedy: 'Request less, add an index, or send the request again. Nothing was stored.',
    },
    database_unavailable: {
      meaning: 'The database does not respond.',
      cause: 'PostgreSQL restarts, fails over, or has no free connection.',
      remedy: 'Send the request again after `Retry-After` seconds. Nothing was stored.',
    },
    database_limit_exceeded: {
      meaning: 'The request exceeds a limit of the database.',
      cause: 'A value is too long for an index, or a query has too many conditions.',
      remedy: 'Send shorter values or fewer conditions.',
    },
    storage_unavailable: {
      meaning: 'The file storage does not respond.',
      cause: 'The S3-compatible service or the shared folder is not reachable.',
      remedy: 'Send the request again after `Retry-After` seconds.',
    },
    storage_full: {
      meaning: 'The storage of the files or of the database is full.',
      cause: 'A disk or its quota has no space left. Reading is still possible.',
      remedy: 'Ask the operator for space, then send the request again.',
    },
    not_ready: {
      meaning: 'The instance does not accept requests.',
      cause: 'It starts, drains before its exit, or cannot reach the database.',
      remedy: 'Use another instance, or retry later.',
    },
    internal_error: {
      meaning: 'The service has a defect.',
      cause: 'An error that the service does not expect. OAuth 2.0 forms receive `server_error`.',
      remedy: 'Send the `requestId` to the operator, who finds the cause in the log.',
    },
  },
};
