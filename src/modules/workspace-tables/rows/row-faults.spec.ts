import { type RowFault, RowFaults } from './row-faults.js';

const fault = (index: number, more: Partial<RowFault> = {}): RowFault => ({
  index,
  code: 'type_mismatch',
  message: 'No.',
  ...more,
});

describe('the faults of rows', () => {
  it('are all counted, and the first thousand kept in the order of the rows', () => {
    const faults = new RowFaults();
    for (let index = 20_000; index > 0; index--) faults.add(fault(index));
    expect(faults.total).toBe(20_000);
    expect(faults.rows.size).toBe(20_000);
    expect(faults.first.map(({ index }) => index)).toEqual(Array.from({ length: 1000 }, (_, position) => position + 1));
  });

  it('take the key of their row when it is known', () => {
    const faults = new RowFaults();
    faults.add(fault(0));
    faults.add(fault(1));
    faults.add(fault(1));
    faults.nameRow(1, 'k');
    faults.nameRow(2, 'without fault');
    expect(faults.first.map(({ key }) => key)).toEqual([undefined, 'k', 'k']);
    expect([...faults.rows]).toEqual([
      [0, null],
      [1, 'k'],
    ]);
  });

  it('can be added to without touching those they come from', () => {
    const read = new RowFaults();
    read.add(fault(0));
    const checked = RowFaults.from(read);
    checked.add(fault(1));
    expect([read.total, read.first.length, read.rows.size]).toEqual([1, 1, 1]);
    expect([checked.total, checked.first.length, checked.rows.size]).toEqual([2, 2, 2]);
  });
});
