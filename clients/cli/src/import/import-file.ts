import { randomUUID } from 'node:crypto';
import type { ImportReport, RowError } from '@atrium/client';
import { ConnectionError, InvalidRowsError, NotFoundError } from '@atrium/client';
import type { Context } from '../context.js';
import { findCause, UsageError } from '../exit-codes.js';
import { CHECK_ADDRESS } from '../failure.js';
import { dropAdded, isFinal } from './added-columns.js';
import { ChunkedImport } from './chunked-import.js';
import { Comparison } from './compare.js';
import { openBody } from './import-body.js';
import type { ImportPlan } from './import-plan.js';
import { ImportState } from './import-state.js';
import { toRetryOptions } from './load-summary.js';
import { Progress } from './progress.js';
import { toScope } from './replacement.js';
import { ResultFiles } from './result-files.js';
import { emptySummary, type ImportFlags, MAX_ERRORS, type Summary, addWarnings } from './summary.js';

/** Imports one file as `ImportPlan` describes. */
export class FileImport {
  private readonly summary: Summary;
  private readonly startedAt = Date.now();
  private files: ResultFiles | undefined;
  private isStoredInChunks = false;
  /** Of the request that is in progress. */
  private importId: string | undefined;

  constructor(
    private readonly context: Context,
    private readonly plan: ImportPlan,
    private readonly flags: ImportFlags,
  ) {
    this.summary = emptySummary(plan, flags);
  }

  async run(): Promise<Summary> {
    const { source, table } = this.plan;
    const { dryRun, results, onError, onDuplicate, resume = false, replace, filter, under } = this.flags;
    const identity = [table.path, this.plan.mapping, { dryRun, results, onError, onDuplicate, replace, filter, under }];
    const state = await ImportState.open(source, identity, resume);
    const progress = await Progress.start(this.context.output, source, async () =>
      this.importId === undefined
        ? undefined
        : this.context.client.imports.get(this.importId, { signal: this.context.signal }),
    );
    const { watch } = this.context;
    watch.describeState = () => this.describeState();
    try {
      if (dryRun) await this.importRows(state);
      else await this.importIntoColumns(state);
    } catch (error) {
      throw this.explainEnd(error);
    } finally {
      watch.describeState = () => undefined;
      progress.stop();
    }
    if (this.summary.rejected === 0 || onError === 'continue') await state.remove();
    this.summary.seconds = Math.round((Date.now() - this.startedAt) / 100) / 10;
    await this.files?.writeSummary({ ...this.summary, options: toRetryOptions(this.plan, this.flags) });
    return this.summary;
  }

  /** What is stored so far, and how to continue. */
  private describeState(): string {
    const { dryRun, isResumable } = this.flags;
    if (dryRun) return 'Nothing was stored: this is a dry run.';
    const { received, created, updated, isStored } = this.summary;
    const count = (value: number): string => value.toLocaleString('en');
    const stored = this.isStoredInChunks
      ? `Stored so far: ${count(created)} created and ${count(updated)} updated rows, of the first ${count(received)} rows.`
      : isStored
        ? 'The file is stored.'
        : 'The service stores all rows of the file or none; it finishes a file that it has received completely.';
    return isResumable
      ? `${stored} Repeat the command with --resume to continue.`
      : `${stored} Repeat the command: rows that are stored remain unchanged.`;
  }

  /** An import that Ctrl-C or a lost connection has ended can be continued. */
  private explainEnd(error: unknown): unknown {
    if (this.context.signal.aborted) return new UsageError(`Interrupted. ${this.describeState()}`);
    const cause = findCause(error);
    if (!(cause instanceof ConnectionError)) return error;
    return new UsageError(`${cause.message}\n${this.describeState()}\n${CHECK_ADDRESS}`);
  }

  /** The table and its columns must exist before the rows. */
  private async importIntoColumns(state: ImportState): Promise<void> {
    const { plan, context } = this;
    const { output, signal } = context;
    const { columns } = plan;
    const added = columns.length > 0 ? await plan.table.upsert([], { columns, signal }) : undefined;
    try {
      await this.importRows(state);
    } catch (error) {
      if (added && isFinal(error, signal)) await dropAdded(plan, added, output);
      throw error;
    }
    const { rejected, isStored, created, updated, unchanged, proposals } = this.summary;
    const hasStored = proposals.length > 0 || (isStored && created + updated + unchanged > 0);
    if (added && rejected > 0 && !hasStored) await dropAdded(plan, added, output);
  }

  private importRows(state: ImportState): Promise<void> {
    const { dryRun, results, replace } = this.flags;
    if (results !== undefined) return this.importWithResults(results, state);
    // A dry run sends the columns with the rows, and creates nothing.
    const needsColumns = dryRun && this.plan.addedColumns.length > 0 && !(replace && this.plan.exists);
    return needsColumns ? this.importInChunks(undefined, state, true) : this.importAtOnce(state);
  }

  /** One request, all or nothing. The memory does not grow with the file. */
  private async importAtOnce(state: ImportState): Promise<void> {
    if (state.stored.importId !== undefined && (await this.adopt(state.stored.importId))) return;
    try {
      await this.send(state);
    } catch (error) {
      this.addRejection(error);
    }
  }

