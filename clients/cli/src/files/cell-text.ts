/** A value of a file as text; objects of NDJSON as JSON. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
