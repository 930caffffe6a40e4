import { ApiExtraModels, ApiProperty, getSchemaPath, OmitType, PickType } from '@nestjs/swagger';
import { PageOf } from '../../../platform/http/page.dto.js';
import { StoredFileDto } from '../../../platform/storage/stored-file.dto.js';
import { ArchivableRecordDto } from '../../../records/archivable-record.dto.js';
import { NOTE_EVENT_KINDS, type NoteEventKind } from '../note-event.entity.js';
import { NOTE_SOURCES, type NoteSource } from '../note.entity.js';
import { ExternalReferenceDto } from './save-note.dto.js';
import { RowReferenceDto } from '../../../records/row-reference.dto.js';

/** Values of a note field, in addition to null. */
export const ANY_VALUE = [
  { type: 'string' },
  { type: 'number' },
  { type: 'object', additionalProperties: true },
  { type: 'array', items: {} },
];

/** A row that is the value of a field. */
export class NoteRowValueDto {
  @ApiProperty({ example: '1' })
  key: string;

  /** Null if the row does not exist, or not for the caller. */
  @ApiProperty({ type: String, nullable: true, example: 'Very high' })
  title: string | null;
}

/** A user who is the value of a field. */
export class NoteUserValueDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  /** Display name, or else email address; null if the user never was a member. */
  @ApiProperty({ type: String, nullable: true, example: 'Maria Huber' })
  title: string | null;
}

/** The value of a field with its type. */
export type NoteFieldValue = string | number | boolean | null | NoteRowValueDto | NoteUserValueDto;

@ApiExtraModels(NoteRowValueDto, NoteUserValueDto)
export class NoteDto extends ArchivableRecordDto {
  /** Consecutive within the workspace. */
  @ApiProperty({ type: 'integer', example: 17 })
  number: number;

  @ApiProperty({ type: String, nullable: true, example: 'Leak at the feed pump' })
  title: string | null;

  description: string | null;

  @ApiProperty({ example: 'open' })
  status: string;

  /** A type of the workspace. */
  @ApiProperty({ example: 'note' })
  type: string;

  priority: string | null;

  category: string | null;

  workCenter: string | null;

  assignee: string | null;

  reporter: string | null;

  scheduledDate: Date | null;

  dueDate: Date | null;

  /** When the note entered a status of category `done`. */
  closedAt: Date | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  projectId: string | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 42 })
  tagId: number | null;

  /** The tag's tour. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  tourId: string | null;

  location: RowReferenceDto | null;

  asset: RowReferenceDto | null;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  customFields: Record<string, string>;

  externalReferences: ExternalReferenceDto[];

  @ApiProperty({ format: 'uuid', isArray: true, type: String })
  watchers: string[];

  /**
   * With `expand=fields`: the values of the fields of the workspace, with their types.
   */
  @ApiProperty({
    required: false,
    type: 'object',
    additionalProperties: {
      oneOf: [
        { type: ['string', 'number', 'boolean', 'null'] },
        { $ref: getSchemaPath(NoteRowValueDto) },
        { $ref: getSchemaPath(NoteUserValueDto) },
      ],
    },
  } as never)
  fields?: Record<string, NoteFieldValue>;

  /** Without those of its messages. */
  files: StoredFileDto[];

  @ApiProperty({ type: 'integer' })
  messageCount: number;

  lastMessageAt: Date | null;

  /** API surface on which the note was created. */
  @ApiProperty({ enum: NOTE_SOURCES, enumName: 'NoteSource' })
  source: NoteSource;
}

export class NotePageDto extends PageOf(NoteDto) {}

/** The fields of a note that anonymous callers can read. */
export const PUBLIC_FIELDS = [
  'id',
  'number',
  'title',
  'description',
  'status',
  'projectId',
  'tagId',
  'tourId',
  'files',
  'messageCount',
  'source',
  'version',
  'createdAt',
  'updatedAt',
] as const;

export class PublicNoteViewDto extends PickType(NoteDto, PUBLIC_FIELDS) {}

export class NoteMessageDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ format: 'uuid' })
  workspaceId: string;

  /** ID of the note. */
  @ApiProperty({ format: 'uuid' })
  threadId: string;

  description: string | null;

  files: StoredFileDto[];

  @ApiProperty({ enum: NOTE_SOURCES, enumName: 'NoteSource' })
  source: NoteSource;

  createdAt: Date;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  createdBy: string | null;
}

export class NoteMessagePageDto extends PageOf(NoteMessageDto) {}

export class PublicMessageViewDto extends OmitType(NoteMessageDto, ['workspaceId', 'createdBy']) {}

export class NoteEventDto {
  /** Order of the event in the workspace. */
  @ApiProperty({ type: 'integer' })
  sequence: number;

  @ApiProperty({ format: 'uuid' })
  noteId: string;

  /** The note's number. */
  @ApiProperty({ type: 'integer' })
  number: number;

  /** `files`: files were added to the note; `message`: a message was added. */
  @ApiProperty({ enum: NOTE_EVENT_KINDS, enumName: 'NoteEventKind' })
  kind: NoteEventKind;

  /** Of `changed`: the changed field. */
  @ApiProperty({ type: String, nullable: true, example: 'status' })
  field: string | null;

  /** Of `changed`: the previous value. */
  @ApiProperty({ oneOf: ANY_VALUE, nullable: true, example: 'open' })
  from: unknown;

  /** Of `changed`: the new value; of `files`: the IDs of the files. */
  @ApiProperty({ oneOf: ANY_VALUE, nullable: true, example: 'in_progress' })
  to: unknown;

  /** Of `message`: the message. */
  message: NoteMessageDto | null;

  /** ID of the user; null for anonymous callers and for changes by the service itself. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  actor: string | null;

  @ApiProperty({ enum: NOTE_SOURCES, enumName: 'NoteSource' })
  source: NoteSource;

  at: Date;
}

/** Events in the order of their sequence. */
export class NoteEventPageDto {
  items: NoteEventDto[];

  /** Whether more events exist now. */
  hasMore: boolean;

  /** The `cursor` of the next request, now or later: it returns each following event once. */
  nextCursor: string;
}
