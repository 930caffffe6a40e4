import { ScimError } from './scim.errors.js';

/**
 * What identity providers send, as `scimmy` accepts it. The service stores few attributes: all others are left out,
 * also from changes, because identity providers send many by default and stop at an error.
 */

const USER_ATTRIBUTES = ['schemas', 'id', 'externalId', 'userName', 'displayName', 'name', 'active'];
const GROUP_ATTRIBUTES = ['schemas', 'id', 'externalId', 'displayName', 'members'];

/** Attributes that a change of a user can name: a name without `displayName` counts only in a whole user. */
const CHANGED_USER_ATTRIBUTES = USER_ATTRIBUTES.filter((name) => name !== 'name');

export type ScimType = 'User' | 'Group';

interface Operation {
  op?: unknown;
  path?: unknown;
  value?: unknown;
}

/** The schema of the core: `urn:ietf:params:scim:schemas:core:2.0:User:userName` is `userName`. */
const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i;

/** A whole resource. @throws {ScimError} */
export function readResource(type: ScimType, body: unknown): object {
  const known = type === 'User' ? USER_ATTRIBUTES : GROUP_ATTRIBUTES;
  const resource = pick(requireObject(body), known);
  return { ...resource, schemas: [`urn:ietf:params:scim:schemas:core:2.0:${type}`] };
}

/**
 * The operations of a change on attributes that the service stores.
 *
 * @returns undefined if there are none.
 * @throws {ScimError}
 */
export function readPatch(type: ScimType, body: unknown): object | undefined {
  const { schemas, Operations } = requireObject(body) as { schemas?: unknown; Operations?: unknown };
  if (!Array.isArray(Operations)) throw new ScimError('invalidSyntax', 'Operations must be a list.');
  const known = type === 'User' ? CHANGED_USER_ATTRIBUTES : GROUP_ATTRIBUTES;
  const operations = Operations.flatMap((operation) => readOperation(requireObject(operation), known));
  return operations.length > 0 ? { schemas, Operations: operations } : undefined;
}

function readOperation({ op, path, value }: Operation, known: readonly string[]): Operation[] {
  if (path === undefined || path === null || path === '') {
    // Both forms of names occur: `{ "name": { "givenName": … } }` and `{ "name.givenName": … }`.
    const values = pick(requireObject(value), known);
    return Object.keys(values).length > 0 ? [{ op, value: values }] : [];
  }
  if (typeof path !== 'string') throw new ScimError('invalidPath', 'path must be a text.');
  const name = path.replace(CORE, '');
  const [, attribute = ''] = /^([\w$-]+)(?:[.[]|$)/.exec(name) ?? [];
  const found = known.find((each) => each.toLowerCase() === attribute.toLowerCase());
  if (found === undefined) {
    if (attribute === '' && !path.startsWith('urn:'))
      throw new ScimError('invalidPath', `The path "${path.slice(0, 100)}" is not valid.`);
    return [];
  }
  const changed = found + name.slice(attribute.length);
  if (value === undefined) return [{ op, path: changed }];
  return [{ op, path: changed, value: readValue(found, value) }];
}

/** The attributes with these names, in any letter case (RFC 7643, section 2.1). */
function pick(values: object, known: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const plain = name.replace(CORE, '').toLowerCase();
    const found = known.find((each) => each.toLowerCase() === plain);
    if (found !== undefined) picked[found] = readValue(found, value);
  }
  return picked;
}

/** Entra ID sends `"True"` and `"False"`, and one text as a list with one `value`. */
function readValue(name: string, value: unknown): unknown {
  const single =
    name !== 'members' &&
    Array.isArray(value) &&
    value.length === 1 &&
    typeof value[0] === 'object' &&
    value[0] !== null
      ? (value[0] as { value?: unknown }).value
      : value;
  if (name !== 'active' || typeof single !== 'string') return single;
  const text = single.toLowerCase();
  if (text !== 'true' && text !== 'false') throw new ScimError('invalidValue', 'active must be true or false.');
  return text === 'true';
}

function requireObject(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new ScimError('invalidSyntax', 'The request, its operations and their values must be objects.');
}

/** The service stores email addresses in lower case; `userName` ignores the letter case (RFC 7643, section 4.1.1). */
export function lowerUserNames(filter: string): string {
  return filter.replace(
    /(\b(?:userName|emails(?:\.value)?)\s+\w\w\s+)("(?:[^"\\]|\\.)*")/gi,
    (_, start: string, text: string) => start + text.toLowerCase(),
  );
}
