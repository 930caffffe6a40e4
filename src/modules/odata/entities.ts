import type { Property } from './edm.js';

/** A row by the keys of its columns, or an entity by the names of its properties. */
type Entity = Record<string, unknown>;

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
    Object.fromEntries(
      chosen.flatMap((property) => (Object.hasOwn(row, property.key) ? [[property.name, toValue(property, row)]] : [])),
    );
}

/** `Edm.Date` has no time: of an instant the feed contains the day in UTC, which is also what its filters compare. */
function toValue({ key, type }: Property, row: Entity): unknown {
  const value = row[key];
  return type === 'Edm.Date' && typeof value === 'string' ? value.slice(0, 'YYYY-MM-DD'.length) : value;
}
