import { ApiProperty } from '@nestjs/swagger';
import { PageOf } from '../../../../platform/http/page.dto.js';
import { TableSummaryDto } from '../../catalog/dto/table-summary.dto.js';
import { ViolationCountDto, ViolationDto } from '../../catalog/dto/violation.dto.js';

export class ViolationsPageDto extends PageOf(ViolationDto) {
  table: TableSummaryDto;

  /** The number of rows per constraint; only in the first page. */
  @ApiProperty({ required: false, type: [ViolationCountDto] })
  counts?: ViolationCountDto[];
}
