import { Reply } from '../../../platform/http/envelope.js';
import type { BatchOrigin } from '../../../../packages/tables/src/history/batch-records.repository.js';
import type { DeletionReportDto, UpsertQueryDto, UpsertReportDto } from './dto/upsert-report.dto.js';

/** The description of the status 202 of routes that load rows. */
export const WAITS_FOR_APPROVAL = 'The proposal `proposalId` waits for approval. Nothing was stored.';

/** The options of a write that its query contains. */
export function toWriteOptions(query: UpsertQueryDto & { return?: 'items' }, origin: BatchOrigin) {
  const continueOnError = query.onError === 'continue';
  return { continueOnError, dryRun: query.dryRun === 'true', returnItems: query.return === 'items', origin };
}

/** The response to a load that waits for approval. */
export function toProposedReply<Report>(report: Report): Reply<Report> {
  return new Reply(report, { status: 202, message: 'Waits for approval' });
}

/**
 * The status is 202 if the rows wait for approval, 207 if rows failed, 201 if a table was created, and else 200. A dry
 * run has no status 201.
 */
export function toUpsertReply<Report extends UpsertReportDto>(report: Report, isDryRun: boolean): Reply<Report> {
  const isTableCreated = report.tables.some(({ tableCreated }) => tableCreated);
  return toReply(report, isDryRun, { done: 'stored', status: isTableCreated ? 201 : 200 });
}

/** 202 if the deletions wait for approval, 207 if keys are invalid, else 200. */
export function toDeletionReply(report: DeletionReportDto, isDryRun: boolean): Reply<DeletionReportDto> {
  return toReply(report, isDryRun, { done: 'deleted', status: 200 });
}

function toReply<Report extends { proposalId?: string; totals: { failed: number } }>(
  report: Report,
  isDryRun: boolean,
  { done, status }: { done: 'stored' | 'deleted'; status: number },
): Reply<Report> {
  if (report.proposalId !== undefined) return toProposedReply(report);
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
