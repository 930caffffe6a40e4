import { applyDecorators, type Type as ClassType } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import type { Page } from '../../packages/sql/src/page-reader.js';
import { SplitList } from '../platform/http/validation/query-values.decorators.js';
import { Optional } from './record-fields.decorator.js';

/** The query parameter `fields`: the fields of the listed records to return. */
export function Fields(item: ClassType): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      required: false,
      type: String,
      example: 'id,updatedAt',
      description: 'Fields of the records to return, separated by commas. By default all.',
    }),
    SplitList(),
    Optional(),
    AreFieldsOf(item),
  );
}

/** The page with only these fields of its records; unchanged if `fields` is undefined. */
export function selectFields<T extends object>(page: Page<T>, fields: readonly string[] | undefined): Page<Partial<T>> {
  if (!fields) return page;
  const items = page.items.map(
    (item) => Object.fromEntries(fields.map((field) => [field, item[field as keyof T]])) as Partial<T>,
  );
  return { ...page, items };
}

/**
 * The field names of a DTO. Only the OpenAPI metadata has all: decorated fields and those that the compiler plugin
 * found.
 */
function listFields(type: ClassType): string[] {
  const names = new Set<string>();
  for (let at = type; typeof at === 'function' && at.prototype; at = Object.getPrototypeOf(at) as ClassType) {
    const decorated = (Reflect.getMetadata('swagger/apiModelPropertiesArray', at.prototype as object) ??
      []) as string[];
    const { _OPENAPI_METADATA_FACTORY: found } = at as { _OPENAPI_METADATA_FACTORY?: () => object };
    for (const name of [...decorated.map((each) => each.slice(1)), ...Object.keys(found?.() ?? {})]) names.add(name);
  }
  return [...names];
}

function AreFieldsOf(item: ClassType): PropertyDecorator {
  const isField = (name: unknown) => typeof name === 'string' && listFields(item).includes(name);
  const message = (args?: ValidationArguments) => {
    const unknown: unknown = [args?.value].flat().find((name) => !isField(name));
    return `"${typeof unknown === 'string' ? unknown.slice(0, 100) : typeof unknown}" is not a field. Allowed: ${listFields(item).join(', ')}`;
  };
  const validate = (value: unknown) => Array.isArray(value) && value.every(isField);
  return ValidateBy({ name: 'areFieldsOf', validator: { validate, defaultMessage: message } });
}
