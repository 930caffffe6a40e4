import type { EntityPath } from '../entity-kind.js';

/** What the OpenAPI document shows: tables of section 2.4 that can be sent as they stand, and read back by name. */
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

/** Name of the table that a surface's example makes. */
export function exampleTable(surface: EntityPath): string {
  return TABLES[surface].name;
}

/** An asset of the examples that is read and written. */
export const EXAMPLE_ASSET = TABLES.assets.items[1].equnr;

/** Rows of the examples, and keys that they may be given. */
export const EXAMPLE_RENAMES: Record<EntityPath, { from: string; to: string }> = {
  locations: { from: TABLES.locations.items[1].tplnr, to: 'AT10-UTILITIES' },
  assets: { from: TABLES.assets.items[0].equnr, to: '000000000010004712' },
  lists: { from: TABLES.lists.items[0].pm_wkctr, to: '00001011' },
};

/** The body of a surface's bulk call. */
export function exampleBody(surface: EntityPath): object {
  return { [surface]: [TABLES[surface]] };
}

/** The body of the unified call. */
export const UNIFIED_EXAMPLE = {
  tables: [
    { type: 'location', ...TABLES.locations },
    { type: 'asset', ...TABLES.assets },
    { type: 'list', ...TABLES.lists },
  ],
};

/** The rows of a surface's example as files, by their media types. */
export function exampleFiles(surface: EntityPath) {
  const { items } = TABLES[surface];
  const table = [Object.keys(items[0]), ...items.map((item) => Object.values(item) as unknown[])];
  return {
    'application/x-ndjson': items.map((item) => `${JSON.stringify(item)}\n`).join(''),
    'text/csv': table.map((cells) => `${cells.join(',')}\n`).join(''),
  };
}
