import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { nativeType, sqlType } from '../catalog/column-types.js';
import { encodeArray } from '../catalog/pg-array.js';
import { physicalColumnName, getPrimaryKey, physicalTableName } from '../catalog/physical-table.js';
import type { RowBatch } from './row-batch.js';
import { TombstonesRepository } from './tombstones.repository.js';

/** What became of the rows of a batch. A row that is in neither set stood there already, just so. */
export interface Written {
  created: number;
  updated: number;
  /** Keys of the rows that were written, where they were asked for. */
  createdKeys: Set<string>;
  updatedKeys: Set<string>;
}

/** Rows a statement. */
const CHUNK_ROWS = 10_000;

/** Rows that are looked up to tell what a batch mostly is. */
const SAMPLE_ROWS = 16;

/** Writes rows of physical tables, in sets: one array a column, never a list of values. */
@Injectable()
export class RowsRepository {
  constructor(
    private readonly database: Database,
    private readonly tombstones: TombstonesRepository,
  ) {}

  /**
   * Inserts what is new, merges what differs and leaves alone what is equal. The caller holds the table's lock, so that
   * what is looked up stays as it is until it is written.
   */
  async upsert(
    table: CatalogTable,
    batch: RowBatch,
    revision: number,
    isEmpty: boolean,
    wantKeys: boolean,
  ): Promise<Written> {
    const written: Written = { created: 0, updated: 0, createdKeys: new Set(), updatedKeys: new Set() };
    const mostlyNew = isEmpty || (await this.isMostlyNew(table, batch));
    const insert = insertMissing(table, batch, isEmpty);
    const merge = mergeDiffering(table, batch);
    for (let from = 0; from < batch.keys.length; from += CHUNK_ROWS) {
      const parameters = [...parametersOf(batch, from, from + CHUNK_ROWS), revision];
      await this.tombstones.clear(table, batch.keys.slice(from, from + CHUNK_ROWS));
      const before = written.created;
      if (mostlyNew) await this.insert(wantKeys ? named(table, insert) : insert, parameters, written);
      const isDone = written.created - before === Math.min(CHUNK_ROWS, batch.keys.length - from);
      // What was just inserted is equal by now, and left alone.
      if (!isDone) await this.merge(wantKeys ? named(table, merge) : counted(merge), parameters, written);
    }
    return written;
  }

  private async insert(statement: string, parameters: unknown[], written: Written): Promise<void> {
    const { rows, affected } = await this.database.execute<{ key: string }>(statement, parameters);
    written.created += affected;
    for (const { key } of rows) written.createdKeys.add(key);
  }

  private async merge(statement: string, parameters: unknown[], written: Written): Promise<void> {
    const groups = await this.database.query<{ key?: string; created: boolean; rows: number }>(statement, parameters);
    for (const { key, created, rows } of groups) {
      written[created ? 'created' : 'updated'] += rows;
      if (key !== undefined) written[created ? 'createdKeys' : 'updatedKeys'].add(key);
    }
  }

  /** Of these keys, those that the table has. */
  async existing(table: CatalogTable, keys: readonly string[]): Promise<Set<string>> {
    if (keys.length === 0) return new Set();
    const rows = await this.database.query<{ key: string }>(
      `SELECT ${physicalColumnName(getPrimaryKey(table.columns))} AS key FROM (${rowsOf(table, '$1')}) t WHERE _deleted_at IS NULL`,
      [encodeArray('text', keys)],
    );
    return new Set(rows.map((row) => row.key));
  }

  /** The rows with these keys and all rows above them: each key with its parent. Ends where a parent is not there. */
  async ancestry(
    table: CatalogTable,
    parent: CatalogColumn,
    keys: readonly string[],
  ): Promise<Map<string, string | null>> {
    if (keys.length === 0) return new Map();
    const above = `t.${physicalColumnName(getPrimaryKey(table.columns))}, t.${physicalColumnName(parent)}`;
    const rows = await this.database.query<{ key: string; parent: string | null }>(
      `WITH RECURSIVE up (key, parent) AS (
         SELECT ${above} FROM unnest($1::text[]) AS s(key) CROSS JOIN LATERAL (${rowOf(table, 's.key')}) t WHERE t._deleted_at IS NULL
         UNION
         SELECT ${above} FROM up CROSS JOIN LATERAL (${rowOf(table, 'up.parent')}) t WHERE t._deleted_at IS NULL)
       SELECT key, parent FROM up`,
      [encodeArray('text', keys)],
    );
    return new Map(rows.map((row) => [row.key, row.parent]));
  }

  /**
   * Is the batch mostly new to the table? A sample tells. Rows that sent different columns are merged in any case: what
   * they did not send must be known.
   */
  private async isMostlyNew(table: CatalogTable, batch: RowBatch): Promise<boolean> {
    if (batch.columns.some((column) => !column.complete)) return false;
    const step = Math.max(1, Math.floor(batch.keys.length / SAMPLE_ROWS));
    const sample = batch.keys.filter((_, row) => row % step === 0).slice(0, SAMPLE_ROWS);
    return (await this.existing(table, sample)).size * 2 <= sample.length;
  }
}

/**
 * The row with a key, looked up in the index. `OFFSET 0` keeps the planner from turning many look-ups into a join that
 * reads the whole table: where it has no statistics yet, right after a load, that is what it does.
 */
