import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID, Matches, Max, Min } from 'class-validator';
import { PageQueryDto } from '../../../platform/http/page.dto.js';
import { DateTime } from '../../../platform/http/validation/date-time.decorator.js';
import { Flag, WholeNumber } from '../../../platform/http/validation/query-values.decorators.js';
import { Normal } from '../../../platform/http/validation/text.decorators.js';
import { FilterText, OptionalListOf } from '../../../records/record-fields.decorator.js';
import { Fields } from '../../../records/field-selection.js';
import { ARCHIVED, type Archived } from '../../../records/record-query.dto.js';
import { NOTE_SOURCES, type NoteSource } from '../note.entity.js';
import { OptionalUuid, TagId } from './note-fields.dto.js';
import { NoteDto } from './note.dto.js';
import { NoteSelectionDto, OneOf } from './query-notes.dto.js';

export const NOTE_SORTS = ['createdAt', '-createdAt', 'updatedAt', '-updatedAt', 'dueDate', '-dueDate'] as const;
export type NoteSort = (typeof NOTE_SORTS)[number];

export class ExpandNotesDto {
  /** `fields`: the values of the fields of the workspace, with their types. */
  @OptionalListOf(['fields'])
  expand?: 'fields'[];
}

/** Filters and order of a list of notes. A note must match all filters. */
export class ListWorkspaceNotesDto extends IntersectionType(PageQueryDto, NoteSelectionDto, ExpandNotesDto) {
  @OneOf('open,in_progress')
  status?: string[];

  @OneOf('high')
  priority?: string[];

  @OneOf('mechanical')
  category?: string[];

  @OneOf('MECH')
  workCenter?: string[];

  @OneOf('note')
  type?: string[];

  @OneOf('j.novak@example.com')
  reporter?: string[];

  /** Only records of this project. */
  @OptionalUuid()
  projectId?: string | null;

  @TagId()
  tagId?: number | null;

  /** Only records of this tour. */
  @OptionalUuid()
  tourId?: string | null;

  @FilterText(255, 'Key of a location: only its notes.')
  location?: string;

  @FilterText(255, 'Key of an asset: only its notes.')
  asset?: string;

  @FilterText(255, 'The table of `asset`, by ID or name; by default all asset tables.')
  assetKey?: string;

  /** Due at or after. */
  @DateTime()
  dueFrom?: Date;

  /** Due before. */
  @DateTime()
  dueTo?: Date;

  /** Changed at or after. */
  @DateTime()
  updatedFrom?: Date;

  /** Changed before. */
  @DateTime()
  updatedTo?: Date;

  @ApiProperty({ required: false, enum: NOTE_SOURCES, enumName: 'NoteSource' })
  @IsOptional()
  @IsIn(NOTE_SOURCES)
  source?: NoteSource;

  @FilterText(255, "ID of the note in the caller's system.")
  @Normal()
  externalId?: string;

  @FilterText(512, 'The note with this external reference: `SYSTEM:ID`.')
  @Matches(/^[^:]+:./s, { message: '$property must be SYSTEM:ID, such as SAP:10004711' })
  externalReference?: string;

  /** The note with this number in its workspace. */
  @ApiProperty({ required: false, type: 'integer', minimum: 1, example: 12 })
  @IsOptional()
  @WholeNumber()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  number?: number;

  /** `all` includes archived records; `true` returns only archived ones. */
  @ApiProperty({ required: false, enum: ARCHIVED, default: 'false' })
  @Flag()
  @IsOptional()
  @IsIn(ARCHIVED)
  archived?: Archived;

  /** Notes without a due date are last when sorted by it. */
  @ApiProperty({ required: false, enum: NOTE_SORTS, default: '-createdAt' })
  @IsOptional()
  @IsIn(NOTE_SORTS)
  sort?: NoteSort;

  @Fields(NoteDto)
  fields?: string[];
}

export class ListNotesDto extends ListWorkspaceNotesDto {
  /** Limits the list to one workspace. Required with `location`, `under` and `asset` if the caller has several. */
  @ApiProperty({ required: false, format: 'uuid' })
  @IsOptional()
  @IsUUID()
  workspaceId?: string;
}

export class FeedQueryDto extends PageQueryDto {
  /** Required if the caller is a member of several workspaces. */
  @ApiProperty({ required: false, format: 'uuid' })
  @IsOptional()
  @IsUUID()
  workspaceId?: string;
}
