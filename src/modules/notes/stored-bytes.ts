import type { Upload } from '../../platform/body/upload.js';

/**
 * What a record needs in the database in addition to its texts: its other columns, the entries of indexes and the log.
 */
const RECORD_BYTES = 2_048;

/** The bytes of all names and texts of a value, in UTF-8. */
export function countTextBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [name, each]) => sum + Buffer.byteLength(name) + countTextBytes(each), 0);
}

/**
 * What a write of an anonymous caller stores, in the database and as files.
 *
 * @param records new notes, messages or events, each with all its texts.
 */
export function countStoredBytes(records: readonly object[], uploads: readonly Upload[]): number {
  const texts = records.reduce<number>((sum, record) => sum + RECORD_BYTES + countTextBytes(record), 0);
  return uploads.reduce((sum, { size }) => sum + RECORD_BYTES + size, texts);
}
