import { DomainError, type FieldError, MAX_LISTED_ERRORS } from '../http/domain-error.js';

/** Objects and arrays a body may hold. A body of empty ones would take forty times its size in memory. */
const MAX_CONTAINERS = 2_000_000;

/** Keys of one object. Parsing takes far longer for a key the more there are of them. */
const MAX_KEYS = 100_000;

/** How deep objects and arrays of a request body may nest. */
const MAX_DEPTH = 32;

/** Names that reach an object's prototype in careless code anywhere downstream. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Refuses a parsed body that nests too deep or holds a key that could reach a prototype. Iterative, so that a body of
 * a million brackets is refused and not suffered.
 *
 * @returns how many keys its objects have.
 * @throws {DomainError} `malformed_json` naming the key or the limit.
 */
export function checkStructure(body: unknown): number {
  let keys = 0;
  let level: object[] = isObject(body) ? [body] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) {
      throw new DomainError('malformed', 'malformed_json', `The body nests deeper than ${MAX_DEPTH} levels.`);
    }
    const below: object[] = [];
    for (const parent of level) keys += collectChildren(parent, below);
    level = below;
  }
  return keys;
}

function collectChildren(parent: object, into: object[]): number {
  if (Array.isArray(parent)) {
    for (const child of parent as unknown[]) if (isObject(child)) into.push(child);
    return 0;
  }
  let keys = 0;
  for (const key in parent) {
    keys++;
    if (FORBIDDEN.has(key)) throw new DomainError('malformed', 'malformed_json', `The key "${key}" is not allowed.`);
    const child = (parent as Record<string, unknown>)[key];
    if (isObject(child)) into.push(child);
  }
  return keys;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * Refuses a body that holds too many objects and arrays, or an object of too many keys, before it is parsed.
 *
 * @returns how many keys its objects have as they are written, also those that parsing will drop.
 * @throws {DomainError} `too_many_objects` or `too_many_fields`, saying limit and actual.
 */
export function checkContainers(body: Uint8Array): WrittenStructure {
  const structure = countStructure(body);
  const { containers, mostKeys } = structure;
  if (mostKeys > MAX_KEYS) {
    const message = `An object of a body has at most ${MAX_KEYS} keys; one here has ${mostKeys}.`;
    throw new DomainError('malformed', 'too_many_fields', message, { details: { limit: MAX_KEYS, actual: mostKeys } });
  }
  if (containers <= MAX_CONTAINERS) return structure;
  const message = `A body holds at most ${MAX_CONTAINERS} objects and arrays; this holds ${containers}.`;
  const details = { limit: MAX_CONTAINERS, actual: containers };
  throw new DomainError('too_large', 'too_many_objects', message, { details });
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COLON = 0x3a;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;

/** What a JSON text holds, as it is written. */
export interface WrittenStructure {
  /** Objects and arrays. */
  containers: number;
  keys: number;
  /** Keys of the object that has most. */
  mostKeys: number;
  /** May a number have more digits than a double keeps? */
  hasLongNumbers: boolean;
}

/** A number of fewer characters keeps its digits as a double. */
const LONG_NUMBER = 16;

export function countStructure(body: Uint8Array): WrittenStructure {
  let containers = 0;
  let keys = 0;
  let mostKeys = 0;
  let hasLongNumbers = false;
  /** Keys so far of the object or array that the search is in, and of those around it. */
  let own = 0;
  const around: number[] = [];
  /** Where what stands between the marks began. */
  let mark = 0;
  // By position: the iterator of a byte array takes six times as long.
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) mark = at = endOfText(body, at);
    else if (byte === COLON) {
      mark = at;
      keys++;
      if (++own > mostKeys) mostKeys = own;
    } else if (byte === COMMA) {
      if (at - mark > LONG_NUMBER) hasLongNumbers = true;
      mark = at;
    } else if (byte === BRACE || byte === BRACKET) {
      mark = at;
      containers++;
      around.push(own);
      own = 0;
    } else if (byte === BRACE_END || byte === BRACKET_END) {
      if (at - mark > LONG_NUMBER) hasLongNumbers = true;
      mark = at;
      own = around.pop() ?? 0;
    }
  }
  return { containers, keys, mostKeys, hasLongNumbers };
}

const NUMBER_AHEAD = /-?\d[\d.eE+-]*/y;

/**
 * A JSON text, which is valid, in which numbers that a double would say with other digits stand as texts, so that whoever reads them can
 * tell; undefined where there are none.
 */
export function withExactNumbers(body: Buffer): string | undefined {
  // Whatever is no ASCII is within texts, which are passed over: Latin-1 keeps each byte a character.
  const text = body.toString('latin1');
  const parts: string[] = [];
  let done = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = body[at]!;
    if (byte === QUOTE) at = endOfText(body, at);
    else if (byte === MINUS || (byte >= DIGIT_0 && byte <= DIGIT_9)) {
      NUMBER_AHEAD.lastIndex = at;
      const [number] = NUMBER_AHEAD.exec(text) ?? ['-'];
      if (number.length >= LONG_NUMBER && String(Number(number)) !== number) {
        parts.push(text.slice(done, at), `"${number}"`);
        done = at + number.length;
      }
      at += number.length - 1;
    }
  }
  if (parts.length === 0) return undefined;
  return Buffer.from(parts.join('') + text.slice(done), 'latin1').toString('utf8');
}

/** The position of the quote that ends the text which begins at the position. */
function endOfText(body: Uint8Array, start: number): number {
  let at = start + 1;
  for (; at < body.length && body[at] !== QUOTE; at++) if (body[at] === BACKSLASH) at++;
  return at;
}

/** An object or array that the search is in. */
interface Open {
  /** The keys that the object has had so far; none for an array. */
  keys?: Set<string>;
  /** The key or the position that the search is at. */
  at: string | number;
}

/**
 * A body in which a key stands twice in one object: parsing keeps the last value and drops the others silently. Finds
 * the places, which takes as long as parsing does, so that it is only for bodies that are known to have one.
 */
export function duplicateKeys(body: Buffer): DomainError {
  const errors: FieldError[] = [];
  let total = 0;
  let text = { start: 0, end: 0 };
  const open: Open[] = [];
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    const inner = open.at(-1);
    if (byte === QUOTE) text = { start: at, end: (at = endOfText(body, at)) };
    else if (byte === BRACE) open.push({ at: '', keys: new Set() });
    else if (byte === BRACKET) open.push({ at: 0 });
    else if (byte === BRACE_END || byte === BRACKET_END) open.pop();
    else if (byte === COMMA && typeof inner?.at === 'number') inner.at++;
    else if (byte === COLON && inner?.keys) {
      inner.at = JSON.parse(body.toString('utf8', text.start, text.end + 1)) as string;
      if (inner.keys.has(inner.at) && ++total <= MAX_LISTED_ERRORS) errors.push(duplicate(open));
      inner.keys.add(inner.at);
    }
  }
  const message = 'A key stands twice in one object of the body; which of its values is meant would be a guess.';
  return new DomainError('malformed', 'malformed_json', message, { details: { total, errors } });
}

function duplicate(open: readonly Open[]): FieldError {
  const places = open.map(({ at }) => (typeof at === 'number' ? `[${at}]` : `.${at.slice(0, 255)}`));
  const key = String(open.at(-1)?.at).slice(0, 80);
  const message = `The key "${key}" stands twice in this object.`;
  return { field: places.join('').replace(/^\./, ''), code: 'duplicate_key', message };
}
