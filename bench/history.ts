import { Connection, parseReply } from './connection.js';
import { measureFormerRow, measureRemoval } from './former-rows.js';
import { toNdjson } from './import.js';
import { inTurn, measure, ratios, secondsOf, spreadOf } from './measure.js';
import type { Options } from './options.js';
import { sampleParts, sampleRows, type SampleRow } from './sample-rows.js';
import type { BenchTable, Stage } from './stage.js';
import { integer, markdownTable, milliseconds, ratio, spread } from './table.js';

const NDJSON = 'application/x-ndjson';
/** Versions of a tenth of the rows. */
const VERSIONS = 10;
const REQUESTS = 200;
const WRITES = 500;
/** 1.5 times what undo stored per changed row before. */
const FORMER_ROW_BYTES = 309;
/** The rate of writers while former rows are removed. */
const REMOVAL_RATE = 0.9;

/** Costs of the history of rows: reads of the past, the history of a row, and writes of single rows. */
export async function benchHistory(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const { runs, importRows: count, formerRows } = options;
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  const tables = stage.bulkPath.replace(/assets\/bulk$/, 'assets');
  note(`history: ${integer(count)} rows, ${VERSIONS} versions of 10 %`);
  const large = await stage.createTable('history_large');
  parseReply(
    await connection.postAs(NDJSON, `${tables}/history_large/items/import`, ...sampleParts(count, toNdjson)),
    200,
  );
  for (let version = 1; version <= VERSIONS; version++) {
    const change = (rows: readonly SampleRow[]) =>
      toNdjson(rows.filter((_, at) => at % 10 === 0).map((row) => ({ ...row, name: `version ${version}` })));
    parseReply(
      await connection.postAs(NDJSON, `${tables}/history_large/items/import`, ...sampleParts(count, change)),
      200,
    );
  }
  const formerRow = await measureFormerRow(stage, large);
  for (const name of [large.physical, large.former]) await stage.database.query(`ANALYZE ${name}`);
  const keys = sampleRows(0, REQUESTS * 100).flatMap(({ equnr }, at) => (at % 100 === 0 ? [equnr] : []));
  const readPages = (query: string) => async () => {
    for (const key of keys) {
      const filter = encodeURIComponent(JSON.stringify({ equnr: { gte: key } }));
      parseReply(await connection.get(`${tables}/history_large/items?limit=100&filter=${filter}${query}`), 200);
    }
  };
  note('history: pages as of a revision, and the history of a row');
  const read = await measure(runs, (index) =>
    inTurn(index, {
      now: () => secondsOf(readPages('')),
      past: () => secondsOf(readPages('&asOf=6')),
      history: () =>
        secondsOf(async () => {
          for (const key of keys) parseReply(await connection.get(`${tables}/history_large/items/${key}/history`), 200);
        }),
    }),
  );
  note('history: writes of one row');
  const put = (table: string, index: number) => async () => {
    for (let at = 0; at < WRITES; at++) {
      const body = Buffer.from(JSON.stringify({ name: `run ${index} ${at}`, weight: at }));
      parseReply(await connection.put(`${tables}/${table}/items/${keys[at % keys.length]}`, body), 200);
    }
  };
  for (const [name, days] of [
    ['history_on', 30],
    ['history_off', 0],
  ] as const) {
    const table: BenchTable = await stage.createTable(name);
    await stage.setHistoryDays(table, days);
    parseReply(
      await connection.postAs(NDJSON, `${tables}/${name}/items/import`, ...sampleParts(20_000, toNdjson)),
      200,
    );
  }
  const written = await measure(runs, (index) =>
    inTurn(index, {
      on: () => secondsOf(put('history_on', index)),
      off: () => secondsOf(put('history_off', index)),
    }),
  );
  connection.close();
  note(`history: removal of ${integer(formerRows)} former rows`);
  const removal = await measureRemoval(stage, 'history_expired', formerRows);
  const perRequest = read.history.map((seconds) => seconds / keys.length);
  const compare = (figures: readonly number[], floor: readonly number[], aim: number) => {
    const compared = ratios(figures, floor);
    const { median } = spreadOf(compared);
    return [spread(compared, ratio), `≤ ${aim}`, median <= aim ? 'yes' : 'no'];
  };
  const isMet = spreadOf(perRequest).median <= 0.005;
  return [
    '## History of rows',
    '',
    `A table of ${integer(count)} rows, of which 10 % have ${VERSIONS} former versions. One connection; figures include HTTP.`,
    '',
    markdownTable(
      ['what', 'measured', 'aim', 'met'],
      [
        ['page of 100 rows as of a revision, of the page of now', ...compare(read.past, read.now, 2)],
        [
          'history of one row',
          spread(
            perRequest.map((seconds) => seconds * 1_000),
            milliseconds,
          ),
          '≤ 5 ms',
          isMet ? 'yes' : 'no',
        ],
        ['PUT of one row, of that without history', ...compare(written.on, written.off, 1.1)],
        [
          'disk space per former row',
          ...bound(`${integer(formerRow)} bytes`, formerRow <= FORMER_ROW_BYTES, '≤ 309 bytes'),
        ],
        [
          `writes while ${integer(formerRows)} former rows are removed (${integer(removal.seconds)} s), of those before`,
          ...bound(ratio(removal.rate), removal.rate >= REMOVAL_RATE, '≥ 0.9'),
        ],
      ],
    ),
  ].join('\n');
}

function bound(measured: string, isMet: boolean, aim: string): string[] {
  return [measured, aim, isMet ? 'yes' : 'no'];
}
