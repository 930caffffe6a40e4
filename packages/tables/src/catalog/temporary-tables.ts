import type { Sql } from '../../../sql/src/sql.js';
import type { CatalogTable } from './catalog-table.js';

/** Tables that the open transaction creates, and drops when it ends: temporary tables of PostgreSQL. */
export class TemporaryTables {
  /** The tables that can receive rows by COPY. */
  readonly received: TemporaryTables = this;

  constructor(
    protected readonly schema: string,
    private readonly suffix: string,
  ) {}

  /** The name of a table, with its schema. */
  name(name: string): string {
    return `${this.schema}.${this.localName(name)}`;
  }

  /** The name without a schema, also for cursors. */
  localName(name: string): string {
    return `${name}${this.suffix}`;
  }

  /** SQL: drops tables, so that they can be created again. */
  drop(...names: readonly string[]): string {
    return `DROP TABLE IF EXISTS ${names.map((name) => this.name(name)).join(', ')}`;
  }

  /** SQL that creates a table. @param columns their definitions. */
  create(name: string, columns: string): string {
    return `CREATE TEMPORARY TABLE ${this.name(name)} (${columns}) ON COMMIT DROP`;
  }

  /** SQL that creates a table with the rows of a query. */
  createAs(name: string, query: string): string {
    return `CREATE TEMPORARY TABLE ${this.name(name)} ON COMMIT DROP AS ${query}`;
  }
}

/** Opens temporary tables for the rows of a table. */
export class TemporaryTablesFactory {
  constructor(protected readonly sql: Sql) {}

  /**
   * Creates no table yet.
   *
   * @param number distinguishes the temporary tables of a transaction with the same names.
   */
  open(_table: Pick<CatalogTable, 'workspaceId'>, number: number): Promise<TemporaryTables> {
    return Promise.resolve(new TemporaryTables('pg_temp', `_${number}`));
  }

  /** Call it before permanent tables are created or changed in a transaction that may have temporary ones. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
