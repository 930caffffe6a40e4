import { type Type as ClassType } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, Min } from 'class-validator';

/** Records on a page where the caller says nothing, and at most. */
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;

/** Where to go on in a list of records, and how far. */
export class PageQueryDto {
  /** Records on a page. */
  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MAX_LIMIT)
  limit: number = DEFAULT_LIMIT;

  /** `nextCursor` of the page before. */
  @ApiProperty({ required: false })
  @IsOptional()
  @IsString()
  cursor?: string;
}

export interface Page<T> {
  items: T[];
  hasMore: boolean;
  nextCursor: string | null;
}

/** The DTO of a page of records, for the OpenAPI document. */
export function PageOf<T>(item: ClassType<T>): ClassType<Page<T>> {
  class PageDto implements Page<T> {
    @ApiProperty({ type: [item] })
    items: T[];

    @ApiProperty({ description: 'Is there a page after this one?' })
    hasMore: boolean;

    @ApiProperty({ type: String, nullable: true, description: 'The `cursor` of the next page; null on the last.' })
    nextCursor: string | null;
  }
  Object.defineProperty(PageDto, 'name', { value: `${item.name.replace(/Dto$/, '')}PageDto` });
  return PageDto;
}
