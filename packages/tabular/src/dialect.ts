import type { Coercion } from './coercions.js';
import { formatValue, InvalidValue, parseDate } from './stored-value.js';

/** How a file writes values. Numbers may have their sign at the end. */
export interface Dialect {
  /** Remove outer white space of texts? */
  trim: boolean;
  /** Texts that mean an empty value. */
  nullValues: ReadonlySet<string>;
  decimal: '.' | ',';
  /** Between groups of three digits. A blank or an apostrophe is also what typography writes for it. */
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

const DATE_PARTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    YYYY: String.raw`(?<year>\d{4})`,
    MM: String.raw`(?<month>\d{2})`,
    M: String.raw`(?<month>\d{1,2})`,
    DD: String.raw`(?<day>\d{2})`,
    D: String.raw`(?<day>\d{1,2})`,
  }),
);

/** @returns undefined if the format does not contain exactly a year, a month and a day. */
export function parseDateFormat(text: string): DateFormat | undefined {
  const parts = text.match(/YYYY|MM?|DD?/g) ?? [];
  const letters = parts.map(([letter]) => letter).toSorted();
  if (letters.join('') !== 'DMY') return undefined;
  const source = text.replace(/YYYY|MM?|DD?|[^\w\s]|[a-zA-Z]/g, (part) => DATE_PARTS.get(part) ?? `\\${part}`);
  return /[a-zA-Z]/.test(text.replace(/YYYY|MM?|DD?/g, '')) ? undefined : { pattern: new RegExp(`^${source}$`), text };
}

/**
 * Wraps the conversion of bulk: texts of the file become those that it accepts.
 *
 * @param type of the column
 */
export function adaptCoercion(dialect: Dialect, type: string, coerce: Coercion): Coercion {
  const convert = chooseConversion(dialect, type);
  const { trim, nullValues } = dialect;
  if (!convert && !trim && nullValues.size === 0) return coerce;
  return (value) => {
    if (typeof value !== 'string') return coerce(value);
    const text = trim ? value.trim() : value;
    if (nullValues.has(text)) return coerce(null);
    const converted = convert ? convert(text) : text;
    if (converted instanceof InvalidValue) return converted;
    const stored = coerce(converted);
    return stored instanceof InvalidValue && converted !== null ? quoteSent(stored, converted, value) : stored;
  };
}

/** An error contains the text that the file has, not its converted form. */
function quoteSent({ message, code }: InvalidValue, converted: string, sent: string): InvalidValue {
  return new InvalidValue(
    message.replace(converted, () => sent),
    code,
  );
}

/** The characters that look like a separator: spreadsheets in French write a no-break space, those in Switzerland ’. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map([
  [' ', ' \u00a0\u2009\u202f'],
  ["'", "'\u2019"],
]);

/** A conversion of texts; null is an empty value. */
type TextConversion = (text: string) => string | null | InvalidValue;

function chooseConversion(dialect: Dialect, type: string): TextConversion | undefined {
  if (type === 'date' && dialect.dates.length > 0) return (text) => convertDate(dialect.dates, text);
  return type === 'number' ? createNumberConversion(dialect) : undefined;
}

/** A date in a format, without an error message: ISO 8601, null for zeros, undefined for all other texts. */
export function readDate({ pattern }: DateFormat, text: string): string | null | undefined {
  const { year, month = '', day = '' } = pattern.exec(text.trim())?.groups ?? {};
  if (year === undefined) return undefined;
  if (Number(year + month + day) === 0) return null;
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return parseDate(iso) instanceof InvalidValue ? undefined : iso;
}

function convertDate(formats: readonly DateFormat[], text: string): string | null | InvalidValue {
  if (!(parseDate(text) instanceof InvalidValue)) return text;
  const dates = new Set(formats.map((format) => readDate(format, text)).filter((date) => date !== undefined));
  const [date] = dates;
  if (date !== undefined && dates.size === 1) return date;
  const accepted = formats.map((format) => format.text).join(', ');
  if (dates.size > 1)
    return new InvalidValue(`${formatValue(text)} is a different date in each of the formats ${accepted}.`);
  return new InvalidValue(
    `${formatValue(text)} is not a date. Accepted: YYYY-MM-DD, YYYYMMDD, date-times with an offset, ${accepted}.`,
  );
}

/**
 * Removes the separators of thousands, which must separate groups of three digits, replaces the decimal separator, and
 * moves the sign of SAP from the end: `1.234,50-` becomes `-1234.50`.
 */
export function createNumberConversion({
  decimal,
  thousands,
}: Pick<Dialect, 'decimal' | 'thousands'>): (text: string) => string | InvalidValue {
  if (decimal === '.' && thousands === undefined) return moveSign;
  const separator = thousands === undefined ? undefined : `[${escape(LOOKALIKES.get(thousands) ?? thousands)}]`;
  const separators = separator === undefined ? undefined : new RegExp(separator, 'g');
  const groups = separator === undefined ? String.raw`\d*` : String.raw`(?:\d{1,3}(?:${separator}\d{3})+|\d*)`;
  const pattern = new RegExp(String.raw`^([+-]?)(${groups})(?:${escape(decimal)}(\d*))?([eE][+-]?\d{1,4})?$`);
  return (text) => {
    const signed = moveSign(text.trim());
    const match = pattern.exec(signed);
    if (!match) {
      const named = `decimal "${decimal}"${thousands === undefined ? '' : `, thousands "${thousands}"`}`;
      return new InvalidValue(`${formatValue(text)} is not a number with these separators: ${named}.`);
    }
    const [, sign = '', integer = '', fraction, exponent = ''] = match;
    const digits = separators === undefined ? integer : integer.replace(separators, '');
    return `${sign}${digits}${fraction === undefined ? '' : `.${fraction}`}${exponent}`;
  };
}

const TRAILING_SIGN = /^\s*(\d(?:[\d.,'\u2019\s]*[\d.,])?)\s*-\s*$/;

function moveSign(text: string): string {
  return text.includes('-', 1) ? text.replace(TRAILING_SIGN, '-$1') : text;
}

function escape(character: string): string {
  return character.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
