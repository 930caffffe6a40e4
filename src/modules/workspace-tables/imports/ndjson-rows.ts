import { DomainError } from '../../../platform/http/domain-error.js';
import {
  checkStructure,
  countStructure,
  duplicateKeys,
  withExactNumbers,
} from '../../../platform/body/json-structure.js';
import { redactSecrets } from '../../../platform/http/secrets-in-text.js';
import { MalformedImportError } from './imports.errors.js';
import type { LineBlock } from './line-blocks.js';
import type { RowParser, TakeRow } from './row-parser.js';

/** Perhaps a key that could reach a prototype. */
const SUSPICIOUS = /__proto__|constructor|prototype/;

/** Rows of a file that has a JSON object on each line. Lines with nothing on them are passed over. */
export class NdjsonRows implements RowParser {
  parse(block: LineBlock, take: TakeRow): void {
    const read = readLines(block);
    const written = countStructure(block.bytes);
    // Flat objects without a key twice, as rows are: nothing more to look at.
    const isPlain =
      written.containers === read.items.length && written.keys === read.keys && !SUSPICIOUS.test(block.text);
    if (!isPlain) checkEach(block);
    const exact = written.hasLongNumbers ? withExactNumbers(block.bytes) : undefined;
    const { items, lines } = exact === undefined ? read : readLines({ ...block, text: exact });
    items.forEach((item, at) => take(item, lines[at]!));
  }

  end(): void {
    // Every line is whole by itself.
  }
}

/** The items of a block, with the lines that they are on, and how many keys they have. */
function readLines({ text, line: first }: LineBlock): { items: unknown[]; lines: number[]; keys: number } {
  const read = { items: [] as unknown[], lines: [] as number[], keys: 0 };
  text.split('\n').forEach((line, at) => {
    if (isBlank(line)) return;
    const item = parseLine(line, first + at);
    if (typeof item === 'object' && item !== null) read.keys += Object.keys(item).length;
    read.items.push(item);
    read.lines.push(first + at);
  });
  return read;
}

function isBlank(line: string): boolean {
  return !line.startsWith('{') && line.trim() === '';
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new MalformedImportError(number, `is not valid JSON: ${redactSecrets((error as Error).message)}.`);
  }
}

/** Nothing may nest deeply or reach a prototype, and no key may stand in an object twice: parsing keeps the last value, and drops the others. */
function checkEach({ text, line: first }: LineBlock): void {
  text.split('\n').forEach((line, at) => {
    if (isBlank(line)) return;
    const bytes = Buffer.from(line);
    try {
      if (checkStructure(JSON.parse(line)) !== countStructure(bytes).keys) throw duplicateKeys(bytes);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const [fault] = error.details?.errors ?? [];
      throw new MalformedImportError(first + at, `cannot be taken: ${fault?.message ?? error.message}`);
    }
  });
}
