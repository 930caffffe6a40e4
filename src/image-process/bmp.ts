/**
 * Uncompressed pixels; 3 is the layout of 32 bits per pixel with masks, of which only the usual order of colors is
 * read.
 */
const UNCOMPRESSED = 0;
const BITFIELDS = 3;

/** Masks of red, green and blue in the usual order of colors. */
const USUAL_MASKS = [0x00ff0000, 0x0000ff00, 0x000000ff];

const FILE_HEADER_BYTES = 14;
/** The header of OS/2 has 16-bit sizes and 3 bytes per color of the palette. */
const OS2_HEADER_BYTES = 12;

/** The height is a signed 32-bit integer. Its least value, -2^31, has no positive counterpart. */
const MAX_HEIGHT = 2 ** 31 - 1;

interface BmpHeader {
  width: number;
  height: number;
  /** Otherwise the first row is the lowest. */
  isTopDown: boolean;
  bitsPerPixel: number;
  compression: number;
  pixelsAt: number;
  paletteAt: number;
  bytesPerColor: number;
}

export function isBmp(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 2) === 'BM';
}

/** @throws {Error} if the header is truncated, or the BMP has no pixels or too many rows. */
export function readBmpSize(bytes: Buffer): { width: number; height: number } {
  const { width, height } = readHeader(bytes);
  return { width, height };
}

/**
 * Decodes a BMP, which libvips does not read, to rows of red, green and blue.
 *
 * @param side length, in pixels, that the longer side of the result has at least, if the image has it. Of larger images
 *   only every nth pixel of every nth row is decoded, which limits the time and the memory.
 * @throws {Error} if the pixels are compressed or incomplete.
 */
export function readBmpPixels(bytes: Buffer, side: number): { data: Buffer; width: number; height: number } {
  const header = readHeader(bytes);
  const { isTopDown, bitsPerPixel, pixelsAt } = header;
  requireReadable(bytes, header);
  const rowBytes = Math.ceil((header.width * bitsPerPixel) / 32) * 4;
  if (pixelsAt + rowBytes * header.height > bytes.length) throw new Error('The pixels of the BMP are incomplete');
  const step = Math.max(1, Math.floor(Math.max(header.width, header.height) / side));
  const width = Math.ceil(header.width / step);
  const height = Math.ceil(header.height / step);
  const data = Buffer.alloc(width * height * 3);
  for (let line = 0, to = 0; line < height; line++) {
    const y = line * step;
    const row = pixelsAt + rowBytes * (isTopDown ? y : header.height - 1 - y);
    for (let x = 0; x < header.width; x += step, to += 3) {
      const from = bitsPerPixel >= 24 ? row + (x * bitsPerPixel) / 8 : findColor(bytes, header, row, x);
      data[to] = bytes[from + 2]!;
      data[to + 1] = bytes[from + 1]!;
      data[to + 2] = bytes[from]!;
    }
  }
  return { data, width, height };
}

/** @returns the position of a pixel's color in the palette. */
function findColor(
  bytes: Buffer,
  { bitsPerPixel, paletteAt, bytesPerColor }: BmpHeader,
  row: number,
  x: number,
): number {
  const bit = x * bitsPerPixel;
  const shift = 8 - bitsPerPixel - (bit & 7);
  const index = (bytes[row + (bit >> 3)]! >> shift) & ((1 << bitsPerPixel) - 1);
  return paletteAt + index * bytesPerColor;
}

function requireReadable(bytes: Buffer, { bitsPerPixel, compression }: BmpHeader): void {
  const masks = [54, 58, 62];
  const isUsual = masks.every((position, index) => bytes.readUInt32LE(position) === USUAL_MASKS[index]);
  const isReadable =
    compression === UNCOMPRESSED
      ? [1, 4, 8, 24, 32].includes(bitsPerPixel)
      : compression === BITFIELDS && bitsPerPixel === 32 && isUsual;
  if (!isReadable) throw new Error(`BMP with compression ${compression} and ${bitsPerPixel} bits per pixel`);
}

/** @throws {Error} if the BMP has no pixels, or too many rows. */
function readHeader(bytes: Buffer): BmpHeader {
  const header = parseHeader(bytes);
  if (header.width < 1 || header.height < 1) throw new Error('The BMP has no pixels');
  if (header.height > MAX_HEIGHT) throw new Error('The BMP has too many rows');
  return header;
}

function parseHeader(bytes: Buffer): BmpHeader {
  const headerBytes = bytes.readUInt32LE(FILE_HEADER_BYTES);
  const common = { pixelsAt: bytes.readUInt32LE(10), paletteAt: FILE_HEADER_BYTES + headerBytes };
  if (headerBytes === OS2_HEADER_BYTES) {
    return {
      ...common,
      width: bytes.readUInt16LE(18),
      height: bytes.readUInt16LE(20),
      isTopDown: false,
      bitsPerPixel: bytes.readUInt16LE(24),
      compression: UNCOMPRESSED,
      bytesPerColor: 3,
    };
  }
  const height = bytes.readInt32LE(22);
  return {
    ...common,
    width: bytes.readInt32LE(18),
    height: Math.abs(height),
    isTopDown: height < 0,
    bitsPerPixel: bytes.readUInt16LE(28),
    compression: bytes.readUInt32LE(30),
    bytesPerColor: 4,
  };
}
