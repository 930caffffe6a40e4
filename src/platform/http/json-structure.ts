import { DomainError } from './domain-error.js';

/** How deep objects and arrays of a request body may nest. */
const MAX_DEPTH = 32;

/** Names that reach an object's prototype in careless code anywhere downstream. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Refuses a parsed body that nests too deep or holds a key that could reach a prototype. Iterative, so that a body of
 * a million brackets is refused and not suffered.
 *
 * @throws {DomainError} `malformed_json` naming the key or the limit.
 */
export function checkStructure(body: unknown): void {
  let level: object[] = isObject(body) ? [body] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) {
      throw new DomainError('malformed', 'malformed_json', `The body nests deeper than ${MAX_DEPTH} levels.`);
    }
    const below: object[] = [];
    for (const parent of level) collectChildren(parent, below);
    level = below;
  }
}

function collectChildren(parent: object, into: object[]): void {
  if (Array.isArray(parent)) {
    for (const child of parent as unknown[]) if (isObject(child)) into.push(child);
    return;
  }
  for (const key in parent) {
    if (FORBIDDEN.has(key)) throw new DomainError('malformed', 'malformed_json', `The key "${key}" is not allowed.`);
    const child = (parent as Record<string, unknown>)[key];
    if (isObject(child)) into.push(child);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
