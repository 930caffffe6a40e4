import { minimumRate, watchRate } from './rate-watch.js';

const KIB = 1024;

describe('minimumRate', () => {
  it('is nothing up to a half, and rises to 64 KiB per second', () => {
    expect([0, 0.5].map(minimumRate)).toEqual([0, 0]);
    expect([0.75, 1, 2].map(minimumRate)).toEqual([8 * KIB, 64 * KIB, 64 * KIB]);
  });
});

describe('watchRate', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** @returns the rates that were reported within ten seconds. */
  function watch(bytesPerS: number, occupancy: number, waitsForPeer = true): number[] {
    let bytes = 0;
    const rates: number[] = [];
    const onSlow = (rate: number) => void rates.push(rate);
    const stop = watchRate({
      occupancy: () => occupancy,
      bytes: () => bytes,
      waitsForPeer: () => waitsForPeer,
      onSlow,
    });
    for (let second = 0; second < 10; second++) {
      bytes += bytesPerS;
      jest.advanceTimersByTime(1_000);
    }
    stop();
    return rates;
  }

  it('reports a transfer that is slower than the minimum rate', () => {
    expect(watch(7 * KIB, 0.75)[0]).toBe(7 * KIB);
    expect(watch(0, 1)[0]).toBe(0);
  });

  it('accepts a transfer that is fast enough, or while enough is free', () => {
    expect(watch(9 * KIB, 0.75)).toEqual([]);
    expect(watch(0, 0.5)).toEqual([]);
  });

  it('does not count the time in which this side is the slower one', () => {
    expect(watch(0, 1, false)).toEqual([]);
  });
});
