import { Connection, parseReply } from './connection.js';
import { inTurn, measure, ratios, secondsOf } from './measure.js';
import type { Options } from './options.js';
import { COLUMNS, PHYSICAL_COLUMNS, sampleRows } from './sample-rows.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, ratio, spread, verdict } from './table.js';

const TABLE = 'paged';
const LOAD_BATCH = 10_000;
const LIMITS = [100, 1_000];
const AIM = { limit: 1_000, ofBareHttp: 0.6 };

interface Page {
  data: { items: Record<string, unknown>[]; nextCursor: string | null };
}

/** The paths of all pages of the table, at the service and at the floor. Cursors are stateless and can be sent again. */
interface PagePaths {
  service: string[];
  bareHttp: string[];
  rows: number;
}

/** Measures pages per second, compared with a bare server that returns the rows of the same statement as JSON. */
export async function benchPages(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  note('pages');
  const { id, physical } = await stage.createTable(TABLE);
  await fill(stage, options.pagedRows);
  await stage.database.query(`VACUUM ANALYZE ${physical}`);
  const bareHttp = await stage.startFloor('bare-http');

  const rows: string[][] = [];
  for (const limit of LIMITS) {
    const paths = await collectPaths(stage, id, physical, limit);
    for (const connections of options.connections) {
      note(`pages of ${integer(limit)}, connections: ${connections}`);
      const toService = Array.from(
        { length: connections },
        () => new Connection(stage.service.baseUrl, stage.authorization),
      );
      const toBareHttp = Array.from({ length: connections }, () => new Connection(bareHttp.baseUrl));
      const figures = await measure(options.runs, (index) =>
        inTurn(index, {
          service: () => rate(toService, paths.service),
          bareHttp: () => rate(toBareHttp, paths.bareHttp),
        }),
      );
      for (const connection of [...toService, ...toBareHttp]) connection.close();
      const rowsPerPage = paths.rows / paths.service.length;
      const ofBareHttp = ratios(figures.service, figures.bareHttp);
      rows.push([
        integer(limit),
        String(connections),
        spread(figures.service),
        spread(figures.service.map((pages) => pages * rowsPerPage)),
        spread(figures.bareHttp),
        spread(ofBareHttp, ratio),
        ...verdict(ofBareHttp, limit === AIM.limit ? AIM.ofBareHttp : undefined),
      ]);
    }
  }
  const headers = [
    'page',
    'conn.',
    'service pages/s',
    'service rows/s',
    'bare http pages/s',
    'of bare http',
    'aim',
    'met',
  ];
  return [
    '## Pages of rows',
    '',
    `A table of ${integer(options.pagedRows)} rows of 8 fields, read by cursor in the order of the key.`,
    '',
    markdownTable(headers, rows),
  ].join('\n');
}

/** Pages per second if the connections share the paths. */
async function rate(connections: readonly Connection[], paths: readonly string[]): Promise<number> {
  let next = 0;
  const seconds = await secondsOf(() =>
    Promise.all(
      connections.map(async (connection) => {
        while (next < paths.length) {
          const { status } = await connection.get(paths[next++]!);
          if (status !== 200) throw new Error(`The status of a page is ${status}.`);
        }
      }),
    ),
  );
  return paths.length / seconds;
}

async function fill(stage: Stage, count: number): Promise<void> {
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  for (let from = 0; from < count; from += LOAD_BATCH) {
    const items = sampleRows(from, Math.min(LOAD_BATCH, count - from));
    parseReply(
      await connection.post(stage.bulkPath, Buffer.from(JSON.stringify({ assets: [{ name: TABLE, items }] }))),
      200,
    );
  }
  connection.close();
}

/** Reads the table once and collects the path of each page. */
async function collectPaths(stage: Stage, id: string, physical: string, limit: number): Promise<PagePaths> {
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  const path = `/v2/api/workspaces/${stage.workspaceId}/cw/assets/${id}/items?limit=${limit}`;
  const paths: PagePaths = { service: [], bareHttp: [], rows: 0 };
  let cursor: string | null = null;
  let after: string | undefined;
  do {
    const address: string = cursor ? `${path}&cursor=${encodeURIComponent(cursor)}` : path;
    paths.service.push(address);
    paths.bareHttp.push(
      `/?${String(new URLSearchParams({ sql: pageSql(physical, limit, after), ...(after ? { after } : {}) }))}`,
    );
    const { data } = parseReply(await connection.get(address), 200) as Page;
    paths.rows += data.items.length;
    after = String(data.items.at(-1)!['equnr']);
    cursor = data.nextCursor;
  } while (cursor);
  connection.close();
  return paths;
}

/** The statement of the service. */
function pageSql(physical: string, limit: number, after: string | undefined): string {
  const selected = PHYSICAL_COLUMNS.map((column, position) => `t.${column} AS "${COLUMNS[position]!.key}"`).join(', ');
  const where = `t._deleted_at IS NULL${after ? ' AND t.c1 > $1' : ''}`;
  return `SELECT ${selected} FROM ${physical} t WHERE ${where} ORDER BY t.c1 LIMIT ${limit + 1}`;
}
