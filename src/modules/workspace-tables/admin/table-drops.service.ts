import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../../platform/http/domain-error.js';
import { type AcceptedVersions, requireVersion } from '../../../platform/http/conditional-requests.js';
import { InvalidTablesError } from '../workspace-tables.errors.js';
import { TableDto } from './dto/tables.dto.js';
import { TableChanges } from './table-changes.js';
import { TableLocks } from '../catalog/table-locks.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import type { TableReferrer } from './table-referrer.js';
import { TablesService } from './tables.service.js';

/** Drops tables and columns with all that they hold. There is no way back. */
@Injectable()
export class TableDropsService {
  private readonly referrers: TableReferrer[] = [];

  constructor(
    private readonly locks: TableLocks,
    private readonly changes: TableChanges,
    private readonly tables: TablesService,
  ) {}

  /** The referrer hears of every table that is dropped from now on. */
  register(referrer: TableReferrer): void {
    this.referrers.push(referrer);
  }

  /** The table with its rows. @throws {NotFoundError | PreconditionFailedError | UnavailableError} */
  async dropTable(place: TableRef, accepted: AcceptedVersions): Promise<void> {
    await this.locks.withLocks(place, { referring: true }, async ({ table, tables }) => {
      requireVersion({ version: table.revision }, accepted);
      await this.changes.drop(table, tables);
      const { workspaceId, id: tableId } = table;
      for (const referrer of this.referrers) await referrer.dropped({ workspaceId, tableId });
    });
  }

  /**
   * The column with its values. @returns the table without it.
   *
   * @throws {NotFoundError | PreconditionFailedError | InvalidTablesError | UnavailableError}
   */
  async dropColumn(place: TableRef, key: string, accepted: AcceptedVersions): Promise<TableDto> {
    return this.locks.withLocks(place, { referring: false }, async ({ table }) => {
      const column = table.columns.find((each) => each.key === key.toLowerCase());
      if (!column) throw new NotFoundError('The column');
      requireVersion({ version: table.revision }, accepted);
      if (column.primaryKey) {
        const message = `"${column.key}" is the primary key; it goes with the table alone.`;
        const fault = {
          type: table.entity,
          table: table.name,
          column: column.key,
          code: 'invalid_primary_key',
          message,
        };
        throw new InvalidTablesError('invalid_columns', 'The column cannot be dropped; nothing was changed.', [fault]);
      }
      return this.tables.describe(await this.changes.dropColumn(table, column));
    });
  }
}
