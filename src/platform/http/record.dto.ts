import { ApiProperty } from '@nestjs/swagger';

/** What changed last, in responses of everything that has versions. */
export class VersionedDto {
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

/** The fields that all records of a workspace have in responses. */
export class RecordDto extends VersionedDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ format: 'uuid' })
  workspaceId: string;
}
