import { randomInt } from 'node:crypto';
import {
  BACKSLASH,
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COLON,
  COMMA,
  QUOTE,
} from '../../tabular/src/json-syntax.js';
import { DomainError } from '../../errors/src/domain-error.js';
import type { ErrorDefinition } from '../../errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../errors/src/http.errors.js';
import { JSON_ERRORS } from './json.errors.js';

/** Bytes of numbers. */
export const MINUS = 0x2d;
export const DIGIT_0 = 0x30;
export const DIGIT_9 = 0x39;
const UPPER_E = 0x45;
const LOWER_E = 0x65;

/** A double can represent all digits of a number with fewer characters. */
export const LONG_NUMBER = 16;

/** Limits of the structure of a JSON text. */
export interface StructureLimits {
  /** Nested objects and arrays. */
  depth: number;
  /** Different keys of all objects. Each takes about 5 µs to parse, and each repetition a hundredth of that. */
  keys: number;
  /** Objects and arrays. Empty ones take forty times their size in memory. */
  containers: number;
  /** Fields of all objects and elements of all arrays. */
  values: number;
  /** Bytes of a text. */
  text: number;
}

const UNLIMITED: StructureLimits = {
  depth: Infinity,
  keys: Infinity,
  containers: Infinity,
  values: Infinity,
  text: Infinity,
};

/** Bytes of white space or of a number within a body. Regular expressions read them at once. */
const MAX_GAP = 1024 * 1024;

const MAX_KEY_BYTES = 256 * 1024;

/** Bytes of a slice: about 10 ms of parsing. */
const SLICE_BYTES = 256 * 1024;

/** A range of bytes of a text. */
export interface Range {
  start: number;
  /** Behind the last byte. */
  end: number;
}

const LESS = 'of this route. Send less in one request';

const { imul } = Math;

/** Odd and random, so that a caller cannot choose keys with equal hashes. */
const HASH_FACTOR = randomInt(2 ** 24, 2 ** 31) | 1;

/**
 * Counts what a JSON text contains, from its bytes and as they arrive, and divides large arrays into slices. It does
 * not validate the text.
 */
export class JsonScanner {
  /** Objects and arrays. */
  containers = 0;
  /** Fields and elements. An empty object or array counts as one. */
  values = 0;
  /** Keys of all objects, including duplicates that parsing drops. */
  keys = 0;
  /** Could a double round a number: because it has many digits, or a negative exponent? */
  hasRoundedNumbers = false;

  /** Elements of large arrays, separated by commas: parts of the text that can be parsed separately, in their order. */
  readonly slices: Range[] = [];

  private readonly keyHashes = new Set<number>();
  private bytes = 0;
  private depth = 0;
  /** The first element of the open array that is in no slice, by depth; -1 for an object. */
  private readonly elements: number[] = [];
  /** Position of the last structural character. */
  private mark = 0;
  /** Start of the text that contains the next byte, or -1. */
  private text = -1;
  private isEscaped = false;
  /** Bytes of the last text, and its hash. */
  private lastText = 0;
  private hash = 0;

  /** @param sliceBytes fewer only in tests. */
  constructor(
    private readonly limits = UNLIMITED,
    private readonly sliceBytes = SLICE_BYTES,
  ) {}

