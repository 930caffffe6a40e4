import { Logger } from '@nestjs/common';
import { Client, type ClientConfig } from 'pg';
import { socketOf } from './connection-pool.js';
import { isDatabaseUnavailable } from './database.errors.js';
import { quoteLiteral } from './sql-literal.js';
import { type SentStatement, UnreachableStatements } from './unreachable-statements.js';

/** How long a connection to a node may take, in milliseconds. A node that does not accept one twice counts as unreachable. */
const CONNECT_TIMEOUT_MS = 1_000;

/** The time limit of a whole check, in milliseconds. Nodes that do not respond are checked one after the other. */
const CHECK_TIMEOUT_MS = 10_000;

/** How long after a check an unreachable node is checked again, in milliseconds. */
const RECHECK_MS = 1_000;

/** Groups of nodes that do not accept connections. */
const UNREACHABLE = `
  SELECT groupid AS id, nodename || ':' || nodeport AS name, hasmetadata AS "hasMetadata" FROM pg_dist_node
   WHERE groupid > 0 AND noderole = 'primary' AND NOT citus_check_connection_to_node(nodename, nodeport) ORDER BY groupid`;

/** All workspaces, and whether their fixed rows are on the nodes `$1`. */
const WORKSPACES = `
  SELECT w.id, p.groupid = ANY ($1::integer[]) AS "isUnreachable" FROM workspaces w
    JOIN pg_dist_placement p
      ON p.shardid = get_shard_id_for_distribution_column(
           (SELECT logicalrelid FROM pg_dist_partition WHERE partmethod = 'h' ORDER BY logicalrelid LIMIT 1), w.id)`;

/** Distributed schemas with a table on the nodes `$1`. */
const SCHEMAS = `
  SELECT DISTINCT n.nspname AS name
    FROM pg_dist_placement p JOIN pg_dist_shard s USING (shardid) JOIN pg_class c ON c.oid = s.logicalrelid
    JOIN pg_dist_schema d ON d.schemaid = c.relnamespace JOIN pg_namespace n ON n.oid = d.schemaid
   WHERE p.groupid = ANY ($1::integer[])`;

const DISTRIBUTED_TABLES = `
  SELECT c.relname AS name FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid WHERE p.partmethod = 'h'`;

interface UnreachableNode {
  id: number;
  name: string;
  /** Does it store the definitions of all tables? An operator can end that for a long outage. */
  hasMetadata: boolean;
}

/**
 * The unreachable nodes of a cluster: those that reject connections, and those that do not respond. Until they are reachable again,
 * statements that need them are rejected before they are sent, since one without a response occupies its connection. A statement on the rows
 * of all workspaces, such as the look of a background job, is restricted to workspaces of the other nodes.
 */
export class NodeOutages {
  private readonly logger = new Logger(NodeOutages.name);
  private unreachable: { statements: UnreachableStatements; restriction: string } | undefined;
  private groups = '';
  /** The groups of the unreachable nodes. */
  private ids: ReadonlySet<number> = new Set();
  private changes = 0;
  private running: Promise<void> | undefined;
  private recheck: NodeJS.Timeout | undefined;

  /** @param toConfig returns the options of a connection to the coordinator: those of the pool may all be occupied. */
  constructor(private readonly toConfig: () => ClientConfig) {}

  /** Statements that need an unreachable node; undefined if all nodes are reachable. */
  get statements(): UnreachableStatements | undefined {
    return this.unreachable?.statements;
  }

  /** SQL: a condition that begins with AND, or nothing. */
  restrict(column: string): string {
    return this.unreachable ? ` AND ${column} = ANY (${this.unreachable.restriction})` : '';
  }

  /** @returns the error of a statement that needs an unreachable node. It has the code of a lost connection. */
  findError(statement: SentStatement): Error | undefined {
    if (!this.unreachable?.statements.includes(statement)) return undefined;
    return Object.assign(new Error('A node of the cluster that the statement needs is unreachable'), { code: '08006' });
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
      if (!this.unreachable) return;
      this.recheck = setTimeout(() => void this.update().catch(() => undefined), RECHECK_MS).unref();
    }));
  }

  private async check(): Promise<void> {
    const client = new Client({ ...this.toConfig(), query_timeout: CHECK_TIMEOUT_MS });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('BEGIN');
      await client.query(`SET LOCAL citus.node_connection_timeout = ${CONNECT_TIMEOUT_MS}`);
      await this.find(client);
    } finally {
      // Without waiting: after the time limit the server does not respond.
      socketOf(client).destroy();
    }
  }

  /** Under load a node may need longer once, so a node that was reachable until now must fail twice. */
  private async listUnreachable(client: Client): Promise<UnreachableNode[]> {
    const found = await findUnreachable(client);
    if (found.every(({ id }) => this.ids.has(id))) return found;
    const failedOnce = new Set(found.map(({ id }) => id));
    return (await findUnreachable(client)).filter(({ id }) => failedOnce.has(id));
  }

  private async find(client: Client): Promise<void> {
    const rows = await this.listUnreachable(client);
    const groups = rows.map(({ id, hasMetadata }) => `${id} ${hasMetadata}`).join();
    // A new workspace needs all nodes, so the list is complete.
    if (groups === this.groups) return;
    this.unreachable = rows.length === 0 ? undefined : await describe(client, rows);
    this.groups = groups;
    this.ids = new Set(rows.map(({ id }) => id));
    this.changes++;
    if (this.unreachable)
      this.logger.error(`Unreachable nodes of the cluster: ${rows.map(({ name }) => name).join(', ')}`);
    else this.logger.log('All nodes of the cluster are reachable');
  }
}

async function findUnreachable(client: Client): Promise<UnreachableNode[]> {
  return (await client.query<UnreachableNode>(UNREACHABLE)).rows;
}

async function describe(client: Client, nodes: readonly UnreachableNode[]) {
  const groups = nodes.map(({ id }) => id);
  const { rows } = await client.query<{ id: string; isUnreachable: boolean }>(WORKSPACES, [groups]);
  const listIds = (wanted: boolean) => rows.filter(({ isUnreachable }) => isUnreachable === wanted).map(({ id }) => id);
  const listNames = async (sql: string, ...parameters: unknown[]) =>
    (await client.query<{ name: string }>(sql, parameters)).rows.map(({ name }) => name);
  const reachable = listIds(false);
  const restriction = `${quoteLiteral(`{${reachable.join()}}`)}::uuid[]`;
  const statements = new UnreachableStatements({
    tables: await listNames(DISTRIBUTED_TABLES),
    reachable: new Set(reachable),
    unreachable: new Set(listIds(true)),
    schemas: new Set(await listNames(SCHEMAS, groups)),
    hasMetadata: nodes.some(({ hasMetadata }) => hasMetadata),
    restriction,
  });
  return { statements, restriction };
}
