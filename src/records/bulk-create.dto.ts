import { type Type as ClassType } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn } from 'class-validator';
import { FieldErrorDto } from '../platform/http/error.dto.js';
import { Optional, OptionalFlag } from './record-fields.decorator.js';

/** Maximum number of records per bulk request. */
export const MAX_BULK_ITEMS = 1_000;

const ON_ERROR = ['abort', 'continue'] as const;

export class BulkCreateQueryDto {
  @ApiProperty({
    required: false,
    enum: ON_ERROR,
    default: 'abort',
    description:
      '`abort` stores all or nothing; `continue` stores the valid part and returns 207 with the errors of the rest.',
  })
  @Optional()
  @IsIn(ON_ERROR)
  onError?: (typeof ON_ERROR)[number];

  /** `true` returns the report and stores nothing. */
  @OptionalFlag()
  dryRun?: string;
}

export interface BulkBody {
  items: object[];
}

/** The body of a bulk create. Its items are validated one by one, so that each has its own errors. */
export function BulkOf(item: ClassType): ClassType<BulkBody> {
  class BulkDto implements BulkBody {
    @ApiProperty({ type: [item], minItems: 1, maxItems: MAX_BULK_ITEMS })
    @IsArray()
    @ArrayMinSize(1)
    @ArrayMaxSize(MAX_BULK_ITEMS)
    items: object[];
  }
  Object.defineProperty(BulkDto, 'name', { value: item.name.replace(/^Create|Dto$/g, '').concat('BulkDto') });
  return BulkDto;
}

const OUTCOMES = ['created', 'updated', 'unchanged', 'failed'] as const;

export class BulkItemDto {
  /** Index in `items`, from 0. */
  @ApiProperty({ type: 'integer', example: 0 })
  index: number;

  @ApiProperty({ enum: OUTCOMES, enumName: 'BulkItemOutcome' })
  outcome: (typeof OUTCOMES)[number];

  /** Null for a record that a dry run would create. */
  @ApiProperty({ oneOf: [{ type: 'string', format: 'uuid' }, { type: 'integer' }], nullable: true })
  id: string | number | null;

  externalId: string | null;

  errors: FieldErrorDto[];
}

export class BulkCreatedDto {
  @ApiProperty({ type: 'integer', example: 2 })
  received: number;

  @ApiProperty({ type: 'integer', example: 1 })
  created: number;

  @ApiProperty({ type: 'integer', example: 1 })
  updated: number;

  /** Items without a change. */
  @ApiProperty({ type: 'integer', example: 0 })
  unchanged: number;

  @ApiProperty({ type: 'integer', example: 0 })
  failed: number;

  /** Was nothing stored, because the request asked for a dry run? */
  dryRun: boolean;

  items: BulkItemDto[];
}
