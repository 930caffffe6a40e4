import type { Readable } from 'node:stream';
import { countLineEnds, findLinesEnd, splitLines } from '../../../../packages/tabular/src/lines.js';
import { FileError, UsageError } from '../exit-codes.js';

/** Some whole lines of a file. */
export interface TextBlock {
  text: string;
  /** The number of the first line, from 1. */
  line: number;
}

/** A line without its end. */
export interface TextLine {
  text: string;
  line: number;
}

/** Decodes bytes strictly. @throws {UsageError} for bytes that the encoding does not have, with the line */
export async function* decode(bytes: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<string, void> {
  const decoder = await createDecoder(encoding);
  let line = 1;
  const convert = (chunk?: Uint8Array): string => {
    try {
      const text = decoder(chunk);
      line += countLineEnds(text);
      return text;
    } catch {
      throw new FileError(
        `Line ${line} or one of the next lines is not valid ${encoding}. Set the encoding with --encoding.`,
      );
    }
  };
  for await (const chunk of bytes) yield convert(chunk);
  yield convert();
}

/** Node decodes the encodings of the WHATWG; iconv-lite the code pages of DOS, among others. */
async function createDecoder(encoding: string): Promise<(chunk?: Uint8Array) => string> {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true });
    return (chunk) => decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    const { default: iconv } = await import('iconv-lite');
    const isKnown: boolean = iconv.encodingExists(encoding);
    if (!isKnown) throw new UsageError(`The encoding "${encoding}" is not known.`);
    const decoder = iconv.getDecoder(encoding);
    return (chunk) => {
      const text = chunk === undefined ? (decoder.end() ?? '') : decoder.write(Buffer.from(chunk));
      if (text.includes('\uFFFD')) throw new Error('invalid bytes');
      return text;
    };
  }
}

/** The lines of a stream in UTF-8. In Node 24, `readline` also splits texts of JSON: at U+2028. */
export function readLines(stream: Readable): AsyncGenerator<TextLine, void> {
  return toLines(toBlocks(stream.setEncoding('utf8')));
}

/** Joins parts of a text to blocks of whole lines. */
export async function* toBlocks(parts: AsyncIterable<string>): AsyncGenerator<TextBlock, void> {
  let line = 1;
  let rest: string[] = [];
  for await (const part of parts) {
    // The first part of a line end may be in the part before.
    const joined = rest.at(-1)?.endsWith('\r') ? `${rest.pop()!}${part}` : part;
    const end = findLinesEnd(joined);
    if (end === 0) {
      rest.push(joined);
      continue;
    }
    const text = rest.join('') + joined.slice(0, end);
    yield { text, line };
    line += countLineEnds(text);
    rest = [joined.slice(end)];
  }
  const last = rest.join('');
  if (last !== '') yield { text: last, line };
}

/** The lines of a text. */
export async function* toLines(blocks: AsyncIterable<TextBlock>): AsyncGenerator<TextLine, void> {
  for await (const { text, line } of blocks) {
    const lines = splitLines(text);
    // A block that ends with a line end has no further line.
    if (lines.at(-1) === '') lines.pop();
    for (const [position, content] of lines.entries()) yield { text: content, line: line + position };
  }
}
