import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/**
 * A database on all servers of the cluster of `CITUS_URL`, and one on its coordinator only, whose tables are not
 * distributed.
 */
export class ClusterDatabases {
  readonly cluster: string;
  readonly single: string;

  private constructor(private readonly nodes: readonly string[]) {
    const id = randomBytes(4).toString('hex');
    this.cluster = withDatabase(nodes[0]!, `bench_cluster_${id}`);
    this.single = withDatabase(nodes[0]!, `bench_single_${id}`);
  }

  /** @param coordinator a database with the nodes of the cluster; its credentials are those of all nodes */
  static async create(coordinator: string): Promise<ClusterDatabases> {
    const rows = await query<{ host: string; port: number; groupid: number }>(
      coordinator,
      'SELECT nodename AS host, nodeport AS port, groupid FROM pg_dist_node ORDER BY groupid',
    );
    const nodes = rows.map(({ host, port, groupid }) => {
      const url = new URL(coordinator);
      if (groupid > 0) Object.assign(url, { hostname: host, port: String(port) });
      return url.href;
    });
    const databases = new ClusterDatabases(nodes);
    const { cluster, single } = databases;
    await query(coordinator, `CREATE DATABASE ${nameOf(single)}`);
    for (const node of nodes) {
      await query(node, `CREATE DATABASE ${nameOf(cluster)}`);
      await query(withDatabase(node, nameOf(cluster)), 'CREATE EXTENSION citus');
    }
    const [first, ...workers] = rows;
    await query(cluster, 'SELECT citus_set_coordinator_host($1, $2)', [first!.host, first!.port]);
    for (const { host, port } of workers) await query(cluster, 'SELECT citus_add_node($1, $2)', [host, port]);
    return databases;
  }

  async drop(): Promise<void> {
    await query(this.nodes[0]!, `DROP DATABASE IF EXISTS ${nameOf(this.single)} WITH (FORCE)`);
    for (const node of this.nodes) await query(node, `DROP DATABASE IF EXISTS ${nameOf(this.cluster)} WITH (FORCE)`);
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

async function query<Row extends object>(url: string, sql: string, parameters: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql, parameters)).rows;
  } finally {
    await client.end();
  }
}
