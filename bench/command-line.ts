import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inTurn, measure, ratios, requireRows, secondsOf } from './measure.js';
import { csvHeader, toCsv } from './import.js';
import type { Options } from './options.js';
import { COLUMNS, sampleParts, type SampleRow, toKey } from './sample-rows.js';
import type { Stage } from './stage.js';
import {
  markdownTable,
  megabytes,
  integer,
  milliseconds,
  NONE,
  ratio,
  spread,
  verdict,
  verdictAtMost,
} from './table.js';

const ATRIUM = fileURLToPath(new URL('../../clients/cli/bin/atrium.mjs', import.meta.url));
/** Aims: share of the rate of curl, growth of the peak memory from a tenth of the rows, and time to start. */
const AIM = { ofCurl: 0.8, growthBytes: 50e6, startMs: 300 };
const STARTS = 11;
/** A file with rejected rows, and its time compared with the same file and the same flags without them. */
const REJECTED = { rows: 200_000, keys: [77_777, 150_000].map(toKey), atMost: 1.3 };
/** Rows that the table has before. */
const STORED_ROWS = 20_000;
const MEMORY_POLL_MS = 50;
/** The exit code of an import with rejected rows. */
const ROWS_REJECTED = 2;

interface Variant {
  name: string;
  /** Rows that the table has before, whose results differ from those of the others. */
  stored: number;
  results: boolean;
}

const VARIANTS: readonly Variant[] = [
  { name: 'none', stored: 0, results: false },
  { name: '--results', stored: 0, results: true },
  { name: `--results, ${integer(STORED_ROWS)} rows exist`, stored: STORED_ROWS, results: true },
];

/** A file, and the parameters that curl must send for it. */
interface SampleFile {
  name: string;
  query: string;
  content: (rows: number) => Buffer[];
}

const FILES: readonly SampleFile[] = [
  { name: 'UTF-8, commas', query: '', content: (rows) => [csvHeader(), ...sampleParts(rows, toCsv)] },
  {
    name: 'latin1, semicolons, decimal commas, local dates',
    query: '?charset=windows-1252&delimiter=;&decimal=,&thousands=.&dateFormat=DD.MM.YYYY',
    content: (rows) => [
      Buffer.from(`${COLUMNS.map(({ key }) => key).join(';')}\r\n`),
      ...sampleParts(rows, toSpreadsheet),
    ],
  },
];

/** Measures `atrium import` and the same file sent by curl, the memory of the client, and the time to start. */
export async function benchCommandLine(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const rows: string[][] = [];
  for (const [position, file] of FILES.entries()) {
    note(`command line: ${integer(options.importRows)} rows, ${file.name}`);
    rows.push(await measureFile(stage, options, file, `cli_${position}`));
  }
  const rejected: string[][] = [];
  for (const [position, variant] of VARIANTS.entries()) {
    note(`command line: rejected rows, ${variant.name}`);
    rejected.push(await measureRejectedRows(stage, options, variant, position));
  }
  note('command line: start');
  const starts: string[][] = [];
  for (const flag of ['--version', '--help']) starts.push(await measureStart(stage, flag));
  const headers = ['file', 'atrium rows/s', 'curl rows/s', 'of curl', 'aim', 'met', 'peak', 'grew by', 'below 50 MB'];
  return [
    `## Command line, ${integer(options.importRows)} rows`,
    '',
    'The same CSV file of 8 columns into an empty table by `atrium import` and by curl, from the start of the process to its end. The peak is the memory of',
    '`atrium`; its growth is the difference from a file with a tenth of the rows.',
    '',
    markdownTable(headers, rows),
    '',
    `A file of ${integer(REJECTED.rows)} rows with \`--on-error continue\`, without and with two rejected rows.`,
    '',
    markdownTable(['flags', 'rejected rows', 's', 'of a file without', 'aim', 'met'], rejected),
    '',
    markdownTable(['command', 'ms', 'aim', 'met'], starts),
  ].join('\n');
}

async function measureFile(
  stage: Stage,
  { runs, importRows }: Options,
  { query, content }: SampleFile,
  prefix: string,
): Promise<string[]> {
  const path = join(stage.dir, `${prefix}.csv`);
  const small = join(stage.dir, `${prefix}_small.csv`);
  await writeFile(path, content(importRows));
  await writeFile(small, content(importRows / 10));
  const peaks: number[] = [];
  const importFile = async (table: string, file: string): Promise<number> => {
    const { peak, stdout } = await runAtrium(stage, 0, 'import', file, '--table', table, '--json', '--quiet');
    requireRows((JSON.parse(stdout) as { created: number }).created, file === small ? importRows / 10 : importRows);
    return peak;
  };
  const figures = await measure(Math.min(runs, 3), async (index) => {
    const names = { atrium: `${prefix}_atrium_${index}`, curl: `${prefix}_curl_${index}` };
    const tables = { atrium: await stage.createTable(names.atrium), curl: await stage.createTable(names.curl) };
    await stage.database.query('CHECKPOINT');
    const result = await inTurn(index, {
      atrium: async () => importRows / (await secondsOf(async () => peaks.push(await importFile(names.atrium, path)))),
      curl: async () => importRows / (await secondsOf(() => sendByCurl(stage, names.curl, path, query, importRows))),
    });
    for (const { physical } of Object.values(tables)) await stage.database.query(`TRUNCATE ${physical}`);
    return result;
  });
  const { physical } = await stage.createTable(`${prefix}_small`);
  const smallPeak = await importFile(`${prefix}_small`, small);
  await stage.database.query(`TRUNCATE ${physical}`);
  await rm(path);
  await rm(small);
  const ofCurl = ratios(figures.atrium, figures.curl);
  const peak = Math.max(...peaks);
  const isMeasured = peak > 0 && smallPeak > 0;
  const growth = isMeasured ? peak - smallPeak : undefined;
  return [
    query === '' ? FILES[0]!.name : FILES[1]!.name,
    spread(figures.atrium),
    spread(figures.curl),
    spread(ofCurl, ratio),
    ...verdict(ofCurl, AIM.ofCurl),
    megabytes(isMeasured ? peak : undefined),
    megabytes(growth),
    growth === undefined ? NONE : growth < AIM.growthBytes ? 'yes' : 'no',
  ];
}

