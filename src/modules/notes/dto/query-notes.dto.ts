import { applyDecorators } from '@nestjs/common';
import { ApiProperty, IntersectionType, PickType } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional, IsString, MaxLength } from 'class-validator';
import { PageOf, PageQueryDto } from '../../../platform/http/page.dto.js';
import { IsJsonObject, JsonObject } from '../../../platform/http/validation/json-object.decorator.js';
import { JoinList, SplitList } from '../../../platform/http/validation/query-values.decorators.js';
import { StorableText } from '../../../platform/http/validation/text.decorators.js';
import { AggregateGroupDto, GroupsQueryDto, HavingQueryDto } from '../../../records/groups.dto.js';
import { FilterText, Optional, OptionalString } from '../../../records/record-fields.decorator.js';

/** One value or several, separated by commas or as a repeated parameter. */
export function OneOf(example: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: String, description: 'One, or several separated by commas.', example }),
    SplitList(),
    IsOptional(),
    IsArray(),
    ArrayMaxSize(100),
    IsString({ each: true }),
    MaxLength(255, { each: true }),
    StorableText({ each: true }),
  );
}

/** What selects the notes of lists, groups and exports. */
export class NoteSelectionDto {
  /**
   * Conditions on fields of notes, as those of tables, as JSON or in brackets:
   * `filter[status][ne]=closed&filter[downtime][gt]=2`. `priority.level` is a path through a field of type `row`.
   */
  @ApiProperty({ required: false, type: 'string', example: '{"status":{"ne":"closed"}}' } as never)
  @Optional()
  @JsonObject()
  @IsJsonObject('filter', '{"status":{"ne":"closed"}}, or filter[status][ne]=closed')
  filter?: Record<string, unknown>;

  /** `me`: the ID or email address of the caller. */
  @OneOf('maria.huber@example.com')
  assignee?: string[];

  @FilterText(255, 'Key of a location: only notes of its subtree.')
  under?: string;

  @FilterText(255, 'The table of `location` or `under`, by ID or name; by default all location tables.')
  locationKey?: string;

  @FilterText(
    500,
    'Prefixes of words in title or description, all of which must match; or `#` and the number of a note.',
  )
  q?: string;
}

export class NoteGroupsQueryDto extends IntersectionType(
  GroupsQueryDto,
  HavingQueryDto,
  NoteSelectionDto,
  PickType(PageQueryDto, ['cursor']),
) {}

export class NoteGroupsDto extends PageOf(AggregateGroupDto) {}

export class ExportNotesDto extends NoteSelectionDto {
  /** Fields to sort by, separated by commas, such as `-dueDate,number`; `-` means descending. Default: the ID. */
  @JoinList()
  @OptionalString(10_000, { example: '-dueDate,number' })
  sort?: string;

  /** Fields to return, separated by commas, such as `number,title,status`, in addition to `id`. Default: all. */
  @JoinList()
  @OptionalString(20_000, { example: 'number,title,status' })
  fields?: string;
}
