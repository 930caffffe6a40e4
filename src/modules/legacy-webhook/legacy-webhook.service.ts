import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { DomainError } from '../../platform/http/domain-error.js';
import type { Principal } from '../../platform/security/principal.js';
import { AuditService } from '../audit/audit.service.js';
import { BulkService, storedKey } from '../workspace-tables/bulk/bulk.service.js';
import {
  ColumnConflictError,
  InvalidTablesError,
  type TableError,
} from '../workspace-tables/workspace-tables.errors.js';
import { LegacyReportDto } from './dto/legacy-report.dto.js';
import { type LegacyBody, readLegacyBody } from './legacy-body.js';
import { legacyFault, otherPrimaryKey, type SentArray } from './legacy-errors.js';
import { columnsOf, LEGACY_MAPPINGS } from './legacy-mapping.js';
import { LegacyRecordReader } from './legacy-records.js';
import { legacyReport, type ReadArray } from './legacy-report.js';
import { type LegacyTableIds, LegacyTablesRepository } from './legacy-tables.repository.js';
import { InvalidRecordsError, UnfitTableError } from './legacy-webhook.errors.js';

/** The legacy webhook (specification, section 4.3): maps records to rows and back to reports; bulk stores them. */
@Injectable()
export class LegacyWebhookService {
  constructor(
    private readonly database: Database,
    private readonly bulk: BulkService,
    private readonly tables: LegacyTablesRepository,
    private readonly audit: AuditService,
  ) {}

  /**
   * Upserts the records by their external IDs, in the workspace of the caller's key. All or nothing, unless the caller asks
   * to go on. Each call leaves a line in the audit log, a refused one too: somebody still calls.
   *
   * @throws {InvalidRequestError | BatchTooLargeError | InvalidRecordsError | UnfitTableError} and then nothing is stored.
   */
  async push(caller: Principal, body: unknown, continueOnError: boolean): Promise<LegacyReportDto> {
    let received = 0;
    try {
      const read = readLegacyBody(body);
      received = read.arrays.reduce((sum, { records }) => sum + records.length, 0);
      return await this.store(caller, read, continueOnError);
    } catch (error) {
      const isRefusal = error instanceof DomainError && error.kind !== 'unavailable';
      // Outside of a transaction that this very refusal takes back.
      if (isRefusal) await this.database.outsideTransaction(() => this.record(caller, { received }, error.message));
      throw error;
    }
  }

  private async store(caller: Principal, body: LegacyBody, continueOnError: boolean): Promise<LegacyReportDto> {
    const [workspaceId] = caller.workspaceIds as [string];
    const arrays = body.arrays.map(({ array, records }): ReadArray => {
      const mapping = LEGACY_MAPPINGS[array];
      return { mapping, records, ...new LegacyRecordReader(mapping, storedKey).read(records) };
    });
    const ids = await this.tables.list(workspaceId);
    const batches = arrays.map((sent) => batchOf(sent, ids));
    const reportOn = (report: Parameters<typeof legacyReport>[2]) => legacyReport(arrays, body.unmapped, report);
    try {
      const report = await this.bulk.upsert(workspaceId, batches, {
        continueOnError,
        dryRun: false,
        returnItems: false,
        alongside: async (written) => {
          refuseOtherPrimaryKeys(arrays, written.tables);
          const { arrays: reports, totals } = reportOn(written);
          for (const { array, table } of reports)
            if (ids[array] !== table.id) await this.tables.remember(workspaceId, array, table.id);
          await this.record(caller, { ...totals });
        },
      });
      return reportOn(report);
    } catch (error) {
      throw inLegacyWords(arrays, error);
    }
  }

  private async record(caller: Principal, counts: Record<string, number>, reason?: string): Promise<void> {
    const { userId, apiKeyId } = caller;
    await this.audit.record({ kind: 'webhook_called', userId, apiKeyId, counts, reason });
  }
}

function batchOf({ mapping, items }: ReadArray, ids: LegacyTableIds) {
  const { array, entity, table: name } = mapping;
  const locations = ids.functionalLocations ?? LEGACY_MAPPINGS.functionalLocations.table;
  return { entity, name, id: ids[array], columns: columnsOf(mapping, locations), items };
}

/** A table that somebody else made under the name may have the column, and another primary key. */
function refuseOtherPrimaryKeys(
  arrays: readonly SentArray[],
  tables: readonly { columnsIgnored: readonly { attribute: string }[] }[],
): void {
  const unfit = arrays.filter((_, position) =>
    tables[position]!.columnsIgnored.some(({ attribute }) => attribute === 'primaryKey'),
  );
  if (unfit.length > 0) throw new UnfitTableError(unfit.map(({ mapping }) => otherPrimaryKey(mapping)));
}

/** What bulk refuses is told in the caller's words: arrays, records and fields. */
function inLegacyWords(arrays: readonly SentArray[], error: unknown): unknown {
  if (!(error instanceof InvalidTablesError || error instanceof ColumnConflictError)) return error;
  const sentTo = new Map(arrays.map((sent) => [`${sent.mapping.entity} ${sent.mapping.table}`, sent]));
  const { errors = [], total = errors.length } = error.details ?? {};
  const told = (errors as readonly TableError[]).flatMap((fault) => {
    const sent = sentTo.get(`${fault.type} ${fault.table}`);
    return sent ? [legacyFault(sent, fault)] : [];
  });
  return error.code === 'invalid_rows' ? new InvalidRecordsError(told, total) : new UnfitTableError(told);
}
