import { MAX_LISTED_ERRORS } from '../../../platform/http/domain-error.js';
import type {
  UpsertReportDto,
  RowCountsDto,
  RowResultDto,
  RowStatus,
  TableReportDto,
} from './dto/upsert-report.dto.js';
import type { UnresolvedReference } from './table-references.js';
import type { CheckedTable, TableOutcome } from './table-writer.js';
import type { TableError } from '../workspace-tables.errors.js';

/** Unresolved links that are listed; the total counts them all. */
const MAX_LISTED_LINKS = 20;

/** What happened to one table, with the links that have no target once all tables were written. */
export interface FinishedTable extends TableOutcome {
  unresolved: UnresolvedReference[];
}

/** A table and the errors of its rows. */
export type TableWithErrors = Pick<CheckedTable, 'plan' | 'errors'>;

/** The answer to a bulk request. */
export function toUpsertReport(tables: readonly FinishedTable[], withItems: boolean): UpsertReportDto {
  let listed = 0;
  const reports = tables.map((table) => {
    const report = tableReport(table, withItems, MAX_LISTED_ERRORS - listed);
    listed += report.errors.length;
    return report;
  });
  return {
    revision: Math.max(0, ...reports.map((report) => report.revision)),
    totals: sum(reports),
    tables: reports,
  };
}

/** The errors of the tables' rows that are listed, in the order sent. */
export function listErrors(tables: readonly TableWithErrors[]): TableError[] {
  return tables.flatMap(({ plan, errors }) =>
    errors.first.map((fault) => ({ type: plan.batch.entity, table: plan.batch.name, ...fault })),
  );
}

function tableReport(outcome: FinishedTable, withItems: boolean, room: number): TableReportDto {
  const { table, plan, unresolved } = outcome;
  return {
    type: table.entity,
    id: table.id,
    name: table.name,
    tableCreated: outcome.created,
    columnsAdded: plan.columns.added.map((column) => column.key),
    columnsIgnored: plan.columns.ignored,
    revision: table.revision,
    ...countsOf(outcome),
    unresolved: { total: unresolved.length, first: unresolved.slice(0, MAX_LISTED_LINKS) },
    errors: listErrors([outcome]).slice(0, room),
    ...(withItems ? { items: rowResults(outcome) } : {}),
  };
}

function countsOf({ plan, rows, written: { created, updated } }: TableOutcome): RowCountsDto {
  const received = plan.batch.items.length;
  return {
    received,
    created,
    updated,
    unchanged: rows.keys.length - created - updated,
    failed: received - rows.keys.length,
  };
}

function rowResults({ plan, rows, written, errors }: TableOutcome): RowResultDto[] {
  const results: RowResultDto[] = plan.batch.items.map((_, index) => ({ index, key: null, status: 'failed' }));
  for (const [index, key] of errors.rows) results[index]!.key = key;
  rows.keys.forEach((key, row) => {
    const index = rows.indexes[row]!;
    results[index] = { index, key, status: statusOf(key, written) };
  });
  return results;
}

function statusOf(key: string, written: TableOutcome['written']): RowStatus {
  if (written.createdKeys.has(key)) return 'created';
  return written.updatedKeys.has(key) ? 'updated' : 'unchanged';
}

function sum(reports: readonly TableReportDto[]): RowCountsDto {
  const totals: RowCountsDto = { received: 0, created: 0, updated: 0, unchanged: 0, failed: 0 };
  for (const report of reports) {
    for (const count of Object.keys(totals) as (keyof RowCountsDto)[]) totals[count] += report[count];
  }
  return totals;
}
