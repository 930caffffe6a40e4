import { planColumns } from '../catalog/column-plan.js';
import { Literals, Parameters } from './bindings.js';
import { compileFilters, parseFilters } from './filters.js';

const { columns } = planColumns(
  [],
  [
    { name: 'Key', type: 'text' },
    { name: 'Name', type: 'text' },
    { name: 'Weight in kg', key: 'weight', type: 'number' },
    { name: 'Active', type: 'checkbox' },
    { name: 'Installed', type: 'date' },
    { name: 'Status', type: 'tagStatus', options: { choices: ['new'] } },
    { name: 'Maker', type: 'text', options: { indexed: true } },
  ],
  200,
);

function sql(filter: object): [string, ...unknown[]] {
  const parameters = new Parameters();
  return [compileFilters(parseFilters(columns, filter), parameters).join(' AND '), ...parameters.values];
}

describe('filters', () => {
  it.each<[object, ...unknown[]]>([
    [{ key: ' K1 ' }, 't.c1 = $1::text', 'K1'],
    [{ 'weight IN kg': { gte: '1.5', lt: 2 } }, 't.c3 >= $1::double precision AND t.c3 < $2::double precision', 1.5, 2],
    [{ active: 'X' }, 't.c4 = $1::boolean', true],
    [{ installed: { lte: '20260131' } }, 't.c5 <= $1::text', '2026-01-31'],
    [{ weight: '' }, 't.c3 IS NULL'],
    [{ weight: { ne: null } }, 't.c3 IS NOT NULL'],
    [{ weight: { ne: 5 } }, 't.c3 IS DISTINCT FROM $1::double precision', 5],
    [{ weight: { null: 'false' } }, 't.c3 IS NOT NULL'],
    [{ weight: { in: '1,2,,3' } }, 't.c3 = ANY ($1::double precision[])', [1, 2, 3]],
    [{ key: { in: ['a,b', 'c'] } }, 't.c1 = ANY ($1::text[])', ['a,b', 'c']],
    [{ weight: { in: [null, 5, ''] } }, '(t.c3 = ANY ($1::double precision[]) OR t.c3 IS NULL)', [5]],
    [{ key: { contains: '50%' } }, 't.c1 COLLATE "default" ILIKE $1', '%50\\%%'],
    [{ status: 'old' }, 't.c6 = $1::text', 'old'],
    [{ maker: 'ABB' }, 'left(t.c7, 256) = $1::text', 'ABB'],
    [{ maker: { gt: 'é'.repeat(255) } }, 'left(t.c7, 256) > $1::text', 'é'.repeat(255)],
    [{ maker: { lt: '😀'.repeat(256) } }, '(left(t.c7, 256) <= $1::text AND t.c7 < $2::text)', '😀'.repeat(256), '😀'.repeat(256)],
    [{ maker: 'x'.repeat(300) }, '(left(t.c7, 256) = $1::text AND t.c7 = $2::text)', 'x'.repeat(256), 'x'.repeat(300)],
    [{ maker: { in: ['a', null] } }, '(left(t.c7, 256) = ANY ($1::text[]) OR left(t.c7, 256) IS NULL)', ['a']],
    [{ maker: { in: ['a', 'x'.repeat(300)] } }, '(left(t.c7, 256) = ANY ($1::text[]) AND t.c7 = ANY ($2::text[]))', ['a', 'x'.repeat(256)], ['a', 'x'.repeat(300)]],
    [{ maker: { null: true } }, 'left(t.c7, 256) IS NULL'],
    [{ name: '{"contains":"a"}' }, 't.c2 COLLATE "default" ILIKE $1', '%a%'],
  ])('%j', (filter, ...expected) => expect(sql(filter)).toEqual(expected)); // prettier-ignore

  it.each<[object, string, string]>([
    [{ colour: 1 }, 'filter[colour]', 'no column "colour"'],
    [{ weight: { above: 1 } }, 'filter[weight][above]', 'Allowed: eq, ne, lt'],
    [{ weight: { '': 1 } }, 'filter[weight][]', 'not an operator'],
    [{ weight: 'heavy' }, 'filter[weight][eq]', 'number'],
    [{ weight: { lt: '' } }, 'filter[weight][lt]', '"lt" needs a value'],
    [{ weight: { contains: '1' } }, 'filter[weight][contains]', '"contains" is only for texts'],
    [{ key: ['a', 'b'] }, 'filter[key][eq]', 'Use "in" for several'],
    [{ key: { null: 'yes' } }, 'filter[key][null]', 'must be "true" (no value) or "false"'],
    [{ key: { in: listKeys(1_001) } }, 'filter[key][in]', 'at most 1000 values; there are 1001'],
    [{ key: { contains: 'a\0' } }, 'filter[key][contains]', 'U+0000'],
  ])('rejects %j', (filter, field, message) => {
    expect(() => parseFilters(columns, filter)).toThrow(
      expect.objectContaining({ details: { total: 1, errors: [expect.objectContaining({ field })] } }) as Error,
    );
    expect(() => parseFilters(columns, filter)).toThrow(message);
  });
});

it('literals are quoted, so that a value cannot change the statement', () => {
  const literals = new Literals();
  expect(literals.bind(`'; DROP TABLE x --\\`)).toBe(` E'''; DROP TABLE x --\\\\'`);
  expect(literals.bind(['a"b\\', 'NULL', "c'd"])).toBe(` E'{"a\\\\"b\\\\\\\\","NULL","c''d"}'`);
  expect(literals.bind(1.5)).toBe(`'1.5'`);
});

function listKeys(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `K${at}`);
}
