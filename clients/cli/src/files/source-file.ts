import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { gunzip, GzipError } from '../../../../packages/files/src/gunzip.js';
import type { RecordFitter } from '../../../../packages/tabular/src/csv-records.js';
import { findForeignFormat, isGzip, isZip } from '../../../../packages/tabular/src/foreign-formats.js';
import type { FileKind } from '../choices.js';
import { FileError, UsageError } from '../exit-codes.js';
import type { LoadFlags } from '../import/load-flags.js';
import { type Io, toAbsolute } from '../io.js';
import { emptyFile, readCsv, surveyCsv } from './csv.js';
import { describeDelimiter, detectDelimiter } from './delimiter.js';
import { detectEncoding } from './encoding.js';
import { type Layout, readFixedWidth, readLayout } from './fixed-width.js';
import { readNdjson } from './ndjson.js';
import { unreadable } from './read-file.js';
import { DroppedLines, isSapList, readSapList } from './sap-list.js';
import type { SourceRow } from './source-row.js';
import { decode, type TextBlock, toBlocks, toLines } from './text-blocks.js';

const START_BYTES = 65_536;
const END_BYTES = 1_048_576;
/** The first line of a CSV file of Excel. */
const SEPARATOR_LINE = /^sep=(.)\r?$/i;

/** The kinds with another name for people. */
const KIND_NAMES: ReadonlyMap<FileKind, string> = new Map([
  ['fixed', 'fixed width'],
  ['sap-list', 'list of SAP'],
]);

/** A file whose format was detected. It can be read several times, always as a stream. */
export class SourceFile {
  /** Bytes of the file that were read so far, for the progress. */
  bytesRead = 0;
  /** Rows that a former reading has found; 0 before. */
  knownRows = 0;
  kind: FileKind = 'csv';
  isCompressed = false;
  encoding = 'utf-8';
  delimiter = ',';
  quote = '"';
  headerRow = 1;
  /** The names of the columns, in the order of the file; of NDJSON those that were read so far. */
  header: readonly string[] = [];
  /** The line of the header in the file, once it was read; undefined if the file has none. */
  headerLine: number | undefined;
  /** Has it the rejected rows of an import, whose first columns have the errors? */
  isRejectedFile = false;
  /** What the last reading has left out of a list of SAP. */
  readonly droppedLines = new DroppedLines();
  /** Of CSV. */
  private fitter: RecordFitter | undefined;
  /** How the format was detected, for people. */
  readonly evidence: string[] = [];

  private constructor(
    readonly path: string,
    /** The name that people gave; `-` is standard input. */
    readonly name: string,
    readonly size: number,
    readonly modifiedAt: number,
    private readonly flags: LoadFlags,
    readonly layout: Layout | undefined,
    private readonly temporary: string | undefined,
  ) {}

  /** @throws {UsageError} if the format is foreign or not certain */
  static async open(name: string, flags: LoadFlags, io: Io): Promise<SourceFile> {
    const layout = flags.layout === undefined ? undefined : await readLayout(flags.layout, io);
    const named = toAbsolute(name, io);
    const input = name === '-' ? io.stdin : await openPipe(name, named);
    const temporary = input && (await store(input));
    const path = temporary ?? named;
    const { size, mtimeMs } = await stat(path);
    const file = new SourceFile(path, name, size, mtimeMs, flags, layout, temporary);
    try {
      await file.detect();
      return file;
    } catch (error) {
      await file.close();
      throw toFileError(error, file.label);
    }
  }

  /** The name for messages. */
  get label(): string {
    return this.name === '-' ? 'standard input' : this.name;
  }

  /** Do commas separate the cells? */
  get isCommaSeparated(): boolean {
    return this.kind === 'csv' && this.delimiter === ',';
  }

