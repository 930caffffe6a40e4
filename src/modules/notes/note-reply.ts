import { Reply } from '../../platform/http/envelope.js';
import { recordEtag } from '../../platform/http/conditional-requests.js';
import type { PublicMessageViewDto, NoteDto, NoteMessageDto, PublicNoteViewDto } from './dto/note.dto.js';

/** A note that was written: 201 where it came to be, else 200. */
export function noteReply<T extends { version: number }>(note: T, created: boolean): Reply<T> {
  return new Reply(note, {
    status: created ? 201 : 200,
    message: created ? 'The note was created' : 'The note was updated',
    headers: { ETag: recordEtag(note) },
  });
}

/** What strangers are shown: nothing that others have added. */
export function publicNote(note: NoteDto): PublicNoteViewDto {
  const { id, number, title, description, status, projectId, tagId, tourId, files, messageCount } = note;
  const { source, version, createdAt, updatedAt } = note;
  return {
    ...{ id, number, title, description, status, projectId, tagId, tourId, files, messageCount },
    ...{ source, version, createdAt, updatedAt },
  };
}

export function publicMessage({
  id,
  threadId,
  description,
  files,
  source,
  createdAt,
}: NoteMessageDto): PublicMessageViewDto {
  return { id, threadId, description, files, source, createdAt };
}
