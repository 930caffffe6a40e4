import type { FileOptions } from '@atrium/client';
import { AtriumError, InvalidRowsError } from '@atrium/client';
import type { SourceFile } from '../files/source-file.js';
import { keyOf, type Mapping } from '../mapping/mapping-file.js';

const ISO = 'YYYY-MM-DD';
const THOUSANDS = ['.', ',', ' ', "'"];
/** Errors of values and lines that the conversion of this program may accept, such as `12,50-`. */
const CONVERTIBLE = new Set(['type_mismatch', 'cell_count']);

/**
 * The parameters by which the service reads a file as this mapping does; undefined if it cannot. The service is faster than a
 * conversion in this process, but does not accept lines with too few cells, for example.
 *
 * @param header the columns of the file
 */
export function findFileOptions(source: SourceFile, mapping: Mapping, header: string[]): FileOptions | undefined {
  const { kind, isCompressed } = source;
  const format = { format: kind === 'ndjson' ? ('ndjson' as const) : ('csv' as const) };
  const encoding = isCompressed ? { encoding: 'gzip' as const } : {};
  const columns = findColumns(mapping, header);
  const values = findValueFormats(mapping);
  const text = findTextFormat(source);
  return columns && values && text && { ...format, ...encoding, ...text, ...values, columns };
}

function findTextFormat({ kind, encoding, delimiter, quote }: SourceFile): FileOptions | undefined {
  if (kind === 'ndjson') return encoding === 'utf-8' ? {} : undefined;
  if (kind !== 'csv' || quote !== '"' || delimiter.length !== 1) return undefined;
  const separated = delimiter === ',' ? {} : { delimiter: delimiter === '\t' ? 'tab' : delimiter };
  if (encoding === 'utf-8') return separated;
  try {
    // The service knows the same labels.
    return { ...separated, charset: new TextDecoder(encoding).encoding };
  } catch {
    return undefined;
  }
}

/** Keys of columns by their names in the file, if the mapping has all columns of the file. */
function findColumns({ columns }: Mapping, header: string[]): Record<string, string> | undefined {
  const names = new Set(columns.map(({ from }) => from));
  const isWhole = header.length > 0 && names.size === columns.length && header.every((name) => names.has(name));
  if (!isWhole || columns.some(({ from, value, map }) => !from || /[:,]/.test(from) || value !== undefined || map))
    return undefined;
  const renamed = columns.filter((column) => column.from!.toLowerCase() !== keyOf(column));
  return Object.fromEntries(renamed.map((column) => [column.from!, keyOf(column)]));
}

function findValueFormats({
  trim = true,
  decimal,
  thousands,
  nullValues = [],
  columns,
}: Mapping): FileOptions | undefined {
  const group = thousands ?? (decimal === ',' ? '.' : '');
  if (group !== '' && !THOUSANDS.includes(group)) return undefined;
  // The service applies each format to all dates.
  const formats = [
    ...new Set(columns.flatMap(({ type, format = ISO }) => (type === 'date' && format !== ISO ? [format] : []))),
  ];
  if (formats.length > 1 || formats.some((format) => !/^(?:YYYY|MM|DD|[-./ ])+$/.test(format))) return undefined;
  const empty = [...nullValues, ...formats.map((format) => format.replace(/[YMD]/g, '0'))];
  if (empty.some((text) => text.includes(','))) return undefined;
  return {
    ...(trim && { trim }),
    ...(decimal === ',' && { decimal }),
    ...(group !== '' && { thousands: group as '.' }),
    ...(formats.length > 0 && { dateFormat: formats }),
    ...(empty.length > 0 && { nullValues: empty }),
  };
}

/** Whether a CSV file that the service has rejected may be accepted after a conversion. */
export function isConvertible(error: unknown, { format }: FileOptions): boolean {
  if (!(error instanceof AtriumError) || format !== 'csv') return false;
  if (error.code === 'malformed_import' || error.code === 'invalid_header') return true;
  return error instanceof InvalidRowsError && error.rows.some(({ code }) => CONVERTIBLE.has(code));
}
