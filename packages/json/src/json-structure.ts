import { setImmediate } from 'node:timers/promises';
import { BACKSLASH, type OpenValue, QUOTE, toPath, walkJson } from '../../tabular/src/json-syntax.js';
import { DomainError, type FieldError, MAX_LISTED_ERRORS } from '../../errors/src/domain-error.js';
import { redactSecrets } from './redact-secrets.js';
import { DIGIT_0, DIGIT_9, JsonScanner, LONG_NUMBER, MINUS, type StructureLimits } from './json-scanner.js';
import { JSON_ERRORS } from './json.errors.js';

/** Nesting limit of objects and arrays. */
export const MAX_DEPTH = 32;

/**
 * What validation handles within 100 ms. The largest DTO, an edit of a table, has 1,202 objects and arrays; a query may
 * have 50 filters with 1,000 values each.
 */
export const DTO_LIMITS: StructureLimits = {
  depth: MAX_DEPTH,
  keys: 20_000,
  containers: 10_000,
  values: 100_000,
  text: Infinity,
};

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
      throw new DomainError(JSON_ERRORS.malformed_json, `The body exceeds the limit of ${MAX_DEPTH} nested levels.`);
    }
    const below: object[] = [];
    for (const parent of level) keys += collectChildren(parent, below);
    level = below;
  }
  return keys;
}

/** @throws {DomainError} `malformed_json` for a key that could reach a prototype */
export function rejectPrototypeKey(key: string): void {
  if (FORBIDDEN.has(key)) throw new DomainError(JSON_ERRORS.malformed_json, `The key "${key}" is not allowed.`);
}

function collectChildren(parent: object, into: object[]): number {
  if (Array.isArray(parent)) {
    for (const child of parent as unknown[]) if (isObject(child)) into.push(child);
    return 0;
  }
  let keys = 0;
  for (const key of Object.keys(parent)) {
    keys++;
    rejectPrototypeKey(key);
    const child = (parent as Record<string, unknown>)[key];
    if (isObject(child)) into.push(child);
  }
  return keys;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Counts what a JSON text contains. */
export function countStructure(body: Uint8Array): JsonScanner {
  const scanner = new JsonScanner();
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

/**
 * The error of a body that cannot be parsed, or that has a key twice in one object, of which parsing silently uses only
 * the last. Finding it takes as long as parsing.
 */
export function diagnose(body: Uint8Array): DomainError {
  const steps = diagnoseInSteps(body);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** As `diagnose()`; serves other requests meanwhile. */
export async function diagnoseInSlices(body: Uint8Array): Promise<DomainError> {
  const steps = diagnoseInSteps(body);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await setImmediate();
  }
}

function* diagnoseInSteps(body: Uint8Array): Generator<void, DomainError> {
  const errors: FieldError[] = [];
  let total = 0;
  const error = yield* walkJson(body, (open) => {
    if (++total <= MAX_LISTED_ERRORS) errors.push(duplicate(open));
  });
  if (error) {
    const position = `at line ${error.line}, column ${error.column}`;
    const text = `The JSON is malformed ${position}: ${redactSecrets(error.problem)}.`;
    return new DomainError(JSON_ERRORS.malformed_json, text);
  }
  const message = errors[0]?.message ?? 'The body contains a duplicate key. Send each key once.';
  return new DomainError(JSON_ERRORS.malformed_json, message, { details: { total, errors } });
}

function duplicate(open: readonly OpenValue[]): FieldError {
  const key = String(open.at(-1)?.at).slice(0, 80);
  const object = toPath(open.slice(0, -1)).slice(0, 200) || 'the body';
  const message = `Duplicate key "${key}" in ${object}. Send each key once.`;
  return { field: toPath(open), code: 'duplicate_key', message };
}
