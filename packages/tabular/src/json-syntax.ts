/** Bytes of JSON texts. */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const BRACKET_END = 0x5d;
export const BRACE = 0x7b;
export const BRACE_END = 0x7d;
const SPACE = 0x20;

const LINE_FEED = 0x0a;
const LOWER_U = 0x75;

/** Characters that may follow a backslash, without `u`. */
const ESCAPED: ReadonlySet<number | undefined> = new Set(new TextEncoder().encode('"\\/bfnrt'));

const VALUE = 'a value such as "text", 1, true, null, [] or {}';
const FIRST_VALUE = `${VALUE}, or "]"`;
const KEY = 'a key in double quotes';
const FIRST_KEY = `${KEY}, or "}"`;
const AFTER_KEY = '":"';
const AFTER_VALUE = 'the end of a value';

/** What is neither a text nor punctuation, such as a number or a name. */
const WORD_BYTES = new Uint8Array(256);
for (const byte of new TextEncoder().encode('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-'))
  WORD_BYTES[byte] = 1;
const SIMPLE_VALUE = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Characters of the message. */
const MAX_FOUND = 20;
const MAX_PATH = 200;

/** Bytes between two pauses. */
const SLICE_BYTES = 256 * 1024;

/** An object or array that contains the current position. */
export interface OpenValue {
  /** Keys of the object so far; undefined for an array. */
  keys?: Set<string>;
  /** The current key or index; undefined before a key. */
  at: string | number | undefined;
}

/** Why a text is not JSON. */
export interface JsonError {
  line: number;
  /** In characters, from 1. */
  column: number;
  /** Such as `found "}" at assets[0].name, expected a value`. */
  problem: string;
}

interface Failure {
  at: number;
  expected: string;
}

/** The path of the current value, such as `assets[0].items[3]`; empty for the whole text. */
export function toPath(open: readonly OpenValue[]): string {
  const path = open.map(({ at = '' }) => (typeof at === 'number' ? `[${at}]` : `.${at.slice(0, 255)}`));
  return path.join('').replace(/^\./, '');
}

/** The first error of a JSON text in UTF-8 (RFC 8259). */
export function findJsonError(
  text: Uint8Array,
  takeDuplicate?: (open: readonly OpenValue[]) => void,
): JsonError | undefined {
  const steps = walkJson(text, takeDuplicate);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/**
 * Reads a JSON text in UTF-8 (RFC 8259) without its values. Pauses after each slice.
 *
 * @param takeDuplicate is called for each key that its object already has: the `at` of the last value.
 * @returns the first error.
 */
export function* walkJson(
  bytes: Uint8Array,
  takeDuplicate: (open: readonly OpenValue[]) => void = () => undefined,
): Generator<void, JsonError | undefined> {
  const open: OpenValue[] = [];
  const failure = yield* walk(bytes, open, takeDuplicate);
  return failure && describe(bytes, failure, open);
}

function* walk(
  bytes: Uint8Array,
  open: OpenValue[],
  takeDuplicate: (open: readonly OpenValue[]) => void,
): Generator<void, Failure | undefined> {
  let expected = VALUE;
  let pausedAt = 0;
  for (let at = skipBlanks(bytes, skipByteOrderMark(bytes)); ; at = skipBlanks(bytes, at)) {
    if (at - pausedAt > SLICE_BYTES) {
      pausedAt = at;
      yield;
    }
    const byte = bytes[at];
    const inner = open.at(-1);
    const isEnd = inner !== undefined && byte === (inner.keys ? BRACE_END : BRACKET_END);
    if (isEnd && (expected === FIRST_KEY || expected === FIRST_VALUE || expected === AFTER_VALUE)) {
      open.pop();
      expected = AFTER_VALUE;
      at++;
    } else if (expected === AFTER_VALUE) {
      if (!inner) return byte === undefined ? undefined : { at, expected: 'the end of the text' };
      if (byte !== COMMA) return { at, expected: `"," or "${inner.keys ? '}' : ']'}"` };
      expected = inner.keys ? KEY : VALUE;
      if (typeof inner.at === 'number') inner.at++;
      else inner.at = undefined;
      at++;
    } else if (expected === AFTER_KEY) {
      if (byte !== COLON) return { at, expected };
      expected = VALUE;
      at++;
    } else if (expected === KEY || expected === FIRST_KEY) {
      const end = byte === QUOTE ? findTextEnd(bytes, at) : { at, expected };
      if (typeof end === 'object') return end;
      const key = (inner!.at = JSON.parse(toText(bytes, at, end)) as string);
      if (inner!.keys!.has(key)) takeDuplicate(open);
      inner!.keys!.add(key);
      expected = AFTER_KEY;
      at = end;
    } else if (byte === BRACE || byte === BRACKET) {
      expected = byte === BRACE ? FIRST_KEY : FIRST_VALUE;
      open.push(byte === BRACE ? { keys: new Set(), at: undefined } : { at: 0 });
      at++;
    } else {
      const end = byte === QUOTE ? findTextEnd(bytes, at) : findWordEnd(bytes, at);
      if (typeof end === 'object') return end;
      if (byte !== QUOTE && !SIMPLE_VALUE.test(toText(bytes, at, end))) return { at, expected };
      expected = AFTER_VALUE;
      at = end;
    }
  }
}

function skipByteOrderMark(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

function skipBlanks(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at]; byte === SPACE || byte === LINE_FEED || byte === 0x0d || byte === 0x09;)
    byte = bytes[++at];
  return at;
}

