import { AsyncLocalStorage } from 'node:async_hooks';

const remembered = new AsyncLocalStorage<Map<string, Promise<unknown>>>();

/** Runs work of one caller, in one transaction, in which each different lookup of `lookUpOnce` runs once. */
export function rememberLookups<T>(work: () => Promise<T>): Promise<T> {
  return remembered.run(new Map(), work);
}

/**
 * The result of a lookup whose result does not change during the transaction, for requests with many records. Outside
 * of `rememberLookups` nothing is remembered.
 *
 * @param key identifies the lookup and its parameters.
 */
export function lookUpOnce<T>(key: readonly unknown[], lookUp: () => Promise<T>): Promise<T> {
  const results = remembered.getStore();
  if (!results) return lookUp();
  const name = JSON.stringify(key);
  const known = (results.get(name) as Promise<T> | undefined) ?? lookUp();
  results.set(name, known);
  return known;
}
