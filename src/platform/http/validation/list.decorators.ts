import { Transform } from 'class-transformer';

/** A query parameter with several values, separated by commas or as a repeated parameter, as a list. */
export function SplitList(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value));
}

/** The same as one text, separated by commas. Its values contain no comma. */
export function JoinList(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    Array.isArray(value) && value.every((each) => typeof each === 'string' && !each.includes(','))
      ? value.join()
      : value,
  );
}
