import { Client } from 'pg';
import { physicalTableName } from '../src/modules/workspace-tables/catalog/physical-table.js';
import { Connection, parseReply } from './connection.js';
import { percentile, secondsOf } from './measure.js';
import type { Options } from './options.js';
import { COLUMNS, sampleRows } from './sample-rows.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, megabytes, milliseconds } from './table.js';

/** Tables per workspace. */
const TABLES = ['Plants', 'Lines', 'Machines', 'Parts'];

/** Rows per table. */
const ROWS = 20;

/** Requests of each kind; their median counts. */
const REQUESTS = 300;

interface FilledWorkspace {
  workspaceId: string;
  tables: string[];
}

/** Measures requests in a database with few tables and with thousands, and the memory of a connection for these tables. */
export async function benchWorkspaces(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const { workspaces: count } = options;
  note(`workspaces: creating ${integer(count)}`);
  const { ids, authorization } = await stage.createWorkspaces(count);
  const connections = [1, 2].map(() => new Connection(stage.service.baseUrl, authorization));
  const filled: FilledWorkspace[] = [];
  const rows: string[][] = [];
  const few = Math.min(count, Math.max(10, Math.floor(count / 50)));
  for (const until of [few, count]) {
    const creations: number[] = [];
    const waiting = ids.slice(filled.length, until);
    await Promise.all(
      connections.map(async (connection) => {
        for (let workspaceId = waiting.shift(); workspaceId !== undefined; workspaceId = waiting.shift()) {
          const id = workspaceId;
          creations.push(1000 * (await secondsOf(async () => filled.push(await fill(connection, id)))));
        }
      }),
    );
    note(`workspaces: reading and writing among ${integer(filled.length * TABLES.length)} tables`);
    const recent = creations.slice(-REQUESTS);
    const [reads, writes] = await readAndWrite(connections[0]!, filled);
    rows.push([
      integer(filled.length * TABLES.length),
      ...[recent, reads, writes].map((times) => milliseconds(percentile(times, 0.5))),
      megabytes(await measureCache(stage, filled)),
    ]);
  }
  for (const connection of connections) connection.close();
  return [
    `## ${integer(count)} workspaces`,
    '',
    `Each has ${TABLES.length} tables of ${ROWS} rows. Medians of ${REQUESTS} requests, each to a table of another workspace; the tables are created over two`,
    'connections. A connection of the pool caches each table that it has used: here, all of them.',
    '',
    markdownTable(
      ['tables', 'creating 4 tables, ms', 'a page, ms', 'one row changed, ms', 'cached by a connection'],
      rows,
    ),
  ].join('\n');
}

/** Creates the tables of a workspace in one request. */
async function fill(connection: Connection, workspaceId: string): Promise<FilledWorkspace> {
  const items = sampleRows(0, ROWS);
  const body = { assets: TABLES.map((name) => ({ name, columns: COLUMNS, items })) };
  const path = `/v2/api/workspaces/${workspaceId}/cw/assets/bulk`;
  const { data } = parseReply(await connection.post(path, Buffer.from(JSON.stringify(body))), 201) as {
    data: { tables: { id: string }[] };
  };
  return { workspaceId, tables: data.tables.map(({ id }) => id) };
}

/** Measures milliseconds of pages and of changes of one row. */
async function readAndWrite(connection: Connection, filled: readonly FilledWorkspace[]): Promise<[number[], number[]]> {
  const reads: number[] = [];
  const writes: number[] = [];
  const { equnr } = sampleRows(0, 1)[0]!;
  for (let at = 0; at < REQUESTS; at++) {
    const { workspaceId, tables } = filled[(at * 7_919) % filled.length]!;
    const table = `/v2/api/workspaces/${workspaceId}/cw/assets/${tables[at % tables.length]!}/items`;
    reads.push(1000 * (await secondsOf(async () => parseReply(await connection.get(table), 200))));
    const body = Buffer.from(JSON.stringify({ assets: [{ name: TABLES[0], items: [{ equnr, location: `R${at}` }] }] }));
    const path = `/v2/api/workspaces/${workspaceId}/cw/assets/bulk`;
    writes.push(1000 * (await secondsOf(async () => parseReply(await connection.post(path, body), 200))));
  }
  return [reads, writes];
}

/** Measures the bytes that a connection of PostgreSQL uses additionally after reading from every table. */
async function measureCache(stage: Stage, filled: readonly FilledWorkspace[]): Promise<number> {
  const client = new Client({ connectionString: stage.databaseUrl });
  await client.connect();
  const inUse = async () => {
    const sql = 'SELECT sum(used_bytes)::float8 AS bytes FROM pg_backend_memory_contexts';
    return (await client.query<{ bytes: number }>(sql)).rows[0]!.bytes;
  };
  const before = await inUse();
  for (const { workspaceId, tables } of filled)
    for (const id of tables) await client.query(`SELECT * FROM ${physicalTableName({ workspaceId, id })} LIMIT 1`);
  const after = await inUse();
  await client.end();
  return after - before;
}
