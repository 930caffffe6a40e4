import { DomainError, type FieldError, UnavailableError } from '../../platform/http/domain-error.js';

/** A field of the note names something that does not exist or is not allowed. Nothing was stored. */
export class InvalidNoteError extends DomainError {
  constructor(field: string, code: string, message: string) {
    const errors: FieldError[] = [{ field, code, message }];
    super('unprocessable', 'invalid_note', message, { details: { total: 1, errors } });
  }
}

export class NoteArchivedError extends DomainError {
  constructor() {
    super('conflict', 'note_archived', 'The note is archived. Restore it before you change it or add messages.');
  }
}

export class StatusesChangedError extends UnavailableError {
  constructor() {
    super(
      'statuses_changed',
      'The statuses of the workspace changed during the request. Nothing was stored; send it again.',
    );
  }
}

/** Anonymous notes are disabled for the project, its workspace or the whole service. */
export class PublicNotesOffError extends DomainError {
  constructor() {
    super('forbidden', 'public_notes_off', 'Notes without credentials are disabled. Use POST /v1/api/notes.');
  }
}

/** After a user of the workspace has written to a note, anonymous callers neither read nor change it. */
export class NoteNotPublicError extends DomainError {
  constructor() {
    super(
      'forbidden',
      'note_not_public',
      'A user of the workspace has written to this note. Without credentials, only messages can be added to it.',
    );
  }
}

/** `Retry-After` of a full quota, in seconds: a user of the workspace must review notes before it has capacity. */
const REVIEW_S = 3_600;

/** The texts of an anonymous note or message are too large together, in bytes. */
export class PublicTextTooLargeError extends DomainError {
  constructor(limit: number, actual: number) {
    const message = `The texts have ${actual} bytes; without credentials the limit is ${limit} bytes. Send less text, or sign in.`;
    super('too_large', 'public_text_too_large', message, { details: { limit, actual } });
  }
}

/** The unreviewed notes, messages and files of anonymous callers in a workspace have reached the quota, in bytes. */
export class PublicQuotaError extends DomainError {
  constructor(limit: number) {
    const message = `The unreviewed notes and files of anonymous callers in this workspace exceed the limit of ${limit} bytes. Try again later.`;
    super('too_many_requests', 'public_quota_full', message, {
      details: { limit },
      headers: { 'Retry-After': String(REVIEW_S) },
    });
  }
}
