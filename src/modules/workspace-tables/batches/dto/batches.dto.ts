import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { ENTITY_KINDS, type EntityKind } from '../../catalog/entity-kind.js';
import { BATCH_SOURCES, type BatchSource } from '../../history/table-batch.entity.js';

const ON_CONFLICT = ['abort', 'skip'] as const;

export class UndoQueryDto {
  /** `skip` leaves rows in conflict as they are; by default nothing is done, and they are listed. */
  @ApiProperty({ required: false, enum: ON_CONFLICT, default: 'abort' })
  @IsOptional()
  @IsIn(ON_CONFLICT)
  onConflict: (typeof ON_CONFLICT)[number] = 'abort';
}

export class BatchCountsDto {
  @ApiProperty({ type: 'integer', example: 0 })
  created: number;

  @ApiProperty({ type: 'integer', example: 2 })
  updated: number;

  @ApiProperty({ type: 'integer', example: 0 })
  deleted: number;
}

export class BatchTableDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ enum: ENTITY_KINDS, enumName: 'EntityKind' })
  entity: EntityKind;

  @ApiProperty({ example: 'Assets' })
  name: string;

  @ApiProperty({ type: 'integer', example: 3 })
  fromRevision: number;

  /** Equal to `fromRevision` if nothing changed. */
  @ApiProperty({ type: 'integer', example: 4 })
  toRevision: number;

  counts: BatchCountsDto;
}

export class BatchDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ enum: BATCH_SOURCES })
  source: BatchSource;

  tables: BatchTableDto[];

  /** Can it still be undone, if no row has changed since? */
  @ApiProperty({ example: true })
  undoable: boolean;

  /** The batch that this one has undone. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  undoes: string | null;

  /** The batch that has undone this one. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  undoneBy: string | null;

  /** The user whose credential was used. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  createdBy: string | null;

  createdAt: Date;
}

export class UndoReportDto {
  /** The batch of this undo. It can be undone, too. */
  @ApiProperty({ format: 'uuid' })
  batchId: string;

  @ApiProperty({ format: 'uuid' })
  undoes: string;

  /** With `onConflict=skip`: rows that were changed since, or whose previous values are not allowed now. */
  @ApiProperty({ type: 'integer', example: 0 })
  skipped: number;

  tables: BatchTableDto[];
}
