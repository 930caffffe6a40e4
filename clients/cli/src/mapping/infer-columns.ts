import type { ColumnType } from '@atrium/client';
import { toText } from '../files/cell-text.js';
import type { SourceRow } from '../files/source-row.js';
import { compileDateFormat, KNOWN_FORMATS } from './date-formats.js';
import type { MappedColumn, Mapping } from './mapping-file.js';

export const SAMPLE_ROWS = 1_000;

const EMPTY_DATE = /^0{2}\.0{2}\.0{4}$|^0{8}$|^0{4}-0{2}-0{2}$/;
/** Digits with a leading zero are a key, such as 000000000010004711. */
const PLAIN_NUMBER = /^[-+]?(0|[1-9]\d*)(\.\d+)?-?$/;
const COMMA_NUMBER = /^[-+]?(0|[1-9]\d{0,2}(\.\d{3})*|[1-9]\d*)(,\d+)?-?$/;
const MAX_DIGITS = 15;

/** The type of a column of the file, if the table has it. Invalid values do not change how the others are read. */
export type KnownTypes = (name: string) => ColumnType | undefined;

/** Infers the columns of a table from the first rows: their types, formats, and the primary key. */
export function inferMapping(rows: SourceRow[], typeOf: KnownTypes = () => undefined): Mapping {
  const names = [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))];
  const values = new Map(
    names.map((name) => [name, rows.map(({ cells }) => toText(cells[name]).trim()).filter(Boolean)]),
  );
  // A comma as decimal separator is decided for the whole file.
  const hasComma = names.some((name) => hasCommas(values.get(name)!, typeOf(name) === 'number'));
  const columns = names.map((name) => inferColumn(name, values.get(name)!, hasComma, typeOf(name)));
  const primaryKey = columns.find(
    ({ type, from }) => type === 'text' && isUniqueAndComplete(values.get(from!)!, rows.length),
  );
  const key =
    primaryKey ?? columns.find(({ from }) => isUniqueAndComplete(values.get(from!)!, rows.length)) ?? columns[0];
  if (key) Object.assign(key, { type: 'text', primaryKey: true });
  return { trim: true, ...(hasComma && { decimal: ',' as const, thousands: '.' }), columns };
}

function hasCommas(texts: string[], isNumber: boolean): boolean {
  const withComma = texts.filter((text) => text.includes(','));
  if (!isNumber) return withComma.length > 0 && texts.every(isCommaNumber);
  // `1.5` is not a number with groups.
  return withComma.some(isCommaNumber) && !texts.some((text) => PLAIN_NUMBER.test(text) && !isCommaNumber(text));
}

function inferColumn(name: string, texts: string[], hasComma: boolean, known?: ColumnType): MappedColumn {
  if (known === 'date') return { from: name, name, type: 'date', ...inferFormat(texts) };
  if (texts.length === 0) return { from: name, name, type: 'text' };
  if (texts.every((text) => text === 'X' || text === 'x') || texts.every((text) => /^(true|false)$/i.test(text)))
    return { from: name, name, type: 'checkbox' };
  for (const format of KNOWN_FORMATS) {
    const parse = compileDateFormat(format);
    const dates = texts.filter((text) => !EMPTY_DATE.test(text));
    if (dates.length > 0 && dates.every((text) => parse(text) !== undefined && isPlausible(parse(text)!)))
      return { from: name, name, type: 'date', format };
  }
  const isNumber = hasComma ? isCommaNumber : (text: string) => PLAIN_NUMBER.test(text);
  if (texts.every((text) => isNumber(text) && text.replace(/\D/g, '').length <= MAX_DIGITS))
    return { from: name, name, type: 'number' };
  return { from: name, name, type: 'text' };
}

/** The format of most dates. */
function inferFormat(texts: string[]): { format?: string } {
  const counts = KNOWN_FORMATS.map((format) => {
    const parse = compileDateFormat(format);
    return { format, count: texts.filter((text) => parse(text) !== undefined).length };
  });
  const { format, count } = counts.reduce((best, other) => (other.count > best.count ? other : best));
  return count > 0 ? { format } : {};
}

const isCommaNumber = (text: string): boolean => COMMA_NUMBER.test(text);

/** Eight digits are a date only in this and the last century. */
function isPlausible(date: string): boolean {
  return /^(19|20)\d\d|^9999/.test(date);
}

function isUniqueAndComplete(texts: string[], count: number): boolean {
  return count > 0 && texts.length === count && new Set(texts).size >= texts.length * 0.9;
}
