import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { CatalogTable } from './catalog.repository.js';
import type { PlannedColumn } from './column-plan.js';
import { encodeArray, nativeTypeOf, sqlTypeOf } from './pg-array.js';
import { columnOf, primaryKeyOf, tableOf } from './physical-table.js';
import type { RowBatch } from './row-batch.js';

/** What became of the rows of a batch. A row that is in neither set stood there already, just so. */
export interface Written {
  created: number;
  updated: number;
  /** Keys of the rows that were written, where they were asked for. */
  createdKeys: ReadonlySet<string>;
  updatedKeys: ReadonlySet<string>;
}

/** Rows a statement. */
const CHUNK_ROWS = 10_000;

/** Rows that are looked up to tell what a batch mostly is. */
const SAMPLE_ROWS = 16;

/** Writes rows of physical tables, in sets: one array a column, never a list of values. */
@Injectable()
export class RowsRepository {
  constructor(private readonly database: Database) {}

  /** Inserts what is new, merges what differs and leaves alone what is equal. The caller holds the table's lock. */
  async upsert(
    table: CatalogTable,
    batch: RowBatch,
    revision: number,
    isNew: boolean,
    wantKeys: boolean,
  ): Promise<Written> {
    const written: Written & { createdKeys: Set<string>; updatedKeys: Set<string> } = {
      created: 0,
      updated: 0,
      createdKeys: new Set(),
      updatedKeys: new Set(),
    };
    if (batch.keys.length === 0) return written;
    const sql = wantKeys ? (write: string) => write : counted;
    const statement = sql(
      isNew || !(await this.mergePays(table, batch)) ? insertFirst(table, batch) : mergeFirst(table, batch),
    );
    for (let from = 0; from < batch.keys.length; from += CHUNK_ROWS) {
      const rows = await this.database.query<{ key: string; created: boolean; rows?: number }>(statement, [
        ...parametersOf(batch, from, from + CHUNK_ROWS),
        revision,
      ]);
      for (const { key, created, rows: count = 1 } of rows) {
        written[created ? 'created' : 'updated'] += count;
        if (wantKeys) written[created ? 'createdKeys' : 'updatedKeys'].add(key);
      }
    }
    return written;
  }

  /** Of these keys, those that the table has. */
  async existing(table: CatalogTable, keys: readonly string[]): Promise<Set<string>> {
    if (keys.length === 0) return new Set();
    const rows = await this.database.query<{ key: string }>(
      `SELECT s.key FROM unnest($1::text[]) AS s(key) CROSS JOIN LATERAL (${rowOf(table, 's.key')}) t WHERE t._deleted_at IS NULL`,
      [encodeArray('text', keys)],
    );
    return new Set(rows.map((row) => row.key));
  }

