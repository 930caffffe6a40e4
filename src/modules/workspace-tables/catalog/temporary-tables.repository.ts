import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from './catalog.repository.js';
import { schemaName } from './physical-table.js';

const logger = new Logger('TemporaryTables');

/** Without copies of their definitions on all nodes, temporary tables need only that of the workspace. */
const ON_ONE_NODE = 'SET LOCAL citus.enable_metadata_sync = off';
const ON_ALL_NODES = 'SET LOCAL citus.enable_metadata_sync = on';

/** The class of the advisory locks for tables that are being dropped. */
const DROP_LOCK = 1;

/** Names with the suffix of a cluster. */
const SUFFIXED = '^[a-z_]+[0-9]*_[0-9]+_[0-9a-f]{16}$';

/**
 * Tables that the open transaction creates, and drops when it ends. On a cluster they are tables of the workspace,
 * since a statement cannot use temporary tables together with those of a workspace.
 */
export class TemporaryTables {
  /** Of names that were dropped: how often. */
  private readonly generations = new Map<string, number>();

  private constructor(
    private readonly schema: string,
    private readonly suffix: string,
    /**
     * Only on a cluster: where rows are received. A table in the schema of the workspace is created afterwards, since
     * that locks another table of the schema until the transaction ends.
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
    database.afterCommit(() => {
      void database
        .outsideTransaction(() => tables.dropAll(database))
        .catch((error: unknown) => logger.warn(`Temporary tables remain: ${(error as Error).message}`));
    });
    return tables;
  }

  /** Call it on a cluster before the first table of a transaction is created. */
  static async begin(database: Database): Promise<void> {
    if (database.isDistributed) await database.query(ON_ONE_NODE);
  }

  /** Call it on a cluster before other tables are created or changed. */
  static async end(database: Database): Promise<void> {
    if (database.isDistributed) await database.query(ON_ALL_NODES);
  }

  /** The name of a table, with its schema. */
  name(name: string): string {
    return `${this.schema}.${this.localName(name)}`;
  }

  /** The name without a schema, also for cursors. */
  localName(name: string): string {
    return `${name}${this.generations.get(name) ?? ''}${this.suffix}`;
  }

  /**
   * SQL: drops tables, so that they can be created again. On a cluster they get other names, and are dropped after the
   * commit.
   */
  drop(...names: readonly string[]): string {
    if (!this.received) return `DROP TABLE IF EXISTS ${names.map((name) => this.name(name)).join(', ')}`;
    for (const name of names) this.generations.set(name, (this.generations.get(name) ?? 1) + 1);
    return '';
  }

  /**
   * Drops the tables, and those that a former call could not drop. Each DROP needs all nodes, so it is not a part of
   * the transaction: if one is unreachable, a later transaction of the workspace drops the tables. Two sessions that
   * drop the same table at once would deadlock.
   */
  private async dropAll(database: Database): Promise<void> {
    const committed = await database.query<{ id: number; name: string }>(
      `SELECT c.oid::int AS id, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND c.relkind = 'r' AND c.relpersistence = 'u' AND c.relname ~ $2`,
      [this.schema, SUFFIXED],
    );
    for (const { id, name } of committed) {
      await database.transaction(async () => {
        const lock = 'SELECT pg_try_advisory_xact_lock($1, $2) AS locked';
        const [taken] = await database.query<{ locked: boolean }>(lock, [DROP_LOCK, id]);
        if (taken!.locked) await database.query(`DROP TABLE IF EXISTS ${this.schema}.${name}`);
      });
    }
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
    return `CREATE ${this.received ? 'UNLOGGED' : 'TEMPORARY'} TABLE ${this.name(name)}`;
  }

  private get onCommit(): string {
    return this.received ? '' : ' ON COMMIT DROP';
  }
}
