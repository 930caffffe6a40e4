import { Duplicates, type DuplicateRule, toStoredKey } from './duplicates.js';

describe('several rows with a key', () => {
  const KEYS = ['A', 'B', 'A', '', 'C', 'A', ''];

  async function codesOf(rule: DuplicateRule, keys = KEYS): Promise<(string | undefined)[]> {
    const rows = keys.map((key, position) => ({ key, line: 2 * position + 1 }));
    const duplicates = new Duplicates(rule);
    await duplicates.prepare(async function* () {
      yield* await Promise.resolve(rows);
    });
    return rows.map((row) => duplicates.check(row)?.code);
  }

  it.each<[DuplicateRule, (string | undefined)[]]>([
    [
      'error',
      ['duplicate_in_batch', undefined, 'duplicate_in_batch', undefined, undefined, 'duplicate_in_batch', undefined],
    ],
    ['first', [undefined, undefined, 'duplicate_skipped', undefined, undefined, 'duplicate_skipped', undefined]],
    ['last', ['duplicate_skipped', undefined, 'duplicate_skipped', undefined, undefined, undefined, undefined]],
  ])('are handled by the rule %s; rows without a key are not compared', async (rule, codes) => {
    expect(await codesOf(rule)).toEqual(codes);
  });

  it('are found among 100,000 rows, and no others', async () => {
    const keys = Array.from({ length: 100_000 }, (_, number) => `10-${number}`);
    expect((await codesOf('error', [...keys, '10-77'])).flatMap((code, position) => (code ? [position] : []))).toEqual([
      77, 100_000,
    ]);
  });

  it('are not confused with different keys that have the same hash', async () => {
    const hash = jest.spyOn(Duplicates, 'hash').mockReturnValue(7);
    try {
      expect(await codesOf('error', ['A', 'B', 'C', 'B'])).toEqual([
        undefined,
        'duplicate_in_batch',
        undefined,
        'duplicate_in_batch',
      ]);
    } finally {
      hash.mockRestore();
    }
  });

  it('are compared by the stored key', () => {
    expect(toStoredKey('Ku\u0308 ')).toBe('K\u00fc');
    expect([' ', null, {}].map(toStoredKey)).toEqual(['', '', '']);
  });
});
