import { applyDecorators, type Type as ClassType } from '@nestjs/common';
import { ApiProperty, getSchemaPath, PartialType } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import {
  BoundedText,
  EmptyIsNull,
  HttpUrl,
  Normal,
  NotBlank,
  OneLine,
  StorableText,
} from '../platform/http/validation/text.decorators.js';
import { SCOPES } from '../platform/security/scopes.js';
import { Digits, Flag, SplitList } from '../platform/http/validation/query-values.decorators.js';

/** Maximum lengths in characters. */
const NAME_LENGTH = 255;
export const TEXT_LENGTH = 100_000;
const URL_LENGTH = 2_048;

/** Clients of typed languages write null for a field without a value: null counts as absent. */
const NullIsAbsent = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (value === null ? undefined : value));

/** The field may be absent or null, which means the same. */
export const Optional = (): PropertyDecorator =>
  applyDecorators(
    NullIsAbsent(),
    ValidateIf((_, value) => value !== undefined),
  );

/** The names of the fields of a DTO class. */
export function listFields({ prototype }: { prototype: object }): string[] {
  const names = (Reflect.getMetadata('swagger/apiModelPropertiesArray', prototype) ?? []) as string[];
  return names.map((name) => name.slice(1));
}

/** The fields of a class, all optional. Null counts as absent, except for a nullable field, which it clears. */
export function PartialOf<T>(type: ClassType<T>): ClassType<Partial<T>> {
  const partial = PartialType(type, { skipNullProperties: false });
  const { prototype } = partial as { prototype: object };
  for (const name of listFields(partial)) {
    const { nullable } = Reflect.getMetadata('swagger/apiModelProperties', prototype, name) as { nullable?: boolean };
    if (!nullable) NullIsAbsent()(prototype, name);
  }
  return partial;
}

/**
 * The fields of a class whose validators accept null, with null as a value of each in the OpenAPI document, where only
 * the class itself describes them.
 */
export function NullableOf<T>(type: ClassType<T>): ClassType<{ [Field in keyof T]: T[Field] | null }> {
  class Nullable extends (type as ClassType<object>) {}
  for (const name of listFields(Nullable)) {
    const described = Reflect.getMetadata('swagger/apiModelProperties', Nullable.prototype, name) as object;
    Reflect.defineMetadata(
      'swagger/apiModelProperties',
      { ...described, nullable: true, description: undefined },
      Nullable.prototype,
      name,
    );
  }
  return Nullable as ClassType<{ [Field in keyof T]: T[Field] | null }>;
}

/** The required name of a record: one line. */
export function Name(example: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ example, minLength: 1, maxLength: NAME_LENGTH }),
    BoundedText(1, NAME_LENGTH),
    NotBlank(),
    OneLine(),
  );
}

interface TextOptions {
  maxLength?: number;
  example?: string;
}

/** An optional text. An empty text or null removes the value. */
export function OptionalText({ maxLength = TEXT_LENGTH, example }: TextOptions = {}): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: String, nullable: true, maxLength, example }),
    EmptyIsNull(),
    IsOptional(),
    BoundedText(0, maxLength),
  );
}

/** What the OpenAPI document states of a field. */
interface Described<Value> {
  example?: Value;
  default?: Value;
}

/** An optional text of at most `maxLength` UTF-16 units, such as a parameter of a query. */
export function OptionalString(maxLength: number, described: Described<string> = {}): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, maxLength, ...described }),
    Optional(),
    IsString(),
    MaxLength(maxLength),
  );
}

/** An optional query parameter of at most `maxLength` UTF-16 units that a filter compares with stored texts. */
export function FilterText(maxLength: number, description: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, maxLength, description }),
    Optional(),
    IsString(),
    MaxLength(maxLength),
    StorableText(),
  );
}

export function OptionalBoolean(described: Described<boolean> = {}): PropertyDecorator {
  return applyDecorators(ApiProperty({ required: false, ...described }), Optional(), IsBoolean());
}

/** A list of at least one scope, if it is sent. */
export function OptionalScopes(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, isArray: true, enum: SCOPES, enumName: 'Scope', minItems: 1, uniqueItems: true }),
    Optional(),
    IsArray(),
    ArrayMinSize(1),
    ArrayUnique(),
    IsIn(SCOPES, { each: true, message: `$property must be one or more of ${SCOPES.join(', ')}` }),
  );
}

/** An optional HTTP or HTTPS URL. An empty text or null removes the value. */
export function OptionalUrl(example?: string): PropertyDecorator {
  return applyDecorators(OptionalText({ maxLength: URL_LENGTH, example }), HttpUrl());
}

/** An optional value of the list. */
export function OptionalOneOf(values: readonly string[], defaultValue?: string): PropertyDecorator {
  const message = `$property must be one of ${values.join(', ')}`;
  return applyDecorators(
    ApiProperty({ required: false, enum: [...values], default: defaultValue }),
    Optional(),
    IsIn(values, { message }),
  );
}

/** An optional whole number of the range. */
export function OptionalInteger(
  minimum: number,
  maximum: number,
  described: Described<number> = {},
): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: 'integer', minimum, maximum, ...described }),
    Optional(),
    IsInt(),
    Min(minimum),
    Max(maximum),
  );
}

/** As `OptionalInteger`, also as digits in a query. */
export function OptionalWholeNumber(minimum: number, maximum: number, defaultValue?: number): PropertyDecorator {
  return applyDecorators(OptionalInteger(minimum, maximum, { default: defaultValue }), Digits());
}

/** An optional query parameter `true` or `false`; `false` by default. */
export function OptionalFlag(): PropertyDecorator {
  return applyDecorators(OptionalOneOf(['true', 'false'], 'false'), Flag());
}

/** An optional query parameter with one or more values of the list, separated by commas. */
export function OptionalListOf(values: readonly string[], schemaName?: string): PropertyDecorator {
  const all = values.join(', ');
  return applyDecorators(
    // The cast is necessary because the type of ApiProperty has no `explode`.
    ApiProperty({
      required: false,
      explode: false,
      type: 'array',
      items: schemaName === undefined ? { type: 'string', enum: [...values] } : { $ref: getSchemaPath(schemaName) },
      example: values.slice(0, 2),
      description: 'One or several, separated by commas.',
    } as never),
    SplitList(),
    Optional(),
    IsArray(),
    IsIn(values, { each: true, message: `$property must be one or more of ${all}, separated by commas` }),
  );
}

/** The optional ID of another record; null means no record. */
export function OptionalId(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: String, format: 'uuid', nullable: true }),
    IsOptional(),
    IsUUID(),
  );
}

/** A nested object. `IsObject` is necessary because `ValidateNested` also accepts arrays. */
export function Nested(type: ClassType): PropertyDecorator {
  return applyDecorators(
    IsObject(),
    ValidateNested(),
    Type(() => type),
  );
}

/**
 * The ID of the record in the caller's own system, normalized like row keys. A create with an existing external ID
 * updates that record. An empty text or null removes the value.
 */
export function ExternalId(): PropertyDecorator {
  // Transformations run from last to first: Normal() trims blank text to empty text before OptionalText() makes it
  // null.
  return applyDecorators(OptionalText({ maxLength: NAME_LENGTH, example: 'SAP-10004711' }), Normal());
}
