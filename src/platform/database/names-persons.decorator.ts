import 'reflect-metadata';

const MARK = Symbol('names persons');

/**
 * What a column contains: a text; JSON; or JSON whose values are all texts of callers, whatever their attributes are
 * called.
 */
export type TextKind = 'text' | 'json' | 'attributes';

/**
 * Marks a column with texts, also in JSON, that can name a person: `operator user erase` replaces the names of the
 * person. Not for keys.
 *
 * @param kind by default that of the type of the column.
 */
export function NamesPersons(kind?: TextKind): PropertyDecorator {
  return (prototype, property) => Reflect.defineMetadata(MARK, { kind }, prototype, property);
}

/** @returns undefined if the column is not marked. */
export function readNamesPersons(entity: { prototype: object }, property: string): { kind?: TextKind } | undefined {
  return Reflect.getMetadata(MARK, entity.prototype, property) as { kind?: TextKind } | undefined;
}
