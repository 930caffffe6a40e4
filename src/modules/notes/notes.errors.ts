import { DomainError, toErrorDetails, UnavailableError } from '../../../packages/errors/src/domain-error.js';
import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';

export const NOTE_ERRORS = defineErrors(createSection('Notes', 'notes'), {
  invalid_note: {
    kind: 'unprocessable',
    message: 'The workspace has no status "done".',
    meaning:
      'A parent, row, status, type or value of a field of the note is unknown or not permitted, a required field is missing, or its project is not that of the tag. Nothing was stored.',
    remedy: 'Correct the fields in `details.errors`.',
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
  unknown_type: {
    meaning: 'The workspace does not have this note type: it is misspelled or was removed.',
    remedy: 'Use a type from `GET …/note-types`.',
  },
  not_of_type: {
    meaning: 'Notes of this type do not have the field.',
    remedy: 'Omit the field, or use a type that has it (`GET …/note-fields`).',
  },
  ambiguous_table: {
    meaning: 'A field of notes names a table, and several entities have a table with this name.',
    remedy: 'Send the ID of the table.',
  },
  reserved: {
    meaning: 'The key of a field of notes means something else in every note.',
    remedy: 'Use another key.',
  },
  too_many_watchers: {
    meaning: 'The note has as many watchers as it can have.',
    remedy: 'Remove a watcher first.',
  },
  invalid_transition: {
    kind: 'conflict',
    message: 'A note of the type "defect" cannot change from "open" to "closed". Permitted: in_progress.',
    meaning: 'The type of the note does not permit this change of the status, or not with the role of the caller.',
    remedy: 'Use one of the permitted statuses, or ask a member with the role that the message names.',
  },
  too_many_notes: {
    kind: 'unprocessable',
    message: 'More than 1,000 notes match; a request changes at most 1,000. Add filters.',
    meaning: 'The filter of a change of many notes selects more than one request may change. Nothing was changed.',
    remedy: 'Add filters, such as a range of dates, and send several requests.',
  },
  filter_required: {
    kind: 'malformed',
    message: 'Send at least one filter, such as status=open. Without a filter, all notes would change.',
    meaning: 'A change of many notes has no filter.',
    remedy: 'Add a filter.',
  },
  reference_taken: {
    kind: 'conflict',
    message: 'Note 17 has the external reference "10004711" of "SAP". Each belongs to one note.',
    meaning: 'Another note of the workspace has an external reference with this `system` and `id`.',
    remedy: 'Change the other note, or send another `id`.',
  },
  note_rules_changed: {
    kind: 'unavailable',
    message: 'The rules for notes of the workspace changed during the request. Nothing was stored; send it again.',
    meaning: 'An owner replaced the statuses, fields or types of notes during the request. Nothing was stored.',
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

/** An error of a field of a note. */
export interface NoteFieldError {
  field: string;
  code:
    | 'ambiguous_row'
    | 'duplicate'
    | 'invalid_field'
    | 'invalid_transition'
    | 'mismatch'
    | 'not_found'
    | 'not_of_type'
    | 'outside_policy'
    | 'project_or_tag_required'
    | 'reference_taken'
    | 'required'
    | 'too_long'
    | 'too_many_files'
    | 'too_many_watchers'
    | 'type_mismatch'
    | 'unknown_field'
    | 'unknown_status'
    | 'unknown_table'
    | 'unknown_type';
  message: string;
}

/** Fields of the note name something that does not exist or is not allowed, or are missing. Nothing was stored. */
export class InvalidNoteError extends DomainError {
  constructor(...errors: NoteFieldError[]) {
    super(NOTE_ERRORS.invalid_note, errors[0]!.message, { details: toErrorDetails(errors) });
  }
}

/** The type of the note does not permit the change of its status. */
export class InvalidTransitionError extends DomainError {
  constructor(message: string) {
    super(NOTE_ERRORS.invalid_transition, message, { field: 'status' });
  }
}

export class TooManyNotesError extends DomainError {
  constructor(limit: number) {
    const most = limit.toLocaleString('en');
    const message = `More than ${most} notes match; a request changes at most ${most}. Add filters.`;
    super(NOTE_ERRORS.too_many_notes, message, { details: { limit } });
  }
}

/** Another note has the external reference. */
export class ReferenceTakenError extends DomainError {
  /** @param number of the other note, if it exists for the caller. */
  constructor(system: string, id: string, number?: number) {
    const note = number === undefined ? 'Another note' : `Note ${number}`;
    const message = `${note} has the external reference "${id}" of "${system}". Each belongs to one note.`;
    super(NOTE_ERRORS.reference_taken, message, { field: 'externalReferences' });
  }
}

export class NoteRulesChangedError extends UnavailableError {
  constructor() {
    super(NOTE_ERRORS.note_rules_changed);
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
