import type { FileHandle } from 'node:fs/promises';

/** Bytes at the start of a file within which its type must be recognizable. */
export const HEAD_BYTES = 2_048;

/** A PDF may have other bytes before its header (ISO 32000-1, implementation note 13). */
const MAX_BYTES_BEFORE_PDF = 1_024;

/** Zero bytes that programs write between the tags and the sound of an MP3. */
const MAX_PADDING_BYTES = 65_536;

/** A movie has few boxes before the one with its data. */
const MAX_BOXES = 20;

/** A file to read parts of. */
export interface FileContent {
  head: Buffer;
  /** Bytes. */
  size: number;
  file: FileHandle;
}

/** Detects types that file-type does not know. */
export async function detectSignature(content: FileContent): Promise<string | undefined> {
  const { head, size } = content;
  const text = head.toString('latin1');
  if (text.startsWith('caff\0\x01\0\0desc')) return 'audio/x-caf';
  if (/^(RF64|BW64).{4}WAVEds64/s.test(text)) return 'audio/wav';
  if (text.startsWith('.snd') && isAuHeader(head, size)) return 'audio/basic';
  if (/^.{4}(skip|pnot|uuid)/s.test(text)) return detectMovie(content);
  if (await isPdfBehindOtherBytes(content)) return 'application/pdf';
  return (await isPaddedMp3(content)) ? 'audio/mpeg' : undefined;
}

/**
 * The type of an HEIF or AVIF by all of its brands: the major brand may be one that only names the structure (ISO/IEC
 * 23008-12).
 *
 * @returns undefined for other files, such as movies.
 */
export function detectImageBrand(head: Buffer): string | undefined {
  if (head.toString('latin1', 4, 8) !== 'ftyp') return undefined;
  const text = head.toString('latin1', 8, Math.min(head.readUInt32BE(0), head.length));
  const [major = '', , ...compatible] = text.match(/.{4}/gs) ?? [];
  const brands = [major, ...compatible];
  const has = (...names: string[]) => names.some((name) => brands.includes(name));
  if (/^(isom|iso\d|mp4\d|qt {2}|M4.*|3g.*|avc1|mmp4|dash)$/.test(major) || !has('mif1', 'mif2', 'msf1', 'miaf'))
    return undefined;
  if (has('avif', 'avis')) return 'image/avif';
  if (has('heic', 'heix', 'heim', 'heis')) return 'image/heic';
  if (has('hevc', 'hevx')) return 'image/heic-sequence';
  return 'image/heif';
}

/** Transport streams consist of packets of 188 bytes, those of cameras of 192 bytes; each contains the byte 0x47. */
export function isTransportStream(head: Buffer): boolean {
  return [
    [0, 188],
    [4, 192],
  ].some(([start, length]) => {
    for (let position = start!; position < head.length; position += length!) if (head[position] !== 0x47) return false;
    return true;
  });
}

/** The type of a stream of Dolby, of which file-type checks only two bytes (ETSI TS 102 366). */
export function detectDolby(head: Buffer): string | undefined {
  const version = head[5]! >> 3;
  if (version > 10) return version === 16 ? 'audio/eac3' : undefined;
  const isSampleRate = head[4]! >> 6 !== 3;
  return isSampleRate && (head[4]! & 0x3f) < 38 ? 'audio/ac3' : undefined;
}

function isAuHeader(head: Buffer, size: number): boolean {
  if (head.length < 24) return false;
  const [start, encoding, sampleRate, channels] = [4, 12, 16, 20].map((position) => head.readUInt32BE(position));
  return (
    start! >= 24 &&
    start! <= size &&
    encoding! >= 1 &&
    encoding! <= 27 &&
    sampleRate! > 0 &&
    channels! >= 1 &&
    channels! < 256
  );
}

/** A movie may begin with boxes of other data. */
async function detectMovie({ file, size }: FileContent): Promise<string | undefined> {
  for (let boxes = 0, position = 0; boxes < MAX_BOXES && position + 8 <= size; boxes++) {
    const { buffer } = await file.read(Buffer.alloc(12), 0, 12, position);
    const type = buffer.toString('latin1', 4, 8);
    if (type === 'ftyp') return buffer.toString('latin1', 8, 12) === 'qt  ' ? 'video/quicktime' : 'video/mp4';
    if (type === 'moov' || type === 'mdat') return 'video/quicktime';
    const length = buffer.readUInt32BE(0);
    if (length < 8 || !/^[a-zA-Z ]{4}$/.test(type)) return undefined;
    position += length;
  }
  return undefined;
}

/** A text that contains `%PDF-` is not a PDF: the end of the file is checked, too. */
async function isPdfBehindOtherBytes({ head, file, size }: FileContent): Promise<boolean> {
  const start = head.toString('latin1').search(/%PDF-\d/);
  if (start < 0 || start > MAX_BYTES_BEFORE_PDF) return false;
  const length = Math.min(1_024, size);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.includes('%%EOF');
}

/** An MP3 with zero bytes before its tags, or between its tags and its sound. */
async function isPaddedMp3({ file, size }: FileContent): Promise<boolean> {
  const read = async (position: number, length: number) =>
    (await file.read(Buffer.alloc(length), 0, length, position)).buffer;
  const skipPadding = async (position: number) => {
    const index = (await read(position, MAX_PADDING_BYTES)).findIndex((byte) => byte !== 0);
    return position + Math.max(index, 0);
  };
  const tags = await skipPadding(0);
  const header = await read(tags, 10);
  if (header.toString('latin1', 0, 3) !== 'ID3' || header[3]! > 4) return false;
  // Four groups of seven bits.
  const length = header.subarray(6).reduce((total, byte) => total * 128 + (byte & 0x7f), 0);
  const sound = await skipPadding(tags + 10 + length);
  const frame = sound < size ? frameLength(await read(sound, 4)) : 0;
  return frame > 0 && frameLength(await read(sound + frame, 4)) > 0;
}

/** Bit rates of the layer III of MPEG-1, and of MPEG-2, in kbit/s. */
const BIT_RATES = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
const SAMPLE_RATES = [44_100, 48_000, 32_000];

/** @returns bytes of a frame of an MP3; 0 if its header is not valid. */
function frameLength(header: Buffer): number {
  const [first, second, third] = header as unknown as [number, number, number];
  const version = (second >> 3) & 3;
  const isLayer3 = ((second >> 1) & 3) === 1;
  if (first !== 0xff || second < 0xe0 || version === 1 || !isLayer3) return 0;
  const isMpeg1 = version === 3;
  const bitRate = BIT_RATES[isMpeg1 ? 0 : 1]![third >> 4] ?? 0;
  const sampleRate = (SAMPLE_RATES[(third >> 2) & 3] ?? 0) / (isMpeg1 ? 1 : version === 2 ? 2 : 4);
  if (bitRate === 0 || sampleRate === 0) return 0;
  return Math.floor(((isMpeg1 ? 144_000 : 72_000) * bitRate) / sampleRate) + ((third >> 1) & 1);
}
