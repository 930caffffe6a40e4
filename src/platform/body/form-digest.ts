import { createHash } from 'node:crypto';
import type { Upload } from './upload.js';

/** What a form says, hashed: equal where the same is sent with another boundary or with its fields in another order. */
export function formDigest(body: object, uploads: readonly Upload[]): string {
  const files = uploads.map(({ filename, sha256 }) => [filename, sha256]);
  return createHash('sha256')
    .update(JSON.stringify([sorted(body), files]))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  // As pairs: a key that looks like a number would stand before all others in an object.
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}
