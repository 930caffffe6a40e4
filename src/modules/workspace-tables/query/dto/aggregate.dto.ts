import { ApiExtraModels, ApiProperty, IntersectionType, PickType } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import { PageOf } from '../../../../platform/http/page.dto.js';
import { AggregateGroupDto, GroupsQueryDto, HavingQueryDto } from '../../../../records/groups.dto.js';
import { Optional } from '../../../../records/record-fields.decorator.js';
import { TableSummaryDto } from '../../catalog/dto/table-summary.dto.js';
import { ItemsBodyDto, ItemsQueryDto } from './query-rows.dto.js';

const ROWS = ['q', 'under', 'depth', 'filter', 'cursor', 'asOf'] as const;

export class AggregateQueryDto extends IntersectionType(
  GroupsQueryDto,
  HavingQueryDto,
  PickType(ItemsQueryDto, ROWS),
) {}

class FilteredRowsDto extends PickType(ItemsBodyDto, ROWS) {}

/** AggregateQueryDto as a body: values may also be numbers, booleans, null and lists. */
@ApiExtraModels(FilteredRowsDto)
export class AggregateBodyDto extends IntersectionType(GroupsQueryDto, FilteredRowsDto) {
  /** Conditions on groups and measures, in the form of `filter`. */
  @ApiProperty({ required: false, type: 'object', additionalProperties: true, example: { count: { gte: 1 } } } as never)
  @Optional()
  @IsObject()
  having?: Record<string, unknown>;
}

export class AggregatePageDto extends PageOf(AggregateGroupDto) {
  table: TableSummaryDto;
}
