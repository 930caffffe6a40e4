import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsUUID, Max, Min, ValidateBy } from 'class-validator';
import { isUuid } from '../../../../packages/sql/src/uuid.js';
import { describeMalformedJson, parseJson } from '../../../../packages/json/src/json-parser.js';
import { DateTime } from '../../../platform/http/validation/date-time.decorator.js';
import { isStorable } from '../../../../packages/tabular/src/normalization.js';
import { OptionalText } from '../../../records/record-fields.decorator.js';

/** The largest tag ID: a 32-bit integer. */
const MAX_TAG_ID = 2 ** 31 - 1;

export const MAX_CUSTOM_FIELDS = 100;
const MAX_CUSTOM_NAME = 255;
export const MAX_CUSTOM_VALUE = 10_000;

/** An optional tag ID; forms send it as text. Empty or null clears the field. */
export function TagId(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: 'integer', nullable: true, minimum: 1, maximum: MAX_TAG_ID, example: 42 }),
    Transform(({ value }: { value: unknown }) =>
      value === '' ? null : typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value,
    ),
    IsOptional(),
    IsInt(),
    Min(1),
    Max(MAX_TAG_ID),
  );
}

/** An optional ID; empty or null clears the field. */
export function OptionalUuid(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: String, format: 'uuid', nullable: true }),
    Transform(({ value }: { value: unknown }) =>
      value === '' ? null : typeof value === 'string' && isUuid(value) ? value.toLowerCase() : value,
    ),
    IsOptional(),
    IsUUID(),
  );
}

/** An object with values of one of the types, by field; forms may send it as JSON text. */
function ValuesOf(
  title: string,
  types: readonly string[],
  schema: { additionalProperties: object; example: object },
): PropertyDecorator {
  const find = (value: unknown, property: string) => findValuesError(value, property, types);
  return applyDecorators(
    ApiProperty({ title, selfRequired: false, type: 'object', nullable: true, ...schema } as never),
    Transform(({ value }: { value: unknown }) =>
      toPlainObject(typeof value === 'string' ? parseCustomFields(value) : value),
    ),
    IsOptional(),
    ValidateBy({
      name: 'customFields',
      validator: {
        validate: (value) => find(value, '') === undefined,
        defaultMessage: (args) => find(args?.value, args?.property ?? '') ?? '',
      },
    }),
  );
}

/** Texts. */
export function CustomFields(): PropertyDecorator {
  return ValuesOf('CustomFields', ['string'], {
    additionalProperties: { type: 'string', maxLength: MAX_CUSTOM_VALUE },
    example: { shift: 'night' },
  });
}

/** Values of the fields that the workspace has defined; null removes one. */
function DefinedFields(): PropertyDecorator {
  return ValuesOf('NoteFieldValues', ['string', 'number', 'boolean', 'null'], {
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'], maxLength: MAX_CUSTOM_VALUE },
    example: {},
  });
}

/** More than custom fields may have. */
const CUSTOM_FIELDS_LIMITS = { depth: 8, keys: 10_000, containers: 10_000, values: 20_000, text: Infinity };

/** Characters of their JSON: more than custom fields may have. */
const MAX_CUSTOM_TEXT = 4_000_000;

/** Text that is not JSON, or has a larger structure, is returned as it is, and fails the validation. */
function parseCustomFields(text: string): unknown {
  if (text === '') return null;
  if (text.length > MAX_CUSTOM_TEXT) return text;
  try {
    return parseJson(text, CUSTOM_FIELDS_LIMITS, { exactNumbers: true });
  } catch {
    return text;
  }
}

/**
 * The form parser creates objects without a prototype, which class-transformer does not support. PHP encodes an object
 * without fields as an empty array.
 */
function toPlainObject(value: unknown): unknown {
  if (Array.isArray(value) && value.length === 0) return {};
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : value;
}

function findValuesError(value: unknown, property: string, types: readonly string[]): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `${property} must be an object with ${types.join(', ')} values, in forms also as JSON text.${describeMalformedJson(value, CUSTOM_FIELDS_LIMITS)}`;
  const fields = Object.entries(value as Record<string, unknown>);
  if (fields.length > MAX_CUSTOM_FIELDS)
    return `${property} has ${fields.length} fields; the limit is ${MAX_CUSTOM_FIELDS}`;
  for (const [name, of] of fields) {
    const field = `${property}["${name.slice(0, 40)}"]`;
    if (Object.hasOwn(Object.prototype, name)) return `${field}: the name is reserved`;
    if (name === '' || name.length > MAX_CUSTOM_NAME)
      return `${field}: the name has ${name.length} characters; it must have 1 to ${MAX_CUSTOM_NAME}`;
    if (!types.includes(of === null ? 'null' : typeof of)) return `${field} must be a ${types.join(', ')}`;
    const text = String(of);
    if (text.length > MAX_CUSTOM_VALUE)
      return `${field} has ${text.length} characters; the limit is ${MAX_CUSTOM_VALUE}`;
    if (!isStorable(name) || !isStorable(text))
      return `${field} must not contain U+0000 or unpaired surrogates in its name or value`;
  }
  return undefined;
}

/** The fields that all notes have (specification, section 2.6). Every field is optional. */
export class NoteFieldsDto {
  @OptionalText({ maxLength: 500, example: 'Leak at the feed pump' })
  title?: string | null;

  @OptionalText({ example: 'Oil on the floor below the coupling.' })
  description?: string | null;

  /** A status of the workspace; case, spaces and hyphens are ignored. A new note is `open` by default. */
  @OptionalText({ maxLength: 100, example: 'open' })
  status?: string | null;

  /** A type of the workspace (`note-types`). A new note has the first one by default. */
  @OptionalText({ maxLength: 63, example: 'note' })
  type?: string | null;

  @OptionalText({ maxLength: 255, example: 'high' })
  priority?: string | null;

  @OptionalText({ maxLength: 255, example: 'mechanical' })
  category?: string | null;

  /** Who does the work. */
  @OptionalText({ maxLength: 255, example: 'MECH' })
  workCenter?: string | null;

  @OptionalText({ maxLength: 255, example: 'maria.huber@example.com' })
  assignee?: string | null;

  @OptionalText({ maxLength: 255, example: 'j.novak@example.com' })
  reporter?: string | null;

  @DateTime()
  scheduledDate?: Date | null;

  @DateTime()
  dueDate?: Date | null;

  /** At most 100 text fields, which replace all existing ones. In a form: JSON, or `customFields[key]`. */
  @CustomFields()
  customFields?: Record<string, string> | null;

  /**
   * Values of fields that the workspace has defined (`note-fields`), with their types. Other fields remain unchanged;
   * null removes a value. A row is named by its key or its name, a user by ID or email address.
   */
  @DefinedFields()
  fields?: Record<string, string | number | boolean | null> | null;
}
