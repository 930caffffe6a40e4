import type { Value } from '@atrium/client';
import { toText } from '../files/cell-text.js';
import type { SourceRow } from '../files/source-row.js';
import { compileDateFormat } from './date-formats.js';
import { keyOf, type MappedColumn, type Mapping } from './mapping-file.js';

type Conversion = (value: unknown) => Value;

/** Values that SAP and others write for "no date". */
const EMPTY_DATES = new Set(['00.00.0000', '00000000', '0000-00-00', '00/00/0000']);

/**
 * Compiles the mapping to a function of a row. A value that cannot be converted remains as it is: the service rejects it with
 * its position.
 */
export function compileMapping(mapping: Mapping): (row: SourceRow) => Record<string, Value> {
  const columns = mapping.columns.map((column) => ({
    key: keyOf(column),
    from: column.from ?? column.name ?? keyOf(column),
    constant: column.value,
    convert: compileConversion(column, mapping),
  }));
  return ({ cells }) => {
    const item: Record<string, Value> = {};
    for (const { key, from, constant, convert } of columns) {
      if (constant !== undefined) item[key] = constant;
      // A key that an object lacks leaves the value unchanged.
      else if (cells[from] !== undefined) item[key] = convert(cells[from]);
    }
    return item;
  };
}

function compileConversion(column: MappedColumn, { trim = true, decimal, thousands, nullValues }: Mapping): Conversion {
  const empty = new Set(nullValues ?? []);
  const convertText = compileTextConversion(column, decimal, thousands);
  return (value) => {
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
    const text = trim ? toText(value).trim() : toText(value);
    const mapped = column.map?.[text];
    if (mapped !== undefined) return mapped;
    if (text === '' || empty.has(text)) return null;
    return convertText(text);
  };
}

function compileTextConversion(
  { type, format }: MappedColumn,
  decimal?: string,
  thousands?: string,
): (text: string) => Value {
  if (type === 'date') {
    const parse = format === undefined ? undefined : compileDateFormat(format);
    return (text) => (EMPTY_DATES.has(text) ? null : (parse?.(text) ?? text));
  }
  if (type === 'number')
    return (text) => normalizeNumber(text, decimal ?? '.', thousands ?? (decimal === ',' ? '.' : ''));
  return (text) => text;
}

/** `1.234,50-` becomes `-1234.50`: the service accepts decimal points and leading signs. */
export function normalizeNumber(text: string, decimal: string, thousands: string): string {
  // The service would accept `1.5` in a file with decimal commas.
  const invalid = `${text} (decimal "${decimal}")`;
  const sign = text.endsWith('-') ? '-' : '';
  let digits = sign ? text.slice(0, -1).trim() : text;
  const [whole = '', fraction] = digits.split(decimal);
  if (thousands && whole.includes(thousands)) {
    // Groups have three digits: `1.5` with points as group separators is not a number.
    const groups = whole.replace(/^[-+]/, '').split(thousands);
    if (groups[0]!.length > 3 || groups.slice(1).some((group) => group.length !== 3)) return invalid;
    digits = whole.replaceAll(thousands, '') + (fraction === undefined ? '' : `.${fraction}`);
  } else if (fraction !== undefined) digits = `${whole}.${fraction}`;
  else if (decimal !== '.' && digits.includes('.')) return invalid;
  return sign + digits;
}
