import { Injectable } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import { quoteLiteral } from '../../../packages/sql/src/sql-literal.js';

/** Schemas of workspaces. */
const WORKSPACE_SCHEMA = '^ws_[0-9a-f]{32}$';

/** A fixed table and those that its foreign keys refer to. */
interface FixedTable {
  name: string;
  /** Does its primary key start with `workspace_id`? */
  isOwned: boolean;
  /**
   * Is it the table of the workspaces, to which a foreign key of only `workspace_id` refers? Each node has a copy: few
   * rows, which statements on every workspace need. They change only while all nodes are reachable.
   */
  isCopied: boolean;
  isDistributed: boolean;
  references: string[];
}

/** A server of the cluster. */
export interface ClusterNode {
  /** `host:port` as the coordinator connects to it. */
  name: string;
  isCoordinator: boolean;
  /** Does it accept connections? */
  isReachable: boolean;
  /** Workspaces whose tables it has. */
  workspaces: number;
  /** Bytes of the tables of these workspaces, with their indexes. */
  bytes: number;
}

/** Where the tables of a workspace are. */
export interface WorkspaceLocation {
  id: string;
  node: string;
  /** Number of physical tables. */
  tables: number;
  /** Bytes of the tables with their indexes. */
  bytes: number;
}

/**
 * Statements at the beginning of a transaction. Workers have no settings of the connection to the coordinator, which
 * cancels their statements after `statement_timeout`, but knows no `lock_timeout` of theirs. After the first of them
 * Citus sends each message with a `SET LOCAL` to the workers, as a whole.
 */
export function startOnCluster(lockTimeoutMs: number): [string, string] {
  return ["SET LOCAL citus.propagate_set_commands = 'local'", `SET LOCAL lock_timeout = ${lockTimeoutMs}`];
}

/** What one call of `distribute` has changed. */
export interface Distribution {
  tables: string[];
  workspaces: number;
}

/** The cluster of a database with the extension Citus (docs/how-to/operating.md, ADR 0074). */
@Injectable()
export class Cluster {
  constructor(private readonly dataSource: DataSource) {}

  /** Is the extension installed in the database? */
  async hasCitus(): Promise<boolean> {
    return this.exists("SELECT 1 FROM pg_extension WHERE extname = 'citus'");
  }

  /** Are the tables of the database distributed? */
  async isDistributed(): Promise<boolean> {
    if (!(await this.hasCitus())) return false;
    return this.exists(
      `SELECT 1 FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
        WHERE c.relnamespace = 'public'::regnamespace AND p.partmethod = 'h'`,
    );
  }

  /**
   * Distributes the fixed tables and the schemas of workspaces that are not distributed yet. A table is distributed by
   * `workspace_id` if its primary key starts with it, unless it refers to a table of the coordinator. Rows that exist
   * are moved; the table is locked meanwhile.
   */
  async distribute(): Promise<Distribution> {
    const tables = await this.inOneTransaction(async (runner) => {
      const fixed = await listFixedTables(runner);
      const copied = fixed.filter(({ isCopied, isDistributed }) => isCopied && !isDistributed);
      for (const { name } of copied) await runner.query('SELECT create_reference_table($1)', [name]);
      const owned = orderByReference(findOwnedTables(fixed));
      const first = owned.find(({ isDistributed }) => isDistributed)?.name ?? owned[0]?.name;
      const added = owned.filter(({ isDistributed }) => !isDistributed);
      for (const { name } of added) {
        const options = name === first ? '' : `, colocate_with => ${quoteLiteral(first!)}`;
        await runner.query(`SELECT create_distributed_table($1, 'workspace_id'${options})`, [name]);
      }
      return [...copied, ...added].map(({ name }) => name);
    });
    return { tables, workspaces: await this.distributeSchemas() };
  }

  async listNodes(): Promise<ClusterNode[]> {
    const nodes = await this.dataSource.query<Pick<ClusterNode, 'name' | 'isCoordinator' | 'isReachable'>[]>(
      `SELECT n.nodename || ':' || n.nodeport AS name, n.groupid = 0 AS "isCoordinator",
              n.groupid = 0 OR n.isactive AND COALESCE(
                (SELECT bool_and(h.result) FROM citus_check_cluster_node_health() h
                  WHERE h.to_nodename = n.nodename AND h.to_nodeport = n.nodeport), false) AS "isReachable"
         FROM pg_dist_node n WHERE n.noderole = 'primary' ORDER BY n.groupid`,
    );
    const locations = await this.listWorkspaces();
    return nodes.map((node) => {
      const workspaces = locations.filter((workspace) => workspace.node === node.name);
      return { ...node, workspaces: workspaces.length, bytes: workspaces.reduce((sum, { bytes }) => sum + bytes, 0) };
    });
  }

  /** The workspaces with at least one table, largest first. A node that does not respond fails the statement. */
  async listWorkspaces(): Promise<WorkspaceLocation[]> {
    return this.dataSource.query<WorkspaceLocation[]>(
      `SELECT substr(n.nspname, 4)::uuid::text AS id, s.nodename || ':' || s.nodeport AS node,
              count(*)::integer AS tables, sum(s.shard_size)::float8 AS bytes
         FROM citus_shards s JOIN pg_class c ON c.oid = s.table_name JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname ~ $1 GROUP BY 1, 2 ORDER BY bytes DESC, id`,
      [WORKSPACE_SCHEMA],
    );
  }

