import 'reflect-metadata';

const MARK = Symbol('names persons');

/**
 * Marks a column with texts, also in JSON, that can name a person: `operator user erase` replaces the names of the
 * person. Not for keys.
 */
export function NamesPersons(): PropertyDecorator {
  return (prototype, property) => Reflect.defineMetadata(MARK, true, prototype, property);
}

export function namesPersons(entity: { prototype: object }, property: string): boolean {
  return Reflect.hasMetadata(MARK, entity.prototype, property);
}
