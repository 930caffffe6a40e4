import { DomainError } from '../http/domain-error.js';
import {
  BACKSLASH,
  type JsonScanner,
  type LargeContainer,
  type LargeText,
  LOWER_U,
  type Part,
  type Range,
} from './json-scanner.js';
import { redactSecrets } from '../http/redact-secrets.js';
import { WorkSlices } from '../http/work-slices.js';
import { checkStructure, withExactNumbers } from './json-structure.js';
import { BODY_ERRORS } from './body.errors.js';

/** Parses what the scanner has scanned. @returns the value, and the number of keys of all its objects */
export async function parseJson(
  bytes: Buffer,
  scanner: JsonScanner,
  { exactNumbers = false } = {},
): Promise<{ value: unknown; keys: number }> {
  const parser = new SlicedParser(bytes, scanner.sliceBytes, exactNumbers && scanner.hasRoundedNumbers);
  const value = await parser.parse(scanner);
  return { value, keys: parser.keys };
}

/**
 * Parses a JSON text. A large one is parsed in slices, between which the process serves other requests: JSON.parse
 * would block it for a second per 50 million bytes.
 */
class SlicedParser {
  /** Keys of all objects. */
  keys = 0;
  private readonly slices = new WorkSlices();

  constructor(
    private readonly bytes: Buffer,
    private readonly sliceBytes: number,
    private readonly isExact: boolean,
  ) {}

  async parse({ root, invalid }: JsonScanner): Promise<unknown> {
    const { length } = this.bytes;
    // The error of JSON.parse shows the characters around the position.
    if (length <= this.sliceBytes) return this.parseSlice({ start: 0, end: length }, '', '');
    if (invalid !== undefined) throw malformed(`Unexpected character at position ${invalid}`);
    if (!root) return this.parseSlice({ start: 0, end: length }, '', '');
    this.requireBlank({ start: 0, end: root.start });
    this.requireBlank({ start: root.end, end: length });
    return this.parseLarge(root);
  }

  private async parseLarge(large: LargeContainer | LargeText): Promise<unknown> {
    if (large.kind === 'text') return this.parseText(large);
    return large.kind === 'array' ? this.parseArray(large) : this.parseObject(large);
  }

  private async parseArray({ parts }: LargeContainer): Promise<unknown[]> {
    const elements: unknown[] = [];
    for (const [index, part] of parts.entries()) {
      if (part.large) {
        this.requireBlank(part);
        elements.push(await this.parseLarge(part.large));
      } else if (!this.isRestAfterLarge(parts, index)) {
        const slice = this.parseSlice(part, '[', ']') as unknown[];
        if (slice.length === 0 && parts.length > 1)
          throw malformed(`Unexpected comma or end of an array at position ${part.end}`);
        for (const element of slice) elements.push(element);
        await this.slices.pauseIfDue();
      }
    }
    return elements;
  }

  private async parseObject({ parts }: LargeContainer): Promise<Record<string, unknown>> {
    const fields: Record<string, unknown> = {};
    for (const [index, part] of parts.entries()) {
      if (part.large) {
        const [key] = Object.keys(this.parseSlice(part, '{', 'null}') as object);
        // The colon is missing.
        if (key === undefined) throw malformed(`Unexpected value at position ${part.end}`);
        this.keys--;
        fields[key] = await this.parseLarge(part.large);
      } else if (!this.isRestAfterLarge(parts, index)) {
        const slice = Object.entries(this.parseSlice(part, '{', '}') as object);
        if (slice.length === 0 && parts.length > 1)
          throw malformed(`Unexpected comma or end of an object at position ${part.end}`);
        this.keys -= slice.length;
        for (const [key, value] of slice) fields[key] = value;
        await this.slices.pauseIfDue();
      }
    }
    // Counted here, because several slices may have the same key.
    this.keys += Object.keys(fields).length;
    return fields;
  }

  /** The text between a large value and the next comma or bracket, which must be blank. */
  private isRestAfterLarge(parts: readonly Part[], index: number): boolean {
    const previous = parts[index - 1]?.large;
    const part = parts[index]!;
    if (previous?.end !== part.start) return false;
    this.requireBlank(part);
    return true;
  }

  /** Parses complete members between brackets, or a whole text. */
  private parseSlice({ start, end }: Range, opening: string, closing: string): unknown {
    const slice = this.bytes.subarray(start, end);
    const value = parse(opening + slice.toString('utf8') + closing, start - opening.length);
    this.keys += checkStructure(value);
    // Only valid JSON is converted.
    const exact = this.isExact ? withExactNumbers(slice) : undefined;
    return exact === undefined ? value : (JSON.parse(opening + exact + closing) as unknown);
  }

  private async parseText({ start, end }: LargeText): Promise<string> {
    const pieces: string[] = [];
    for (let from = start + 1; from < end - 1;) {
      const to = this.findCut(from, Math.min(from + this.sliceBytes, end - 1), end - 1);
      pieces.push(parse(`"${this.bytes.toString('utf8', from, to)}"`, from - 1) as string);
      await this.slices.pauseIfDue();
      from = to;
    }
    return pieces.join('');
  }

  /** The last position up to `to` that is neither in an escape nor in a character of several bytes. */
  private findCut(from: number, to: number, end: number): number {
    if (to === end) return to;
    let cut = to;
    while (cut > from && (this.bytes[cut]! & 0xc0) === 0x80) cut--;
    // An escape has at most six bytes. Backslashes are counted from the first of a row of them.
    for (let at = Math.max(from, cut - 5); at < cut; at++) {
      if (this.bytes[at] !== BACKSLASH) continue;
      let first = at;
      while (first > from && this.bytes[first - 1] === BACKSLASH) first--;
      const isEscape = (at - first) % 2 === 0;
      const length = isEscape ? (this.bytes[at + 1] === LOWER_U ? 6 : 2) : 1;
      if (isEscape && at + length > cut) return at;
    }
    return cut;
  }

  private requireBlank({ start, end }: Range): void {
    const text = this.bytes.toString('latin1', start, end);
    if (/[^ \t\r\n]/.test(text)) throw malformed(`Unexpected character after position ${start}`);
  }
}

/** @param offset position of the text in the body */
function parse(text: string, offset: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // Newer versions of Node add line and column, which would be those of the slice.
    const message = (error as Error).message.replace(
      /position (\d+)(?: \(line \d+ column \d+\))?/,
      (all, position: string) => (offset <= 0 ? all : `position ${Number(position) + offset}`),
    );
    throw malformed(message);
  }
}

function malformed(reason: string): DomainError {
  return new DomainError(BODY_ERRORS.malformed_json, `The body is not valid JSON: ${redactSecrets(reason)}`);
}
