import { ApiProperty, IntersectionType, OmitType } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import { FieldErrorDto } from '../../../platform/http/error.dto.js';
import { rejectEmpty } from '../../../platform/http/validation/query-values.decorators.js';
import { BulkCreateQueryDto } from '../../../records/bulk-create.dto.js';
import { listFields, Optional } from '../../../records/record-fields.decorator.js';
import { ListWorkspaceNotesDto } from './list-notes.dto.js';

/** Which notes to change: the filters of a list. */
export class ChangeNotesQueryDto extends IntersectionType(
  OmitType(ListWorkspaceNotesDto, ['limit', 'cursor', 'sort', 'fields', 'expand', 'archived']),
  BulkCreateQueryDto,
) {}

// Without the value of a variable in the URL, a request would change notes that its sender does not mean.
rejectEmpty(ChangeNotesQueryDto, listFields(ChangeNotesQueryDto));

export class ChangedNotesDto {
  /** Notes that the filters select. */
  @ApiProperty({ type: 'integer', example: 3 })
  matched: number;

  @ApiProperty({ type: 'integer', example: 2 })
  changed: number;

  /** Notes that have the values already. */
  @ApiProperty({ type: 'integer', example: 1 })
  unchanged: number;

  @ApiProperty({ type: 'integer', example: 0 })
  failed: number;

  /** Was nothing stored? */
  dryRun: boolean;

  /** Those of notes that failed, with their numbers: `notes[17].status`. */
  errors: FieldErrorDto[];
}

export class WatcherDto {
  /** ID of a member. Default: the caller. */
  @ApiProperty({ required: false, format: 'uuid' })
  @Optional()
  @IsUUID()
  userId?: string;
}
