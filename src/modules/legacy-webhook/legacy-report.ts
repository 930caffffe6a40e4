import type { BulkService } from '../workspace-tables/bulk/bulk.service.js';
import type { ArrayReportDto, LegacyCountsDto, LegacyReportDto } from './dto/legacy-report.dto.js';
import { legacyFault, type SentArray } from './legacy-errors.js';
import { fieldOf, type LegacyRows } from './legacy-records.js';

type BulkReport = Awaited<ReturnType<BulkService['upsert']>>;

/** An array of a request with the rows that were made of it. */
export type ReadArray = SentArray & LegacyRows;

/** The answer to a call: what bulk reports of its tables, told of the arrays that were sent. */
export function legacyReport(
  arrays: readonly ReadArray[],
  unmapped: string[],
  { tables }: Pick<BulkReport, 'tables'>,
): LegacyReportDto {
  const reports = arrays.map((sent, position) => arrayReport(sent, tables[position]!));
  const totals: LegacyCountsDto = { received: 0, created: 0, updated: 0, unchanged: 0, failed: 0, collapsed: 0 };
  for (const report of reports)
    for (const count of Object.keys(totals) as (keyof LegacyCountsDto)[]) totals[count] += report[count];
  return { totals, arrays: reports, unmapped };
}

function arrayReport(sent: ReadArray, table: BulkReport['tables'][number]): ArrayReportDto {
  const { created, updated, unchanged, failed } = table;
  return {
    array: sent.mapping.array,
    table: { id: table.id, type: table.type, name: table.name },
    tableCreated: table.tableCreated,
    columnsAdded: table.columnsAdded,
    revision: table.revision,
    received: sent.records.length,
    created,
    updated,
    unchanged,
    failed,
    collapsed: sent.duplicates.total,
    duplicates: sent.duplicates.first,
    fieldsNotMapped: sent.fieldsNotMapped,
    unresolved: {
      total: table.unresolved.total,
      first: table.unresolved.first.map(({ index: item, column, value }) => {
        const index = sent.indexes[item]!;
        return { index, field: fieldOf(sent.mapping, column, sent.records[index]) ?? column, value };
      }),
    },
    errors: table.errors.map((fault) => legacyFault(sent, fault)),
  };
}
