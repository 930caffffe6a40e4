import { Injectable } from '@nestjs/common';
import { type AcceptedVersions, requireVersion } from '../../../platform/http/conditional-requests.js';
import { NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import { AuditLog } from '../../audit/audit-log.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import { TableLocks } from '../catalog/table-locks.js';
import { isNamedBy } from '../../../../packages/tables/src/catalog/table-ref.js';
import { type TableRef } from '../catalog/table-ref.decorator.js';
import { InvalidTablesError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { requireConfirmation } from './confirmation.js';
import { DescribeTablesService } from './describe-tables.service.js';
import { TableDto } from './dto/tables.dto.js';
import { PolicyReferences } from './policy-references.js';
import { TableDefinitions } from './table-definitions.js';
import type { TableReferrer } from './table-referrer.js';

/** Drops tables and columns with their data, permanently. */
@Injectable()
export class DropTablesService {
  private readonly referrers: TableReferrer[] = [];

  constructor(
    private readonly locks: TableLocks,
    private readonly definitions: TableDefinitions,
    private readonly tables: DescribeTablesService,
    private readonly policies: PolicyReferences,
    private readonly audit: AuditLog,
  ) {}

  /** Registers a module that stores IDs of tables. */
  register(referrer: TableReferrer): void {
    this.referrers.push(referrer);
  }

  /**
   * @param confirm the name or the ID of the table.
   * @throws {NotFoundError | InvalidRequestError | PreconditionFailedError | UnavailableError}
   * @throws {DomainError} `table_in_use`
   */
  async dropTable(ref: TableRef, confirm: string | undefined, accepted: AcceptedVersions): Promise<void> {
    await this.locks.withLocks(ref, { referring: true }, async ({ table, tables }) => {
      requireConfirmation(confirm, table.name, (text) => isNamedBy({ ...ref, table: text }, table));
      requireVersion({ version: table.revision }, accepted);
      await this.definitions.drop(table, tables);
      await this.policies.release(table);
      const { workspaceId, id: tableId, entity, name } = table;
      for (const referrer of this.referrers) await referrer.removeReferences({ workspaceId, tableId });
      await this.audit.record({
        kind: 'table_dropped',
        workspaceId,
        details: { table: { id: tableId, entity, name } },
      });
    });
  }

  /**
   * @param confirm the key of the column.
   * @returns the table without the column.
   * @throws {NotFoundError | InvalidRequestError | PreconditionFailedError | InvalidTablesError | UnavailableError}
   */
  async dropColumn(
    ref: TableRef,
    key: string,
    confirm: string | undefined,
    accepted: AcceptedVersions,
  ): Promise<TableDto> {
    return this.locks.withLocks(ref, { referring: false }, async ({ table }) => {
      const column = table.columns.find((each) => each.key === key.toLowerCase());
      if (!column) throw new NotFoundError('The column', undefined, 'Check the key.');
      requireConfirmation(confirm, column.key, (text) => text.toLowerCase() === column.key);
      requireVersion({ version: table.revision }, accepted);
      const message = findObstacle(table, column);
      if (message !== undefined) {
        const error = {
          type: table.entity,
          table: table.name,
          column: column.key,
          code: column.primaryKey ? 'invalid_primary_key' : 'invalid_option',
          message,
        };
        throw new InvalidTablesError('invalid_columns', 'The column cannot be dropped. Nothing was changed.', [error]);
      }
      const changed = await this.definitions.dropColumn(table, column);
      const { workspaceId, id, entity, name } = table;
      const details = { table: { id, entity, name }, column: column.key };
      await this.audit.record({ kind: 'column_dropped', workspaceId, details });
      return this.tables.describe(changed);
    });
  }
}

/** Why the column cannot be dropped. */
function findObstacle({ options }: CatalogTable, { key, primaryKey }: CatalogColumn): string | undefined {
  if (primaryKey) return `"${key}" is the primary key and cannot be dropped. Drop the table instead.`;
  const { title, uniqueTogether = [] } = options;
  const used =
    title === key ? 'title' : uniqueTogether.some((keys) => keys.includes(key)) ? 'uniqueTogether' : undefined;
  return used && `The option "${used}" of the table names "${key}". Change the option first.`;
}
