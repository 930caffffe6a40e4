import { AtriumError, ConnectionError } from '@atrium/client';
import cliProgress from 'cli-progress';
import { UsageError } from './credentials.js';
import { PushError, type TableReport } from './push.js';

const MAX_LISTED_ERRORS = 20;

/** Advice for rejections that do not depend on the sent rows, by message. */
const ADVICE: Record<string, string> = {
  'Client authentication failed':
    'Use credentials of this service; those of its demo are in its DATA_DIR/demo-credentials.json.',
  'Maximum number of active sessions exceeded':
    'Programs that did not sign out use them. `npm run -s operator -- session reset --user ID` ends all of them.',
};

/** An error of a row, or of a field of another request. */
interface ErrorEntry {
  field?: string;
  table?: string;
  index?: number;
  key?: string;
  column?: string;
  code: string;
  message: string;
}

/** The result of a run, as `--json` prints it. */
export interface Report {
  baseUrl: string;
  batchSize: number;
  connections: number;
  tables: TableReport[];
  totals: { rows: number; created: number; updated: number; unchanged: number; unresolved: number };
  seconds: number;
  rowsPerSecond: number;
}

export function buildReport(run: Pick<Report, 'baseUrl' | 'batchSize' | 'connections'>, tables: TableReport[]): Report {
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

const formatCount = (number: number): string => number.toLocaleString('en');
const formatSeconds = (seconds: number): string => `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;

/** Formats the report as text: one line per table, the unresolved references, and the speed. */
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
      formatCount,
    ),
  ]);
  const total = [totals.rows, totals.created, totals.updated, totals.unchanged, totals.unresolved, rowsPerSecond];
  return [
    ...align([
      ['', 'rows', 'created', 'updated', 'unchanged', 'unresolved', 'rows/s'],
      ...lines,
      ['All', ...total.map(formatCount)],
    ]),
    ...formatUnresolved(tables),
    '',
    `${formatCount(totals.rows)} rows to ${baseUrl} in ${formatSeconds(seconds)}: ${formatCount(rowsPerSecond)} rows per second, ` +
      `in batches of ${formatCount(batchSize)} over ${connections === 1 ? 'one connection' : `${connections} connections`}.`,
    ...(totals.rows > 0 && totals.unchanged === totals.rows ? ['Every row was unchanged; nothing was written.'] : []),
    '',
  ].join('\n');
}

function formatUnresolved(tables: TableReport[]): string[] {
  const lines = tables
    .filter(({ unresolved }) => unresolved.total > 0)
    .map(({ name, unresolved }) => {
      const columns = new Set(unresolved.first.map(({ column }) => column));
      const samples = unresolved.first.map(({ value }) => JSON.stringify(value)).join(', ');
      return `  ${name}: ${formatCount(unresolved.total)} in ${[...columns].join(', ')}, for example ${samples}`;
    });
  if (lines.length === 0) return [];
  return ['', 'Unresolved references (stored; they resolve when their target is stored):', ...lines];
}

/** Aligns the first column to the left and the others to the right. */
function align(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  '),
  );
}

/** Shows the progress of a run on a terminal. Prints nothing to a log or a pipe. */
export class Progress {
  private readonly bar: cliProgress.SingleBar | undefined;

  constructor(totalRows: number, enabled: boolean) {
    if (!enabled) return;
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
  type === 'value' || type === 'total' ? formatCount(value) : String(value);

/** Formats an error with its position and advice. An unexpected error includes its stack. */
export function formatFailure(error: unknown): string {
  if (error instanceof PushError) {
    const { cause, stored } = error;
    const remark = `${formatCount(stored)} rows of the table are stored; the next run reports them as unchanged.`;
    return [`${error.message} ${formatFailure(cause)}`, ...(stored > 0 ? [remark] : [])].join('\n');
  }
  if (error instanceof ConnectionError) {
    return `${error.message}\nStart the service with \`npm start\` in another terminal, then try again.`;
  }
  if (error instanceof AtriumError) return formatRejection(error);
  if (error instanceof UsageError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The client counts the rows within the table, not within the rejected batch. */
function formatRejection({ message, status, code, requestId, details }: AtriumError): string {
  const errors = (details.errors ?? []) as ErrorEntry[];
  const more = (details.total ?? errors.length) - Math.min(errors.length, MAX_LISTED_ERRORS);
  return [
    `The service returned ${status} ${code}: ${message}${requestId ? ` (request ${requestId})` : ''}`,
    ...errors
      .slice(0, MAX_LISTED_ERRORS)
      .map((detail) => `  ${formatPosition(detail)}: ${detail.code}: ${detail.message}`),
    ...(more > 0 ? [`  … and ${formatCount(more)} more.`] : []),
    ...(ADVICE[message] ? [ADVICE[message]] : []),
  ].join('\n');
}

/** For example `table Assets, row 12 (key 000000000010004711), column weight`. */
function formatPosition({ field, table, index, key, column }: ErrorEntry): string {
  const row = index === undefined ? undefined : `row ${formatCount(index + 1)}${key ? ` (key ${key})` : ''}`;
  return [field, table && `table ${table}`, row, column && `column ${column}`].filter(Boolean).join(', ');
}
