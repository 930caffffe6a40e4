import { parseQuery } from './query-parser.js';

const read = (query: string) => JSON.parse(JSON.stringify(parseQuery(query))) as unknown;

it.each([
  ['', {}],
  ['limit=5&sort=-a', { limit: '5', sort: '-a' }],
  ['limit=5&limit=6', { limit: ['5', '6'] }],
  ['filter[name]=Pump', { filter: { name: 'Pump' } }],
  ['filter[weight][gte]=1&filter[weight][lt]=2', { filter: { weight: { gte: '1', lt: '2' } } }],
  ['filter%5BWeight%20in%20kg%5D%5Bin%5D=1&filter%5BWeight%20in%20kg%5D%5Bin%5D=2', { filter: { 'Weight in kg': { in: ['1', '2'] } } }],
  ['filter[a][b][c]=1', { 'filter[a][b][c]': '1' }],
  ['filter[a=1', { 'filter[a': '1' }],
  ['filter[a]=1&filter[a][lt]=2', { filter: { a: { '': '1', lt: '2' } } }],
  ['filter=1&filter[a]=2', { filter: { '': '1', a: '2' } }],
])('%s', (query, expected) => expect(read(query)).toEqual(expected)); // prettier-ignore

it('touches no prototype', () => {
  const parsed = parseQuery('__proto__[polluted]=1&filter[__proto__][polluted]=1&a[constructor][prototype]=1');
  expect(Object.getPrototypeOf(parsed)).toBeNull();
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
