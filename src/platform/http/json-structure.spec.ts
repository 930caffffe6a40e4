import { checkContainers, checkStructure } from './json-structure.js';

describe('the structure of a body', () => {
  const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;

  it('nests 32 levels at most', () => {
    expect(() => checkStructure(nested(32))).not.toThrow();
    expect(() => checkStructure(nested(33))).toThrow('deeper than 32');
  });

  it.each(['__proto__', 'constructor', 'prototype'])('has no key %s at any depth', (key) => {
    expect(() => checkStructure(JSON.parse(`[{"a":[{"${key}":1}]}]`))).toThrow(key);
  });
});

describe('a body of many objects', () => {
  const bytes = (text: string) => Buffer.from(text);

  it('is refused where they are too many, saying how many they are', () => {
    expect(() => checkContainers(bytes(`[${'{},'.repeat(2_500_000)}{}]`))).toThrow(
      'at most 2000000 objects and arrays; this holds 2500002',
    );
  });

  it('is not mistaken for one by what its texts hold', () => {
    expect(() => checkContainers(bytes(`["${'{[\\"'.repeat(1_500_000)}"]`))).not.toThrow();
    expect(() => checkContainers(bytes(`["\\\\",${'{},'.repeat(2_500_000)}{}]`))).toThrow('2500002');
  });
});