  /** The bytes of the file as they are. */
  raw(): Readable {
    const stream = createReadStream(this.path, { highWaterMark: 262_144 });
    this.bytesRead = 0;
    stream.on('data', (chunk) => (this.bytesRead += chunk.length));
    // The consumer starts the stream.
    stream.pause();
    return stream;
  }

  /** The rows, in blocks and in order. A new call reads the file again. */
  async *blocks(): AsyncGenerator<SourceRow[], void> {
    try {
      yield* this.readBlocks();
    } catch (error) {
      throw toFileError(error, this.label);
    }
  }

  async *rows(): AsyncGenerator<SourceRow, void> {
    for await (const block of this.blocks()) yield* block;
  }

  /** Reads the header of a file that has one. */
  async readHeader(): Promise<readonly string[]> {
    for await (const block of this.blocks()) if (block.length > 0) break;
    return this.header;
  }

  async close(): Promise<void> {
    if (this.temporary) await rm(join(this.temporary, '..'), { recursive: true, force: true });
  }

  describe(): string {
    const details: string[] = [KIND_NAMES.get(this.kind) ?? this.kind];
    if (this.isCompressed) details.push('gzip');
    if (this.kind !== 'xlsx') details.push(this.encoding);
    if (this.kind === 'csv') details.push(`delimiter ${describeDelimiter(this.delimiter)}`);
    return `${this.name === '-' ? 'standard input' : basename(this.name)} (${details.join(', ')})`;
  }

  private async detect(): Promise<void> {
    const { format, headerRow, encoding = this.layout?.encoding } = this.flags;
    this.isCompressed = isGzip(await this.readAt(0, 2));
    const start = await this.readStart();
    const end = this.isCompressed ? start : await this.readAt(Math.max(0, this.size - END_BYTES), END_BYTES);
    const foreign = findForeignFormat(start, end);
    if (foreign !== undefined) throw new FileError(`${this.label} ${foreign}`);
    if (isZip(start) || format === 'xlsx') {
      this.kind = 'xlsx';
      this.headerRow = headerRow ?? 1;
      if (this.isCompressed) throw new UsageError(`${this.label} is a compressed workbook. Decompress it.`);
      return;
    }
    if (encoding === undefined) {
      const detected = await detectEncoding(this.bytes());
      this.encoding = detected.encoding;
      this.evidence.push(`encoding ${detected.encoding}: ${detected.evidence}`);
    } else this.encoding = encoding;
    await this.detectText();
  }

  private async detectText(): Promise<void> {
    const { format, headerRow, quote } = this.flags;
    const lines: string[] = [];
    for await (const { text } of toLines(this.text())) if (lines.push(text) === 100) break;
    this.kind = format ?? (this.layout ? 'fixed' : this.detectKind(lines));
    if (this.kind === 'fixed' && !this.layout) throw new UsageError('A file with fixed widths needs --layout.');
    if (this.kind !== 'csv') return;
    this.quote = quote === 'none' ? '' : (quote ?? '"');
    const [, separator] = SEPARATOR_LINE.exec(lines[0] ?? '') ?? [];
    this.headerRow = headerRow ?? (separator === undefined ? 1 : 2);
    await this.chooseDelimiter(separator);
  }

  private async chooseDelimiter(separator: string | undefined): Promise<void> {
    const { delimiter } = this.flags;
    if (delimiter !== undefined) this.delimiter = delimiter === 'tab' ? '\t' : delimiter;
    else if (separator !== undefined) this.delimiter = separator;
    else {
      const detected = await detectDelimiter(this.text(), this);
      this.delimiter = detected.delimiter;
      this.evidence.push(`delimiter ${describeDelimiter(detected.delimiter)}: ${detected.evidence}`);
    }
  }

