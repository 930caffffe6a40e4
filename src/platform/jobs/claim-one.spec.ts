import { claimOne } from './claim-one.js';

describe('claimOne', () => {
  it('tries the candidates in random order until it has claimed one', async () => {
    const first = new Set<number>();
    for (let round = 0; round < 200; round++) {
      const tried: number[] = [];
      const claimed = await claimOne([1, 2, 3], (candidate) => {
        tried.push(candidate);
        return Promise.resolve(candidate === 2 ? candidate : undefined);
      });
      expect(claimed).toBe(2);
      expect(tried.at(-1)).toBe(2);
      first.add(tried[0]!);
    }
    expect(first).toEqual(new Set([1, 2, 3]));
  });

  it('returns undefined after other instances have claimed all candidates', async () => {
    const tried: number[] = [];
    const claimed = await claimOne([1, 2, 3], (candidate) => {
      tried.push(candidate);
      return Promise.resolve<number | undefined>(undefined);
    });
    expect(claimed).toBeUndefined();
    expect(tried.toSorted()).toEqual([1, 2, 3]);
  });
});
