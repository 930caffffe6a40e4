import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { isDatabaseUnavailable } from './database.errors.js';
import { quoteLiteral } from '../../../packages/sql/src/sql-literal.js';

/**
 * How long a connection to a node may take, in milliseconds. A node that does not accept one twice counts as
 * unreachable.
 */
const CONNECT_TIMEOUT_MS = 1_000;

/** How long after a check an unreachable node is checked again, in milliseconds. */
const RECHECK_MS = 1_000;

/** Groups of nodes that do not accept connections. */
const UNREACHABLE = `
  SELECT groupid AS id, nodename || ':' || nodeport AS name FROM pg_dist_node
   WHERE groupid > 0 AND noderole = 'primary' AND NOT citus_check_connection_to_node(nodename, nodeport) ORDER BY groupid`;

/** The table of the workspaces, of which each node has a copy (`Cluster.distribute`). */
const COPIED_TABLE = `
  SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE partmethod = 'n' AND repmodel = 't' ORDER BY logicalrelid LIMIT 1`;

/** Workspaces whose fixed rows are not on the nodes `$1`. */
const selectReachable = (workspaces: string) => `
  SELECT w.id FROM ${workspaces} w
    JOIN pg_dist_placement p
      ON p.shardid = get_shard_id_for_distribution_column(
           (SELECT logicalrelid FROM pg_dist_partition WHERE partmethod = 'h' ORDER BY logicalrelid LIMIT 1), w.id)
   WHERE p.groupid <> ALL ($1::integer[])`;

interface UnreachableNode {
  id: number;
  name: string;
}

/**
 * The nodes of a cluster that reject connections. A statement on the rows of all workspaces, such as the look of a
 * background job, fails if one node is unreachable. Restricted to workspaces of the other nodes, it needs only these.
 * Statements on one workspace need no restriction: they fail if its node is unreachable.
 */
export class NodeOutages {
  private readonly logger = new Logger(NodeOutages.name);
  /** The nodes that were found unreachable by the last check. */
  private nodes: readonly UnreachableNode[] = [];
  /** SQL: the list of workspaces on the other nodes. */
  private workspaces = '';
  private changes = 0;
  private running: Promise<void> | undefined;
  private recheck: NodeJS.Timeout | undefined;

  constructor(private readonly dataSource: DataSource) {}

  /** SQL: a condition on a column with the workspace; TRUE if all nodes are reachable. */
  restrict(column: string): string {
    return this.nodes.length === 0 ? 'TRUE' : `${column} = ANY (${this.workspaces})`;
  }

  /** Runs work whose statements are restricted. If a node becomes unreachable, it runs again without this node. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { changes } = this;
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (this.changes === changes) await this.update().catch(() => undefined);
      if (this.changes === changes) throw error;
      return work();
    }
  }

  /** Connects to all nodes, and again each second until all are reachable. */
  update(): Promise<void> {
    return (this.running ??= this.check().finally(() => {
      this.running = undefined;
      clearTimeout(this.recheck);
      if (this.nodes.length > 0)
        this.recheck = setTimeout(() => void this.update().catch(() => undefined), RECHECK_MS).unref();
    }));
  }

  private async check(): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await manager.query(`SET LOCAL citus.node_connection_timeout = ${CONNECT_TIMEOUT_MS}`);
      const find = () => manager.query<UnreachableNode[]>(UNREACHABLE);
      let found = await find();
      // Under load a node may need longer once, so a node that was reachable until now must fail twice.
      if (found.some(({ id }) => !this.isKnown(id))) {
        const failedOnce = new Set(found.map(({ id }) => id));
        found = (await find()).filter(({ id }) => failedOnce.has(id));
      }
      const isUnchanged = found.length === this.nodes.length && found.every(({ id }) => this.isKnown(id));
      // A new workspace needs all nodes, so the list is complete.
      if (isUnchanged) return;
      const [copied] = await manager.query<{ name: string }[]>(COPIED_TABLE);
      const nodes = found.map(({ id }) => id);
      const reachable = await manager.query<{ id: string }[]>(selectReachable(copied!.name), [nodes]);
      this.workspaces = `${quoteLiteral(`{${reachable.map(({ id }) => id).join()}}`)}::uuid[]`;
      this.nodes = found;
      this.changes++;
      if (found.length > 0)
        this.logger.error(`Unreachable nodes of the cluster: ${found.map(({ name }) => name).join(', ')}`);
      else this.logger.log('All nodes of the cluster are reachable');
    });
  }

  private isKnown(node: number): boolean {
    return this.nodes.some(({ id }) => id === node);
  }
}
