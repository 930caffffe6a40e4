import {
  createDuplicateKeyError,
  createHierarchyCycleError,
  mergeSummaries,
  type RowError,
  RowErrors,
} from './row-errors.js';

const errorAt = (index: number): RowError => ({ index, code: 'type_mismatch', message: 'No.' });

describe('RowErrors', () => {
  it('counts all errors and lists the first 1,000 in row order', () => {
    const errors = new RowErrors();
    for (let index = 20_000; index > 0; index--) errors.add(errorAt(index));
    expect(errors.total).toBe(20_000);
    expect(errors.first.map(({ index }) => index)).toEqual(Array.from({ length: 1000 }, (_, position) => position + 1));
  });

  it('adds a key to the errors of its row that were added before the key was known', () => {
    const errors = new RowErrors();
    errors.add(errorAt(0));
    errors.add(errorAt(1));
    errors.add(errorAt(1));
    errors.setKey(1, 'k');
    errors.setKey(2, 'of a row without errors');
    expect(errors.first.map(({ key }) => key)).toEqual([undefined, 'k', 'k']);
  });

  it('counts errors that are not listed, and the rows that had no error before', () => {
    const errors = new RowErrors();
    errors.add(errorAt(4));
    errors.rows++;
    errors.addKind([errorAt(2), errorAt(3)], 5_000, 4_999);
    expect([errors.total, errors.rows]).toEqual([5_001, 5_000]);
    expect(errors.first.map(({ index }) => index)).toEqual([2, 3, 4]);
    expect(errors.summary).toEqual([{ code: 'type_mismatch', count: 5_001 }]);
  });

  it('lists at least 20 errors of a rare kind behind thousands of a frequent one', () => {
    const errors = new RowErrors();
    for (let index = 0; index < 9_000; index++) errors.add({ ...errorAt(index), column: 'weight' });
    for (let index = 9_000; index < 9_030; index++) errors.add({ ...errorAt(index), code: 'required', column: 'name' });
    const listed = errors.first.map(({ index, code }) => [index, code]);
    expect(listed).toHaveLength(1_000);
    expect(listed.slice(0, 980).map(([index]) => index)).toEqual(Array.from({ length: 980 }, (_, index) => index));
    expect(listed.slice(980)).toEqual(Array.from({ length: 20 }, (_, at) => [9_000 + at, 'required']));
    expect(mergeSummaries([errors.summary, errors.summary])).toEqual([
      { code: 'type_mismatch', column: 'weight', count: 18_000 },
      { code: 'required', column: 'name', count: 60 },
    ]);
  });

  it('lists the same number of each kind if there are more than 50 kinds, 1,000 errors at most', () => {
    const errors = new RowErrors();
    for (let index = 0; index < 20_000; index++) errors.add({ ...errorAt(index), column: `c${index % 100}` });
    const counts = new Map<string, number>();
    for (const { column } of errors.first) counts.set(column!, (counts.get(column!) ?? 0) + 1);
    expect([errors.first.length, counts.size, new Set(counts.values())]).toEqual([1_000, 100, new Set([10])]);
  });
});

describe('messages of row errors', () => {
  it('name the other row with the key by its line if it has one, else by its index', () => {
    expect(createDuplicateKeyError('key', { first: [{ index: 3 }], total: 1 })).toEqual({
      code: 'duplicate_in_batch',
      message: 'The row at index 3 has the same key.',
      column: 'key',
      otherIndex: 3,
    });
    expect(createDuplicateKeyError('key', { first: [{ index: 3, line: 5 }], total: 1 })).toMatchObject({
      message: 'The row in line 5 has the same key.',
      otherIndex: 3,
      otherLine: 5,
    });
    const others = [
      { index: 3, line: 5 },
      { index: 7, line: 9 },
      { index: 9, line: 11 },
    ];
    expect(createDuplicateKeyError('key', { first: others, total: 3 }).message).toBe(
      'The rows in the lines 5, 9 and 11 have the same key.',
    );
    expect(createDuplicateKeyError('key', { first: others, total: 50 }).message).toBe(
      'The rows in the lines 5, 9, 11 and 47 more have the same key.',
    );
  });

  it('quote the parent that would create a cycle', () => {
    expect(createHierarchyCycleError('parent', 'X')).toEqual({
      code: 'hierarchy_cycle',
      message: `The parent "X" would create a cycle. Choose a row outside this row's subtree.`,
      column: 'parent',
    });
  });
});
