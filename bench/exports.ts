import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { copyContent, CopyFloor } from './floors/copy.js';
import { inTurn, measure, ratios, secondsOf } from './measure.js';
import type { Options } from './options.js';
import { PHYSICAL_COLUMNS, sampleParts } from './sample-rows.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, megabytes, ratio, spread, verdict } from './table.js';

const FORMATS = { csv: { type: 'text/csv', aim: 0.5 }, ndjson: { type: 'application/x-ndjson', aim: 1 / 3 } } as const;
type Format = keyof typeof FORMATS;

/** Aim for the growth of the peak memory. */
const GROWTH_BYTES = 100e6;

/** Measures rows per second of exports, compared with `COPY TO STDOUT` as CSV of the same rows, and the growth of memory. */
export async function benchExports(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const { importRows: count } = options;
  note(`exports: ${integer(count)} rows`);
  const { id, physical } = await stage.createTable('exported');
  const floor = await new CopyFloor(stage.databaseUrl).open();
  for (const part of sampleParts(count, copyContent)) await floor.copy(physical, part);
  await floor.close();
  await stage.database.query(`VACUUM ANALYZE ${physical}`);

  const service = await stage.startService();
  const path = `${service.baseUrl}/v2/api/workspaces/${stage.workspaceId}/cw/assets/${id}/items`;
  const before = service.peakMemory();
  const readExport = async (format: Format) => {
    const response = await fetch(path, { headers: { ...stage.authorization, accept: FORMATS[format].type } });
    if (response.status !== 200) throw new Error(`The status of an export is ${response.status}.`);
    let lines = 0;
    for await (const chunk of response.body!) for (const byte of chunk as Uint8Array) if (byte === 10) lines++;
    if (lines < count) throw new Error(`Expected ${count} exported rows, but there are ${lines} lines.`);
  };
  const client = new Client({ connectionString: stage.databaseUrl });
  await client.connect();
  const readCopy = async () => {
    const rows = client.query(copyTo(`COPY ${physical} (${PHYSICAL_COLUMNS.join(', ')}) TO STDOUT (FORMAT csv)`));
    let lines = 0;
    for await (const chunk of rows) for (const byte of chunk as Buffer) if (byte === 10) lines++;
    if (lines < count) throw new Error(`Expected ${count} copied rows, but there are ${lines} lines.`);
  };
  const rate = async (work: () => Promise<void>) => count / (await secondsOf(work));
  const figures = await measure(options.runs, (index) =>
    inTurn(index, {
      csv: () => rate(() => readExport('csv')),
      copy: () => rate(readCopy),
      ndjson: () => rate(() => readExport('ndjson')),
    }),
  );
  const after = service.peakMemory();
  await client.end();
  await service.stop();
  const growth = before === undefined || after === undefined ? undefined : after - before;
  const rows = (Object.keys(FORMATS) as Format[]).map((format) => {
    const ofCopy = ratios(figures[format], figures.copy);
    const met = verdict(ofCopy, FORMATS[format].aim);
    return [format, spread(figures[format]), spread(figures.copy), spread(ofCopy, ratio), ...met];
  });
  const within = growth === undefined ? '' : ` (aim: below 100 MB, ${growth < GROWTH_BYTES ? 'met' : 'not met'})`;
  return [
    `## Exports of ${integer(count)} rows`,
    '',
    'Rows of 8 fields in the order of their key, over HTTP. The floor is `COPY … TO STDOUT` as CSV, read by the same process.',
    `Over all exports the service grew by ${megabytes(growth)}${within}.`,
    '',
    markdownTable(['as', 'service rows/s', 'COPY rows/s', 'of COPY', 'aim', 'met'], rows),
  ].join('\n');
}
