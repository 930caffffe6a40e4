import type { ErrorReference, GroupErrors } from './platform/openapi/error-codes.js';

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
};

const TABLE = errors('not_found', 'The table was not found.');

/** Codes of errors by group and status, in addition to those that every operation returns. Checked against docs/errors.md. */
export const ERROR_REFERENCE: ErrorReference = {
  'Start here': {
    404: errors('not_found', 'The workspace was not found. Check the ID.'),
    409: errors('slug_taken', 'Another workspace has this slug.', 'archived'),
  },
  Authentication: {
    400: errors('unsupported_grant_type', 'Send grant_type "password", "client_credentials" or "refresh_token".'),
    401: errors('invalid_client', 'Client authentication failed', 'invalid_grant'),
    403: errors('invalid_scope', 'The client may not request the scope "write:users".', 'invalid_grant'),
    404: errors('not_found', 'The session was not found. Check the ID.'),
  },
  'Tables: push': {
    404: errors('not_found', 'The workspace was not found. Check the ID.'),
    409: errors('column_type_conflict', 'An existing column was sent with another type. Nothing was stored.'),
    413: errors(
      'too_many_rows',
      'A request has at most 50000 rows; this has 50001. Send several requests.',
      'too_many_tables',
      'too_many_keys',
    ),
    422: errors(
      'invalid_rows',
      '1 of 2 rows cannot be stored. Nothing was stored.',
      'invalid_columns',
      'duplicate_table',
      'invalid_keys',
    ),
  },
  'Tables: read': {
    400: errors('invalid_query', 'The table has no column "colour".', 'unknown_revision'),
    404: TABLE,
    410: errors('revision_gone', 'Changes since revision 12 are no longer stored. Export the table again.'),
  },
  'Tables: single rows': {
    400: errors('invalid_query', 'The table has no column "colour".', 'unknown_revision'),
    404: errors('not_found', 'The row was not found.'),
    409: errors('key_taken', 'Another row has the key "EX-2002".'),
    422: errors('invalid_rows', 'The row cannot be stored.', 'invalid_key'),
  },
  'Tables: administration': {
    404: TABLE,
    409: errors('name_taken', 'Another table has this name.', 'column_type_conflict'),
    422: errors('invalid_columns', 'The column cannot be dropped. Nothing was changed.', 'invalid_index'),
  },
  'Tables: imports': {
    400: errors('malformed_import', 'Line 7 is not valid JSON. Nothing was stored.', 'invalid_query'),
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
    403: errors('public_notes_off', 'Notes without credentials are disabled.'),
    429: errors('too_many_requests', 'Too many requests; try again in 30 minutes.', 'public_quota_full'),
  },
  Attachments: {
    403: errors('url_expired', 'The URL has expired. Read the note again.', 'invalid_signature'),
    404: errors('not_found', 'The file was not found.'),
  },
  Events: {
    404: errors('not_found', 'The subscription was not found. Check the ID.'),
    409: errors('subscription_disabled', 'The subscription is disabled. Enable it first.'),
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
    ...record('user', 'email_taken', 'own_access', 'shared_user'),
    403: errors('insufficient_scope', 'This needs the scope write:users. Sign in with it.', 'sign_in_needed'),
  },
  Analytics: {
    404: errors('not_found', 'The workspace was not found. Check the ID.'),
    422: errors('unknown_row', 'There is no location with the key "AT10-UTL-XX".', 'unknown_table'),
  },
  'Legacy webhook': {
    422: errors('invalid_records', '1 error in the records. Nothing was stored.', 'incompatible_table'),
  },
};
