import { atMostEvery } from './at-most-every.js';

describe('work that is done at most once in a while', () => {
  let runs = 0;
  let outcome: () => Promise<number>;
  let work: () => Promise<number>;

  beforeEach(() => {
    jest.useFakeTimers();
    runs = 0;
    outcome = () => Promise.resolve(++runs);
    work = atMostEvery(1_000, () => outcome());
  });

  afterEach(() => jest.useRealTimers());

  it('is shared by all who come in between', async () => {
    expect(await Promise.all([work(), work(), work()])).toEqual([1, 1, 1]);
    jest.advanceTimersByTime(999);
    expect(await work()).toBe(1);
  });

  it('is done anew once the pause is over', async () => {
    await work();
    jest.advanceTimersByTime(1_000);
    expect(await work()).toBe(2);
  });

  it('fails for all of them, and then has another chance', async () => {
    outcome = () => Promise.reject(new Error('out of reach'));
    await expect(work()).rejects.toThrow('out of reach');
    outcome = () => Promise.resolve(7);
    await expect(work()).rejects.toThrow('out of reach');
    jest.advanceTimersByTime(1_000);
    expect(await work()).toBe(7);
  });
});
