import { ApiProperty, IntersectionType, PickType } from '@nestjs/swagger';
import { PageOf, PageQueryDto } from '../../../platform/http/page.dto.js';
import { IsJsonObject, JsonObject } from '../../../platform/http/validation/json-object.decorator.js';
import { JoinList } from '../../../platform/http/validation/query-values.decorators.js';
import { AggregateGroupDto, GroupsQueryDto, HavingQueryDto } from '../../../records/groups.dto.js';
import { Optional, OptionalString } from '../../../records/record-fields.decorator.js';

/** Conditions on fields of notes, in the language of tables. */
export class NoteFilterDto {
  /**
   * Conditions on all fields of notes, as JSON or in brackets, with the operators of tables:
   * `filter[status][ne]=closed&filter[downtime][gt]=2`. A path leads through a field of type `row`: `priority.level`.
   */
  @ApiProperty({ required: false, type: 'string', example: '{"status":{"ne":"closed"}}' } as never)
  @Optional()
  @JsonObject()
  @IsJsonObject('filter', '{"status":{"ne":"closed"}}, or filter[status][ne]=closed')
  filter?: Record<string, unknown>;
}

export class NoteGroupsQueryDto extends IntersectionType(
  GroupsQueryDto,
  HavingQueryDto,
  NoteFilterDto,
  PickType(PageQueryDto, ['cursor']),
) {}

export class NoteGroupsDto extends PageOf(AggregateGroupDto) {}

export class ExportNotesDto extends NoteFilterDto {
  /** Fields to sort by, separated by commas, such as `-dueDate,number`; `-` means descending. Default: the ID. */
  @JoinList()
  @OptionalString(10_000, { example: '-number' })
  sort?: string;

  /** Fields to return, separated by commas, such as `number,title,status`, in addition to `id`. Default: all. */
  @JoinList()
  @OptionalString(20_000, { example: 'number,title,status' })
  fields?: string;
}
