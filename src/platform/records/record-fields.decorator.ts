import { applyDecorators, type Type as ClassType } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
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
import { NotBlank, StorableText } from '../http/storable-text.decorator.js';

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
  );
}

interface TextOptions {
  maxLength?: number;
  example?: string;
}

/** A text that may be left out; null takes it away. */
export function OptionalText({ maxLength = TEXT_LENGTH, example }: TextOptions = {}): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: String, nullable: true, maxLength, example }),
    IsOptional(),
    IsString(),
    MaxLength(maxLength),
    StorableText(),
  );
}

/** An address of the web that may be left out; null takes it away. */
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

/** What the caller's own system calls the record: creating it once more changes the one that is there. */
export function ExternalId(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: String, maxLength: NAME_LENGTH, example: 'SAP-10004711' }),
    Optional(),
    IsString(),
    Length(1, NAME_LENGTH),
    NotBlank(),
    StorableText(),
  );
}
