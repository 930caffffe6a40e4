import { ApiProperty } from '@nestjs/swagger';
import { RecordDto } from '../platform/http/record.dto.js';

/** What every record has that callers create, change, put away and bring back. */
export class KeptRecordDto extends RecordDto {
  /** What the caller's own system calls it. */
  @ApiProperty({ type: String, nullable: true, example: 'SAP-10004711' })
  externalId: string | null;

  /** Since when it is put away. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  archivedAt: Date | null;
}
