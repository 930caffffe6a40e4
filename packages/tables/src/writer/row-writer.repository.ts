import type { Sql } from '../../../sql/src/sql.js';
import { quoteLiteral } from '../../../sql/src/sql-literal.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import {
  formerRowsName,
  physicalColumnName,
  physicalColumnNames,
  physicalKeyName,
  physicalTableName,
  tombstonesName,
} from '../catalog/physical-table.js';
import { mergedValue, type Relation } from '../catalog/relation.js';
import { RowHistory } from '../catalog/row-history.js';
import type { KeySelection } from '../catalog/row-sql.js';
import type { RowChange } from '../history/batch-records.repository.js';

/** What a write of rows has in common: its revision in the table, and its time. */
export interface RowWrite {
  revision: number;
  change: RowChange;
}

/**
 * Inserts, updates, deletes and renames the rows of a table, whatever the reason. The caller has the lock of the table,
 * and knows which rows it has.
 *
 * Rows that end become former rows. A deleted key becomes a tombstone, with the revision and time of its deletion, for
 * the change feed. A key is that of a row or of a tombstone, never of both.
 *
 * No statement writes in a common table expression, or calls a function that is not immutable, so that a cluster
 * executes each on the node of the table (ADR 0229).
 */
export class RowWriter {
  constructor(
    private readonly sql: Sql,
    private readonly history: RowHistory,
  ) {}

  /** Inserts rows that the table does not have. @returns their number. */
  async insert(table: CatalogTable, rows: Relation, write: RowWrite): Promise<number> {
    if (rows.rows === 0) return 0;
    await this.removeTombstones(table, rows.keys);
    return this.sql.affected(insertRows(table, rows, toStamp(write)), rows.parameters);
  }

  /** Updates rows that the table has. @returns their number. */
  async update(table: CatalogTable, rows: Relation, write: RowWrite): Promise<number> {
    if (rows.rows === 0) return 0;
    await this.storeFormerRows(table, rows.keys, write);
    return this.sql.affected(updateRows(table, rows, toStamp(write)), rows.parameters);
  }

  /** Deletes rows. @returns their number, without the keys that no row has. */
  async delete(table: CatalogTable, keys: KeySelection, write: RowWrite): Promise<number> {
    await this.storeFormerRows(table, keys, write);
    const { revision, time } = toStamp(write);
    const rows = `FROM ${physicalTableName(table)} t WHERE t.${physicalKeyName(table)} ${keys.isSelected}`;
    const deleted = await this.sql.affected(
      `INSERT INTO ${tombstonesName(table)} (key, revision, created_at, deleted_at)
       SELECT t.${physicalKeyName(table)}, ${revision}::bigint, t._created_at, ${time} ${rows}`,
      keys.parameters,
    );
    if (deleted === 0) return 0;
    await this.sql.affected(`DELETE ${rows}`, keys.parameters);
    await this.recordTombstones(table);
    return deleted;
  }

  /** Changes the key of a row, and leaves a former row and a tombstone of the old key. */
  async rename(table: CatalogTable, from: string, to: string, write: RowWrite): Promise<void> {
    const { revision, change } = write;
    await this.removeTombstones(table, { isSelected: '= $1', parameters: [to] });
    const key = physicalKeyName(table);
    if (this.history.isStored(table, change))
      await this.sql.affected(storeFormerRows(table, revision, '= $1', '$2::text'), [from, to]);
    await this.sql.affected(
      `UPDATE ${physicalTableName(table)} SET ${key} = $2, _revision = $3, _updated_at = $4 WHERE ${key} = $1`,
      [from, to, revision, change.at],
    );
    await this.sql.query(
      `INSERT INTO ${tombstonesName(table)} (key, revision, created_at, deleted_at) VALUES ($1, $2, $3, $3)`,
      [from, revision, change.at],
    );
    await this.recordTombstones(table);
  }

  private async storeFormerRows(table: CatalogTable, keys: KeySelection, { revision, change }: RowWrite) {
    if (!this.history.isStored(table, change)) return;
    await this.sql.affected(storeFormerRows(table, revision, keys.isSelected), keys.parameters);
  }

  private async removeTombstones(table: CatalogTable, { isSelected, parameters }: KeySelection): Promise<void> {
    if (!table.hasTombstones) return;
    await this.sql.affected(`DELETE FROM ${tombstonesName(table)} WHERE key ${isSelected}`, parameters);
  }

  /** Records that the table has tombstones. */
  private async recordTombstones({ workspaceId, id }: CatalogTable): Promise<void> {
    await this.sql.query(
      `UPDATE workspace_tables SET tombstones_since = statement_timestamp()
        WHERE workspace_id = $1 AND id = $2 AND tombstones_since IS NULL`,
      [workspaceId, id],
    );
  }
}

function toStamp({ revision, change }: RowWrite): RowStamp {
  return { revision, time: `${quoteLiteral(change.at)}::timestamptz` };
}

/** The revision that rows receive, and its time as SQL. */
export interface RowStamp {
  revision: number;
  time: string;
}

/** Inserts rows that the table does not have. */
export function insertRows(table: CatalogTable, relation: Relation, { revision, time }: RowStamp): string {
  const { from, columns, createdAt = time, isUnsorted } = relation;
  const names = [physicalKeyName(table), ...columns.map(({ column }) => physicalColumnName(column))];
  const values = ['s.key', ...columns.map(({ value }) => value), `${revision}::bigint`, createdAt, time];
  return `INSERT INTO ${physicalTableName(table)} (${names.join(', ')}, _revision, _created_at, _updated_at)
          SELECT ${values.join(', ')} FROM ${from} ${isUnsorted ? 'ORDER BY s.key' : ''}`;
}

/** Updates rows that the table has. */
export function updateRows(table: CatalogTable, relation: Relation, { revision, time }: RowStamp): string {
  const { from, columns, createdAt, keys, keysInMemory } = relation;
  const key = `t.${physicalKeyName(table)}`;
  const values = [
    ...columns.map((column) => `${physicalColumnName(column.column)} = ${mergedValue(column, 't')}`),
    `_revision = ${revision}::bigint`,
    ...(createdAt ? [`_created_at = ${createdAt}`] : []),
    `_updated_at = ${time}`,
  ];
  // For some thousand keys the planner would read the whole table: by the condition it walks along the index.
  const isSelected = keysInMemory ? `AND ${key} ${keys.isSelected}` : '';
  return `UPDATE ${physicalTableName(table)} t SET ${values.join(', ')} FROM ${from} WHERE ${key} = s.key ${isSelected}`;
}

/**
 * Stores rows as they are as former rows, without those that the same revision has written: no moment has them.
 *
 * @param isSelected SQL: a condition on the key.
 * @param renamedTo SQL: the key that the row receives.
 */
export function storeFormerRows(
  table: CatalogTable,
  revision: number,
  isSelected: string,
  renamedTo = 'NULL::text',
): string {
  const names = physicalColumnNames(table).join(', ');
  return `INSERT INTO ${formerRowsName(table)} (_ended_revision, _renamed_to, ${names})
          SELECT ${revision}::bigint, ${renamedTo}, ${names} FROM ${physicalTableName(table)} t
           WHERE t.${physicalKeyName(table)} ${isSelected} AND t._revision < ${revision}`;
}