function findTextEnd(bytes: Uint8Array, start: number): number | Failure {
  for (let at = start + 1; ; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === undefined) return { at, expected: 'a double quote at the end of the text' };
    if (byte < SPACE) return { at, expected: 'an escape such as \\n instead of a control character' };
    if (byte !== BACKSLASH) continue;
    if (ESCAPED.has(bytes[at + 1])) at++;
    else if (bytes[at + 1] === LOWER_U && [2, 3, 4, 5].every((offset) => isHexDigit(bytes[at + offset]))) at += 5;
    else return { at, expected: 'an escape such as \\n, \\\\ or \\u00e4' };
  }
}

function isHexDigit(byte = 0): boolean {
  const lower = byte | SPACE;
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}

function findWordEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && WORD_BYTES[bytes[at]!] === 1) at++;
  return at;
}

function describe(bytes: Uint8Array, { at, expected }: Failure, open: readonly OpenValue[]): JsonError {
  let line = 1;
  let lineStart = skipByteOrderMark(bytes);
  for (let end = bytes.indexOf(LINE_FEED); end >= 0 && end < at; end = bytes.indexOf(LINE_FEED, lineStart)) {
    line++;
    lineStart = end + 1;
  }
  let column = 1;
  // The further bytes of a character do not count.
  for (let index = lineStart; index < at; index++) if ((bytes[index]! & 0xc0) !== 0x80) column++;
  const parents = open.slice(0, open.at(-1)?.at === undefined ? -1 : open.length);
  const path = toPath(parents).slice(0, MAX_PATH);
  const problem = `found ${toFound(bytes, at)}${path && ` at ${path}`}, expected ${expected}`;
  return { line, column, problem };
}

/** The word or character at the position. */
function toFound(bytes: Uint8Array, at: number): string {
  const end = findWordEnd(bytes, at);
  if (at >= bytes.length) return 'the end';
  if (end > at) return `"${toText(bytes, at, Math.min(end, at + MAX_FOUND))}${end > at + MAX_FOUND ? '…' : ''}"`;
  const [character = '', next = ''] = toText(bytes, at, at + 5);
  if (character === '\\') return `"${character}${next}"`;
  if (VISIBLE.test(character)) return `"${character}"`;
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function toText(bytes: Uint8Array, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start, end));
}
