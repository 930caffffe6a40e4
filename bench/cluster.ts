import { Client } from 'pg';
import { ClusterDatabases } from './cluster-databases.js';
import { Connection, parseReply } from './connection.js';
import { inTurn, measure, ratios, requireRows, secondsOf } from './measure.js';
import type { Options } from './options.js';
import type { MeasuredProcess } from './processes.js';
import { COLUMNS, countChanged, PHYSICAL_COLUMNS, PHYSICAL_TYPES, type SampleRow, sampleRows } from './sample-rows.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, milliseconds, ratio, spread, verdict } from './table.js';

const AIM = 0.8;
const BATCH_ROWS = 5_000;
const BATCHES = 6;
/** The workspaces are on different workers. */
const WORKSPACES = 2;
const LARGE_TABLE_BATCHES = 40;
const PAGE_ROWS = 1_000;
const KEY = PHYSICAL_COLUMNS[0];
const KEY_FIELD = COLUMNS[0].key;

/** One service on a database of one server or of the cluster. */
class Contender {
  private constructor(
    private readonly service: MeasuredProcess,
    private readonly workspaces: readonly string[],
    private readonly authorization: Record<string, string>,
  ) {}

  static async start(stage: Stage, url: string): Promise<Contender> {
    const settings = { DATABASE_URL: url };
    const service = await stage.startService(settings);
    const { ids, authorization } = await stage.createWorkspaces(WORKSPACES, settings, service);
    return new Contender(service, ids, authorization);
  }

  /** Rows per second of batches over several connections, each with a table of its own. */
  async rate(table: string, connections: number, batches: readonly Buffer[], written: number): Promise<number> {
    const lanes = Array.from({ length: connections }, (_, lane) => this.open(lane));
    const send = async ({ connection, path }: ReturnType<Contender['open']>, lane: number) => {
      const head = Buffer.from(`{"assets":[{"name":"${table} ${lane}","items":`);
      for (const items of batches) {
        const reply = await connection.post(path, head, items, Buffer.from('}]}'));
        const { data } = parseReply(reply, 200) as { data: { totals: { created: number; updated: number } } };
        requireRows(data.totals.created + data.totals.updated, written);
      }
    };
    const seconds = await secondsOf(() => Promise.all(lanes.map(send)));
    for (const { connection } of lanes) connection.close();
    return (connections * batches.length * BATCH_ROWS) / seconds;
  }

