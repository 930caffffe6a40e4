import { MAX_LEVELS, MAX_TITLE_LENGTH } from './request-limits.js';
import { readPage, type RowPage } from '../../../sql/src/page-reader.js';
import type { Sql } from '../../../sql/src/sql.js';
import type { CatalogTable } from './catalog-table.js';
import type { CatalogColumn } from './column-plan.js';
import {
  compileMissing,
  type KeySelection,
  type KeySpace,
  rowByKey,
  rowsByKeys,
  rowToJson,
  type RowValues,
  selectKeyTitleAndName,
  selectName,
  keysInSubtreeSql,
  subtreeSql,
} from './row-sql.js';
import { encodeArray } from './binary-format.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from './physical-table.js';

/** A row with its metadata. */
export interface StoredRow {
  item: RowValues;
  /** The revision of the table that last changed the row. */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

interface PathStep {
  key: string;
  title: string;
  parent: string | null;
}

/** Lookups in tables, of one key each, that one statement makes: PostgreSQL plans it as a whole. */
const LOOKUPS_PER_STATEMENT = 100;

/** Tables whose keys one statement lists. */
const LISTED_TOGETHER = 20;

/** A row with its table. */
export interface FoundRow {
  table: CatalogTable;
  key: string;
  /** As `expand` shows it: see `selectKeyTitleAndName`. */
  title: string;
  name: string;
}

/** Finds rows by their keys. */
export class RowsRepository {
  constructor(private readonly sql: Sql) {}

  async find(table: CatalogTable, key: string): Promise<StoredRow | undefined> {
    return (await this.findAll(table, [key])).get(key);
  }

  /** The revisions of the rows with these keys, by their keys. */
  async findRevisions(table: CatalogTable, keys: readonly string[]): Promise<Map<string, Pick<StoredRow, 'revision'>>> {
    const rows = await this.sql.query<{ key: string; revision: number }>(
      `SELECT ${physicalKeyName(table)} AS key, _revision::float8 AS revision FROM ${rowsByKeys(table, '$1')} t`,
      [encodeArray('text', keys)],
    );
    return new Map(rows.map(({ key, revision }) => [key, { revision }]));
  }

  /** The rows with these keys, by their keys. */
  async findAll(table: CatalogTable, keys: readonly string[]): Promise<Map<string, StoredRow>> {
    const rows = await this.sql.query<StoredRow & { key: string }>(
      `SELECT t.${physicalKeyName(table)} AS key, ${rowToJson(table)} AS item, t._revision::float8 AS revision,
              t._created_at AS "createdAt", t._updated_at AS "updatedAt"
         FROM ${rowsByKeys(table, '$1')} t`,
      [encodeArray('text', keys)],
    );
    return new Map(rows.map(({ key, ...row }) => [key, row]));
  }

  /** The rows with these keys in the order of their keys, as many as a page contains. */
  readByKeys(table: CatalogTable, keys: readonly string[]): Promise<RowPage<{ key: string; item: RowValues }>> {
    const sql = `SELECT t.${physicalKeyName(table)} AS key, ${rowToJson(table)} AS item FROM ${rowsByKeys(table, '$1')} t
                  ORDER BY key`;
    const statement = { sql, parameters: [encodeArray('text', keys)], sized: ['item'] };
    return readPage(this.sql, statement, keys.length);
  }

  /** Keys of each table, in any order: with one, PostgreSQL could walk along a whole index. */
  async listKeys(tables: readonly CatalogTable[], limit: number): Promise<{ id: string; keys: string[] }[]> {
    const found: { id: string; keys: string[] }[] = [];
    for (let from = 0; from < tables.length; from += LISTED_TOGETHER) {
      const parts = tables.slice(from, from + LISTED_TOGETHER).map(
        (table) =>
          `SELECT '${table.id}' AS id,
                  ARRAY(SELECT t.${physicalKeyName(table)} FROM ${physicalTableName(table)} t LIMIT ${limit}) AS keys`,
      );
      found.push(...(await this.sql.query<{ id: string; keys: string[] }>(parts.join(' UNION ALL '))));
    }
    return found;
  }

