import type { ImportReportDto } from './dto/imports.dto.js';
import type { Merged } from '../engine/import-merge.js';

/** The answer to an import: what bulk would have answered, with the lines. */
export function reportOf(importId: string, { table, rows, created, updated, unresolved }: Merged): ImportReportDto {
  const { received, errors } = rows;
  const failed = errors.rows;
  const counts = { received, created, updated, unchanged: received - failed - created - updated, failed };
  const report = {
    type: table.entity,
    id: table.id,
    name: table.name,
    tableCreated: false,
    columnsAdded: [],
    columnsIgnored: [],
    revision: table.revision,
    ...counts,
    unresolved,
    errors: errors.first.map((fault) => ({ type: table.entity, table: table.name, ...fault })),
  };
  return { importId, revision: table.revision, totals: counts, tables: [report] };
}
