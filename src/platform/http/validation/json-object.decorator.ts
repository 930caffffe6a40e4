import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsObject } from 'class-validator';
import { describeMalformedJson, parseJson } from '../../../../packages/json/src/json-parser.js';
import { DTO_LIMITS } from '../../../../packages/json/src/json-structure.js';

/** An object in a query, as JSON or in brackets. */
export function JsonObject(): PropertyDecorator {
  return applyDecorators(Transform(({ value }: { value: unknown }) => parseJsonObject(value)));
}

/**
 * The value as it is if it is not the JSON of an object. Numbers that a double would round become texts, as in bodies.
 */
function parseJsonObject(value: unknown): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return value;
  try {
    return parseJson(value, DTO_LIMITS, { exactNumbers: true });
  } catch {
    return value;
  }
}

/** For a value of `JsonObject`. @param example of the JSON, and of brackets. */
export function IsJsonObject(name: string, example: string): PropertyDecorator {
  const message = `${name} must be a JSON object such as ${example}.`;
  return IsObject({ message: ({ value }) => message + describeMalformedJson(value, DTO_LIMITS) });
}