  /** The rows with these keys and all rows above them: each key with its parent. Ends where a parent is not there. */
  async ancestry(
    table: CatalogTable,
    parent: PlannedColumn,
    keys: readonly string[],
  ): Promise<Map<string, string | null>> {
    if (keys.length === 0) return new Map();
    const above = `t.${columnOf(primaryKeyOf(table.columns))}, t.${columnOf(parent)}`;
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
   * Leaving equal rows out by a join before the write pays where rows exist, and costs where they are new: a sample
   * tells. Rows that sent different columns always need the join, for what stands in the columns they did not send.
   */
  private async mergePays(table: CatalogTable, batch: RowBatch): Promise<boolean> {
    if (batch.columns.some((column) => !column.complete)) return true;
    const step = Math.max(1, Math.floor(batch.keys.length / SAMPLE_ROWS));
    const sample = batch.keys.filter((_, row) => row % step === 0).slice(0, SAMPLE_ROWS);
    return (await this.existing(table, sample)).size * 2 > sample.length;
  }
}

/**
 * The row with a key, looked up in the index. `OFFSET 0` keeps the planner from turning the look-ups of a batch into a join
 * that reads the whole table: where it has no statistics yet, right after a load, that is what it does.
 */
function rowOf(table: CatalogTable, key: string): string {
  return `SELECT * FROM ${tableOf(table)} r WHERE r.${columnOf(primaryKeyOf(table.columns))} = ${key} OFFSET 0`;
}

/** One array a column, and for a column that not every row sent, one that says which rows did. */
function parametersOf(batch: RowBatch, from: number, to: number): Buffer[] {
  const parameters = [encodeArray('text', batch.keys.slice(from, to))];
  for (const { column, values, complete } of batch.columns) {
    const part = values.slice(from, to);
    parameters.push(encodeArray(nativeTypeOf(column.type), part));
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
  /** `unnest(…) AS s(key, v1, m1, …)`, with the arrays as parameters. */
  source: string;
  /** Physical columns that the batch writes, without the primary key. */
  columns: { name: string; value: string; sent?: string }[];
  /** The parameter after the arrays. */
  revision: string;
}

function shapeOf(batch: RowBatch): Shape {
  const types = ['text'];
  const aliases = ['key'];
  const columns = batch.columns.map(({ column, complete }, position) => {
    types.push(sqlTypeOf(nativeTypeOf(column.type)));
    aliases.push(`v${position}`);
    if (!complete) {
      types.push('boolean');
      aliases.push(`m${position}`);
    }
    return { name: columnOf(column), value: `s.v${position}`, ...(complete ? {} : { sent: `s.m${position}` }) };
  });
  const arrays = types.map((type, position) => `$${position + 1}::${type}[]`);
  return {
    source: `unnest(${arrays.join(', ')}) AS s(${aliases.join(', ')})`,
    columns,
    revision: `$${types.length + 1}::bigint`,
  };
}

/** For batches of mostly new rows: the index itself finds the rows that exist. */
function insertFirst(table: CatalogTable, batch: RowBatch): string {
  const { source, columns, revision } = shapeOf(batch);
  const rows = `SELECT s.key, ${columns.map((column) => `${column.value}, `).join('')}${revision}, now(), now() FROM ${source}`;
  return upsertOf(table, columns, rows);
}

/** For batches of mostly known rows: what is equal is left out before anything is written. */
function mergeFirst(table: CatalogTable, batch: RowBatch): string {
  const { source, columns, revision } = shapeOf(batch);
  const key = columnOf(primaryKeyOf(table.columns));
  const merged = columns.map(({ name, value, sent }) =>
    sent ? `CASE WHEN ${sent} THEN ${value} ELSE t.${name} END` : value,
  );
  const differs = columns.map(
    ({ name, value, sent }) => `${sent ? `${sent} AND ` : ''}t.${name} IS DISTINCT FROM ${value}`,
  );
  const rows = `SELECT s.key, ${merged.map((value) => `${value}, `).join('')}${revision}, now(), now()
                  FROM ${source} LEFT JOIN LATERAL (${rowOf(table, 's.key')}) t ON true
                 WHERE ${[`t.${key} IS NULL`, ...differs].join(' OR ')}`;
  return upsertOf(table, columns, rows);
}

function upsertOf(table: CatalogTable, columns: Shape['columns'], rows: string): string {
  const key = columnOf(primaryKeyOf(table.columns));
  const names = columns.map((column) => column.name);
  const set = [...names, '_revision', '_updated_at'].map((name) => `${name} = excluded.${name}`).join(', ');
  const differs = names.map((name) => `t.${name} IS DISTINCT FROM excluded.${name}`).join(' OR ');
  return `INSERT INTO ${tableOf(table)} AS t (${[key, ...names, '_revision', '_created_at', '_updated_at'].join(', ')})
          ${rows}
          ON CONFLICT (${key}) DO ${names.length > 0 ? `UPDATE SET ${set} WHERE ${differs}` : 'NOTHING'}
          RETURNING t.${key} AS key, xmax = 0 AS created`;
}

/** The same write, with counts in place of rows. */
function counted(write: string): string {
  return `WITH written AS (${write}) SELECT created, count(*)::int AS rows FROM written GROUP BY created`;
}
