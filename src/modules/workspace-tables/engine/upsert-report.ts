import { MAX_LISTED_ERRORS } from '../../../platform/http/domain-error.js';
import type { RowCountsDto, TableReportDto, UpsertReportDto } from './dto/upsert-report.dto.js';
import type { WrittenRows } from './merge.repository.js';
import type { UnresolvedReferences } from './row-source.js';
import { listErrors, type LockedTable } from './table-plan.js';

/** A table whose rows are written. */
export interface MergedTable extends LockedTable {
  written: WrittenRows;
  unresolved: UnresolvedReferences;
}

/** @param withItems include a result per row. */
export function toUpsertReport(tables: readonly MergedTable[], withItems: boolean): UpsertReportDto {
  let listed = 0;
  const reports = tables.map((table) => {
    const report = toTableReport(table, withItems, MAX_LISTED_ERRORS - listed);
    listed += report.errors.length;
    return report;
  });
  return {
    revision: Math.max(0, ...reports.map((report) => report.revision)),
    totals: sumCounts(reports),
    tables: reports,
  };
}

function toTableReport(
  { plan, table, isNew, written, unresolved }: MergedTable,
  withItems: boolean,
  maxErrors: number,
): TableReportDto {
  const { columns, source } = plan;
  const { created, updated } = written;
  const { received } = source;
  const failed = source.errors.rows;
  return {
    type: table.entity,
    id: table.id,
    name: table.name,
    tableCreated: isNew,
    columnsAdded: columns.added.map((column) => column.key),
    columnsIgnored: columns.ignored,
    revision: table.revision,
    received,
    created,
    updated,
    unchanged: received - failed - created - updated,
    failed,
    unresolved,
    errors: listErrors(plan).slice(0, maxErrors),
    ...(withItems ? { items: source.listResults(written.statuses) } : {}),
  };
}

function sumCounts(reports: readonly TableReportDto[]): RowCountsDto {
  const totals: RowCountsDto = { received: 0, created: 0, updated: 0, unchanged: 0, failed: 0 };
  for (const report of reports) {
    for (const count of Object.keys(totals) as (keyof RowCountsDto)[]) totals[count] += report[count];
  }
  return totals;
}
