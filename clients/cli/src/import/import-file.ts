import { randomUUID } from 'node:crypto';
import type { AtriumClient, ImportReport, RowError } from '@atrium/client';
import { ConnectionError, InvalidRowsError, NotFoundError } from '@atrium/client';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { SourceRow } from '../files/source-row.js';
import type { Output } from '../output.js';
import { Duplicates, type DuplicateRule } from './duplicates.js';
import type { ImportPlan, Item } from './import-plan.js';
import { ImportState } from './import-state.js';
import { Progress } from './progress.js';
import { ResultFiles, type ResultRow } from './result-files.js';

export interface ImportFlags {
  dryRun?: boolean;
  onError?: 'continue';
  onDuplicate?: DuplicateRule;
  results?: string;
  resume?: boolean;
}

export interface Summary {
  file: string;
  table: string;
  dryRun: boolean;
  received: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  /** Rows that `--on-duplicate` left out. */
  skipped: number;
  unresolved: number;
  deleted?: number;
  seconds: number;
  /** The first errors. */
  errors: (RowError & { line?: number })[];
}

const RESULT_CHUNK_ROWS = 2_000;
const MAX_ERRORS = 100;

/** Imports one file as `ImportPlan` describes. */
export class FileImport {
  private readonly summary: Summary;
  private readonly startedAt = Date.now();
  private files: ResultFiles | undefined;

  constructor(
    private readonly client: AtriumClient,
    private readonly plan: ImportPlan,
    private readonly flags: ImportFlags,
    private readonly output: Output,
    private readonly signal: AbortSignal,
  ) {
    const counts = { received: 0, created: 0, updated: 0, unchanged: 0, rejected: 0, skipped: 0, unresolved: 0 };
    const { source, table } = plan;
    this.summary = {
      file: source.name,
      table: table.name,
      dryRun: flags.dryRun ?? false,
      ...counts,
      seconds: 0,
      errors: [],
    };
  }

  async run(): Promise<Summary> {
    const { source, table, exists, columns } = this.plan;
    const { dryRun, results, onError, resume = false } = this.flags;
    const identity = [table.path, this.plan.mapping, { dryRun, results, onError }];
    const state = await ImportState.open(source, identity, resume);
    const progress = await Progress.start(this.output, source.name, source.size, () => source.bytesRead);
    try {
      // A dry run sends the columns with the rows, and creates nothing.
      if (columns.length > 0 && !dryRun) await table.upsert([], { columns, signal: this.signal });
      if (results !== undefined) await this.importWithResults(results, state);
      else if (dryRun && !exists) await this.importInChunks(undefined, state, true);
      else await this.importAtOnce(state);
    } finally {
      progress.stop();
    }
    if (this.summary.rejected === 0 || onError === 'continue') await state.remove();
    this.summary.seconds = Math.round((Date.now() - this.startedAt) / 100) / 10;
    await this.files?.writeSummary(this.summary);
    return this.summary;
  }

  /** One request, all or nothing. The memory does not grow with the file. */
  private async importAtOnce(state: ImportState): Promise<void> {
    const { source, table } = this.plan;
    if (state.stored.importId !== undefined && (await this.adopt(state.stored.importId))) return;
    const importId = randomUUID();
    await state.save({ importId });
    const skipped: number[] = [];
    const options = { importId, dryRun: this.flags.dryRun ?? false, signal: this.signal, ...this.onError() };
    try {
      const report = this.isPassedThrough
        ? await table.import(source.raw(), {
            ...options,
            format: source.kind as 'csv' | 'ndjson',
            ...(source.isCompressed && { encoding: 'gzip' }),
          })
        : await table.import(await this.items(skipped), options);
      this.addReport(report);
    } catch (error) {
      if (error instanceof InvalidRowsError) await this.addRejection(error);
      else if (!(error instanceof ConnectionError) || !(await this.adopt(importId))) throw error;
    }
    this.summary.skipped = skipped.length;
    if (!this.isPassedThrough) await this.findLines(new Set(skipped));
  }

  private get isPassedThrough(): boolean {
    return this.plan.isPassedThrough && (this.flags.onDuplicate ?? 'error') === 'error';
  }

  private onError(): { onError?: 'continue' } {
    return this.flags.onError ? { onError: this.flags.onError } : {};
  }

  /** Takes over the result of an import that this or an earlier process has sent. @returns whether it is stored */
  private async adopt(importId: string): Promise<boolean> {
    try {
      const record = await this.client.imports.wait(importId, { signal: this.signal });
      if (record.status !== 'succeeded') return false;
      const { rowsRead, rowsFailed } = record;
      this.output.remark(`The import ${importId} has succeeded; the file is not sent again.`);
      Object.assign(this.summary, { received: rowsRead, rejected: rowsFailed });
      return true;
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      throw error;
    }
  }

  /** The rows of the file that are sent. Positions of rows that are left out are added to `skipped`. */
  private async items(skipped: number[] = []): Promise<AsyncGenerator<Item, void>> {
    const { source, convert, primaryKey } = this.plan;
    const rule = this.flags.onDuplicate ?? 'error';
    const duplicates = rule === 'error' ? undefined : new Duplicates(rule, primaryKey);
    const read = async function* (): AsyncGenerator<Item, void> {
      for await (const row of source.rows()) yield convert(row);
    };
    await duplicates?.prepare(read());
    return (async function* () {
      let position = 0;
      for await (const item of read()) {
        if (duplicates?.check(item, position)) skipped.push(position);
        else yield item;
        position++;
      }
    })();
  }

