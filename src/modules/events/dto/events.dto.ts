import { ApiProperty } from '@nestjs/swagger';
import { Max, Min } from 'class-validator';
import { EmptyIsAbsent, SplitList, WholeNumber } from '../../../platform/http/validation/query-values.decorators.js';
import { Optional, OptionalWholeNumber } from '../../../records/record-fields.decorator.js';
import { EventPatterns } from '../event-type.decorator.js';
import { EVENT_SOURCES, type EventSource } from '../event.entity.js';

export const MAX_EVENTS = 1_000;

/** Maximum of `wait` in seconds: below the limits of common proxies. */
export const MAX_WAIT_S = 55;

export class ListEventsDto {
  /** `nextCursor` of the previous response. Without it, the oldest events are returned. */
  @ApiProperty({ required: false, type: 'integer', minimum: 0 })
  @EmptyIsAbsent()
  @Optional()
  @WholeNumber()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  after?: number;

  /** Types, separated by commas; `note.*` is every type of notes. */
  @ApiProperty({ required: false, type: String, example: 'note.*,table.rows_changed' })
  @SplitList()
  @Optional()
  @EventPatterns()
  types?: string[];

  @OptionalWholeNumber(1, MAX_EVENTS, 100)
  limit: number = 100;

  /** If there are no events, wait this many seconds for the first. */
  @OptionalWholeNumber(0, MAX_WAIT_S, 0)
  wait: number = 0;
}

export class EventActorDto {
  /** Null for anonymous callers and for the service itself. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  userId: string | null;

  @ApiProperty({ enum: EVENT_SOURCES, enumName: 'EventSource' })
  source: EventSource;
}

/** What happened in a workspace. The section `webhooks` describes the `data` of each type. */
export class EventDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ example: 'table.rows_changed' })
  type: string;

  @ApiProperty({ format: 'date-time' })
  timestamp: string;

  @ApiProperty({ format: 'uuid' })
  workspaceId: string;

  /** 1, 2, 3, … in the workspace; null for `ping`. */
  @ApiProperty({ type: 'integer', nullable: true })
  sequence: number | null;

  actor: EventActorDto;

  /** A record that is too large is cut to its IDs; then `truncated` is true. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  data: object;
}

export class EventListDto {
  /** In the order of `sequence`. */
  events: EventDto[];

  /** Number of the last event of the workspace. */
  @ApiProperty({ type: 'integer' })
  latestSequence: number;

  hasMore: boolean;

  /** The next `after`. */
  @ApiProperty({ type: 'integer' })
  nextCursor: number;
}
