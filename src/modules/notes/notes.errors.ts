import { DomainError, toErrorDetails, UnavailableError } from '../../../packages/errors/src/domain-error.js';
import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';

export const NOTE_ERRORS = defineErrors(createSection('Notes', 'notes'), {
  invalid_note: {
    kind: 'unprocessable',
    message: 'The workspace has no status "done".',
    meaning:
      'A parent, row or status of the note is unknown, or its project is not that of the tag. Nothing was stored.',
    remedy: 'Correct the field in `details.errors`.',
  },
  mismatch: {
    meaning: '`projectId` is not the project of the tag or tour.',
    remedy: 'Send only the tag or tour.',
  },
  project_or_tag_required: {
    meaning: 'The note has no parent: `/v1/api/notes` needs a project or a tag.',
    remedy: 'Send `projectId` or `tagId`, or use the notes of a workspace.',
  },
  unknown_status: {
    meaning: 'The workspace does not have this status: it is misspelled or was removed.',
    remedy: 'Use a status from `GET …/note-statuses`.',
  },
  statuses_changed: {
    kind: 'unavailable',
    message: 'The statuses of the workspace changed during the request. Nothing was stored; send it again.',
    meaning: 'An administrator replaced the statuses of the workspace during the request. Nothing was stored.',
    remedy: 'Send the request again.',
  },
  note_archived: {
    kind: 'conflict',
    message: 'The note is archived. Restore it before you change it or add messages.',
    meaning: 'The note is archived. Archived notes receive no changes and no messages.',
    remedy: 'Restore it with `POST …/{id}/restore`.',
  },
  public_notes_off: {
    kind: 'forbidden',
    message: 'Notes without credentials are disabled. Use POST /v1/api/notes.',
    meaning: 'The service, the workspace or the project does not accept notes without credentials.',
    remedy: 'Sign in and use `POST /v1/api/notes`, or enable `publicNotes`.',
  },
  note_not_public: {
    kind: 'forbidden',
    message: 'A user of the workspace has written to this note. Without credentials, only messages can be added to it.',
    meaning:
      'The note can no longer be changed without credentials: a user has written to it, and the response would contain what the user added.',
    remedy: 'Add a message with `saveThreadMessage`, or sign in.',
  },
  public_text_too_large: {
    kind: 'too_large',
    message: 'The texts have 70000 bytes; without credentials the limit is 65536 bytes. Send less text, or sign in.',
    details: { limit: 65_536, actual: 70_000 },
    meaning:
      'The texts of the note or message are too large: without credentials, all together have at most 64 KiB in UTF-8.',
    remedy: 'Send less text, or sign in.',
  },
  public_quota_full: {
    kind: 'too_many_requests',
    message:
      'The unreviewed notes and files of anonymous callers in this workspace exceed the limit of 1073741824 bytes. Try again later.',
    meaning:
      'The notes and files of anonymous callers that no member has reviewed have reached the quota of the workspace (`PUBLIC_QUOTA_BYTES`).',
    remedy: 'A member writes to or archives these notes; then send the request again.',
  },
});

type NoteErrorCode =
  'mismatch' | 'not_found' | 'outside_policy' | 'project_or_tag_required' | 'required' | 'unknown_status';

/** A field of the note names something that does not exist or is not allowed. Nothing was stored. */
export class InvalidNoteError extends DomainError {
  constructor(field: string, code: NoteErrorCode, message: string) {
    super(NOTE_ERRORS.invalid_note, message, { details: toErrorDetails([{ field, code, message }]) });
  }
}

export class StatusesChangedError extends UnavailableError {
  constructor() {
    super(NOTE_ERRORS.statuses_changed);
  }
}

/** `Retry-After` of a full quota, in seconds: a user of the workspace must review notes before it has capacity. */
const REVIEW_S = 3_600;

/** The texts of an anonymous note or message are too large together, in bytes. */
export class PublicTextTooLargeError extends DomainError {
  constructor(limit: number, actual: number) {
    const message = `The texts have ${actual} bytes; without credentials the limit is ${limit} bytes. Send less text, or sign in.`;
    super(NOTE_ERRORS.public_text_too_large, message, { details: { limit, actual } });
  }
}

/** The unreviewed notes, messages and files of anonymous callers in a workspace have reached the quota, in bytes. */
export class PublicQuotaError extends DomainError {
  constructor(limit: number) {
    const message = `The unreviewed notes and files of anonymous callers in this workspace exceed the limit of ${limit} bytes. Try again later.`;
    super(NOTE_ERRORS.public_quota_full, message, { details: { limit }, retryAfterS: REVIEW_S });
  }
}
