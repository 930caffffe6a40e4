import { applyDecorators, type Type as ClassType } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  IsUrl,
  IsUUID,
  Length,
  Matches,
  MaxLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { EmptyIsNull, Normal, NotBlank, OneLine, StorableText } from '../platform/http/validation/text.decorators.js';

/** Longest texts, in characters. */
const NAME_LENGTH = 255;
const TEXT_LENGTH = 100_000;
const URL_LENGTH = 2_048;

/** May be left out, and not be null. */
export const Optional = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/** What people call the record. */
export function Name(example: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ example, minLength: 1, maxLength: NAME_LENGTH }),
    IsString(),
    Length(1, NAME_LENGTH),
    NotBlank(),
    StorableText(),
    OneLine(),
  );
}

interface TextOptions {
  maxLength?: number;
  example?: string;
}

/** A text that may be left out; empty or null, it is taken away. */
export function OptionalText({ maxLength = TEXT_LENGTH, example }: TextOptions = {}): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: String, nullable: true, maxLength, example }),
    EmptyIsNull(),
    IsOptional(),
    IsString(),
    MaxLength(maxLength),
    StorableText(),
  );
}

/** An address of the web that may be left out; empty or null, it is taken away. */
export function OptionalUrl(example?: string): PropertyDecorator {
  return applyDecorators(
    OptionalText({ maxLength: URL_LENGTH, example }),
    IsUrl({ protocols: ['https', 'http'], require_protocol: true, require_tld: false }),
  );
}

/** A choice of a few, that may be left out. */
export function OptionalOneOf(values: readonly string[], by?: string): PropertyDecorator {
  const message = `$property must be one of ${values.join(', ')}`;
  return applyDecorators(
    ApiProperty({ required: false, enum: [...values], default: by }),
    Optional(),
    Matches(new RegExp(`^(${values.join('|')})$`), { message }),
  );
}

/** A filter by one of a few choices, or by several. */
export function SomeOf(values: readonly string[]): PropertyDecorator {
  const all = values.join(', ');
  return applyDecorators(
    // Typed by hand: the decorator knows no styles of parameters.
    ApiProperty({
      required: false,
      style: 'form',
      explode: false,
      type: 'array',
      items: { type: 'string', enum: [...values] },
      example: values.slice(0, 2),
      description: `One of ${all}, or several separated by commas.`,
    } as never),
    // What is sent twice is one value that is none of them.
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : [value])),
    Optional(),
    IsIn(values, { each: true, message: `$property must be one of ${all}, or several separated by commas` }),
  );
}

/** The id of something else, that may be left out; null is none. */
export function OptionalId(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: String, format: 'uuid', nullable: true }),
    IsOptional(),
    IsUUID(),
  );
}

/** An object of this class, or a list of them: class-validator alone takes a list for an object. */
export function Nested(type: ClassType, { each = false } = {}): PropertyDecorator {
  return applyDecorators(
    IsObject({ each }),
    ValidateNested({ each }),
    Type(() => type),
  );
}

/**
 * What the caller's own system calls the record: creating it once more changes the one that is there. Kept as keys of rows
 * are; empty or null, it is none.
 */
export function ExternalId(): PropertyDecorator {
  // The last transformation is the first that runs: what is blank is empty before an empty text is none.
  return applyDecorators(OptionalText({ maxLength: NAME_LENGTH, example: 'SAP-10004711' }), Normal());
}
