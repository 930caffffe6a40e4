import { DomainError, type FieldError } from '../../platform/http/domain-error.js';

/** What the note says cannot be: a place that is not there, a status that is not permitted. Nothing was stored. */
export class InvalidNoteError extends DomainError {
  constructor(field: string, code: string, message: string) {
    const errors: FieldError[] = [{ field, code, message }];
    super('unprocessable', 'invalid_note', message, { details: { total: 1, errors } });
  }
}

/** Another note of the workspace has the external id. */
export class ExternalIdTakenError extends DomainError {
  constructor(externalId: string) {
    const message = `Another note has the externalId "${externalId}".`;
    const errors = [{ field: 'externalId', code: 'external_id_taken', message }];
    super('conflict', 'external_id_taken', message, { details: { total: 1, errors } });
  }
}

export class NoteArchivedError extends DomainError {
  constructor() {
    super('conflict', 'note_archived', 'The note is archived; restore it before it is changed or answered.');
  }
}

/** The project, its workspace or the whole service takes nothing without credentials. */
export class PublicNotesOffError extends DomainError {
  constructor() {
    super('forbidden', 'public_notes_off', 'Notes are not taken without credentials here; use POST /v1/api/notes.');
  }
}

/** How long to wait for somebody of the workspace to look at what strangers have left, in seconds. */
const REVIEW_S = 3_600;

/** Strangers have left as much as a workspace keeps before anybody looks at it. */
export class PublicQuotaError extends DomainError {
  constructor(limit: number) {
    const message = `Files that nobody of the workspace has looked at may have ${limit} bytes together; try again later.`;
    super('too_many_requests', 'public_quota_full', message, {
      details: { limit },
      headers: { 'Retry-After': String(REVIEW_S) },
    });
  }
}
