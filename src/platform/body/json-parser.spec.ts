import fc from 'fast-check';
import { parseJson } from './json-parser.js';
import { JsonScanner } from './json-scanner.js';
import { checkStructure } from './json-structure.js';

const UNLIMITED = { depth: Infinity, keys: Infinity, containers: Infinity, values: Infinity, text: Infinity };

/** Parses in slices of the size, from chunks of the size. */
async function parse(text: string, sliceBytes = 8, chunkBytes = 5, exactNumbers = false) {
  const bytes = Buffer.from(text);
  const scanner = new JsonScanner(UNLIMITED, sliceBytes);
  for (let at = 0; at < bytes.length; at += chunkBytes) scanner.add(bytes.subarray(at, at + chunkBytes));
  scanner.finish();
  return { ...(await parseJson(bytes, scanner, { exactNumbers })), written: scanner.keys };
}

/** The value of JSON.parse; undefined for invalid JSON. */
function expected(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

const key = fc.constantFrom('a', 'b', '', 'ü', 'k"', 'key');
const leaf = fc.oneof(
  fc.constantFrom(
    0,
    -1.5e-7,
    true,
    false,
    null,
    '',
    '\\',
    '"]}',
    '\ud800',
    '😀'.repeat(9),
    '\\u00e9"\\',
    'x'.repeat(40),
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 6 }),
  object: fc.dictionary(key, tie('value'), { maxKeys: 6 }),
}));

const space = fc.constantFrom('', '', ' ', '\n', '          ');
const written = fc.record({ value: json, indent: fc.constantFrom(0, 1, 3), before: space, after: space });
const sizes = { slice: fc.integer({ min: 12, max: 40 }), chunk: fc.integer({ min: 1, max: 20 }) };

describe('a JSON text parsed in slices', () => {
  it('has the value of JSON.parse', async () => {
    await fc.assert(
      fc.asyncProperty(written, fc.record(sizes), async ({ value, indent, before, after }, { slice, chunk }) => {
        const text = before + JSON.stringify(value, undefined, indent) + after;
        const { value: parsed, keys, written: count } = await parse(text, slice, chunk);
        expect(parsed).toEqual(JSON.parse(text));
        expect([keys, count]).toEqual([checkStructure(JSON.parse(text)), checkStructure(JSON.parse(text))]);
      }),
      { numRuns: 500 },
    );
  });

  it('is accepted exactly if JSON.parse accepts it', async () => {
    const change = fc.record({
      at: fc.nat(),
      remove: fc.nat({ max: 3 }),
      insert: fc.constantFrom('', ',', ':', '[', ']', '{', '}', '"', '\\', '1', ' ', 'é', 'null', '[]', ',,', '"a":'),
    });
    await fc.assert(
      fc.asyncProperty(written, fc.record(sizes), change, async ({ value, indent }, { slice, chunk }, edit) => {
        const text = JSON.stringify(value, undefined, indent);
        const at = edit.at % (text.length + 1);
        // Half a surrogate pair is not valid UTF-8, which is rejected before.
        const changed = (text.slice(0, at) + edit.insert + text.slice(at + edit.remove)).toWellFormed();
        const accepted = expected(changed);
        const parsing = parse(changed, slice, chunk);
        // A change may turn a text into a key of more bytes than a slice.
        const message = await parsing.catch((error: unknown) => (error as Error).message);
        if (typeof message === 'string' && message.startsWith('A key of the body exceeds')) return;
        if (accepted) expect((await parsing).value).toEqual(accepted.value);
        else await expect(parsing).rejects.toMatchObject({ code: 'malformed_json' });
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['{"a":[             ],"b":{              }}', '[               ]'])(
    'may have only white space: %s',
    async (text) => {
      expect((await parse(text)).value).toEqual(JSON.parse(text));
    },
  );

  it('counts keys of several slices once, so that duplicates are found', async () => {
    const text = `{"a":"${'x'.repeat(20)}","b":1,"a":[1,2,3,4,5,6,7,8,9]}`;
    const { keys, written: count } = await parse(text);
    expect([keys, count]).toEqual([2, 3]);
  });

  it('contains numbers that a double would round as texts', async () => {
    const text = '{"items":[{"a":12345678901234567890},{"a":1},{"a":1e-400},"xxxxxxxxxxxxxxxxxxx"],"b":0.1}';
    const { value } = await parse(text, 8, 3, true);
    const items = [{ a: '12345678901234567890' }, { a: 1 }, { a: '1e-400' }, 'xxxxxxxxxxxxxxxxxxx'];
    expect(value).toEqual({ items, b: 0.1 });
  });

  it.each(['__proto__', 'constructor'])('must not have the key %s in any slice', async (name) => {
    const text = `{"aaaaaaaa":1,"${name}":{"b":[1,2,3,4,5,6,7,8,9,10]}}`;
    await expect(parse(text, 30)).rejects.toThrow(`The key "${name}" is not allowed.`);
  });

  it('returns the position in the body with an error', async () => {
    await expect(parse(`[${'1,'.repeat(50)}"a" "b"]`)).rejects.toThrow(/position 10[0-9]/);
  });
});

describe('JsonScanner', () => {
  const limits = { depth: 3, keys: 4, containers: 5, values: 20, text: 2_000 };
  const scan = (text: string) => () => new JsonScanner(limits).add(Buffer.from(text));

  it.each([
    ['[[[[', 'malformed_json', 'the limit of 3 nested levels'],
    ['{"a":1,"b":1,"c":1,"d":1,"e":1', 'too_many_fields', 'the limit of 4 keys'],
    ['[{},{},{},{},{},{}', 'too_many_objects', 'the limit of 5 objects and arrays'],
    [`["${'x'.repeat(2_001)}`, 'too_large', 'the limit of 2000 bytes'],
    [`[${' '.repeat(1024 * 1024 + 1)}]`, 'malformed_json', 'White space'],
    [`[${'0,'.repeat(21)}`, 'too_many_objects', 'the limit of 20 fields and elements'],
  ])('rejects %s before the end of the body', (text, code, message) => {
    expect(scan(text)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });

  it('does not count what texts contain', () => {
    expect(scan(`["${'{[\\"'.repeat(100)}", "\\\\", "${'1,'.repeat(100)}"]`)).not.toThrow();
  });
});
