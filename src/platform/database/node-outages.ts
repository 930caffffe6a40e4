import type { DataSource } from 'typeorm';
import { isDatabaseUnavailable } from './database.errors.js';
import { quoteLiteral } from './sql-literal.js';

/** How long a connection to a node may take before the node counts as unreachable, in milliseconds. */
const CONNECT_TIMEOUT_MS = 2_000;

/** Groups of nodes that do not accept connections. */
const UNREACHABLE = `
  SELECT groupid AS id FROM pg_dist_node
   WHERE groupid > 0 AND noderole = 'primary' AND NOT citus_check_connection_to_node(nodename, nodeport) ORDER BY groupid`;

/** Those workspaces of `$1` whose fixed rows are on other nodes. */
const ON_OTHER_NODES = `
  SELECT w.id FROM unnest($1::uuid[]) AS w (id)
    JOIN pg_dist_placement p
      ON p.shardid = get_shard_id_for_distribution_column(
           (SELECT logicalrelid FROM pg_dist_partition WHERE partmethod = 'h' ORDER BY logicalrelid LIMIT 1), w.id)
   WHERE p.groupid <> ALL ($2::integer[])`;

/**
 * The unreachable nodes of a cluster. A statement on the rows of all workspaces, such as the look of a background job, fails if one node is
 * unreachable; restricted to workspaces of the other nodes, it uses only these.
 */
export class NodeOutages {
  /** The literal of the workspaces on reachable nodes; undefined if all are reachable. */
  private workspaces: string | undefined;
  private groups = '';
  private changes = 0;
  private running: Promise<void> | undefined;

  constructor(private readonly dataSource: DataSource) {}

  get isKnown(): boolean {
    return this.workspaces !== undefined;
  }

  /** SQL: a condition that begins with AND, or nothing. */
  restrict(column: string): string {
    return this.workspaces === undefined ? '' : ` AND ${column} = ANY (${this.workspaces})`;
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

  /** Connects to all nodes. */
  update(): Promise<void> {
    return (this.running ??= this.check().finally(() => (this.running = undefined)));
  }

  private async check(): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await manager.query(`SET LOCAL citus.node_connection_timeout = ${CONNECT_TIMEOUT_MS}`);
      const unreachable = (await manager.query<{ id: number }[]>(UNREACHABLE)).map(({ id }) => id);
      const groups = unreachable.join();
      // A new workspace needs all nodes, so the list is complete.
      if (groups === this.groups) return;
      const all = (await manager.query<{ id: string }[]>('SELECT id FROM workspaces')).map(({ id }) => id);
      const found = await manager.query<{ id: string }[]>(ON_OTHER_NODES, [all, unreachable]);
      this.workspaces =
        unreachable.length === 0 ? undefined : `${quoteLiteral(`{${found.map(({ id }) => id).join()}}`)}::uuid[]`;
      this.groups = groups;
      this.changes++;
    });
  }
}
