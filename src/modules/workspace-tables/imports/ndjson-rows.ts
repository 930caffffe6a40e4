import { DomainError } from '../../../platform/http/domain-error.js';
import { checkStructure, countStructure, duplicateKeys } from '../../../platform/http/json-structure.js';
import { withoutSecrets } from '../../../platform/http/secrets-in-text.js';
import { MalformedImportError } from './imports.errors.js';
import type { LineBlock } from './line-blocks.js';
import type { RowParser, TakeRow } from './row-parser.js';

/** Perhaps a key that could reach a prototype. */
const SUSPICIOUS = /__proto__|constructor|prototype/;

/** Rows of a file that has a JSON object on each line. Lines with nothing on them are passed over. */
export class NdjsonRows implements RowParser {
  parse({ bytes, text, line: first }: LineBlock, take: TakeRow): void {
    const lines = text.split('\n');
    const items: unknown[] = [];
    const places: number[] = [];
    let keys = 0;
    lines.forEach((line, at) => {
      if (isBlank(line)) return;
      const item = parseLine(line, first + at);
      if (typeof item === 'object' && item !== null) keys += Object.keys(item).length;
      items.push(item);
      places.push(first + at);
    });
    const written = countStructure(bytes);
    // Flat objects without a key twice, as rows are: nothing more to look at.
    const isPlain = written.containers === items.length && written.keys === keys && !SUSPICIOUS.test(text);
    if (!isPlain) checkEach(lines, first);
    items.forEach((item, at) => take(item, places[at]!));
  }

  end(): void {
    // Every line is whole by itself.
  }
}

function isBlank(line: string): boolean {
  return !line.startsWith('{') && line.trim() === '';
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new MalformedImportError(number, `is not valid JSON: ${withoutSecrets((error as Error).message)}.`);
  }
}

/** Nothing may nest deeply or reach a prototype, and no key may stand in an object twice: parsing keeps the last value, and drops the others. */
function checkEach(lines: readonly string[], first: number): void {
  lines.forEach((line, at) => {
    if (isBlank(line)) return;
    const bytes = Buffer.from(line);
    try {
      if (checkStructure(JSON.parse(line)) !== countStructure(bytes).keys) throw duplicateKeys(bytes);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const [fault] = error.details?.faults ?? [];
      throw new MalformedImportError(first + at, `cannot be taken: ${fault?.message ?? error.message}`);
    }
  });
}
