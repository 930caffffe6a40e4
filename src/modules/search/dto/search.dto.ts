import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsString, MaxLength, MinLength } from 'class-validator';
import { SplitList } from '../../../platform/http/validation/query-values.decorators.js';
import { StorableText } from '../../../platform/http/validation/text.decorators.js';
import { Optional, OptionalWholeNumber } from '../../../records/record-fields.decorator.js';
import { RowTextsService, type TableSchema } from '../../workspace-tables/query/row-texts.service.js';
import { SEARCH_KINDS, type SearchKind } from '../search-kinds.js';
import { DEFAULT_HITS, MAX_HITS, MAX_QUERY_LENGTH, MAX_SEARCHED_TABLES } from '../search-limits.js';

export class SearchQueryDto {
  /** Words, beginnings of words, or a key. */
  @ApiProperty({ minLength: 1, maxLength: MAX_QUERY_LENGTH, example: 'pump' })
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_QUERY_LENGTH)
  @StorableText()
  q: string;

  /** By default all. */
  @ApiProperty({ required: false, enum: SEARCH_KINDS, enumName: 'SearchKind', isArray: true })
  @SplitList()
  @Optional()
  @IsArray()
  @ArrayMaxSize(SEARCH_KINDS.length)
  @IsIn(SEARCH_KINDS, { each: true })
  kinds?: SearchKind[];

  /** IDs, or entity and name. */
  @ApiProperty({ required: false, type: String, example: 'assets/Equipment' })
  @SplitList()
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_SEARCHED_TABLES)
  @IsString({ each: true })
  @MaxLength(300, { each: true })
  tables?: string[];

  @OptionalWholeNumber(1, MAX_HITS, DEFAULT_HITS)
  limit: number = DEFAULT_HITS;
}

export class SearchMatchDto {
  field: string;

  /** Of the value: every second part is a match. */
  parts: string[];
}

export class SearchHitDto {
  id: string;

  title: string;

  @ApiProperty({ required: false, type: RowTextsService.tableSchema })
  table?: TableSchema;

  @ApiProperty({ required: false, type: 'integer' })
  number?: number;

  isMistyped: boolean;

  matches: SearchMatchDto[];
}

export class SearchGroupDto {
  @ApiProperty({ enum: SEARCH_KINDS, enumName: 'SearchKind' })
  kind: SearchKind;

  items: SearchHitDto[];

  hasMore: boolean;
}

export class SearchResultDto {
  groups: SearchGroupDto[];

  isCurrent: boolean;
}
