import type { CatalogTable } from '../catalog/catalog.repository.js';
import { physicalColumnName, physicalKeyName, physicalTableName, tombstonesName } from '../catalog/physical-table.js';
import { rowToJson } from '../catalog/row-sql.js';
import { storeFormerRows } from '../history/former-rows-sql.js';
import { buildRowEvents } from './row-events-sql.js';
import { differences, mergedValue, type RowsToWrite } from '../sources/relation.js';
import { insertInto } from './merge-sql.js';

/**
 * How a row is written. `upsert`: created or changed; all columns are sent. `create`: only if the table does not have
 * it. `update` and `delete`: only if the table has it.
 */
export type RowWrite = 'upsert' | 'create' | 'update' | 'delete';

/**
 * One statement that locks the table, writes rows, and gives the table its next revision if any was written.
 *
 * It returns no row if it could not lock the table, or if its name, columns or revision differ. Otherwise it returns
 * the written rows, or one row without a key if there are none. A row that was not written is equal or does not meet a
 * condition.
 *
 * The statement never waits for the lock of the table (SKIP LOCKED): it has locked the physical table before, so it
 * would block a transaction that has the lock and changes the physical table. PostgreSQL takes the snapshot of a
 * statement before the lock, so this statement reads only the entry of the table and rows that it writes, of which
 * PostgreSQL always reads the newest version, and, if the revision that it has locked is that of its snapshot, the rows
 * as they were before, and tombstones.
 *
 * The last parameters are the IDs of the workspace, the table and the definition of its columns, the key of its name,
 * and the revision that the table must have, or null; then the events of the rows as JSON.
 *
 * @param storesFormer are the rows as they were before stored as former rows?
 */
