import type { ApiResponse } from './api.js';
import type { Surface, Tables } from './tables.js';
import { until } from './until.js';

export const NDJSON = 'application/x-ndjson';

export interface Sent {
  /** Content-Type; NDJSON by default. */
  type?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  surface?: Surface;
}

/** Imports a file into a table. */
export function sendFile(of: Tables, table: string, body: string | Uint8Array, sent: Sent = {}): Promise<ApiResponse> {
  const { type = NDJSON, query = {}, headers = {}, surface = 'assets' } = sent;
  const path = `${of.path}/${surface}/${encodeURIComponent(table)}/items/import?${new URLSearchParams(query).toString()}`;
  return of.api.send(path, { method: 'POST', body, headers: { 'Content-Type': type, ...headers } });
}

/** The record of an import; undefined if it does not exist yet. */
export async function importRecord(of: Tables, id: string): Promise<any> {
  return (await of.api.get(`${of.path}/imports/${id}`)).body.data;
}

/** The items as NDJSON. */
export const lines = (items: unknown[]): string => items.map((item) => `${JSON.stringify(item)}\n`).join('');

/** Polls until the condition is met. */
export const eventually = <T>(poll: () => Promise<T> | T, isDone: (value: T) => boolean, withinMs = 15_000) =>
  until(poll, isDone, withinMs);
