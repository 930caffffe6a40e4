import path from 'node:path';
import { AtriumClient } from '@atrium/client';
import { Command, InvalidArgumentError } from 'commander';
import dotenv from 'dotenv';
import { readCredentials, type Credentials } from './credentials.js';
import type { Table } from './csv.js';
import { ourAirportsTables } from './ourairports.js';
import { plantTables } from './plant.js';
import { pushTable, type TableReport } from './push.js';
import { formatFailure, formatReport, Progress, buildReport, type Report } from './report.js';

const INTERRUPTED = 'Interrupted. Stored rows stay; the next run reports them as unchanged.\n';

interface Options {
  ourairports?: string;
  batchSize: number;
  connections: number;
  credentials: string;
  json?: boolean;
}

/**
 * `npm run example`: pushes master data through the public bulk API of a running service and prints a report. In a
 * second run every row is unchanged, and nothing is written.
 */
async function main(): Promise<void> {
  const options = parseOptions();
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  try {
    const credentials = await readCredentials(options.credentials);
    const tables = options.ourairports ? await ourAirportsTables(options.ourairports) : await plantTables();
    const report = await push(tables, credentials, options, interrupted.signal);
    process.stdout.write(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : formatReport(report));
  } catch (error) {
    process.exitCode = interrupted.signal.aborted ? 130 : 1;
    process.stderr.write(interrupted.signal.aborted ? INTERRUPTED : `${formatFailure(error)}\n`);
  }
}

/** Pushes the tables in order: referenced tables first. */
async function push(
  tables: Table[],
  credentials: Credentials,
  { batchSize, connections, json }: Options,
  signal: AbortSignal,
): Promise<Report> {
  const client = new AtriumClient(credentials);
  const totalRows = tables.reduce((rows, { items }) => rows + items.length, 0);
  const progress = new Progress(totalRows, process.stdout.isTTY && !json);
  const onProgress = (rows: number): void => progress.advance(rows);
  const reports: TableReport[] = [];
  try {
    for (const table of tables) {
      progress.table(table.name);
      reports.push(await pushTable(client, table, { batchSize, connections, signal, onProgress }));
    }
  } finally {
    progress.stop();
    await client.signOut();
  }
  return buildReport({ baseUrl: credentials.baseUrl, batchSize, connections }, reports);
}

function parseOptions(): Options {
  // Like the service, read DATA_DIR also from .env.
  dotenv.config({ quiet: true });
  const file = path.join(process.env['DATA_DIR'] || '.data', 'demo-credentials.json');
  return new Command('npm run example --')
    .description('Pushes a plant, or the data of OurAirports, through the bulk API of a running service.')
    .option('--ourairports <directory>', 'push the CSV files of OurAirports in this directory instead of the plant')
    .option('--batch-size <rows>', 'rows per request', parseInteger(1, 50_000), 5_000)
    .option('--connections <number>', 'concurrent requests', parseInteger(1, 64), 1)
    .option('--credentials <file>', 'file with the credentials and the address of the service', file)
    .option('--json', 'print the report as JSON')
    .parse()
    .opts<Options>();
}

function parseInteger(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`);
  };
}

await main();
