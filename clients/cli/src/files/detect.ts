import { isUtf8 } from 'node:buffer';

export type FileKind = 'csv' | 'ndjson' | 'xlsx' | 'fixed';

const GZIP = [0x1f, 0x8b];
const ZIP = [0x50, 0x4b];
const DELIMITERS = [';', ',', '\t', '|'];

export const isGzip = (bytes: Uint8Array): boolean => GZIP.every((byte, index) => bytes[index] === byte);
export const isZip = (bytes: Uint8Array): boolean => ZIP.every((byte, index) => bytes[index] === byte);

/** The encoding of the first bytes of a file: a byte order mark, valid UTF-8, UTF-16 without a mark, or windows-1252. */
export function detectEncoding(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const pairs = Math.min(bytes.length, 1_000) >> 1;
  let evenZeros = 0;
  let oddZeros = 0;
  for (let pair = 0; pair < pairs; pair++) {
    if (bytes[2 * pair] === 0) evenZeros++;
    if (bytes[2 * pair + 1] === 0) oddZeros++;
  }
  if (oddZeros > pairs * 0.7) return 'utf-16le';
  if (evenZeros > pairs * 0.7) return 'utf-16be';
  // The sample may end within a character.
  for (let cut = 0; cut < 4; cut++) if (isUtf8(bytes.subarray(0, bytes.length - cut))) return 'utf-8';
  return 'windows-1252';
}

/** The character that occurs most often outside quotes in the header, and equally often in the next lines. */
export function detectDelimiter(text: string): string {
  const lines = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, 20);
  const count = (line: string, delimiter: string): number =>
    line.replace(/"[^"]*"|'[^']*'/g, '').split(delimiter).length - 1;
  let best = { delimiter: ',', score: 0 };
  for (const delimiter of DELIMITERS) {
    const expected = count(lines[0] ?? '', delimiter);
    if (expected === 0) continue;
    const equal = lines.filter((line) => count(line, delimiter) === expected).length / lines.length;
    if (expected * equal > best.score) best = { delimiter, score: expected * equal };
  }
  return best.delimiter;
}

/** An apostrophe quotes cells only if it surrounds cells and no quotation mark does. */
export function detectQuote(text: string, delimiter: string): '"' | "'" {
  const surrounds = (quote: string): boolean =>
    text.split(/\r?\n/).some((line) => line.startsWith(quote) || line.includes(delimiter + quote));
  return !surrounds('"') && surrounds("'") ? "'" : '"';
}

/** By the first character, if the name of the file does not state it. */
export function detectKind(path: string, bytes: Uint8Array, text: string): FileKind {
  const name = path.toLowerCase().replace(/\.gz$/, '');
  if (name.endsWith('.xlsx') || isZip(bytes)) return 'xlsx';
  if (/\.(ndjson|jsonl)$/.test(name)) return 'ndjson';
  if (name.endsWith('.csv') || name.endsWith('.tsv')) return 'csv';
  return text.trimStart().startsWith('{') ? 'ndjson' : 'csv';
}
