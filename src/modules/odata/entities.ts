import type { Property } from './edm.js';
import { parseStoredJson } from '../../platform/stored-json.js';

/** A row by the keys of its columns, or an entity by the names of its properties. */
export type Entity = Record<string, unknown>;

/** @param json the rows as PostgreSQL has serialized them */
export function toRows(json: string): Entity[] {
  return parseStoredJson(json) as Entity[];
}

/**
 * Turns rows into entities.
 *
 * @param selected the keys of the columns that the entities have; undefined for all
 */
export function renameColumns(
  properties: readonly Property[],
  selected: readonly string[] | undefined,
): (row: Entity) => Entity {
  const chosen = selected ? properties.filter(({ key }) => selected.includes(key)) : properties;
  return (row) =>
    Object.fromEntries(chosen.flatMap(({ name, key }) => (Object.hasOwn(row, key) ? [[name, row[key]]] : [])));
}
