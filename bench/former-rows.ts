import { setTimeout as delay } from 'node:timers/promises';
import { Connection, parseReply } from './connection.js';
import { toNdjson } from './import.js';
import { sampleParts, sampleRows } from './sample-rows.js';
import type { BenchTable, Stage } from './stage.js';

const ROWS = 20_000;
/** How long writers are measured before the removal. */
const ALONE_MS = 10_000;
const POLL_MS = 200;

export interface Removal {
  seconds: number;
  /** Writes per second while former rows are removed, of those before. */
  rate: number;
}

/** Disk space per former row, with indexes, in bytes. */
export async function measureFormerRow(stage: Stage, { former }: BenchTable): Promise<number> {
  await stage.database.query(`VACUUM ${former}`);
  const { rows } = await stage.database.query<{ bytes: number }>(
    `SELECT pg_total_relation_size('${former}')::float8 / count(*) AS bytes FROM ${former}`,
  );
  return rows[0]!.bytes;
}

/** The rate of a writer of single rows while an instance removes old former rows of its table. */
export async function measureRemoval(stage: Stage, name: string, formerRows: number): Promise<Removal> {
  const table = await stage.createTable(name);
  const path = `${stage.bulkPath.replace(/assets\/bulk$/, 'assets')}/${name}/items`;
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  const file = sampleParts(ROWS, toNdjson);
  parseReply(await connection.postAs('application/x-ndjson', `${path}/import`, ...file), 200);
  await addFormerRows(stage, table, formerRows);
  const keys = sampleRows(0, ROWS).map(({ equnr }) => equnr);
  let written = 0;
  const ending = new AbortController();
  const writing = (async () => {
    for (; !ending.signal.aborted; written++) {
      const body = Buffer.from(JSON.stringify({ name: `write ${written}`, weight: written }));
      parseReply(await connection.put(`${path}/${keys[written % keys.length]}`, body), 200);
    }
  })();
  try {
    const countWhile = async (work: () => Promise<void>) => {
      const [start, before] = [performance.now(), written];
      await work();
      const seconds = (performance.now() - start) / 1_000;
      return { seconds, rate: (written - before) / seconds };
    };
    // The caches and the compiler of the service are warm afterwards.
    await delay(ALONE_MS / 2);
    const alone = await countWhile(() => delay(ALONE_MS));
    const cleaner = await stage.startService({ CLEANUP_INTERVAL_S: '1' });
    await expire(stage, table);
    const removal = await countWhile(() => waitUntilRemoved(stage, table));
    await cleaner.stop();
    return { seconds: removal.seconds, rate: removal.rate / alone.rate };
  } finally {
    ending.abort();
    await writing;
    connection.close();
  }
}

/** As if the second revision had replaced all rows many times. */
async function addFormerRows(stage: Stage, { former, physical }: BenchTable, count: number): Promise<void> {
  await stage.database.query(
    `INSERT INTO ${former} SELECT 2, NULL, t.* FROM generate_series(1, $1::integer) CROSS JOIN ${physical} t LIMIT $2`,
    [Math.ceil(count / ROWS), count],
  );
  await stage.database.query(`VACUUM ANALYZE ${former}`);
}

async function expire(stage: Stage, { id }: BenchTable): Promise<void> {
  await stage.database.query(
    "UPDATE table_revisions SET at = at - interval '31 days' WHERE table_id = $1 AND revision <= 2",
    [id],
  );
}

/** The first step of a removal inserts the revision 0, and the last one deletes it. */
async function waitUntilRemoved(stage: Stage, { id }: BenchTable): Promise<void> {
  const ended = `
    SELECT 1 FROM workspace_tables t WHERE t.id = $1 AND t.history_since >= 2
       AND NOT EXISTS (SELECT 1 FROM table_revisions r WHERE r.table_id = t.id AND r.revision = 0)`;
  while ((await stage.database.query(ended, [id])).rowCount === 0) await delay(POLL_MS);
}
