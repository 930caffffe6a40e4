import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsIn } from 'class-validator';
import { ENTITY_BY_PATH, ENTITY_KINDS, type EntityPath } from '../../../../packages/tables/src/catalog/entity-kind.js';

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
