import { findOffset } from '../../../packages/tabular/src/instant.js';

/**
 * A calendar day as `YYYY-MM-DD`, without a timezone: a day of 23 or 25 hours counts as one day. The service finds the
 * instant at which a day starts, because PostgreSQL reads `+02:00` with the opposite sign, and may know other zones.
 */
export type Day = string;

export const GRANULARITIES = ['day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** Maximum number of buckets per response. */
export const MAX_BUCKETS = 1_000;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Whether the value is a calendar day of the years 1900 to 2999. */
export function isDay(value: unknown): value is Day {
  if (typeof value !== 'string' || !/^(19|2\d)\d\d-\d\d-\d\d$/.test(value)) return false;
  const at = Date.parse(value);
  // Date.parse accepts 2026-02-31.
  return !Number.isNaN(at) && formatDay(at) === value;
}

/** The name in its canonical letter case. An alias is not replaced by the main name of the zone. */
export function canonicalizeTimezone(name: string): string {
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
  return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
}

export function addDays(day: Day, days: number): Day {
  return formatDay(Date.parse(day) + days * DAY_MS);
}

/**
 * The first days of the buckets, followed by `to`. The first bucket begins at `from`, all others on a day, a Monday or
 * the first of a month.
 *
 * @param to after `from`.
 * @returns undefined if there are more than `MAX_BUCKETS`.
 */
export function splitIntoBuckets(from: Day, to: Day, granularity: Granularity): Day[] | undefined {
  const days: Day[] = [];
  for (let day = from; day < to; day = findNextStart(day, granularity)) {
    if (days.length === MAX_BUCKETS) return undefined;
    days.push(day);
  }
  return [...days, to];
}

function findNextStart(day: Day, granularity: Granularity): Day {
  const date = new Date(day);
  if (granularity === 'month') return formatDay(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1));
  // Sunday is 0.
  return addDays(day, granularity === 'week' ? 7 - ((date.getUTCDay() + 6) % 7) : 1);
}

/** Converts an instant to the local time of a timezone, both in milliseconds since the epoch. */
export type Clock = (at: number) => number;

export function createClock(timezone: string): Clock {
  return (at) => at + findOffset(timezone, at);
}

/** The local day at an instant. */
export function findDay(at: number, clock: Clock): Day {
  return formatDay(clock(at));
}

/**
 * The first instant of a day, or of the next day if the timezone skipped this one. Midnight may be skipped or occur
 * twice, so the offsets of the day before and of the day after are tried.
 */
export function findStartOfDay(day: Day, clock: Clock): Date {
  const midnight = Date.parse(day);
  const starts = [midnight - DAY_MS, midnight + DAY_MS].map((at) => midnight - (clock(at) - at));
  return new Date(Math.min(...starts.filter((start) => clock(start) >= midnight)));
}

function formatDay(at: number): Day {
  return new Date(at).toISOString().slice(0, 10);
}
