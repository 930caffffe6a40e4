import { Duplicates, toStoredKey } from './duplicates.js';

describe('several rows with a key', () => {
  const KEYS = ['A', 'B', 'A', '', 'C', 'A', ''];

  async function find(
    keys: string[],
  ): Promise<{ duplicates: Duplicates; skipped: (imported: 'first' | 'last') => number[] }> {
    const rows = keys.map((key, position) => ({ key, line: position + 1 }));
    const duplicates = new Duplicates();
    await duplicates.prepare(async function* () {
      yield* await Promise.resolve(rows);
    });
    const skipped = (imported: 'first' | 'last') =>
      rows.filter((row) => duplicates.isSkipped(row, imported)).map(({ line }) => line);
    return { duplicates, skipped };
  }

  it('are skipped except the first or the last; rows without a key are not compared', async () => {
    const { duplicates, skipped } = await find(KEYS);
    expect(skipped('first')).toEqual([3, 6]);
    expect(skipped('last')).toEqual([1, 3]);
    expect(duplicates.example).toEqual({ key: 'A', first: 1, last: 6 });
  });

  it('are found among 100,000 rows, and no others', async () => {
    const keys = Array.from({ length: 100_000 }, (_, number) => `10-${number}`);
    const { duplicates, skipped } = await find([...keys, '10-77']);
    expect([skipped('first'), skipped('last')]).toEqual([[100_001], [78]]);
    expect(duplicates.example).toEqual({ key: '10-77', first: 78, last: 100_001 });
  });

  it('are not confused with different keys that have the same hash', async () => {
    const hash = jest.spyOn(Duplicates, 'hash').mockReturnValue(7);
    try {
      const { skipped } = await find(['A', 'B', 'C', 'B']);
      expect([skipped('first'), skipped('last')]).toEqual([[4], [2]]);
    } finally {
      hash.mockRestore();
    }
  });

  it('are compared by the stored key', () => {
    expect(toStoredKey('Ku\u0308 ')).toBe('K\u00fc');
    expect([' ', null, {}].map(toStoredKey)).toEqual(['', '', '']);
  });
});
