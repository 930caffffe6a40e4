import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionShare } from './connection-share.js';

describe('the share of a pool', () => {
  it.each([
    [10, 2],
    [1, 1],
    [4, 1],
  ])('has of a pool of %i connections %i', (poolSize, limit) => {
    expect(new ConnectionShare(poolSize, 0.2).limit).toBe(limit);
  });

  it('limits concurrent work, in the order of arrival, also after failures', async () => {
    const share = new ConnectionShare(10, 0.2);
    let running = 0;
    let highest = 0;
    const started: number[] = [];
    const work = async (index: number): Promise<number> => {
      started.push(index);
      highest = Math.max(highest, ++running);
      await delay(2);
      running--;
      if (index % 5 === 0) throw new Error('failed');
      return index;
    };
    const results = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => share.run(() => work(index))));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    expect(highest).toBe(2);
    expect(started).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });
});
