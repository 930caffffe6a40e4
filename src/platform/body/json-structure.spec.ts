import { DomainError } from '../http/domain-error.js';
import { checkContainers, checkStructure, duplicateKeys, withExactNumbers } from './json-structure.js';

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

it('an object of a body has 100,000 keys at most, and others beside and within it as many', () => {
  const object = (keys: number, inner = '1') =>
    `{${Array.from({ length: keys }, (_, position) => `"k${position}":${position === 7 ? inner : 1}`).join()}}`;
  const read = (text: string) => () => checkContainers(Buffer.from(text));
  expect(read(`[${object(100_000, object(100_000))},${object(100_000)}]`)).not.toThrow();
  expect(read(`[{"a":${object(100_001)}}]`)).toThrow('at most 100000 keys; one here has 100001');
});

describe('the keys of a body', () => {
  const written = (text: string) => checkContainers(Buffer.from(text)).keys;
  const parsed = (text: string) => checkStructure(JSON.parse(text));

  it.each([
    '{}',
    '[]',
    '5',
    '"a:b"',
    '{"a":1}',
    '{"a":{"a":{"a":[{"a":1},{"a":":"}]}}}',
    '{"a:\\"b\\\\":"{\\":1","b":"\\u0022:"}',
    '{"ü:":"\\ud83d\\ude00:", "1" : 2, "" : [ ] }',
  ])('are as many in %j as it is written as when it is parsed', (text) => expect(written(text)).toBe(parsed(text)));

  it.each([
    ['{"a":1,"a":1}', ['a']],
    ['{"a":1,"b":{"a":1},"\\u0061":2}', ['a']],
    ['{"":1,"":1}', ['']],
    ['{"t":[{"items":[{"a":1},{"a":":","b":[],"a":[]}]},{"n":1,"n":2}]}', ['t[0].items[1].a', 't[1].n']],
    ['[[{"a":1}],[[{"a":1, "a" : {"b":1,"b":1}, "a":3}]]]', ['[1][0][0].a', '[1][0][0].a.b', '[1][0][0].a']],
  ])('that stand twice in %s are named with their places', (text, places) => {
    expect(written(text)).toBeGreaterThan(parsed(text));
    const { code, details } = duplicateKeys(Buffer.from(text));
    expect({ code, total: details!.total }).toEqual({ code: 'malformed_json', total: places.length });
    expect(details!.errors!.map((fault) => fault.field)).toEqual(places);
    for (const fault of details!.errors!) expect(fault).toMatchObject({ code: 'duplicate_key' });
  });

  it('that stand twice too often are counted all, and the first 1,000 listed', () => {
    const error = duplicateKeys(Buffer.from(`{"a":1${',"a":1'.repeat(1_500)}}`));
    expect(error).toBeInstanceOf(DomainError);
    expect(error.details).toMatchObject({ total: 1_500, errors: { length: 1_000 } });
  });
});

describe('numbers that a double would say with other digits', () => {
  const exact = (text: string) => {
    const found = withExactNumbers(Buffer.from(text));
    // Nothing is found that is not expected to be there.
    if (found !== undefined) expect(checkContainers(Buffer.from(text)).hasLongNumbers).toBe(true);
    return found;
  };

  it.each([
    ['{"a":0.1234567890123456789}', '{"a":"0.1234567890123456789"}'],
    ['[12345678901234567890]', '["12345678901234567890"]'],
    ['[1, -123456789012345678.5e-3 ,2]', '[1, "-123456789012345678.5e-3" ,2]'],
    [
      '{"ü":"1234567890123456789","\\"1":9007199254740993.1}',
      '{"ü":"1234567890123456789","\\"1":"9007199254740993.1"}',
    ],
  ])('stand as texts: %j', (written, text) => expect(exact(written)).toBe(text));

  it.each([
    '{"a":0.1,"b":"0.1234567890123456789"}',
    '[0.30000000000000004, 52.55889892578125, -1.7976931348623157e+308, 9007199254740991]',
    '[                                   1\n                                 ]',
  ])('are none in %j', (text) => expect(exact(text)).toBeUndefined());
});
