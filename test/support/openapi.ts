import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './service.js';

const SHARED = /^#\/components\/(headers|parameters|responses)\//;

/** The committed document as text. */
export const readDocument = (): string => readFileSync(join(ROOT, 'openapi.json'), 'utf8');

/** The committed document with its shared headers, parameters and responses in every operation that refers to them. */
export function loadDocument<T>(): T {
  return resolveShared(JSON.parse(readDocument())) as T;
}

/** Replaces the references to shared headers, parameters and responses. References to schemas remain. */
export function resolveShared(document: unknown): unknown {
  const resolve = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(resolve);
    if (node === null || typeof node !== 'object') return node;
    const { $ref } = node as { $ref?: unknown };
    if (typeof $ref === 'string' && SHARED.test($ref)) return resolve(findComponent(document, $ref));
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolve(value)]));
  };
  return resolve(document);
}

/** The component that a reference names. */
export function findComponent(document: unknown, reference: string): unknown {
  const [, ...path] = reference.split('/');
  return path.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document);
}
