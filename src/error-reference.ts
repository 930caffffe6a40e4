import type { ErrorReference, GroupErrors } from './api-docs/error-codes.js';

/** The errors of a response: an example and its code, and the other codes that the group returns with this status. */
const errors = (code: string, message: string, ...others: string[]) => ({ message, codes: [code, ...others] });

/** Errors of all kinds of records. */
const record = (name: string, ...conflicts: string[]): GroupErrors => ({
  404: errors('not_found', `The ${name} was not found. Check the ID.`),
  409: errors(
    'archived',
    `The ${name} is archived. Restore it first.`,
    'external_id_taken',
    'parent_immutable',
    ...conflicts,
  ),
  422: errors('invalid_items', '1 of 2 items is invalid. Nothing was stored.', 'duplicate'),
});

const TABLE = errors('not_found', 'The table was not found.');

/** Other requests change the tables at the same time. */
const TABLES_CHANGE = errors('table_changed', 'The table was changed while it was read. Send the request again.');
const TABLES_BUSY = errors(
  'table_busy',
  'Other requests repeatedly change the columns of the table. Send the request again.',
  'table_changed',
);
const STATUSES_CHANGE = errors('statuses_changed', 'The statuses were changed meanwhile. Send the request again.');

const NOTE: GroupErrors = {
  ...record('note'),
  409: errors(
    'note_archived',
    'The note is archived. Restore it first.',
    'archived',
    'external_id_taken',
    'parent_immutable',
    'ambiguous_row',
  ),
  422: errors('unknown_row', 'The location "AT10-UTL-XX" was not found.', 'unknown_table', 'invalid_note'),
  503: TABLES_CHANGE,
};

/** Equal errors of several operations. */
const forEach = (operations: readonly string[], errorsOfEach: GroupErrors): ErrorReference =>
  Object.fromEntries(operations.map((operation) => [operation, errorsOfEach]));

/**
 * Codes of errors by group or operation, and status, in addition to those that every operation returns. Checked against
 * docs/reference/errors.md.
 */
