import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import type { RowError } from '../../../../packages/tables/src/sources/row-errors.js';
import { RowReader } from '../../../../packages/tables/src/sources/row-reader.js';
import { guardFormula, toCsvCell } from '../../../../packages/tabular/src/csv-text.js';
import type {
  FileTable,
  RowRange,
  StagingRowSource,
} from '../../../../packages/tables/src/sources/staging-row-source.js';
import { toTableError } from '../../../../packages/tables/src/writer/table-plan.js';
import type { ImportFile } from './import-file.js';
import { ImportRecordsRepository } from './import-records.repository.js';
import type { ImportKey } from './table-import.entity.js';
import { parseStoredJson } from '../../../../packages/sql/src/stored-json.js';

/** Characters of a part before it is compressed. */
const PART_LENGTH = 256 * 1024;

/** The fields of an error, as columns of CSV. */
const FIELDS = ['type', 'table', 'index', 'line', 'key', 'column', 'code', 'message', 'sent'] as const;

/** A file of an import whose rows have errors. */
export interface RejectedFile {
  table: FileTable;
  file: ImportFile;
  /** A temporary file with the errors that depend on other rows, one per line and in row order. */
  rejections: string | undefined;
  /** Where the rows are that are invalid whatever is stored; undefined if not all rows were read. */
  invalidRanges: readonly RowRange[] | undefined;
}

/** All errors of imports, with the rejected rows as they were sent. */
@Injectable()
export class ErrorLog {
  constructor(
    private readonly records: ImportRecordsRepository,
    private readonly config: Config,
  ) {}

  /** Reads the files again, since the rejected rows are not in the memory, and stores their errors. */
  async write(key: ImportKey, files: readonly RejectedFile[]): Promise<void> {
    let lines: string[] = [];
    let length = 0;
    let position = 0;
    const flush = async () => {
      if (lines.length > 0) await this.records.appendErrors(key, position++, gzipSync(lines.join('')));
      lines = [];
      length = 0;
    };
    for (const file of files) {
      for await (const line of this.readErrors(file)) {
        lines.push(line);
        length += line.length;
        if (length >= PART_LENGTH) await flush();
      }
    }
    await flush();
  }

  /** All errors of an import. @param format of the stream. */
  read(key: ImportKey, format: 'ndjson' | 'csv'): Readable {
    const parts = this.records.readErrors(key);
    return Readable.from(format === 'csv' ? toErrorCsv(unpack(parts)) : unpack(parts), { objectMode: false });
  }

  /** The errors in row order, as lines of JSON. */
  async *readErrors({ table, file, rejections, invalidRanges }: RejectedFile): AsyncGenerator<string> {
    const isChecked = toCheck(invalidRanges);
    const recorded = readLines(rejections);
    let next = await recorded.next();
    let index = 0;
    for await (const block of file.readRows(table)) {
      const reader = new RowReader(table.columns, this.config.tables.rowMaxBytes, file.toReaderOptions(table));
      const rows: { errors: RowError[]; index: number; sent: () => string }[] = [];
      const last = next.done ? Infinity : next.value.index;
      block((item, line, sent) => {
        if (isChecked(index)) reader.add(item, index, line);
        const errors = reader.takeErrors();
        if (errors.length > 0 || index >= last) rows.push({ errors, index, sent });
        index++;
      });
      for (const row of rows) {
        const errors = [...row.errors];
        for (; !next.done && next.value.index === row.index; next = await recorded.next()) errors.push(next.value);
        if (errors.length === 0) continue;
        const sent = row.sent();
        for (const error of errors) yield `${JSON.stringify({ ...toTableError(table, error), sent })}\n`;
      }
    }
  }
}

/** Can the row be invalid whatever is stored? To be called for each row in order. */
function toCheck(ranges: readonly RowRange[] = [{ first: 0, last: Infinity }]): (index: number) => boolean {
  let position = 0;
  return (index) => {
    while (position < ranges.length && ranges[position]!.last < index) position++;
    return position < ranges.length && ranges[position]!.first <= index;
  };
}

/**
 * The errors that depend on other rows, as lines of JSON. From Node 24 on, `readline` also ends lines at U+2028 and
 * U+2029, which JSON does not escape.
 */
export async function* readRejections(source: StagingRowSource): AsyncGenerator<Buffer> {
  if (!source.hasRejections) return;
  for await (const page of source.readRejections())
    yield Buffer.from(page.map((error) => `${escapeSeparators(JSON.stringify(error))}\n`).join(''));
}

function escapeSeparators(json: string): string {
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

async function* readLines(path: string | undefined): AsyncGenerator<RowError> {
  if (path === undefined) return;
  for await (const line of createInterface({ input: createReadStream(path) })) yield parseStoredJson(line) as RowError;
}

async function* unpack(parts: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const part of parts) yield gunzipSync(part).toString();
}

/** Converts errors from JSON lines to CSV. */
async function* toErrorCsv(parts: AsyncIterable<string>): AsyncGenerator<string> {
  yield `${FIELDS.join(',')}\r\n`;
  for await (const part of parts) {
    const errors = part.split('\n').filter((line) => line !== '');
    yield errors.map((line) => `${toRecord(parseStoredJson(line) as Record<string, unknown>)}\r\n`).join('');
  }
}

function toRecord(error: Record<string, unknown>): string {
  return FIELDS.map((field) => toCell(error[field])).join(',');
}

function toCell(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? toCsvCell(guardFormula(value)) : '';
}
