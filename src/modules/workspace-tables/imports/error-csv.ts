import { guardFormula, toCsvCell } from '../../../../packages/tabular/src/csv-text.js';
import { parseStoredJson } from '../../../../packages/sql/src/stored-json.js';

/** The fields of an error, as columns of CSV. */
const FIELDS = ['type', 'table', 'index', 'line', 'key', 'column', 'code', 'message', 'sent'] as const;

/** Converts errors from JSON lines to CSV. */
export async function* toErrorCsv(parts: AsyncIterable<string>): AsyncGenerator<string> {
  yield `${FIELDS.join(',')}\r\n`;
  for await (const part of parts) {
    const errors = part.split('\n').filter((line) => line !== '');
    yield errors.map((line) => `${toRecord(parseStoredJson(line) as Record<string, unknown>)}\r\n`).join('');
  }
}

function toRecord(error: Record<string, unknown>): string {
  return FIELDS.map((field) => toCell(error[field])).join(',');
}

function toCell(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? toCsvCell(guardFormula(value)) : '';
}
