import { parse } from 'lossless-json';
import { parseDecimal } from '../../../../packages/tabular/src/stored-value.js';
import { InvalidCell } from '../../../../packages/tabular/src/workbook/cells.js';
import { FileError, UsageError } from '../exit-codes.js';
import { describeJsonError } from '../json-error.js';
import { ERROR_COLUMNS, type SourceRow, toOrigin } from './source-row.js';
import type { TextLine } from './text-blocks.js';

/**
 * The objects of a file with one JSON object per line, without the errors of rejected rows.
 *
 * @throws {UsageError} naming the line of anything else
 */
export async function* readNdjson(
  lines: AsyncIterable<TextLine>,
  onRejectedRow: () => void,
): AsyncGenerator<SourceRow[], void> {
  for await (const { text, line } of lines) {
    if (text.trim() === '') continue;
    let entries = Object.entries(parseObject(text, line));
    let origin: number | undefined;
    if (ERROR_COLUMNS.every((name, position) => entries[position]?.[0] === name)) {
      origin = toOrigin(entries[0]![1]);
      entries = entries.slice(ERROR_COLUMNS.length);
      onRejectedRow();
    }
    yield [{ line, origin, names: entries.map(([name]) => name), cells: entries.map(([, cell]) => cell) }];
  }
}

const ADVICE =
  "Write one JSON object per line (NDJSON), for example with jq: `jq -c '.[]'`, or `jq -c '.value[]'` of an answer of OData.";

/** @throws {UsageError} for an answer that contains the rows instead of being one */
function requireRow(value: Record<string, unknown>, line: number): void {
  const isAnswer = '@odata.context' in value && Array.isArray(value['value']);
  if (isAnswer) throw new FileError(`Line ${line} is an answer of OData, whose rows are in "value". ${ADVICE}`);
}

function parseObject(text: string, line: number): Record<string, unknown> {
  let problem = 'is not a JSON object';
  try {
    const value = parse(text, undefined, readNumber);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      requireRow(value as Record<string, unknown>, line);
      return value as Record<string, unknown>;
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (line === 1 && /^[{[]$/.test(text.trim()))
      throw new FileError(`The file is one JSON document of several lines. ${ADVICE}`);
    problem = describeJsonError(text);
  }
  throw new FileError(`Line ${line} ${problem}. Write one JSON object per line.`);
}

/** The service rejects a number that a double does not have exactly. */
function readNumber(text: string): number | InvalidCell {
  const value = parseDecimal(text);
  return typeof value === 'number' ? value : new InvalidCell('number', text);
}
