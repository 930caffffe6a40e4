import { parse, stringify } from 'lossless-json';
import { UsageError } from '../exit-codes.js';
import { readText } from '../files/read-file.js';
import type { Io } from '../io.js';
import { splitAssignment } from '../named.js';

/** One `-f` or `-F` of a request. Numbers have the digits that were written. */
export interface RequestField {
  name: string;
  value: unknown;
}

/** `title=10` of `-f`: the value is a text. @throws {UsageError} */
export function parseRawField(argument: string): RequestField {
  const [name, value] = splitAssignment(argument, 'field', '-f name=value');
  return { name, value };
}

/** `limit=10` of `-F` is a number, `@FILE` the content of a file, other JSON its value, and all else a text. */
export async function parseTypedField(argument: string, io: Io): Promise<RequestField> {
  const { name, value } = parseRawField(argument);
  const written = value as string;
  if (written.startsWith('@')) {
    const path = written.slice(1);
    return { name, value: await readText(path, io, `The file ${path}`, ' For a text that begins with @, use -f.') };
  }
  try {
    return { name, value: parse(written) };
  } catch {
    return { name, value: written };
  }
}

/** Names are sent as they are: filters contain brackets. */
export function toQuery(fields: RequestField[]): string {
  const query = new URLSearchParams();
  for (const { name, value } of fields) query.append(name, typeof value === 'string' ? value : stringify(value)!);
  return query.toString();
}

/** Fields as JSON: `a[b]=1` is an object, `a[]=1` a list, and `a[][b]=1` a list of objects. @throws {UsageError} */
export function toJsonBody(fields: RequestField[]): string {
  const body = createObject();
  for (const { name, value } of fields) assign(body, splitName(name), { name, value });
  return stringify(body)!;
}

type JsonObject = Record<string, unknown>;

/** A name such as `__proto__` is a field as all others. */
const createObject = (): JsonObject => Object.create(null) as JsonObject;

/** `a[b][]` is `['a', 'b', '']`. */
function splitName(name: string): string[] {
  const [, first, rest] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? [];
  if (first === undefined || rest === undefined)
    throw new UsageError(`"${name}" is not the name of a field. Write for example name, a[b] or a[].`);
  return [first, ...[...rest.matchAll(/\[([^\]]*)\]/g)].map(([, part]) => part!)];
}

function assign(target: JsonObject, [key = '', next, ...rest]: string[], field: RequestField): void {
  const existing = target[key];
  if (next === undefined) {
    if (Object.hasOwn(target, key)) throw new UsageError(`The field "${field.name}" is set twice.`);
    target[key] = field.value;
  } else if (next === '') {
    if (existing !== undefined && !Array.isArray(existing)) throw createContradictionError(field);
    append((target[key] ??= []) as unknown[], rest, field);
  } else {
    if (existing !== undefined && !isObject(existing)) throw createContradictionError(field);
    assign((target[key] ??= createObject()) as JsonObject, [next, ...rest], field);
  }
}

/** A field that the last object of the list has begins the next object. */
function append(list: unknown[], path: string[], field: RequestField): void {
  if (path.length === 0) {
    list.push(field.value);
    return;
  }
  const last = list.at(-1);
  const isLastComplete = !isObject(last) || (path.length === 1 && Object.hasOwn(last, path[0]!));
  const entry = isLastComplete ? createObject() : last;
  if (isLastComplete) list.push(entry);
  assign(entry, path, field);
}

/** An object of `createObject`, but not a value of a field. */
function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}

const createContradictionError = ({ name }: RequestField): UsageError =>
  new UsageError(`The field "${name}" contradicts an earlier one, which has another structure.`);
