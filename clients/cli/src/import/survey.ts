import type { ColumnType } from '@atrium/client';
import { UsageError } from '../exit-codes.js';
import type { SourceFile } from '../files/source-file.js';
import { CellReader, toText } from '../files/source-row.js';
import { ColumnEvidence } from '../mapping/column-evidence.js';
import type { SurveyedColumn } from '../mapping/infer-dialect.js';
import { Duplicates, toStoredKey } from './duplicates.js';

/** The type of a column of the table by a name of the file; undefined if the table does not have the column. */
export type FindType = (name: string) => ColumnType | undefined;

/** Types whose values have several forms. Values of all other types are stored as they are. */
const VARIABLE_TYPES: readonly (ColumnType | undefined)[] = ['number', 'date', undefined];

/**
 * Reads the whole file once and collects what its values prove. Columns whose type accepts any text are not examined.
 * Memory: a few values per column.
 */
export async function surveyColumns(source: SourceFile, findType: FindType): Promise<SurveyedColumn[]> {
  const columns = new Map<string, SurveyedColumn>();
  let names: readonly string[] = [];
  let examined: (ColumnEvidence | undefined)[] = [];
  const addColumns = (added: readonly string[]): void => {
    names = added;
    examined = added.map((name) => {
      if (name === '') return undefined;
      let column = columns.get(name);
      if (!column) {
        const type = findType(name);
        columns.set(name, (column = { name, type, evidence: new ColumnEvidence(type) }));
      }
      return VARIABLE_TYPES.includes(column.type) ? column.evidence : undefined;
    });
  };
  let rows = 0;
  for await (const block of source.blocks())
    for (const row of block) {
      rows++;
      if (row.problem) continue;
      if (row.names !== names) addColumns(row.names);
      for (let position = 0; position < examined.length; position++)
        examined[position]?.add(row.cells[position], row.line);
    }
  source.knownRows = rows;
  // A file without valid rows has a header.
  if (columns.size === 0) addColumns(source.header);
  return [...columns.values()];
}

/** @throws {UsageError} if a row has no value in the column, or several rows have the same value */
export async function requireUniqueKey(source: SourceFile, name: string): Promise<void> {
  const readKeys = async function* (lines?: number[]): AsyncGenerator<string, void> {
    const cells = new CellReader();
    for await (const row of source.rows()) {
      if (row.problem) continue;
      const key = toStoredKey(toText(cells.read(row, name)));
      if (key === '') throw unsuitable(name, `line ${row.line} has no value in it`);
      lines?.push(row.line);
      yield key;
    }
  };
  const duplicates = new Duplicates('error');
  await duplicates.prepare(readKeys);
  const { first } = duplicates;
  if (!first) return;
  const lines: number[] = [];
  for await (const key of readKeys(lines)) if (key === first.key && lines.length > first.last) break;
  throw unsuitable(name, `the lines ${lines[first.first]!} and ${lines[first.last]!} have the same key "${first.key}"`);
}

function unsuitable(name: string, problem: string): UsageError {
  return new UsageError(
    `The first column "${name}" cannot be the primary key: ${problem}. Choose the column with --key, or correct the file. Nothing was stored.`,
  );
}
