import { type FieldError, InvalidRequestError } from '../../platform/http/domain-error.js';
import { LEGACY_ARRAYS, type LegacyArray } from './legacy-mapping.js';

/** What a body of the webhook looks like, for people. */
export const LEGACY_SHAPE = `an object with one or more of the lists ${LEGACY_ARRAYS.join(', ')}`;

const ARRAY_BY_FOLDED_NAME = new Map(LEGACY_ARRAYS.map((array) => [array.toLowerCase(), array]));

/** Strange keys of a body that the answer names. */
const MAX_LISTED_KEYS = 100;

export interface LegacyBody {
  /** The arrays that were sent, in their order. */
  arrays: { array: LegacyArray; records: readonly unknown[] }[];
  /** Keys that name none of the five arrays, the first 100. */
  unmapped: string[];
}

/** Takes a body apart. Letter case does not matter, in the arrays' names as in the fields'. @throws {InvalidRequestError} */
export function readLegacyBody(body: unknown): LegacyBody {
  const arrays: LegacyBody['arrays'] = [];
  const unmapped: string[] = [];
  const errors: FieldError[] = [];
  for (const name in (body ?? {}) as Record<string, unknown>) {
    const records = (body as Record<string, unknown>)[name];
    const array = ARRAY_BY_FOLDED_NAME.get(name.toLowerCase());
    if (array === undefined) {
      if (unmapped.length < MAX_LISTED_KEYS) unmapped.push(name.slice(0, 255));
    } else if (!Array.isArray(records)) {
      const message = `${name} must be a list of records; this is ${kindOf(records)}.`;
      errors.push({ field: name, code: 'invalid_field', message });
    } else if (arrays.some((sent) => sent.array === array)) {
      errors.push({ field: name, code: 'ambiguous_field', message: `${array} stands in the body twice.` });
    } else {
      arrays.push({ array, records });
    }
  }
  if (errors.length > 0) throw new InvalidRequestError(errors);
  if (arrays.length === 0) throw new InvalidRequestError([], `The body must be ${LEGACY_SHAPE}.`);
  return { arrays, unmapped };
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
