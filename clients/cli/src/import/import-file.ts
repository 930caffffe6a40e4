import { randomUUID } from 'node:crypto';
import type { AtriumClient, ImportReport, RowError } from '@atrium/client';
import { ConnectionError, InvalidRowsError, NotFoundError } from '@atrium/client';
import type { Output } from '../output.js';
import { AddedColumns, isFinal } from './added-columns.js';
import { ChunkedImport } from './chunked-import.js';
import { compareFile } from './compare.js';
import { openBody } from './import-body.js';
import type { ImportPlan } from './import-plan.js';
import { ImportState } from './import-state.js';
import { Progress } from './progress.js';
import { toScope } from './replacement.js';
import { ResultFiles } from './result-files.js';
import { emptySummary, type ImportFlags, MAX_ERRORS, type Summary } from './summary.js';

const MAX_BUFFERED = 1_000;

/** Imports one file as `ImportPlan` describes. */
export class FileImport {
  private readonly summary: Summary;
  private readonly startedAt = Date.now();
  private files: ResultFiles | undefined;
  /** Of the request that is in progress. */
  private importId: string | undefined;

  constructor(
    private readonly client: AtriumClient,
    private readonly plan: ImportPlan,
    private readonly flags: ImportFlags,
    private readonly output: Output,
    private readonly signal: AbortSignal,
  ) {
    this.summary = emptySummary(plan, flags);
  }

  async run(): Promise<Summary> {
    const { source, table } = this.plan;
    const { dryRun, results, onError, onDuplicate, resume = false, replace, filter, under } = this.flags;
    const identity = [table.path, this.plan.mapping, { dryRun, results, onError, onDuplicate, replace, filter, under }];
    const state = await ImportState.open(source, identity, resume);
    const progress = await Progress.start(this.output, source, async () =>
      this.importId === undefined ? undefined : this.client.imports.get(this.importId, { signal: this.signal }),
    );
    try {
      if (dryRun) await this.importRows(state);
      else await this.importIntoColumns(state);
    } finally {
      progress.stop();
    }
    if (this.summary.rejected === 0 || onError === 'continue') await state.remove();
    this.summary.seconds = Math.round((Date.now() - this.startedAt) / 100) / 10;
    await this.files?.writeSummary(this.summary);
    return this.summary;
  }

  /** The table and its columns must exist before the rows. */
  private async importIntoColumns(state: ImportState): Promise<void> {
    const added = await AddedColumns.create(this.plan, this.output, this.signal);
    try {
      await this.importRows(state);
    } catch (error) {
      if (isFinal(error, this.signal)) await added.drop();
      throw error;
    }
    const { rejected, isStored, created, updated, unchanged } = this.summary;
    if (rejected > 0 && (!isStored || created + updated + unchanged === 0)) await added.drop();
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
        ...(onDuplicate && { onDuplicate }),
        ...(onError && { onError }),
        ...(replace && { mode: 'replace' as const, ...toScope(this.flags) }),
        ...(replace && maxDeletions !== undefined && { maxDeletions }),
        // A dry run adds no columns.
        ...(dryRun && exists && addedColumns.length > 0 && { unknownColumns: 'ignore' as const }),
        ...{ importId, dryRun, signal: this.signal },
      });
      await this.addReport(report);
    } catch (error) {
      if (!(error instanceof ConnectionError) || !(await this.adopt(importId))) throw error;
    }
  }

  /** Takes over the result of an import that this or an earlier process has sent. @returns whether it is stored */
  private async adopt(importId: string): Promise<boolean> {
    try {
      const record = await this.client.imports.wait(importId, { signal: this.signal });
      if (record.status !== 'succeeded') return false;
      this.output.remark(`The import ${importId} has succeeded; the file is not sent again.`);
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
    this.files = await ResultFiles.open(directory, {
      header,
      primaryKey,
      sizes,
      delimiter: source.header.length > 1 ? source.delimiter : ',',
      isNdjson: source.kind === 'ndjson',
    });
    await this.importInChunks(this.files, state, !storesChunks);
    this.summary.isStored = storesChunks;
    if (storesChunks || (this.summary.rejected > 0 && onError !== 'continue')) return;
    // A dry run of a replacement also reports its deletions.
    if (dryRun && !(replace && this.plan.exists)) return;
    if (dryRun) await this.listDeletions(this.files);
    const { skipped } = this.summary;
    Object.assign(this.summary, emptySummary(this.plan, this.flags));
    await this.importAtOnce(state);
    this.summary.skipped = skipped;
  }

  private importInChunks(files: ResultFiles | undefined, state: ImportState, dryRun: boolean): Promise<void> {
    return new ChunkedImport(this.plan, this.flags, this.summary, { files, state, dryRun, signal: this.signal }).run();
  }

  /** The keys of the rows that this import has deleted; others may have deleted rows since. */
  private async listDeleted(files: ResultFiles, revision: number): Promise<void> {
    const keys = new KeyBuffer(files);
    for await (const change of this.plan.table.changes({ since: revision - 1, signal: this.signal })) {
      if (change.revision > revision) break;
      if (change.deleted) await keys.add(change.key);
    }
    await keys.flush();
  }

  /** The keys of the rows that a replacement would delete. */
  private async listDeletions(files: ResultFiles): Promise<void> {
    const keys = new KeyBuffer(files);
    await compareFile(this.plan, this.flags, this.signal, async ({ change, key }) => {
      if (change === 'delete') await keys.add(key);
    });
    await keys.flush();
  }

  private async addReport({ totals, errors, tables, batchId }: ImportReport): Promise<void> {
    const { received, created, updated, unchanged, failed, deleted, skipped = 0 } = totals;
    const guard = tables[0]?.guard;
    Object.assign(this.summary, {
      ...{ received, created, updated, unchanged, skipped, rejected: failed },
      ...(deleted !== undefined && { deleted }),
      ...(guard && { guard }),
      unresolved: tables.reduce((sum, { unresolved }) => sum + unresolved.total, 0),
      batches: batchId === undefined ? [] : [batchId],
      errors: (errors as RowError[]).slice(0, MAX_ERRORS),
      isStored: !this.flags.dryRun,
    });
    if (this.files && deleted && !this.flags.dryRun) await this.listDeleted(this.files, tables[0]!.revision);
  }

  /** Nothing is stored: the report has all errors. @throws all other errors */
  private addRejection(error: unknown): void {
    if (!(error instanceof InvalidRowsError) || error.rows.length === 0) throw error;
    const rows = new Set(error.rows.map(({ index, line }) => index ?? line));
    this.summary.rejected = Math.max(rows.size, 1);
    this.summary.errors = error.rows.slice(0, MAX_ERRORS);
  }
}

/** Writes keys in portions. */
class KeyBuffer {
  private keys: string[] = [];

  constructor(private readonly files: ResultFiles) {}

  async add(key: string): Promise<void> {
    this.keys.push(key);
    if (this.keys.length >= MAX_BUFFERED) await this.flush();
  }

  flush(): Promise<void> {
    return this.files.appendDeleted(this.keys.splice(0));
  }
}
