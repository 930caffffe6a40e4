import { randomUUID } from 'node:crypto';
import type { ImportReport } from '@atrium/client';
import { AtriumError, ConnectionError, InvalidRowsError } from '@atrium/client';
import type { Context } from '../context.js';
import { findCause, UsageError } from '../exit-codes.js';
import { CHECK_ADDRESS, type ReportedError } from '../failure.js';
import { toAbsolute } from '../io.js';
import { dropAdded, isFinal } from './added-columns.js';
import { openBody } from './import-body.js';
import type { ImportPlan } from './import-plan.js';
import { ImportState } from './import-state.js';
import { writeResults } from './load-results.js';
import { Progress } from './progress.js';
import { type LoadFlags, toScope } from './load-flags.js';
import { adoptImport, sendImport } from './send-import.js';
import { emptySummary, MAX_ERRORS, type Summary } from './summary.js';

/** Imports one file as `ImportPlan` describes. */
export class FileImport {
  /** What is done so far. */
  readonly summary: Summary;
  private readonly startedAt = Date.now();
  /** Of the last request. */
  private importId: string | undefined;
  private explainError = (error: ReportedError): ReportedError => error;

  constructor(
    private readonly context: Context,
    private readonly plan: ImportPlan,
    private readonly flags: LoadFlags,
  ) {
    this.summary = emptySummary(plan, flags);
  }

  async run(): Promise<Summary> {
    const { source, table } = this.plan;
    const { dryRun, results, onError, onDuplicate, resume = false, replace, filter, under, sheet } = this.flags;
    const { io, output, client, signal, watch } = this.context;
    const { kind, encoding, delimiter, quote, headerRow, layout } = source;
    const reading = { kind, encoding, delimiter, quote, headerRow, layout, sheet };
    const options = { dryRun, results, onError, onDuplicate, replace, filter, under };
    const identity = [table.path, this.plan.mapping, options, reading];
    const state = await ImportState.open(source, identity, resume, io);
    const progress = await Progress.start(output, source, async () =>
      this.importId === undefined ? undefined : client.imports.get(this.importId, { signal }),
    );
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
    this.summary.notRead = source.droppedLines.describe();
    return this.summary;
  }

  /** What is stored so far, and how to continue. */
  private describeState(): string {
    const { dryRun, isResumable } = this.flags;
    if (dryRun) return 'Nothing was stored: this is a dry run.';
    const stored = this.summary.isStored
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
    if (cause instanceof AtriumError && cause.status >= 500) this.context.output.remark(this.describeState());
    if (!(cause instanceof ConnectionError)) return error;
    return new UsageError(`${cause.message}\n${this.describeState()}\n${CHECK_ADDRESS}`);
  }

  /** The table and its columns must exist before the rows. */
  private async importIntoColumns(state: ImportState): Promise<void> {
    const { plan, context } = this;
    const { output, signal } = context;
    const { columns, addedColumns } = plan;
    const added = addedColumns.length > 0 ? (await plan.table.upsert([], { columns, signal })).tables[0] : undefined;
    try {
      await this.importRows(state);
    } catch (error) {
      if (added && !this.hasStored && isFinal(error, signal)) await dropAdded(plan, added, output);
      throw error;
    }
    if (added && this.summary.rejected > 0 && !this.hasStored) await dropAdded(plan, added, output);
  }

  /** Is any row stored, or does it wait for approval? */
  private get hasStored(): boolean {
    const { isStored, created, updated, unchanged, proposals } = this.summary;
    return proposals.length > 0 || (isStored && created + updated + unchanged > 0);
  }

  /** One request, all or nothing. The memory does not grow with the file. */
  private async importRows(state: ImportState): Promise<void> {
    const { results } = this.flags;
    const report = await this.importAtOnce(state);
    if (report) this.addReport(report);
    if (results === undefined) return;
    const { context, plan, flags, importId } = this;
    const finished = { ...context, plan, flags, importId: importId!, report };
    if (!(await writeResults(toAbsolute(results, context.io), finished)))
      throw new UsageError(
        `The files in ${results} are not complete: the file or the table was changed before they were written. ${this.describeState()}`,
      );
  }

  /** @returns undefined if invalid rows prevent the import */
  private async importAtOnce(state: ImportState): Promise<ImportReport | undefined> {
    const { importId } = state;
    try {
      const report = importId === undefined ? undefined : await adoptImport(importId, this.context);
      if (!report) return await this.send(state);
      this.importId = importId;
      return report;
    } catch (error) {
      await this.addRejection(error);
      return undefined;
    }
  }

  private async send(state: ImportState): Promise<ImportReport> {
    const importId = randomUUID();
    this.importId = importId;
    await state.save(importId);
    return sendImport(importId, this.context, () => this.upload(importId));
  }

  private upload(importId: string): Promise<ImportReport> {
    const { table, columns, addedColumns } = this.plan;
    const { dryRun = false, onDuplicate, onError, replace, maxDeletions } = this.flags;
    const { body, format, explainError } = openBody(this.plan);
    this.explainError = explainError;
    const replacement = replace ? { mode: 'replace' as const, maxDeletions, ...toScope(this.flags) } : {};
    return table.import(body, {
      ...format,
      ...replacement,
      // Of any other import, the columns exist before it.
      createColumns: dryRun && addedColumns.length > 0 ? columns : undefined,
      onDuplicate,
      onError,
      importId,
      dryRun,
      signal: this.context.signal,
    });
  }

  private addReport({ totals, errors, tables, batchId, proposalId, warnings }: ImportReport): void {
    const { received, created, updated, unchanged, failed, deleted, skipped = 0 } = totals;
    Object.assign(this.summary, {
      received,
      created,
      updated,
      unchanged,
      skipped,
      rejected: failed,
      deleted,
      guard: tables[0]?.guard,
      unresolved: tables.reduce((sum, { unresolved }) => sum + unresolved.total, 0),
      batches: batchId === undefined ? [] : [batchId],
      proposals: proposalId === undefined ? [] : [proposalId],
      errors: errors.slice(0, MAX_ERRORS).map(this.explainError),
      isStored: !this.flags.dryRun && proposalId === undefined,
      warned: warnings?.summary.reduce((sum, { count }) => sum + count, 0) ?? 0,
      warnings: warnings?.errors.slice(0, MAX_ERRORS) ?? [],
    });
  }

  /** Nothing is stored because of invalid rows. @throws all other errors */
  private async addRejection(error: unknown): Promise<void> {
    if (!(error instanceof InvalidRowsError) || error.rows.length === 0) throw error;
    // The error lists the first rows.
    const { client, signal } = this.context;
    const { rowsRead, rowsFailed } = await client.imports.get(this.importId!, { signal });
    Object.assign(this.summary, { received: rowsRead, rejected: Math.max(rowsFailed, 1) });
    if (this.flags.onError === 'continue') this.summary.reason = error.message;
    this.summary.errors = error.rows.slice(0, MAX_ERRORS).map(this.explainError);
  }
}
