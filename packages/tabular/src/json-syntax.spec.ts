import fc from 'fast-check';
import { findJsonError, toPath } from './json-syntax.js';

const find = (text: string) => findJsonError(Buffer.from(text));
const VALUE = 'expected a value such as "text", 1, true, null, [] or {}';
const ESCAPE = 'expected an escape such as \\n, \\\\ or \\u00e4';

describe('findJsonError', () => {
  it.each([
    ['', 1, 1, `found the end, ${VALUE}`],
    ['{"name": "x"', 1, 13, 'found the end at name, expected "," or "}"'],
    ['{"name": ', 1, 10, `found the end at name, ${VALUE}`],
    ['{"name": "x', 1, 12, 'found the end at name, expected a double quote at the end of the text'],
    ['{"name": "x",}', 1, 14, 'found "}", expected a key in double quotes'],
    ['{name: 1}', 1, 2, 'found "name", expected a key in double quotes, or "}"'],
    ["{'name': 1}", 1, 2, 'found "\'", expected a key in double quotes, or "}"'],
    ['{"name"}', 1, 8, 'found "}" at name, expected ":"'],
    ['{"a": 1 "b": 2}', 1, 9, 'found """ at a, expected "," or "}"'],
    ['{\n  "a": {\n    "b": [1, 2,]\n  }\n}', 3, 16, `found "]" at a.b[2], ${VALUE}`],
    ['[,1]', 1, 2, `found "," at [0], ${VALUE}, or "]"`],
    ['[1}', 1, 3, 'found "}" at [0], expected "," or "]"'],
    ['{"a": [{"b": 1]}', 1, 15, 'found "]" at a[0].b, expected "," or "}"'],
    ['{"ü😀": “x”}', 1, 8, `found "“" at ü😀, ${VALUE}`],
    ['{"a":\u00a01}', 1, 6, `found U+00A0 at a, ${VALUE}`],
    ['{"a": "line\nbreak"}', 1, 12, 'found U+000A at a, expected an escape such as \\n instead of a control character'],
    ['{"a": "C:\\Users"}', 1, 10, `found "\\U" at a, ${ESCAPE}`],
    ['{"a\\u12g4": 1}', 1, 4, `found "\\u", ${ESCAPE}`],
    ['{"a": 01}', 1, 7, `found "01" at a, ${VALUE}`],
    ['[1, NaN]', 1, 5, `found "NaN" at [1], ${VALUE}`],
    ['[True]', 1, 2, `found "True" at [0], ${VALUE}, or "]"`],
    ['[1] // done', 1, 5, 'found "/", expected the end of the text'],
    ['\ufeff{"a": undefined}', 1, 7, `found "undefined" at a, ${VALUE}`],
    [`["${'é'.repeat(300)}" x]`, 1, 305, 'found "x" at [0], expected "," or "]"'],
    [`[${'x'.repeat(300)}]`, 1, 2, `found "${'x'.repeat(20)}…" at [0], ${VALUE}, or "]"`],
  ])('of %j is in line %i, column %i', (text, line, column, problem) => {
    expect(find(text)).toEqual({ line, column, problem });
  });

  it('exists if JSON.parse rejects the text, and only then', () => {
    const isRejected = (text: string) => {
      try {
        JSON.parse(text);
        return false;
      } catch {
        return true;
      }
    };
    const part = fc.constantFrom(
      ...[
        '',
        ',',
        ':',
        '[',
        ']',
        '{',
        '}',
        '"',
        '\\',
        '1',
        ' ',
        '\n',
        'é',
        'null',
        '[]',
        ',,',
        '"a":',
        '\\u00e4',
        '\\u0',
      ],
      ...['\u0001', '-', '00', '1.', '1e', '-1.5e+3', '.5', '+1', 'Infinity', '\t', '\u2028', '\\n', '\\x'],
    );
    const changed = fc.tuple(fc.json(), fc.nat(), part, fc.nat({ max: 2 })).map(([text, at, inserted, removed]) => {
      const position = at % (text.length + 1);
      return (text.slice(0, position) + inserted + text.slice(position + removed)).toWellFormed();
    });
    const joined = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
    const check = (text: string) => expect([text, find(text) !== undefined]).toEqual([text, isRejected(text)]);
    fc.assert(fc.property(fc.oneof(changed, joined, fc.string()), check), { numRuns: 3_000 });
  });

  it('names duplicate keys, which are valid', () => {
    const paths: string[] = [];
    expect(findJsonError(Buffer.from('{"a":[{"b":1,"\\u0062":2}],"a":3}'), (open) => paths.push(toPath(open)))).toBe(
      undefined,
    );
    expect(paths).toEqual(['a[0].b', 'a']);
  });

  it.each([
    ['blanks', ' '.repeat(1_000_000)],
    ['a text', `"${'x'.repeat(1_000_000)}`],
    ['escapes', `"${'\\n'.repeat(500_000)}`],
    ['escaped characters', `"${'\\u00e4'.repeat(200_000)}`],
    ['numbers', `[${'1234567,'.repeat(125_000)}`],
    ['lists', '['.repeat(500_000)],
    ['lines', '[\n'.repeat(500_000)],
  ])('is found in linear time in %s', (_, text) => {
    const measure = (bytes: Uint8Array) => {
      const before = process.cpuUsage();
      findJsonError(bytes);
      return process.cpuUsage(before).user / 1_000;
    };
    const bytes = Buffer.from(text);
    // A million bytes take about 50 ms. In quadratic time, even the fastest comparison of each two takes half a minute.
    // A ratio of two lengths depends on the collection of garbage, also that of other suites.
    expect(Math.min(...[1, 2, 3].map(() => measure(bytes)))).toBeLessThan(1_000);
  });
});
