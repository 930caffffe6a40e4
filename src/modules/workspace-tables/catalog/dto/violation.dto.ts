import { ApiProperty } from '@nestjs/swagger';
import {
  CONSTRAINT_CODES,
  CONSTRAINT_LEVELS,
  type ConstraintCode,
  type ConstraintLevel,
  CONSTRAINTS,
  type ConstraintRule,
} from '../../../../../packages/tables/src/catalog/column-types.js';

/** A value of a row that violates a constraint of its column. */
export class ViolatedConstraintDto {
  /** Key of the column. */
  @ApiProperty({ example: 'weight' })
  column: string;

  @ApiProperty({ enum: Object.values(CONSTRAINT_CODES), enumName: 'ConstraintCode', example: 'below_minimum' })
  code: ConstraintCode;

  @ApiProperty({ example: '-5 is less than the minimum 0.' })
  message: string;
}

/** A stored row that violates a constraint. */
export class ViolationDto extends ViolatedConstraintDto {
  /** The row's primary key. */
  @ApiProperty({ example: '000000000010004711' })
  key: string;

  @ApiProperty({ enum: CONSTRAINT_LEVELS, enumName: 'ConstraintLevel', example: 'error' })
  level: ConstraintLevel;
}

/** How many rows violate a constraint. */
export class ViolationCountDto {
  /** Key of the column. */
  @ApiProperty({ example: 'weight' })
  column: string;

  /** With `uniqueTogether`: the keys of all its columns. */
  columns?: string[];

  @ApiProperty({ enum: CONSTRAINTS, enumName: 'ConstraintRule', example: 'minimum' })
  rule: ConstraintRule;

  @ApiProperty({ enum: CONSTRAINT_LEVELS, enumName: 'ConstraintLevel', example: 'error' })
  level: ConstraintLevel;

  @ApiProperty({ type: 'integer', example: 3 })
  rows: number;
}
