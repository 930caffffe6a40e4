import { Reply } from '../../../platform/http/envelope.js';
import type { WrittenTable } from '../history/batch-recorder.js';
import type { UnresolvedReferencesDto } from '../sources/dto/row-results.dto.js';
import type { DeletionReportDto } from './dto/deletion-report.dto.js';
import type { RowCountsDto, TableReportDto, UpsertReportDto } from './dto/upsert-report.dto.js';
import type { MergedRows } from './merge.repository.js';
import type { DeletionGuard } from './replacer.js';
import { type LockedTable, reportErrors } from './table-plan.js';

/** A table whose rows are written. */
export interface MergedTable extends LockedTable {
  /** The revision that the table had. */
  fromRevision: number;
  written: MergedRows;
  /** Of a replacement. */
  guard: DeletionGuard | undefined;
  /** Rows that it has deleted. */
  deleted: number;
  unresolved: UnresolvedReferencesDto;
}

/** @param withItems include a result per row. */
export function toUpsertReport(tables: readonly MergedTable[], withItems: boolean): UpsertReportDto {
  const reports = tables.map((table) => toTableReport(table, withItems));
  return {
    revision: Math.max(0, ...reports.map((report) => report.revision)),
    totals: sumCounts(reports),
    ...reportErrors(tables.map(({ plan }) => plan)),
    tables: reports,
  };
}

/** 207 if rows failed, 201 if a table was created, else 200; never 201 for a dry run. */
export function toUpsertReply<Report extends UpsertReportDto>(report: Report, isDryRun: boolean): Reply<Report> {
  const isTableCreated = report.tables.some(({ tableCreated }) => tableCreated);
  return toReply(report, isDryRun, { done: 'stored', status: isTableCreated ? 201 : 200 });
}

/** 207 if keys are invalid, else 200. */
export function toDeletionReply(report: DeletionReportDto, isDryRun: boolean): Reply<DeletionReportDto> {
  return toReply(report, isDryRun, { done: 'deleted', status: 200 });
}

function toReply<Report extends { totals: { failed: number } }>(
  report: Report,
  isDryRun: boolean,
  { done, status }: { done: 'stored' | 'deleted'; status: number },
): Reply<Report> {
  const { failed } = report.totals;
  const rows = failed === 1 ? '1 row' : `${failed} rows`;
  if (failed > 0) {
    const message = isDryRun
      ? `Dry run: nothing was ${done}; ${rows} could not be`
      : `${rows} ${failed === 1 ? 'was' : 'were'} not ${done}`;
    return new Reply(report, { status: 207, message });
  }
  if (isDryRun) return new Reply(report, { status: 200, message: `Dry run: nothing was ${done}` });
  return new Reply(report, { status, message: done === 'stored' ? 'Stored' : 'Deleted' });
}

function toTableReport(
  { plan, table, isNew, written, guard, deleted, unresolved }: MergedTable,
  withItems: boolean,
): TableReportDto {
  const { columns, source } = plan;
  const { created, updated } = written;
  const { received, skipped } = source;
  const failed = source.errors.rows;
  return {
    type: table.entity,
    id: table.id,
    name: table.name,
    tableCreated: isNew || plan.created !== undefined,
    columnsAdded: [...(plan.created ?? columns.added.map((column) => column.key))],
    columnsIgnored: columns.ignored,
    revision: table.revision,
    received,
    created,
    updated,
    unchanged: received - failed - skipped - created - updated,
    failed,
    skipped: skipped > 0 ? skipped : undefined,
    deleted: guard && deleted,
    guard,
    unresolved,
    items: withItems ? source.listResults(written.statuses) : undefined,
  };
}

function sumCounts(reports: readonly TableReportDto[]): RowCountsDto {
  const totals: RowCountsDto = { received: 0, created: 0, updated: 0, unchanged: 0, failed: 0 };
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
  return { table, fromRevision, definition, counts: { created, updated, deleted } };
}
