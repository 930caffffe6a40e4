import { type Type as ClassType } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString, Max, Min } from 'class-validator';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import { EmptyIsAbsent, WholeNumber } from './validation/query-values.decorators.js';

/** Default and maximum number of records on a page. */
const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 500;

/** Start and size of a page. */
export class PageQueryDto {
  /** Number of records on the page. */
  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })
  @IsOptional()
  @WholeNumber()
  @Min(1)
  @Max(MAX_LIMIT)
  limit: number = DEFAULT_LIMIT;

  /** `nextCursor` of the previous page. */
  @ApiProperty({ required: false })
  @EmptyIsAbsent()
  @IsOptional()
  @IsString()
  cursor?: string;
}

/** Where a page ends. */
export class PageEndDto {
  /** True if there is another page. */
  hasMore: boolean;

  /** The `cursor` of the next page; null on the last. */
  @ApiProperty({ type: String, nullable: true })
  nextCursor: string | null;
}

/** The DTO of a page of records in the OpenAPI document. */
export function PageOf<T>(item: ClassType<T>): ClassType<Page<T>> {
  class PageDto extends PageEndDto implements Page<T> {
    @ApiProperty({ type: [item] })
    items: T[];
  }
  Object.defineProperty(PageDto, 'name', { value: `${item.name.replace(/Dto$/, '')}PageDto` });
  return PageDto;
}
