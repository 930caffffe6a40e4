import type { ApiCaller } from './api-caller.js';
import { InvalidRowsError } from './errors.js';
import { MAX_LISTED_ERRORS } from './limits.js';
import { toRowJson } from './row-json.js';
import type { ColumnDefinition, Entity, RowError, RowErrors, RowResult, UpsertReport, Value } from './models.js';

type Items<Item> = Iterable<Item> | AsyncIterable<Item>;

/** One table of a bulk load. Its rows are read while the load proceeds, so they need not fit into memory. */
export interface BulkTable<Item = Record<string, Value>> {
  type: Entity;
  name: string;
  /** Creates the table, or adds columns. */
  columns?: ColumnDefinition[];
  items: Items<Item>;
}

export interface BulkProgress {
  table: string;
  /** Rows of all tables that are stored or validated so far. */
  rows: number;
  rowsPerSecond: number;
}

/** A part of a table, as the service has processed it. */
export interface BulkChunk<Item = Record<string, Value>> {
  type: Entity;
  table: string;
  /** Rows of the table before this chunk. */
  offset: number;
  items: Item[];
  errors: RowError[];
  /** Rows that were stored although they violate a constraint with `level: warning`. */
  warnings: RowError[];
  /** To undo the chunk; absent for a dry run. */
  batchId?: string;
  /** The proposal, if the chunk waits for approval: nothing of it is stored. */
  proposalId?: string;
  /** The result of each row, with `return: 'items'`. */
  results: RowResult[];
}

export interface BulkOptions<Item = Record<string, Value>> {
  /** `continue` stores the valid rows of a chunk; by default an invalid row rejects its chunk and ends the load. */
  onError?: 'fail' | 'continue';
  dryRun?: boolean;
  return?: 'items';
  /** Rows per request, at most `MAX_REQUEST_ROWS`. */
  chunkSize?: number;
  /** Concurrent requests. The next rows are read when one of them has ended. */
  connections?: number;
  /**
   * The key of the chunk at this row of its table, so that an interrupted load receives its response later; random by
   * default.
   */
  idempotencyKey?: (offset: number) => string;
  onProgress?: (progress: BulkProgress) => void;
  onChunk?: (chunk: BulkChunk<Item>) => void | Promise<void>;
  signal?: AbortSignal;
}

/** Numbers of rows. Those of chunks that wait for approval count only as `received` and `failed`. */
export interface BulkCounts {
  received: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
}

export interface BulkTableReport extends BulkCounts {
  type: Entity;
  name: string;
  unresolved: { total: number; first: { index: number; column: string; value: string }[] };
  /** The revision of the table after the last chunk. */
  revision: number;
  /** Whether this load has created the table. */
  tableCreated: boolean;
  /** Keys of the columns that this load has added, or of all columns of a table that it has created. */
  columnsAdded: string[];
  /** Differences between the columns that were sent and the stored ones, which a load does not apply. */
  columnsIgnored: UpsertReport['tables'][number]['columnsIgnored'];
}

/**
 * The report of a load, summed over its requests. `errors` are the first ones, with `onError: 'continue'`; their
 * `index` counts the rows of the table.
 */
export interface BulkReport extends RowErrors {
  /** Sums over all tables. */
  totals: BulkCounts;
  tables: BulkTableReport[];
  /** The batches of the chunks, which `client.batches.undo` takes; empty for a dry run. */
  batchIds: string[];
  /** Only in a dry run: would the changes wait for approval? */
  needsApproval?: true;
  /** The proposals of chunks that wait for approval (`client.proposals`). Nothing of them is stored. */
  proposalIds: string[];
  /** Rows that were stored although they violate a constraint with `level: warning`. */
  warnings: RowErrors;
}

interface Chunk<Item> {
  offset: number;
  items: Item[];
  text: string[];
}

const COUNTS = ['received', 'created', 'updated', 'unchanged', 'failed'] as const;
const NO_ROWS: Readonly<BulkCounts> = { received: 0, created: 0, updated: 0, unchanged: 0, failed: 0 };
const CHUNK_ROWS = 5_000;
/** A character has at most three bytes, and the bytes of a request are limited. */
const CHUNK_CHARACTERS = 16_000_000;
const MAX_UNRESOLVED = 20;

/**
 * Loads tables in chunks, each of which is stored completely or not at all. A chunk that is sent again changes nothing.
 */
export class BulkLoad<Item> {
  private readonly startedAt = Date.now();
  private readonly report: BulkReport = {
    totals: { ...NO_ROWS },
    tables: [],
    batchIds: [],
    proposalIds: [],
    errors: [],
    summary: [],
    warnings: { errors: [], summary: [] },
  };
  private rows = 0;

  constructor(
    private readonly client: ApiCaller,
    private readonly options: BulkOptions<Item>,
  ) {}

  /** @throws {InvalidRowsError | InvalidValueError} whose `index` counts the rows of the table */
  async run(tables: BulkTable<Item>[]): Promise<BulkReport> {
    for (const table of tables) await this.loadTable(table);
    return this.report;
  }

