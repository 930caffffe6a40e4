import { isUtf8 } from 'node:buffer';
import { countLineEnds, splitLines } from '../../../../packages/tabular/src/lines.js';
import type { TakeRow } from '../../../../packages/tables/src/sources/staging-row-source.js';
import { LineTooLongError, MalformedImportError } from './imports.errors.js';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Whole lines of a file, some thousands at a time. */
export interface LineBlock {
  bytes: Buffer;
  text: string;
  /** The number of its first line, from 1. */
  line: number;
}

/** Turns blocks of lines into items. */
export interface RowParser {
  /** @throws {DomainError} naming the line, if the rest cannot be read either. */
  parse(block: LineBlock, take: TakeRow): void;
  /** Called after the last block. @throws {DomainError} if the file is incomplete. */
  end?(): void;
}

/**
 * The lines of a stream. Memory: one chunk or one line, whichever is larger.
 *
 * @throws {MalformedImportError | LineTooLongError} naming the line.
 */
export async function* readLineBlocks(source: AsyncIterable<Buffer>, maxLineBytes: number): AsyncGenerator<LineBlock> {
  let line = 1;
  let incomplete: Buffer[] = [];
  let incompleteBytes = 0;
  for await (const chunk of source) {
    const first = chunk.findIndex((byte) => byte === NEWLINE || byte === RETURN);
    if (incompleteBytes + (first < 0 ? chunk.length : first) > maxLineBytes)
      throw new LineTooLongError(line, maxLineBytes);
    // A final CR may be the first half of CRLF.
    const end = Math.max(chunk.lastIndexOf(NEWLINE), chunk.lastIndexOf(RETURN, -2)) + 1;
    if (end > 0) {
      const block = toBlock(Buffer.concat([...incomplete, chunk.subarray(0, end)]), line);
      yield block;
      line += countLineEnds(block.text);
      incomplete = [];
      incompleteBytes = 0;
    }
    incomplete.push(chunk.subarray(end));
    incompleteBytes += chunk.length - end;
  }
  if (incompleteBytes > 0) yield toBlock(Buffer.concat(incomplete), line);
}

function toBlock(bytes: Buffer, line: number): LineBlock {
  if (!isUtf8(bytes)) throw new MalformedImportError(line + countValidLines(bytes), 'is not valid UTF-8.');
  const hasMark = line === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const content = hasMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  return { bytes: content, text: content.toString('utf8'), line };
}

/** Lines before the first invalid one. The bytes of line ends are never part of another character. */
function countValidLines(bytes: Buffer): number {
  const invalid = splitLines(bytes.toString('latin1')).findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')));
  return invalid < 0 ? 0 : invalid;
}
