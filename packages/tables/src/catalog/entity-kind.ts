/** The three entities that contain tables (specification, section 1). */
export const ENTITY_KINDS = ['location', 'asset', 'list'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/** The names of the entities in paths. */
export const ENTITY_BY_PATH = { locations: 'location', assets: 'asset', lists: 'list' } as const;
export type EntityPath = keyof typeof ENTITY_BY_PATH;
export const PATH_BY_ENTITY = { location: 'locations', asset: 'assets', list: 'lists' } as const;
