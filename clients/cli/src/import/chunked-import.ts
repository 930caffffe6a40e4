import { randomUUID } from 'node:crypto';
import type { BulkChunk, RowError } from '@atrium/client';
import type { SourceRow } from '../files/source-row.js';
import { Duplicates, toStoredKey } from './duplicates.js';
import type { ImportPlan, Item } from './import-plan.js';
import type { ImportState } from './import-state.js';
import type { ResultFiles, ResultRow } from './result-files.js';
import { addError, type ImportFlags, type Summary, addWarnings } from './summary.js';

const CHUNK_ROWS = 2_000;

interface ChunkOptions {
  files: ResultFiles | undefined;
  state: ImportState;
  dryRun: boolean;
  signal: AbortSignal;
}

/** Sends a file in chunks that return the result of each row, and stores or validates each of them. */
export class ChunkedImport {
  /** Rows that were read, and rows that were sent, whose result is not received. */
  private read = 0;
  private readonly sent: SourceRow[] = [];
  /** Rows that are not sent, since the last chunk. */
  private unsent: ResultRow[] = [];

  constructor(
    private readonly plan: ImportPlan,
    private readonly flags: ImportFlags,
    private readonly summary: Summary,
    private readonly options: ChunkOptions,
  ) {}

  async run(): Promise<void> {
    const { table, columns } = this.plan;
    const { dryRun, state, signal } = this.options;
    // An interrupted import sends the chunk whose result it had not received with the same key, and receives that
    // result.
    const { rows: done = 0, totals, key = randomUUID() } = dryRun ? {} : state.stored;
    if (totals) Object.assign(this.summary, totals);
    else if (!dryRun) await state.save({ key });
    const received = this.summary.received;
    await table.upsert(this.readPending(done), {
      onError: 'continue',
      return: 'items',
      dryRun,
      chunkSize: CHUNK_ROWS,
      signal,
      columns: dryRun && columns.length > 0 ? columns : undefined,
      idempotencyKey: dryRun ? undefined : (offset) => `${key}-${received + offset}`,
      onChunk: (chunk) => this.addChunk(chunk, key),
    });
    await this.options.files?.append('rejected', this.unsent);
  }

  private async *readPending(done: number): AsyncGenerator<Item, void> {
    const { source, toValues, primaryKey } = this.plan;
    const duplicates = new Duplicates(this.flags.onDuplicate ?? 'error');
    await duplicates.prepare(async function* () {
      for await (const row of source.rows()) yield { key: toStoredKey(toValues(row).item[primaryKey]), line: row.line };
    });
    for await (const row of source.rows()) {
      if (this.read++ < done) continue;
      const { item, errors } = toValues(row);
      const key = toStoredKey(item[primaryKey]);
      const error = duplicates.check({ key, line: row.line }) ?? errors[0];
      if (!error) {
        this.sent.push(row);
        yield item;
        continue;
      }
      this.unsent.push({ ...row, error });
      if (error.code === 'duplicate_skipped') this.summary.skipped++;
      else addError(this.summary, { ...error, line: row.line, ...(key !== '' && { key }) });
    }
  }

  private async addChunk(
    { items, errors, warnings, results, offset, batchId, proposalId }: BulkChunk<Partial<Item>>,
    key: string,
  ): Promise<void> {
    const { files, state, dryRun } = this.options;
    const { summary } = this;
    if (batchId !== undefined) summary.batches.push(batchId);
    if (proposalId !== undefined) summary.proposals.push(proposalId);
    const rows = this.sent.splice(0, items.length);
    const messages = new Map<number, RowError>(errors.map((error) => [(error.index ?? offset) - offset, error]));
    const named = { created: [] as ResultRow[], updated: [] as ResultRow[], rejected: this.unsent };
    this.unsent = [];
    for (const { index, status } of results) {
      const row = rows[index - offset]!;
      if (status === 'failed') {
        const error = messages.get(index - offset) ?? { code: 'invalid_row', message: 'The row is not valid.' };
        named.rejected.push({ ...row, error });
        addError(summary, { ...error, line: row.line });
      } else {
        summary[status]++;
        if (status !== 'unchanged') named[status].push(row);
      }
    }
    addWarnings(
      summary,
      warnings.map((warning) => ({ ...warning, line: rows[(warning.index ?? offset) - offset]?.line })),
    );
    summary.received += items.length;
    if (!files) return;
    named.rejected.sort((row, other) => row.line - other.line);
    for (const name of ['created', 'updated', 'rejected'] as const) await files.append(name, named[name]);
    if (dryRun) return;
    // The next chunk has one row that is read, but not sent.
    await state.save({ key, rows: this.read - this.sent.length, sizes: await files.sizes(), totals: summary });
  }
}
