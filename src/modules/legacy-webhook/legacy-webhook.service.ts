import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { DomainError, toErrorDetails } from '../../../packages/errors/src/domain-error.js';
import type { Principal } from '../../platform/security/principal.js';
import { AuditService } from '../audit/audit.service.js';
import { BulkService } from '../workspace-tables/bulk/bulk.service.js';
import { callerView } from '../workspace-tables/catalog/caller-view.js';
import {
  ColumnConflictError,
  InvalidTablesError,
  type TableError,
} from '../../../packages/tables/src/catalog/tables.errors.js';
import { LegacyReportDto } from './dto/legacy-report.dto.js';
import { type LegacyBody, parseLegacyBody } from './legacy-body.js';
import { LEGACY_MAPPINGS, toColumns } from './legacy-mapping.js';
import { LegacyRecordConverter } from './legacy-records.js';
import { type ConvertedArray, createPrimaryKeyError, toLegacyError, toLegacyReport } from './legacy-report.js';
import { type LegacyTableIds, LegacyTables } from './legacy-tables.js';
import { InvalidRecordsError, LEGACY_ERRORS } from './legacy-webhook.errors.js';

/** The legacy webhook (specification, section 4.3): converts records to a bulk request, and its report back. */
@Injectable()
export class LegacyWebhookService {
  constructor(
    private readonly database: Database,
    private readonly bulk: BulkService,
    private readonly tables: LegacyTables,
    private readonly audit: AuditService,
  ) {}

  /**
   * Upserts the records by external ID in the workspace of the caller's API key. Stores all records or none, unless
   * `continueOnError` is set. Each call is recorded in the audit log, also if it is rejected.
   *
   * @throws {InvalidRequestError | BatchTooLargeError | InvalidRecordsError} Nothing was stored.
   * @throws {DomainError} `incompatible_table`. Nothing was stored.
   */
  async push(caller: Principal, body: unknown, continueOnError: boolean): Promise<LegacyReportDto> {
    let received = 0;
    try {
      const parsed = parseLegacyBody(body);
      received = parsed.arrays.reduce((sum, { records }) => sum + records.length, 0);
      return await this.store(caller, parsed, continueOnError);
    } catch (error) {
      const isRejection = error instanceof DomainError && error.kind !== 'unavailable';
      // Outside the transaction, because the rejection rolls it back.
      if (isRejection) await this.database.outsideTransaction(() => this.record(caller, { received }, error.message));
      throw error;
    }
  }

  private async store(caller: Principal, body: LegacyBody, continueOnError: boolean): Promise<LegacyReportDto> {
    const [workspaceId] = caller.workspaceIds as [string];
    const arrays = body.arrays.map(({ array, records }): ConvertedArray => {
      const mapping = LEGACY_MAPPINGS[array];
      return { mapping, records, ...new LegacyRecordConverter(mapping).convert(records) };
    });
    const ids = await this.tables.list(workspaceId);
    const batches = arrays.map((sent) => toBatch(sent, ids));
    try {
      const origin = { source: 'webhook', userId: caller.userId } as const;
      const options = { continueOnError, dryRun: false, returnItems: false, origin };
      const report = await this.bulk.upsert(callerView(workspaceId), batches, options, async (written) => {
        rejectOtherPrimaryKeys(arrays, written.tables);
        const { arrays: reports, totals } = toLegacyReport(arrays, body.unmapped, written);
        for (const { array, table } of reports)
          if (ids[array] !== table.id) await this.tables.set(workspaceId, array, table.id);
        // A call that changed nothing has no entry.
        if (totals.created + totals.updated + totals.failed > 0) await this.record(caller, { ...totals });
      });
      return toLegacyReport(arrays, body.unmapped, report);
    } catch (error) {
      throw toLegacyException(arrays, error);
    }
  }

  private async record(caller: Principal, counts: Record<string, number>, reason?: string): Promise<void> {
    const { userId, apiKeyId, workspaceIds } = caller;
    const event = { kind: 'webhook_called', userId, workspaceId: workspaceIds[0], apiKeyId, reason } as const;
    if (reason === undefined) await this.audit.record({ ...event, counts });
    // A caller in a loop does not fill the log.
    else await this.audit.recordFrequent(event, 'rejected', counts);
  }
}

function toBatch({ mapping, items }: ConvertedArray, ids: LegacyTableIds) {
  const { array, entity, table: name } = mapping;
  const locations = ids.functionalLocations ?? LEGACY_MAPPINGS.functionalLocations.table;
  return { entity, name, id: ids[array], columns: toColumns(mapping, locations), items };
}

/** An existing table may have the column of the external ID, but another primary key. */
function rejectOtherPrimaryKeys(
  arrays: readonly ConvertedArray[],
  tables: readonly { columnsIgnored: readonly { attribute: string }[] }[],
): void {
  const incompatible = arrays.filter((_, position) =>
    tables[position]!.columnsIgnored.some(({ attribute }) => attribute === 'primaryKey'),
  );
  if (incompatible.length === 0) return;
  const details = toErrorDetails(incompatible.map(({ mapping }) => createPrimaryKeyError(mapping)));
  throw new DomainError(LEGACY_ERRORS.incompatible_table, undefined, { details });
}

/** Converts an error of the bulk request to arrays, records and fields of the webhook. */
function toLegacyException(arrays: readonly ConvertedArray[], error: unknown): unknown {
  if (!(error instanceof InvalidTablesError || error instanceof ColumnConflictError)) return error;
  const arrayByTable = new Map(arrays.map((sent) => [`${sent.mapping.entity} ${sent.mapping.table}`, sent]));
  const { errors = [], total = errors.length } = error.details ?? {};
  const converted = (errors as readonly TableError[]).flatMap((tableError) => {
    const sent = arrayByTable.get(`${tableError.type} ${tableError.table}`);
    return sent ? [toLegacyError(sent, tableError)] : [];
  });
  return error.code === 'invalid_rows'
    ? new InvalidRecordsError(converted, total)
    : new DomainError(LEGACY_ERRORS.incompatible_table, undefined, { details: toErrorDetails(converted) });
}
