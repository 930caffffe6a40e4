import type { StoredFileDto } from '../../platform/storage/stored-file.dto.js';
import type { RowReferenceDto } from '../workspace-tables/query/dto/row-reference.dto.js';
import type { RowColumns } from '../workspace-tables/query/row-references.service.js';
import type { NoteDto, NoteMessageDto, PublicMessageViewDto, PublicNoteViewDto } from './dto/note.dto.js';
import type { NoteMessage } from './note-message.entity.js';
import type { Note } from './note.entity.js';

/** A note with references to rows in place of their columns. */
type NoteWithRows = Omit<Note, keyof RowColumns> & { location: RowReferenceDto | null; asset: RowReferenceDto | null };

/** All columns are fields of the response, except those that are deleted here. */
export function toDto(note: NoteWithRows, files: StoredFileDto[]): NoteDto {
  const fields: Omit<NoteWithRows, 'unreviewedBytes'> & { unreviewedBytes?: number } = { ...note };
  delete fields.unreviewedBytes;
  return { ...fields, files };
}

export function toMessageDto({ noteId, ...message }: NoteMessage, files: StoredFileDto[]): NoteMessageDto {
  return { ...message, threadId: noteId, files };
}

/** What anonymous callers can read: nothing that users of the workspace added. */
export function toPublicDto(note: NoteDto): PublicNoteViewDto {
  const { id, number, title, description, status, projectId, tagId, tourId, files, messageCount } = note;
  const { source, version, createdAt, updatedAt } = note;
  return {
    ...{ id, number, title, description, status, projectId, tagId, tourId, files, messageCount },
    ...{ source, version, createdAt, updatedAt },
  };
}

export function toPublicMessageDto(message: NoteMessageDto): PublicMessageViewDto {
  const { id, threadId, description, files, source, createdAt } = message;
  return { id, threadId, description, files, source, createdAt };
}