  private detectKind(lines: readonly string[]): FileKind {
    const name = this.name.toLowerCase().replace(/\.gz$/, '');
    const first = lines.find((line) => line.trim() !== '')?.trim() ?? '';
    if (first === '') throw emptyFile(1);
    if (first.startsWith('[') && (/\.(json|ndjson|jsonl)$/.test(name) || /^\[\s*(\{|$)/.test(first)))
      throw new FileError(`${this.label} is a JSON array. Write one JSON object per line (NDJSON).`);
    if (/\.(ndjson|jsonl|json)$/.test(name)) return 'ndjson';
    // A cell of CSV may contain lines within frames.
    if (/\.[ct]sv$/.test(name)) return 'csv';
    if (isSapList(lines)) {
      this.evidence.push('list of SAP: its frames, or a title above lines with tabs');
      return 'sap-list';
    }
    return first.startsWith('{') ? 'ndjson' : 'csv';
  }

  private async *readBlocks(): AsyncGenerator<SourceRow[], void> {
    const takeHeader = (header: readonly string[], line?: number): void => {
      this.header = header;
      this.headerLine = line;
    };
    if (this.kind === 'xlsx') {
      const { readWorkbook } = await import('./excel.js');
      yield* readWorkbook(this.path, { sheet: this.flags.sheet, headerRow: this.headerRow }, (header, sheet) => {
        takeHeader(header, this.headerRow);
        if (!this.evidence.length) this.evidence.push(`sheet "${sheet}", header in row ${this.headerRow}`);
        this.bytesRead = this.size;
      });
    } else if (this.kind === 'fixed') {
      takeHeader(this.layout!.fields.map(({ name }) => name));
      yield* readFixedWidth(toLines(this.text()), this.layout!);
    } else if (this.kind === 'sap-list') yield* readSapList(toLines(this.text()), takeHeader, this.droppedLines);
    else if (this.kind === 'ndjson') yield* readNdjson(toLines(this.text()), () => this.markRejectedFile());
    else {
      this.fitter ??= await surveyCsv(this.text(), this);
      yield* readCsv(this.text(), this, this.fitter, (header, line, isRejectedFile) => {
        takeHeader(header, line);
        if (isRejectedFile) this.markRejectedFile();
      });
    }
  }

  private markRejectedFile(): void {
    if (!this.isRejectedFile)
      this.evidence.push('rejected rows of an import: line, code, column and message are ignored');
    this.isRejectedFile = true;
  }

  /** Whole lines of the decompressed and decoded text. */
  private text(): AsyncGenerator<TextBlock, void> {
    return toBlocks(decode(this.bytes(), this.encoding));
  }

  /** The decompressed bytes. */
  private bytes(): AsyncIterable<Buffer> {
    return this.isCompressed ? gunzip(this.raw()) : this.raw();
  }

  /** The first decompressed bytes. */
  private async readStart(): Promise<Buffer> {
    let start: Buffer = Buffer.alloc(0);
    for await (const chunk of this.bytes()) {
      start = Buffer.concat([start, chunk]);
      if (start.length >= START_BYTES) break;
    }
    return start.subarray(0, START_BYTES);
  }

  private readAt(start: number, length: number): Promise<Buffer> {
    return buffer(createReadStream(this.path, { start, end: start + length - 1 }));
  }
}

/** Errors of gzip do not name the file. */
function toFileError(error: unknown, name: string): Error {
  return error instanceof GzipError
    ? new UsageError(`The gzip file ${name} is truncated or corrupt. Transfer or compress it again.`)
    : (error as Error);
}

/** @returns undefined for a file that can be read several times @throws {UsageError} */
async function openPipe(name: string, path: string): Promise<Readable | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw unreadable(`The file ${name}`);
  if (found.isDirectory()) throw new UsageError(`${name} is a folder. For its files, write a pattern such as '*.csv'.`);
  return found.isFile() ? undefined : createReadStream(path);
}

/**
 * Standard input and pipes are stored in a temporary file: they are read several times, to detect the format and to
 * import.
 */
async function store(input: Readable): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'atrium-input-')), 'input');
  await pipeline(input, createWriteStream(path, { mode: 0o600 }));
  return path;
}
