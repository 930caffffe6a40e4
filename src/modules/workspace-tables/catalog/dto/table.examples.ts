import type { EntityPath } from '../entity-kind.js';

/** The examples of the OpenAPI document: tables of section 2.4 of the specification. They are valid as they are. */
const TABLES = {
  locations: {
    name: 'Functional Locations',
    columns: [
      { name: 'TPLNR', type: 'text', primaryKey: true },
      { name: 'Name', type: 'text' },
      { name: 'Object Type', type: 'text' },
      { name: 'Parent', type: 'hierarchyParent' },
    ],
    items: [
      { tplnr: 'AT10', name: 'Vienna works', object_type: 'SITE', parent: null },
      { tplnr: 'AT10-UTL', name: 'Utilities', object_type: 'AREA', parent: 'AT10' },
    ],
  },
  assets: {
    name: 'Assets',
    columns: [
      { name: 'EQUNR', type: 'text', primaryKey: true },
      { name: 'Name', type: 'text' },
      { key: 'weight', name: 'Weight in kg', type: 'number' },
      {
        key: 'location',
        name: 'Functional location',
        type: 'reference',
        options: { target: { entity: 'location', table: 'Functional Locations' } },
      },
    ],
    items: [
      { equnr: '000000000010004711', name: 'Feed pump', weight: 180.5, location: 'AT10-UTL' },
      { equnr: '000000000010004750', name: 'Standby pump', weight: 175, location: 'AT10-UTL' },
    ],
  },
  lists: {
    name: 'Work Centers',
    columns: [
      { name: 'PM_WKCTR', type: 'text', primaryKey: true },
      { name: 'ARBPL', type: 'text' },
      { name: 'Name', type: 'text' },
    ],
    items: [{ pm_wkctr: '00001010', arbpl: 'MECH-01', name: 'Mechanical workshop' }],
  },
} as const;

/** The name of the example table of an entity. */
export function exampleTable(entity: EntityPath): string {
  return TABLES[entity].name;
}

/** The key of an example asset. */
export const EXAMPLE_ASSET = TABLES.assets.items[1].equnr;

/** Keys of example rows, and new keys for the rename operation. */
export const EXAMPLE_RENAMES: Record<EntityPath, { from: string; to: string }> = {
  locations: { from: TABLES.locations.items[1].tplnr, to: 'AT10-UTILITIES' },
  assets: { from: TABLES.assets.items[0].equnr, to: '000000000010004712' },
  lists: { from: TABLES.lists.items[0].pm_wkctr, to: '00001011' },
};

/** The body of a bulk request for one entity. */
export function exampleBody(entity: EntityPath): object {
  return { [entity]: [TABLES[entity]] };
}

/** The body of a bulk request for all entities. */
export const UNIFIED_EXAMPLE = {
  tables: [
    { type: 'location', ...TABLES.locations },
    { type: 'asset', ...TABLES.assets },
    { type: 'list', ...TABLES.lists },
  ],
};

/** The example rows of an entity as files, by media type. */
export function exampleFiles(entity: EntityPath) {
  const { items } = TABLES[entity];
  const table = [Object.keys(items[0]), ...items.map((item) => Object.values(item) as unknown[])];
  return {
    'application/x-ndjson': items.map((item) => `${JSON.stringify(item)}\n`).join(''),
    'text/csv': table.map((cells) => `${cells.join(',')}\n`).join(''),
  };
}
