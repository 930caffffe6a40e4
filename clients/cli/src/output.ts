import { styleText } from 'node:util';
import type { GlobalFlags } from './global-flags.js';

type Cell = string | number | boolean | null | undefined;
type Style = Parameters<typeof styleText>[0];

/** Prints results to standard output, and progress and remarks to standard error. */
export class Output {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Whether progress is shown: only to people. */
  readonly isInteractive: boolean;

  constructor({ json = false, quiet = false }: GlobalFlags) {
    this.json = json;
    this.quiet = quiet;
    this.isInteractive = process.stderr.isTTY && !quiet && !json;
  }

  style(style: Style, text: string): string {
    return process.stdout.isTTY && !process.env['NO_COLOR'] ? styleText(style, text) : text;
  }

  /** The result as JSON with `--json`, otherwise as text. */
  result(value: unknown, text: () => string): void {
    process.stdout.write(this.json ? `${JSON.stringify(value, null, 2)}\n` : text());
  }

  /** Entries as JSON with `--json`, otherwise as a table that fits the terminal. */
  async table(entries: Record<string, unknown>[], columns: string[]): Promise<void> {
    if (this.json) {
      this.result(entries, () => '');
      return;
    }
    if (entries.length === 0) {
      this.remark('No entries.');
      return;
    }
    const rows = entries.map((entry) => columns.map((column) => format(entry[column] as Cell)));
    process.stdout.write(await renderTable(columns, rows));
  }

  /** A remark for people, unless `--quiet`. */
  remark(text: string): void {
    if (!this.quiet) process.stderr.write(`${text}\n`);
  }
}

function format(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'number' ? cell.toLocaleString('en') : String(cell);
}

/** Wide cells are shortened to the terminal; a file or a pipe receives them whole. */
export async function renderTable(head: string[], rows: string[][]): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]!.length)) + 2);
  if (process.stdout.isTTY) {
    const available = Math.max(40, process.stdout.columns - head.length - 1);
    while (widths.reduce((sum, width) => sum + width, 0) > available) {
      const widest = widths.indexOf(Math.max(...widths));
      if (widths[widest]! <= 8) break;
      widths[widest]!--;
    }
  }
  const table = new Table({ head, colWidths: widths, style: { head: [], border: [], compact: true } });
  table.push(...rows);
  return `${table.toString()}\n`;
}
