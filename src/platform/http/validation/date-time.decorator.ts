import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy } from 'class-validator';

/** RFC 3339, section 5.6: date, time with seconds and up to nine decimals, offset. */
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** An optional date-time with offset, stored to the millisecond. Empty or null clears the field. */
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
      value === '' ? null : typeof value === 'string' ? parseDateTime(value) : value,
    ),
    IsOptional(),
    ValidateBy({
      name: 'dateTime',
      validator: {
        validate: (value) => value instanceof Date,
        defaultMessage: (args) =>
          `${args?.property} must be an existing date-time with offset, such as 2026-12-01T08:00:00Z or 2026-12-01T09:00:00+01:00`,
      },
    }),
  );
}

/** @returns the instant to the millisecond, or the text itself if it is not a date-time */
export function parseDateTime(text: string): Date | string {
  const [, year, month, day] = DATE_TIME.exec(text) ?? [];
  // JavaScript accepts the 31st of any month.
  const inMonth = new Date(0);
  inMonth.setUTCFullYear(Number(year), Number(month), 0);
  const exists = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= inMonth.getUTCDate();
  const instant = new Date(text.toUpperCase());
  return exists && instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999 ? instant : text;
}
