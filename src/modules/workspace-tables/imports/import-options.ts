import {
  type DateFormat,
  type Dialect,
  isDateFormat,
  parseDateFormat,
} from '../../../../packages/tabular/src/dialect.js';
import { isTimezone } from '../../../../packages/tabular/src/instant.js';
import { findCharset, isUtf8Charset } from '../../../platform/body/charset.js';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import { type FieldError, InvalidRequestError } from '../../../../packages/errors/src/domain-error.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { getColumn } from '../../../../packages/tables/src/catalog/column-finder.js';
import type { OnDuplicate } from '../../../../packages/tables/src/sources/row-reader.js';
import type { ImportFormatDto } from './dto/imports.dto.js';

/** How a file is read. */
export interface FileFormat {
  /** Between the cells of CSV. */
  delimiter: string;
  /** Around the cells of CSV; empty if no character quotes cells. */
  quote: string;
  /** The line of the header of CSV, from 1. The lines before it are skipped. */
  headerLine: number;
  /** A name of the WHATWG Encoding Standard; undefined for UTF-8. */
  charset: string | undefined;
  ignoresUnknown: boolean;
  /** Names of columns by names in the file, which match in any letter case. */
  names: ReadonlyMap<string, string>;
  values: Dialect;
  onDuplicate: OnDuplicate;
}

/** @throws {InvalidRequestError} with all errors. */
export function parseFormat(query: ImportFormatDto): FileFormat {
  const errors: FieldError[] = [];
  const reject = (field: keyof ImportFormatDto, message: string) =>
    errors.push({ field, code: 'invalid_field', message });
  const { decimal = '.', thousands, timezone, quote = '"', headerLine = 1 } = query;
  const delimiter = query.delimiter === 'tab' ? '\t' : (query.delimiter ?? ',');
  if (quote === delimiter) reject('quote', '"quote" must differ from "delimiter".');
  if (thousands === decimal) reject('thousands', '"thousands" must differ from "decimal", which is "." by default.');
  const charset = findCharset(query.charset ?? 'utf-8');
  if (query.charset !== undefined && !charset)
    reject('charset', `"${query.charset.slice(0, 80)}" is not a charset of the WHATWG Encoding Standard.`);
  if (timezone !== undefined && !isTimezone(timezone))
    reject('timezone', '"timezone" must be the IANA name of a timezone, such as Europe/Vienna.');
  const dates: DateFormat[] = [];
  for (const text of splitList(query.dateFormat)) {
    const format = parseDateFormat(text, timezone);
    if (format) dates.push(format);
    else if (isDateFormat(text))
      reject(
        'timezone',
        `The date format "${text.slice(0, 80)}" has a time. Set its "timezone", such as Europe/Vienna.`,
      );
    else
      reject(
        'dateFormat',
        `"${text.slice(0, 80)}" is not a date format. Use YYYY, MM or M, DD or D, and for times HH or H, mm and ss, such as DD.MM.YYYY.`,
      );
  }
  const names = new Map<string, string>();
  const mapped = new Set<string>();
  for (const pair of splitList(query.columns)) {
    const at = pair.lastIndexOf(':');
    const [name, column] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    const isFirst = mapped.size < mapped.add(normalizeName(name)).size;
    if (at > 0 && name !== '' && column !== '' && isFirst) names.set(name, column);
    else
      reject(
        'columns',
        `"${pair.slice(0, 80)}" must be a name in the file and a column, such as EQUNR:equnr, and occur once.`,
      );
  }
  if (errors.length > 0) throw new InvalidRequestError(errors);
  return {
    delimiter,
    quote: quote === 'none' ? '' : quote,
    headerLine,
    charset: !charset || isUtf8Charset(charset) ? undefined : charset.name,
    ignoresUnknown: query.unknownColumns === 'ignore',
    names,
    values: {
      trim: query.trim === 'true',
      nullValues: new Set(splitList(query.nullValues)),
      decimal,
      thousands,
      dates,
    },
    onDuplicate: query.onDuplicate,
  };
}

/** Keys of columns by normalized names in the file. @throws {InvalidQueryError} if a column does not exist. */
export function findMappedColumns({ names }: FileFormat, table: Pick<CatalogTable, 'columns'>): Map<string, string> {
  return new Map(
    [...names].map(([name, column]) => [normalizeName(name), getColumn(table.columns, 'columns', column).key]),
  );
}

function splitList(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
