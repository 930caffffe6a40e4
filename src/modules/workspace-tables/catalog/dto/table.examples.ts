import type { EntityPath } from '../../../../../packages/tables/src/catalog/entity-kind.js';

/**
 * The examples of the OpenAPI document are valid as they are. They have tables of their own, so that they change
 * neither the demo tables nor those of `npm run example`.
 */
const TABLES = {
  locations: {
    name: 'Example Locations',
    columns: [
      { name: 'TPLNR', type: 'text', primaryKey: true },
      { name: 'Name', type: 'text' },
      { name: 'Parent', type: 'hierarchyParent' },
    ],
    items: [
      { tplnr: 'EX10', name: 'Example works', parent: null },
      { tplnr: 'EX10-UTL', name: 'Utilities', parent: 'EX10' },
    ],
  },
  assets: {
    name: 'Example Assets',
    columns: [
      { name: 'EQUNR', type: 'text', primaryKey: true },
      { name: 'Name', type: 'text' },
      { key: 'weight', name: 'Weight in kg', type: 'number' },
      { name: 'Remark', type: 'text' },
      {
        key: 'location',
        name: 'Location',
        type: 'reference',
        options: { target: { entity: 'location', table: 'Example Locations' } },
      },
    ],
    items: [
      { equnr: 'EX-2001', name: 'Feed pump', weight: 180.5, location: 'EX10-UTL' },
      { equnr: 'EX-2002', name: 'Standby pump', weight: 175, location: 'EX10-UTL' },
    ],
  },
  lists: {
    name: 'Example Work Centers',
    columns: [
      { name: 'Code', type: 'text', primaryKey: true },
      { name: 'Name', type: 'text' },
    ],
    items: [{ code: 'EX-MECH', name: 'Mechanical workshop' }],
  },
} as const;

/** The name of the example table of an entity. */
export function exampleTable(entity: EntityPath): string {
  return TABLES[entity].name;
}

/** The key of the location at the top of the example hierarchy. */
export const EXAMPLE_LOCATION = TABLES.locations.items[0].tplnr;

/** The column that the example drops. */
export const EXAMPLE_COLUMN = 'remark';

/** The key of an example asset. */
export const EXAMPLE_ASSET = TABLES.assets.items[1].equnr;

/** Keys of assets that only the operations which delete rows use. */
export const EXAMPLE_DELETED_ASSETS = { byPath: 'EX-2007', byBody: 'EX-2009' } as const;

/** A table that only the operation which drops tables uses. */
export const EXAMPLE_DROPPED_TABLE = {
  name: 'Example Table To Drop',
  columns: [{ name: 'Code', type: 'text', primaryKey: true }],
  items: [{ code: 'EX-1' }],
} as const;

/** The rows to delete are in requests with JSON only: files contain the others. */
const DELETED_ASSETS = Object.values(EXAMPLE_DELETED_ASSETS).map((equnr) => ({ equnr, name: 'Pump to delete' }));

const STORED_TABLES = {
  locations: [TABLES.locations],
  assets: [{ ...TABLES.assets, items: [...TABLES.assets.items, ...DELETED_ASSETS] }],
  lists: [TABLES.lists, EXAMPLE_DROPPED_TABLE],
};

/** Keys of example rows, and new keys for the rename operation. */
export const EXAMPLE_RENAMES: Record<EntityPath, { from: string; to: string }> = {
  locations: { from: TABLES.locations.items[1].tplnr, to: 'EX10-UTILITIES' },
  assets: { from: TABLES.assets.items[0].equnr, to: 'EX-2003' },
  lists: { from: TABLES.lists.items[0].code, to: 'EX-MECH-2' },
};

/** The body of a bulk request for one entity. */
export function exampleBody(entity: EntityPath): object {
  return { [entity]: STORED_TABLES[entity] };
}

/** The body of a bulk request for all entities. */
export const UNIFIED_EXAMPLE = {
  tables: [
    { type: 'location', ...TABLES.locations },
    { type: 'asset', ...TABLES.assets },
    { type: 'list', ...TABLES.lists },
  ],
};

/** The example tables in the order in which they refer to each other. */
export const EXAMPLE_BATCHES = [
  ...STORED_TABLES.locations.map((table) => ({ entity: 'location' as const, ...table })),
  ...STORED_TABLES.assets.map((table) => ({ entity: 'asset' as const, ...table })),
  ...STORED_TABLES.lists.map((table) => ({ entity: 'list' as const, ...table })),
];

/** The example rows of an entity as files, by media type. */
export function exampleFiles(entity: EntityPath) {
  const { items } = TABLES[entity];
  const table = [Object.keys(items[0]), ...items.map((item) => Object.values(item) as unknown[])];
  return {
    'application/x-ndjson': items.map((item) => `${JSON.stringify(item)}\n`).join(''),
    'text/csv': table.map((cells) => `${cells.join(',')}\n`).join(''),
  };
}
