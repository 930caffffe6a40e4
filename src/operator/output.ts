import Table from 'cli-table3';
import type { Command } from 'commander';
import type { Services } from './services.js';

/** Output of a command: for scripts, and for a terminal. */
export interface Output {
  json: unknown;
  text: string;
}

/** Title of a column and, optionally, the format of its values. */
type Column<Value> = string | { title: string; format: (value: Value) => string };
type Columns<Row> = { [Key in keyof Row]?: Column<Row[Key]> };

/**
 * Creates the action of a command, which runs with the services and prints its output immediately: a secret that is shown
 * once must not be lost if the shutdown fails.
 */
export function createAction<Args extends unknown[]>(work: (services: Services, ...args: Args) => Promise<Output>) {
  return async (...args: [...Args, Command]): Promise<void> => {
    const { json } = (args.pop() as Command).optsWithGlobals<{ json?: boolean }>();
    // Loaded here, so that help and usage errors do not wait for the modules.
    const { withServices } = await import('./services.js');
    await withServices(async (services) => {
      const output = await work(services, ...(args as unknown as Args));
      process.stdout.write(json ? `${JSON.stringify(output.json, null, 2)}\n` : `${output.text}\n`);
    });
  };
}

/** Adds the command `list`, which prints all records of a kind. @param kind the plural, such as `API keys`. */
export function addListCommand<Row extends object>(
  parent: Command,
  kind: string,
  list: (services: Services) => Promise<readonly Row[]>,
  columns: Columns<Row>,
): void {
  parent
    .command('list')
    .description(`list all ${kind}`)
    .action(createAction(async (services) => formatList(await list(services), columns, `There are no ${kind}.`)));
}

/** Formats one record vertically, with a note for the terminal. */
export function formatRecord(json: Record<string, unknown>, titles: Record<string, string>, note: string): Output {
  const table = createTable();
  for (const [key, title] of Object.entries(titles)) table.push({ [title]: formatValue(json[key]) });
  return { json, text: `${table.toString()}\n${note}` };
}

/** Formats a table. The JSON output contains the same columns, because rows may have internal fields. */
export function formatList<Row extends object>(rows: readonly Row[], columns: Columns<Row>, ifEmpty: string): Output {
  const keys = Object.keys(columns) as (keyof Row)[];
  const table = createTable(keys.map((key) => getTitle(columns[key]!)));
  for (const row of rows) table.push(keys.map((key) => cell(row[key], columns[key]!)));
  return {
    json: rows.map((row) => Object.fromEntries(keys.map((key) => [key, row[key]]))),
    text: rows.length > 0 ? table.toString() : ifEmpty,
  };
}

function createTable(head: string[] = []) {
  return new Table({ head, style: { head: [], border: [], compact: true } });
}

function getTitle<Value>(column: Column<Value>): string {
  return typeof column === 'string' ? column : column.title;
}

function cell<Value>(value: Value, column: Column<Value>): string {
  return formatValue(typeof column === 'string' ? value : column.format(value));
}

/** Replaces control characters, which could control the terminal. */
function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (value instanceof Date) return `${value.toISOString().slice(0, 16).replace('T', ' ')}Z`;
  if (Array.isArray(value)) return value.map(formatValue).join('\n');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/\p{Cc}/gu, '·');
}
