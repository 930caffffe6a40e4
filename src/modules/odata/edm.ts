import {
  type ColumnDefinition,
  findTarget,
  type TableDefinition,
} from '../workspace-tables/query/table-definitions.service.js';
import { toNavigationName, toPropertyName, toSetName } from './identifiers.js';

/** A table, or the notes, as OData describes it: a set of entities of one type. */

export type EdmType = 'Edm.String' | 'Edm.Double' | 'Edm.Date' | 'Edm.DateTimeOffset' | 'Edm.Boolean';

/** The type of the values of each type of column. Numbers are stored as doubles. */
const EDM_TYPES: Record<ColumnDefinition['type'], EdmType> = {
  text: 'Edm.String',
  number: 'Edm.Double',
  date: 'Edm.Date',
  checkbox: 'Edm.Boolean',
  hierarchyParent: 'Edm.String',
  reference: 'Edm.String',
  locationTag: 'Edm.String',
  space: 'Edm.String',
  tagStatus: 'Edm.String',
};

export interface Property {
  name: string;
  /** The key of the column. */
  key: string;
  type: EdmType;
  isKey: boolean;
}

/** Leads from a row to the row that a reference names. */
export interface NavigationProperty {
  name: string;
  /** The key of the reference column. */
  key: string;
  target: TableDefinition;
}

/** The key of an entity, and the name of its property, if the path has it. */
export interface EntityKey {
  property: string | undefined;
  value: string;
}

export interface EntitySet {
  /** The name of the set, and of the type of its entities. */
  name: string;
  table: TableDefinition;
  key: Property;
  properties: readonly Property[];
  navigation: readonly NavigationProperty[];
}

/**
 * @param tables all tables that the caller may read; navigation leads to no other table
 * @param instants the keys of columns whose values are all instants. Others of the type `date` may contain days.
 */
export function describeEntitySet(
  table: TableDefinition,
  tables: readonly TableDefinition[],
  name = toSetName(table),
  instants: ReadonlySet<string> = new Set(),
): EntitySet {
  const properties = table.columns.map((column): Property => ({
    name: toPropertyName(column.key),
    key: column.key,
    type: instants.has(column.key) ? 'Edm.DateTimeOffset' : EDM_TYPES[column.type],
    isKey: column.primaryKey,
  }));
  const names = new Set(properties.map((property) => property.name));
  const navigation = table.columns.flatMap((column): NavigationProperty[] => {
    const target = findTarget(column, tables);
    return target ? [{ name: toFreeName(toNavigationName(column.key), names), key: column.key, target }] : [];
  });
  return { name, table, key: properties.find(({ isKey }) => isKey)!, properties, navigation };
}

/** Keys of fields of notes may contain capital letters, so one may be the name of a navigation property. */
function toFreeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? toFreeName(`${name}_`, taken) : name;
}
