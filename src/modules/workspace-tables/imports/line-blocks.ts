import { isUtf8 } from 'node:buffer';
import { MalformedImportError, TooLongLineError } from './imports.errors.js';

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Whole lines of a file, some thousands at a time. */
export interface LineBlock {
  bytes: Buffer;
  text: string;
  /** The number of its first line, from 1. */
  line: number;
}

/**
 * The lines of a stream, with as much of it in memory as a chunk or a line has.
 *
 * @throws {MalformedImportError | TooLongLineError} naming the line.
 */
export async function* lineBlocks(source: AsyncIterable<Buffer>, maxLineBytes: number): AsyncGenerator<LineBlock> {
  let line = 1;
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for await (const chunk of source) {
    const first = chunk.indexOf(NEWLINE);
    if (begunBytes + (first < 0 ? chunk.length : first) > maxLineBytes) throw new TooLongLineError(line, maxLineBytes);
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const bytes = Buffer.concat([...begun, chunk.subarray(0, end)]);
      yield blockOf(bytes, line);
      line += countLines(bytes);
      begun = [];
      begunBytes = 0;
    }
    begun.push(chunk.subarray(end));
    begunBytes += chunk.length - end;
  }
  if (begunBytes > 0) yield blockOf(Buffer.concat(begun), line);
}

function blockOf(bytes: Buffer, line: number): LineBlock {
  if (!isUtf8(bytes)) throw new MalformedImportError(line + linesBeforeFault(bytes), 'is not valid UTF-8.');
  const marked = line === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const own = marked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  return { bytes: own, text: own.toString('utf8'), line };
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

/** A newline is never part of another character, so each line is valid by itself or is not. */
function linesBeforeFault(bytes: Buffer): number {
  let lines = 0;
  for (let from = 0; ; lines++) {
    const end = bytes.indexOf(NEWLINE, from);
    if (end < 0 || !isUtf8(bytes.subarray(from, end))) return lines;
    from = end + 1;
  }
}
