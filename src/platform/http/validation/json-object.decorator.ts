import { Transform } from 'class-transformer';
import { IsObject } from 'class-validator';
import { DomainError, InvalidRequestError } from '../../../../packages/errors/src/domain-error.js';
import { describeMalformedJson, parseJson } from '../../../../packages/json/src/json-parser.js';
import { DTO_LIMITS } from '../../../../packages/json/src/json-structure.js';
import { isObject } from './nested-list.decorator.js';

/**
 * An object in a query, as JSON or in brackets. In brackets, Swagger UI sends the objects within as JSON.
 *
 * @throws {InvalidRequestError} for a repeated parameter of brackets whose values contain commas: each could be a list
 */
export function JsonObject(): PropertyDecorator {
  return Transform(({ value, key }: { value: unknown; key: string }) =>
    isObject(value) ? readBrackets(value, key) : parseObject(value, () => false),
  );
}

/**
 * The value as it is if it is not the JSON of an object. Numbers that a double would round become texts, as in bodies.
 *
 * @param isFatal decides whether an error of the JSON is that of the request
 */
function parseObject(value: unknown, isFatal: (error: unknown) => boolean): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return value;
  try {
    return parseJson(value, DTO_LIMITS, { exactNumbers: true });
  } catch (error) {
    if (isFatal(error)) throw error;
    return value;
  }
}

/** Has the JSON an error in its structure, such as a repeated key? Other texts that begin with a brace are values. */
const hasDetails = (error: unknown): boolean => error instanceof DomainError && error.details?.errors !== undefined;

function readBrackets(sent: object, path: string): object {
  const entries = Object.entries(sent).map(([name, value]: [string, unknown]) => {
    const field = `${path}[${name}]`;
    if (isObject(value)) return [name, readBrackets(value, field)];
    if (!Array.isArray(value)) return [name, parseObject(value, hasDetails)];
    const ambiguous = (value as string[]).find((each) => each.includes(','));
    if (ambiguous === undefined) return [name, value];
    const message = `${field} is sent repeatedly, and "${ambiguous.slice(0, 80)}" contains a comma. Send the list as JSON.`;
    throw new InvalidRequestError([{ field, code: 'invalid_field', message }], message);
  });
  return Object.fromEntries(entries) as object;
}

/** For a value of `JsonObject`. @param example of the JSON, and of brackets. */
export function IsJsonObject(name: string, example: string): PropertyDecorator {
  const message = `${name} must be a JSON object such as ${example}.`;
  return IsObject({ message: ({ value }) => message + describeMalformedJson(value, DTO_LIMITS) });
}
