import fc from 'fast-check';
import { parseQueryString, requireEncodedQuery } from './query-parser.js';

const read = (query: string) => JSON.parse(JSON.stringify(parseQueryString(query))) as unknown;

it.each([
  ['', {}],
  ['limit=5&sort=-a', { limit: '5', sort: '-a' }],
  ['limit=5&limit=6', { limit: ['5', '6'] }],
  ['filter[name]=Pump', { filter: { name: 'Pump' } }],
  ['filter[weight][gte]=1&filter[weight][lt]=2', { filter: { weight: { gte: '1', lt: '2' } } }],
  ['filter%5BWeight%20in%20kg%5D%5Bin%5D=1&filter%5BWeight%20in%20kg%5D%5Bin%5D=2', { filter: { 'Weight in kg': { in: ['1', '2'] } } }],
  ['status[]=a&status[]=b', { status: ['a', 'b'] }],
  ['status%5B%5D=a', { status: ['a'] }],
  ['filter[a][in][]=1&filter[a][in][]=2', { filter: { a: { in: ['1', '2'] } } }],
  ['status=a&status[]=b', { status: 'a', 'status[]': 'b' }],
  ['[]=a', { '[]': 'a' }],
  ['a[][]=1', { 'a[][]': '1' }],
  ['filter[a][b][c]=1', { 'filter[a][b][c]': '1' }],
  ['filter[a=1', { 'filter[a': '1' }],
  ['filter[a]=1&filter[a][lt]=2', { filter: { a: { '': '1', lt: '2' } } }],
  ['filter[a][lt]=2&filter[a]=1', { filter: { a: { '': '1', lt: '2' } } }],
  ['filter=1&filter[a]=2', { filter: { '': '1', a: '2' } }],
  ['filter[a]=2&filter=1', { filter: { '': '1', a: '2' } }],
  ['filter[a]=2&filter=1&filter[a][lt]=3&filter=4', { filter: { '': ['1', '4'], a: { '': '2', lt: '3' } } }],
])('%s', (query, expected) => expect(read(query)).toEqual(expected)); // prettier-ignore

it('has every value of random names, orders and repetitions once', () => {
  const part = fc.constantFrom('a', 'b', 'filter', 'eq', '__proto__', 'constructor', 'toString', '', '1', 'ü', 'a b');
  const brackets = fc.array(part, { maxLength: 3 }).map((parts) => parts.map((each) => `[${each}]`).join(''));
  const name = fc.tuple(part, brackets).map(([start, end]) => start + end);
  const leaves = (value: unknown): unknown[] =>
    typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value];
  fc.assert(
    fc.property(fc.array(name, { maxLength: 8 }), (names) => {
      const query = names.map((each, at) => `${encodeURIComponent(each)}=${at}`).join('&');
      const expected = names.map((_, at) => String(at));
      expect(leaves(parseQueryString(query)).toSorted()).toEqual(expected.toSorted());
    }),
    { numRuns: 2_000 },
  );
});

it('touches no prototype', () => {
  const parsed = parseQueryString('__proto__[polluted]=1&filter[__proto__][polluted]=1&a[constructor][prototype]=1');
  expect(Object.getPrototypeOf(parsed)).toBeNull();
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

it('has all of many values', () => {
  const query = Array.from({ length: 1_500 }, (_, at) => `a=${at}`).join('&');
  expect((read(query) as { a: string[] }).a).toHaveLength(1_500);
});

it.each(['key=%ff%fe', 'b=1&key=%ed%a0%80', '%c3=1', 'q=50%', 'q=%e2&%82%ac', 'q=B\u00c3\u00b6hler'])(
  'rejects %s, which is not percent-encoded UTF-8',
  (query) => expect(() => requireEncodedQuery(`/?${query}`)).toThrow('in the query is not percent-encoded UTF-8'),
);

it.each(['/', '/%ff', '/?', '/?a', '/?q=50%25&b=%C3%B6+%f0%9f%92%a5'])('%s is', (url) =>
  expect(() => requireEncodedQuery(url)).not.toThrow(),
);
