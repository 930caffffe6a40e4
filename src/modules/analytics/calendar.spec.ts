import {
  canonicalTimezone,
  clockOf,
  dayAt,
  daysAfter,
  findBuckets,
  isDay,
  isTimezone,
  MAX_BUCKETS,
  startOf,
} from './calendar.js';

describe('a day', () => {
  it.each(['2026-03-01', '2024-02-29', '1900-01-01', '2999-12-31'])('can be %s', (day) =>
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
  ])('cannot be %j', (day) => expect(isDay(day)).toBe(false));

  // The instants are those that the tz database gives.
  it.each([
    ['Europe/Vienna', '2026-03-29', '2026-03-28T23:00:00Z', 'a day of 23 hours'],
    ['Europe/Vienna', '2026-03-30', '2026-03-29T22:00:00Z', 'the day after it'],
    ['Europe/Vienna', '2026-10-25', '2026-10-24T22:00:00Z', 'a day of 25 hours'],
    ['Europe/Vienna', '2026-10-26', '2026-10-25T23:00:00Z', 'the day after it'],
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00Z', 'midnight is skipped'],
    ['America/Havana', '2025-11-02', '2025-11-02T04:00:00Z', 'midnight comes twice'],
    ['Asia/Beirut', '2025-10-26', '2025-10-25T22:00:00Z', 'the hour before midnight comes twice'],
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00Z', 'the day was skipped'],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00Z', 'the day before was skipped'],
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00Z', 'an offset of quarters'],
    ['UTC', '2026-01-01', '2026-01-01T00:00:00Z', 'no offset'],
  ])('begins in %s on %s at %s: %s', (timezone, day, start) => {
    expect(startOf(day, clockOf(timezone))).toEqual(new Date(start));
  });

  it('is that of the place', () => {
    const at = Date.parse('2026-03-28T23:00:00Z');
    expect(dayAt(at, clockOf('Europe/Vienna'))).toBe('2026-03-29');
    expect(dayAt(at - 1, clockOf('Europe/Vienna'))).toBe('2026-03-28');
    expect(dayAt(at, clockOf('UTC'))).toBe('2026-03-28');
  });
});

describe('a timezone', () => {
  it.each([
    ['europe/vienna', 'Europe/Vienna'],
    ['utc', 'UTC'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
  ])('%s is answered as %s', (asked, answered) => {
    expect(canonicalTimezone(asked)).toBe(answered);
  });

  it.each(['UTC', 'Europe/Vienna', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])('can be %s', (name) =>
    expect(isTimezone(name)).toBe(true),
  );

  it.each(['', '+02:00', 'Europe/Nowhere', "UTC'; --", 7, null])('cannot be %j', (name) =>
    expect(isTimezone(name)).toBe(false),
  );
});

describe('buckets', () => {
  it('are days', () => {
    expect(findBuckets('2026-02-27', '2026-03-02', 'day')).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
      '2026-03-02',
    ]);
  });

  it('are weeks from Monday on, cut at both ends', () => {
    // 2026-03-04 is a Wednesday.
    expect(findBuckets('2026-03-04', '2026-03-18', 'week')).toEqual([
      '2026-03-04',
      '2026-03-09',
      '2026-03-16',
      '2026-03-18',
    ]);
    expect(findBuckets('2026-03-08', '2026-03-10', 'week')).toEqual(['2026-03-08', '2026-03-09', '2026-03-10']);
    expect(findBuckets('2026-03-09', '2026-03-16', 'week')).toEqual(['2026-03-09', '2026-03-16']);
  });

  it('are months, cut at both ends', () => {
    expect(findBuckets('2025-11-15', '2026-02-02', 'month')).toEqual([
      '2025-11-15',
      '2025-12-01',
      '2026-01-01',
      '2026-02-01',
      '2026-02-02',
    ]);
  });

  it('are as many as there may be, and no more', () => {
    const to = daysAfter('2026-01-01', MAX_BUCKETS);
    expect(findBuckets('2026-01-01', to, 'day')).toHaveLength(MAX_BUCKETS + 1);
    expect(findBuckets('2026-01-01', daysAfter(to, 1), 'day')).toBeUndefined();
  });
});
