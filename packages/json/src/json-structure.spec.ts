import { DomainError } from '../../errors/src/domain-error.js';
import { checkStructure, countStructure, diagnose, withExactNumbers } from './json-structure.js';

describe('checkStructure', () => {
  const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;

  it('rejects more than 32 nested levels', () => {
    expect(() => checkStructure(nested(32))).not.toThrow();
    expect(() => checkStructure(nested(33))).toThrow('the limit of 32 nested levels');
  });

  it.each(['__proto__', 'constructor', 'prototype'])('rejects the key %s at any depth', (key) => {
    expect(() => checkStructure(JSON.parse(`[{"a":[{"${key}":1}]}]`))).toThrow(key);
  });
});

describe('duplicate keys', () => {
  const written = (text: string) => countStructure(Buffer.from(text)).keys;
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
  ])('do not exist in %j', (text) => expect(written(text)).toBe(parsed(text)));

  it.each([
    ['{"a":1,"a":1}', ['a']],
    ['{"a":1,"b":{"a":1},"\\u0061":2}', ['a']],
    ['{"":1,"":1}', ['']],
    ['{"t":[{"items":[{"a":1},{"a":":","b":[],"a":[]}]},{"n":1,"n":2}]}', ['t[0].items[1].a', 't[1].n']],
    ['[[{"a":1}],[[{"a":1, "a" : {"b":1,"b":1}, "a":3}]]]', ['[1][0][0].a', '[1][0][0].a.b', '[1][0][0].a']],
  ])('of %s are listed with their paths', (text, paths) => {
    expect(written(text)).toBeGreaterThan(parsed(text));
    const { code, details } = diagnose(Buffer.from(text));
    expect({ code, total: details!.total }).toEqual({ code: 'malformed_json', total: paths.length });
    expect(details!.errors!.map((error) => error.field)).toEqual(paths);
    for (const error of details!.errors!) expect(error).toMatchObject({ code: 'duplicate_key' });
  });

  it('are all counted, and the first 1,000 are listed', () => {
    const error = diagnose(Buffer.from(`{"a":1${',"a":1'.repeat(1_500)}}`));
    expect(error).toBeInstanceOf(DomainError);
    expect(error.details).toMatchObject({ total: 1_500, errors: { length: 1_000 } });
  });
});

describe('withExactNumbers', () => {
  const exact = (text: string) => {
    const found = withExactNumbers(text);
    // The faster check before must not miss a number.
    if (found !== undefined) expect(countStructure(Buffer.from(text)).hasRoundedNumbers).toBe(true);
    return found;
  };

  it.each([
    ['{"a":0.1234567890123456789}', '{"a":"0.1234567890123456789"}'],
    ['[12345678901234567890]', '["12345678901234567890"]'],
    ['[1, -123456789012345678.5e-3 ,2]', '[1, "-123456789012345678.5e-3" ,2]'],
    ['[1e-400, -1.5E-0324,0.0e-400]', '["1e-400", "-1.5E-0324",0.0e-400]'],
    [
      '{"ü":"1234567890123456789","\\"1":9007199254740993.1}',
      '{"ü":"1234567890123456789","\\"1":"9007199254740993.1"}',
    ],
  ])('turns numbers that a double would round into texts: %j', (written, text) => expect(exact(written)).toBe(text));

  it.each([
    '{"a":0.1,"b":"0.1234567890123456789"}',
    '[0.30000000000000004, 52.55889892578125, -1.7976931348623157e+308, 9007199254740991]',
    '[5e-324, 1e-5, 1E-310, -0, 0e-999, true, false, "1e-400"]',
    '[                                   1\n                                 ]',
  ])('finds none in %j', (text) => expect(exact(text)).toBeUndefined());
});
