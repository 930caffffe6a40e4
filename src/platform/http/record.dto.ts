import { ApiProperty } from '@nestjs/swagger';

/** What every record of a workspace has, as callers see it. */
export class RecordDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ format: 'uuid' })
  workspaceId: string;

  /** Counts the changes. */
  @ApiProperty({ type: 'integer', example: 1 })
  version: number;

  createdAt: Date;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  createdBy: string | null;

  updatedAt: Date;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  updatedBy: string | null;
}