  /** Without `--on-error continue`, a dry run finds the result of each row, and all rows are stored only if none is invalid. */
  private async importWithResults(directory: string, state: ImportState): Promise<void> {
    const mayContinue = this.flags.onError === 'continue' || this.flags.dryRun === true;
    this.files = await ResultFiles.open(directory, mayContinue ? state.stored.sizes : undefined);
    await this.importInChunks(this.files, state, !mayContinue || this.flags.dryRun === true);
    if (mayContinue || this.summary.rejected > 0) return;
    const { skipped } = this.summary;
    Object.assign(this.summary, { received: 0, created: 0, updated: 0, unchanged: 0, unresolved: 0 });
    await this.importAtOnce(state);
    this.summary.skipped = skipped;
  }

  private async importInChunks(files: ResultFiles | undefined, state: ImportState, dryRun: boolean): Promise<void> {
    const { source, table, convert, primaryKey, columns } = this.plan;
    const { rows: done = 0, totals } = dryRun ? {} : state.stored;
    if (totals) Object.assign(this.summary, totals);
    const duplicates = new Duplicates(this.flags.onDuplicate ?? 'error', primaryKey);
    await duplicates.prepare(mapRows(source.rows(), convert));
    const sent: SourceRow[] = [];
    let read = 0;
    const summary = this.summary;
    const pending = async function* (): AsyncGenerator<Item, void> {
      for await (const row of source.rows()) {
        const position = read++;
        const item = convert(row);
        const duplicate = duplicates.check(item, position);
        if (position < done) continue;
        if (duplicate) {
          await files?.append('rejected', [{ ...row, error: duplicate }]);
          if (duplicate.code === 'duplicate_skipped') summary.skipped++;
          else addError(summary, { ...duplicate, line: row.line });
          continue;
        }
        sent.push(row);
        yield item;
      }
    };
    await table.upsert(pending(), {
      onError: 'continue',
      return: 'items',
      dryRun,
      chunkSize: RESULT_CHUNK_ROWS,
      signal: this.signal,
      ...(dryRun && columns.length > 0 && { columns }),
      onChunk: async ({ items, errors, results, offset }) => {
        const rows = sent.splice(0, items.length);
        const rejected = new Map(errors.map((error) => [(error.index ?? offset) - offset, error]));
        const named = { created: [] as ResultRow[], updated: [] as ResultRow[], rejected: [] as ResultRow[] };
        for (const { index, status } of results) {
          const row = rows[index - offset]!;
          if (status === 'failed') {
            const error = rejected.get(index - offset) ?? { code: 'invalid_row', message: 'The row is not valid.' };
            named.rejected.push({ ...row, error });
            addError(summary, { ...error, line: row.line });
          } else {
            summary[status]++;
            if (status !== 'unchanged') named[status].push(row);
          }
        }
        summary.received += items.length;
        for (const name of ['created', 'updated', 'rejected'] as const) await files?.append(name, named[name]);
        // The next chunk has one row that is read, but not sent.
        if (!dryRun && files) {
          const { received, created, updated, unchanged, rejected: count, skipped } = summary;
          const progress = { received, created, updated, unchanged, rejected: count, skipped };
          await state.save({ rows: read - sent.length, sizes: await files.sizes(), totals: progress });
        }
      },
    });
  }

  private addReport({ totals, errors, tables }: ImportReport): void {
    const { received, created, updated, unchanged, failed } = totals;
    Object.assign(this.summary, { received, created, updated, unchanged, rejected: failed });
    this.summary.unresolved = tables.reduce((sum, { unresolved }) => sum + unresolved.total, 0);
    this.summary.errors = (errors as RowError[]).slice(0, MAX_ERRORS);
  }

  /** Nothing is stored: the report has all errors. */
  private addRejection(error: InvalidRowsError): Promise<void> {
    if (error.rows.length === 0) throw error;
    const rows = new Set(error.rows.map(({ index, line }) => index ?? line));
    this.summary.rejected = Math.max(rows.size, 1);
    this.summary.errors = error.rows.slice(0, MAX_ERRORS);
    return Promise.resolve();
  }

  /** Lines of the errors are those of the sent rows; people look for them in their file. */
  private async findLines(skipped: Set<number>): Promise<void> {
    const positions = new Map<number, RowError[]>();
    for (const error of this.summary.errors) {
      if (error.line === undefined) continue;
      positions.set(error.line - 1, [...(positions.get(error.line - 1) ?? []), error]);
    }
    if (positions.size === 0) return;
    let read = 0;
    let position = 0;
    for await (const { line } of this.plan.source.rows()) {
      if (skipped.has(read++)) continue;
      for (const error of positions.get(position) ?? []) error.line = line;
      position++;
    }
  }
}

async function* mapRows(rows: AsyncIterable<SourceRow>, convert: (row: SourceRow) => Item): AsyncGenerator<Item, void> {
  for await (const row of rows) yield convert(row);
}

function addError(summary: Summary, error: Summary['errors'][number]): void {
  summary.rejected++;
  if (summary.errors.length < MAX_ERRORS) summary.errors.push(error);
}

export function exitCodeOf(summaries: Summary[]): ExitCode {
  return summaries.some(({ rejected }) => rejected > 0) ? EXIT.rowsRejected : EXIT.success;
}
