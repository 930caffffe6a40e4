import {
  canonicalizeTimezone,
  createClock,
  findDay,
  addDays,
  splitIntoBuckets,
  isDay,
  MAX_BUCKETS,
  findStartOfDay,
} from './calendar.js';

describe('isDay', () => {
  it.each(['2026-03-01', '2024-02-29', '1900-01-01', '2999-12-31'])('accepts %s', (day) =>
    expect(isDay(day)).toBe(true),
  );

  it.each([
    '2026-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '1899-12-31',
    '3000-01-01',
    '2026-3-1',
    7,
    null,
    '',
  ])('rejects %j', (day) => expect(isDay(day)).toBe(false));

  // The instants are from the tz database.
  it.each([
    ['Europe/Vienna', '2026-03-29', '2026-03-28T23:00:00Z', 'a day of 23 hours'],
    ['Europe/Vienna', '2026-03-30', '2026-03-29T22:00:00Z', 'the day after it'],
    ['Europe/Vienna', '2026-10-25', '2026-10-24T22:00:00Z', 'a day of 25 hours'],
    ['Europe/Vienna', '2026-10-26', '2026-10-25T23:00:00Z', 'the day after it'],
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00Z', 'midnight is skipped'],
    ['America/Havana', '2025-11-02', '2025-11-02T04:00:00Z', 'midnight occurs twice'],
    ['Asia/Beirut', '2025-10-26', '2025-10-25T22:00:00Z', 'the hour before midnight occurs twice'],
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00Z', 'the day was skipped'],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00Z', 'the day before was skipped'],
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00Z', 'an offset with a quarter of an hour'],
    ['UTC', '2026-01-01', '2026-01-01T00:00:00Z', 'no offset'],
  ])('finds the start of the day in %s on %s at %s: %s', (timezone, day, start) => {
    expect(findStartOfDay(day, createClock(timezone))).toEqual(new Date(start));
  });

  it('finds the local day of an instant', () => {
    const at = Date.parse('2026-03-28T23:00:00Z');
    expect(findDay(at, createClock('Europe/Vienna'))).toBe('2026-03-29');
    expect(findDay(at - 1, createClock('Europe/Vienna'))).toBe('2026-03-28');
    expect(findDay(at, createClock('UTC'))).toBe('2026-03-28');
  });
});

describe('a timezone name', () => {
  it.each([
    ['europe/vienna', 'Europe/Vienna'],
    ['utc', 'UTC'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
  ])('%s is canonicalized to %s', (name, canonical) => {
    expect(canonicalizeTimezone(name)).toBe(canonical);
  });
});

describe('splitIntoBuckets', () => {
  it('returns days', () => {
    expect(splitIntoBuckets('2026-02-27', '2026-03-02', 'day')).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
      '2026-03-02',
    ]);
  });

  it('returns weeks that begin on Monday, shortened at both ends', () => {
    // 2026-03-04 is a Wednesday.
    expect(splitIntoBuckets('2026-03-04', '2026-03-18', 'week')).toEqual([
      '2026-03-04',
      '2026-03-09',
      '2026-03-16',
      '2026-03-18',
    ]);
    expect(splitIntoBuckets('2026-03-08', '2026-03-10', 'week')).toEqual(['2026-03-08', '2026-03-09', '2026-03-10']);
    expect(splitIntoBuckets('2026-03-09', '2026-03-16', 'week')).toEqual(['2026-03-09', '2026-03-16']);
  });

  it('returns months, shortened at both ends', () => {
    expect(splitIntoBuckets('2025-11-15', '2026-02-02', 'month')).toEqual([
      '2025-11-15',
      '2025-12-01',
      '2026-01-01',
      '2026-02-01',
      '2026-02-02',
    ]);
  });

  it('returns undefined above the limit', () => {
    const to = addDays('2026-01-01', MAX_BUCKETS);
    expect(splitIntoBuckets('2026-01-01', to, 'day')).toHaveLength(MAX_BUCKETS + 1);
    expect(splitIntoBuckets('2026-01-01', addDays(to, 1), 'day')).toBeUndefined();
  });
});
