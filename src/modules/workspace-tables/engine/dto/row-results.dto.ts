import { ApiProperty } from '@nestjs/swagger';
import {
  ROW_STATUSES,
  type RowResult,
  type RowStatus,
  type UnresolvedReference,
  type UnresolvedReferences,
} from '../../../../../packages/tables/src/sources/row-results.js';

export class UnresolvedReferenceDto implements UnresolvedReference {
  /** Position among the items sent, from 0. */
  @ApiProperty({ type: 'integer', example: 17 })
  index: number;

  /** In an import: the line on which the row begins, from 1. */
  @ApiProperty({ required: false, type: 'integer', example: 18 })
  line?: number;

  @ApiProperty({ example: 'location' })
  column: string;

  @ApiProperty({ example: 'AT10-UTL-CW' })
  value: string;
}

export class UnresolvedReferencesDto implements UnresolvedReferences {
  /** All references of this request without a target. They resolve automatically as soon as the target exists. */
  @ApiProperty({ type: 'integer', example: 1 })
  total: number;

  /** The first 20. */
  @ApiProperty({ type: [UnresolvedReferenceDto] })
  first: UnresolvedReferenceDto[];
}

export class RowResultDto implements RowResult {
  /** Position among the items sent, from 0. */
  @ApiProperty({ type: 'integer', example: 0 })
  index: number;

  /** Primary key of the row; null if a failed row has none. */
  @ApiProperty({ type: String, nullable: true, example: '000000000010004711' })
  key: string | null;

  @ApiProperty({ enum: ROW_STATUSES, enumName: 'RowStatus' })
  status: RowStatus;
}
