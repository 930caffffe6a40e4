import { DomainError } from '../http/domain-error.js';
import { BODY_ERRORS } from './body.errors.js';
import { HTTP_ERRORS } from '../http/http.errors.js';

/** Bytes of JSON texts. */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const DIGIT_0 = 0x30;
export const DIGIT_9 = 0x39;
export const COLON = 0x3a;
const UPPER_E = 0x45;
const LOWER_E = 0x65;
export const LOWER_U = 0x75;
export const BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const BRACKET_END = 0x5d;
export const BRACE = 0x7b;
export const BRACE_END = 0x7d;
const LAST_ASCII = 0x7f;

/** A double can represent all digits of a number with fewer characters. */
export const LONG_NUMBER = 16;

/** Limits of the structure of a JSON text. */
export interface StructureLimits {
  /** Nested objects and arrays. */
  depth: number;
  /** Keys of one object. The time to parse a key grows with their number. */
  keys: number;
  /** Objects and arrays. Empty ones take forty times their size in memory. */
  containers: number;
  /** Fields of all objects and elements of all arrays. */
  values: number;
  /** Bytes of a text. */
  text: number;
}

/** Bytes that are parsed at once: at most 10 ms, even if they are empty objects. */
export const SLICE_BYTES = 256 * 1024;

/** Bytes of white space or of a number within a body. JSON.parse and regular expressions read them at once. */
const MAX_GAP = 1024 * 1024;

/** A range of bytes of the body. */
export interface Range {
  start: number;
  end: number;
}

/** A text of more bytes than a slice, with its quotes. */
export interface LargeText extends Range {
  kind: 'text';
}

/** An object or array of more bytes than a slice. */
export interface LargeContainer extends Range {
  kind: 'object' | 'array';
  parts: Part[];
}

/**
 * Complete members, separated by commas, or one large member with what precedes it: a key and a colon, or white space.
 */
export type Part = (Range & { large?: undefined }) | (Range & { large: LargeContainer | LargeText });

/** An open object or array. */
interface Frame {
  start: number;
  isArray: boolean;
  keys: number;
  /** Start of the members that are not in `parts` yet. */
  pending: number;
  /** Start of the current member. */
  member: number;
  /** The current member is large, and in `parts`. What follows it is the next part, and must be white space. */
  isMemberLarge: boolean;
  parts: Part[] | undefined;
}