  /** Is there a node with this address other than the coordinator? */
  async isWorker(host: string, port: number): Promise<boolean> {
    return this.exists('SELECT 1 FROM pg_dist_node WHERE nodename = $1 AND nodeport = $2 AND groupid > 0', [
      host,
      port,
    ]);
  }

  /**
   * Moves the tables of a workspace to a node, by logical replication: writes wait only for the last changes.
   *
   * @returns false if the workspace has no tables.
   */
  async move(workspaceId: string, host: string, port: number): Promise<boolean> {
    const schema = schemaOf(workspaceId);
    await this.dropTemporaryTables(schema);
    const tables = 'SELECT 1 FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid';
    if (!(await this.exists(`${tables} WHERE c.relnamespace = to_regnamespace($1)`, [schema]))) return false;
    await this.withoutTimeouts((runner) =>
      runner.query("SELECT citus_schema_move($1::regnamespace, $2, $3, 'force_logical')", [schema, host, port]),
    );
    return true;
  }

  /**
   * Drops the tables of imports that an unreachable node has left: only their node knows them, so they cannot be moved.
   */
  private async dropTemporaryTables(schema: string): Promise<void> {
    const found = await this.dataSource.query<{ name: string }[]>(
      `SELECT relname AS name FROM pg_class
        WHERE relnamespace = to_regnamespace($1) AND relkind = 'r' AND relpersistence = 'u'`,
      [schema],
    );
    for (const { name } of found) await this.dataSource.query(`DROP TABLE IF EXISTS ${schema}.${name}`);
  }

  /** Moves tables of workspaces and shards of the fixed tables until all nodes have about as many bytes. */
  async rebalance(): Promise<void> {
    await this.withoutTimeouts((runner) =>
      runner.query(
        "SELECT rebalance_table_shards(rebalance_strategy => 'by_disk_size', shard_transfer_mode => 'force_logical')",
      ),
    );
  }

  /** The schemas of workspaces that existed before. Each is distributed by itself, so that few tables are locked. */
  private async distributeSchemas(): Promise<number> {
    const schemas = await this.dataSource.query<{ name: string }[]>(
      `SELECT nspname AS name FROM pg_namespace n
        WHERE nspname ~ $1 AND NOT EXISTS (SELECT 1 FROM pg_dist_schema d WHERE d.schemaid = n.oid) ORDER BY nspname`,
      [WORKSPACE_SCHEMA],
    );
    for (const { name } of schemas)
      await this.withoutTimeouts((runner) => runner.query(`SELECT citus_schema_distribute(${quoteLiteral(name)})`));
    return schemas.length;
  }

  private async inOneTransaction<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    return this.withoutTimeouts(async (runner) => {
      await runner.startTransaction();
      try {
        // Tables of the coordinator refer to reference tables, but remain ordinary tables.
        await runner.query('SET LOCAL citus.enable_local_reference_table_foreign_keys = off');
        // The statements of one transaction change tables that refer to each other.
        await runner.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
        await runner.query('SET LOCAL statement_timeout = 0');
        const result = await work(runner);
        await runner.commitTransaction();
        return result;
      } catch (error) {
        await runner.rollbackTransaction();
        throw error;
      }
    });
  }

  /** Runs the work on a connection whose statements may take as long as the data needs. */
  private async withoutTimeouts<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.query('SET statement_timeout = 0');
      return await work(runner);
    } finally {
      await runner.query('RESET statement_timeout').catch(() => undefined);
      await runner.release();
    }
  }

  private async exists(subquery: string, parameters: readonly unknown[] = []): Promise<boolean> {
    const sql = `SELECT EXISTS (${subquery}) AS exists`;
    const [row] = await this.dataSource.query<{ exists: boolean }[]>(sql, [...parameters]);
    return row!.exists;
  }
}

function schemaOf(workspaceId: string): string {
  return `ws_${workspaceId.replaceAll('-', '')}`;
}

function listFixedTables(runner: QueryRunner): Promise<FixedTable[]> {
  return runner.query(
    `SELECT c.relname AS name, EXISTS (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = c.oid) AS "isDistributed",
            EXISTS (SELECT 1 FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
                     WHERE k.conrelid = c.oid AND k.contype = 'p' AND a.attname = 'workspace_id') AS "isOwned",
            EXISTS (SELECT 1 FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND ARRAY[a.attnum] = k.conkey
                     WHERE k.confrelid = c.oid AND k.contype = 'f' AND a.attname = 'workspace_id') AS "isCopied",
            ARRAY(SELECT DISTINCT r.relname::text FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid
                   WHERE k.conrelid = c.oid AND k.contype = 'f') AS references
       FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY c.relname`,
  ) as Promise<FixedTable[]>;
}

/** The tables of workspaces, without those that refer to a table of the coordinator. */
function findOwnedTables(tables: readonly FixedTable[]): FixedTable[] {
  const isElsewhere = (owned: readonly FixedTable[]) => (reference: string) =>
    !tables.some(({ name, isCopied }) => isCopied && name === reference) &&
    !owned.some(({ name }) => name === reference);
  let owned = tables.filter(({ isOwned }) => isOwned);
  for (;;) {
    const remaining = owned.filter(({ references }) => !references.some(isElsewhere(owned)));
    if (remaining.length === owned.length) return owned;
    owned = remaining;
  }
}

/** Each table after those that it refers to. */
function orderByReference(tables: readonly FixedTable[]): FixedTable[] {
  const ordered = new Set<FixedTable>();
  const add = (table: FixedTable) => {
    for (const other of tables) if (other !== table && table.references.includes(other.name)) add(other);
    ordered.add(table);
  };
  for (const table of tables) add(table);
  return [...ordered];
}
