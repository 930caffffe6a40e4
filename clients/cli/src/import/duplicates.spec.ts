import { Duplicates, type DuplicateRule, toStoredKey } from './duplicates.js';
import { HashSet } from './hash-set.js';

describe('a set of hashes', () => {
  it('finds every text that was added, also after it has grown, and no other one of 100,000', () => {
    const hashes = new HashSet();
    const texts = Array.from({ length: 100_000 }, (_, number) => `10-${number}`);
    expect(texts.filter((text) => !hashes.add(text))).toEqual([]);
    expect(texts.filter((text) => hashes.add(text))).toEqual([]);
  });
});

describe('several rows with a key', () => {
  const KEYS = ['A', 'B', 'A', '', 'C', 'A', ''];

  async function codesOf(rule: DuplicateRule, keys = KEYS): Promise<(string | undefined)[]> {
    const duplicates = new Duplicates(rule);
    await duplicates.prepare(async function* () {
      yield* await Promise.resolve(keys);
    });
    return keys.map((key, position) => duplicates.check(key, position)?.code);
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

  it('are not confused with different keys that have the same hash', async () => {
    const hash = jest.spyOn(HashSet, 'hash').mockReturnValue(7);
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