  private async loadTable(table: BulkTable<Item>): Promise<void> {
    const sums: BulkTableReport = {
      type: table.type,
      name: table.name,
      ...NO_ROWS,
      unresolved: { total: 0, first: [] },
      revision: 0,
      tableCreated: false,
      columnsAdded: [],
      columnsIgnored: [],
    };
    this.report.tables.push(sums);
    const chunks = splitIntoChunks(table.items, this.options.chunkSize ?? CHUNK_ROWS);
    // The first chunk creates the table, so the others wait for it.
    const first = await chunks.next();
    await this.send(table, first.done ? { offset: 0, items: [], text: [] } : first.value, sums, table.columns);
    const running = new Set<Promise<void>>();
    let failure: { error: unknown } | undefined;
    for await (const chunk of chunks) {
      // A dry run does not create the table.
      const sending = this.send(table, chunk, sums, this.options.dryRun ? table.columns : undefined)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => running.delete(sending));
      running.add(sending);
      if (running.size >= (this.options.connections ?? 1)) await Promise.race(running);
      // The loop assigns it.
      if (failure as unknown) break;
    }
    await Promise.all(running);
    if (failure) throw failure.error;
  }

  private async send(
    table: BulkTable<Item>,
    { offset, items, text }: Chunk<Item>,
    sums: BulkTableReport,
    columns?: ColumnDefinition[],
  ): Promise<void> {
    const { onError, dryRun, signal } = this.options;
    const query = new URLSearchParams();
    if (onError) query.set('onError', onError);
    if (dryRun) query.set('dryRun', 'true');
    if (this.options.return) query.set('return', this.options.return);
    const head = JSON.stringify({ type: table.type, name: table.name, columns }).slice(0, -1);
    const body = `{"tables":[${head},"items":[${text.join(',')}]}]}`;
    const report = await this.client
      .json<UpsertReport>('POST', `${this.client.tablesPath}/bulk?${query.toString()}`, {
        body,
        signal,
        idempotencyKey: this.options.idempotencyKey?.(offset),
      })
      .catch((error: unknown) => {
        if (error instanceof InvalidRowsError) shift(error.rows, offset);
        throw error;
      });
    const result = report.tables[0];
    if (!result) return;
    const counted = report.proposalId === undefined ? COUNTS : (['received', 'failed'] as const);
    for (const counts of [sums, this.report.totals]) for (const name of counted) counts[name] += result[name];
    if (report.batchId !== undefined) this.report.batchIds.push(report.batchId);
    if (report.proposalId !== undefined) this.report.proposalIds.push(report.proposalId);
    sums.revision = Math.max(sums.revision, result.revision);
    sums.tableCreated ||= result.tableCreated;
    sums.columnsAdded.push(...result.columnsAdded);
    // All chunks of a table have the same columns.
    sums.columnsIgnored = result.columnsIgnored;
    if (report.needsApproval) this.report.needsApproval = true;
    sums.unresolved.total += result.unresolved.total;
    for (const { index, column, value } of result.unresolved.first)
      if (sums.unresolved.first.length < MAX_UNRESOLVED)
        sums.unresolved.first.push({ index: offset + index, column, value });
    const errors = shift(report.errors, offset);
    addErrors(this.report, report);
    const warnings = shift(report.warnings?.errors ?? [], offset);
    if (report.warnings) addErrors(this.report.warnings, report.warnings);
    await this.options.onChunk?.({
      type: table.type,
      table: table.name,
      offset,
      items,
      errors,
      warnings,
      batchId: report.batchId,
      proposalId: report.proposalId,
      results: shift(result.items ?? [], offset),
    });
    this.rows += items.length;
    const seconds = Math.max(0.001, (Date.now() - this.startedAt) / 1000);
    this.options.onProgress?.({ table: table.name, rows: this.rows, rowsPerSecond: Math.round(this.rows / seconds) });
  }
}

/** @param added with positions within the table */
function addErrors(sums: RowErrors, added: RowErrors): void {
  sums.errors.push(...added.errors.slice(0, MAX_LISTED_ERRORS - sums.errors.length));
  for (const kind of added.summary) {
    const known = sums.summary.find(({ code, column }) => code === kind.code && column === kind.column);
    if (known) known.count += kind.count;
    else sums.summary.push({ ...kind });
  }
}

/** Positions within the chunk become positions within the table. */
function shift<Positioned extends { index?: number; otherIndex?: number }>(
  entries: Positioned[],
  offset: number,
): Positioned[] {
  for (const entry of entries) {
    if (entry.index !== undefined) entry.index += offset;
    if (entry.otherIndex !== undefined) entry.otherIndex += offset;
  }
  return entries;
}

async function* splitIntoChunks<Item>(items: Items<Item>, size: number): AsyncGenerator<Chunk<Item>, void> {
  let chunk: Chunk<Item> = { offset: 0, items: [], text: [] };
  let characters = 0;
  for await (const item of items) {
    const text = toRowJson(item as object, chunk.offset + chunk.items.length);
    if (chunk.items.length >= size || (characters + text.length > CHUNK_CHARACTERS && characters > 0)) {
      yield chunk;
      chunk = { offset: chunk.offset + chunk.items.length, items: [], text: [] };
      characters = 0;
    }
    chunk.items.push(item);
    chunk.text.push(text);
    characters += text.length;
  }
  if (chunk.items.length > 0) yield chunk;
}