/**
 * Counts what a JSON text contains, from its bytes and as they arrive, and finds the positions at which a large text is
 * divided to parse it in slices. It does not validate the text.
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
  bytes = 0;
  /** The body if it is a large object, array or text. */
  root: LargeContainer | LargeText | undefined;
  /** Position of the first bracket or quote without its counterpart, or of a character that only texts may contain. */
  invalid: number | undefined;

  private readonly frames: Frame[] = [];
  private depth = 0;
  /** Position of the last structural character. */
  private mark = 0;
  /** Start of the text that contains the next byte, or -1. */
  private text = -1;
  private isEscaped = false;
  /** Bytes of the last text. */
  private lastText = 0;

  /** @param sliceBytes see SLICE_BYTES; less only in tests */
  constructor(
    private readonly limits: StructureLimits,
    readonly sliceBytes = SLICE_BYTES,
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
        at = this.skipText(chunk, at + 1, base);
      } else if (byte === COLON) this.addKey(base + at);
      else if (byte === COMMA) this.addComma(base + at);
      else if (byte === BRACE || byte === BRACKET) this.open(base + at, byte === BRACKET);
      else if (byte === BRACE_END || byte === BRACKET_END) this.close(base + at, byte === BRACKET_END);
      else if ((byte === LOWER_E || byte === UPPER_E) && mayHaveLargeNegativeExponent(chunk, at))
        this.hasRoundedNumbers = true;
      else if (byte! > LAST_ASCII) this.invalid ??= base + at;
    }
    if (this.containers > this.limits.containers) throw tooManyObjects(this.limits.containers);
    if (this.values > this.limits.values) throw tooManyValues(this.limits.values);
    if (this.text >= 0 && this.bytes - this.text > this.limits.text) throw longText(this.limits.text);
  }

  /** The body is complete. */
  finish(): void {
    if (this.text >= 0) this.invalid ??= this.text;
    else if (this.depth > 0) this.invalid ??= this.frames[this.depth - 1]!.start;
  }

  /** @returns the position of the closing quote in the chunk, or its length */
  private skipText(chunk: Uint8Array, from: number, base: number): number {
    let at = from;
    if (this.isEscaped) at++;
    this.isEscaped = false;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === QUOTE) {
        this.endText(base + at);
        return at;
      }
      if (byte === BACKSLASH && ++at === chunk.length) this.isEscaped = true;
    }
    return chunk.length;
  }

  private endText(at: number): void {
    const start = this.text;
    this.mark = at;
    this.text = -1;
    this.lastText = at + 1 - start;
    if (this.lastText > this.sliceBytes) this.addLarge({ kind: 'text', start, end: at + 1 });
  }

  /** The text between the last structural character and this one: white space, and possibly a number. */
  private endGap(at: number): void {
    const bytes = at - this.mark;
    this.mark = at;
    if (bytes <= LONG_NUMBER) return;
    this.hasRoundedNumbers = true;
    if (bytes > MAX_GAP && this.depth > 0) throw largeGap();
  }

  private addKey(at: number): void {
    this.endGap(at);
    this.keys++;
    if (this.depth === 0) return;
    const frame = this.frames[this.depth - 1]!;
    if (++frame.keys > this.limits.keys) throw tooManyKeys(this.limits.keys);
    if (this.lastText > this.sliceBytes) throw longKey(this.sliceBytes);
  }

  private addComma(at: number): void {
    this.endGap(at);
    this.values++;
    if (this.depth === 0) return;
    const frame = this.frames[this.depth - 1]!;
    if (frame.isMemberLarge || at - frame.pending > this.sliceBytes) {
      (frame.parts ??= []).push({ start: frame.pending, end: at });
      frame.pending = at + 1;
    }
    frame.member = at + 1;
    frame.isMemberLarge = false;
  }

  private open(at: number, isArray: boolean): void {
    this.endGap(at);
    this.containers++;
    this.values++;
    if (this.depth === this.limits.depth) throw tooDeep(this.limits.depth);
    // Reused, because millions of new ones take as long as the rest of the scan.
    const frame = (this.frames[this.depth++] ??= {} as Frame);
    frame.start = at;
    frame.isArray = isArray;
    frame.keys = 0;
    frame.pending = frame.member = at + 1;
    frame.isMemberLarge = false;
    frame.parts = undefined;
  }

  private close(at: number, isArray: boolean): void {
    this.endGap(at);
    const frame = this.depth > 0 ? this.frames[this.depth - 1]! : undefined;
    if (frame?.isArray !== isArray) this.invalid ??= at;
    if (!frame) return;
    this.depth--;
    const { start } = frame;
    if (at + 1 - start <= this.sliceBytes) return;
    const parts = (frame.parts ??= []);
    parts.push({ start: frame.pending, end: at });
    this.addLarge({ kind: isArray ? 'array' : 'object', start, end: at + 1, parts });
  }

  /** Divides the object or array that contains the large value before and after it. */
  private addLarge(large: LargeContainer | LargeText): void {
    if (this.depth === 0) {
      this.root ??= large;
      return;
    }
    const frame = this.frames[this.depth - 1]!;
    const parts = (frame.parts ??= []);
    if (frame.member > frame.pending) parts.push({ start: frame.pending, end: frame.member - 1 });
    parts.push({ start: frame.member, end: large.start, large });
    frame.isMemberLarge = true;
    frame.pending = large.end;
  }
}

/** Only a negative exponent of three digits or more makes a short number so small that a double is 0. */
function mayHaveLargeNegativeExponent(bytes: Uint8Array, at: number): boolean {
  // The rest of a number at the end of a chunk is unknown.
  const sign = bytes[at + 1] ?? MINUS;
  const third = bytes[at + 4] ?? DIGIT_0;
  return sign === MINUS && third >= DIGIT_0 && third <= DIGIT_9;
}

function tooDeep(limit: number): DomainError {
  return new DomainError(BODY_ERRORS.malformed_json, `The body exceeds the limit of ${limit} nested levels.`);
}

function largeGap(): DomainError {
  const message = `White space or a number of the body exceeds the limit of ${MAX_GAP} bytes.`;
  return new DomainError(BODY_ERRORS.malformed_json, message);
}

function longText(limit: number): DomainError {
  const message = `A text of the body exceeds the limit of ${limit} bytes of this route.`;
  return new DomainError(HTTP_ERRORS.too_large, message, { details: { limit } });
}

function longKey(limit: number): DomainError {
  return new DomainError(BODY_ERRORS.malformed_json, `A key of the body exceeds the limit of ${limit} bytes.`);
}

function tooManyKeys(limit: number): DomainError {
  const message = `An object of the body exceeds the limit of ${limit} keys. Send several smaller objects.`;
  return new DomainError(HTTP_ERRORS.too_many_fields, message, { details: { limit } });
}

function tooManyObjects(limit: number): DomainError {
  const message = `The body exceeds the limit of ${limit} objects and arrays of this route. Send less in one request.`;
  return new DomainError(BODY_ERRORS.too_many_objects, message, { details: { limit } });
}

function tooManyValues(limit: number): DomainError {
  const message = `The body exceeds the limit of ${limit} fields and elements of this route. Send less in one request.`;
  return new DomainError(BODY_ERRORS.too_many_objects, message, { details: { limit } });
}
