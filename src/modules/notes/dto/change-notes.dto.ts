import { ApiProperty, IntersectionType, OmitType } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import { FieldErrorDto } from '../../../platform/http/error.dto.js';
import { BulkCreateQueryDto } from '../../../records/bulk-create.dto.js';
import { Optional } from '../../../records/record-fields.decorator.js';
import { ListWorkspaceNotesDto } from './list-notes.dto.js';

/** Which notes to change: the filters of a list. */
export class ChangeNotesQueryDto extends IntersectionType(
  OmitType(ListWorkspaceNotesDto, ['limit', 'cursor', 'sort', 'fields', 'expand', 'archived']),
  BulkCreateQueryDto,
) {}

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

  /** Was nothing stored, because the request asked for a dry run? */
  dryRun: boolean;

  /** The errors of the notes that failed; the field begins with the number of the note: `notes[17].status`. */
  errors: FieldErrorDto[];
}

export class WatcherDto {
  /** ID of a member. Default: the caller. */
  @ApiProperty({ required: false, format: 'uuid' })
  @Optional()
  @IsUUID()
  userId?: string;
}
