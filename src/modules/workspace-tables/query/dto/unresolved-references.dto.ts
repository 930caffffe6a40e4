import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { PageOf, PageQueryDto } from '../../../../platform/http/page.dto.js';
import { StorableText } from '../../../../platform/http/validation/text.decorators.js';
import { Optional } from '../../../../records/record-fields.decorator.js';
import { TableSummaryDto } from '../../catalog/dto/table-summary.dto.js';

export class UnresolvedQueryDto extends PageQueryDto {
  /** Only references of this column. */
  @ApiProperty({ required: false })
  @Optional()
  @IsString()
  @StorableText()
  column?: string;
}

export class UnresolvedItemDto {
  /** The row's primary key. */
  @ApiProperty({ example: '000000000010004711' })
  key: string;

  @ApiProperty({ example: 'location' })
  column: string;

  /** The key that no row of the column's target table has. */
  @ApiProperty({ example: 'AT10-UTL-CW' })
  value: string;
}

export class UnresolvedPageDto extends PageOf(UnresolvedItemDto) {
  table: TableSummaryDto;
}
