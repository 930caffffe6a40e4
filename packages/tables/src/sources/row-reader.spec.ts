import { planColumns } from '../catalog/column-plan.js';
import { createCellCountError } from './row-errors.js';
import { RowReader, sortByKey, UnreadableRow, withoutRows } from './row-reader.js';

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
  items.forEach((item, index) => {
    reader.add(item, index);
  });
  const batch = sortByKey(reader.finish());
  return {
    reader,
    batch,
    errors: reader.errors.first,
    values: (key: string) => batch.columns.find(({ column }) => column.key === key)?.values,
  };
}

describe('RowReader', () => {
  it('returns one array per column, sorted by key, with the index of each row', () => {
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

  it('distinguishes a column that was not sent from one that was cleared', () => {
    const { batch, values } = read([{ key: 'a', weight: null }, { key: 'b' }]);
    expect(values('weight')).toEqual([null, undefined]);
    expect(batch.columns.map(({ column, complete }) => [column.key, complete])).toEqual([['weight', false]]);
  });

  it('excludes a row with an error and all its values, and returns its key', () => {
    const { reader, batch, values, errors } = read([
      { key: 'a', weight: 1 },
      { key: 'b', name: 'B', weight: 'heavy' },
      { key: 'c', weight: 3 },
    ]);
    expect(batch.keys).toEqual(['a', 'c']);
    expect(values('weight')).toEqual([1, 3]);
    expect(values('name')).toBeUndefined();
    expect(errors).toMatchObject([{ index: 1, key: 'b', column: 'weight', code: 'type_mismatch' }]);
    expect([...reader.rejectedKeys]).toEqual([[1, 'b']]);
  });

  it('reports every error of every row, and counts the rows', () => {
    const { reader, errors } = read([
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
    expect([reader.errors.total, reader.errors.rows]).toEqual([7, 6]);
  });

  it('adds the line to each error if the row has one', () => {
    const reader = new RowReader(columns, 1_000);
    reader.add({ key: 'a', weight: 'x' }, 0, 2);
    reader.add(new UnreadableRow(createCellCountError('The header has 3 cells; this row has 1 cell.')), 1, 5);
    expect(reader.errors.first).toMatchObject([
      { index: 0, line: 2, key: 'a', code: 'type_mismatch' },
      { index: 1, line: 5, code: 'cell_count', message: 'The header has 3 cells; this row has 1 cell.' },
    ]);
  });

  it('rejects a row that is too large, measured in bytes', () => {
    expect(read([{ key: 'a', name: 'ü'.repeat(60) }], 128).errors).toMatchObject([
      { index: 0, key: 'a', code: 'row_too_large' },
    ]);
    expect(read([{ key: 'a', name: 'u'.repeat(60) }], 128).errors).toEqual([]);
  });
});

describe('withoutRows', () => {
  it('removes rows from every column', () => {
    const { batch } = read([{ key: 'a', weight: 1 }, { key: 'b' }]);
    expect(withoutRows(batch, (row) => batch.keys[row] === 'b')).toMatchObject({
      keys: ['a'],
      indexes: [0],
      columns: [{ values: [1], complete: true }],
    });
  });
});
