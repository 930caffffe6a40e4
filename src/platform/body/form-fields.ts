import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { MalformedFormError } from './body.errors.js';
import { checkStructure, rejectPrototypeKey } from '../../../packages/json/src/json-structure.js';
import { parseStoredJson } from '../../../packages/sql/src/stored-json.js';

/** Fields of a form. */
export const MAX_FIELDS = 1_000;

/** Bytes of a name. */
const MAX_NAME_BYTES = 1_000;

/** Brackets in a name; equal to the nesting limit of JSON. */
const MAX_BRACKETS = 31;

/** Index in brackets; a larger one would create a list with as many holes. */
const MAX_INDEX = 999;

/** A name such as `customFields[shift]`, `tags[0]` or `tags[]`. Another name is the key as it is. */
const PATH = /^([^[]+)((?:\[[^\]]+\])*)(\[\])?$/;
const INDEX = /^\d+$/;

type Container = Record<string, unknown>;

/** The fields of a form as the body of a request. Brackets in names create objects and lists. */
export class FormFields {
  private readonly fields = createObject();
  private count = 0;

  /** @param value a text, or what the JSON of the field contains. @throws {MalformedFormError} */
  add(name: string, value: unknown): void {
    if (++this.count > MAX_FIELDS) throw new MalformedFormError(`The form exceeds the limit of ${MAX_FIELDS} fields.`);
    const keys = parseName(name);
    let container = this.fields;
    for (const [at, next] of keys.slice(1).entries())
      container = openContainer(container, keys[at]!, next === '' || INDEX.test(next), name);
    setValue(container, keys.at(-1)!, value, name);
  }

  /**
   * Plain objects, and `null` for holes in lists.
   *
   * @throws {MalformedFormError} for too many levels, and for `files` without a file
   */
  toBody(): Record<string, unknown> {
    toFormError(() => checkStructure(this.fields));
    const { files, ...body } = parseStoredJson(JSON.stringify(this.fields)) as Record<string, unknown>;
    if (files === undefined) return body;
    throw new MalformedFormError('Each part "files" must have a filename in its Content-Disposition.', 'files');
  }
}

/**
 * The keys of a name; an empty one at the end appends to a list.
 *
 * @throws {MalformedFormError} also for a name that could reach a prototype: fields of JSON are ordinary objects
 */
function parseName(name: string): string[] {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw new MalformedFormError(`The name of a field exceeds the limit of ${MAX_NAME_BYTES} bytes.`, name);
  const [, first, brackets = '', append] = PATH.exec(name) ?? [];
  if (first === undefined) return [name];
  const keys = [first, ...[...brackets.matchAll(/\[([^\]]+)\]/g)].map(([, key]) => key!)];
  if (keys.length > MAX_BRACKETS + 1)
    throw new MalformedFormError(`The name "${toLabel(name)}" exceeds the limit of ${MAX_BRACKETS} brackets.`, name);
  if (keys.slice(1).some((key) => INDEX.test(key) && Number(key) > MAX_INDEX))
    throw new MalformedFormError(`An index in the name "${toLabel(name)}" exceeds the limit of ${MAX_INDEX}.`, name);
  for (const key of keys) toFormError(() => rejectPrototypeKey(key), name);
  return append === undefined ? keys : [...keys, ''];
}

/** The object or list with the key; it is created if the container has none. */
function openContainer(container: Container, key: string, isList: boolean, name: string): Container {
  const existing = getOwn(container, key) ?? undefined;
  // A list of values of the same name.
  if (existing !== undefined && (typeof existing !== 'object' || Array.isArray(existing) !== isList))
    throw createContradictionError(name);
  return (container[key] = existing ?? (isList ? [] : createObject())) as Container;
}

function setValue(container: Container, key: string, value: unknown, name: string): void {
  if (key === '' && Array.isArray(container)) {
    container.push(value);
    return;
  }
  const existing = getOwn(container, key);
  if (existing === undefined) container[key] = value;
  else if (Array.isArray(existing)) existing.push(value);
  else if (typeof existing === 'object' || typeof value === 'object') throw createContradictionError(name);
  else container[key] = [existing, value];
}

/** An inherited property is not a field. */
const getOwn = (container: Container, key: string) => (Object.hasOwn(container, key) ? container[key] : undefined);

function createObject(): Container {
  return Object.create(null) as Container;
}

/** Runs a check of JSON bodies. @param name of the field. @throws {MalformedFormError} instead of its errors */
function toFormError(check: () => unknown, name?: string): void {
  try {
    check();
  } catch (error) {
    throw error instanceof DomainError ? new MalformedFormError(error.message, name) : error;
  }
}

function createContradictionError(name: string): MalformedFormError {
  const message = `The field "${toLabel(name)}" of the form is sent as a value, and as an object or list.`;
  return new MalformedFormError(message, name);
}

const toLabel = (name: string) => name.slice(0, 100);
