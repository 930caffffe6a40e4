import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt, ValidateBy } from 'class-validator';
import { parseFlag } from '../../../../packages/tabular/src/flag.js';

/** A query parameter that an empty text, as forms and clients send it for no value, leaves out. */
export function EmptyIsAbsent(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value));
}

export const NOT_EMPTY = 'notEmpty';

/**
 * Parameters of the query, of which an empty one is rejected, also if it counts as absent in other queries.
 *
 * @param query is the only class that extends its base: a class reads values after the inherited readers, but its
 *   own rules would replace the inherited ones of class-validator.
 */
export function rejectEmpty({ prototype }: { prototype: object }, names: readonly string[]): void {
  for (const name of names) {
    Transform(({ value, obj }: { value: unknown; obj: Record<string, unknown> }) => (obj[name] === '' ? '' : value))(
      prototype,
      name,
    );
    ValidateBy({
      name: NOT_EMPTY,
      validator: {
        validate: (value) => value !== '',
        defaultMessage: () => `${name} is empty. Send a value, or omit the parameter.`,
      },
    })(Object.getPrototypeOf(prototype) as object, name);
  }
}

/**
 * A query parameter with several values, separated by commas or as a repeated parameter, as a list. An empty text
 * counts as absent.
 */
export function SplitList(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? (value === '' ? undefined : value.split(',')) : value,
  );
}

/** A query parameter `true` or `false` in its usual form; other texts stay as they are. */
export function Flag(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? (parseFlag(value)?.toString() ?? value) : value,
  );
}

/** A query parameter with several values, as one text with commas. A value must not contain a comma. */
export function JoinList(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    Array.isArray(value) && value.every((each) => typeof each === 'string' && !each.includes(','))
      ? value.join()
      : value,
  );
}

/** Digits in a query as a number; other texts, which JavaScript may also convert (`0x10`, ``), stay as they are. */
export function Digits(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value,
  );
}

/** An integer, also as digits in a query. */
export function WholeNumber(): PropertyDecorator {
  return applyDecorators(Digits(), IsInt());
}
