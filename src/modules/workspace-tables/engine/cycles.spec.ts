import { keysOnCycles } from './cycles.js';

const cycles = (parents: Record<string, string | null>) => [...keysOnCycles(new Map(Object.entries(parents)))].sort();

describe('cycles of a hierarchy', () => {
  it('are none in a forest, also with parents that are not there', () => {
    expect(cycles({ a: null, b: 'a', c: 'b', d: 'missing' })).toEqual([]);
  });

  it('are found whole, without the branches that lead to them', () => {
    expect(cycles({ a: 'b', b: 'c', c: 'a', leaf: 'a', other: null })).toEqual(['a', 'b', 'c']);
  });

  it('may be one row that is its own parent, and several at once', () => {
    expect(cycles({ a: 'a', b: 'c', c: 'b', d: 'a' })).toEqual(['a', 'b', 'c']);
  });

  it('are looked for in linear time', () => {
    const chain = new Map(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, `k${i + 1}`] as const));
    expect(keysOnCycles(chain).size).toBe(0);
  });
});
