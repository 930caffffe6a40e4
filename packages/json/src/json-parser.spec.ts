import fc from 'fast-check';
import { parseJson, parseJsonBytes } from './json-parser.js';
import { JsonScanner, type StructureLimits } from './json-scanner.js';

const LIMITS: StructureLimits = { depth: 32, keys: 1_000, containers: 1_000, values: 10_000, text: 10_000 };

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
  fc.constantFrom(0, -1.5e-7, true, null, '', '\\', '"]}', '\ud800', '😀'.repeat(9), '\\u00e9"\\', 1e300, 12345678901),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 6 }),
  object: fc.dictionary(key, tie('value'), { maxKeys: 6 }),
}));
const written = fc
  .record({ value: json, indent: fc.constantFrom(0, 1, 3) })
  .map(({ value, indent }) => JSON.stringify(value, undefined, indent));

const parseAtOnce = async (text: string, exactNumbers = false) =>
  Promise.resolve(parseJson(text, LIMITS, { exactNumbers }));

/** Parses in slices of a few bytes, from chunks of five. */
async function parseInSlices(text: string, exactNumbers = false): Promise<unknown> {
  const bytes = Buffer.from(text);
  const scanner = new JsonScanner(LIMITS, 6);
  for (let at = 0; at < bytes.length; at += 5) scanner.add(bytes.subarray(at, at + 5));
  return parseJsonBytes(bytes, scanner, { exactNumbers });
}

describe.each([
  ['at once', parseAtOnce],
  ['in slices', parseInSlices],
])('JSON parsed %s', (_, parse) => {
  it('has the value of JSON.parse', async () => {
    const check = async (text: string) => expect(await parse(text)).toEqual(JSON.parse(text));
    await fc.assert(fc.asyncProperty(written, check), { numRuns: 500 });
    await check('{"lists":[{"items":[1,2,3,4,5,[6,7,8,9,10,11,12],{"a":[1,2,3,4,5,6,7]}],"b":[[],[]]},[{}]]}');
  });

  it.each([false, true])('is accepted if JSON.parse accepts it, with exact numbers: %s', async (exactNumbers) => {
    const change = fc.record({
      at: fc.nat(),
      remove: fc.nat({ max: 3 }),
      insert: fc.constantFrom(
        ...['', ',', ':', '[', ']', '{', '}', '"', '\\', '1', ' ', 'é', 'null', '[]', ',,', '"a":'],
        ...['12345678901234567890', '00', '1.', '1e', '-', '1e-999', ' 12345678901234567890 :'],
      ),
    });
    await fc.assert(
      fc.asyncProperty(written, change, async (text, edit) => {
        const at = edit.at % (text.length + 1);
        // Half a surrogate pair is not valid UTF-8, which is rejected before.
        const changed = (text.slice(0, at) + edit.insert + text.slice(at + edit.remove)).toWellFormed();
        const accepted = expected(changed);
        let parsed: { value: unknown } | undefined;
        try {
          parsed = { value: await parse(changed, exactNumbers) };
        } catch (error) {
          expect(error).toMatchObject({ code: 'malformed_json' });
          // A change may duplicate a key.
          if (accepted) expect((error as Error).message).toMatch('Duplicate key');
        }
        if (!exactNumbers && parsed) expect(parsed).toEqual(accepted);
        expect(!!parsed && !accepted).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has numbers that a double would round as texts', async () => {
    const text = '{"items":[{"a":12345678901234567890},{"a":1},{"a":1e-400},"xxxxxxxxxxxxxxxxxxx"],"b":0.1}';
    const items = [{ a: '12345678901234567890' }, { a: 1 }, { a: '1e-400' }, 'xxxxxxxxxxxxxxxxxxx'];
    expect(await parse(text, true)).toEqual({ items, b: 0.1 });
  });

  it('has neither duplicate keys nor keys that reach a prototype', async () => {
    await expect(parse('{"a":[{"b":1,"b":2},{"b":1}]}')).rejects.toThrow('Duplicate key "b" in a[0]');
    for (const name of ['__proto__', 'constructor'])
      await expect(parse(`{"a":[{"${name}":1},2]}`)).rejects.toThrow(`The key "${name}" is not allowed.`);
  });

  it.each(['[       ,1]', '[1,2,3,4,       ,5]', '[1,2,3,4,5,       ]', '[[1,2,3,4,5,6],        ,[]]'])(
    'must have all elements: %s',
    async (text) => {
      await expect(parse(text)).rejects.toMatchObject({ code: 'malformed_json' });
    },
  );
});

describe('JsonScanner', () => {
  const limits = { depth: 3, keys: 4, containers: 5, values: 20, text: 2_000 };
  const scan = (text: string) => () => new JsonScanner(limits).add(Buffer.from(text));

  it.each([
    ['[[[[', 'malformed_json', 'the limit of 3 nested levels'],
    ['{"a":1,"b":{"c":1,"d":1,"e":1', 'too_many_fields', 'the limit of 4 different keys'],
    ['[{},{},{},{},{},{}', 'too_many_objects', 'the limit of 5 objects and arrays'],
    [`["${'x'.repeat(2_001)}`, 'too_large', 'the limit of 2000 bytes'],
    [`[${' '.repeat(1024 * 1024 + 1)}]`, 'malformed_json', 'White space'],
    [`[${'0,'.repeat(21)}`, 'too_many_objects', 'the limit of 20 fields and elements'],
  ])('rejects %s before the end of the body', (text, code, message) => {
    expect(scan(text)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });

  it('counts repeated keys once for the limit, in chunks of any size', () => {
    const bytes = Buffer.from('[{"a":1,"\\"b":1,"ü":1,"d":1},{"d":1,"ü":1,"\\"b":1,"a":1}]');
    for (let size = 1; size < bytes.length; size++) {
      const scanner = new JsonScanner(limits);
      for (let at = 0; at < bytes.length; at += size) scanner.add(bytes.subarray(at, at + size));
      expect([scanner.keys, scanner.containers, scanner.values]).toEqual([8, 3, 10]);
    }
  });

  it('does not count what texts contain', () => {
    expect(scan(`["${'{[\\"'.repeat(100)}", "\\\\", "${'1,'.repeat(100)}"]`)).not.toThrow();
  });
});
