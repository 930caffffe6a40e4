import { parse, type ParsedUrlQuery } from 'node:querystring';

/** `name[a]` and `name[a][b]`; what goes deeper, or is not closed, is a name like any other. */
const NESTED = /^(\w+)\[([^[\]]{1,255})\](?:\[([^[\]]{1,63})\])?$/;

type Nested = Record<string, unknown>;

/**
 * The query of an address as an object: each name with its value, or its values where it comes several times, and
 * `filter[weight][gte]=100` as an object in an object. Its objects have no prototype.
 */
export function parseQuery(query: string | null | undefined): ParsedUrlQuery {
  const flat = parse(query ?? '');
  const parsed = Object.create(null) as Nested;
  for (const [name, value] of Object.entries(flat)) {
    const [, outer, first, second] = NESTED.exec(name) ?? [];
    if (outer === undefined || first === undefined || name in parsed) {
      parsed[name] = value;
      continue;
    }
    const object = objectAt(parsed, outer);
    if (second === undefined) object[first] = value;
    else objectAt(object, first)[second] = value;
  }
  return parsed as ParsedUrlQuery;
}

/** What stands there beside is a value of its own by the name `''`: whoever reads the object refuses it. */
function objectAt(parent: Nested, name: string): Nested {
  const known = parent[name];
  if (typeof known === 'object' && known !== null && !Array.isArray(known)) return known as Nested;
  const object = Object.create(null) as Nested;
  if (known !== undefined) object[''] = known;
  parent[name] = object;
  return object;
}
