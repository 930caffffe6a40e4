import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { Sql } from '../../../../packages/sql/src/sql.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { schemaName } from '../../../../packages/tables/src/catalog/physical-table.js';
import { PhysicalTablesRepository } from '../../../../packages/tables/src/catalog/physical-tables.repository.js';
import { TemporaryTables, TemporaryTablesFactory } from '../../../../packages/tables/src/catalog/temporary-tables.js';

/*
 * What the catalog does differently on a cluster, where a statement uses either fixed tables or the tables of one
 * workspace (ADR 0074).
 */

/** All tables of a schema are on one node, which may be another one for each schema. */
@Injectable()
export class ClusterPhysicalTablesRepository extends PhysicalTablesRepository {
  protected override readonly sizeFunction = 'citus_total_relation_size';

  override async createSchema(workspaceId: string): Promise<void> {
    await this.sql.query('SET LOCAL citus.enable_schema_based_sharding = on');
    await super.createSchema(workspaceId);
  }
}

const logger = new Logger('TemporaryTables');

/** The class of the advisory locks for tables that are being dropped. */
const DROP_LOCK = 1;

/** Names of temporary tables. */
const SUFFIXED = '^[a-z0-9_]+_[0-9]+_[0-9a-f]{16}$';

/**
 * Unlogged tables of the workspace: a statement cannot use temporary tables of PostgreSQL together with those of a
 * workspace.
 */
class ClusterTemporaryTables extends TemporaryTables {
  /** How often each name was dropped. */
  private readonly generations = new Map<string, number>();

  /**
   * @param received a table in the schema of the workspace locks another table of the schema until the transaction
   * ends.
   */
  constructor(
    workspaceId: string,
    number: number,
    override readonly received: TemporaryTables,
  ) {
    super(schemaName(workspaceId), `_${number}_${randomBytes(8).toString('hex')}`);
  }

  override localName(name: string): string {
    return super.localName(`${name}${this.generations.get(name) ?? ''}`);
  }

  /** The tables get other names, and are dropped after the commit. */
  override drop(...names: readonly string[]): string {
    for (const name of names) this.generations.set(name, (this.generations.get(name) ?? 1) + 1);
    return 'SELECT';
  }

  override create(name: string, columns: string): string {
    return `CREATE UNLOGGED TABLE ${this.name(name)} (${columns})`;
  }

  override createAs(name: string, query: string): string {
    return `CREATE UNLOGGED TABLE ${this.name(name)} AS ${query}`;
  }

  /**
   * Drops the tables, and those that a former call could not drop. Each DROP needs all nodes, so it is not a part of
   * the transaction: if one is unreachable, a later transaction of the workspace drops the tables. Two sessions that
   * drop the same table at once would deadlock.
   */
  async dropAll(sql: Sql): Promise<void> {
    const committed = await sql.query<{ id: number; name: string }>(
      `SELECT c.oid::int AS id, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND c.relkind = 'r' AND c.relpersistence = 'u' AND c.relname ~ $2`,
      [this.schema, SUFFIXED],
    );
    for (const { id, name } of committed) {
      await sql.transaction(async () => {
        const lock = 'SELECT pg_try_advisory_xact_lock($1, $2) AS locked';
        const [taken] = await sql.query<{ locked: boolean }>(lock, [DROP_LOCK, id]);
        if (taken!.locked) await sql.query(`DROP TABLE IF EXISTS ${this.schema}.${name}`);
      });
    }
  }
}

@Injectable()
export class ClusterTemporaryTablesFactory extends TemporaryTablesFactory {
  /** Without copies of their definitions on all nodes, temporary tables need only the node of the workspace. */
  override async open({ workspaceId }: Pick<CatalogTable, 'workspaceId'>, number: number): Promise<TemporaryTables> {
    await this.sql.query('SET LOCAL citus.enable_metadata_sync = off');
    const received = new TemporaryTables('pg_temp', `_${number}`);
    const tables = new ClusterTemporaryTables(workspaceId, number, received);
    this.sql.afterCommit(() => {
      void this.sql
        .outsideTransaction(() => tables.dropAll(this.sql))
        .catch((error: unknown) => logger.warn(`Temporary tables remain: ${(error as Error).message}`));
    });
    return tables;
  }

  override async close(): Promise<void> {
    await this.sql.query('SET LOCAL citus.enable_metadata_sync = on');
  }
}
