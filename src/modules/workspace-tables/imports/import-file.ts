import { createReadStream } from 'node:fs';
import { pipeline, type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { CsvRows } from './csv-rows.js';
import { InvalidGzipError, DecompressedTooLargeError } from './imports.errors.js';
import { type LineBlock, lineBlocks } from './line-blocks.js';
import { NdjsonRows } from './ndjson-rows.js';
import type { RowParser } from './row-parser.js';

export const MEDIA_TYPES = ['application/x-ndjson', 'text/csv'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

/** What is read at once. Four times as much is no faster, and leaves twice as much memory behind to be collected. */
const CHUNK_BYTES = 64 * 1024;

/** The shortest line that is refused for its length: no limit on rows may be lower than what is read at once. */
const MIN_LINE_LIMIT = 1024 * 1024;

export interface FileLimits {
  /** Bytes of the file once it is unpacked. */
  maxBytes: number;
  maxRowBytes: number;
}

/** The file of an import, which lies in the spool. It may be read several times. */
export class ImportFile {
  constructor(
    private readonly path: string,
    private readonly type: MediaType,
    private readonly isPacked: boolean,
    private readonly limits: FileLimits,
  ) {}

  /** The columns of the table that its rows may send, without the primary key. @throws {InvalidHeaderError} */
  async columns(table: CatalogTable): Promise<CatalogColumn[]> {
    const sent = this.type === 'text/csv' ? await this.readHeader(table) : table.columns;
    return sent.filter(({ primaryKey }) => !primaryKey);
  }

  parser(table: CatalogTable): RowParser {
    return this.type === 'text/csv' ? new CsvRows(table, this.maxLineBytes) : new NdjsonRows();
  }

  /** @throws {DomainError} where it is no text, or not what it says it is. */
  blocks(): AsyncGenerator<LineBlock> {
    return lineBlocks(this.open(), this.maxLineBytes);
  }

  private async readHeader(table: CatalogTable): Promise<readonly CatalogColumn[]> {
    const rows = new CsvRows(table, this.maxLineBytes);
    for await (const block of this.blocks()) {
      rows.parse(block, () => undefined);
      if (rows.columns) return rows.columns;
    }
    rows.end();
    return [];
  }

  private get maxLineBytes(): number {
    return Math.max(MIN_LINE_LIMIT, this.limits.maxRowBytes);
  }

  private async *open(): AsyncGenerator<Buffer> {
    const file = createReadStream(this.path, { highWaterMark: CHUNK_BYTES });
    try {
      yield* (this.isPacked ? unpacked(file, this.limits.maxBytes) : file) as AsyncIterable<Buffer>;
    } catch (error) {
      throw String((error as { code?: unknown }).code).startsWith('Z_') ? new InvalidGzipError(error) : error;
    }
  }
}

/** It grows a thousandfold where somebody means it to. */
function unpacked(file: Readable, maxBytes: number): Readable {
  let bytes = 0;
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(new DecompressedTooLargeError(maxBytes));
      else done(null, chunk);
    },
  });
  // Whatever fails is told to whoever reads the last of them.
  return pipeline(file, createGunzip({ chunkSize: CHUNK_BYTES }), bounded, () => undefined);
}