export function buildRowWrite(table: CatalogTable, rows: RowsToWrite, write: RowWrite, storesFormer: boolean): string {
  const first = rows.parameters.length + 1;
  const isTable = `t.workspace_id = $${first} AND t.id = $${first + 1}`;
  const key = `w.${physicalKeyName(table)}`;
  // `stamped` reads the clock after the lock was acquired. Each row has its own revision, as if its request had locked
  // the table for itself. Revisions have no gaps, so only the rows that will be written have a number.
  const isNumbered = rows.rows > 1;
  const source = `(SELECT s.*, l.name, l.revision + row_number() OVER () AS revision, l.time
                     FROM stamped l CROSS JOIN ${rows.from} ${isNumbered ? whereWritten(table, rows, write) : ''}) s`;
  const isCreation = write === 'upsert' || write === 'create';
  const endsRows = storesFormer && write !== 'create';
  const readsRows = isNumbered || endsRows || (isCreation && table.hasTombstones);
  // `xmax` of an updated row is 0, too, unless ON CONFLICT has locked it.
  const created = isCreation ? 'w.xmax = 0' : 'false';
  const parameters = { workspaceId: first, tableId: first + 1, events: first + 5 };
  const isDeletion = write === 'delete';
  const tombstone = isDeletion ? ', tombstones_since = coalesce(t.tombstones_since, w.time)' : '';
  const stored = isDeletion
    ? 's.revision, w._created_at AS "createdAt", s.time AS "updatedAt"'
    : 'w._revision AS revision, w._created_at AS "createdAt", w._updated_at AS "updatedAt"';
  return `
    WITH locked AS MATERIALIZED (
      SELECT t.name, t.revision FROM workspace_tables t
       WHERE ${isTable} AND t.definition_id = $${first + 2} AND t.name_key = $${first + 3}
         AND ($${first + 4}::bigint IS NULL OR t.revision = $${first + 4})
         ${isCreation && !table.hasTombstones ? 'AND t.tombstones_since IS NULL' : ''}
         ${readsRows ? `AND t.revision = (SELECT t.revision FROM workspace_tables t WHERE ${isTable})` : ''}
         FOR UPDATE SKIP LOCKED),
    stamped AS MATERIALIZED (SELECT name, revision, clock_timestamp() AS time FROM locked),
    written AS (
      ${buildWrite(table, rows, write, source)}
      RETURNING ${key} AS key, ${isDeletion ? 'NULL' : rowToJson(table, 'w')} AS item, ${stored}, ${created} AS created),
    ${endsRows ? `former AS (${storeRowsBefore(table)}),` : ''}
    ${changeTombstones(table, write)}
    revised AS (
      INSERT INTO table_revisions (workspace_id, table_id, revision, at, by)
      SELECT $${first}, $${first + 1}, revision, "updatedAt", ($${parameters.events}::jsonb -> key ->> 'actorId')::uuid FROM written),
    counted AS (
      UPDATE workspace_tables t SET revision = w.revision, updated_at = w.time${tombstone}
        FROM (SELECT max(revision) AS revision, max("updatedAt") AS time FROM written HAVING count(*) > 0) w
       WHERE ${isTable}),
    recorded AS (${buildRowEvents(table, isDeletion, parameters)})
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
    case 'delete':
      return `DELETE FROM ${physicalTableName(table)} w USING ${source} ${whereExists(table, rows)}`;
  }
}

/** An INSERT of the written rows as the snapshot contains them. */
function storeRowsBefore(table: CatalogTable): string {
  return storeFormerRows(
    table,
    'w.revision',
    `FROM written w JOIN ${physicalTableName(table)} t ON t.${physicalKeyName(table)} = w.key`,
  );
}

/**
 * The common table expressions that leave tombstones of deleted rows, or remove those of rows that are created again.
 */
function changeTombstones(table: CatalogTable, write: RowWrite): string {
  const name = tombstonesName(table);
  if (write === 'delete')
    return `marked AS (INSERT INTO ${name} (key, revision, created_at, deleted_at)
                       SELECT key, revision, "createdAt", "updatedAt" FROM written),`;
  if (write === 'update' || !table.hasTombstones) return '';
  return `unmarked AS (DELETE FROM ${name} d USING written w WHERE d.key = w.key),`;
}

function insert(table: CatalogTable, rows: RowsToWrite, source: string): string {
  const values = rows.columns.map(({ value }) => value);
  return `${insertInto(table, rows)} SELECT ${['s.key', ...values, 's.revision', 's.time', 's.time'].join(', ')} FROM ${source}`;
}

function onConflictUpdate(table: CatalogTable, { columns }: RowsToWrite): string {
  const names = columns.map(({ column }) => physicalColumnName(column));
  const set = [...names, '_revision', '_updated_at'].map((name) => `${name} = excluded.${name}`);
  const sent = columns.map(({ column }) => ({ column, value: `excluded.${physicalColumnName(column)}` }));
  return `ON CONFLICT (${physicalKeyName(table)}) DO UPDATE SET ${set.join(', ')}
           WHERE ${anyOf(differences({ columns: sent }, 'w'))}`;
}

function update(table: CatalogTable, set: readonly string[], source: string, rows: RowsToWrite): string {
  return `UPDATE ${physicalTableName(table)} w
             SET ${[...set, '_revision = s.revision', '_updated_at = s.time'].join(', ')}
            FROM ${source} ${whereExists(table, rows)}`;
}

function whereExists(table: CatalogTable, { hasAccepted }: RowsToWrite): string {
  const accepted = hasAccepted ? 'AND (s.accepted IS NULL OR w._revision = s.accepted)' : '';
  return `WHERE w.${physicalKeyName(table)} = s.key ${accepted}`;
}

/** Joins the rows of the snapshot, and selects the rows `s` that the statement will write. */
function whereWritten(table: CatalogTable, rows: RowsToWrite, write: RowWrite): string {
  const key = `w.${physicalKeyName(table)}`;
  const isAccepted = rows.hasAccepted ? '(s.accepted IS NULL OR w._revision = s.accepted)' : 'true';
  const isDifferent = `(${anyOf(differences(rows, 'w'))})`;
  const conditions: Record<RowWrite, string> = {
    upsert: `${key} IS NULL OR ${isDifferent}`,
    create: `${key} IS NULL`,
    update: `${key} IS NOT NULL AND ${isAccepted} AND ${isDifferent}`,
    delete: `${key} IS NOT NULL AND ${isAccepted}`,
  };
  return `LEFT JOIN ${physicalTableName(table)} w ON ${key} = s.key WHERE ${conditions[write]}`;
}

function anyOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'false' : conditions.join(' OR ');
}
