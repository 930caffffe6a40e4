import { ApiProperty } from '@nestjs/swagger';
import { RecordDto } from '../platform/http/record.dto.js';

/** The response fields of every record with an external ID and an archive. */
export class ArchivableRecordDto extends RecordDto {
  /** ID of the record in the caller's own system. */
  @ApiProperty({ type: String, nullable: true, example: 'SAP-10004711' })
  externalId: string | null;

  /** When the record was archived; null while it is in use. */
  archivedAt: Date | null;
}
