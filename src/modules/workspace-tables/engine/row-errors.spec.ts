import { type RowError, RowErrors } from './row-errors.js';

const fault = (index: number, more: Partial<RowError> = {}): RowError => ({
  index,
  code: 'type_mismatch',
  message: 'No.',
  ...more,
});

describe('the errors of rows', () => {
  it('are all counted, and the first thousand kept in the order of the rows', () => {
    const errors = new RowErrors();
    for (let index = 20_000; index > 0; index--) errors.add(fault(index));
    expect(errors.total).toBe(20_000);
    expect(errors.rows.size).toBe(20_000);
    expect(errors.first.map(({ index }) => index)).toEqual(Array.from({ length: 1000 }, (_, position) => position + 1));
  });

  it('take the key of their row when it is known', () => {
    const errors = new RowErrors();
    errors.add(fault(0));
    errors.add(fault(1));
    errors.add(fault(1));
    errors.nameRow(1, 'k');
    errors.nameRow(2, 'without fault');
    expect(errors.first.map(({ key }) => key)).toEqual([undefined, 'k', 'k']);
    expect([...errors.rows]).toEqual([
      [0, null],
      [1, 'k'],
    ]);
  });

  it('can be added to without touching those they come from', () => {
    const read = new RowErrors();
    read.add(fault(0));
    const checked = RowErrors.from(read);
    checked.add(fault(1));
    expect([read.total, read.first.length, read.rows.size]).toEqual([1, 1, 1]);
    expect([checked.total, checked.first.length, checked.rows.size]).toEqual([2, 2, 2]);
  });
});
