import { Reply } from '../../../platform/http/envelope.js';
import type { UpsertReportDto } from './dto/upsert-report.dto.js';

/** 207 if rows failed, 201 if a table was created, else 200; never 201 for a dry run. */
export function toUpsertReply<Report extends UpsertReportDto>(report: Report, isDryRun: boolean): Reply<Report> {
  const { failed } = report.totals;
  const rows = failed === 1 ? '1 row' : `${failed} rows`;
  if (failed > 0) {
    const message = isDryRun
      ? `Dry run: nothing was stored; ${rows} could not be`
      : `${rows} ${failed === 1 ? 'was' : 'were'} not stored`;
    return new Reply(report, { status: 207, message });
  }
  if (isDryRun) return new Reply(report, { status: 200, message: 'Dry run: nothing was stored' });
  const isTableCreated = report.tables.some(({ tableCreated }) => tableCreated);
  return new Reply(report, { status: isTableCreated ? 201 : 200, message: 'Stored' });
}
