import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { count, PHYSICAL_COLUMNS, type SampleRow } from '../sample-rows.js';

/** The fastest way to load PostgreSQL: `COPY … FROM STDIN` of prepared bytes. It only inserts. */
export async function copyIn(client: Client, table: string, content: readonly Buffer[]): Promise<void> {
  const columns = [...PHYSICAL_COLUMNS, '_revision', '_created_at', '_updated_at'].join(', ');
  await pipeline(Readable.from(content), client.query(copyFrom(`COPY ${table} (${columns}) FROM STDIN`)));
}

/** The fastest way to read all rows: `COPY … TO STDOUT` as CSV. @returns their number */
export async function copyOut(client: Client, table: string): Promise<number> {
  const columns = PHYSICAL_COLUMNS.join(', ');
  let lines = 0;
  for await (const part of client.query(copyTo(`COPY ${table} (${columns}) TO STDOUT (FORMAT csv)`)))
    lines += count(part as Buffer, '\n');
  return lines;
}

/** Rows in COPY's text format. The sample rows contain no characters that need escaping. */
export function toCopyText(rows: readonly SampleRow[]): Buffer {
  const tail = `1\t${new Date().toISOString()}\t${new Date().toISOString()}\n`;
  return Buffer.from(rows.map((row) => `${Object.values(row).join('\t')}\t${tail}`).join(''));
}
