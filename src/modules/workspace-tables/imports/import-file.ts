import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { DomainError } from '../../../../packages/errors/src/domain-error.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';
import { gunzip, GzipError } from '../../../../packages/files/src/gunzip.js';
import type { RecordFitter } from '../../../../packages/tabular/src/csv-records.js';
import { adaptCoercion } from '../../../../packages/tabular/src/dialect.js';
import { countLineEnds } from '../../../../packages/tabular/src/lines.js';
import type { Config } from '../../../platform/config/config.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import type { RowReaderOptions } from '../../../../packages/tables/src/sources/row-reader.js';
import type { FileRows, FileTable, RowBlock } from '../../../../packages/tables/src/sources/staging-row-source.js';
import { CsvRows } from './csv-rows.js';
import { type FileFormat, findMappedColumns } from './import-options.js';
import { IMPORT_ERRORS, MalformedImportError } from './imports.errors.js';
import { type LineBlock, readLineBlocks, type RowParser } from './line-blocks.js';
import { NdjsonRows } from './ndjson-rows.js';

export const MEDIA_TYPES = ['application/x-ndjson', 'text/csv'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

/** Bytes per read. 256 KiB are not faster, and leave twice as much garbage. */
const CHUNK_BYTES = 64 * 1024;

/** The lowest limit of a line, in bytes. Lines inside of one read are not measured, so it exceeds `CHUNK_BYTES`. */
const MIN_LINE_LIMIT = 1024 * 1024;

/** A temporary file, or a part of one. */
export interface FileContent {
  path: string;
  start?: number;
  /** The position after the last byte. */
  end?: number;
}

/** How a file is read, according to its headers and the parameters of the request. */
export interface FileType {
  mediaType: MediaType;
  isCompressed: boolean;
  format: FileFormat;
}

/** The temporary file of an import. Each call reads it again. */
export class ImportFile {
  /** Of CSV. */
  private fitter?: RecordFitter;

  constructor(
    private readonly content: FileContent,
    private readonly type: FileType,
    private readonly config: Config,
    /** Of a line, in bytes. */
    private readonly maxLineBytes = Math.max(MIN_LINE_LIMIT, config.tables.rowMaxBytes),
  ) {}

  /** The rows as the table receives them. @throws {DomainError} if they do not match the table. */
  async open(table: FileTable): Promise<FileRows> {
    const columns = await this.findColumns(table);
    return { columns, readerOptions: this.toReaderOptions(table), blocks: this.readRows(table) };
  }

  /** How the rows are read. @throws {InvalidQueryError} if a name is mapped to a column that does not exist. */
  toReaderOptions(table: FileTable): RowReaderOptions {
    const { mediaType, format } = this.type;
    const { ignoresUnknown, onDuplicate, values } = format;
    // The header of CSV is mapped when it is read.
    const columnKeys = mediaType === 'text/csv' ? undefined : findMappedColumns(format, table);
    return {
      ignoresUnknown,
      onDuplicate,
      columnKeys,
      adapt: ({ type }, coerce) => adaptCoercion(values, type, coerce),
    };
  }

  /** The columns of the table that the rows may send, without the primary key. @throws {InvalidHeaderError} */
  private async findColumns(table: FileTable): Promise<CatalogColumn[]> {
    const sent = this.type.mediaType === 'text/csv' ? await this.readHeader(table) : table.columns;
    return sent.filter(({ primaryKey }) => !primaryKey);
  }

  /** The rows, in blocks. @throws {DomainError} if the content does not match the media type or encoding. */
  async *readRows(table: FileTable): AsyncGenerator<RowBlock> {
    const { mediaType, format } = this.type;
    const isCsv = mediaType === 'text/csv';
    if (isCsv && !this.fitter) await this.readHeader(table);
    const parser: RowParser = isCsv ? new CsvRows(table, this.maxLineBytes, format, this.fitter) : new NdjsonRows();
    for await (const block of this.readLines())
      yield (take) => {
        parser.parse(block, take);
      };
    parser.end?.();
  }

  /** Reads the header, and the rows until it is certain which of them fit: most files have such a row first. */
  private async readHeader(table: FileTable): Promise<readonly CatalogColumn[]> {
    const rows = new CsvRows(table, this.maxLineBytes, this.type.format);
    for await (const block of this.readLines()) {
      const fitter = rows.survey(block);
      this.fitter ??= fitter;
      if (this.fitter && rows.columns) return rows.columns;
    }
    this.fitter ??= rows.end();
    return rows.columns!;
  }

  private readLines(): AsyncGenerator<LineBlock> {
    return readLineBlocks(this.readBytes(), this.maxLineBytes);
  }

  private async *readBytes(): AsyncGenerator<Buffer> {
    if (this.content.start !== undefined && this.content.start === this.content.end) return;
    const file = createReadStream(this.content.path, { ...toRange(this.content), highWaterMark: CHUNK_BYTES });
    const { isCompressed, format } = this.type;
    try {
      const bytes: AsyncIterable<Buffer> = isCompressed ? decompress(file, this.config.imports.maxBytes) : file;
      yield* format.charset === undefined ? bytes : transcode(bytes, format.charset);
    } catch (error) {
      if (!(error instanceof GzipError)) throw error;
      const message = 'The gzip stream is truncated or corrupt; nothing was stored. Compress the file again.';
      throw new DomainError(IMPORT_ERRORS.malformed_import, message, { cause: error });
    }
  }
}

/** The range of bytes for Node.js, which includes the last byte, so a range has at least one byte. */
function toRange({ start, end }: FileContent): { start?: number; end?: number } {
  return end === undefined ? {} : { start, end: end - 1 };
}

/** Limits the output: a malicious gzip file grows by a factor of 1,000. */
async function* decompress(file: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of gunzip(file)) {
    bytes += chunk.length;
    const message = `The decompressed file exceeds the limit of ${maxBytes} bytes; nothing was stored. Split it.`;
    if (bytes > maxBytes) throw new DomainError(HTTP_ERRORS.too_large, message, { details: { limit: maxBytes } });
    yield chunk;
  }
}

/** Converts bytes to UTF-8. @throws {MalformedImportError} */
async function* transcode(bytes: AsyncIterable<Buffer>, charset: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(charset, { fatal: true });
  let line = 1;
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new MalformedImportError(line, `or one of the next lines is not valid ${decoder.encoding}.`);
    }
  };
  for await (const chunk of bytes) {
    const text = decode(chunk);
    yield Buffer.from(text);
    line += countLineEnds(text);
  }
  const rest = decode();
  if (rest !== '') yield Buffer.from(rest);
}