  async createTables(table: string, connections: number): Promise<void> {
    for (let lane = 0; lane < connections; lane++) {
      const { connection, path } = this.open(lane);
      const body = { assets: [{ name: `${table} ${lane}`, columns: COLUMNS, items: [] }] };
      parseReply(await connection.post(path, Buffer.from(JSON.stringify(body))), 201);
      connection.close();
    }
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  private open(lane: number): { connection: Connection; path: string } {
    const path = `/v2/api/workspaces/${this.workspaces[lane % WORKSPACES]}/cw/assets/bulk`;
    return { connection: new Connection(this.service.baseUrl, this.authorization), path };
  }
}

/**
 * Compares a cluster with one of its servers: bulk requests on the same service, and the statements of a table that is
 * distributed by row key. Needs `CITUS_URL`, the URL of a database on the coordinator that has the nodes of the
 * cluster.
 */
export async function benchCluster(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const url = process.env['CITUS_URL'];
  if (!url) return '## Cluster\n\nSkipped, because CITUS_URL names no coordinator.';
  const databases = await ClusterDatabases.create(url);
  try {
    return [
      '## Cluster',
      '',
      `Bulk requests of ${integer(BATCH_ROWS)} rows in ${WORKSPACES} workspaces. One server is the coordinator with a database that is not distributed.`,
      '',
      await benchBulkRequests(stage, databases, options, note),
      '',
      `A table of ${integer(LARGE_TABLE_BATCHES * BATCH_ROWS)} rows in a distributed schema, and one that is distributed by its row key.`,
      '',
      await benchRowKey(databases.cluster, options, note),
    ].join('\n');
  } finally {
    await databases.drop();
  }
}

async function benchBulkRequests(
  stage: Stage,
  { cluster, single }: ClusterDatabases,
  options: Options,
  note: (line: string) => void,
): Promise<string> {
  note('cluster: starting one service per database');
  const contenders = { cluster: await Contender.start(stage, cluster), single: await Contender.start(stage, single) };
  const toBatches = (edition: 'first' | 'changed') =>
    Array.from({ length: BATCHES }, (_, at) =>
      Buffer.from(JSON.stringify(sampleRows(at * BATCH_ROWS, BATCH_ROWS, edition))),
    );
  const states = [
    { state: 'new', batches: toBatches('first'), written: BATCH_ROWS },
    { state: '10 % changed', batches: toBatches('changed'), written: countChanged(BATCH_ROWS) },
  ];
  const rows: string[][] = [];
  for (const connections of options.connections) {
    const figures = await measure(options.runs, async (index) => {
      note(`cluster: connections: ${connections}, run ${index} of ${options.runs}`);
      const table = `c${connections} r${index}`;
      for (const each of Object.values(contenders)) await each.createTables(table, connections);
      const round: Record<string, number> = {};
      for (const { state, batches, written } of states) {
        const run = (name: keyof typeof contenders) => () =>
          contenders[name].rate(table, connections, batches, written);
        const rates = await inTurn(index, { cluster: run('cluster'), single: run('single') });
        for (const [name, rate] of Object.entries(rates)) round[`${name} ${state}`] = rate;
      }
      return round;
    });
    for (const { state } of states) {
      const [onCluster, onServer] = [figures[`cluster ${state}`]!, figures[`single ${state}`]!];
      const share = ratios(onCluster, onServer);
      const cells = [spread(onCluster), spread(onServer), spread(share, ratio), ...verdict(share, AIM)];
      rows.push([state, String(connections), ...cells]);
    }
  }
  await Promise.all(Object.values(contenders).map((each) => each.stop()));
  return markdownTable(['rows', 'conn.', 'cluster rows/s', 'one server rows/s', 'share', 'aim', 'met'], rows);
}

/** Times the statements of one large table. */
async function benchRowKey(url: string, { runs }: Options, note: (line: string) => void): Promise<string> {
  const database = new Client({ connectionString: url });
  await database.connect();
  try {
    await createLargeTables(database);
    for (const table of ['by_workspace.items', 'public.by_key']) {
      note(`cluster: filling ${table}`);
      for (let at = 0; at < LARGE_TABLE_BATCHES; at++) await upsert(database, table, at, 'first');
      await database.query(`ANALYZE ${table}`);
    }
    const middle = sampleRows((LARGE_TABLE_BATCHES / 2) * BATCH_ROWS, 1)[0]![KEY_FIELD];
    const statements: Record<string, (table: string, run: number) => Promise<unknown>> = {
      [`upsert of ${integer(BATCH_ROWS)} rows, 10 % changed`]: (table, run) =>
        upsert(database, table, 1, run % 2 === 0 ? 'changed' : 'first'),
      [`page of ${integer(PAGE_ROWS)} rows by key`]: (table) =>
        database.query(`SELECT * FROM ${table} WHERE ${KEY} > $1 ORDER BY ${KEY} LIMIT ${PAGE_ROWS}`, [middle]),
      'count of all rows': (table) => database.query(`SELECT count(*) FROM ${table}`),
      'one row': (table) => database.query(`SELECT * FROM ${table} WHERE ${KEY} = $1`, [middle]),
    };
    const rows: string[][] = [];
    for (const [name, run] of Object.entries(statements)) {
      note(`cluster: ${name}`);
      const time = async (table: string, index: number) => 1_000 * (await secondsOf(() => run(table, index)));
      const figures = await measure(runs, (index) =>
        inTurn(index, {
          workspace: () => time('by_workspace.items', index),
          key: () => time('public.by_key', index),
        }),
      );
      const cells = [figures.workspace, figures.key].map((values) => spread(values, milliseconds));
      rows.push([name, ...cells, spread(ratios(figures.key, figures.workspace), ratio)]);
    }
    return markdownTable(['statement', 'by workspace, ms', 'by row key, ms', 'ratio'], rows);
  } finally {
    await database.end();
  }
}

async function createLargeTables(database: Client): Promise<void> {
  const columns = PHYSICAL_COLUMNS.map((name, at) => `${name} ${PHYSICAL_TYPES[at]}`).join(', ');
  await database.query('CREATE SCHEMA by_workspace');
  for (const table of ['by_workspace.items', 'public.by_key'])
    await database.query(`CREATE TABLE ${table} (${columns}, PRIMARY KEY (${KEY}))`);
  await database.query("SELECT citus_schema_distribute('by_workspace')");
  await database.query('SELECT create_distributed_table($1, $2)', ['public.by_key', KEY]);
}

/** The statement of a merge: it writes rows that are new or changed. */
async function upsert(database: Client, table: string, batch: number, edition: 'first' | 'changed'): Promise<void> {
  const rows: SampleRow[] = sampleRows(batch * BATCH_ROWS, BATCH_ROWS, edition);
  const values = COLUMNS.map(({ key }) => rows.map((row) => row[key]));
  const source = PHYSICAL_TYPES.map((type, at) => `$${at + 1}::${type}[]`).join(', ');
  const others = PHYSICAL_COLUMNS.slice(1);
  await database.query(
    `INSERT INTO ${table} AS t SELECT * FROM unnest(${source}) ON CONFLICT (${KEY}) DO UPDATE
        SET ${others.map((name) => `${name} = excluded.${name}`).join(', ')}
      WHERE ${others.map((name) => `t.${name} IS DISTINCT FROM excluded.${name}`).join(' OR ')}`,
    values,
  );
}
