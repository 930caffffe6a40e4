import { randomUUID } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { WorkSlices } from './work-slices.js';
import { JsonScanner, type Range, type StructureLimits } from './json-scanner.js';
import { checkStructure, diagnose, diagnoseInSlices, withExactNumbers } from './json-structure.js';

export interface JsonOptions {
  /** Numbers that a double would round become their text. */
  exactNumbers?: boolean;
}

/**
 * Parses a JSON text of a caller. Every such text is parsed here, within limits that are checked before.
 *
 * @throws {DomainError} `malformed_json`, `too_large`, `too_many_objects` or `too_many_fields`
 */
export function parseJson(text: string, limits: StructureLimits, { exactNumbers = false }: JsonOptions = {}): unknown {
  const bytes = Buffer.from(text);
  const scanner = new JsonScanner(limits);
  scanner.add(bytes);
  try {
    const value = parseText(text, exactNumbers && scanner.hasRoundedNumbers);
    if (checkStructure(value) === scanner.keys) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw diagnose(bytes);
}

/** Why a text that is meant as a JSON object cannot be parsed, as a sentence after a blank; empty for other values. */
export function describeMalformedJson(value: unknown, limits: StructureLimits): string {
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return '';
  try {
    parseJson(value, limits);
    return '';
  } catch (error) {
    return ` ${(error as Error).message}`;
  }
}

/**
 * Parses the JSON text of a body. The slices of a large one are parsed one after the other, and the process serves
 * other requests between them.
 *
 * @param bytes valid UTF-8, which the scanner has scanned. @throws {DomainError} `malformed_json`
 */
export async function parseJsonBytes(
  bytes: Buffer,
  scanner: JsonScanner,
  { exactNumbers = false }: JsonOptions,
): Promise<unknown> {
  const parser = new SlicedParser(bytes, scanner.slices, exactNumbers && scanner.hasRoundedNumbers);
  try {
    const value = await parser.parse();
    if (parser.keys === scanner.keys) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw await diagnoseInSlices(bytes);
}

/** A large body beyond Latin-1 would be decoded for more than 100 ms. */
const BYTES_PER_DECODING = 512 * 1024;

/** Parses a text that contains a string instead of each slice, and then the slices. */
class SlicedParser {
  /** Keys of all objects. */
  keys = 0;
  /** The start of the strings; random, so that no text of the body has it. */
  private readonly mark = `${randomUUID()}:`;
  private readonly work = new WorkSlices();

  constructor(
    private readonly bytes: Buffer,
    private readonly slices: readonly Range[],
    private readonly isExact: boolean,
  ) {}

  /** @throws {SyntaxError} */
  async parse(): Promise<unknown> {
    let text = '';
    let from = 0;
    for (const [index, { start, end }] of this.slices.entries()) {
      text += `${await this.decode(from, start)}"${this.mark}${index}"`;
      from = end;
    }
    text += await this.decode(from, this.bytes.length);
    // A byte order mark is not part of the text (RFC 8259, section 8.1).
    const value = this.parseSlice(text.replace(/^\ufeff/, ''));
    await this.work.pauseIfDue();
    for (const array of this.slices.length > 0 ? this.listMarkedArrays(value) : []) await this.replaceMarks(array);
    return value;
  }

  private async decode(start: number, end: number): Promise<string> {
    const decoder = new StringDecoder('utf8');
    let text = '';
    for (let at = start; at < end; at += BYTES_PER_DECODING) {
      text += decoder.write(this.bytes.subarray(at, Math.min(end, at + BYTES_PER_DECODING)));
      await this.work.pauseIfDue();
    }
    return text + decoder.end();
  }

  private listMarkedArrays(value: unknown): unknown[][] {
    const arrays: unknown[][] = [];
    const open = [value];
    while (open.length > 0) {
      const next = open.pop();
      if (typeof next !== 'object' || next === null) continue;
      if (Array.isArray(next) && next.some((element) => this.findSlice(element))) arrays.push(next as unknown[]);
      for (const child of Object.values(next) as unknown[]) if (typeof child === 'object') open.push(child);
    }
    return arrays;
  }

  private findSlice(element: unknown): Range | undefined {
    if (typeof element !== 'string' || !element.startsWith(this.mark)) return undefined;
    return this.slices[Number(element.slice(this.mark.length))];
  }

  private async replaceMarks(array: unknown[]): Promise<void> {
    for (const element of array.splice(0)) {
      const slice = this.findSlice(element);
      if (!slice) array.push(element);
      else {
        const elements = this.parseSlice(`[${await this.decode(slice.start, slice.end)}]`) as unknown[];
        if (elements.length === 0) throw new SyntaxError('An element is missing');
        for (const each of elements) array.push(each);
        await this.work.pauseIfDue();
      }
    }
  }

  private parseSlice(text: string): unknown {
    const value = parseText(text, this.isExact);
    this.keys += checkStructure(value);
    return value;
  }
}

/**
 * Parses a text whose structure was counted, and whose keys the caller checks.
 *
 * @throws {SyntaxError}
 */
export const parseScannedJson = (text: string): unknown => JSON.parse(text);

function parseText(text: string, isExact: boolean): unknown {
  const exact = isExact ? withExactNumbers(text) : undefined;
  return parseScannedJson(exact ?? text);
}
