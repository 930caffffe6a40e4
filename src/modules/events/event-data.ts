/** Limit of `data` as JSON, in bytes: an event is smaller than 64 KiB. */
const MAX_BYTES = 63 * 1024;

/** The `data` of an event as JSON. If it is too large, its records are cut to their IDs, and `truncated` is true. */
export function toEventJson(data: object): string {
  const text = JSON.stringify(data);
  if (text.length <= MAX_BYTES && Buffer.byteLength(text) <= MAX_BYTES) return text;
  return JSON.stringify({ ...cutToIds(data), truncated: true });
}

/** The same for `data` that is not stored. */
export function fitEventData(data: object): object {
  const json = toEventJson(data);
  return json.endsWith('"truncated":true}') ? (JSON.parse(json) as object) : data;
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
