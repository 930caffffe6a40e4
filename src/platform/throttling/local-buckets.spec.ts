import { LocalBuckets } from './local-buckets.js';

describe('LocalBuckets', () => {
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
      return isBlocked ? `blocked for ${timeToBlockExpire}` : `${totalHits} until ${timeToExpire}`;
    });

  it('allows the attempts of the policy in a window that begins with the first', () => {
    const policy = { attempts: 2, windowS: 60, blockS: 0 };
    expect(outcomes(1, policy)).toEqual(['1 until 60']);
    now += 20_500;
    expect(outcomes(3, policy)).toEqual(['2 until 40', 'blocked for 40', 'blocked for 40']);
    now += 39_499;
    expect(outcomes(1, policy)).toEqual(['blocked for 1']);
    now += 1;
    expect(outcomes(1, policy)).toEqual(['1 until 60']);
  });

  it('begins the block with the first rejected attempt and does not prolong it', () => {
    const policy = { attempts: 1, windowS: 60, blockS: 100 };
    expect(outcomes(2, policy)).toEqual(['1 until 60', 'blocked for 100']);
    now += 99_000;
    expect(outcomes(1, policy)).toEqual(['blocked for 1']);
    now += 1_000;
    expect(outcomes(1, policy)).toEqual(['1 until 60']);
  });

  it('counts each caller separately and forgets the least recent beyond 50,000', () => {
    const policy = { attempts: 1, windowS: 60, blockS: 0 };
    expect(outcomes(1, policy, 'first')).toEqual(['1 until 60']);
    for (let other = 0; other < 50_000; other++) buckets.count(`other ${other}`, policy);
    expect(outcomes(2, policy, 'other 49999')).toEqual(['blocked for 60', 'blocked for 60']);
    expect(outcomes(1, policy, 'first')).toEqual(['1 until 60']);
  });
});
