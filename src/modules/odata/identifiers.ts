import { ENTITY_BY_PATH, type EntityPath, PATH_BY_ENTITY } from '../../../packages/tables/src/catalog/entity-kind.js';
import type { TableDefinition } from '../workspace-tables/query/table-definitions.service.js';

/**
 * The names of tables and columns as identifiers of OData: letters, digits and underscores. Each name has one
 * identifier, which depends on nothing else, and no two names have the same
 * (docs/how-to/connecting-excel-and-power-bi.md).
 */

/** The name of the set of notes. Those of tables begin with a prefix and `_`, so that no table has it. */
export const NOTES_SET = 'notes';

/** Maximum number of UTF-16 units of an identifier. */
export const MAX_IDENTIFIER_LENGTH = 128;

/** The suffix of a navigation property. Keys of columns contain no capital letters, so no column has such a name. */
const NAVIGATION_SUFFIX = 'Row';

/** Words of expressions. `$filter=null eq 1` would be ambiguous if a property had one of these names. */
const RESERVED = new Set(
  'add all and any asc desc div divby eq false ge gt has in le lt mod mul ne not null or sub true'.split(' '),
);

const PLAIN_CHARACTER = /[\p{L}\p{Nd}]/u;

/**
 * The name of the entity set and of the type of its entities: `assets_Functional_Locations`. One space between letters
 * or digits becomes `_`; each other character becomes `__`, its code in hexadecimal digits, and `_`. A table with a
 * longer name has its ID: `assets_id_`.
 */
export function toSetName({ entity, name, id }: Pick<TableDefinition, 'entity' | 'name' | 'id'>): string {
  const characters = [...name];
  const isPlain = (character: string | undefined) => character !== undefined && PLAIN_CHARACTER.test(character);
  const encoded = characters.map((character, at) => {
    if (isPlain(character)) return character;
    if (character === ' ' && isPlain(characters[at - 1]) && isPlain(characters[at + 1])) return '_';
    return `__${character.codePointAt(0)!.toString(16).toUpperCase()}_`;
  });
  const prefix = PATH_BY_ENTITY[entity];
  const identifier = `${prefix}_${encoded.join('')}`;
  return identifier.length <= MAX_IDENTIFIER_LENGTH ? identifier : `${prefix}___${id.replaceAll('-', '_')}`;
}

/** The table that has the entity set, by its name or ID; undefined if no table can have such a set. */
export function parseSetName(set: string): { entity: TableDefinition['entity']; table: string } | undefined {
  const [, prefix = '', encoded = ''] = /^([a-z]+)_(.+)$/su.exec(set) ?? [];
  const entity = Object.hasOwn(ENTITY_BY_PATH, prefix) ? ENTITY_BY_PATH[prefix as EntityPath] : undefined;
  if (!entity || set.length > MAX_IDENTIFIER_LENGTH) return undefined;
  // A code has at most six digits, so no name looks like an ID.
  const [, id] = /^__([\da-f]{8}(?:_[\da-f]{4}){3}_[\da-f]{12})$/.exec(encoded) ?? [];
  if (id !== undefined) return { entity, table: id.replaceAll('_', '-') };
  const name = encoded.replace(/__([0-9A-F]{1,6})_|_/gu, (_, code: string | undefined) => {
    const point = code === undefined ? undefined : Number.parseInt(code, 16);
    return point === undefined || point > 0x10ffff ? ' ' : String.fromCodePoint(point);
  });
  return { entity, table: name };
}

/** The name of the property with the values of a column: its key, with `_` before a key that would be ambiguous. */
export function toPropertyName(key: string): string {
  return /^[a-z]/.test(key) && !RESERVED.has(key) ? key : `_${key}`;
}

/** The name of the property that leads to the row that a reference column names. */
export function toNavigationName(key: string): string {
  return `${toPropertyName(key)}${NAVIGATION_SUFFIX}`;
}
