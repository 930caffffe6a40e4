import type { CatalogColumn } from '../catalog/column-plan.js';
import type { Coercion } from '../catalog/column-types.js';
import { formatValue, InvalidValue, parseDate } from '../catalog/stored-value.js';

/** How a file writes values, if not as bulk requests do. */
export interface ValueFormats {
  /** Remove outer white space of texts? */
  trim: boolean;
  /** Texts that mean an empty value. */
  nullValues: ReadonlySet<string>;
  decimal: '.' | ',';
  /** Between groups of three digits. */
  thousands?: string;
  /** In addition to ISO 8601. */
  dates: readonly DateFormat[];
}

/** A format such as `DD.MM.YYYY`. */
export interface DateFormat {
  pattern: RegExp;
  /** The format as it was sent. */
  text: string;
}

const DATE_PARTS: Record<string, string> = {
  YYYY: String.raw`(?<year>\d{4})`,
  MM: String.raw`(?<month>\d{2})`,
  M: String.raw`(?<month>\d{1,2})`,
  DD: String.raw`(?<day>\d{2})`,
  D: String.raw`(?<day>\d{1,2})`,
};

/** @returns undefined if the format does not contain exactly a year, a month and a day. */
export function parseDateFormat(text: string): DateFormat | undefined {
  const parts = text.match(/YYYY|MM?|DD?/g) ?? [];
  const letters = parts.map(([letter]) => letter).toSorted();
  if (letters.join('') !== 'DMY') return undefined;
  const source = text.replace(/YYYY|MM?|DD?|[^\w\s]|[a-zA-Z]/g, (part) => DATE_PARTS[part] ?? `\\${part}`);
  return /[a-zA-Z]/.test(text.replace(/YYYY|MM?|DD?/g, '')) ? undefined : { pattern: new RegExp(`^${source}$`), text };
}

/** Wraps the conversion of bulk: texts in the formats of the file become those that it accepts. */
export function adaptCoercion(formats: ValueFormats, column: CatalogColumn, coerce: Coercion): Coercion {
  const convert = chooseConversion(formats, column);
  const { trim, nullValues } = formats;
  return (value) => {
    if (typeof value !== 'string') return coerce(value);
    const text = trim ? value.trim() : value;
    if (nullValues.has(text)) return coerce(null);
    const converted = convert(text);
    return converted instanceof InvalidValue ? converted : coerce(converted);
  };
}

function chooseConversion(formats: ValueFormats, { type }: CatalogColumn): (text: string) => string | InvalidValue {
  if (type === 'date' && formats.dates.length > 0) return (text) => convertDate(formats.dates, text);
  if (type !== 'number' || (formats.decimal === '.' && formats.thousands === undefined)) return (text) => text;
  return createNumberConversion(formats);
}

function convertDate(formats: readonly DateFormat[], text: string): string | InvalidValue {
  if (!(parseDate(text) instanceof InvalidValue)) return text;
  for (const { pattern } of formats) {
    const { year, month = '', day = '' } = pattern.exec(text.trim())?.groups ?? {};
    if (year === undefined) continue;
    const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    if (!(parseDate(iso) instanceof InvalidValue)) return iso;
  }
  const accepted = formats.map((format) => format.text).join(', ');
  return new InvalidValue(
    `${formatValue(text)} is not a date. Accepted: YYYY-MM-DD, YYYYMMDD, date-times with an offset, ${accepted}.`,
  );
}

/** Removes the separators of thousands, which must separate groups of three digits, and replaces the decimal separator. */
function createNumberConversion({ decimal, thousands }: ValueFormats): (text: string) => string | InvalidValue {
  const separator = thousands === undefined ? undefined : escape(thousands);
  const groups = separator === undefined ? String.raw`\d*` : String.raw`(?:\d{1,3}(?:${separator}\d{3})+|\d*)`;
  const pattern = new RegExp(String.raw`^([+-]?)(${groups})(?:${escape(decimal)}(\d*))?([eE][+-]?\d{1,4})?$`);
  return (text) => {
    const match = pattern.exec(text.trim());
    if (!match) {
      const separators = `decimal "${decimal}"${thousands === undefined ? '' : `, thousands "${thousands}"`}`;
      return new InvalidValue(`${formatValue(text)} is not a number with these separators: ${separators}.`);
    }
    const [, sign = '', integer = '', fraction, exponent = ''] = match;
    const digits = thousands === undefined ? integer : integer.replaceAll(thousands, '');
    return `${sign}${digits}${fraction === undefined ? '' : `.${fraction}`}${exponent}`;
  };
}

function escape(character: string): string {
  return character.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
