import { isCalendarDay, isDateTimeText, parseInstant, toPlusHint } from './instant.js';

/** The value of a cell as it is stored: null if it is empty. */
export type StoredValue = string | number | boolean | null;

/** A value that cannot be stored without loss, with the reason for the caller. */
export class InvalidValue {
  constructor(
    readonly message: string,
    readonly code: 'type_mismatch' | 'too_long' = 'type_mismatch',
  ) {}
}

/** Characters of a value in an error message. */
export const MAX_SHOWN = 60;
/** Whole characters and escapes of JSON. */
const WHOLE = /^(?:[^\\\ud800-\udbff]|\\u[\da-f]{4}|\\[^u])*/u;

/**
 * A value for an error message: as JSON, at most `MAX_SHOWN` characters. A longer text ends with an ellipsis and a
 * quote.
 */
export function formatValue(value: unknown): string {
  // JSON.stringify returns undefined for values without a JSON form, contrary to its declared type.
  const text = (JSON.stringify(value) as string | undefined) ?? String(value);
  if (text.length <= MAX_SHOWN) return text;
  const end = typeof value === 'string' ? '…"' : '…';
  return WHOLE.exec(text.slice(0, MAX_SHOWN - end.length))![0] + end;
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** A double represents every decimal of at most this many significant digits. */
const SAFE_DIGITS = 15;

/**
 * Converts a decimal text to the equal double; the empty text is null. The text may have at most 15 significant digits,
 * or exactly the digits of the shortest text of the double (see docs/adr/0110).
 */
export function parseDecimal(text: string): number | null | InvalidValue {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const match = DECIMAL.exec(trimmed);
  const digits = match ? `${match[2]}${match[3] ?? ''}` : '';
  if (!match || digits === '') return new InvalidValue(`${formatValue(trimmed)} is not a number.`);
  const value = Number(trimmed);
  const invalid = findNumberError(value, trimmed);
  if (invalid) return invalid;
  const significant = trimZeros(digits);
  if (value === 0 && significant !== '')
    return new InvalidValue(`The number ${formatDigits(trimmed)} is too small and would become 0.`);
  if (significant.length <= SAFE_DIGITS || significant === significantDigits(value)) return value;
  const quoted = formatValue(trimmed);
  return new InvalidValue(`${quoted} has more digits than a number can store (${SAFE_DIGITS}). Store it as text.`);
}

/** The names of the doubles that are not decimals, as JSON libraries and XML Schema write them. */
const NAMED_NUMBER = /^(?:NaN|([+-]?)(?:Infinity|INF))$/;

/**
 * Converts a decimal text, `Infinity`, `INF` or `NaN` to the nearest double, for comparisons: nothing is stored, so the
 * number may have any size and number of digits. A number nearer to 0 than all doubles is the smallest one with its
 * sign.
 *
 * @returns undefined if the text is not a number.
 */
export function parseNearestNumber(text: string): number | undefined {
  const [name, sign] = NAMED_NUMBER.exec(text.trim()) ?? [];
  if (name !== undefined) return name === 'NaN' ? NaN : sign === '-' ? -Infinity : Infinity;
  const match = DECIMAL.exec(text.trim());
  const digits = match ? `${match[2]}${match[3] ?? ''}` : '';
  if (!match || digits === '') return undefined;
  const value = Number(text);
  if (value !== 0 || trimZeros(digits) === '') return value;
  return match[1] === '-' ? -Number.MIN_VALUE : Number.MIN_VALUE;
}

/** The reason why a number cannot be stored exactly. @param text the number as it was sent, if it is known. */
export function findNumberError(value: number, text?: string): InvalidValue | undefined {
  if (!Number.isFinite(value))
    return new InvalidValue(`The number${text === undefined ? '' : ` ${formatDigits(text)}`} is too large.`);
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return undefined;
  const message = `The number ${formatDigits(text ?? String(value))} is beyond ±(2^53 − 1) and would lose digits. Store it as text.`;
  return new InvalidValue(message);
}

/** A number as it was sent for an error message: at most 60 characters. */
export function formatDigits(number: string): string {
  return number.length > MAX_SHOWN ? `${number.slice(0, MAX_SHOWN - 1)}…` : number;
}

function significantDigits(value: number): string {
  return trimZeros(String(Math.abs(value)).replace(/e.*$/, '').replace('.', ''));
}

/** Without the regular expression /0+$/, which takes quadratic time for zeros that another digit follows. */
function trimZeros(digits: string): string {
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  return digits.slice(start, end);
}

/** SAP, and MySQL, write zeros for no date. */
const NO_DATE = /^(?:0{8}|0000-00-00(?: 00:00:00)?)$/;
const DAY = /^(\d{4})-?(\d{2})-?(\d{2})$/;

/**
 * Converts a date to the stored form, which sorts as text: `YYYY-MM-DD`, or `YYYY-MM-DDThh:mm:ss.sssZ` for a date-time.
 * Accepts `YYYY-MM-DD`, `YYYYMMDD` and date-times with an offset; the empty text, SAP's `00000000` and
 * MySQL's `0000-00-00` are null.
 */
export function parseDate(text: string): string | null | InvalidValue {
  const trimmed = text.trim();
  if (trimmed === '' || NO_DATE.test(trimmed)) return null;
  const [, year, month, day] = DAY.exec(trimmed) ?? [];
  // The pattern also matches one hyphen of two, which is not a valid form.
  if (year !== undefined && (trimmed.length === 10 || trimmed.length === 8)) {
    return isCalendarDay(Number(year), Number(month), Number(day)) ? `${year}-${month}-${day}` : invalidDate(text);
  }
  if (isDateTimeText(trimmed)) return parseInstant(trimmed)?.toISOString() ?? invalidDate(text);
  return createDateError(text, toPlusHint(trimmed));
}

export function createDateError(value: unknown, hint = ''): InvalidValue {
  const forms = 'the text YYYY-MM-DD, YYYYMMDD or a date-time with an offset, such as 2026-05-04T09:30:00Z';
  return new InvalidValue(`${formatValue(value)} is not a date. Send ${forms}.${hint}`);
}

function invalidDate(text: string): InvalidValue {
  return new InvalidValue(`${formatValue(text)} is not a valid calendar date or time.`);
}
