import { InvalidValue } from './stored-value.js';

const DAY = /^(\d{4})-?(\d{2})-?(\d{2})$/;
const INSTANT = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,3}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** By the month's number, from 1. */
const DAYS_OF_MONTH = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * A date as it is stored: `YYYY-MM-DD`, or an instant in UTC with milliseconds. Both sort as text.
 *
 * Takes `YYYY-MM-DD`, `YYYYMMDD` and RFC 3339 date-times with an offset; the empty text and SAP's `00000000` are null.
 */
export function parseDate(text: string): string | null | InvalidValue {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === '00000000') return null;
  const day = DAY.exec(trimmed);
  // One hyphen out of two is neither form.
  if (day && (trimmed.length === 10 || trimmed.length === 8)) {
    return isCalendarDay(day) ? `${day[1]}-${day[2]}-${day[3]}` : noSuchDay(text);
  }
  const instant = INSTANT.exec(trimmed);
  if (!instant) {
    return new InvalidValue(
      `"${text.slice(0, 40)}" is not a date; it takes YYYY-MM-DD, YYYYMMDD, or a date-time such as 2026-05-04T09:30:00Z with an offset and at most milliseconds.`,
    );
  }
  return isCalendarDay(instant) ? (toUtc(instant) ?? noSuchDay(text)) : noSuchDay(text);
}

function isCalendarDay([, year, month, day]: RegExpExecArray): boolean {
  const inYear = Number(year);
  const inMonth = Number(month);
  const isLeap = inYear % 4 === 0 && (inYear % 100 !== 0 || inYear % 400 === 0);
  const days = inMonth === 2 && isLeap ? 29 : (DAYS_OF_MONTH[inMonth] ?? 0);
  return inYear > 0 && Number(day) >= 1 && Number(day) <= days;
}

/** The instant in UTC; undefined where the clock or the offset shows no time of day, or the year leaves its four digits. */
function toUtc([
  ,
  year,
  month,
  day,
  hour,
  minute,
  second,
  fraction = '',
  sign,
  offsetHour,
  offsetMinute,
]: RegExpExecArray) {
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return undefined;
  const offset = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * (sign === '-' ? -1 : 1);
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute) - offset, Number(second), Number(fraction.padEnd(3, '0')));
  const utc = date.toISOString();
  return utc.length === 24 && date.getUTCFullYear() > 0 ? utc : undefined;
}

function noSuchDay(text: string): InvalidValue {
  return new InvalidValue(`"${text}" is not a day or time of the calendar.`);
}
