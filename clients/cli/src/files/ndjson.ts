import { parse } from 'lossless-json';
import { parseDecimal } from '../../../../packages/tabular/src/stored-value.js';
import { InvalidCell } from '../../../../packages/tabular/src/workbook/cells.js';
import { FileError, UsageError } from '../exit-codes.js';
import { describeJsonError } from '../json-error.js';
import { findRepeatedHeader } from './header.js';
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
    const object = parseObject(text, line);
    const row = findRejectedRow(object);
    if (row) onRejectedRow();
    const names = Object.keys(row ?? object);
    const cells = Object.values(row ?? object);
    // A row of a workbook can be equal to its header.
    const problem = row && findRepeatedHeader(names, cells);
    yield [{ line, origin: row && toOrigin(object['line']), names, cells, problem }];
  }
}

/** The row as it was read, after its error; undefined if the object is not a rejected row. */
function findRejectedRow({ row, ...errors }: Record<string, unknown>): object | undefined {
  const isRejected =
    typeof row === 'object' && row !== null && ERROR_COLUMNS.every((name) => Object.hasOwn(errors, name));
  return isRejected ? row : undefined;
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
