/**
 * Days of the calendar, as `YYYY-MM-DD`, and when they begin in a timezone. Days are counted without one, so that a day is
 * one day whether it has 23, 24 or 25 hours.
 */
export type Day = string;

export const GRANULARITIES = ['day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** Buckets that one answer has at most. */
export const MAX_BUCKETS = 1_000;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Is it a day of the calendar, of the years 1900 to 2999? */
export function isDay(value: unknown): value is Day {
  if (typeof value !== 'string' || !/^(19|2\d)\d\d-\d\d-\d\d$/.test(value)) return false;
  const at = Date.parse(value);
  // JavaScript takes the 31st of any month; the calendar does not.
  return !Number.isNaN(at) && dayOf(at) === value;
}

/** Is it an IANA name that this system knows? Offsets are none: they know nothing of summer time. */
export function isTimezone(value: unknown): value is string {
  if (typeof value !== 'string' || !/^[A-Za-z][\w+/-]{0,63}$/.test(value)) return false;
  try {
    clockOf(value);
    return true;
  } catch {
    return false;
  }
}

/** The timezone's name in its usual letters; of two names for one zone, the one that was asked for. */
export function canonicalTimezone(asked: string): string {
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: asked }).resolvedOptions();
  return timeZone.toLowerCase() === asked.toLowerCase() ? timeZone : asked;
}

export function daysAfter(day: Day, days: number): Day {
  return dayOf(Date.parse(day) + days * DAY_MS);
}

/**
 * The first days of the buckets from `from` on, and `to` as the last: the first bucket begins at `from`, all others at a
 * day, a Monday or the first of a month.
 *
 * @param to after `from`.
 * @returns nothing where there are more than `MAX_BUCKETS`.
 */
export function findBuckets(from: Day, to: Day, granularity: Granularity): Day[] | undefined {
  const days: Day[] = [];
  for (let day = from; day < to; day = nextAfter(day, granularity)) {
    if (days.length === MAX_BUCKETS) return undefined;
    days.push(day);
  }
  return [...days, to];
}

function nextAfter(day: Day, granularity: Granularity): Day {
  const date = new Date(day);
  if (granularity === 'month') return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1));
  // Sunday is 0.
  return daysAfter(day, granularity === 'week' ? 7 - ((date.getUTCDay() + 6) % 7) : 1);
}

/** A place's clock: what it shows at an instant, both in milliseconds since the epoch. */
export type Clock = (at: number) => number;

/** @throws {RangeError} where there is no such timezone. */
export function clockOf(timezone: string): Clock {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (at) => {
    const shown = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year, month, day, hour, minute, second } = shown as Record<string, number>;
    return Date.UTC(year!, month! - 1, day, hour, minute, second) + (at - Math.floor(at / 1000) * 1000);
  };
}

/** The day that it is at an instant. */
export function dayAt(at: number, clock: Clock): Day {
  return dayOf(clock(at));
}

/**
 * The instant a day begins: the earliest at which the clock shows it, or, where the place skipped it, a later one. Midnight
 * may be skipped or come twice, so it is tried with the offsets of a day earlier and of a day later.
 */
export function startOf(day: Day, clock: Clock): Date {
  const midnight = Date.parse(day);
  const starts = [midnight - DAY_MS, midnight + DAY_MS].map((at) => midnight - (clock(at) - at));
  return new Date(Math.min(...starts.filter((start) => clock(start) >= midnight)));
}

function dayOf(at: number): Day {
  return new Date(at).toISOString().slice(0, 10);
}
