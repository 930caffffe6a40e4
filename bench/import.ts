import { CopyFloor, copyContent } from './floors/copy.js';
import { Connection, parseReply } from './connection.js';
import { inTurn, measure, ratios, secondsOf } from './measure.js';
import type { Options } from './options.js';
import { COLUMNS, sampleParts, sampleRows, type SampleRow } from './sample-rows.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, megabytes, NONE, ratio, spread, verdict } from './table.js';

/** Aims: share of the speed of COPY, and growth of the peak memory. */
const AIM = { ofCopy: 0.4, growthBytes: 100e6 };

const FORMATS = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;
type Format = keyof typeof FORMATS;

/**
 * Measures rows per second of an import into an empty table and of the same file again, compared with COPY, and the
 * growth of memory.
 */
export async function benchImport(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const rows: string[][] = [];
  const copied = sampleParts(options.importRows, copyContent);
  for (const format of Object.keys(FORMATS) as Format[]) {
    note(`import: ${integer(options.importRows)} rows as ${format}`);
    const file =
      format === 'csv'
        ? [csvHeader(), ...sampleParts(options.importRows, toCsv)]
        : sampleParts(options.importRows, toNdjson);
    rows.push(...(await measureFormat(stage, options, format, file, copied)));
  }
  const headers = ['file', 'rows', 'service rows/s', 'COPY rows/s', 'of COPY', 'aim', 'met', 'grew by', 'below 100 MB'];
  return [
    `## Imports of ${integer(options.importRows)} rows`,
    '',
    'Rows of 8 fields in the order of their key, sent over HTTP as one file. COPY loads them from memory into an equal table with the',
    'same indexes. The growth is the difference between the peak memory of a new service and its peak after 1,000 rows.',
    '',
    markdownTable(headers, rows),
  ].join('\n');
}

async function measureFormat(
  stage: Stage,
  { runs, importRows }: Options,
  format: Format,
  file: readonly Buffer[],
  copied: readonly Buffer[],
): Promise<string[][]> {
  const service = await stage.startService();
  const connection = new Connection(service.baseUrl, stage.authorization);
  const copy = await new CopyFloor(stage.databaseUrl).open();
  const send = async (table: string, parts: readonly Buffer[], created: number) => {
    const path = `/v2/api/workspaces/${stage.workspaceId}/cw/assets/${table}/items/import`;
    const { data } = parseReply(await connection.postAs(FORMATS[format], path, ...parts), 200) as {
      data: { totals: { created: number } };
    };
    if (data.totals.created !== created)
      throw new Error(`Expected ${created} created rows, but there are ${data.totals.created}.`);
  };
  const warmUpFile = format === 'csv' ? [csvHeader(), toCsv(sampleRows(0, 1_000))] : [toNdjson(sampleRows(0, 1_000))];
  await stage.createTable(`import_${format}_warm`);
  await send(`import_${format}_warm`, warmUpFile, 1_000);
  const before = service.peakMemory();
  const figures = await measure(runs, async (index) => {
    const name = `import_${format}_${index}`;
    const { physical } = await stage.createTable(name);
    await stage.database.query(`CREATE TABLE copied.${name} (LIKE ${physical} INCLUDING ALL)`);
    await stage.database.query('CHECKPOINT');
    const rate = async (work: () => Promise<void>) => importRows / (await secondsOf(work));
    const first = await inTurn(index, {
      fresh: () => rate(() => send(name, file, importRows)),
      copy: () => rate(() => copy.copy(`copied.${name}`, ...copied)),
    });
    const unchanged = await rate(() => send(name, file, 0));
    await stage.database.query(`TRUNCATE ${physical}`);
    await stage.database.query(`DROP TABLE copied.${name}`);
    return { ...first, unchanged };
  });
  const after = service.peakMemory();
  connection.close();
  await copy.close();
  await service.stop();
  const ofCopy = ratios(figures.fresh, figures.copy);
  const growth = before === undefined || after === undefined ? undefined : after - before;
  const withinAim = growth === undefined ? 'not measured' : growth < AIM.growthBytes ? 'yes' : 'no';
  return [
    [
      format,
      'new',
      spread(figures.fresh),
      spread(figures.copy),
      spread(ofCopy, ratio),
      ...verdict(ofCopy, AIM.ofCopy),
      megabytes(growth),
      withinAim,
    ],
    [
      format,
      'unchanged',
      spread(figures.unchanged),
      NONE,
      spread(ratios(figures.unchanged, figures.copy), ratio),
      NONE,
      NONE,
      NONE,
      NONE,
    ],
  ];
}

export function toNdjson(rows: readonly SampleRow[]): Buffer {
  return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

export function toCsv(rows: readonly SampleRow[]): Buffer {
  return Buffer.from(rows.map((row) => `${Object.values(row).map(toCell).join(',')}\r\n`).join(''));
}

export function csvHeader(): Buffer {
  return Buffer.from(`${COLUMNS.map(({ key }) => key).join(',')}\r\n`);
}

function toCell(value: string | number | boolean): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
