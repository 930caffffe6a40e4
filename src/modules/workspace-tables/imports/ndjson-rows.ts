import {
  checkStructure,
  countStructure,
  diagnose,
  withExactNumbers,
} from '../../../../packages/json/src/json-structure.js';
import { parseScannedJson } from '../../../../packages/json/src/json-parser.js';
import { DomainError } from '../../../../packages/errors/src/domain-error.js';
import { redactSecrets } from '../../../../packages/json/src/redact-secrets.js';
import { findJsonError } from '../../../../packages/tabular/src/json-syntax.js';
import { splitLines } from '../../../../packages/tabular/src/lines.js';
import type { TakeRow } from '../../../../packages/tables/src/sources/staging-row-source.js';
import { MalformedImportError } from './imports.errors.js';
import type { LineBlock, RowParser } from './line-blocks.js';

/** May contain a key that could reach a prototype. */
const SUSPICIOUS = /__proto__|constructor|prototype/;

/** Rows of a file with one JSON object per line. Blank lines are skipped. */
export class NdjsonRows implements RowParser {
  parse(block: LineBlock, take: TakeRow): void {
    const structure = countStructure(block.bytes);
    const parsed = parseLines(block);
    // Flat objects without duplicate keys, as rows normally are, need no check per line.
    const isPlain =
      structure.containers === parsed.objects && structure.keys === parsed.keys && !SUSPICIOUS.test(block.text);
    if (!isPlain) checkLines(block);
    const exact = structure.hasRoundedNumbers ? withExactNumbers(block.text) : undefined;
    const { items, lines } = exact === undefined ? parsed : parseLines({ ...block, text: exact });
    let sentLines: string[] | undefined;
    items.forEach((item, position) => {
      const line = lines[position]!;
      take(item, line, () => (sentLines ??= splitLines(block.text))[line - block.line]!.trimEnd());
    });
  }
}

interface ParsedLines {
  items: unknown[];
  /** The line of each item. */
  lines: number[];
  /** The number of items that are objects, and that of their keys. */
  objects: number;
  keys: number;
}

function parseLines({ text, line: first }: LineBlock): ParsedLines {
  const parsed: ParsedLines = { items: [], lines: [], objects: 0, keys: 0 };
  splitLines(text).forEach((line, position) => {
    if (isBlank(line)) return;
    const item = parseLine(line, first + position);
    if (typeof item === 'object' && item !== null && !Array.isArray(item)) {
      parsed.objects++;
      parsed.keys += Object.keys(item).length;
    }
    parsed.items.push(item);
    parsed.lines.push(first + position);
  });
  return parsed;
}

function isBlank(line: string): boolean {
  return !line.startsWith('{') && line.trim() === '';
}

function parseLine(line: string, number: number): unknown {
  try {
    return parseScannedJson(line);
  } catch {
    if (/^[{[]$/.test(line.trim()))
      throw new MalformedImportError(number, 'begins a JSON document of several lines. Send one JSON object per line.');
    const { column, problem } = findJsonError(Buffer.from(line))!;
    throw new MalformedImportError(number, `is not valid JSON at column ${column}: ${redactSecrets(problem)}.`);
  }
}

/**
 * Rejects deep nesting, keys that reach a prototype, and duplicate keys, of which JSON.parse would use only the last.
 */
function checkLines({ text, line: first }: LineBlock): void {
  splitLines(text).forEach((line, position) => {
    if (isBlank(line)) return;
    const bytes = Buffer.from(line);
    try {
      if (checkStructure(parseScannedJson(line)) !== countStructure(bytes).keys) throw diagnose(bytes);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const [cause] = error.details?.errors ?? [];
      throw new MalformedImportError(first + position, `is not allowed: ${cause?.message ?? error.message}`);
    }
  });
}
