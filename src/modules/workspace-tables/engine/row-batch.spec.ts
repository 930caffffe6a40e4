import { planColumns } from '../catalog/column-plan.js';
import { RowReader, withoutRows } from './row-batch.js';

const { columns } = planColumns(
  [],
  [
    { name: 'Key', type: 'text', primaryKey: true },
    { name: 'Name', type: 'text', required: true },
    { name: 'Weight', type: 'number' },
  ],
  200,
);

function read(items: unknown[], maxRowBytes = 1_000_000) {
  const reader = new RowReader(columns, maxRowBytes);
  const batch = reader.read(items);
  return {
    batch,
    errors: reader.errors.first,
    values: (key: string) => batch.columns.find(({ column }) => column.key === key)?.values,
  };
}

describe('reading rows', () => {
  it('turns them into columns, sorted by key, and remembers where each stood', () => {
    const { batch, values, errors } = read([
      { key: 'b', name: 'B', weight: 2 },
      { key: 'a', name: 'A', weight: '1' },
    ]);
    expect(errors).toEqual([]);
    expect(batch.keys).toEqual(['a', 'b']);
    expect(batch.indexes).toEqual([1, 0]);
    expect(values('name')).toEqual(['A', 'B']);
    expect(values('weight')).toEqual([1, 2]);
    expect(batch.columns.every((column) => column.complete)).toBe(true);
  });

  it('tells a column that was not sent from one that was cleared', () => {
    const { batch, values } = read([{ key: 'a', weight: null }, { key: 'b' }]);
    expect(values('weight')).toEqual([null, undefined]);
    expect(batch.columns.map(({ column, complete }) => [column.key, complete])).toEqual([['weight', false]]);
  });

  it('leaves a row with a fault out, and everything it had', () => {
    const { batch, values, errors } = read([
      { key: 'a', weight: 1 },
      { key: 'b', name: 'B', weight: 'heavy' },
      { key: 'c', weight: 3 },
    ]);
    expect(batch.keys).toEqual(['a', 'c']);
    expect(values('weight')).toEqual([1, 3]);
    expect(values('name')).toBeUndefined();
    expect(errors).toMatchObject([{ index: 1, key: 'b', column: 'weight', code: 'type_mismatch' }]);
  });

  it('names every fault of every row', () => {
    const { errors } = read([
      5,
      { name: 'no key' },
      { key: '  ' },
      { key: 'a', nope: 1, weight: {} },
      { key: 'b', KEY: 'c' },
      { key: 'd', name: null },
    ]);
    expect(errors.map(({ index, code, column }) => [index, code, column])).toEqual([
      [0, 'type_mismatch', undefined],
      [1, 'required_key', 'key'],
      [2, 'required_key', 'key'],
      [3, 'unknown_column', 'nope'],
      [3, 'type_mismatch', 'weight'],
      [4, 'ambiguous_column', 'key'],
      [5, 'required', 'name'],
    ]);
  });

  it('stores neither of two rows with one key, and names both', () => {
    const { batch, errors } = read([{ key: 'a' }, { key: 'b' }, { key: 'a' }, { key: ' a ' }]);
    expect(batch.keys).toEqual(['b']);
    expect(errors.map(({ index, otherIndex, code }) => [index, otherIndex, code])).toEqual([
      [0, 2, 'duplicate_in_batch'],
      [2, 0, 'duplicate_in_batch'],
      [3, 0, 'duplicate_in_batch'],
    ]);
  });

  it('refuses a row that is too large, counted in bytes', () => {
    expect(read([{ key: 'a', name: 'ü'.repeat(60) }], 128).errors).toMatchObject([
      { index: 0, key: 'a', code: 'row_too_large' },
    ]);
    expect(read([{ key: 'a', name: 'u'.repeat(60) }], 128).errors).toEqual([]);
  });

  it('can leave rows out afterwards', () => {
    const { batch } = read([{ key: 'a', weight: 1 }, { key: 'b' }]);
    expect(withoutRows(batch, (row) => batch.keys[row] === 'b')).toMatchObject({
      keys: ['a'],
      indexes: [0],
      columns: [{ values: [1], complete: true }],
    });
  });
});
