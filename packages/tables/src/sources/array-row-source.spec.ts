import { findKeysOnCycles } from './array-row-source.js';

const findCycles = (parents: Record<string, string | null>) =>
  [...findKeysOnCycles(new Map(Object.entries(parents)))].sort();

describe('findKeysOnCycles', () => {
  it('returns nothing for a forest, even if parents are missing', () => {
    expect(findCycles({ a: null, b: 'a', c: 'b', d: 'missing' })).toEqual([]);
  });

  it('returns the whole cycle without the branches that lead to it', () => {
    expect(findCycles({ a: 'b', b: 'c', c: 'a', leaf: 'a', other: null })).toEqual(['a', 'b', 'c']);
  });

  it('returns rows that are their own parent, and several cycles', () => {
    expect(findCycles({ a: 'a', b: 'c', c: 'b', d: 'a' })).toEqual(['a', 'b', 'c']);
  });

  it('takes linear time', () => {
    const chain = new Map(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, `k${i + 1}`] as const));
    expect(findKeysOnCycles(chain).size).toBe(0);
  });
});
