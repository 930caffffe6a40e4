/** The three entities that tables live under (specification, section 1). */
export const ENTITY_KINDS = ['location', 'asset', 'list'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/** As paths and bodies name them. */
export const SURFACES = { locations: 'location', assets: 'asset', lists: 'list' } as const;
export type Surface = keyof typeof SURFACES;

/** Where an entity is named in a body its plural is accepted too. */
export const ENTITY_NAMES = [...ENTITY_KINDS, ...(Object.keys(SURFACES) as Surface[])] as const;
export type EntityName = (typeof ENTITY_NAMES)[number];

export function entityKindOf(name: EntityName): EntityKind {
  return name in SURFACES ? SURFACES[name as Surface] : (name as EntityKind);
}

/** Names are compared without case and outer white space, in one Unicode form. */
export function foldName(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
