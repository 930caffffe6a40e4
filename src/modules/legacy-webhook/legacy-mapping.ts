/** The arrays of the body (specification, section 4.3). */
export const LEGACY_ARRAYS = ['functionalLocations', 'equipment', 'workCentres', 'priorities', 'categories'] as const;
export type LegacyArray = (typeof LEGACY_ARRAYS)[number];

/** A field of a record and its column. The key never changes; administrators can change the name. */
export interface LegacyField {
  field: string;
  key: string;
  name: string;
  type: 'text' | 'number' | 'checkbox' | 'hierarchyParent' | 'reference';
}

/** The table of an array (specification, sections 2.4 and 2.5). The first field is the external ID. */
export interface LegacyMapping {
  array: LegacyArray;
  entity: 'location' | 'asset' | 'list';
  /** Name of the table at creation. Later requests find the table by its ID, see LegacyTables. */
  table: string;
  fields: readonly [LegacyField, ...LegacyField[]];
  /** Field that is the external ID if the first one is missing or empty. */
  otherId?: string;
}

export const LEGACY_MAPPINGS: Readonly<Record<LegacyArray, LegacyMapping>> = {
  functionalLocations: {
    array: 'functionalLocations',
    entity: 'location',
    table: 'Functional Locations',
    fields: [
      { field: 'TPLNR', key: 'tplnr', name: 'TPLNR', type: 'text' },
      { field: 'PLTXT', key: 'name', name: 'Name', type: 'text' },
      { field: 'EQART', key: 'object_type', name: 'Object Type', type: 'text' },
      { field: 'TPLMA', key: 'parent', name: 'Parent', type: 'hierarchyParent' },
      { field: 'SWERK', key: 'swerk', name: 'Number', type: 'text' },
      // A description, never used as a reference.
      { field: 'PARENTPLTXT', key: 'parent_description', name: 'Parent Description', type: 'text' },
    ],
  },
  equipment: {
    array: 'equipment',
    entity: 'asset',
    table: 'Assets',
    fields: [
      { field: 'EQUNR', key: 'equnr', name: 'EQUNR', type: 'text' },
      { field: 'EQKTX', key: 'name', name: 'Name', type: 'text' },
      { field: 'EQART', key: 'object_type', name: 'Object Type', type: 'text' },
      { field: 'TPLNR', key: 'location', name: 'Functional Location', type: 'reference' },
    ],
  },
  workCentres: {
    array: 'workCentres',
    entity: 'list',
    table: 'Work Centers',
    fields: [
      { field: 'PM_WKCTR', key: 'pm_wkctr', name: 'PM_WKCTR', type: 'text' },
      { field: 'ARBPL', key: 'arbpl', name: 'Code', type: 'text' },
      { field: 'WERKS', key: 'werks', name: 'Site', type: 'text' },
      { field: 'KTEXT', key: 'name', name: 'Name', type: 'text' },
      { field: 'LVORM', key: 'lvorm', name: 'Deletion Flag', type: 'checkbox' },
    ],
    otherId: 'ARBPL',
  },
  priorities: {
    array: 'priorities',
    entity: 'list',
    table: 'Priorities',
    fields: [
      { field: 'PRIOK', key: 'priok', name: 'PRIOK', type: 'text' },
      { field: 'PRIOKX', key: 'name', name: 'Name', type: 'text' },
      { field: 'DIFF_START_MS', key: 'diff_start_ms', name: 'Start Time', type: 'number' },
      { field: 'DIFF_END_MS', key: 'diff_end_ms', name: 'End Time', type: 'number' },
    ],
  },
  categories: {
    array: 'categories',
    entity: 'list',
    table: 'Categories',
    fields: [
      { field: 'codegrp', key: 'codegrp', name: 'codegrp', type: 'text' },
      { field: 'code', key: 'code', name: 'Code', type: 'text' },
      { field: 'catalog', key: 'catalog', name: 'Catalog', type: 'text' },
      { field: 'codegrp_txt', key: 'codegrp_txt', name: 'Code Group Name', type: 'text' },
      { field: 'code_txt', key: 'code_txt', name: 'Code Name', type: 'text' },
    ],
  },
};

/**
 * The column definitions for a bulk request.
 *
 * @param locations table of the functional locations, by ID or name: equipment references it.
 */
export function toColumns({ fields }: LegacyMapping, locations: string) {
  const target = { entity: 'location' as const, table: locations };
  return fields.map(({ key, name, type }, position) => ({
    key,
    name,
    type,
    ...(position === 0 ? { primaryKey: true } : {}),
    ...(type === 'reference' ? { options: { target } } : {}),
  }));
}
