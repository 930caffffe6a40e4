import { ApiProperty } from '@nestjs/swagger';
import { PageOf } from '../../../platform/http/page.dto.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../event-delivery.entity.js';

class DeliveryAttemptDto {
  @ApiProperty({ format: 'date-time' })
  at: string;

  /** Null if no response was received. */
  @ApiProperty({ type: 'integer', nullable: true })
  responseStatus: number | null;

  @ApiProperty({ type: 'integer' })
  durationMs: number;

  /** The first KiB. */
  responseBody: string | null;

  error: string | null;
}

class DeliveredEventDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ example: 'note.created' })
  type: string;

  @ApiProperty({ type: 'integer', nullable: true })
  sequence: number | null;
}

export class DeliveryDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  event: DeliveredEventDto;

  @ApiProperty({ enum: DELIVERY_STATUSES, enumName: 'DeliveryStatus' })
  status: DeliveryStatus;

  nextAttemptAt: Date | null;

  attempts: DeliveryAttemptDto[];

  createdAt: Date;
}

export class DeliveryPageDto extends PageOf(DeliveryDto) {}
