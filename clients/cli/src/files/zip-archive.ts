import { crc32, inflateRawSync } from 'node:zlib';

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

  constructor(readonly bytes: Buffer) {
    const { count, start } = this.findDirectory();
    let at = start;
    for (let read = 0; read < count; read++) {
      const entry = this.readEntry(at);
      const name = entry.name.toLowerCase();
      if (this.entries.has(name)) throw new Error(`it has the part ${entry.name} twice`);
      this.entries.set(name, entry);
      at = entry.nameAt + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    }
  }

  has(name: string): boolean {
    return this.entries.has(name.toLowerCase());
  }

  /** The text of a part in UTF-8. */
  read(name: string): string {
    const entry = this.entries.get(name.toLowerCase());
    if (!entry) throw new Error(`its part ${name} is missing`);
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(this.decompress(entry));
      this.rename(entry, name);
      return text;
    } catch {
      throw new Error(`its part ${name} is damaged, or not in UTF-8`);
    }
  }

  private decompress({ flags, method, crc, compressed, size, at }: Entry): Buffer {
    const start = at + 30 + this.bytes.readUInt16LE(at + 26) + this.bytes.readUInt16LE(at + 28);
    const content = this.bytes.subarray(start, start + compressed);
    if ((flags & ENCRYPTED) !== 0 || (method !== STORED && method !== DEFLATED)) throw new Error('not supported');
    const result = method === STORED ? content : inflateRawSync(content, { maxOutputLength: Math.max(1, size) });
    if (result.length !== size || crc32(result) !== crc) throw new Error('damaged');
    return result;
  }

  /** Writes the name as others refer to the part, so that a reader that compares exactly finds it. */
  private rename({ name, nameAt, at }: Entry, wanted: string): void {
    if (name === wanted) return;
    for (const position of [nameAt, at + 30]) this.bytes.write(wanted, position);
  }

  private findDirectory(): { count: number; start: number } {
    const { bytes } = this;
    const lowest = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT);
    for (let at = bytes.length - END_BYTES; at >= lowest; at--) {
      if (bytes.readUInt32LE(at) !== END) continue;
      const [count, start] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 16)];
      if (start !== IS_64 || at < 20 || bytes.readUInt32LE(at - 20) !== END_64_LOCATOR) return { count, start };
      const end64 = Number(bytes.readBigUInt64LE(at - 12));
      const [count64, start64] = [bytes.readBigUInt64LE(end64 + 32), bytes.readBigUInt64LE(end64 + 48)];
      return { count: Number(count64), start: Number(start64) };
    }
    throw new Error('its end is missing');
  }

  private readEntry(at: number): Entry {
    const { bytes } = this;
    if (bytes.readUInt32LE(at) !== ENTRY) throw new Error('its table of contents is damaged');
    const nameAt = at + 46;
    const nameEnd = nameAt + bytes.readUInt16LE(at + 28);
    const entry = {
      name: bytes.toString('utf8', nameAt, nameEnd),
      nameAt,
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      compressed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      at: bytes.readUInt32LE(at + 42),
    };
    this.readLargeFields(entry, nameEnd, nameEnd + bytes.readUInt16LE(at + 30));
    if (bytes.readUInt32LE(entry.at) !== LOCAL) throw new Error('its table of contents is damaged');
    return entry;
  }

  /** ZIP64: fields that do not fit are in an extra field, in this order. */
  private readLargeFields(entry: Entry, start: number, end: number): void {
    for (let at = start; at + 4 <= end; at += 4 + this.bytes.readUInt16LE(at + 2)) {
      if (this.bytes.readUInt16LE(at) !== ZIP_64_FIELD) continue;
      let position = at + 4;
      for (const field of ['size', 'compressed', 'at'] as const) {
        if (entry[field] !== IS_64) continue;
        entry[field] = Number(this.bytes.readBigUInt64LE(position));
        position += 8;
      }
    }
  }
}