function rowOf(table: CatalogTable, key: string): string {
  return `SELECT * FROM ${physicalTableName(table)} r WHERE r.${physicalColumnName(getPrimaryKey(table.columns))} = ${key} OFFSET 0`;
}

/**
 * The rows with any of the keys: one walk through the index where the keys lie close together, as those of a batch do.
 * `OFFSET 0` as above.
 */
function rowsOf(table: CatalogTable, keys: string): string {
  return `SELECT * FROM ${physicalTableName(table)} r WHERE r.${physicalColumnName(getPrimaryKey(table.columns))} = ANY(${keys}::text[]) OFFSET 0`;
}

/** One array a column, and for a column that not every row sent, one that says which rows did. */
function parametersOf(batch: RowBatch, from: number, to: number): Buffer[] {
  const parameters = [encodeArray('text', batch.keys.slice(from, to))];
  for (const { column, values, complete } of batch.columns) {
    const part = values.slice(from, to);
    parameters.push(encodeArray(nativeType(column.type), part));
    if (!complete)
      parameters.push(
        encodeArray(
          'boolean',
          part.map((value) => value !== undefined),
        ),
      );
  }
  return parameters;
}

interface Shape {
  /** The rows of the batch, `s`, with the arrays as parameters: that of the keys comes first. */
  source: string;
  /** Physical columns that the batch writes, without the primary key. */
  columns: { name: string; value: string; sent?: string }[];
  /** The parameter after the arrays. */
  revision: string;
}

function shapeOf(batch: RowBatch): Shape {
  const arrays: string[] = [];
  const unnest = (type: string, alias: string) => arrays.push(`unnest($${arrays.length + 1}::${type}[]) AS ${alias}`);
  unnest('text', 'key');
  const columns = batch.columns.map(({ column, complete }, position) => {
    unnest(sqlType(nativeType(column.type)), `v${position}`);
    if (!complete) unnest('boolean', `m${position}`);
    return {
      name: physicalColumnName(column),
      value: `s.v${position}`,
      ...(complete ? {} : { sent: `s.m${position}` }),
    };
  });
  return {
    // All of one length, they are walked through side by side; in FROM, each would be stored away first.
    source: `(SELECT ${arrays.join(', ')}) s`,
    columns,
    revision: `$${arrays.length + 1}::bigint`,
  };
}

/**
 * Inserts the rows that are not there. Nobody else can write them meanwhile, so there is no conflict to be prepared for,
 * which costs PostgreSQL a third record of its log for each row.
 */
function insertMissing(table: CatalogTable, batch: RowBatch, isEmpty: boolean): string {
  const { source, columns, revision } = shapeOf(batch);
  const values = columns.map(({ value, sent }) => (sent ? `CASE WHEN ${sent} THEN ${value} END` : value));
  const missing = isEmpty
    ? ''
    : `WHERE NOT EXISTS (SELECT FROM (${rowsOf(table, '$1')}) t WHERE t.${physicalColumnName(getPrimaryKey(table.columns))} = s.key)`;
  return `${insertInto(table, columns)} SELECT ${['s.key', ...values, revision].join(', ')}, statement_timestamp(), statement_timestamp() FROM ${source} ${missing}`;
}

/** Inserts or updates the rows that are not there or differ: what is equal is left out before anything is written. */
function mergeDiffering(table: CatalogTable, batch: RowBatch): string {
  const { source, columns, revision } = shapeOf(batch);
  const key = physicalColumnName(getPrimaryKey(table.columns));
  const merged = columns.map(({ name, value, sent }) =>
    sent ? `CASE WHEN ${sent} THEN ${value} ELSE t.${name} END` : value,
  );
  const differs = columns.map(
    ({ name, value, sent }) => `${sent ? `${sent} AND ` : ''}t.${name} IS DISTINCT FROM ${value}`,
  );
  const set = [...columns.map(({ name }) => name), '_revision', '_updated_at'].map(
    (name) => `${name} = excluded.${name}`,
  );
  return `${insertInto(table, columns)} SELECT ${['s.key', ...merged, revision].join(', ')}, statement_timestamp(), statement_timestamp()
            FROM ${source} LEFT JOIN (${rowsOf(table, '$1')}) t ON t.${key} = s.key
           WHERE ${[`t.${key} IS NULL`, ...differs].join(' OR ')}
          ON CONFLICT (${key}) DO UPDATE SET ${set.join(', ')}`;
}

function insertInto(table: CatalogTable, columns: Shape['columns']): string {
  const names = [physicalColumnName(getPrimaryKey(table.columns)), ...columns.map(({ name }) => name)];
  return `INSERT INTO ${physicalTableName(table)} AS w (${names.join(', ')}, _revision, _created_at, _updated_at)`;
}

/** The write with its rows, by key. */
function named(table: CatalogTable, write: string): string {
  return `${write} RETURNING w.${physicalColumnName(getPrimaryKey(table.columns))} AS key, xmax = 0 AS created, 1 AS rows`;
}

/** The write with the numbers of its rows. */
function counted(write: string): string {
  return `WITH written AS (${write} RETURNING xmax = 0 AS created) SELECT created, count(*)::int AS rows FROM written GROUP BY created`;
}
