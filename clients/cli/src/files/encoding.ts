import { isAscii, isUtf8 } from 'node:buffer';
import { FileError, UsageError } from '../exit-codes.js';

/**
 * Encodings of Latin scripts that users and spreadsheets save. A character that all of them read equally is certain.
 */
const SINGLE_BYTE = ['windows-1252', 'windows-1250', 'windows-1254', 'windows-1257', 'iso-8859-15'];
/** Encodings whose readings a message shows. */
const EXAMPLES = [...SINGLE_BYTE, 'windows-1251', 'cp850'];
/** Byte order marks of UTF-32. */
const UTF_32 = [
  [0xff, 0xfe, 0, 0],
  [0, 0, 0xfe, 0xff],
];
/** Letters of other scripts that the encodings above read as Latin letters occur in longer runs. */
const MAX_LETTERS_IN_SEQUENCE = 2;

interface DetectedEncoding {
  encoding: string;
  /** What proves the encoding. */
  evidence: string;
}

/** A line that contains bytes above 127. */
interface Line {
  number: number;
  bytes: Buffer;
}

/**
 * Detects the encoding by all bytes of a file: a byte order mark, zero bytes (UTF-16), valid UTF-8, or characters that
 * all common encodings read equally.
 *
 * @throws {UsageError} if bytes have several readings
 */
export async function detectEncoding(bytes: AsyncIterable<Buffer>): Promise<DetectedEncoding> {
  const scan = new ByteScan();
  for await (const chunk of bytes) {
    scan.add(chunk);
    if (scan.wide) return scan.wide;
  }
  scan.end();
  const { valid, invalid } = scan;
  if (!invalid) return { encoding: 'utf-8', evidence: valid ? `characters such as in line ${valid.number}` : 'ASCII' };
  if (valid)
    throw new FileError(
      `Line ${invalid.number} is not valid UTF-8, but line ${valid.number} is: the file mixes encodings, or its bytes are damaged. ` +
        'Export it again, or set --encoding if all lines have another encoding.',
    );
  if (scan.isCertain) return { encoding: 'windows-1252', evidence: `characters such as in line ${invalid.number}` };
  const { default: iconv } = await import('iconv-lite');
  const part = takeExample(invalid);
  const readings = EXAMPLES.map(
    (encoding) => `--encoding ${encoding} reads ${JSON.stringify(iconv.decode(part, encoding).trim())}`,
  );
  throw new UsageError(
    `The encoding is not certain: line ${invalid.number} is not UTF-8, and has several readings. Nothing was stored. Choose one:\n  ${readings.join('\n  ')}`,
  );
}

class ByteScan {
  /** UTF-16, by the first bytes. */
  wide: DetectedEncoding | undefined;
  /** The first lines with valid and with invalid UTF-8. */
  valid: Line | undefined;
  invalid: Line | undefined;
  /** Do all encodings read all lines equally? */
  isCertain = true;
  private readonly decoders = SINGLE_BYTE.map((encoding) => new TextDecoder(encoding));
  private rest: Buffer = Buffer.alloc(0);
  private line = 1;
  private isFirst = true;

  add(chunk: Buffer): void {
    if (this.isFirst) this.wide = detectWide(chunk);
    this.isFirst = false;
    const end = chunk.lastIndexOf(0x0a) + 1;
    if (end === 0) {
      this.rest = Buffer.concat([this.rest, chunk]);
      return;
    }
    this.addLines(Buffer.concat([this.rest, chunk.subarray(0, end)]));
    this.rest = chunk.subarray(end);
  }

  end(): void {
    this.addLines(this.rest);
  }

  private addLines(lines: Buffer): void {
    const isText = isUtf8(lines);
    // Lines are examined one by one only if they decide.
    const isKnown = isText && (this.valid !== undefined || isAscii(lines));
    for (let from = 0; from < lines.length; this.line++) {
      const newline = lines.indexOf(0x0a, from);
      const end = newline < 0 ? lines.length : newline + 1;
      if (!isKnown) this.addLine({ number: this.line, bytes: lines.subarray(from, end) });
      from = end;
    }
  }

  private addLine(line: Line): void {
    if (isAscii(line.bytes)) return;
    if (isUtf8(line.bytes)) {
      this.valid ??= line;
      return;
    }
    this.invalid ??= line;
    const [first, ...others] = this.decoders.map((decoder) => decoder.decode(line.bytes));
    this.isCertain &&=
      others.every((text) => text === first) &&
      !new RegExp(`[^\\x00-\\x7f]{${MAX_LETTERS_IN_SEQUENCE + 1}}|[\\x80-\\x9f]`).test(first!);
  }
}

/** A byte order mark, or zero bytes as in UTF-16. @throws {UsageError} for UTF-32 */
function detectWide(bytes: Buffer): DetectedEncoding | undefined {
  if (UTF_32.some((mark) => mark.every((byte, at) => bytes[at] === byte)))
    throw new FileError('The file is UTF-32, which is not read. Save it as UTF-8.');
  const mark = { evidence: 'a byte order mark' };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf-16le', ...mark };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf-16be', ...mark };
  const sample = bytes.subarray(0, 1_000);
  const countZeros = (first: 0 | 1): number => sample.filter((byte, at) => byte === 0 && at % 2 === first).length;
  const zeros = { evidence: 'zero bytes' };
  if (countZeros(1) > sample.length * 0.35) return { encoding: 'utf-16le', ...zeros };
  return countZeros(0) > sample.length * 0.35 ? { encoding: 'utf-16be', ...zeros } : undefined;
}

/** The part of a line around its first character above 127. */
function takeExample({ bytes }: Line): Buffer {
  const at = bytes.findIndex((byte) => byte >= 0x80);
  return bytes.subarray(Math.max(0, at - 10), at + 20);
}
