import { createReadStream } from 'node:fs';
import { pipeline, type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import type { RowBlock } from '../engine/staging-row-source.js';
import { CsvRows } from './csv-rows.js';
import { DecompressedTooLargeError, InvalidGzipError } from './imports.errors.js';
import { type LineBlock, lineBlocks, type RowParser } from './line-blocks.js';
import { NdjsonRows } from './ndjson-rows.js';

export const MEDIA_TYPES = ['application/x-ndjson', 'text/csv'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

/** Bytes per read. 256 KiB are not faster, and leave twice as much garbage. */
const CHUNK_BYTES = 64 * 1024;

/** The lowest limit of a line: at least one read, whatever the limit of a row is. */
const MIN_LINE_LIMIT = 1024 * 1024;

export interface FileLimits {
  /** Bytes of the decompressed file. */
  maxBytes: number;
  maxRowBytes: number;
}

/** The temporary file of an import. It may be read several times. */
export class ImportFile {
  constructor(
    private readonly path: string,
    private readonly type: MediaType,
    private readonly isCompressed: boolean,
    private readonly limits: FileLimits,
  ) {}

  /** The columns of the table that its rows may send, without the primary key. @throws {InvalidHeaderError} */
  async findColumns(table: CatalogTable): Promise<CatalogColumn[]> {
    const sent = this.type === 'text/csv' ? await this.readHeader(table) : table.columns;
    return sent.filter(({ primaryKey }) => !primaryKey);
  }

  /** The rows, in blocks. @throws {DomainError} if the content does not match the media type or encoding. */
  async *read(table: CatalogTable): AsyncGenerator<RowBlock> {
    const parser: RowParser = this.type === 'text/csv' ? new CsvRows(table, this.maxLineBytes) : new NdjsonRows();
    for await (const block of this.readBlocks())
      yield (take) => {
        parser.parse(block, take);
      };
    parser.end();
  }

  private async readHeader(table: CatalogTable): Promise<readonly CatalogColumn[]> {
    const rows = new CsvRows(table, this.maxLineBytes);
    for await (const block of this.readBlocks()) {
      rows.parse(block, () => undefined);
      if (rows.columns) return rows.columns;
    }
    rows.end();
    return [];
  }

  private readBlocks(): AsyncGenerator<LineBlock> {
    return lineBlocks(this.open(), this.maxLineBytes);
  }

  private get maxLineBytes(): number {
    return Math.max(MIN_LINE_LIMIT, this.limits.maxRowBytes);
  }

  private async *open(): AsyncGenerator<Buffer> {
    const file = createReadStream(this.path, { highWaterMark: CHUNK_BYTES });
    try {
      yield* (this.isCompressed ? decompress(file, this.limits.maxBytes) : file) as AsyncIterable<Buffer>;
    } catch (error) {
      throw String((error as { code?: unknown }).code).startsWith('Z_') ? new InvalidGzipError(error) : error;
    }
  }
}

/** Limits the output: a malicious gzip file grows by a factor of 1,000. */
function decompress(file: Readable, maxBytes: number): Readable {
  let bytes = 0;
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(new DecompressedTooLargeError(maxBytes));
      else done(null, chunk);
    },
  });
  // The reader of the last stream receives the error of any of them.
  return pipeline(file, createGunzip({ chunkSize: CHUNK_BYTES }), bounded, () => undefined);
}
