import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsUUID, ValidateBy } from 'class-validator';
import { FilterText, Optional } from '../../../records/record-fields.decorator.js';
import { isTimezone } from '../../../../packages/tabular/src/instant.js';
import { GRANULARITIES, type Granularity, isDay, MAX_BUCKETS } from '../calendar.js';

/** A calendar day as `YYYY-MM-DD`. */
function OptionalDay(example: string, description: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: String, format: 'date', example, description }),
    Optional(),
    ValidateBy({
      name: 'day',
      validator: {
        validate: isDay,
        defaultMessage: (args) => `${args?.property} must be a day from 1900-01-01 to 2999-12-31, such as ${example}`,
      },
    }),
  );
}

export class WorkspaceQueryDto {
  /** Required if the caller is a member of several workspaces. */
  @ApiProperty({ required: false, format: 'uuid' })
  @Optional()
  @IsUUID()
  workspaceId?: string;
}

export class FilterQueryDto extends WorkspaceQueryDto {
  /** Only records of this project. */
  @ApiProperty({ required: false, format: 'uuid' })
  @Optional()
  @IsUUID()
  projectId?: string;

  @FilterText(255, 'Key of a location: only records of it and of its subtree.')
  location?: string;

  @FilterText(255, 'ID or name of the location table. By default all tables that contain the key.')
  locationKey?: string;
}

export class SeriesQueryDto extends FilterQueryDto {
  @OptionalDay('2026-03-01', 'The first day. By default 30 days before `to`.')
  from?: string;

  @OptionalDay('2026-04-01', 'The day after the last day. By default tomorrow.')
  to?: string;

  @ApiProperty({
    required: false,
    enum: GRANULARITIES,
    default: 'day',
    description: `Weeks begin on Monday. \`from\` and \`to\` may shorten the first and the last bucket. At most ${MAX_BUCKETS.toLocaleString('en')} buckets.`,
  })
  @Optional()
  @IsIn(GRANULARITIES)
  granularity?: Granularity;

  @ApiProperty({
    required: false,
    type: String,
    example: 'Europe/Vienna',
    description: 'IANA name of the timezone of the days. By default that of the workspace.',
  })
  @Optional()
  @ValidateBy({
    name: 'timezone',
    validator: {
      validate: isTimezone,
      defaultMessage: (args) => `${args?.property} must be the IANA name of a timezone, such as Europe/Vienna`,
    },
  })
  timezone?: string;
}
