import type { AtriumClient, BulkTableReport, Entity } from '@atrium/client';
import type { Table } from './csv.js';

const SAMPLES = 5;

export interface PushOptions {
  /** Rows per request; the service accepts at most 50,000. */
  batchSize: number;
  /** Concurrent requests. */
  connections: number;
  signal?: AbortSignal;
  /** Receives the number of rows of each stored batch. */
  onProgress?: (rows: number) => void;
}

/** The result of a table. */
export interface TableReport {
  type: Entity;
  name: string;
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  /** References whose target did not exist when their batch was stored. `first` contains some distinct values. */
  unresolved: { total: number; first: { column: string; value: string }[] };
  seconds: number;
  rowsPerSecond: number;
}

/** A batch failed. The batches before it are stored, and a second run reports them as unchanged. */
export class PushError extends Error {
  constructor(
    readonly table: string,
    /** Rows that are stored. */
    readonly stored: number,
    options: { cause: unknown },
  ) {
    super(`"${table}" could not be pushed.`, options);
  }
}

/**
 * Pushes a table in batches. The first batch contains the columns, which create the table if necessary.
 *
 * @throws {PushError}
 */
export async function pushTable(client: AtriumClient, table: Table, options: PushOptions): Promise<TableReport> {
  const { type, name, columns, items } = table;
  const { batchSize, connections, signal, onProgress } = options;
  const started = performance.now();
  let stored = 0;
  const onChunk = (chunk: { items: unknown[] }): void => {
    stored += chunk.items.length;
    onProgress?.(chunk.items.length);
  };
  try {
    const batches = { columns, chunkSize: batchSize, connections, onChunk, signal };
    const { tables } = await client.table(type, name).upsert(items, batches);
    return toTableReport(tables[0]!, performance.now() - started);
  } catch (cause) {
    throw new PushError(name, stored, { cause });
  }
}

function toTableReport(result: BulkTableReport, milliseconds: number): TableReport {
  const { type, name, received: rows, created, updated, unchanged, unresolved } = result;
  const samples = new Map(
    unresolved.first.map(({ column, value }) => [`${column}\n${value}`, { column, value }] as const),
  );
  const seconds = Math.ceil(milliseconds) / 1000;
  return {
    type,
    name,
    rows,
    created,
    updated,
    unchanged,
    unresolved: { total: unresolved.total, first: [...samples.values()].slice(0, SAMPLES) },
    seconds,
    rowsPerSecond: Math.round(rows / seconds),
  };
}
