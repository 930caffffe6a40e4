import type { Answer } from './api.js';
import type { Surface, Tables } from './tables.js';
import { until } from './until.js';

export const NDJSON = 'application/x-ndjson';

export interface Sent {
  /** NDJSON where nothing else is said. */
  type?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  surface?: Surface;
}

/** Sends a file to a table. */
export function sendFile(of: Tables, table: string, body: string | Uint8Array, sent: Sent = {}): Promise<Answer> {
  const { type = NDJSON, query = {}, headers = {}, surface = 'assets' } = sent;
  const path = `${of.path}/${surface}/${encodeURIComponent(table)}/items/import?${new URLSearchParams(query).toString()}`;
  return of.api.send(path, { method: 'POST', body, headers: { 'Content-Type': type, ...headers } });
}

/** What is known of an import; undefined before there is one. */
export async function importRecord(of: Tables, id: string): Promise<any> {
  return (await of.api.get(`${of.path}/imports/${id}`)).body.data;
}

/** A file of NDJSON. */
export const lines = (items: unknown[]): string => items.map((item) => `${JSON.stringify(item)}\n`).join('');

/** Looks until it is so. */
export const eventually = <T>(look: () => Promise<T> | T, isSo: (seen: T) => boolean, withinMs = 15_000) =>
  until(look, isSo, withinMs);
