import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, Max, MaxLength, Min } from 'class-validator';
import { RecordDto } from '../../../platform/http/record.dto.js';
import { HttpUrl } from '../../../platform/http/validation/text.decorators.js';
import { WholeNumber } from '../../../platform/http/validation/query-values.decorators.js';
import { OptionalId, OptionalOneOf, OptionalText, PartialOf } from '../../../records/record-fields.decorator.js';
import { EventPatterns } from '../../events/event-type.decorator.js';
import {
  DISABLED_REASONS,
  type DisabledReason,
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus,
} from '../subscription.entity.js';

export const MAX_URL_LENGTH = 2_048;
export const MAX_PATTERNS = 50;

export class CreateSubscriptionDto {
  /** HTTPS, with a public address. */
  @ApiProperty({ format: 'uri', example: 'https://example.com/webhooks', maxLength: MAX_URL_LENGTH })
  @HttpUrl()
  @MaxLength(MAX_URL_LENGTH)
  url: string;

  /** Types of events; `note.*` is every type of notes, `*` is every type. */
  @ApiProperty({ type: [String], minItems: 1, maxItems: MAX_PATTERNS, example: ['note.*', 'table.rows_changed'] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_PATTERNS)
  @EventPatterns()
  events: string[];

  @OptionalText({ maxLength: 1_000 })
  description?: string | null;

  @OptionalOneOf(SUBSCRIPTION_STATUSES, 'enabled')
  status?: SubscriptionStatus;

  /** The access policy that restricts the events; null removes it. */
  @OptionalId()
  policyId?: string | null;

  /** Delivers no events that this user has caused. */
  @OptionalId()
  excludedActorId?: string | null;

  /** Delivers only events of notes that this user watches. */
  @OptionalId()
  watcherId?: string | null;
}

/** Fields that are not sent remain unchanged. `enabled` continues with new events. */
export class ChangeSubscriptionDto extends PartialOf(CreateSubscriptionDto) {}

export class SubscriptionDto extends RecordDto {
  url: string;

  events: string[];

  description: string | null;

  @ApiProperty({ enum: SUBSCRIPTION_STATUSES, enumName: 'SubscriptionStatus' })
  status: SubscriptionStatus;

  /** `gone`: the receiver answered 410; `failing`: all attempts of five days failed; `not_owner`: see `ownerId`. */
  @ApiProperty({ enum: DISABLED_REASONS, enumName: 'DisabledReason', nullable: true })
  disabledReason: DisabledReason | null;

  /**
   * On whose behalf events are delivered: who created or enabled it, or changed what it receives, last. The next
   * delivery disables it if this user is not an owner.
   */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  ownerId: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  policyId: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  excludedActorId: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  watcherId: string | null;

  /** Signs deliveries. Only in the responses that issue it. */
  secret?: string;
}

export class ReplayQueryDto {
  /** The first event to send again. */
  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  @WholeNumber()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  from: number;
}
