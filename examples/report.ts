import cliProgress from 'cli-progress';
import { AtriumError, UnreachableError } from './atrium-error.js';
import type { Fault } from './contract.js';
import { UsageError } from './credentials.js';
import { PushError, type TableReport } from './push.js';

const FAULTS_SHOWN = 20;

/** What to do about refusals that have nothing to do with what was sent. */
const ADVICE: Record<string, string> = {
  'Client authentication failed':
    'Are these credentials of this service? Its own are in its DATA_DIR/demo-credentials.json.',
  'Maximum number of active sessions exceeded':
    'Programs that did not sign out hold them: `npm run -s operator -- session reset --user ID` ends them all.',
};

/** What a run did, in the shape that `--json` prints. */
export interface Report {
  baseUrl: string;
  batchSize: number;
  connections: number;
  tables: TableReport[];
  totals: { rows: number; created: number; updated: number; unchanged: number; unresolved: number };
  seconds: number;
  rowsPerSecond: number;
}

export function reportOf(run: Pick<Report, 'baseUrl' | 'batchSize' | 'connections'>, tables: TableReport[]): Report {
  const sum = (count: (table: TableReport) => number): number =>
    tables.reduce((total, table) => total + count(table), 0);
  const rows = sum((table) => table.rows);
  const seconds = sum((table) => table.seconds);
  return {
    ...run,
    tables,
    totals: {
      rows,
      created: sum((table) => table.created),
      updated: sum((table) => table.updated),
      unchanged: sum((table) => table.unchanged),
      unresolved: sum((table) => table.unresolved.total),
    },
    seconds,
    rowsPerSecond: seconds > 0 ? Math.round(rows / seconds) : 0,
  };
}

const count = (number: number): string => number.toLocaleString('en');
const inSeconds = (seconds: number): string => `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;

/** A table for people: one line a table, then what did not resolve, then how fast it was. */
export function formatReport({
  baseUrl,
  tables,
  totals,
  seconds,
  rowsPerSecond,
  batchSize,
  connections,
}: Report): string {
  const lines = tables.map((table) => [
    table.name,
    ...[table.rows, table.created, table.updated, table.unchanged, table.unresolved.total, table.rowsPerSecond].map(
      count,
    ),
  ]);
  const total = [totals.rows, totals.created, totals.updated, totals.unchanged, totals.unresolved, rowsPerSecond];
  return [
    ...align([
      ['', 'rows', 'created', 'updated', 'unchanged', 'unresolved', 'rows/s'],
      ...lines,
      ['All', ...total.map(count)],
    ]),
    ...unresolvedLinks(tables),
    '',
    `${count(totals.rows)} rows to ${baseUrl} in ${inSeconds(seconds)}: ${count(rowsPerSecond)} rows per second, ` +
      `in batches of ${count(batchSize)} over ${connections === 1 ? 'one connection' : `${connections} connections`}.`,
    ...(totals.rows > 0 && totals.unchanged === totals.rows ? ['Nothing had changed, so nothing was written.'] : []),
    '',
  ].join('\n');
}

function unresolvedLinks(tables: TableReport[]): string[] {
  const lines = tables
    .filter(({ unresolved }) => unresolved.total > 0)
    .map(({ name, unresolved }) => {
      const columns = new Set(unresolved.first.map(({ column }) => column));
      const samples = unresolved.first.map(({ value }) => JSON.stringify(value)).join(', ');
      return `  ${name}: ${count(unresolved.total)} in ${[...columns].join(', ')}, for example ${samples}`;
    });
  if (lines.length === 0) return [];
  return ['', 'Links to rows that are not there (kept; they resolve when their target comes):', ...lines];
}

/** The first column to the left, the others to the right. */
function align(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  '),
  );
}

/** Shows how far a run has come, on a terminal; anywhere else (a log, a pipe) it says nothing. */
export class Progress {
  private readonly bar: cliProgress.SingleBar | undefined;

  constructor(totalRows: number, shown: boolean) {
    if (!shown) return;
    const format = '{bar} {percentage} % | {value} of {total} rows | {table}';
    this.bar = new cliProgress.SingleBar(
      { format, clearOnComplete: true, hideCursor: true, stream: process.stdout, formatValue },
      cliProgress.Presets.shades_classic,
    );
    this.bar.start(totalRows, 0, { table: '' });
  }

  table(name: string): void {
    this.bar?.update({ table: name });
  }

  advance(rows: number): void {
    this.bar?.increment(rows);
  }

  stop(): void {
    this.bar?.stop();
  }
}

const formatValue: cliProgress.ValueFormatter = (value, _options, type) =>
  type === 'value' || type === 'total' ? count(value) : String(value);

/** Says what went wrong, where, and what to do about it. What nobody foresaw keeps its stack. */
export function formatFailure(error: unknown): string {
  if (error instanceof PushError) {
    const { cause, offset, soFar } = error;
    const reason = cause instanceof AtriumError ? formatRefusal(cause, offset) : formatFailure(cause);
    const stored = `${count(soFar.rows)} rows of it were stored before; the next run finds them unchanged.`;
    return [`${error.message} ${reason}`, ...(soFar.rows > 0 ? [stored] : [])].join('\n');
  }
  if (error instanceof UnreachableError) {
    return `${error.message}\nIs the service running? Start it with \`npm start\` in another terminal, then try again.`;
  }
  if (error instanceof AtriumError) return formatRefusal(error);
  if (error instanceof UsageError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** @param offset rows of the table that came before the refused batch: errors count within the batch, people do not. */
function formatRefusal(error: AtriumError, offset = 0): string {
  const { message, status, code, requestId, errors, totalFaults } = error;
  const more = totalFaults - Math.min(errors.length, FAULTS_SHOWN);
  return [
    `The service answered ${status} ${code}: ${message}${requestId ? ` (request ${requestId})` : ''}`,
    ...errors.slice(0, FAULTS_SHOWN).map((fault) => `  ${placeOf(fault, offset)}: ${fault.code}: ${fault.message}`),
    ...(more > 0 ? [`  … and ${count(more)} more.`] : []),
    ...(ADVICE[message] ? [ADVICE[message]] : []),
  ].join('\n');
}

/** For example `table Assets, row 12 (key 000000000010004711), column weight`. */
function placeOf({ field, table, index, key, column }: Fault, offset: number): string {
  const row = index === undefined ? undefined : `row ${count(offset + index + 1)}${key ? ` (key ${key})` : ''}`;
  return [field, table && `table ${table}`, row, column && `column ${column}`].filter(Boolean).join(', ');
}