  private async send(state: ImportState): Promise<void> {
    const { table, exists, addedColumns } = this.plan;
    const { dryRun = false, onDuplicate, onError, replace, maxDeletions } = this.flags;
    const importId = randomUUID();
    this.importId = importId;
    await state.save({ importId });
    const { body, format } = openBody(this.plan);
    try {
      const report = await table.import(body, {
        ...format,
        ...(replace && { mode: 'replace', maxDeletions, ...toScope(this.flags) }),
        // A dry run adds no columns.
        unknownColumns: dryRun && exists && addedColumns.length > 0 ? 'ignore' : undefined,
        ...{ onDuplicate, onError, importId, dryRun, signal: this.context.signal },
      });
      await this.addReport(report);
    } catch (error) {
      if (!(error instanceof ConnectionError) || !(await this.adopt(importId))) throw error;
    }
  }

  /** Takes over the result of an import that this or an earlier process has sent. @returns whether it is stored */
  private async adopt(importId: string): Promise<boolean> {
    try {
      const record = await this.context.client.imports.wait(importId, { signal: this.context.signal });
      if (record.status !== 'succeeded' && record.status !== 'proposed') return false;
      this.context.output.remark(`The service has finished the import ${importId}; the file is not sent again.`);
      if (record.report) await this.addReport(record.report);
      return true;
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      throw error;
    }
  }

  /**
   * A dry run in chunks finds the result of each row, and then one import stores all rows, if none is invalid. With
   * `--on-error continue` the chunks store the rows, except for a replacement, which needs all rows at once.
   */
  private async importWithResults(directory: string, state: ImportState): Promise<void> {
    const { dryRun = false, onError, replace = false } = this.flags;
    const storesChunks = onError === 'continue' && !dryRun && !replace;
    const { header, primaryKey, source } = this.plan;
    const sizes = storesChunks ? state.stored.sizes : undefined;
    const delimiter = source.header.length > 1 ? source.delimiter : ',';
    const isNdjson = source.kind === 'ndjson';
    this.isStoredInChunks = storesChunks;
    this.files = await ResultFiles.open(directory, { header, primaryKey, sizes, delimiter, isNdjson });
    await this.importInChunks(this.files, state, !storesChunks);
    this.summary.isStored = storesChunks && this.summary.proposals.length === 0;
    if (storesChunks || (this.summary.rejected > 0 && onError !== 'continue')) return;
    // A dry run of a replacement also reports its deletions.
    if (dryRun && !(replace && this.plan.exists)) return;
    if (dryRun) await this.files.appendDeleted(this.readDeletions());
    const { skipped } = this.summary;
    Object.assign(this.summary, emptySummary(this.plan, this.flags));
    await this.importAtOnce(state);
    this.summary.skipped = skipped;
  }

  private importInChunks(files: ResultFiles | undefined, state: ImportState, dryRun: boolean): Promise<void> {
    return new ChunkedImport(this.plan, this.flags, this.summary, {
      files,
      state,
      dryRun,
      signal: this.context.signal,
    }).run();
  }

  /** The keys of the rows that this import has deleted; others may have deleted rows since. */
  private async *readDeleted(revision: number): AsyncGenerator<string, void> {
    for await (const change of this.plan.table.changes({ since: revision - 1, signal: this.context.signal })) {
      if (change.revision > revision) return;
      if (change.deleted) yield change.key;
    }
  }

  /** The keys of the rows that a replacement would delete. */
  private async *readDeletions(): AsyncGenerator<string, void> {
    for await (const difference of new Comparison(this.plan, this.flags, this.context.signal).differences())
      if (difference.change === 'delete') yield difference.key;
  }

  private async addReport({ totals, errors, tables, batchId, proposalId, warnings }: ImportReport): Promise<void> {
    const { received, created, updated, unchanged, failed, deleted, skipped = 0 } = totals;
    Object.assign(this.summary, {
      ...{ received, created, updated, unchanged, skipped, rejected: failed, deleted, guard: tables[0]?.guard },
      unresolved: tables.reduce((sum, { unresolved }) => sum + unresolved.total, 0),
      batches: batchId === undefined ? [] : [batchId],
      proposals: proposalId === undefined ? [] : [proposalId],
      errors: (errors as RowError[]).slice(0, MAX_ERRORS),
      isStored: !this.flags.dryRun && proposalId === undefined,
    });
    const warned = warnings?.summary.reduce((sum, { count }) => sum + count, 0);
    addWarnings(this.summary, warnings?.errors ?? [], warned);
    if (deleted && this.summary.isStored) await this.files?.appendDeleted(this.readDeleted(tables[0]!.revision));
  }

  /** Nothing is stored: the report has all errors. @throws all other errors */
  private addRejection(error: unknown): void {
    if (!(error instanceof InvalidRowsError) || error.rows.length === 0) throw error;
    const rows = new Set(error.rows.map(({ index, line }) => index ?? line));
    this.summary.rejected = Math.max(rows.size, 1);
    this.summary.errors = error.rows.slice(0, MAX_ERRORS);
  }
}
