import { styleText } from 'node:util';
import { formatForTerminal, formatLinesForTerminal } from '../../../packages/tabular/src/terminal-text.js';
import type { GlobalFlags } from './global-flags.js';
import type { Io, OutputStream } from './io.js';

type Cell = string | number | boolean | null | undefined;
type Style = Parameters<typeof styleText>[0];

/**
 * Writes text for people. Nothing else writes such text, so that no value can control the terminal; JSON and files are
 * exact.
 */
export function writeText(stream: OutputStream, text: string): void {
  stream.write(formatLinesForTerminal(text));
}

/** Prints results to standard output, and progress and remarks to standard error. */
export class Output {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Whether progress is shown: only to people. */
  readonly isInteractive: boolean;

  constructor(
    { json = false, quiet = false }: GlobalFlags,
    readonly io: Io,
  ) {
    this.json = json;
    this.quiet = quiet;
    this.isInteractive = (io.stderr.isTTY ?? false) && !quiet && !json;
  }

  /** A line of text. Colours are only for terminals. */
  line(text: string, style: Style, stream = this.io.stdout): void {
    stream.write(`${this.style(style, formatForTerminal(text), stream)}\n`);
  }

  /** A line per field. Further lines of a value are indented. */
  fields(fields: Record<string, string>): void {
    for (const [name, value] of Object.entries(fields)) {
      const lines = formatLinesForTerminal(value).replaceAll('\n', '\n  ');
      this.io.stdout.write(`${this.style('bold', formatForTerminal(name))}: ${lines}\n`);
    }
  }

  /** An object as JSON with `--json`, otherwise its fields that are shown, as text. */
  entry<Value>(
    entry: Record<string, Value>,
    format: (value: Value, name: string) => string,
    isShown: (value: Value) => boolean = () => true,
  ): void {
    const shown = Object.entries(entry).filter(([, value]) => isShown(value));
    if (this.json) this.printJson(entry);
    else this.fields(Object.fromEntries(shown.map(([name, value]) => [name, format(value, name)])));
  }

  /** The result as JSON with `--json`, otherwise as text. */
  result(value: unknown, text: () => string): void {
    if (this.json) this.printJson(value);
    else writeText(this.io.stdout, text());
  }

  printJson(value: unknown): void {
    this.io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** A line of JSON. */
  printLine(value: unknown, stream = this.io.stdout): void {
    stream.write(`${JSON.stringify(value)}\n`);
  }

  /**
   * Entries as JSON with `--json`, otherwise as a table that fits the terminal.
   *
   * @param toCells the cells of an entry, by their columns
   */
  async table<Entry extends object>(
    entries: Entry[],
    columns: string[],
    toCells: (entry: Entry) => object = (entry) => entry,
  ): Promise<void> {
    const cells = entries.map(toCells) as Record<string, Cell>[];
    const rows = cells.map((row) => columns.map((column) => format(row[column])));
    if (this.json) this.printJson(entries);
    else if (rows.length === 0) this.remark('No entries.');
    else await this.printRows(columns, rows);
  }

  /**
   * Columns without values are omitted. On a terminal, wide cells are shortened, except IDs; entries that do not fit
   * nevertheless become one line per value. A file or a pipe receives all cells whole.
   */
  private async printRows(columns: string[], cells: string[][]): Promise<void> {
    const { stdout } = this.io;
    const [{ alignColumns, COLUMN_GAP }, { default: widthOf }] = await Promise.all([
      import('../../../packages/tabular/src/aligned-columns.js'),
      import('string-width'),
    ]);
    const used = columns.flatMap((_, column) => (cells.some((row) => row[column] !== '') ? [column] : []));
    const head = used.map((column) => formatForTerminal(columns[column]!));
    const rows = cells.map((row) => used.map((column) => formatForTerminal(row[column]!)));
    const measure = (name: string, column: number): number =>
      rows.reduce((widest, row) => Math.max(widest, widthOf(row[column]!)), widthOf(name));
    const widths = head.map((name, column) => measure(name, column) + COLUMN_GAP);
    // The space after the last column may be outside the terminal.
    const available = (stdout.columns ?? Infinity) + COLUMN_GAP;
    if (shorten(widths, head, available, MIN_WIDTH + COLUMN_GAP)) {
      const first = head.map((name) => this.style('bold', name));
      stdout.write(`${alignColumns([first, ...rows], widths)}\n`);
    } else stdout.write(renderEntries(head, rows));
  }

  /** A remark for people, unless `--quiet`. */
  remark(text: string): void {
    if (!this.quiet) writeText(this.io.stderr, `${text}\n`);
  }

  private style(style: Style, text: string, stream = this.io.stdout): string {
    return stream.isTTY && !this.io.env['NO_COLOR'] ? styleText(style, text, { stream }) : text;
  }
}

function format(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'number' ? formatCount(cell) : String(cell);
}

/** For example `12,500`. */
export const formatCount = (count: number): string => count.toLocaleString('en');

/** The local time of a person, without seconds. */
export function formatTime(iso: string): string {
  return new Date(iso).toLocaleString('sv').slice(0, 16);
}

const MIN_WIDTH = 8;
/** Cells that people copy into the next command. */
const WHOLE_COLUMNS = new Set(['id', 'batch']);

/** @returns false if the table does not fit although its cells were shortened */
function shorten(widths: number[], head: string[], available: number, minimum: number): boolean {
  const excess = (): number => widths.reduce((sum, width) => sum + width, 0) - available;
  while (excess() > 0) {
    const flexible = widths.map((width, column) => (WHOLE_COLUMNS.has(head[column]!) ? 0 : width));
    const widest = flexible.indexOf(Math.max(...flexible));
    if (flexible[widest]! <= minimum) return false;
    widths[widest]!--;
  }
  return true;
}

function renderEntries(head: string[], rows: string[][]): string {
  const entries = rows.map((row) => row.map((cell, column) => `${head[column]!}: ${cell}\n`).join(''));
  return entries.join('\n');
}