  /** The row and the rows above it, upwards: at most one more than a path contains. Each is looked up by its key. */
  listPath(table: CatalogTable, parent: CatalogColumn, key: string): Promise<PathStep[]> {
    const columns = `${selectKeyTitleAndName(table)}, t.${physicalColumnName(parent)}`;
    return this.sql.query<PathStep>(
      `WITH RECURSIVE up (key, title, name, parent, level) AS (
         SELECT ${columns}, 0 FROM ${physicalTableName(table)} t WHERE t.${physicalKeyName(table)} = $1
         UNION ALL
         SELECT ${columns}, up.level + 1 FROM up JOIN ${physicalTableName(table)} t ON t.${physicalKeyName(table)} = up.parent
          WHERE up.level < ${MAX_LEVELS})
       SELECT key, title, parent FROM up ORDER BY level`,
      [key],
    );
  }

  /** The keys that the table has. */
  findExisting(table: CatalogTable, keys: readonly string[]): Promise<Set<string>> {
    return this.findExistingIn([table], keys);
  }

  /** Does the table have a row of these? */
  async hasAny(table: CatalogTable, { isSelected, parameters }: KeySelection): Promise<boolean> {
    const rows = `SELECT 1 FROM ${physicalTableName(table)} r WHERE r.${physicalKeyName(table)} ${isSelected} LIMIT 1`;
    return (await this.sql.query(rows, parameters)).length > 0;
  }

  /**
   * @param query of rows that differ from those of a table: `key`, and `stored`, whether the table has the row.
   * @returns their keys: those that the table does not have, and the others.
   */
  async findDifferent(query: string, parameters: readonly unknown[]): Promise<{ missing: string[]; stored: string[] }> {
    // Two arrays as JSON are parsed faster than a row per key.
    const list = (condition: string) => `coalesce(json_agg(c.key) FILTER (WHERE ${condition}), '[]')`;
    const [found] = await this.sql.query<{ missing: string[]; stored: string[] }>(
      `SELECT ${list('NOT c.stored')} AS missing, ${list('c.stored')} AS stored FROM (${query}) c`,
      parameters,
    );
    return found!;
  }

  /** Those of the keys that a row of any of the tables has. */
  async findExistingIn(tables: KeySpace, keys: readonly string[]): Promise<Set<string>> {
    const missing = new Set(keys);
    for (let from = 0, count: number; from < tables.length && missing.size > 0; from += count) {
      // Of many keys, those that a table has are not looked up in the next ones.
      count = Math.max(1, Math.floor(LOOKUPS_PER_STATEMENT / missing.size));
      const each = tables
        .slice(from, from + count)
        .map((table) => `SELECT ${physicalKeyName(table)} AS key FROM ${rowsByKeys(table, '$1')} t`);
      const rows = await this.sql.query<{ key: string }>(each.join(' UNION ALL '), [encodeArray('text', [...missing])]);
      for (const { key } of rows) missing.delete(key);
    }
    return new Set(keys.filter((key) => !missing.has(key)));
  }

