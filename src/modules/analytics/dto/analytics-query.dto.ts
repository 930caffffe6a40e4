import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, IsUUID, MaxLength, ValidateBy } from 'class-validator';
import { StorableText } from '../../../platform/http/validation/text.decorators.js';
import { Optional } from '../../../records/record-fields.decorator.js';
import { GRANULARITIES, type Granularity, isDay, isTimezone, MAX_BUCKETS } from '../calendar.js';

/** A day of the calendar. */
function OptionalDay(example: string, description: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: String, format: 'date', example, description }),
    Optional(),
    ValidateBy({
      name: 'day',
      validator: {
        validate: isDay,
        defaultMessage: (args) =>
          `${args?.property} must be a day of the calendar from 1900-01-01 to 2999-12-31, such as ${example}`,
      },
    }),
  );
}

function FilterText(description: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: String, maxLength: 255, description }),
    Optional(),
    IsString(),
    MaxLength(255),
    StorableText(),
  );
}

export class WorkspaceQueryDto {
  /** Needed only where the caller is a member of several workspaces. */
  @ApiProperty({ required: false, format: 'uuid' })
  @Optional()
  @IsUUID()
  workspaceId?: string;
}

export class FilterQueryDto extends WorkspaceQueryDto {
  /** Only what belongs to this project. */
  @ApiProperty({ required: false, format: 'uuid' })
  @Optional()
  @IsUUID()
  projectId?: string;

  @FilterText('Key of a location: only what is filed against it or anything below it.')
  location?: string;

  @FilterText('The Locations table of `location`, by id or name; all that have the key where it is not said.')
  locationKey?: string;
}

export class SeriesQueryDto extends FilterQueryDto {
  @OptionalDay('2026-03-01', 'The first day; 30 days before `to` where it is not said.')
  from?: string;

  @OptionalDay('2026-04-01', 'The day after the last one; tomorrow where it is not said.')
  to?: string;

  /** Weeks begin on Monday. The first and the last may be cut off by `from` and `to`. */
  @ApiProperty({
    required: false,
    enum: GRANULARITIES,
    default: 'day',
    description: `Weeks begin on Monday. The first and the last may be cut by \`from\` and \`to\`. At most ${MAX_BUCKETS.toLocaleString('en')} of them.`,
  })
  @Optional()
  @IsIn(GRANULARITIES)
  granularity?: Granularity;

  @ApiProperty({
    required: false,
    type: String,
    example: 'Europe/Vienna',
    description: "Whose days they are, by its IANA name; the workspace's where it is not said.",
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
