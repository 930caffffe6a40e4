import pg from 'pg';

/** The coordinator of the cluster that the tests use instead of an embedded PostgreSQL; undefined if there is none. */
export const CITUS_URL = process.env.CITUS_URL;

/**
 * Creates a database on all nodes, and adds the nodes to its cluster.
 * @param addressOf returns the address by which the others connect to a worker; its own one by default.
 */
export async function createClusterDatabase(name, addressOf = (worker) => worker) {
  const nodes = await listNodes();
  for (const { url } of nodes) {
    await query(url, `CREATE DATABASE ${name}`);
    await query(withDatabase(url, name), 'CREATE EXTENSION citus');
  }
  const [coordinator, ...workers] = nodes;
  const database = withDatabase(coordinator.url, name);
  await query(database, 'SELECT citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port]);
  const addresses = [];
  for (const worker of workers) addresses.push(await addressOf(worker));
  await alone(async () => {
    for (const { host, port } of addresses) await query(database, 'SELECT citus_add_node($1, $2)', [host, port]);
  });
}

/** Runs work of which the suites must not run two at once: a new node receives the roles, which all databases share. */
async function alone(work) {
  const client = new pg.Client({ connectionString: CITUS_URL });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    await work();
  } finally {
    await client.end();
  }
}

/** Drops a database on all nodes. */
export async function dropClusterDatabase(name) {
  for (const { url } of await listNodes()) await query(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

/**
 * Drops the databases that the suites of a worker of Jest share: this run must not find what another one has stored.
 */
export async function dropSharedDatabases() {
  const found = await query(CITUS_URL, "SELECT datname FROM pg_database WHERE datname ~ '^shared_[0-9a-f]+$'");
  for (const { datname } of found) await dropClusterDatabase(datname);
}

export function withDatabase(url, name) {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** The nodes, the coordinator first. All have the credentials of `CITUS_URL`. */
async function listNodes() {
  const nodes = await query(
    CITUS_URL,
    'SELECT nodename AS host, nodeport AS port, groupid = 0 AS "isCoordinator" FROM pg_dist_node ORDER BY groupid',
  );
  return nodes.map((node) => {
    const url = new URL(CITUS_URL);
    if (!node.isCoordinator) {
      url.hostname = node.host;
      url.port = node.port;
    }
    return { ...node, url: url.href };
  });
}

async function query(connectionString, sql, parameters = []) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(sql, parameters)).rows;
  } finally {
    await client.end();
  }
}
