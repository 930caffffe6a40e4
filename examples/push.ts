import type { AtriumClient } from './atrium-client.js';
import type { Entity, TableBatch, TableResult } from './contract.js';
import type { Table } from './csv.js';

const SAMPLES = 5;

export interface PushOptions {
  /** Rows per request; the service accepts at most 50,000. */
  batchSize: number;
  /** Concurrent requests. */
  connections: number;
  /** Receives the number of rows of each stored batch. */
  onProgress?: (rows: number) => void;
}

/** The result of a table, or of its batches so far. */
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
    /** Position of the batch's first row in the table, from 0. */
    readonly offset: number,
    readonly partialReport: TableReport,
    options: { cause: unknown },
  ) {
    super(`"${table}" could not be pushed.`, options);
  }
}

/**
 * Pushes a table in batches. The first batch is sent before the others and contains the columns, which create the table
 * if necessary. The other batches contain only the name and their rows and are sent over all connections.
 *
 * @throws {PushError}
 */
export async function pushTable(client: AtriumClient, table: Table, options: PushOptions): Promise<TableReport> {
  const { type, name, columns, items } = table;
  const { batchSize, connections, onProgress } = options;
  const tally = new Tally(table);
  let next = 0;
  let failure: { offset: number; cause: unknown } | undefined;

  const pushBatch = async (withColumns: boolean): Promise<void> => {
    const offset = next;
    next += batchSize;
    const batch: TableBatch = { type, name, items: items.slice(offset, offset + batchSize) };
    if (withColumns) batch.columns = columns;
    try {
      const result = await client.bulk([batch]);
      for (const tableResult of result.tables) tally.add(tableResult);
      onProgress?.(batch.items.length);
    } catch (cause) {
      failure ??= { offset, cause };
    }
  };
  const pushRest = async (): Promise<void> => {
    while (next < items.length && !failure) await pushBatch(false);
  };

  await pushBatch(true);
  await Promise.all(Array.from({ length: connections }, pushRest));
  if (failure) throw new PushError(name, failure.offset, tally.report(), { cause: failure.cause });
  return tally.report();
}

/** Sums the results of the batches of a table. */
class Tally {
  private readonly started = performance.now();
  private readonly counts = { rows: 0, created: 0, updated: 0, unchanged: 0 };
  private unresolved = 0;
  private readonly samples = new Map<string, { column: string; value: string }>();

  constructor(private readonly table: Table) {}

  add({ received, created, updated, unchanged, unresolved }: TableResult): void {
    this.counts.rows += received;
    this.counts.created += created;
    this.counts.updated += updated;
    this.counts.unchanged += unchanged;
    this.unresolved += unresolved.total;
    for (const { column, value } of unresolved.first) {
      if (this.samples.size < SAMPLES) this.samples.set(`${column}\n${value}`, { column, value });
    }
  }

  report(): TableReport {
    const seconds = Math.ceil(performance.now() - this.started) / 1000;
    return {
      type: this.table.type,
      name: this.table.name,
      ...this.counts,
      unresolved: { total: this.unresolved, first: [...this.samples.values()] },
      seconds,
      rowsPerSecond: Math.round(this.counts.rows / seconds),
    };
  }
}
