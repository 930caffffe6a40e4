import { randomBytes } from 'node:crypto';
import type { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from './catalog.repository.js';
import { schemaName } from './physical-table.js';

/**
 * Tables that the open transaction creates, and drops when it ends. On a cluster they are tables of the workspace, since a statement
 * cannot use temporary tables together with those of a workspace.
 */
export class TemporaryTables {
  private readonly created = new Set<string>();

  private constructor(
    private readonly schema: string,
    private readonly suffix: string,
    /**
     * Only on a cluster: where rows are received. A table in the schema of the workspace is created afterwards, since that locks another
     * table of the schema until the transaction ends.
     */
    readonly received?: TemporaryTables,
  ) {}

  /**
   * @param table one of the workspace.
   * @param number distinguishes the temporary tables of a transaction with the same names.
   */
  static open(database: Database, { workspaceId }: Pick<CatalogTable, 'workspaceId'>, number = 0): TemporaryTables {
    const local = new TemporaryTables('pg_temp', `_${number}`);
    if (!database.isDistributed) return local;
    const tables = new TemporaryTables(schemaName(workspaceId), `_${number}_${randomBytes(8).toString('hex')}`, local);
    database.beforeCommit(async () => {
      if (tables.created.size > 0) await database.query(`DROP TABLE IF EXISTS ${[...tables.created].join(', ')}`);
    });
    return tables;
  }

  /** The name of a table, with its schema. */
  name(name: string): string {
    return `${this.schema}.${this.localName(name)}`;
  }

  /** The name without a schema, also for cursors. */
  localName(name: string): string {
    return `${name}${this.suffix}`;
  }

  /** SQL that creates a table. @param columns their definitions */
  create(name: string, columns: string): string {
    return `${this.createTable(name)} (${columns})${this.onCommit}`;
  }

  /** SQL that creates a table with the rows of a query. */
  createAs(name: string, query: string): string {
    return `${this.createTable(name)}${this.onCommit} AS ${query}`;
  }

  private createTable(name: string): string {
    this.created.add(this.name(name));
    return `CREATE ${this.received ? 'UNLOGGED' : 'TEMPORARY'} TABLE ${this.name(name)}`;
  }

  private get onCommit(): string {
    return this.received ? '' : ' ON COMMIT DROP';
  }
}
