import { ByteBudget, joinReservations } from './byte-budget.js';

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
    expect([budget.occupancy, budget.isUnused]).toEqual([0, true]);
  });

  it('releases a joined reservation from all budgets if one is exhausted', () => {
    const all = new ByteBudget(1_000, 'All memory is exhausted.');
    const [joined, other] = [joinReservations([all.open(), budget.open()]), budget.open()];
    other.resize(60);
    joined.resize(40);
    expect([all.occupancy, joined.occupancy]).toEqual([0.04, 1]);
    expect(() => joined.resize(41)).toThrow(overloaded);
    expect([all.isUnused, budget.isUnused]).toEqual([true, false]);
    expect(() => budget.open().resize(40)).not.toThrow();
  });
});
