import type { Coercion } from './coercions.js';
import { findInstants } from './instant.js';
import { formatDigits, formatValue, InvalidValue, parseDate } from './stored-value.js';

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

/** A format such as `DD.MM.YYYY` or `YYYY-MM-DD HH:mm:ss`. */
export interface DateFormat {
  pattern: RegExp;
  /** The format as it was sent. */
  text: string;
  /** The IANA name of the timezone of date-times. */
  timezone: string | undefined;
}

const DATE_PARTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    YYYY: String.raw`(?<year>\d{4})`,
    MM: String.raw`(?<month>\d{2})`,
    M: String.raw`(?<month>\d{1,2})`,
    DD: String.raw`(?<day>\d{2})`,
    D: String.raw`(?<day>\d{1,2})`,
    HH: String.raw`(?<hour>[01]\d|2[0-3])`,
    H: String.raw`(?<hour>1?\d|2[0-3])`,
    mm: String.raw`(?<minute>[0-5]\d)`,
    ss: String.raw`(?<second>[0-5]\d(?:[.,]\d{1,9})?)`,
  }),
);
const PARTS = /YYYY|MM?|DD?|HH?|mm|ss/g;
const TIME = /HH?|mm|ss/;

/**
 * A year, a month and a day, and optionally hours, minutes and seconds, which may have decimals. Between them are
 * punctuation, blanks and at most one `T`.
 *
 * @returns undefined if the text is not such a format, or has a time and no timezone is known.
 */
export function parseDateFormat(text: string, timezone?: string): DateFormat | undefined {
  const letters = (text.match(PARTS) ?? []).map(([letter]) => letter).toSorted();
  if (!['DMY', 'DHMYm', 'DHMYms'].includes(letters.join(''))) return undefined;
  if (!/^[^a-zA-Z]*(?:T[^a-zA-Z]*)?$/.test(text.replace(PARTS, ''))) return undefined;
  if (TIME.test(text) && timezone === undefined) return undefined;
  const source = text.replace(/YYYY|MM?|DD?|HH?|mm|ss|[^\w\s]/g, (part) => DATE_PARTS.get(part) ?? `\\${part}`);
  return { pattern: new RegExp(`^${source}$`), text, timezone };
}

/** Is a text a format of dates, or of date-times in any timezone? */
export function isDateFormat(text: string): boolean {
  return parseDateFormat(text, 'UTC') !== undefined;
}

/** Does a format have a time, so that a timezone must be known? */
export function needsTimezone(format: string): boolean {
  return TIME.test(format);
}

/**
 * Wraps the conversion of bulk: texts of the file become those that it accepts.
 *
 * @param type of the column
 */
export function adaptCoercion(dialect: Dialect, type: string, coerce: Coercion): Coercion {
  const convert = chooseConversion(dialect, type);
  const { trim, nullValues } = dialect;
  if (!convert && !trim && nullValues.size === 0 && type !== 'date') return coerce;
  return (value) => {
    if (typeof value !== 'string') return coerce(value);
    const text = trim ? value.trim() : value;
    if (nullValues.has(text)) return coerce(null);
    const converted = convert ? convert(text) : text;
    if (converted instanceof InvalidValue) return converted;
    const stored = coerce(converted);
    if (!(stored instanceof InvalidValue) || converted === null) return stored;
    return (type === 'date' ? findMissingTimezone(text) : undefined) ?? quoteSent(stored, converted, value);
  };
}

