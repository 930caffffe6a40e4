import { isDeepStrictEqual } from 'node:util';

/**
 * Parses JSON that this service or its database has written, which needs no limits. JSON of callers is parsed by
 * `parseJson`.
 */
export const parseStoredJson = (text: string, revive?: (key: string, value: unknown) => unknown): unknown =>
  JSON.parse(text, revive);

/** Are two JSON values equal? The order of fields does not matter, and an undefined field counts as absent. */
export function isEqual(a: unknown, b: unknown): boolean {
  return a === b || isDeepStrictEqual(toJson(a), toJson(b));
}

function toJson(value: unknown): unknown {
  return value === undefined ? undefined : parseStoredJson(JSON.stringify(value));
}
