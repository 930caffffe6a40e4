import { type Type as ClassType } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { PageQueryDto } from '../platform/http/page.dto.js';
import { Flag } from '../platform/http/validation/query-values.decorators.js';
import { Normal } from '../platform/http/validation/text.decorators.js';
import { Fields } from './field-selection.js';
import { FilterText, Optional } from './record-fields.decorator.js';

export const ARCHIVED = ['false', 'true', 'all'] as const;
export type Archived = (typeof ARCHIVED)[number];

/** The query parameters of every list of records. */
export interface RecordQueryDto extends PageQueryDto {
  workspaceId?: string;
  q?: string;
  externalId?: string;
  archived?: Archived;
  sort?: string;
  fields?: string[];
}

interface ListOptions {
  /** Fields to sort by, in addition to `createdAt` and `updatedAt`. A leading minus sorts in descending order. */
  sorts?: readonly string[];
  /** The fields that `q` searches, as words of a sentence. */
  searched: string;
}

/** The query of a list of these records. The DTO of each list extends it and adds its filters. */
export function RecordQuery(item: ClassType, { sorts: own = [], searched }: ListOptions): ClassType<RecordQueryDto> {
  const sorts = ['createdAt', 'updatedAt', ...own].flatMap((field) => [field, `-${field}`]);

  class QueryDto extends PageQueryDto implements RecordQueryDto {
    @ApiProperty({ required: false, format: 'uuid', description: 'Only records of this workspace.' })
    @Optional()
    @IsUUID()
    workspaceId?: string;

    @FilterText(255, `A part of ${searched}, in any letter case.`)
    q?: string;

    @Normal()
    @FilterText(255, 'Only the record with this external ID.')
    externalId?: string;

    @ApiProperty({
      required: false,
      enum: ARCHIVED,
      default: 'false',
      description: '`all` includes archived records; `true` returns only archived ones.',
    })
    @Flag()
    @IsOptional()
    @IsIn(ARCHIVED)
    archived?: Archived;

    @ApiProperty({ required: false, enum: sorts, default: 'createdAt' })
    @Optional()
    @IsIn(sorts)
    sort?: string;

    @Fields(item)
    fields?: string[];
  }
  return QueryDto;
}
