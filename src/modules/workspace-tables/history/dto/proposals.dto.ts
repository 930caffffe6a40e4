import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BATCH_SOURCES, type BatchSource } from '../../../../../packages/tables/src/history/batch.js';
import { PROPOSAL_STATUSES, type ProposalStatus } from '../table-proposal.entity.js';
import { ProposedTableDto } from './proposal-events.dto.js';

export class ProposalDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ enum: PROPOSAL_STATUSES, enumName: 'ProposalStatus' })
  status: ProposalStatus;

  /** What the load was. */
  @ApiProperty({ enum: BATCH_SOURCES, enumName: 'BatchSource' })
  source: BatchSource;

  /** The tables that it changes, with the numbers of rows. */
  tables: ProposedTableDto[];

  /** The data of the response to the load. Absent in lists and for `compared_by_other`. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  report?: Record<string, unknown>;

  /** The import whose load it is. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  importId: string | null;

  /** The batch that it undoes. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  undoes: string | null;

  /** Must another user than the author approve it? */
  needsOtherUser: boolean;

  /** The author of the load. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  createdBy: string | null;

  createdAt: Date;

  /** When its changes were compared with the stored rows. */
  comparedAt: Date;

  expiresAt: Date;

  /** The user who has approved or rejected it. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  decidedBy: string | null;

  @ApiProperty({ type: Date, nullable: true })
  decidedAt: Date | null;

  @ApiProperty({ type: String, nullable: true })
  comment: string | null;

  /** The batch of an approved proposal. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  batchId: string | null;
}
