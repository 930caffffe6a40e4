import type { StoredFileDto } from '../../platform/storage/stored-file.dto.js';
import type { WithRowReferences } from '../../records/row-references.js';
import {
  type NoteDto,
  type NoteMessageDto,
  PUBLIC_FIELDS,
  type PublicMessageViewDto,
  type PublicNoteViewDto,
} from './dto/note.dto.js';
import type { NoteMessage } from './note-message.entity.js';
import type { Note } from './note.entity.js';

type NoteWithRows = WithRowReferences<Note>;

/** All columns are fields of the response, except those that are left out here. */
export function toDto({ unreviewedBytes: _, ...fields }: NoteWithRows, files: StoredFileDto[]): NoteDto {
  return { ...fields, files };
}

export function toMessageDto({ noteId, ...message }: NoteMessage, files: StoredFileDto[]): NoteMessageDto {
  return { ...message, threadId: noteId, files };
}

/** What anonymous callers can read: nothing that users of the workspace added. */
export function toPublicDto(note: NoteDto): PublicNoteViewDto {
  return Object.fromEntries(PUBLIC_FIELDS.map((field) => [field, note[field]])) as unknown as PublicNoteViewDto;
}

export function toPublicMessageDto(message: NoteMessageDto): PublicMessageViewDto {
  const { id, threadId, description, files, source, createdAt } = message;
  return { id, threadId, description, files, source, createdAt };
}
