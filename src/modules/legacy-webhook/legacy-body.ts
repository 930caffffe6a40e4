import { type FieldError, InvalidRequestError } from '../../../packages/errors/src/domain-error.js';
import { LEGACY_ARRAYS, type LegacyArray } from './legacy-mapping.js';

/** Description of a valid body, for error messages. */
export const LEGACY_SHAPE = `an object with one or more of the lists ${LEGACY_ARRAYS.join(', ')}`;

const ARRAY_BY_LOWER_CASE_NAME = new Map(LEGACY_ARRAYS.map((array) => [array.toLowerCase(), array]));

/** Unknown keys of the body that the report lists. */
const MAX_LISTED_KEYS = 100;

export interface LegacyBody {
  /** The arrays in the order sent. */
  arrays: { array: LegacyArray; records: readonly unknown[] }[];
  /** Keys that name none of the five arrays, the first 100. */
  unmapped: string[];
}

/** Finds the arrays of a body, in any letter case. @throws {InvalidRequestError} */
export function parseLegacyBody(body: unknown): LegacyBody {
  const arrays: LegacyBody['arrays'] = [];
  const unmapped: string[] = [];
  const errors: FieldError[] = [];
  for (const [name, records] of Object.entries<unknown>((body ?? {}) as Record<string, unknown>)) {
    const array = ARRAY_BY_LOWER_CASE_NAME.get(name.toLowerCase());
    if (array === undefined) {
      if (unmapped.length < MAX_LISTED_KEYS) unmapped.push(name.slice(0, 255));
      continue;
    }
    const list = toList(records);
    if (list === undefined) {
      const message = `${name} must be a list of records, not ${describeType(records)}.`;
      errors.push({ field: name, code: 'invalid_field', message });
    } else if (arrays.some((sent) => sent.array === array)) {
      const message = `Duplicate key "${array}" in the body, in another letter case. Send each array once.`;
      errors.push({ field: name, code: 'ambiguous_field', message });
    } else {
      arrays.push({ array, records: list });
    }
  }
  if (errors.length > 0) throw new InvalidRequestError(errors);
  if (arrays.length === 0) throw new InvalidRequestError([], `The body must be ${LEGACY_SHAPE}.`);
  return { arrays, unmapped };
}

/**
 * The records of a list. Converters from XML write an element that occurs once as an object, and an empty one as an
 * empty text; clients of typed languages write null for an absent list.
 *
 * @returns undefined for a value that is not a list
 */
function toList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as unknown[];
  if (value === null || value === '') return [];
  return typeof value === 'object' ? [value] : undefined;
}

/** The JSON type of a value, for error messages. */
export function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
