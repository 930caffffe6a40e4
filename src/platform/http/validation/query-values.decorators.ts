import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt } from 'class-validator';

/** A query parameter with several values, separated by commas or as a repeated parameter, as a list. */
export function SplitList(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value));
}

/** A query parameter with several values, as one text with commas. A value must not contain a comma. */
export function JoinList(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    Array.isArray(value) && value.every((each) => typeof each === 'string' && !each.includes(','))
      ? value.join()
      : value,
  );
}

/** An integer, also as digits in a query. An empty text is rejected, although JavaScript converts it to 0. */
export function WholeNumber(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value,
    ),
    IsInt(),
  );
}
