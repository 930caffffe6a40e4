import { ApiProperty } from '@nestjs/swagger';
import { EventType } from '../../../events/event-type.decorator.js';
import { ChangedRowCountsDto, NamedTableDto } from '../../catalog/dto/changed-table.dto.js';
import { BATCH_SOURCES, type BatchSource } from '../../../../../packages/tables/src/history/batch.js';

export class ProposedTableDto extends NamedTableDto {
  counts: ChangedRowCountsDto;
}

class ProposalEventDto {
  @ApiProperty({ format: 'uuid' })
  proposalId: string;

  /** What the load was. */
  @ApiProperty({ enum: BATCH_SOURCES, enumName: 'BatchSource' })
  source: BatchSource;

  /** The tables that it changes. */
  tables: ProposedTableDto[];

  /** The author of the load. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  createdBy: string | null;
}

class DecidedProposalEventDto extends ProposalEventDto {
  /** Of the user who has decided. */
  @ApiProperty({ type: String, nullable: true })
  comment: string | null;
}

@EventType('table.load_proposed', 'A load waits for approval. Nothing was stored.', 'read:workspaces')
export class LoadProposedDto extends ProposalEventDto {}

@EventType('table.load_approved', 'A load was approved, and its rows were stored.', 'read:workspaces')
export class LoadApprovedDto extends DecidedProposalEventDto {
  @ApiProperty({ format: 'uuid' })
  batchId: string;
}

@EventType('table.load_rejected', 'A load was rejected. Nothing was stored.', 'read:workspaces', {
  sample: { comment: 'The weights are too high.' },
})
export class LoadRejectedDto extends DecidedProposalEventDto {}

@EventType('table.load_expired', 'A load was not approved in time. Nothing was stored.', 'read:workspaces')
export class LoadExpiredDto extends ProposalEventDto {}
