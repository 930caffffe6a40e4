import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy } from 'class-validator';
import { parseInstant, toPlusHint } from '../../../../packages/tabular/src/instant.js';

/** An optional date-time with offset (ADR 0110), stored to the millisecond. Empty or null clears the field. */
export function DateTime(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      required: false,
      type: String,
      format: 'date-time',
      nullable: true,
      example: '2026-12-01T08:00:00Z',
    }),
    Transform(({ value }: { value: unknown }) =>
      value === '' ? null : typeof value === 'string' ? (parseInstant(value) ?? value) : value,
    ),
    IsOptional(),
    ValidateBy({
      name: 'dateTime',
      validator: {
        validate: (value) => value instanceof Date,
        defaultMessage: (args) => {
          const hint = typeof args?.value === 'string' ? toPlusHint(args.value) : '';
          return `${args?.property} must be an existing date-time with offset, such as 2026-12-01T08:00:00Z or 2026-12-01T09:00:00+01:00${hint && `.${hint}`}`;
        },
      },
    }),
  );
}
