import type { SourceFile } from '../files/source-file.js';
import { compileMapping } from './convert-row.js';
import { collectDateFormats, type Mapping, targetOf } from './mapping-file.js';

/** Values of a column that are not of its type. */
export interface InvalidValues {
  /** All values of the column, without empty ones. */
  total: number;
  count: number;
  /** The first of them. */
  first: { line: number; message: string }[];
}

const MAX_LISTED = 10;

/** Reads the whole file as a mapping describes it. @returns the columns with invalid values, by their targets */
export async function findInvalidValues(source: SourceFile, mapping: Mapping): Promise<Map<string, InvalidValues>> {
  const { columns } = mapping;
  const key = columns.find(({ primaryKey }) => primaryKey);
  const dateFormats = collectDateFormats(columns);
  const { toValues } = compileMapping({ ...mapping, dateFormats }, key ? targetOf(key) : '');
  const found = new Map<string, InvalidValues>(
    columns.map((column) => [targetOf(column), { total: 0, count: 0, first: [] }]),
  );
  for await (const row of source.rows()) {
    const { item, errors } = toValues(row);
    for (const [column, value] of Object.entries(item)) if (value !== null) found.get(column)!.total++;
    for (const { column, message } of errors) {
      // The cells of other rows are not assigned to columns.
      const values = column === undefined ? undefined : found.get(column);
      if (!values) continue;
      values.total++;
      values.count++;
      if (values.first.length < MAX_LISTED) values.first.push({ line: row.line, message });
    }
  }
  return new Map([...found].filter(([, { count }]) => count > 0));
}
