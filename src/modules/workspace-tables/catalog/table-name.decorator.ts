import { applyDecorators } from '@nestjs/common';
import { IsIn, IsString, ValidateBy } from 'class-validator';
import { Transform } from 'class-transformer';
import { isUuid } from '../../../../packages/sql/src/uuid.js';
import {
  NotBlank,
  StorableText,
  TextLength,
  Trimmed,
  VisibleText,
} from '../../../platform/http/validation/text.decorators.js';
import { ENTITY_BY_PATH, ENTITY_KINDS, type EntityPath } from '../../../../packages/tables/src/catalog/entity-kind.js';

/** The name of a table. A UUID would be ambiguous in paths, which accept IDs and names. */
export function TableName(): PropertyDecorator {
  return applyDecorators(
    IsString(),
    TextLength(1, 255),
    StorableText(),
    Trimmed(),
    NotBlank(),
    VisibleText(),
    ValidateBy({
      name: 'notAnId',
      validator: {
        validate: (value) => !isUuid(value),
        defaultMessage: (args) => `${args?.property} must not be a UUID, because UUIDs are IDs of tables`,
      },
    }),
  );
}

/** The names of the entities in bodies: singular or plural. */
export const ENTITY_NAMES = [...ENTITY_KINDS, ...(Object.keys(ENTITY_BY_PATH) as EntityPath[])] as const;

/** The name of an entity in a body, which becomes its kind. */
export function EntityName(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && Object.hasOwn(ENTITY_BY_PATH, value) ? ENTITY_BY_PATH[value as EntityPath] : value,
    ),
    IsIn(ENTITY_NAMES),
  );
}
