import { ApiProperty, IntersectionType, PickType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMinSize, IsIn, IsString, Matches } from 'class-validator';
import { isUuid } from '../../../../packages/sql/src/uuid.js';
import { NestedList } from '../../../platform/http/validation/nested-list.decorator.js';
import { ExternalId, OptionalText } from '../../../records/record-fields.decorator.js';
import { NamedRowsDto } from '../../../records/row-reference.dto.js';
import { STATUS_CATEGORIES, type StatusCategory } from '../note-status.js';
import { NoteFieldsDto, OptionalUuid, TagId } from './note-fields.dto.js';

/** A note of a project or tag (specification, section 2.6). */
export class PublicNoteDto extends NoteFieldsDto {
  /** Without `id`, a note is created; with it, that note is updated. */
  @OptionalUuid()
  id?: string | null;

  @TagId()
  tagId?: number | null;

  @OptionalUuid()
  projectId?: string | null;

  /** Used only without credentials, where `tagId` needs its project or its tour. */
  @OptionalUuid()
  tourId?: string | null;
}

/** A note of a workspace (specification, section 2.6). */
export class WorkspaceNoteDto extends IntersectionType(NoteFieldsDto, NamedRowsDto) {
  /**
   * ID of the note in the caller's system, unique per workspace. Creating one with an existing ID updates it.
   */
  @ExternalId()
  externalId?: string | null;

  /** Accepted for compatibility and ignored. */
  @OptionalUuid()
  tourId?: string | null;
}

export class SaveNoteDto extends IntersectionType(PublicNoteDto, PickType(WorkspaceNoteDto, ['externalId'])) {}

/** Changes of a note. Absent fields remain unchanged; null or empty clears a field. */
export class ChangeNoteDto extends IntersectionType(
  WorkspaceNoteDto,
  PickType(PublicNoteDto, ['tagId', 'projectId']),
) {}

/** A message (specification, section 2.6). */
export class WorkspaceMessageDto {
  @OptionalText({ example: 'Tightened the coupling.' })
  description?: string | null;
}

export class SaveMessageDto extends WorkspaceMessageDto {
  /** ID of the note. */
  @ApiProperty({ format: 'uuid', example: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' })
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && isUuid(value) ? value.toLowerCase() : value,
  )
  @Matches(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, { message: 'threadId must be a UUID' })
  threadId: string;
}

export class NoteStatusDto {
  /** 1 to 63 lower-case letters, digits and `_`. Other spellings are normalized. */
  @ApiProperty({ example: 'in_progress' })
  @IsString()
  @Matches(/^[A-Za-z][A-Za-z0-9_ -]{0,62}$/, {
    message: '$property must begin with a letter and have 1 to 63 letters, digits, _, - or spaces',
  })
  key: string;

  /** A status of category `done` closes a note. */
  @ApiProperty({ enum: STATUS_CATEGORIES, enumName: 'NoteStatusCategory' })
  @IsIn(STATUS_CATEGORIES)
  category: StatusCategory;
}

export const MAX_STATUSES = 50;

export class NoteStatusesDto {
  @ApiProperty({ type: [NoteStatusDto], maxItems: MAX_STATUSES })
  @ArrayMinSize(1)
  @NestedList(NoteStatusDto, MAX_STATUSES)
  statuses: NoteStatusDto[];
}
