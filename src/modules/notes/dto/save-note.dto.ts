import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsString, Matches } from 'class-validator';
import { Normal } from '../../../platform/http/validation/text.decorators.js';
import { Nested } from '../../../records/record-fields.decorator.js';
import { STATUS_CATEGORIES, type StatusCategory } from '../note-status.js';
import { NoteFieldsDto, NoteText, OptionalUuid, TagId } from './note-fields.dto.js';

/** A note of a project or tag (specification, section 2.6). */
export class PublicNoteDto extends NoteFieldsDto {
  /** Left out, a note is created; with it, that note is updated. */
  @OptionalUuid()
  id?: string | null;

  @TagId()
  tagId?: number | null;

  @OptionalUuid()
  projectId?: string | null;

  /** Without credentials alone, and only where no tag is named: a tag brings its own tour. */
  @OptionalUuid()
  tourId?: string | null;
}

export class SaveNoteDto extends PublicNoteDto {
  /** The integrator's own name for it, unique in the workspace: a create with one that is known is an update. */
  @Normal()
  @NoteText(255, 'SAP-000010004711')
  externalId?: string | null;
}

/** A note of a workspace (specification, section 2.6). */
export class WorkspaceNoteDto extends NoteFieldsDto {
  /** The integrator's own name for it, unique in the workspace: a create with one that is known is an update. */
  @Normal()
  @NoteText(255, 'SAP-000010004711')
  externalId?: string | null;

  /** Primary-key value of the location the note is filed against. */
  @NoteText(255, 'AT10-UTL-CW')
  location?: string | null;

  /** The Locations table, by id or name; needed where several have that key. */
  @NoteText(255)
  locationKey?: string | null;

  /** The Assets table of `asset`, by id or name. */
  @NoteText(255)
  assetKey?: string | null;

  /** Primary-key value of the asset's row. */
  @NoteText(255, '000000000010004711')
  asset?: string | null;

  /** No longer used. */
  @OptionalUuid()
  tourId?: string | null;
}

/** Changes of a note. What is not named stays; null or empty clears. */
export class ChangeNoteDto extends WorkspaceNoteDto {
  @TagId()
  tagId?: number | null;

  @OptionalUuid()
  projectId?: string | null;
}

/** A message (specification, section 2.6). */
export class WorkspaceMessageDto {
  @NoteText(100_000, 'Tightened the coupling; watching it.')
  description?: string | null;
}

export class SaveMessageDto extends WorkspaceMessageDto {
  /** The note's id. */
  @ApiProperty({ format: 'uuid', example: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' })
  @Matches(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, { message: 'threadId must be a UUID' })
  threadId: string;
}

export class NoteStatusDto {
  /** Lower-case letters, digits and `_`, at most 63; it is folded to that. */
  @ApiProperty({ example: 'in_progress' })
  @IsString()
  @Matches(/^[A-Za-z][A-Za-z0-9_ -]{0,62}$/, {
    message: '$property must begin with a letter and have 1 to 63 letters, digits, _, - or spaces',
  })
  key: string;

  /** What it means: `done` closes a note. */
  @ApiProperty({ enum: STATUS_CATEGORIES })
  @IsIn(STATUS_CATEGORIES)
  category: StatusCategory;
}

export class NoteStatusesDto {
  @ApiProperty({ type: [NoteStatusDto] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  @Nested(NoteStatusDto, { each: true })
  statuses: NoteStatusDto[];
}
