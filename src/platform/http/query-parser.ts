import { parse, type ParsedUrlQuery } from 'node:querystring';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';

/** `name[]`, the form in which several clients send lists. */
const LIST = /^([^[\]]+(?:\[[^[\]]+\])*)\[\]$/;

/** `name[a]` and `name[a][b]`. Deeper or unclosed brackets are part of a plain name. */
const NESTED = /^(\w+)\[([^[\]]{1,255})\](?:\[([^[\]]{1,63})\])?$/;

interface Nested {
  [name: string]: unknown;
}

/**
 * Parses a query string: each name with its value, or a list if it is repeated or ends with `[]`;
 * `filter[weight][gte]=100` becomes nested objects without prototype. Accepts any input, because the log uses it too,
 * and contains every value: one of a name that is also the name of an object has the key `''`, which no DTO accepts.
 */
export function parseQueryString(query: string | null | undefined): ParsedUrlQuery {
  // The default ignores everything after 1,000 parameters.
  const flat = parse(query ?? '', undefined, undefined, { maxKeys: 0 });
  const parsed = Object.create(null) as Nested;
  for (const [sent, found] of Object.entries(flat)) {
    const [name, value] = toListParameter(flat, sent, found);
    const [, outer, ...inner] = NESTED.exec(name) ?? ['', name];
    // The second pair of brackets is optional.
    setValue(parsed, [outer, ...inner.filter(Boolean)], value);
  }
  return parsed as ParsedUrlQuery;
}

/** `name[]=1` is the parameter `name` with a list, also if it has only one value. */
function toListParameter(flat: ParsedUrlQuery, sent: string, value: unknown): [name: string, value: unknown] {
  const [, name] = LIST.exec(sent) ?? [];
  return name === undefined || Object.hasOwn(flat, name) ? [sent, value] : [name, [value].flat()];
}

/** @param keys the path of the value, of at least one key. */
function setValue(parent: Nested, [key = '', ...rest]: string[], value: unknown): void {
  const known = parent[key];
  if (isNested(known)) {
    setValue(known, rest.length === 0 ? [''] : rest, value);
    return;
  }
  if (rest.length === 0) {
    parent[key] = known === undefined ? value : [known, value].flat();
    return;
  }
  const object = Object.create(null) as Nested;
  if (known !== undefined) object[''] = known;
  parent[key] = object;
  setValue(object, rest, value);
}

function isNested(value: unknown): value is Nested {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The path and the query of a URL, without the first question mark; further ones belong to the query. */
export function splitUrl(url: string): [path: string, query: string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

/**
 * Rejects a query that is not percent-encoded UTF-8, in which the parser would insert replacement characters.
 *
 * @throws {DomainError} `invalid_request`
 */
export function requireEncodedQuery(url: string): void {
  const [, query] = splitUrl(url);
  const broken = query.split('&').find((part) => !isEncoded(part));
  if (broken === undefined) return;
  const message = `"${broken.slice(0, 100)}" in the query is not percent-encoded UTF-8.`;
  throw new DomainError(HTTP_ERRORS.invalid_request, message);
}

/** Node decodes bytes beyond ASCII as Latin-1. */
function isEncoded(part: string): boolean {
  return /^\p{ASCII}*$/u.test(part) && isDecodable(part);
}

/** Is the text valid percent-encoded UTF-8? */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
