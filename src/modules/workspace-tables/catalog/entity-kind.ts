/** The three entities that tables live under (specification, section 1). */
export const ENTITY_KINDS = ['location', 'asset', 'list'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/** As paths and bodies name them. */
export const ENTITY_BY_PATH = { locations: 'location', assets: 'asset', lists: 'list' } as const;
export type EntityPath = keyof typeof ENTITY_BY_PATH;

/** Where an entity is named in a body its plural is accepted too. */
export const ENTITY_NAMES = [...ENTITY_KINDS, ...(Object.keys(ENTITY_BY_PATH) as EntityPath[])] as const;
export type EntityName = (typeof ENTITY_NAMES)[number];

export function toEntityKind(name: EntityName): EntityKind {
  return name in ENTITY_BY_PATH ? ENTITY_BY_PATH[name as EntityPath] : (name as EntityKind);
}

/** Names are compared without case and outer white space, in one Unicode form. */
export function normalizeName(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
