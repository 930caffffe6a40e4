import type { ColumnType } from '@atrium/client';
import { createNumberConversion, parseDateFormat } from '../../../../packages/tabular/src/dialect.js';
import type { DuplicateRule } from '../choices.js';
import { FileError } from '../exit-codes.js';
import type { SourceFile } from '../files/source-file.js';
import { CellReader, toText } from '../files/source-row.js';
import { ColumnEvidence } from '../mapping/column-evidence.js';
import { getSeparators } from '../mapping/infer-dialect.js';
import { requireTimezone } from '../mapping/mapping-file.js';
import { Duplicates, type KeyLine, toStoredKey } from './duplicates.js';
import type { DialectFlags } from './load-flags.js';

/** The type of a column of the table by a name of the file; undefined if the table does not have the column. */
type FindType = (name: string) => ColumnType | undefined;

/**
 * Reads the whole file once and collects what its values prove. Only columns are examined whose values have several
 * forms, of which the flags do not choose one; without such a column, the header decides. Memory: a few values per
 * column.
 *
 * @throws {UsageError} if a format of the flags has a time without a timezone
 */
export async function surveyColumns(
  source: SourceFile,
  flags: DialectFlags,
  findType: FindType,
): Promise<ColumnEvidence[]> {
  const { decimal, dateFormat, timezone } = flags;
  requireTimezone(dateFormat, timezone);
  const separators = getSeparators(flags);
  const dates = dateFormat?.flatMap((format) => parseDateFormat(format, timezone) ?? []);
  const known = { numbers: separators && createNumberConversion(separators), dates };
  const isExamined = (type: ColumnType | undefined): boolean =>
    type === undefined || (type === 'number' && decimal === undefined) || (type === 'date' && dateFormat === undefined);
  const columns = new Map<string, ColumnEvidence>();
  let names: readonly string[] = [];
  let examined: (ColumnEvidence | undefined)[] = [];
  const addColumns = (added: readonly string[]): void => {
    names = added;
    examined = added.map((name) => {
      if (name === '') return undefined;
      const column = columns.get(name) ?? new ColumnEvidence(name, findType(name), known);
      columns.set(name, column);
      return isExamined(column.type) ? column : undefined;
    });
  };
  let rows = 0;
  for await (const block of source.blocks()) {
    for (const row of block) {
      rows++;
      if (row.problem) continue;
      if (row.names !== names) addColumns(row.names);
      for (let position = 0; position < examined.length; position++)
        examined[position]?.add(row.cells[position], row.line);
    }
    // Only objects of NDJSON may have further columns.
    if (source.kind !== 'ndjson' && columns.size > 0 && !examined.some(Boolean)) return [...columns.values()];
  }
  source.knownRows = rows;
  // A file without valid rows has a header.
  if (columns.size === 0) addColumns(source.header);
  return [...columns.values()];
}

/**
 * @param rule for rows with the same key
 * @throws {UsageError} if a row has no value in the column, or several rows have the same value and no rule is chosen
 */
export async function requireUniqueKey(source: SourceFile, name: string, rule: DuplicateRule): Promise<void> {
  const readKeys = async function* (): AsyncGenerator<KeyLine, void> {
    const cells = new CellReader();
    for await (const row of source.rows()) {
      if (row.problem) continue;
      const key = toStoredKey(toText(cells.read(row, name)));
      if (key === '')
        throw createUnsuitableError(
          name,
          `line ${row.line} has no value in it`,
          'Choose the column with --key, or correct the file.',
        );
      yield { key, line: row.line };
    }
  };
  const duplicates = new Duplicates();
  await duplicates.prepare(readKeys);
  if (!duplicates.example || rule !== 'error') return;
  const { key, first, last } = duplicates.example;
  throw createUnsuitableError(
    name,
    `the lines ${first} and ${last} have the same key "${key}"`,
    `Choose the column with --key, or one of these rows with --on-duplicate first or last.`,
  );
}

function createUnsuitableError(name: string, problem: string, advice: string): FileError {
  return new FileError(`The first column "${name}" cannot be the primary key: ${problem}. ${advice}`);
}
