import type { FileOptions } from '@atrium/client';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import type { SourceFile } from '../files/source-file.js';
import { type Mapping, sourceOf, targetOf } from '../mapping/mapping-file.js';

/**
 * The parameters by which the service reads a file as this mapping does; undefined if only this program can read the
 * file.
 *
 * @param header the columns of the file
 */
export function findFileOptions(
  source: SourceFile,
  mapping: Mapping,
  header: readonly string[],
): FileOptions | undefined {
  const { kind, isCompressed } = source;
  const columns = findColumns(mapping, header);
  const text = findTextFormat(source);
  if (!columns || !text || source.isRejectedFile || !canSendFormats(mapping)) return undefined;
  const format = kind === 'ndjson' ? 'ndjson' : 'csv';
  return { format, encoding: isCompressed ? 'gzip' : undefined, ...text, ...findValueFormats(mapping), columns };
}

function findTextFormat({ kind, encoding, delimiter, quote, headerRow }: SourceFile): FileOptions | undefined {
  if (kind === 'ndjson') return /^utf-?8$/i.test(encoding) ? {} : undefined;
  if (kind !== 'csv' || delimiter.length !== 1 || delimiter === '"') return undefined;
  const layout = { delimiter: delimiter === '\t' ? 'tab' : delimiter, quote: quote || 'none', headerLine: headerRow };
  if (/^utf-?8$/i.test(encoding)) return layout;
  try {
    // The service knows the same labels.
    return { ...layout, charset: new TextDecoder(encoding).encoding };
  } catch {
    return undefined;
  }
}

/** Columns of the table by their names in the file, if the mapping has all columns of the file and changes no value. */
function findColumns({ columns }: Mapping, header: readonly string[]): Record<string, string> | undefined {
  const named = header.filter((name) => name !== '');
  const sources = new Set(columns.map(sourceOf));
  const isWhole = named.length > 0 && sources.size === columns.length && named.every((name) => sources.has(name));
  const renamed = columns.filter((column) => sourceOf(column).toLowerCase() !== targetOf(column).toLowerCase());
  const isPlain = columns.every(({ value, map }) => value === undefined && !map);
  // The service maps names in any letter case.
  const isDistinct = renamed.length === 0 || new Set(named.map(normalizeName)).size === named.length;
  if (!isWhole || !isPlain || !isDistinct) return undefined;
  if (renamed.some((column) => /[:,]/.test(sourceOf(column) + targetOf(column)))) return undefined;
  return Object.fromEntries(renamed.map((column) => [sourceOf(column), targetOf(column)]));
}

/**
 * Can parameters describe all formats? `dateFormats` lacks a format that contradicts another one or ISO 8601, for
 * example by the order of day and month.
 */
function canSendFormats({ columns, dateFormats = [], nullValues = [] }: Mapping): boolean {
  const isSent = columns.every(
    ({ format }) => format === undefined || /^YYYY-?MM-?DD$/.test(format) || dateFormats.includes(format),
  );
  return isSent && canSendList(nullValues);
}

const canSendList = (values: readonly string[]): boolean =>
  values.every((value) => !value.includes(',') && value.trim() === value);

/** How the service converts the texts of a file. */
export function findValueFormats({ dateFormats, ...mapping }: Mapping): FileOptions {
  const { trim, decimal, thousands, nullValues, timezone } = mapping;
  const dateFormat = dateFormats?.length ? dateFormats : undefined;
  return { trim, decimal, thousands, nullValues, dateFormat, timezone };
}
