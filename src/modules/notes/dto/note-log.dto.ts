import { ApiProperty } from '@nestjs/swagger';
import { EventType, EXAMPLE_TIME } from '../../events/event-type.decorator.js';
import { ANY_VALUE, NoteDto, NoteMessageDto } from './note.dto.js';
import { ExternalReferenceDto } from './save-note.dto.js';

class NoteEventDataDto {
  /** The note as it is when the event is read or delivered. */
  note: NoteDto;
}

class NoteChangeDto {
  @ApiProperty({ example: 'status' })
  field: string;

  @ApiProperty({ oneOf: ANY_VALUE, nullable: true, example: 'open' })
  from: unknown;

  @ApiProperty({ oneOf: ANY_VALUE, nullable: true, example: 'in_progress' })
  to: unknown;
}

@EventType('note.created', 'A note was created.', 'read:workspaces')
export class NoteCreatedDto extends NoteEventDataDto {}

@EventType('note.updated', 'Fields of a note changed, or files were added.', 'read:workspaces', {
  sample: { note: { status: 'in_progress' }, changes: [{ from: 'open', to: 'in_progress' }] },
})
export class NoteUpdatedDto extends NoteEventDataDto {
  changes: NoteChangeDto[];
}

@EventType('note.archived', 'A note was archived.', 'read:workspaces', {
  sample: { note: { archivedAt: EXAMPLE_TIME } },
})
export class NoteArchivedDto extends NoteEventDataDto {}

@EventType('note.restored', 'A note was restored.', 'read:workspaces')
export class NoteRestoredDto extends NoteEventDataDto {}

@EventType('note.deleted', 'An owner deleted a note permanently, with its messages and files.', 'read:workspaces')
export class NoteDeletedDto {
  @ApiProperty({ format: 'uuid' })
  noteId: string;

  @ApiProperty({ type: 'integer', example: 17 })
  number: number;

  @ApiProperty({ format: 'uuid', isArray: true, type: String })
  watchers: string[];
}

@EventType('note.message_created', 'A message was added to a note.', 'read:workspaces')
export class NoteMessageCreatedDto {
  @ApiProperty({ format: 'uuid' })
  noteId: string;

  message: NoteMessageDto;

  // Those of the note.
  externalReferences: ExternalReferenceDto[];

  @ApiProperty({ format: 'uuid', isArray: true, type: String })
  watchers: string[];
}

/** What the log stores: everything else is in the note and its history. */
export interface NoteLogEntry {
  noteId: string;
  /** Sequences in the history: the first and the last. */
  first?: number;
  last?: number;
  messageId?: string;
  /** The IDs of the users who watched the note then, for filters of subscriptions. Absent without any. */
  watchers?: readonly string[];
}
