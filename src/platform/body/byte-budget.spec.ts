import { ByteBudget } from './byte-budget.js';

const overloaded = expect.objectContaining({ code: 'overloaded' });

describe('ByteBudget', () => {
  let budget: ByteBudget;

  beforeEach(() => (budget = new ByteBudget(100, 'The memory is exhausted.')));

  /** Grows all reservations in turn, as bodies that arrive together. @returns how many reach the size. */
  function receive(count: number, size: number): number {
    const open = new Set(Array.from({ length: count }, () => budget.open()));
    for (let bytes = 1; bytes <= size; bytes++) {
      for (const reservation of open) {
        try {
          reservation.resize(bytes);
        } catch {
          open.delete(reservation);
        }
      }
    }
    return open.size;
  }

  it('charges nothing for a body that was only announced', () => {
    for (let body = 0; body < 1_000; body++) budget.open().require(100);
    expect(budget.occupancy).toBe(0);
  });

  it('receives as many bodies that arrive together as fit', () => {
    expect(receive(16, 30)).toBe(3);
  });

  it('rejects an announced body that does not fit only if half of the bytes are in use', () => {
    const [first, second] = [budget.open(), budget.open()];
    first.resize(50);
    expect(() => second.require(60)).not.toThrow();
    first.resize(51);
    expect(() => second.require(60)).toThrow(overloaded);
    expect(() => second.require(49)).not.toThrow();
  });

  it('accepts a body that is larger than all bytes if there is no other', () => {
    const [large, other] = [budget.open(), budget.open()];
    large.resize(150);
    expect(() => other.resize(1)).toThrow(overloaded);
    large.release();
    expect(() => budget.open().resize(100)).not.toThrow();
  });

  it('counts as used up for a while after it has rejected a body', () => {
    jest.useFakeTimers();
    try {
      const [slow, other] = [budget.open(), budget.open()];
      slow.resize(60);
      expect(() => other.require(50)).toThrow(overloaded);
      expect(budget.occupancy).toBe(1);
      jest.advanceTimersByTime(4_000);
      expect(budget.occupancy).toBe(0.6);
    } finally {
      jest.useRealTimers();
    }
  });

  it('ignores bytes that arrive after the release', () => {
    const reservation = budget.open();
    reservation.release();
    reservation.resize(10);
    expect(budget.occupancy).toBe(0);
  });

  it('charges a larger budget, too, and releases a reservation from both if one is exhausted', () => {
    const onUnused = jest.fn();
    const all = new ByteBudget(1_000, 'All memory is exhausted.');
    const ofCaller = new ByteBudget(100, 'The memory is exhausted.', all, onUnused);
    const [first, other] = [ofCaller.open(), ofCaller.open()];
    other.resize(60);
    first.resize(40);
    expect([all.occupancy, first.occupancy]).toEqual([0.1, 1]);
    expect(() => first.resize(41)).toThrow(overloaded);
    expect(all.occupancy).toBe(0.06);
    all.open().resize(940);
    const last = ofCaller.open();
    expect(() => last.resize(40)).toThrow('All memory is exhausted.');
    expect([all.occupancy, onUnused.mock.calls.length]).toEqual([1, 0]);
    other.release();
    expect(onUnused).toHaveBeenCalledTimes(1);
  });
});
