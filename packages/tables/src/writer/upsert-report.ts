import type { WrittenTable } from '../history/batch.js';
import type { RowStatus, UnresolvedReferences } from '../sources/row-source.js';
import type { ChangeReport, DeletionGuard, RowCounts, TableReport } from './report.js';
import type { RowErrors } from '../sources/row-errors.js';
import { type LockedTable, reportErrors, type TablePlan } from './table-plan.js';

/** What a merge has written to a table. Rows that were neither created nor updated were equal. */
export interface MergedRows {
  created: number;
  updated: number;
  /** The statuses of the written rows by key. Empty for the rows of a file. */
  statuses: Map<string, RowStatus>;
}

/** A table whose rows are written. */
export interface MergedTable extends LockedTable {
  /** The revision that the table had. */
  fromRevision: number;
  written: MergedRows;
  /** If only a part of the table is replaced: the keys of written rows that are not in it. Such rows are rejected. */
  outsideScope: readonly string[];
  /** Of a replacement. */
  guard: DeletionGuard | undefined;
  /** Rows that it has deleted. */
  deleted: number;
  unresolved: UnresolvedReferences;
  /** Violated constraints that are warnings. */
  warnings: RowErrors;
}

/** @param withItems include a result per row. */
export function toUpsertReport(tables: readonly MergedTable[], withItems: boolean): ChangeReport {
  const reports = tables.map((table) => toTableReport(table, withItems));
  const warnings = reportErrors(tables.map(({ plan: { input }, warnings: errors }) => ({ input, errors })));
  return {
    revision: Math.max(0, ...reports.map((report) => report.revision)),
    totals: sumCounts(reports),
    ...reportErrors(tables.map(({ plan: { input, source } }) => ({ input, errors: source.errors }))),
    tables: reports,
    warnings: warnings.summary.length > 0 ? warnings : undefined,
  };
}

/** The report of a load that waits for approval: what it would do. The revisions are unchanged. */
export function toProposedReport(report: ChangeReport, written: readonly WrittenTable[]): ChangeReport {
  const tables = report.tables.map((table, at) => ({ ...table, revision: written[at]!.fromRevision }));
  return { ...report, revision: Math.max(0, ...tables.map(({ revision }) => revision)), tables };
}

/** The report without the results of rows. */
export function withoutItems(report: ChangeReport): ChangeReport {
  return { ...report, tables: report.tables.map((table) => ({ ...table, items: undefined })) };
}

function toTableReport(
  { plan, table, isNew, written, guard, deleted, unresolved }: MergedTable,
  withItems: boolean,
): TableReport {
  const { columns, source } = plan;
  const { received, skipped } = source;
  return {
    type: table.entity,
    id: table.id,
    name: table.name,
    tableCreated: isNew,
    columnsAdded: columns.added.map((column) => column.key),
    columnsIgnored: columns.ignored,
    revision: table.revision,
    received,
    created: written.created,
    updated: written.updated,
    ...countOthers(plan, written),
    skipped: skipped > 0 ? skipped : undefined,
    deleted: guard || plan.input.deletions || deleted > 0 ? deleted : undefined,
    guard,
    unresolved,
    items: withItems ? source.listResults(written.statuses) : undefined,
  };
}

function countOthers({ source }: TablePlan, { created, updated }: MergedRows) {
  const { received, skipped } = source;
  const failed = source.errors.rows;
  return { unchanged: received - failed - skipped - created - updated, failed };
}

function sumCounts(reports: readonly TableReport[]): RowCounts {
  const totals: RowCounts = { received: 0, created: 0, updated: 0, unchanged: 0, failed: 0 };
  for (const report of reports) {
    for (const count of ['received', 'created', 'updated', 'unchanged', 'failed'] as const)
      totals[count] += report[count];
    for (const count of ['skipped', 'deleted'] as const)
      if (report[count] !== undefined) totals[count] = (totals[count] ?? 0) + report[count];
  }
  return totals;
}

/** What a batch records of the table. */
export function toWrittenTable({ table, plan, isNew, fromRevision, written, deleted }: MergedTable): WrittenTable {
  const { created, updated } = written;
  const definition = isNew ? 'created' : plan.columns.added.length > 0 ? 'updated' : undefined;
  const counts = { created, updated, deleted };
  return { table, fromRevision, definition, counts, others: countOthers(plan, written) };
}
