/** Limit of `data` as JSON, in bytes: an event is smaller than 64 KiB. */
const MAX_BYTES = 63 * 1024;

/** The `data` of an event as JSON. If it is too large, its records are cut to their IDs, and `truncated` is true. */
export function toEventJson(data: object): string {
  const text = JSON.stringify(data);
  return text.length <= MAX_BYTES && Buffer.byteLength(text) <= MAX_BYTES ? text : JSON.stringify(truncate(data));
}

/**
 * Limits the `data` of the events of a page that is not stored. Many events may contain the same record, whose size is
 * measured once.
 */
export class EventDataLimiter {
  private readonly sizes = new Map<unknown, number>();

  /** @returns the limited data, and the bytes of its JSON. */
  limit(data: object): { data: object; bytes: number } {
    const fields = Object.entries(data).filter(([, value]) => value !== undefined);
    // A name has its quotes, a colon and a comma. The last name has no comma, and the object has two braces.
    const bytes = fields.reduce((sum, [name, value]) => sum + name.length + 4 + this.measure(value), 1);
    if (bytes <= MAX_BYTES) return { data, bytes };
    const truncated = truncate(data);
    return { data: truncated, bytes: Buffer.byteLength(JSON.stringify(truncated)) };
  }

  private measure(value: unknown): number {
    const size = this.sizes.get(value) ?? Buffer.byteLength(JSON.stringify(value));
    this.sizes.set(value, size);
    return size;
  }
}

function truncate(data: object): object {
  return { ...cutToIds(data), truncated: true };
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
