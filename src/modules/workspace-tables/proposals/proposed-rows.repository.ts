import { Injectable } from '@nestjs/common';
import { Sql } from '../../../../packages/sql/src/sql.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { encodeArray } from '../../../../packages/tables/src/catalog/pg-array.js';
import { physicalKeyName, physicalTableName } from '../../../../packages/tables/src/catalog/physical-table.js';
import type { ProposedRow } from '../history/proposals.repository.js';

/** Finds the stored rows that a proposal changes. The caller has the lock of the table. */
@Injectable()
export class ProposedRowsRepository {
  constructor(private readonly sql: Sql) {}

  /** The keys of those that were changed, created or deleted since the proposal was compared. */
  async findChanged(table: CatalogTable, rows: readonly ProposedRow[]): Promise<string[]> {
    const revisions = rows.map(({ revision }) => revision);
    return this.find(table, rows, 't._revision IS DISTINCT FROM p.revision', revisions);
  }

  /** The keys of those that the table does not have. */
  async findMissing(table: CatalogTable, rows: readonly ProposedRow[]): Promise<string[]> {
    return this.find(table, rows, 't._revision IS NULL', []);
  }

  private async find(
    table: CatalogTable,
    rows: readonly ProposedRow[],
    condition: string,
    revisions: readonly (number | null)[],
  ): Promise<string[]> {
    const keys = encodeArray(
      'text',
      rows.map(({ key }) => key),
    );
    const found = await this.sql.query<{ key: string }>(
      `SELECT p.key FROM unnest($1::text[], $2::bigint[]) AS p (key, revision)
         LEFT JOIN ${physicalTableName(table)} t ON t.${physicalKeyName(table)} = p.key
        WHERE ${condition} ORDER BY p.key`,
      [keys, revisions],
    );
    return found.map(({ key }) => key);
  }
}
