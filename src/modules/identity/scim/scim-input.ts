import { isUuid } from '../../../../packages/sql/src/uuid.js';
import { ScimError } from './scim.errors.js';
import { removeSchema } from './scim-filter.js';

/**
 * What identity providers send, as `scimmy` accepts it. The service stores few attributes: all others are left out,
 * also from changes, because identity providers send many by default and stop at an error.
 */

export const UNKNOWN_MEMBER = 'members must be the IDs of users of the workspace.';

const USER_ATTRIBUTES = ['schemas', 'id', 'externalId', 'userName', 'displayName', 'name', 'active'];
const GROUP_ATTRIBUTES = ['schemas', 'id', 'externalId', 'displayName', 'members'];

/** Attributes that a change of a user can name: a name without `displayName` counts only in a whole user. */
const CHANGED_USER_ATTRIBUTES = USER_ATTRIBUTES.filter((name) => name !== 'name');

export type ScimType = 'User' | 'Group';

const OPERATIONS = ['add', 'remove', 'replace'] as const;

type Op = (typeof OPERATIONS)[number];

interface ReceivedOperation {
  op?: unknown;
  path?: unknown;
  value?: unknown;
}

/** A change of the members of a group. */
export interface MemberChange {
  op: Op;
  ids: readonly string[];
}

export interface ScimPatch {
  schemas: unknown[];
  /** Without those on members. */
  operations: { op: Op; path: string; value: unknown }[];
  memberChanges: MemberChange[];
}

/** What follows `members` in the path of a removal. */
const MEMBER = /^\[ *value +eq +"([^"]*)" *\]$/i;

/** A whole resource, without the members of a group, and their IDs. @throws {ScimError} */
export function readResource(type: ScimType, body: unknown): { resource: object; members: string[] } {
  const known = type === 'User' ? USER_ATTRIBUTES : GROUP_ATTRIBUTES;
  const { members, ...resource } = pick(requireObject(body), known);
  return {
    resource: { ...resource, schemas: [`urn:ietf:params:scim:schemas:core:2.0:${type}`] },
    members: readMembers(members ?? []),
  };
}

/** Does the response contain the attribute? */
export function isReturned(name: string, { attributes, excludedAttributes }: Record<string, string>): boolean {
  const contains = (names: string) =>
    names.split(',').some((each) => {
      const [attribute] = each.toLowerCase().split('.');
      return attribute === name;
    });
  return attributes === undefined ? !contains(excludedAttributes ?? '') : contains(attributes);
}

/**
 * The operations of a change on attributes that the service stores.
 *
 * @throws {ScimError}
 */
export function readPatch(type: ScimType, body: unknown): ScimPatch {
  const { schemas, Operations } = requireObject(body) as { schemas?: unknown; Operations?: unknown };
  if (!Array.isArray(Operations)) throw new ScimError('invalidSyntax', 'Operations must be a list.');
  const known = type === 'User' ? CHANGED_USER_ATTRIBUTES : GROUP_ATTRIBUTES;
  const patch: ScimPatch = { schemas: Array.isArray(schemas) ? schemas : [], operations: [], memberChanges: [] };
  for (const operation of Operations) addOperation(patch, requireObject(operation), known);
  return patch;
}

/** The IDs of the members of a group after these changes. */
export function changeMembers(former: readonly string[], changes: readonly MemberChange[]): string[] {
  const members = new Set(former);
  for (const { op, ids } of changes) {
    if (op === 'replace') members.clear();
    for (const id of ids) {
      if (op === 'remove') members.delete(id);
      else members.add(id);
    }
  }
  return [...members];
}

function addOperation(patch: ScimPatch, { op: text, path, value }: ReceivedOperation, known: readonly string[]): void {
  const op = OPERATIONS.find((each) => each === (typeof text === 'string' ? text.toLowerCase() : text));
  if (op === undefined) throw new ScimError('invalidSyntax', 'op must be add, remove or replace.');
  if (path === undefined || path === null || path === '') {
    if (op === 'remove') throw new ScimError('noTarget', 'An operation that removes must have a path.');
    // Both forms of names occur: `{ "name": { "givenName": … } }` and `{ "name.givenName": … }`.
    for (const [name, each] of Object.entries(pick(requireObject(value), known))) addChange(patch, op, name, each);
    return;
  }
  if (typeof path !== 'string') throw new ScimError('invalidPath', 'path must be a text.');
  const name = removeSchema(path);
  const [, attribute = ''] = /^([\w$-]+)(?:[.[]|$)/.exec(name) ?? [];
  const found = known.find((each) => each.toLowerCase() === attribute.toLowerCase());
  if (found === undefined) {
    if (attribute === '' && !path.startsWith('urn:')) throw rejectPath(path);
    return;
  }
  const rest = name.slice(attribute.length);
  const member = found === 'members' && op === 'remove' ? MEMBER.exec(rest)?.[1] : undefined;
  if (member !== undefined) patch.memberChanges.push({ op, ids: readMembers([{ value: member }]) });
  else if (rest !== '') throw rejectPath(path);
  else addChange(patch, op, found, value);
}

function addChange({ operations, memberChanges }: ScimPatch, op: Op, name: string, value: unknown): void {
  if (name !== 'members') operations.push({ op, path: name, value: readValue(name, value) });
  else if (op === 'remove' && value === undefined) memberChanges.push({ op: 'replace', ids: [] });
  else memberChanges.push({ op, ids: readMembers(value) });
}

/** The IDs of users, without what identity providers state about them. @throws {ScimError} */
function readMembers(value: unknown): string[] {
  return (Array.isArray(value) ? (value as unknown[]) : [value]).map((member) => {
    const { value: id } = (member ?? {}) as { value?: unknown };
    if (typeof id !== 'string' || !isUuid(id)) throw new ScimError('invalidValue', UNKNOWN_MEMBER);
    return id.toLowerCase();
  });
}

function rejectPath(path: string): ScimError {
  return new ScimError('invalidPath', `The path "${path.slice(0, 100)}" is not valid.`);
}

/** The attributes with these names, in any letter case (RFC 7643, section 2.1). */
function pick(values: object, known: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const plain = removeSchema(name).toLowerCase();
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
