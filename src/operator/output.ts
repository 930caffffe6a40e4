import Table from 'cli-table3';
import type { Command } from 'commander';
import type { Services } from './services.js';

/** What a command answers: to scripts, and to people. */
export interface Answer {
  json: unknown;
  text: string;
}

/** A column's title, and how its values are shown where that is not as they are. */
type Column<Value> = string | { title: string; show: (value: Value) => string };
type Columns<Row> = { [Key in keyof Row]?: Column<Row[Key]> };

/**
 * The action of a command: does the work among the services and prints its answer on standard output, at once: what is
 * shown this once must not be lost to anything that fails later.
 */
export function answering<Args extends unknown[]>(work: (services: Services, ...args: Args) => Promise<Answer>) {
  return async (...args: [...Args, Command]): Promise<void> => {
    const { json } = (args.pop() as Command).optsWithGlobals<{ json?: boolean }>();
    // Loaded here and not above: help and wrong usage are answered without the modules, at once.
    const { withServices } = await import('./services.js');
    await withServices(async (services) => {
      const answer = await work(services, ...(args as unknown as Args));
      process.stdout.write(json ? `${JSON.stringify(answer.json, null, 2)}\n` : `${answer.text}\n`);
    });
  };
}

/** Facts under one another: what was made or done, and what to know about it. */
export function facts(json: Record<string, unknown>, titles: Record<string, string>, note: string): Answer {
  const table = newTable();
  for (const [key, title] of Object.entries(titles)) table.push({ [title]: shown(json[key]) });
  return { json, text: `${table.toString()}\n${note}` };
}

/** A list. It shows the named columns and nothing else of a row, to scripts too: a row may hold what nobody should see. */
export function list<Row extends object>(rows: readonly Row[], columns: Columns<Row>, ifEmpty: string): Answer {
  const keys = Object.keys(columns) as (keyof Row)[];
  const table = newTable(keys.map((key) => titleOf(columns[key]!)));
  for (const row of rows) table.push(keys.map((key) => cell(row[key], columns[key]!)));
  return {
    json: rows.map((row) => Object.fromEntries(keys.map((key) => [key, row[key]]))),
    text: rows.length > 0 ? table.toString() : ifEmpty,
  };
}

function newTable(head: string[] = []) {
  return new Table({ head, style: { head: [], border: [], compact: true } });
}

function titleOf<Value>(column: Column<Value>): string {
  return typeof column === 'string' ? column : column.title;
}

function cell<Value>(value: Value, column: Column<Value>): string {
  return shown(typeof column === 'string' ? value : column.show(value));
}

/** Text of others is kept from steering the terminal. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (value instanceof Date) return `${value.toISOString().slice(0, 16).replace('T', ' ')}Z`;
  if (Array.isArray(value)) return value.map(shown).join('\n');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/\p{Cc}/gu, '·');
}
