import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database, type StatementOptions } from '../../../platform/database/database.js';
import { type CatalogTable, SELECTED_ENTRY, type TableEntry } from './catalog.repository.js';
import { storedTableName } from './physical-table.js';

/** SQL that reads rows of a table. */
export interface RowsQuery {
  /**
   * A SELECT, with a result of at most one row. The parameters `$1` and `$2` are the IDs of the workspace and of the
   * table.
   */
  source: string;
  /** The parameters from `$1`. */
  parameters: readonly unknown[];
}

/** Tables whose size class an instance caches. */
const MAX_CACHED_SIZES = 10_000;

/**
 * The approximate sizes of physical tables, for prepared statements: a plan for a small table would scan a large one. A
 * statement that begins with the comment has another text, and thus a new plan, when its table has grown considerably.
 */
class SizeClasses {
  private readonly byTable = new LRUCache<string, number>({ max: MAX_CACHED_SIZES });

  comment({ id }: Pick<CatalogTable, 'id'>): string {
    return `/* size class ${this.byTable.get(id) ?? 0} */`;
  }

  /** @param bytes the result of `selectSize`. */
  record({ id }: Pick<CatalogTable, 'id'>, bytes: number): void {
    this.byTable.set(id, toSizeClass(bytes));
  }
}

/** Statements that an instance caches: about 5 MB. */
const MAX_CACHED_STATEMENTS = 2_000;

/**
 * Reads rows together with the entry of their table in the catalog
 * (docs/explanation/performance.md#table-and-rows-in-one-statement).
 */
@Injectable()
export class RowsWithEntryRepository {
  private readonly sizes = new SizeClasses();
  /**
   * Statements by their source. The driver finds a prepared statement by its text: that is fast for the same string,
   * whose hash is known, and as slow as a comparison of all characters for an equal one.
   */
  private readonly statements = new LRUCache<string, string>({ max: MAX_CACHED_STATEMENTS });

  constructor(protected readonly database: Database) {}

  /**
   * The entry of the table, and the row of the source in the same snapshot, NULL in all columns if the source has none.
   *
   * @returns undefined if the table was dropped.
   */
  async find<Row extends object>(
    table: CatalogTable,
    { source, parameters }: RowsQuery,
    options?: StatementOptions,
  ): Promise<{ entry: TableEntry; row: Row } | undefined> {
    const sql = this.compile(table, source);
    const [found] = await this.database.query<{ entry: TableEntry; bytes: number } & Row>(sql, parameters, options);
    if (!found) return undefined;
    this.sizes.record(table, found.bytes);
    return { entry: found.entry, row: found };
  }

  /** The entry is one column: node-postgres takes longer for each column than for the fields of an object. */
  private compile(table: CatalogTable, source: string): string {
    const comment = this.sizes.comment(table);
    const known = this.statements.get(source);
    if (known?.startsWith(comment)) return known;
    const sql = `${comment}
      SELECT (SELECT row_to_json(entry) FROM (SELECT ${SELECTED_ENTRY}) entry) AS entry, ${selectSize(table)} AS bytes, r.*
        FROM workspace_tables t LEFT JOIN LATERAL (${source}) r ON TRUE
       WHERE t.workspace_id = $1 AND t.id = $2`;
    this.statements.set(source, sql);
    return sql;
  }
}

/** SQL expression: the size of the physical table in bytes. */
function selectSize(table: CatalogTable): string {
  return `pg_relation_size('${storedTableName(table)}')::float8`;
}

/** Tables of one size class differ in size by a factor of four at most. */
function toSizeClass(bytes: number): number {
  return Math.ceil(Math.log2(bytes + 1) / 2);
}
