import { ApiProperty } from '@nestjs/swagger';

/** The fields that all records of a workspace have in responses. */
export class RecordDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ format: 'uuid' })
  workspaceId: string;

  /** Number of changes. */
  @ApiProperty({ type: 'integer', example: 1 })
  version: number;

  createdAt: Date;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  createdBy: string | null;

  updatedAt: Date;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  updatedBy: string | null;
}