/** An error contains the text that the file has, not its converted form. */
function quoteSent({ message, code }: InvalidValue, converted: string, sent: string): InvalidValue {
  const quoted = formatValue(converted);
  const replaced = message.includes(quoted)
    ? message.replace(quoted, () => formatValue(sent.trim()))
    : message.replace(formatDigits(converted), () => formatDigits(sent.trim()));
  return new InvalidValue(replaced, code);
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

/**
 * A date or a date-time in a format: ISO 8601, null for zeros, undefined for texts that do not have the format. A local
 * time that does not exist, or exists twice, is invalid.
 */
export function readDate({ pattern, timezone }: DateFormat, text: string): string | null | undefined | InvalidValue {
  const { year, month = '', day = '', hour, minute, second = '0' } = pattern.exec(text.trim())?.groups ?? {};
  if (year === undefined) return undefined;
  if (Number(year + month + day) === 0) return null;
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (parseDate(iso) instanceof InvalidValue) return undefined;
  if (hour === undefined || timezone === undefined) return iso;
  const [seconds, fraction = ''] = second.split(/[.,]/);
  const milliseconds = Number(seconds) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
  const local = Date.parse(iso) + (Number(hour) * 60 + Number(minute)) * 60_000 + milliseconds;
  const [instant, other] = findInstants(local, timezone);
  if (instant === undefined) return new InvalidValue(`${formatValue(text)} does not exist in ${timezone}.`);
  return other === undefined
    ? new Date(instant).toISOString()
    : new InvalidValue(`${formatValue(text)} exists twice in ${timezone}. Add its offset, such as +01:00.`);
}

const LOCAL_TIME = /^\s*\d{4}-\d\d-\d\d([Tt ])\d\d:\d\d(:\d\d(?:[.,]\d+)?)?\s*$/;

/** An error for a date-time without an offset that names the options for it; undefined for other texts. */
function findMissingTimezone(text: string, formats: readonly DateFormat[] = []): InvalidValue | undefined {
  const [found, separator = '', seconds] = LOCAL_TIME.exec(text) ?? [];
  if (found === undefined) return undefined;
  const format = `YYYY-MM-DD${separator}HH:mm${seconds === undefined ? '' : ':ss'}`;
  if (formats.some((each) => each.text === format)) return undefined;
  return new InvalidValue(`${formatValue(text)} has no offset. Set the date format ${format} and a timezone.`);
}

function convertDate(formats: readonly DateFormat[], text: string): string | null | InvalidValue {
  const iso = parseDate(text);
  const readings = [
    { name: 'ISO 8601', date: iso instanceof InvalidValue ? undefined : iso },
    ...formats.map((format) => ({ name: format.text, date: readDate(format, text) })),
  ].flatMap(({ name, date }) => (date === undefined ? [] : { name, date, shown: showDate(date) }));
  const [first] = readings;
  if (first && new Set(readings.map(({ shown }) => shown)).size === 1) return first.date;
  if (first) {
    const listed = readings.map(({ name, shown }) => `${shown} (${name})`).join(', ');
    return new InvalidValue(`${formatValue(text)} has several readings: ${listed}. Write it in another format.`);
  }
  const missing = findMissingTimezone(text, formats);
  if (missing) return missing;
  const accepted = formats.map((format) => format.text).join(', ');
  return new InvalidValue(
    `${formatValue(text)} is not a date. Accepted: YYYY-MM-DD, YYYYMMDD, date-times with an offset, ${accepted}.`,
  );
}

function showDate(date: string | null | InvalidValue): string {
  return date instanceof InvalidValue ? date.message : String(date);
}

/**
 * Removes the separators of thousands, which must separate groups of three digits, replaces the decimal separator, and
 * moves the sign of SAP from the end: `1.234,50-` becomes `-1234.50`. The first group has no leading zero: `0.500` may
 * be a decimal.
 */
export function createNumberConversion({
  decimal,
  thousands,
}: Pick<Dialect, 'decimal' | 'thousands'>): (text: string) => string | InvalidValue {
  if (decimal === '.' && thousands === undefined) return moveSign;
  const separator = thousands === undefined ? undefined : `[${escape(LOOKALIKES.get(thousands) ?? thousands)}]`;
  const separators = separator === undefined ? undefined : new RegExp(separator, 'g');
  const groups = separator === undefined ? String.raw`\d*` : String.raw`(?:[1-9]\d{0,2}(?:${separator}\d{3})+|\d*)`;
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
