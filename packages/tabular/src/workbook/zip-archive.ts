import { crc32 } from './crc32.js';

const END = 0x06054b50;
const END_64_LOCATOR = 0x07064b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const MAX_COMMENT = 65_535;
const IS_64 = 0xffffffff;
const ZIP_64_FIELD = 1;
const ENCRYPTED = 1;
const [STORED, DEFLATED] = [0, 8];
/** The longest compressed form of no bytes. */
const EMPTY_BYTES = 5;
const MIB = 1_048_576;
/** V8 has no longer texts. */
const MAX_TEXT_BYTES = 511 * MIB;

interface Entry {
  name: string;
  /** Position of the name in the directory. */
  nameAt: number;
  flags: number;
  method: number;
  crc: number;
  compressed: number;
  size: number;
  /** Position of the local header. */
  at: number;
}

/**
 * The files of a ZIP archive, by their names in any letter case: names of parts of a workbook are equal in any letter
 * case (ECMA-376, part 2). Lengths and checksums are verified.
 *
 * @throws {Error} with a problem that continues `The workbook cannot be read:`
 */
export class ZipArchive {
  private readonly entries = new Map<string, Entry>();
  private readonly view: DataView;

  /** @param maxBytes of all parts, decompressed */
  constructor(
    readonly bytes: Uint8Array<ArrayBuffer>,
    maxBytes: number,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { count, start } = this.findDirectory();
    let [at, total] = [start, 0];
    for (let read = 0; read < count; read++) {
      const entry = this.readEntry(at);
      const name = entry.name.toLowerCase();
      if (this.entries.has(name)) throw new Error(`it has the part ${entry.name} twice`);
      this.entries.set(name, entry);
      total += entry.size;
      at = entry.nameAt + this.short(at + 28) + this.short(at + 30) + this.short(at + 32);
    }
    if (total > maxBytes)
      throw new Error(`its parts have ${toMebibytes(total)} MiB, and at most ${maxBytes / MIB} are read`);
  }

  has(name: string): boolean {
    return this.entries.has(name.toLowerCase());
  }

  /** The text of a part in UTF-8. */
  async read(name: string): Promise<string> {
    const entry = this.entries.get(name.toLowerCase());
    if (!entry) throw new Error(`its part ${name} is missing`);
    if (entry.size > MAX_TEXT_BYTES)
      throw new Error(
        `its part ${name} has ${toMebibytes(entry.size)} MiB, and at most ${MAX_TEXT_BYTES / MIB} are read`,
      );
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(await this.decompress(entry));
      this.rename(entry, name);
      return text;
    } catch {
      throw new Error(`its part ${name} is damaged, or not in UTF-8`);
    }
  }

  private async decompress({ flags, method, crc, compressed, size, at }: Entry): Promise<Uint8Array> {
    const start = at + 30 + this.short(at + 26) + this.short(at + 28);
    const content = this.bytes.subarray(start, start + compressed);
    if ((flags & ENCRYPTED) !== 0 || (method !== STORED && method !== DEFLATED)) throw new Error('not supported');
    const result = method === STORED ? content : await inflate(content, size);
    if (result.length !== size || crc32(result) !== crc) throw new Error('damaged');
    return result;
  }

  /** Writes the name as others refer to the part, so that a reader that compares exactly finds it. */
  private rename({ name, nameAt, at }: Entry, wanted: string): void {
    if (name === wanted) return;
    for (const position of [nameAt, at + 30]) this.bytes.set(new TextEncoder().encode(wanted), position);
  }

  private findDirectory(): { count: number; start: number } {
    const { length } = this.bytes;
    const lowest = Math.max(0, length - END_BYTES - MAX_COMMENT);
    for (let at = length - END_BYTES; at >= lowest; at--) {
      if (this.long(at) !== END) continue;
      const [count, start] = [this.short(at + 10), this.long(at + 16)];
      if (start !== IS_64 || at < 20 || this.long(at - 20) !== END_64_LOCATOR) return { count, start };
      const end64 = this.long64(at - 12);
      return { count: this.long64(end64 + 32), start: this.long64(end64 + 48) };
    }
    throw new Error('its end is missing');
  }

  private readEntry(at: number): Entry {
    if (this.long(at) !== ENTRY) throw new Error('its table of contents is damaged');
    const nameAt = at + 46;
    const nameEnd = nameAt + this.short(at + 28);
    const entry = {
      name: new TextDecoder().decode(this.bytes.subarray(nameAt, nameEnd)),
      nameAt,
      flags: this.short(at + 8),
      method: this.short(at + 10),
      crc: this.long(at + 16),
      compressed: this.long(at + 20),
      size: this.long(at + 24),
      at: this.long(at + 42),
    };
    this.readLargeFields(entry, nameEnd, nameEnd + this.short(at + 30));
    // Other readers believe the local header if the directory has no lengths, which would exceed the limit.
    const longest = Math.max(entry.compressed, this.long(entry.at + 18));
    const hasLengths = entry.size === 0 ? longest <= EMPTY_BYTES : entry.compressed > 0;
    if (this.long(entry.at) !== LOCAL || !hasLengths) throw new Error('its table of contents is damaged');
    return entry;
  }

  /** ZIP64: fields that do not fit are in an extra field, in this order. */
  private readLargeFields(entry: Entry, start: number, end: number): void {
    for (let at = start; at + 4 <= end; at += 4 + this.short(at + 2)) {
      if (this.short(at) !== ZIP_64_FIELD) continue;
      let position = at + 4;
      for (const field of ['size', 'compressed', 'at'] as const) {
        if (entry[field] !== IS_64) continue;
        entry[field] = this.long64(position);
        position += 8;
      }
    }
  }

  private short(at: number): number {
    return this.view.getUint16(at, true);
  }

  private long(at: number): number {
    return this.view.getUint32(at, true);
  }

  private long64(at: number): number {
    return Number(this.view.getBigUint64(at, true));
  }
}

/** @throws {Error} if the content has more than `size` bytes; no more are in memory */
async function inflate(content: Uint8Array<ArrayBuffer>, size: number): Promise<Uint8Array> {
  const result = new Uint8Array(size);
  let at = 0;
  const inflated = new Blob([content]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  // Not all browsers iterate streams.
  const reader: ReadableStreamDefaultReader<Uint8Array> = inflated.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    result.set(read.value, at);
    at += read.value.length;
  }
  return result.subarray(0, at);
}

const toMebibytes = (bytes: number): number => Math.ceil(bytes / MIB);