async function measureRejectedRows(
  stage: Stage,
  { runs }: Options,
  { name: variant, stored, results }: Variant,
  position: number,
): Promise<string[]> {
  const { rows, keys, atMost } = REJECTED;
  const [clean, rejected, known] = ['clean', 'rejected', 'stored'].map((name) => join(stage.dir, `cli_${name}.csv`));
  const files = { clean: clean!, rejected: rejected!, stored: known! };
  await writeFile(files.stored, [csvHeader(), ...sampleParts(stored, toCsv)]);
  await writeFile(files.clean, [csvHeader(), ...sampleParts(rows, toCsv)]);
  await writeFile(files.rejected, [csvHeader(), ...sampleParts(rows, (part) => toCsv(part.map(spoil)))]);
  const figures = await measure(runs, async (index) => {
    await stage.database.query('CHECKPOINT');
    const load = async (name: 'clean' | 'rejected'): Promise<number> => {
      const table = `cli_${name}_${position}_${index}`;
      const { physical } = await stage.createTable(table);
      if (stored > 0) await runAtrium(stage, 0, 'import', files.stored, '--table', table, '--quiet');
      const command = ['import', files[name], '--table', table, '--on-error', 'continue', '--json', '--quiet'];
      if (results) command.push('--results', join(stage.dir, table));
      let created = 0;
      const seconds = await secondsOf(async () => {
        const { stdout } = await runAtrium(stage, name === 'rejected' ? ROWS_REJECTED : 0, ...command);
        ({ created } = JSON.parse(stdout) as { created: number });
      });
      requireRows(created, rows - stored - (name === 'rejected' ? keys.length : 0));
      await stage.database.query(`TRUNCATE ${physical}`);
      return seconds;
    };
    return inTurn(index, { clean: () => load('clean'), rejected: () => load('rejected') });
  });
  await Promise.all(Object.values(files).map((path) => rm(path)));
  const compared = ratios(figures.rejected, figures.clean);
  const cells = [spread(figures.rejected, (value) => value.toFixed(2)), spread(compared, ratio)];
  return [variant, String(keys.length), ...cells, ...verdictAtMost(compared, atMost, ratio)];
}

/** A row of `REJECTED.keys` gets a weight that is not a number. */
function spoil(row: SampleRow): SampleRow {
  return REJECTED.keys.includes(row.equnr) ? { ...row, weight: Number.NaN } : row;
}

async function measureStart(stage: Stage, flag: string): Promise<string[]> {
  const times: number[] = [];
  for (let index = 0; index < STARTS; index++) times.push((await secondsOf(() => runAtrium(stage, 0, flag))) * 1_000);
  // The first start reads the files from the disk.
  const counted = times.slice(1);
  return [`atrium ${flag}`, spread(counted, milliseconds), ...verdictAtMost(counted, AIM.startMs, milliseconds)];
}

/**
 * @param code with which the command ends
 * @returns the output and the peak memory in bytes; 0 if the system does not report it
 */
async function runAtrium(stage: Stage, code: number, ...args: string[]): Promise<{ stdout: string; peak: number }> {
  const env = {
    PATH: process.env['PATH'],
    XDG_CONFIG_HOME: stage.dir,
    ATRIUM_URL: stage.service.baseUrl,
    ATRIUM_API_KEY: stage.apiKey,
    ATRIUM_WORKSPACE: stage.workspaceId,
  };
  let peak = 0;
  const child = spawn(process.execPath, [ATRIUM, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const poll = setInterval(() => {
    peak = Math.max(peak, peakMemory(child.pid!));
  }, MEMORY_POLL_MS);
  const stdout = await outputOf(child, code);
  clearInterval(poll);
  return { stdout, peak };
}

function peakMemory(pid: number): number {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kibibytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

async function sendByCurl(stage: Stage, table: string, file: string, query: string, rows: number): Promise<void> {
  const url = `${stage.service.baseUrl}/v2/api/workspaces/${stage.workspaceId}/cw/assets/${table}/items/import${query}`;
  const headers = ['-H', `X-API-Key: ${stage.apiKey}`, '-H', 'Content-Type: text/csv'];
  const child = spawn('curl', ['-sS', '--fail-with-body', url, ...headers, '--data-binary', `@${file}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { data } = JSON.parse(await outputOf(child)) as { data: { totals: { created: number } } };
  requireRows(data.totals.created, rows);
}

function outputOf(child: ReturnType<typeof spawn>, expected = 0): Promise<string> {
  return new Promise((done, failed) => {
    let stdout = '';
    child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.once('error', failed);
    child.once('close', (code) => {
      if (code === expected) done(stdout);
      else failed(new Error(`${child.spawnfile} ended with ${code}: ${stdout}`));
    });
  });
}

/** As a spreadsheet with German settings saves the rows. */
function toSpreadsheet(rows: readonly SampleRow[]): Buffer {
  const lines = rows.map(({ weight, installed_on, ...row }) => {
    const [year, month, day] = installed_on.split('-');
    const number = weight.toLocaleString('de-DE');
    return `${[row.equnr, row.name, row.description, row.manufacturer, row.location, number, `${day}.${month}.${year}`, row.active].join(';')}\r\n`;
  });
  return Buffer.from(lines.join(''), 'latin1');
}
