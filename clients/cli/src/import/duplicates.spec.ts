import { Duplicates, type DuplicateRule } from './duplicates.js';
import { HashSet } from './hash-set.js';
import type { Item } from './import-plan.js';

describe('a set of hashes', () => {
  it('finds every text that was added, also after it has grown, and no other one of 100,000', () => {
    const hashes = new HashSet();
    const texts = Array.from({ length: 100_000 }, (_, number) => `10-${number}`);
    expect(texts.filter((text) => !hashes.add(text))).toEqual([]);
    expect(texts.filter((text) => hashes.add(text))).toEqual([]);
  });
});

describe('several rows with a key', () => {
  const ITEMS: Item[] = ['A', 'B', 'A', null, 'C', 'A', null].map((code) => ({ code }));

  async function codesOf(rule: DuplicateRule, items = ITEMS): Promise<(string | undefined)[]> {
    const duplicates = new Duplicates(rule, 'code');
    await duplicates.prepare(async function* () {
      yield* await Promise.resolve(items);
    });
    return items.map((item, position) => duplicates.check(item, position)?.code);
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
      const items = ['A', 'B', 'C', 'B'].map((code) => ({ code }));
      expect(await codesOf('error', items)).toEqual([undefined, 'duplicate_in_batch', undefined, 'duplicate_in_batch']);
    } finally {
      hash.mockRestore();
    }
  });
});
