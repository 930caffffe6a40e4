import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsIn } from 'class-validator';

/** The three entities that contain tables (specification, section 1). */
export const ENTITY_KINDS = ['location', 'asset', 'list'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/** The names of the entities in paths. */
export const ENTITY_BY_PATH = { locations: 'location', assets: 'asset', lists: 'list' } as const;
export type EntityPath = keyof typeof ENTITY_BY_PATH;
export const PATH_BY_ENTITY = { location: 'locations', asset: 'assets', list: 'lists' } as const;

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
