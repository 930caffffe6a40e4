import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { DateTime } from '../../../platform/http/validation/date-time.decorator.js';
import { PageQueryDto } from '../../../platform/http/page.dto.js';
import { Normal, StorableText } from '../../../platform/http/validation/text.decorators.js';
import { Fields } from '../../../records/field-selection.js';
import { NOTE_SOURCES, type NoteSource } from '../note.entity.js';
import { NoteDto } from './note.dto.js';
import { OptionalUuid, TagId } from './note-fields.dto.js';

export const NOTE_SORTS = ['createdAt', '-createdAt', 'updatedAt', '-updatedAt', 'dueDate', '-dueDate'] as const;
export type NoteSort = (typeof NOTE_SORTS)[number];

export const ARCHIVED = ['false', 'true', 'all'] as const;

/** One value or several, separated by commas. */
function OneOf(example: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: String, description: 'One, or several separated by commas.', example }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value)),
    IsOptional(),
    IsArray(),
    ArrayMaxSize(100),
    IsString({ each: true }),
    MaxLength(255, { each: true }),
    StorableText({ each: true }),
  );
}

function FilterText(maxLength: number, description?: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: String, maxLength, description }),
    IsOptional(),
    IsString(),
    MaxLength(maxLength),
    StorableText(),
  );
}

/** Which notes, and in which order. All conditions must hold. */
export class ListWorkspaceNotesDto extends PageQueryDto {
  @OneOf('open,in_progress')
  status?: string[];

  @OneOf('high')
  priority?: string[];

  @OneOf('maria.huber@example.com')
  assignee?: string[];

  @OneOf('j.novak@example.com')
  reporter?: string[];

  @OptionalUuid()
  projectId?: string | null;

  @TagId()
  tagId?: number | null;

  @OptionalUuid()
  tourId?: string | null;

  @FilterText(255, 'Key of a location: the notes filed against it.')
  location?: string;

  @FilterText(255, 'Key of a location: the notes filed against it or anything below it.')
  under?: string;

  @FilterText(255, 'The Locations table of `location` or `under`, by id or name; all where it is not said.')
  locationKey?: string;

  @FilterText(255, 'Key of an asset: the notes filed against it.')
  asset?: string;

  @FilterText(255, 'The Assets table of `asset`, by id or name; all where it is not said.')
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

  @ApiProperty({ required: false, enum: NOTE_SOURCES })
  @IsOptional()
  @IsIn(NOTE_SOURCES)
  source?: NoteSource;

  @FilterText(255, "The integrator's own name for the note.")
  @Normal()
  externalId?: string;

  @FilterText(500, 'Words that begin so, all of them, in title or description.')
  q?: string;

  /** Archived notes too (`all`), or they alone (`true`). */
  @ApiProperty({ required: false, enum: ARCHIVED, default: 'false' })
  @IsOptional()
  @IsIn(ARCHIVED)
  archived?: (typeof ARCHIVED)[number];

  /** Notes without a due date come last. */
  @ApiProperty({ required: false, enum: NOTE_SORTS, default: '-createdAt' })
  @IsOptional()
  @IsIn(NOTE_SORTS)
  sort?: NoteSort;

  @Fields(NoteDto)
  fields?: string[];
}

export class ListNotesDto extends ListWorkspaceNotesDto {
  /** Only this workspace's; needed with `location`, `under` and `asset` by callers of several. */
  @ApiProperty({ required: false, format: 'uuid' })
  @IsOptional()
  @IsUUID()
  workspaceId?: string;
}

export class FeedQueryDto extends PageQueryDto {
  /** Needed only where the caller is a member of several workspaces. */
  @ApiProperty({ required: false, format: 'uuid' })
  @IsOptional()
  @IsUUID()
  workspaceId?: string;
}