  /**
   * Counts the next bytes.
   *
   * @throws {DomainError} `malformed_json`, `too_many_objects` or `too_many_fields` as soon as a limit is exceeded
   */
  add(chunk: Uint8Array): void {
    const base = this.bytes;
    this.bytes += chunk.length;
    // By index, because the iterator of a byte array takes six times as long.
    for (let at = this.text >= 0 ? this.skipText(chunk, 0, base) + 1 : 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === QUOTE) {
        this.endGap(base + at);
        this.text = base + at;
        this.hash = 0;
        at = this.skipText(chunk, at + 1, base);
      } else if (byte === COLON) this.addKey(base + at);
      else if (byte === COMMA) this.addComma(base + at);
      else if (byte === BRACE || byte === BRACKET) this.open(base + at, byte === BRACKET);
      else if (byte === BRACE_END || byte === BRACKET_END) {
        this.endGap(base + at);
        this.depth--;
      } else if ((byte === LOWER_E || byte === UPPER_E) && mayHaveLargeNegativeExponent(chunk, at))
        this.hasRoundedNumbers = true;
    }
    const { limits } = this;
    if (this.containers > limits.containers)
      throw createLimitError(JSON_ERRORS.too_many_objects, 'The body', limits.containers, `objects and arrays ${LESS}`);
    if (this.values > limits.values)
      throw createLimitError(JSON_ERRORS.too_many_objects, 'The body', limits.values, `fields and elements ${LESS}`);
    if (this.keyHashes.size > limits.keys)
      throw createLimitError(HTTP_ERRORS.too_many_fields, 'The body', limits.keys, `different keys ${LESS}`);
    if (this.text >= 0 && this.bytes - this.text > limits.text)
      throw createLimitError(HTTP_ERRORS.too_large, 'A text of the body', limits.text, 'bytes of this route');
  }

  /** @returns the position of the closing quote in the chunk, or its length */
  private skipText(chunk: Uint8Array, from: number, base: number): number {
    let at = from;
    let { hash } = this;
    if (this.isEscaped) at++;
    this.isEscaped = false;
    for (; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (byte === QUOTE) {
        this.lastText = base + at + 1 - this.text;
        this.mark = base + at;
        this.text = -1;
        this.hash = hash;
        return at;
      }
      hash = imul(hash ^ byte, HASH_FACTOR);
      if (byte === BACKSLASH && ++at === chunk.length) this.isEscaped = true;
    }
    this.hash = hash;
    return chunk.length;
  }

  /** The text between the last structural character and this one: white space, and possibly a number. */
  private endGap(at: number): void {
    const bytes = at - this.mark;
    this.mark = at;
    if (bytes <= LONG_NUMBER) return;
    this.hasRoundedNumbers = true;
    if (bytes > MAX_GAP && this.depth > 0)
      throw createLimitError(JSON_ERRORS.malformed_json, 'White space or a number of the body', MAX_GAP, 'bytes');
  }

  private addKey(at: number): void {
    this.endGap(at);
    this.keys++;
    if (this.lastText > MAX_KEY_BYTES)
      throw createLimitError(JSON_ERRORS.malformed_json, 'A key of the body', MAX_KEY_BYTES, 'bytes');
    this.keyHashes.add(this.hash);
  }

  private addComma(at: number): void {
    this.endGap(at);
    this.values++;
    const start = this.elements[this.depth];
    if (start === undefined || start < 0 || at - start <= this.sliceBytes) return;
    // Elements that contain slices are in none.
    if (start > (this.slices.at(-1)?.end ?? -1)) this.slices.push({ start, end: at });
    this.elements[this.depth] = at + 1;
  }

  private open(at: number, isArray: boolean): void {
    this.endGap(at);
    this.containers++;
    this.values++;
    if (++this.depth > this.limits.depth)
      throw createLimitError(JSON_ERRORS.malformed_json, 'The body', this.limits.depth, 'nested levels');
    this.elements[this.depth] = isArray ? at + 1 : -1;
  }
}

/** Only a negative exponent of three digits or more makes a short number so small that a double is 0. */
function mayHaveLargeNegativeExponent(bytes: Uint8Array, at: number): boolean {
  // The rest of a number at the end of a chunk is unknown.
  const sign = bytes[at + 1] ?? MINUS;
  const third = bytes[at + 4] ?? DIGIT_0;
  return sign === MINUS && third >= DIGIT_0 && third <= DIGIT_9;
}

/** The error for a text that exceeds a limit. @param unit of the limit, and what to do. */
function createLimitError(definition: ErrorDefinition, subject: string, limit: number, unit: string): DomainError {
  return new DomainError(definition, `${subject} exceeds the limit of ${limit} ${unit}.`, { details: { limit } });
}
