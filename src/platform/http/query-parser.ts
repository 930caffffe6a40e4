import { parse, type ParsedUrlQuery } from 'node:querystring';
import { DomainError } from './domain-error.js';

/** `name[a]` and `name[a][b]`; what goes deeper, or is not closed, is a name like any other. */
const NESTED = /^(\w+)\[([^[\]]{1,255})\](?:\[([^[\]]{1,63})\])?$/;

type Nested = Record<string, unknown>;

/**
 * The query of an address as an object: each name with its value, or its values where it comes several times, and
 * `filter[weight][gte]=100` as an object in an object. Its objects have no prototype.
 * It takes whatever comes, since logs read it too.
 */
export function parseQuery(query: string | null | undefined): ParsedUrlQuery {
  // By default what comes after a thousand parameters is left out.
  const flat = parse(query ?? '', undefined, undefined, { maxKeys: 0 });
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

/**
 * The parser puts replacement characters where it cannot decode, which nobody meant.
 *
 * @throws {DomainError} where the query of the address is not percent-encoded UTF-8.
 */
export function requireEncodedQuery(url: string): void {
  const at = url.indexOf('?');
  const parts = at < 0 ? [] : url.slice(at + 1).split('&');
  const broken = parts.find((part) => !isEncoded(part));
  if (broken === undefined) return;
  const message = `"${broken.slice(0, 100)}" in the query is not percent-encoded UTF-8.`;
  throw new DomainError('malformed', 'invalid_request', message);
}

/** Bytes beyond ASCII would arrive as characters of another alphabet. */
function isEncoded(part: string): boolean {
  return /^\p{ASCII}*$/u.test(part) && isDecodable(part);
}

/** Is the text percent-encoded UTF-8, or has nothing to decode? */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
