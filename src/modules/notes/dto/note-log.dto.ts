import { ApiProperty } from '@nestjs/swagger';
import { EventType } from '../../events/event-type.decorator.js';
import { NoteDto, NoteMessageDto } from './note.dto.js';

class NoteEventDataDto {
  /** The note as it is when the event is read or delivered. */
  note: NoteDto;
}

class NoteChangeDto {
  @ApiProperty({ example: 'status' })
  field: string;

  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  from: unknown;

  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  to: unknown;
}

@EventType('note.created', 'A note was created.', 'read:workspaces')
export class NoteCreatedDto extends NoteEventDataDto {}

@EventType('note.updated', 'Fields of a note changed, or files were added.', 'read:workspaces')
export class NoteUpdatedDto extends NoteEventDataDto {
  changes: NoteChangeDto[];
}

@EventType('note.archived', 'A note was archived.', 'read:workspaces')
export class NoteArchivedDto extends NoteEventDataDto {}

@EventType('note.restored', 'A note was restored.', 'read:workspaces')
export class NoteRestoredDto extends NoteEventDataDto {}

@EventType('note.message_created', 'A message was added to a note.', 'read:workspaces')
export class NoteMessageCreatedDto {
  @ApiProperty({ format: 'uuid' })
  noteId: string;

  message: NoteMessageDto;
}

/** What the log stores: everything else is in the note and its history. */
export interface NoteLogEntry {
  noteId: string;
  /** Sequences in the history: the first and the last. */
  first?: number;
  last?: number;
  messageId?: string;
}