  /**
   * Follows the parents of stored rows upwards, from each of the keys to the first of the targets. Keys above which no
   * target is are not included. The rows between them do not leave PostgreSQL, however many levels there are.
   *
   * @returns the target by the key.
   */
  async findFirstAbove(
    table: CatalogTable,
    parent: CatalogColumn,
    keys: readonly string[],
    targets: readonly string[],
  ): Promise<Map<string, string>> {
    if (keys.length === 0 || targets.length === 0) return new Map();
    const next = `t.${physicalColumnName(parent)}`;
    const hasParent = `${next} IS NOT NULL`;
    const first = `FROM unnest($1::text[]) AS s(key) CROSS JOIN LATERAL ${rowByKey(table, 's.key')} t WHERE ${hasParent}`;
    const above = (of: string) =>
      `FROM ${of} CROSS JOIN LATERAL ${rowByKey(table, `${of}.parent`)} t
        WHERE ${hasParent} AND ${of}.parent <> ALL ($2::text[])`;
    // Rows that several keys share are visited once to find out whether any target is above: most rows have none.
    const rows = await this.sql.query<{ key: string; target: string }>(
      `WITH RECURSIVE shared (parent) AS (SELECT ${next} ${first} UNION SELECT ${next} ${above('shared')}),
         up (key, parent) AS (
           SELECT s.key, ${next} ${first} AND EXISTS (SELECT 1 FROM shared WHERE parent = ANY ($2::text[]))
           UNION SELECT up.key, ${next} ${above('up')})
       SELECT key, parent AS target FROM up WHERE parent = ANY ($2::text[])`,
      [encodeArray('text', keys), encodeArray('text', targets)],
    );
    return new Map(rows.map(({ key, target }) => [key, target]));
  }

  /**
   * The keys of the rows with the revision of the table that are not among the permitted ones.
   *
   * @param permitted the table with the permitted rows as its `rows`.
   */
  async findWrittenUnpermitted(table: CatalogTable, permitted: CatalogTable, limit: number): Promise<string[]> {
    const key = `r.${physicalKeyName(table)}`;
    const rows = await this.sql.query<{ key: string }>(
      `SELECT ${key} AS key FROM ${physicalTableName(table)} r
        WHERE r._revision = ${table.revision} AND ${compileMissing([permitted], key)} ORDER BY 1 LIMIT ${limit}`,
      [],
    );
    return rows.map((row) => row.key);
  }

  /** Those of the keys whose rows were not created by the last change of the table. At most 1,000. */
  async findFormer(table: CatalogTable, keys: readonly string[]): Promise<string[]> {
    if (keys.length === 0) return [];
    const key = `r.${physicalKeyName(table)}`;
    const rows = await this.sql.query<{ key: string }>(
      `SELECT ${key} AS key FROM ${physicalTableName(table)} r
        WHERE ${key} = ANY ($1) AND (r._revision < ${table.revision} OR r._created_at < r._updated_at)
        ORDER BY 1 LIMIT 1000`,
      [encodeArray('text', keys)],
    );
    return rows.map((row) => row.key);
  }

  /** The rows with this key in any of the tables. */
  findInTables(tables: readonly CatalogTable[], key: string): Promise<FoundRow[]> {
    return this.lookUp(tables, '= $1', key, '');
  }

  /**
   * As findInTables(), and locks the keys of the rows until the transaction ends. Other columns can still be changed.
   */
  lockInTables(tables: readonly CatalogTable[], key: string): Promise<FoundRow[]> {
    return this.lookUp(tables, '= $1', key, 'FOR KEY SHARE');
  }

  /**
   * The rows with any of these keys in any of the tables. Of titles and names longer than `MAX_TITLE_LENGTH`, only the
   * beginning: a page has many of them.
   */
  async listByKeys(tables: readonly CatalogTable[], keys: readonly string[]): Promise<FoundRow[]> {
    const shorten = (text: string) =>
      `CASE WHEN length(${text}) > ${MAX_TITLE_LENGTH} THEN left(${text}, ${MAX_TITLE_LENGTH}) || '…' ELSE ${text} END`;
    const columns = `key, ${shorten('title')} AS title, ${shorten('name')} AS name`;
    return this.lookUp(tables, '= ANY ($1::text[])', encodeArray('text', keys), '', columns);
  }