export const ERROR_REFERENCE: ErrorReference = {
  'Start here': {
    404: errors('not_found', 'The workspace was not found. Check the ID.'),
    409: errors('slug_taken', 'Another workspace has this slug.', 'archived'),
  },
  Authentication: {
    404: errors('not_found', 'The session was not found. Check the ID.'),
  },
  'Tables: push': {
    503: TABLES_BUSY,
    404: errors('not_found', 'The workspace was not found. Check the ID.'),
  },
  'Tables: read': {
    503: TABLES_BUSY,
    400: errors('invalid_query', 'The table has no column "colour".', 'unknown_revision'),
    404: TABLE,
    410: errors('revision_gone', 'Changes since revision 12 are no longer stored. Export the table again.'),
  },
  'Tables: single rows': {
    503: TABLES_BUSY,
    400: errors('invalid_query', 'The table has no column "colour".', 'unknown_revision'),
    404: errors('not_found', 'The row was not found.'),
    409: errors('key_taken', 'Another row has the key "EX-2002".'),
    422: errors('invalid_rows', 'The row cannot be stored.', 'invalid_key'),
  },
  'Tables: administration': {
    503: TABLES_BUSY,
    404: TABLE,
    409: errors('name_taken', 'Another table has this name.', 'column_type_conflict'),
    422: errors('invalid_columns', 'The column cannot be dropped. Nothing was changed.', 'invalid_index'),
  },
  'Tables: imports': {
    503: TABLES_BUSY,
    404: errors('not_found', 'The import was not found. Check the ID.'),
    409: errors(
      'import_cancelled',
      'The import was cancelled; nothing was stored.',
      'import_id_taken',
      'already_finished',
      'too_many_deletions',
    ),
    413: errors('line_too_long', 'A line of the file is too long.'),
    422: errors(
      'invalid_rows',
      '1 of 5000 rows cannot be stored. Nothing was stored.',
      'invalid_header',
      'unknown_table',
      'invalid_columns',
    ),
  },
  'Tables: batches': {
    503: TABLES_BUSY,
    404: errors('not_found', 'The batch was not found. Check the ID.'),
    409: errors(
      'batch_conflict',
      '2 rows were changed since the batch; nothing was undone.',
      'already_undone',
      'not_undoable',
    ),
  },
  Notes: NOTE,
  'Workspace notes': NOTE,
  'Public notes': {
    ...NOTE,
    403: errors('public_notes_off', 'Notes without credentials are disabled.', 'note_not_public'),
    413: errors('public_text_too_large', 'The texts have 70000 bytes; without credentials the limit is 65536 bytes.'),
    429: errors('too_many_requests', 'Too many requests; try again in 30 minutes.', 'public_quota_full'),
  },
  Attachments: {
    403: errors('url_expired', 'The URL has expired. Read the note again.', 'invalid_signature'),
    404: errors('not_found', 'The file was not found.'),
    503: errors('storage_unavailable', 'The file storage is currently unavailable. Retry in a few seconds.'),
  },
  Events: {
    404: errors('not_found', 'The subscription was not found. Check the ID.'),
    410: errors('events_removed', 'Events up to 12 are no longer stored. Read the records again.'),
    422: errors('invalid_url', 'The URL must begin with https://.'),
  },
  Projects: record('project'),
  Tours: record('tour'),
  Tags: {
    ...record('tag'),
    422: errors(
      'unknown_row',
      'The location "AT10-UTL-XX" was not found.',
      'unknown_table',
      'invalid_items',
      'duplicate',
    ),
    503: TABLES_CHANGE,
  },
  'Virtual staging': {
    404: errors('not_found', 'The virtual staging was not found. Check the ID.'),
    409: errors(
      'claim_lost',
      'The claim has expired, and another renderer has the job.',
      'not_queued',
      'already_finished',
      'archived',
      'external_id_taken',
      'parent_immutable',
    ),
    422: errors('not_an_image', 'The file is not an image.', 'unknown_file', 'no_variations', 'too_many_variations'),
  },
  Users: {
    ...record('user', 'own_access'),
    403: errors('insufficient_scope', 'This needs the scope write:users. Sign in with it.'),
  },
  Analytics: {
    404: errors('not_found', 'The workspace was not found. Check the ID.'),
    422: errors('unknown_row', 'There is no location with the key "AT10-UTL-XX".', 'unknown_table'),
    503: TABLES_CHANGE,
  },
  'Legacy webhook': {
    413: errors('too_many_rows', 'A request has at most 50000 rows; this has 50001. Send several requests.'),
    422: errors('invalid_records', '1 error in the records. Nothing was stored.', 'incompatible_table'),
    503: TABLES_BUSY,
  },
  ...forEach(['upsertLocations', 'upsertAssets', 'upsertLists', 'upsertTables'], {
    409: errors('column_type_conflict', 'An existing column was sent with another type. Nothing was stored.'),
    413: errors(
      'too_many_rows',
      'A request has at most 50000 rows; this has 50001. Send several requests.',
      'too_many_tables',
    ),
    422: errors(
      'invalid_rows',
      '1 of 2 rows cannot be stored. Nothing was stored.',
      'invalid_columns',
      'duplicate_table',
    ),
  }),
  deleteRows: {
    413: errors('too_many_keys', 'A request has at most 50000 keys; this has 50001. Send several requests.'),
    422: errors('invalid_keys', '1 of 2 keys is invalid; nothing was deleted.'),
  },
  ...forEach(['saveNote', 'createWorkspaceNote', 'savePublicNote'], { 503: STATUSES_CHANGE }),
  ...forEach(['createVirtualStaging', 'addVirtualStagingVariations'], {
    400: errors('required', 'A variation requires at least one image in files.'),
  }),
  ...forEach(['importRows', 'importTables', 'compareRows'], {
    400: errors('malformed_import', 'Line 7 is not valid JSON. Nothing was stored.', 'invalid_query'),
    503: errors(
      'too_many_imports',
      'The limit of 4 concurrent imports is reached. Retry after 5 seconds.',
      'instance_stopping',
    ),
  }),
  exportRows: {
    503: errors('too_many_exports', 'The limit of 4 concurrent exports is reached. Retry after 5 seconds.'),
  },
  getReadiness: { 503: errors('not_ready', 'This instance is not ready for requests. Retry later.') },
  issueToken: {
    401: errors('invalid_client', 'Client authentication failed', 'invalid_grant'),
    403: errors('invalid_scope', 'The client may not request the scope "write:users".', 'invalid_grant'),
    400: errors('unsupported_grant_type', 'Send grant_type "password", "client_credentials" or "refresh_token".'),
  },
  createSubscription: {
    409: errors('too_many_subscriptions', 'The workspace has 500 subscriptions, the limit. Delete one first.'),
  },
  ...forEach(['pingSubscription', 'replayEvents', 'repeatDelivery'], {
    409: errors('subscription_disabled', 'The subscription is disabled. Enable it first.'),
  }),
  listEvents: { 503: errors('too_many_waiting', 'The limit of waiting readers is reached. Retry after 5 seconds.') },
  revokeToken: {
    401: errors('invalid_client', 'Client authentication failed'),
    403: errors('invalid_grant', 'The token was issued to another client'),
  },
  queryRows: {
    400: errors('invalid_cursor', 'The cursor does not belong to this query. Start again without a cursor.'),
  },
};
