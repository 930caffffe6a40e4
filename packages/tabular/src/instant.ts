/**
 * ISO 8601, extended format, with an offset: `2026-12-01T08:00Z`, `2026-12-01T09:00:00,5+0100`. The seconds, and the
 * minutes of the offset, are optional. A space may replace the `T` (RFC 3339, section 5.6), and a time zone in brackets
 * may follow (RFC 9557). The groups are year, month, day, hour, minute, second, fraction, sign, hour and minute of the
 * offset, and the name of the zone.
 */
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)(?:\[!?([A-Za-z][\w+/-]{0,63})\])?$/;

/** Characters of a date-time. Expressions exhaust the stack for a text of millions. */
const MAX_LENGTH = 255;

/** An offset whose `+` is a space, because a URL contained it as `+`. */
const DECODED_PLUS = /^\d{4}-\d{2}-\d{2}[Tt ][\d:.,]{5,} \d{2}(?::?\d{2})?$/;

/** Index 1 is January. */
const DAYS_OF_MONTH = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Is the text written as a date-time with an offset? Its values may be out of range. */
export function isDateTimeText(text: string): boolean {
  return text.length <= MAX_LENGTH && DATE_TIME.test(text);
}

/**
 * The instant that a text names, without the decimals after the milliseconds. `24:00` is the start of the next day.
 *
 * @returns undefined without an offset or a time, for values out of range, for years that do not have four digits in
 *   UTC, for a time zone that is unknown or has another offset at this instant, and for longer texts
 */
export function parseInstant(text: string): Date | undefined {
  const match = text.length <= MAX_LENGTH && DATE_TIME.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = '0', fraction = '', sign, offsetHour = '0', offsetMinute = '0'] =
    match;
  const zone = match[11];
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return undefined;
  const isEndOfDay = hour === '24' && Number(minute) === 0 && Number(second) === 0 && Number(fraction) === 0;
  if (Number(hour) > 23 && !isEndOfDay) return undefined;
  if (Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1);
  const instant = new Date(0);
  instant.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  instant.setUTCHours(Number(hour), Number(minute) - offset, Number(second), milliseconds);
  if (instant.getUTCFullYear() < 1 || instant.getUTCFullYear() > 9999) return undefined;
  // `Z` states the instant only, so it agrees with each zone (RFC 9557, section 2.2).
  const isPossible = zone === undefined || isOffsetOfZone(zone, instant, sign === undefined ? undefined : offset);
  return isPossible ? instant : undefined;
}

/** The decimals of a date-time after the milliseconds, without zeros at the end. */
export function readFinerDecimals(text: string): string {
  const fraction = DATE_TIME.exec(text)?.[7] ?? '';
  let end = fraction.length;
  while (end > 3 && fraction[end - 1] === '0') end--;
  return fraction.slice(3, end);
}

/** The hint of an error for a date-time whose `+` a URL turned into a space; empty for other texts. */
export function toPlusHint(text: string): string {
  return text.length <= MAX_LENGTH && DECODED_PLUS.test(text) ? ' In a URL, send %2B for +.' : '';
}

/** By name in lower case, of which there are some hundreds. */
const zones = new Map<string, Intl.DateTimeFormat>();

/** @throws {RangeError} if the name is unknown. */
function getZone(timezone: string): Intl.DateTimeFormat {
  const name = timezone.toLowerCase();
  const zone = zones.get(name) ?? new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' });
  zones.set(name, zone);
  return zone;
}

/**
 * Whether the value is a known IANA name. Offsets such as +02:00 are rejected, because they have no daylight saving
 * time.
 */
export function isTimezone(value: unknown): value is string {
  if (typeof value !== 'string' || !/^[A-Za-z][\w+/-]{0,63}$/.test(value)) return false;
  try {
    getZone(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * The offset of the local time from UTC, in milliseconds.
 *
 * @param at milliseconds since the epoch
 * @throws {RangeError} for an unknown timezone
 */
export function findOffset(timezone: string, at: number): number {
  const shown = getZone(timezone)
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')!.value;
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?/.exec(
    shown,
  )!;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * (sign === '-' ? -1000 : 1000);
}

const DAY_MS = 86_400_000;

/** The offsets before and after a day in UTC, by timezone and day. Files have many values of few days. */
const offsets = new Map<string, readonly [before: number, after: number]>();
const MAX_OFFSETS = 10_000;

/**
 * The instants at which clocks of a timezone show a local time: none if the clocks skip it, two if it occurs twice. All
 * are milliseconds since the epoch, the local time as if it was UTC.
 */
export function findInstants(local: number, timezone: string): number[] {
  const day = Math.floor(local / DAY_MS);
  const name = `${timezone} ${day}`;
  const [before, after] = offsets.get(name) ?? [
    findOffset(timezone, (day - 1) * DAY_MS),
    findOffset(timezone, (day + 2) * DAY_MS),
  ];
  if (offsets.size >= MAX_OFFSETS) offsets.clear();
  offsets.set(name, [before, after]);
  if (before === after) return [local - before];
  return [before, after]
    .filter((offset) => findOffset(timezone, local - offset) === offset)
    .map((offset) => local - offset);
}

/** @param offset in minutes; undefined: any */
function isOffsetOfZone(zone: string, instant: Date, offset: number | undefined): boolean {
  if (!isTimezone(zone)) return false;
  return offset === undefined || offset === Math.trunc(findOffset(zone, instant.getTime()) / 60_000);
}

/** @param month 1 is January. */
export function isCalendarDay(year: number, month: number, day: number): boolean {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeapYear ? 29 : (DAYS_OF_MONTH[month] ?? 0);
  return year > 0 && day >= 1 && day <= days;
}
