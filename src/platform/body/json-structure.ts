import { setImmediate } from 'node:timers/promises';
import { DomainError, type FieldError, MAX_LISTED_ERRORS } from '../http/domain-error.js';
import {
  BACKSLASH,
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COLON,
  COMMA,
  DIGIT_0,
  DIGIT_9,
  JsonScanner,
  LONG_NUMBER,
  MINUS,
  QUOTE,
  type StructureLimits,
} from './json-scanner.js';
import { parseStoredJson } from '../stored-json.js';
import { BODY_ERRORS } from './body.errors.js';

/** Nesting limit of objects and arrays. */
export const MAX_DEPTH = 32;

/** Keys through which careless code could change an object's prototype. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Rejects a parsed body that nests too deep or contains a key that could reach a prototype. Iterative, so that a
 * million brackets do not exhaust the stack.
 *
 * @returns the number of keys of all objects
 * @throws {DomainError} `malformed_json` naming the key or the limit
 */
export function checkStructure(body: unknown): number {
  let keys = 0;
  let level: object[] = isObject(body) ? [body] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) {
      throw new DomainError(BODY_ERRORS.malformed_json, `The body exceeds the limit of ${MAX_DEPTH} nested levels.`);
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
    if (FORBIDDEN.has(key)) throw new DomainError(BODY_ERRORS.malformed_json, `The key "${key}" is not allowed.`);
    const child = (parent as Record<string, unknown>)[key];
    if (isObject(child)) into.push(child);
  }
  return keys;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const UNLIMITED: StructureLimits = {
  depth: Infinity,
  containers: Infinity,
  values: Infinity,
  keys: Infinity,
  text: Infinity,
};

/** Counts what a JSON text contains. */
export function countStructure(body: Uint8Array): JsonScanner {
  const scanner = new JsonScanner(UNLIMITED);
  scanner.add(body);
  return scanner;
}

/** Is the double of the JSON number another number? */
function isRounded(number: string): boolean {
  const value = Number(number);
  if (number.length >= LONG_NUMBER) return String(value) !== number;
  return value === 0 && /^-?[0.]*[1-9]/.test(number);
}

/** A number, followed by what may follow it. */
const NUMBER_AHEAD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=\s*(?:[,\]}]|$))/y;

/** The rest of what starts like a number and is none. */
const NUMBER_LIKE = /[\d.eE+-]+/y;

/**
 * Replaces the numbers that a double would round by texts, so that the route can distinguish them. Invalid JSON stays
 * invalid.
 *
 * @returns undefined if there is no such number
 */
export function withExactNumbers(text: string): string | undefined {
  const parts: string[] = [];
  let done = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === MINUS || (code >= DIGIT_0 && code <= DIGIT_9)) {
      const number = matchAt(NUMBER_AHEAD, text, at);
      if (number !== undefined && isRounded(number)) {
        parts.push(text.slice(done, at), `"${number}"`);
        done = at + number.length;
      }
      at += (number ?? matchAt(NUMBER_LIKE, text, at)!).length - 1;
    }
  }
  return parts.length === 0 ? undefined : parts.join('') + text.slice(done);
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++;
  return at;
}

/** The position of the closing quote of the text that starts at the position. */
function endOfText(body: Uint8Array, start: number): number {
  let at = start + 1;
  for (; at < body.length && body[at] !== QUOTE; at++) if (body[at] === BACKSLASH) at++;
  return at;
}

/** An object or array that contains the current position. */
interface Open {
  /** Keys of the object so far; undefined for an array. */
  keys?: Set<string>;
  /** The current key or index. */
  at: string | number;
}

/**
 * The error for a body with duplicate keys in one object, of which parsing silently uses only the last. Finding them
 * takes as long as parsing, so call it only for a body that has one.
 */
export function duplicateKeys(body: Buffer): DomainError {
  const steps = findDuplicateKeys(body);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Bytes between two pauses. */
const SLICE_BYTES = 256 * 1024;

/** As `duplicateKeys()`; serves other requests meanwhile. */
export async function duplicateKeysInSlices(body: Buffer): Promise<DomainError> {
  const steps = findDuplicateKeys(body);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await setImmediate();
  }
}

/** Pauses after each slice. */
function* findDuplicateKeys(body: Buffer): Generator<void, DomainError> {
  const errors: FieldError[] = [];
  let total = 0;
  let text = { start: 0, end: 0 };
  let pausedAt = 0;
  const open: Open[] = [];
  for (let at = 0; at < body.length; at++) {
    if (at - pausedAt > SLICE_BYTES) {
      pausedAt = at;
      yield;
    }
    const byte = body[at];
    const inner = open.at(-1);
    if (byte === QUOTE) text = { start: at, end: (at = endOfText(body, at)) };
    else if (byte === BRACE) open.push({ at: '', keys: new Set() });
    else if (byte === BRACKET) open.push({ at: 0 });
    else if (byte === BRACE_END || byte === BRACKET_END) open.pop();
    else if (byte === COMMA && typeof inner?.at === 'number') inner.at++;
    else if (byte === COLON && inner?.keys) {
      inner.at = parseStoredJson(body.toString('utf8', text.start, text.end + 1)) as string;
      if (inner.keys.has(inner.at) && ++total <= MAX_LISTED_ERRORS) errors.push(duplicate(open));
      inner.keys.add(inner.at);
    }
  }
  const message = errors[0]?.message ?? 'The body contains a duplicate key. Send each key once.';
  return new DomainError(BODY_ERRORS.malformed_json, message, { details: { total, errors } });
}

function duplicate(open: readonly Open[]): FieldError {
  const path = open.map(({ at }) => (typeof at === 'number' ? `[${at}]` : `.${at.slice(0, 255)}`));
  const field = path.join('').replace(/^\./, '');
  const object = path.slice(0, -1).join('').replace(/^\./, '');
  const key = String(open.at(-1)?.at).slice(0, 80);
  const message = `Duplicate key "${key}" in ${object.slice(0, 200) || 'the body'}. Send each key once.`;
  return { field, code: 'duplicate_key', message };
}
