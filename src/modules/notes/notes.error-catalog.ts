import type { ErrorCatalog } from '../../platform/http/error-catalog.js';

export const NOTE_ERRORS: ErrorCatalog = {
  title: 'Notes',
  order: 6,
  guide: 'notes',
  codes: {
    invalid_note: {
      meaning: 'A field of the note names something that does not exist or does not match.',
      cause: 'A parent, row or status is unknown, or the project is not that of the tag. Nothing was stored.',
      remedy: 'Correct the field in `details.errors`.',
    },
    mismatch: {
      meaning: 'The parents of the note do not match.',
      cause: '`projectId` is not the project of the tag or tour.',
      remedy: 'Send only the tag or tour.',
    },
    project_or_tag_required: {
      meaning: 'The note has no parent.',
      cause: '`/v1/api/notes` needs a project or a tag.',
      remedy: 'Send `projectId` or `tagId`, or use the notes of a workspace.',
    },
    unknown_status: {
      meaning: 'The workspace does not have this status.',
      cause: 'The status is misspelled or was removed.',
      remedy: 'Use a status from `GET …/note-statuses`.',
    },
    statuses_changed: {
      meaning: 'The statuses of the workspace changed during the request.',
      cause: 'An administrator replaced them at the same time. Nothing was stored.',
      remedy: 'Send the request again.',
    },
    note_archived: {
      meaning: 'The note is archived.',
      cause: 'Archived notes receive no changes and no messages.',
      remedy: 'Restore it with `POST …/{id}/restore`.',
    },
    public_notes_off: {
      meaning: 'Notes without credentials are disabled.',
      cause: 'The service, the workspace or the project does not accept them.',
      remedy: 'Sign in and use `POST /v1/api/notes`, or enable `publicNotes`.',
    },
    note_not_public: {
      meaning: 'The note can no longer be changed without credentials.',
      cause: 'A user of the workspace has written to the note: the response would contain what the user added.',
      remedy: 'Add a message with `saveThreadMessage`, or sign in.',
    },
    public_text_too_large: {
      meaning: 'The texts of the note or message are too large.',
      cause: 'Without credentials, all texts together have at most 64 KiB in UTF-8.',
      remedy: 'Send less text, or sign in.',
    },
    public_quota_full: {
      meaning: 'The notes and files of anonymous callers have reached the quota of the workspace.',
      cause: 'No member has reviewed the earlier notes (`PUBLIC_QUOTA_BYTES`).',
      remedy: 'A member writes to or archives these notes; then send the request again.',
    },
  },
};
