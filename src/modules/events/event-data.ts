import { parseStoredJson } from '../../../packages/sql/src/stored-json.js';

/** Limit of `data` as JSON, in bytes: an event is smaller than 64 KiB. */
const MAX_BYTES = 63 * 1024;

/** The `data` of an event as JSON. If it is too large, its records are cut to their IDs, and `truncated` is true. */
export function toEventJson(data: object): string {
  const text = JSON.stringify(data);
  if (text.length <= MAX_BYTES && Buffer.byteLength(text) <= MAX_BYTES) return text;
  return JSON.stringify({ ...cutToIds(data), truncated: true });
}

/** Limits `data` that is not stored. @returns the limited data, and the bytes of its JSON. */
export function fitEventData(data: object): { data: object; bytes: number } {
  const json = toEventJson(data);
  const bytes = Buffer.byteLength(json);
  return json.endsWith('"truncated":true}') ? { data: parseStoredJson(json) as object, bytes } : { data, bytes };
}

function cutToIds(data: object): object {
  const kept = Object.entries(data).flatMap(([name, value]: [string, unknown]) => {
    if (isRecord(value)) return [[name, pickIds(value)]];
    return isId(name) ? [[name, value]] : [];
  });
  return Object.fromEntries(kept) as object;
}

function pickIds(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => isId(name)));
}

function isId(name: string): boolean {
  return name === 'id' || name.endsWith('Id');
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
