import { applyDecorators, type Type as ClassType } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsOptional, IsString, IsUUID, MaxLength, ValidateBy, type ValidationArguments } from 'class-validator';
import { PageQueryDto } from '../platform/http/page.dto.js';
import { Normal, StorableText } from '../platform/http/validation/text.decorators.js';
import { Optional } from './record-fields.decorator.js';

export const ARCHIVED = ['false', 'true', 'all'] as const;
export type Archived = (typeof ARCHIVED)[number];

/** What every list of records takes beside its own filters. */
export interface RecordQueryDto extends PageQueryDto {
  workspaceId?: string;
  q?: string;
  externalId?: string;
  archived?: Archived;
  sort?: string;
  fields?: string[];
}

interface ListOptions {
  /** Fields that the list can be sorted by, beside createdAt and updatedAt; a minus before one turns it round. */
  sorts?: readonly string[];
  /** What `q` looks into, for people. */
  searched: string;
}

/** The query of a list of these records. Each list's DTO extends it and adds its filters. */
export function RecordQuery(item: ClassType, { sorts: own = [], searched }: ListOptions): ClassType<RecordQueryDto> {
  const sorts = ['createdAt', 'updatedAt', ...own].flatMap((field) => [field, `-${field}`]);

  class QueryDto extends PageQueryDto implements RecordQueryDto {
    @ApiProperty({ required: false, format: 'uuid', description: "Only this workspace's." })
    @Optional()
    @IsUUID()
    workspaceId?: string;

    @ApiProperty({ required: false, maxLength: 255, description: `Text that stands in ${searched}, in any case.` })
    @Optional()
    @IsString()
    @MaxLength(255)
    @StorableText()
    q?: string;

    @ApiProperty({ required: false, maxLength: 255, description: "The record that the caller's own system calls so." })
    @Normal()
    @Optional()
    @IsString()
    @MaxLength(255)
    @StorableText()
    externalId?: string;

    @ApiProperty({
      required: false,
      enum: ARCHIVED,
      default: 'false',
      description: 'What is archived too (`all`), or it alone (`true`).',
    })
    @IsOptional()
    @IsIn(ARCHIVED)
    archived?: Archived;

    @ApiProperty({ required: false, enum: sorts, default: 'createdAt' })
    @Optional()
    @IsIn(sorts)
    sort?: string;

    @Fields(item)
    fields?: string[];
  }
  return QueryDto;
}

/** Those fields of the list's records that are wanted. */
export function Fields(item: ClassType): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      required: false,
      type: String,
      example: 'id,updatedAt',
      description: 'Fields of the records that are wanted, separated by commas; all where nothing is said.',
    }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value)),
    Optional(),
    AreFieldsOf(item),
  );
}

/** The class's fields are known to the OpenAPI document alone: those it decorates, and those the compiler found. */
function fieldsOf(type: ClassType): string[] {
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
  const isField = (name: unknown) => typeof name === 'string' && fieldsOf(item).includes(name);
  const message = (args?: ValidationArguments) => {
    const unknown = [args?.value].flat().filter((name) => !isField(name));
    return `fields has none called ${unknown.join(', ').slice(0, 100)}; they are some of ${fieldsOf(item).join(', ')}`;
  };
  const validate = (value: unknown) => Array.isArray(value) && value.every(isField);
  return ValidateBy({ name: 'areFieldsOf', validator: { validate, defaultMessage: message } });
}
