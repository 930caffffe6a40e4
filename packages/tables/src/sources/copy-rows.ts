import { BinaryWriter, FIXED_VALUE_BYTES, maxTextBytes } from '../catalog/binary-format.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getNativeType } from '../catalog/column-types.js';
import type { RowBatch } from './row-reader.js';

/** Start of PostgreSQL's binary COPY format: signature, flags (none), length of the header extension (none). */
export const COPY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** End of the format: a field count of -1. */
export const COPY_TRAILER = Buffer.from([0xff, 0xff]);

/** Rows of a part of a file: the valid ones with their values, and the keys of the rejected ones. */
export interface CopiedRows {
  batch: RowBatch;
  /** Keys by row index. Another row with the same key is a duplicate. */
  rejectedKeys: ReadonlyMap<number, string>;
  getLine: (index: number) => number;
}

/**
 * Bytes of a row without its values: field count; row_index, line and rejected, each with its length; length of the
 * key.
 */
const ROW_BYTES = 2 + 8 + 8 + 5 + 4;

/**
 * Rows in PostgreSQL's binary COPY format. The fields are those of the staging table: row_index, line, rejected, sent
 * (a bit per column; null means all), key, and the columns' values.
 */
export function encodeRows({ batch, rejectedKeys, getLine }: CopiedRows, columns: readonly CatalogColumn[]): Buffer {
  const sent = columns.map(({ key }) => batch.columns.find(({ column }) => column.key === key));
  const isComplete = sent.every((values) => values?.complete);
  const maskBytes = Math.ceil(columns.length / 8);
  const texts = batch.columns.reduce((sum, { values }) => sum + maxTextBytes(values), maxTextBytes(batch.keys));
  const rows = batch.keys.length + rejectedKeys.size;
  const capacity = rows * (ROW_BYTES + 4 + maskBytes + FIXED_VALUE_BYTES * columns.length) + texts;
  const writer = new BinaryWriter(capacity + maxTextBytes([...rejectedKeys.values()]));
  const types = columns.map(({ type }) => getNativeType(type));
  const startRow = (index: number, isRejected: boolean) => {
    writer.writeFieldCount(5 + columns.length);
    writer.writeInteger(index);
    writer.writeInteger(getLine(index));
    writer.write('boolean', isRejected);
  };
  batch.keys.forEach((key, row) => {
    startRow(batch.indexes[row]!, false);
    if (isComplete) writer.write('text', null);
    else
      writer.writeBits(
        maskBytes,
        sent.map((column) => column?.values[row] !== undefined),
      );
    writer.write('text', key);
    for (let position = 0; position < columns.length; position++)
      writer.write(types[position]!, sent[position]?.values[row]);
  });
  for (const [index, key] of rejectedKeys) {
    startRow(index, true);
    writer.write('text', null);
    writer.write('text', key);
    for (const type of types) writer.write(type, null);
  }
  return writer.written;
}
