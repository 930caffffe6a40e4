import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { UsageError } from '../exit-codes.js';
import { detectDelimiter, detectEncoding, detectKind, detectQuote, type FileKind, isGzip } from './detect.js';
import type { Layout } from './layout.js';
import type { SourceRow } from './source-row.js';

export interface SourceOptions {
  encoding?: string | undefined;
  delimiter?: string | undefined;
  layout?: Layout | undefined;
}

const SAMPLE_BYTES = 262_144;

/** A file whose format was detected. It can be read several times, always as a stream. */
export class SourceFile {
  /** Bytes of the file that were read so far, for the progress. */
  bytesRead = 0;

  /** From the lines at the start of the file; 0 if it is compressed. */
  estimatedRows = 0;

  private constructor(
    readonly path: string,
    /** The name that people gave; `-` is standard input. */
    readonly name: string,
    readonly size: number,
    readonly modifiedAt: number,
    readonly kind: FileKind,
    readonly isCompressed: boolean,
    readonly encoding: string,
    readonly delimiter: string,
    readonly quote: '"' | "'",
    readonly layout: Layout | undefined,
    private readonly temporary: string | undefined,
  ) {}

  static async open(name: string, { encoding, delimiter, layout }: SourceOptions = {}): Promise<SourceFile> {
    const input = name === '-' ? process.stdin : await openPipe(name);
    const temporary = input && (await store(input));
    const path = temporary ?? name;
    const { size, mtimeMs } = await stat(path);
    const raw = await readStart(path);
    const isCompressed = isGzip(raw);
    const bytes = isCompressed ? await decompressStart(path, name) : raw;
    const detected = encoding ?? layout?.encoding ?? detectEncoding(bytes);
    const { default: iconv } = await import('iconv-lite');
    if (!iconv.encodingExists(detected)) throw new UsageError(`The encoding "${detected as string}" is not known.`);
    const text = iconv.decode(Buffer.from(bytes), detected);
    const kind = layout ? 'fixed' : detectKind(name, bytes, text);
    const separator = delimiter === 'tab' ? '\t' : (delimiter ?? detectDelimiter(text));
    const quote = detectQuote(text, separator);
    const file = new SourceFile(
      ...([path, name, size, mtimeMs, kind, isCompressed, detected, separator, quote, layout, temporary] as const),
    );
    const lines = text.split('\n').length - 1;
    if (!isCompressed && kind !== 'xlsx') file.estimatedRows = Math.round((size / bytes.length) * lines);
    return file;
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

  /** The text of the file, decompressed and decoded. */
  async text(): Promise<Readable> {
    const { default: iconv } = await import('iconv-lite');
    const bytes = this.raw();
    const decoded = iconv.decodeStream(this.encoding) as Duplex;
    const running = this.isCompressed ? pipeline(bytes, createGunzip(), decoded) : pipeline(bytes, decoded);
    // The reader receives the error.
    running.catch((error: unknown) => decoded.destroy(error as Error));
    return decoded;
  }

  /** The rows, in order. A new call reads the file again. */
  async *rows(): AsyncGenerator<SourceRow, void> {
    try {
      yield* this.readRows();
    } catch (error) {
      throw toFileError(error, this.name);
    }
  }

  private async *readRows(): AsyncGenerator<SourceRow, void> {
    if (this.kind === 'xlsx') {
      const { readWorkbook } = await import('./excel.js');
      yield* readWorkbook(this.path, (share) => (this.bytesRead = share * this.size));
    } else if (this.kind === 'fixed') {
      const { readFixedWidth } = await import('./fixed-width.js');
      yield* readFixedWidth(await this.text(), this.layout!);
    } else if (this.kind === 'ndjson') {
      const { readNdjson } = await import('./ndjson.js');
      yield* readNdjson(await this.text());
    } else {
      const { readCsv } = await import('./csv.js');
      yield* readCsv(await this.text(), this.delimiter, this.quote);
    }
  }

  async close(): Promise<void> {
    if (this.temporary) await rm(join(this.temporary, '..'), { recursive: true, force: true });
  }

  describe(): string {
    const details = [this.kind === 'fixed' ? 'fixed width' : this.kind];
    if (this.isCompressed) details.push('gzip');
    if (this.kind !== 'xlsx') details.push(this.encoding);
    if (this.kind === 'csv') details.push(`delimiter ${this.delimiter === '\t' ? 'tab' : this.delimiter}`);
    return `${this.name === '-' ? 'standard input' : basename(this.name)} (${details.join(', ')})`;
  }
}

/** Errors of zlib do not name the file. */
function toFileError(error: unknown, name: string): Error {
  const isCorrupt = String((error as NodeJS.ErrnoException).code).startsWith('Z_');
  return isCorrupt
    ? new UsageError(`The gzip file ${name} is truncated or corrupt. Transfer or compress it again.`)
    : (error as Error);
}

/** @returns undefined for a file that can be read several times @throws {UsageError} */
async function openPipe(name: string): Promise<Readable | undefined> {
  const found = await stat(name).catch(() => undefined);
  if (!found) throw new UsageError(`The file ${name} does not exist or cannot be read.`);
  if (found.isDirectory()) throw new UsageError(`${name} is a folder. For its files, write a pattern such as '*.csv'.`);
  return found.isFile() ? undefined : createReadStream(name);
}

/** Standard input and pipes are stored in a temporary file: it must be read twice, for the sample and for the import. */
async function store(input: Readable): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'atrium-input-')), 'input');
  await pipeline(input, createWriteStream(path, { mode: 0o600 }));
  return path;
}

async function readStart(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function decompressStart(path: string, name: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of createReadStream(path).pipe(createGunzip()) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= SAMPLE_BYTES) break;
    }
  } catch (error) {
    throw toFileError(error, name);
  }
  return Buffer.concat(chunks).subarray(0, SAMPLE_BYTES);
}
