import type { CatalogTable } from '../catalog/catalog.repository.js';
import { getPrimaryKey, physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import { rowToJson } from '../catalog/row-sql.js';
import { buildRowEvents } from './row-events-sql.js';
import { differences, insertInto, mergedValue, type MergeRelation } from './merge-sql.js';

/**
 * How a row is written. `upsert`: created or changed; all columns are sent. `create`: only if the table does not have it.
 * `update` and `delete`: only if the table has it.
 */
export type RowWrite = 'upsert' | 'create' | 'update' | 'delete';

/** Rows with distinct keys. */
export interface RowsToWrite extends Pick<MergeRelation, 'from' | 'parameters' | 'columns'> {
  /** Do the rows `s` have the column `accepted`: the revision that the stored row must have, or null? */
  hasAccepted: boolean;
}

/**
 * One statement that locks the table, writes rows, and gives the table its next revision if any was written.
 *
 * It returns no row if it could not lock the table, or if its name, columns or revision differ. Otherwise it returns
 * the written rows, or one row without a key if there are none. A row that was not written is equal or does not meet a condition.
 *
 * The statement never waits for the lock of the table (SKIP LOCKED): it has locked the physical table before, so it would block a
 * transaction that has the lock and changes the physical table. PostgreSQL takes the snapshot of a statement before the lock, so
 * this statement reads only the entry of the table and rows that it writes, of which PostgreSQL always reads the newest version.
 *
 * The last parameters are the IDs of the workspace, the table and the definition of its columns, the key of its name, and the
 * revision that the table must have, or null; then the events of the rows as JSON.
 */
export function buildRowWrite(table: CatalogTable, rows: RowsToWrite, write: RowWrite): string {
  const first = rows.parameters.length + 1;
  const isTable = `t.workspace_id = $${first} AND t.id = $${first + 1}`;
  const key = `w.${physicalKeyName(table)}`;
  // `stamped` reads the clock after the lock was acquired. Each row has its own revision, as if its request had locked the table for itself.
  const source = `(SELECT s.*, l.name, l.revision + row_number() OVER () AS revision, l.time
                     FROM stamped l CROSS JOIN ${rows.from}) s`;
  // `xmax` of an updated row is 0, too, unless ON CONFLICT has locked it.
  const created = write === 'upsert' || write === 'create' ? 'w.xmax = 0' : 'false';
  const parameters = { workspaceId: first, tableId: first + 1, events: first + 5 };
  const tombstone = write === 'delete' ? ', tombstones_since = coalesce(t.tombstones_since, w.time)' : '';
  return `
    WITH locked AS MATERIALIZED (
      SELECT t.name, t.revision FROM workspace_tables t
       WHERE ${isTable} AND t.definition_id = $${first + 2} AND t.name_key = $${first + 3}
         AND ($${first + 4}::bigint IS NULL OR t.revision = $${first + 4})
         FOR UPDATE SKIP LOCKED),
    stamped AS MATERIALIZED (SELECT name, revision, clock_timestamp() AS time FROM locked),
    written AS (
      ${buildWrite(table, rows, write, source)}
      RETURNING ${key} AS key, ${write === 'delete' ? 'NULL' : rowToJson(table, 'w')} AS item, w._revision AS revision,
                w._created_at AS "createdAt", w._updated_at AS "updatedAt", ${created} AS created),
    counted AS (
      UPDATE workspace_tables t SET revision = w.revision, updated_at = w.time${tombstone}
        FROM (SELECT max(revision) AS revision, max("updatedAt") AS time FROM written HAVING count(*) > 0) w
       WHERE ${isTable}),
    recorded AS (${buildRowEvents(table, write === 'delete', parameters)})
    SELECT w.key, w.item, w.revision::float8 AS revision, w."createdAt", w."updatedAt", w.created, l.name AS "tableName"
      FROM locked l LEFT JOIN written w ON true`;
}

function buildWrite(table: CatalogTable, rows: RowsToWrite, write: RowWrite, source: string): string {
  switch (write) {
    case 'upsert':
      return `${insert(table, rows, source)} ${onConflictUpdate(table, rows)}`;
    case 'create':
      return `${insert(table, rows, source)} ON CONFLICT (${physicalKeyName(table)}) DO NOTHING`;
    case 'update': {
      const set = rows.columns.map((column) => `${physicalColumnName(column.column)} = ${mergedValue(column, 'w')}`);
      return `${update(table, set, source, rows)} AND (${anyOf(differences(rows, 'w'))})`;
    }
    case 'delete': {
      const primaryKey = getPrimaryKey(table.columns);
      const cleared = table.columns.filter((column) => column !== primaryKey);
      return update(
        table,
        [...cleared.map((column) => `${physicalColumnName(column)} = NULL`), '_deleted_at = s.time'],
        source,
        rows,
      );
    }
  }
}

function insert(table: CatalogTable, rows: RowsToWrite, source: string): string {
  const values = rows.columns.map(({ value }) => value);
  return `${insertInto(table, rows)} SELECT ${['s.key', ...values, 's.revision', 's.time', 's.time'].join(', ')} FROM ${source}`;
}

/** A tombstone is not updated: the row would not start empty. */
function onConflictUpdate(table: CatalogTable, { columns }: RowsToWrite): string {
  const names = columns.map(({ column }) => physicalColumnName(column));
  const set = [...names, '_revision', '_updated_at'].map((name) => `${name} = excluded.${name}`);
  const sent = columns.map(({ column }) => ({ column, value: `excluded.${physicalColumnName(column)}` }));
  return `ON CONFLICT (${physicalKeyName(table)}) DO UPDATE SET ${set.join(', ')}
           WHERE w._deleted_at IS NULL AND (${anyOf(differences({ columns: sent }, 'w'))})`;
}

function update(table: CatalogTable, set: readonly string[], source: string, { hasAccepted }: RowsToWrite): string {
  const accepted = hasAccepted ? 'AND (s.accepted IS NULL OR w._revision = s.accepted)' : '';
  return `UPDATE ${physicalTableName(table)} w
             SET ${[...set, '_revision = s.revision', '_updated_at = s.time'].join(', ')}
            FROM ${source}
           WHERE w.${physicalKeyName(table)} = s.key AND w._deleted_at IS NULL ${accepted}`;
}

function anyOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'false' : conditions.join(' OR ');
}
