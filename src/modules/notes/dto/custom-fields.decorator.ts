import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy } from 'class-validator';

const MAX_FIELDS = 100;
const MAX_NAME = 255;
const MAX_VALUE = 10_000;
const STORABLE = /^[^\0\p{Cs}]*$/u;

/** An object of texts; in a form it may come as JSON. */
export function CustomFields(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      selfRequired: false,
      type: 'object',
      additionalProperties: { type: 'string', maxLength: MAX_VALUE },
      nullable: true,
      example: { shift: 'night' },
    }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? parsed(value) : plain(value))),
    IsOptional(),
    ValidateBy({
      name: 'customFields',
      validator: {
        validate: (value) => fault(value) === undefined,
        defaultMessage: (args) => `customFields ${fault(args?.value) ?? ''}`,
      },
    }),
  );
}

/** JSON of a form; what is none is refused as the text that it is. */
function parsed(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A form's fields come as an object without a prototype, nested ones too. */
function plain(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : value;
}

function fault(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'must be an object of texts, or JSON of one';
  const fields = Object.entries(value);
  if (fields.length > MAX_FIELDS) return `may have ${MAX_FIELDS} fields; these are ${fields.length}`;
  for (const [name, text] of fields) {
    const shown = `the field "${name.slice(0, 40)}"`;
    if (name in Object.prototype) return `must not have ${shown}`;
    if (name === '' || name.length > MAX_NAME || !STORABLE.test(name))
      return `must have names of 1 to ${MAX_NAME} characters, not ${shown}`;
    if (typeof text !== 'string') return `must hold texts; ${shown} is none`;
    if (text.length > MAX_VALUE) return `may have ${MAX_VALUE} characters a text; ${shown} has ${text.length}`;
    if (!STORABLE.test(text)) return `must hold neither U+0000 nor half a surrogate pair; ${shown} does`;
  }
  return undefined;
}
