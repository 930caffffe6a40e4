import { LocalBuckets } from './local-buckets.js';

describe('counting in memory', () => {
  let buckets: LocalBuckets;
  let now: number;

  beforeEach(() => {
    buckets = new LocalBuckets();
    now = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });

  afterEach(() => jest.restoreAllMocks());

  const outcomes = (times: number, policy: { attempts: number; windowS: number; blockS: number }, key = 'me') =>
    Array.from({ length: times }, () => {
      const { isBlocked, totalHits, timeToExpire, timeToBlockExpire } = buckets.count(key, policy);
      return isBlocked ? `refused for ${timeToBlockExpire}` : `${totalHits} until ${timeToExpire}`;
    });

  it('lets so many through in a window, which begins with the first', () => {
    const policy = { attempts: 2, windowS: 60, blockS: 0 };
    expect(outcomes(1, policy)).toEqual(['1 until 60']);
    now += 20_500;
    expect(outcomes(3, policy)).toEqual(['2 until 40', 'refused for 40', 'refused for 40']);
    now += 39_499;
    expect(outcomes(1, policy)).toEqual(['refused for 1']);
    now += 1;
    expect(outcomes(1, policy)).toEqual(['1 until 60']);
  });

  it('blocks once, from the first that is refused on', () => {
    const policy = { attempts: 1, windowS: 60, blockS: 100 };
    expect(outcomes(2, policy)).toEqual(['1 until 60', 'refused for 100']);
    now += 99_000;
    expect(outcomes(1, policy)).toEqual(['refused for 1']);
    now += 1_000;
    expect(outcomes(1, policy)).toEqual(['1 until 60']);
  });

  it('counts callers apart, and remembers a bounded number of them', () => {
    const policy = { attempts: 1, windowS: 60, blockS: 0 };
    expect(outcomes(1, policy, 'first')).toEqual(['1 until 60']);
    for (let other = 0; other < 50_000; other++) buckets.count(`other ${other}`, policy);
    expect(outcomes(2, policy, 'other 49999')).toEqual(['refused for 60', 'refused for 60']);
    expect(outcomes(1, policy, 'first')).toEqual(['1 until 60']);
  });
});
