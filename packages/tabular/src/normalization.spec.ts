import { toNfc, toNfkd } from './normalization.js';

describe('toNfc', () => {
  it('composes characters', () => expect(toNfc('Gro\u0308\u00dfe')).toBe('Gr\u00f6\u00dfe'));

  it('does not order thousands of combining marks, which takes seconds', () => {
    const text = `a${'\u0301\u0316'.repeat(50_000)}`;
    const startedAt = process.cpuUsage();
    expect(toNfc(text)).toBe(text);
    expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(1_000);
  });
});

describe('toNfkd', () => {
  it('decomposes characters', () => expect(toNfkd('Gr\u00f6\u00dfe \u00bd')).toBe('Gro\u0308\u00dfe 1\u20442'));

  it.each(['\u0301\u0316', '\uff9e\u0316'])('orders at most 30 of a row of %j', (marks) => {
    const startedAt = process.cpuUsage();
    expect(toNfkd(`a${marks.repeat(50_000)}b`)).toHaveLength(32);
    expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(1_000);
  });
});