  /**
   * As `lockInTables`, the rows of a table whose name is the text, two at most: more are as ambiguous. Without an index
   * on the column, it reads the table.
   */
  async lockByName(table: CatalogTable, name: string): Promise<FoundRow[]> {
    const rows = await this.sql.query<{ key: string; title: string; name: string }>(
      `SELECT * FROM (SELECT ${selectKeyTitleAndName(table)} FROM ${physicalTableName(table)} t
         WHERE ${selectName(table)} = $1 LIMIT 2 FOR KEY SHARE) found`,
      [name],
    );
    return rows.map((row) => ({ table, ...row }));
  }

  /** The first keys of the table, in their order. */
  async listFirstKeys(table: CatalogTable, limit: number): Promise<string[]> {
    const key = physicalKeyName(table);
    const rows = await this.sql.query<{ key: string }>(
      `SELECT ${key} AS key FROM ${physicalTableName(table)} t ORDER BY ${key} LIMIT ${limit}`,
      [],
    );
    return rows.map((row) => row.key);
  }

  /**
   * The different values of text columns, without null and longer ones.
   *
   * @param keys of the rows: an array in PostgreSQL's format.
   * @param maxLength of a value, in characters.
   */
  async listTexts(
    table: CatalogTable,
    columns: readonly CatalogColumn[],
    keys: string,
    maxLength: number,
  ): Promise<string[]> {
    const cells = columns.map((column) => `(t.${physicalColumnName(column)})`).join(', ');
    const rows = await this.sql.query<{ value: string }>(
      `SELECT DISTINCT c.value FROM ${rowsByKeys(table, '$1')} t CROSS JOIN LATERAL (VALUES ${cells}) c (value)
        WHERE length(c.value) <= $2`,
      [keys, maxLength],
    );
    return rows.map(({ value }) => value);
  }

  /** The keys of a row and its subtree, also if it contains a cycle. Empty if the row does not exist. */
  async listSubtree(table: CatalogTable, key: string): Promise<string[]> {
    const rows = await this.sql.query<{ key: string }>(`SELECT key FROM (${subtreeSql(table, '$1')}) below`, [key]);
    return rows.map((row) => row.key);
  }

  /** As `listSubtree`, as an array in PostgreSQL's text format. */
  async readSubtree(table: CatalogTable, key: string): Promise<string> {
    const sql = `SELECT coalesce(array_agg(key), '{}')::text AS keys FROM (${subtreeSql(table, '$1')}) below`;
    return (await this.sql.query<{ keys: string }>(sql, [key]))[0]!.keys;
  }

  /** Those of the keys whose rows are in the subtree of a row. */
  async listInSubtree(table: CatalogTable, root: string, keys: readonly string[]): Promise<string[]> {
    const rows = await this.sql.query<{ key: string }>(keysInSubtreeSql(table, '$1', '$2'), [
      root,
      encodeArray('text', keys),
    ]);
    return rows.map(({ key }) => key);
  }

  /** @param isKey condition on the key. @param keys its parameter. */
  private async lookUp(
    tables: readonly CatalogTable[],
    isKey: string,
    keys: string | Buffer,
    locking: string,
    columns = 'key, title, name',
  ): Promise<FoundRow[]> {
    // PostgreSQL locks rows only in subqueries of a UNION, not in its direct parts.
    const each = tables.map(
      (table, at) =>
        `SELECT ${at} AS at, ${columns} FROM (SELECT ${selectKeyTitleAndName(table)} FROM ${physicalTableName(table)} t
           WHERE t.${physicalKeyName(table)} ${isKey} ${locking}) found`,
    );
    const found: FoundRow[] = [];
    for (let from = 0; from < each.length; from += LOOKUPS_PER_STATEMENT) {
      const sql = each.slice(from, from + LOOKUPS_PER_STATEMENT).join(' UNION ALL ');
      const rows = await this.sql.query<{ at: number; key: string; title: string; name: string }>(sql, [keys]);
      found.push(...rows.map(({ at, ...row }) => ({ table: tables[at]!, ...row })));
    }
    return found;
  }
}
