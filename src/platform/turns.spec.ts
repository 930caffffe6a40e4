import { setTimeout as delay } from 'node:timers/promises';
import { countShare, Turns } from './turns.js';

describe('the share of a pool', () => {
  it.each([
    [10, 2],
    [1, 1],
    [4, 1],
  ])('has of a pool of %i connections %i', (poolSize, limit) => {
    expect(countShare(poolSize, 0.2)).toBe(limit);
  });
});

describe('turns', () => {
  it('limit concurrent work, in the order of arrival, also after failures', async () => {
    const turns = new Turns(2);
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
    const runs = Array.from({ length: 50 }, (_, index) => turns.run('', () => work(index)));
    const results = await Promise.allSettled(runs);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    expect(highest).toBe(2);
    expect(started).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  it('are taken as far as they are free', () => {
    const turns = new Turns(3, 2);
    const taken = turns.takeFree('a', 5);
    expect([taken.length, turns.takeFree('b', 5).length, turns.isFree('b')]).toEqual([2, 1, false]);
    taken[0]!();
    expect([turns.takeFree('b', 0).length, turns.takeFree('b', 5).length]).toEqual([0, 1]);
  });

  it('of one key reject only those that wait with the key', async () => {
    const turns = new Turns(Infinity, 1);
    const wait = { timeoutMs: 10_000, toError: () => new Error('busy') };
    const releases = [await turns.acquire('a', wait), await turns.acquire('b', wait)];
    const waiting = ['a', 'a', 'b'].map((key) => turns.acquire(key, wait));
    turns.rejectWaiting('a');
    for (const rejected of waiting.slice(0, 2)) await expect(rejected).rejects.toThrow('busy');
    for (const release of releases) release();
    await expect(waiting[2]).resolves.toBeInstanceOf(Function);
    await expect(turns.acquire('a', wait)).resolves.toBeInstanceOf(Function);
  });

  it('are not taken by those whose signal is aborted while they wait', async () => {
    const turns = new Turns(1);
    const release = await turns.acquire('');
    const abort = new AbortController();
    const aborted = turns.acquire('', { signal: abort.signal });
    const next = turns.acquire('');
    abort.abort(new Error('closed'));
    await expect(aborted).rejects.toThrow('closed');
    await expect(turns.acquire('', { signal: abort.signal })).rejects.toThrow('closed');
    release();
    release();
    await expect(next).resolves.toBeInstanceOf(Function);
    expect(turns.occupancy).toBe(1);
  });
});
