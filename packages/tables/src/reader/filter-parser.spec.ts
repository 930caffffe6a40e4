import type { CatalogTable } from '../catalog/catalog-table.js';
import { type CatalogColumn, planColumns } from '../catalog/column-plan.js';
import { ReferencedTables } from '../catalog/referenced-tables.js';
import { Literals, Parameters } from './bindings.js';
import { ColumnPaths } from './column-path.js';
import { compileFilters } from './filter-compiler.js';
import type { FilterExpression } from './filter-expression.js';
import { parseFilters } from './filter-parser.js';

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

function parse(all: readonly CatalogColumn[], filter: object): FilterExpression[] {
  const table = { id: 'table', columns: all } as CatalogTable;
  return parseFilters(new ColumnPaths(table, new ReferencedTables()), filter);
}

function sql(filter: object): [string, ...unknown[]] {
  const parameters = new Parameters();
  return [compileFilters(parse(columns, filter), parameters).join(' AND '), ...parameters.values];
}

describe('filters', () => {
  it.each<[object, ...unknown[]]>([
    [{ key: ' K1 ' }, 't.c1 = $1::text', 'K1'],
    [{ 'weight IN kg': { gte: '1.5', lt: 2 } }, 't.c3 >= $1::double precision AND t.c3 < $2::double precision', 1.5, 2],
    [{ active: 'X' }, 't.c4 = $1::boolean', true],
    [{ installed: { lte: '20260131' } }, 't.c5 < $1::text', '2026-01-31U'],
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
    [{ name: '{"contains":"a"}' }, 't.c2 = $1::text', '{"contains":"a"}'],
    [{ key: { startsWith: '5%_\\' } }, 't.c1 LIKE $1', '5\\%\\_\\\\%'],
    [{ maker: { startsWith: 'AB' } }, 'left(t.c7, 256) LIKE $1', 'AB%'],
    [{ maker: { startsWith: 'x'.repeat(300) } }, '(left(t.c7, 256) = $1::text AND t.c7 LIKE $2)', 'x'.repeat(256), `${'x'.repeat(300)}%`],
    [{ name: { endsWith: '%' } }, 't.c2 LIKE $1', '%\\%'],
    [{ weight: { between: '1,2' } }, '(t.c3 >= $1::double precision AND t.c3 <= $2::double precision)', 1, 2],
    [{ weight: { notIn: [1, null] } }, '((t.c3 = ANY ($1::double precision[]) OR t.c3 IS NULL)) IS NOT TRUE', [1]],
    [{ not: { weight: { lt: 1 } } }, '(t.c3 < $1::double precision) IS NOT TRUE', 1],
    [{ not: { not: { weight: 1 } } }, 't.c3 = $1::double precision', 1],
    [{ or: [{ weight: 1, key: 'a' }, { active: null }] }, '((t.c3 = $1::double precision AND t.c1 = $2::text) OR t.c4 IS NULL)', 1, 'a'],
    [{ and: [{ weight: 1 }, { and: [{ key: 'a' }] }], active: true }, 't.c3 = $1::double precision AND t.c1 = $2::text AND t.c4 = $3::boolean', 1, 'a', true],
  ])('%j', (filter, ...expected) => expect(sql(filter)).toEqual(expected)); // prettier-ignore

  it('addresses columns with the names of combinations in upper case', () => {
    const named = planColumns(
      [],
      ['Key', 'And', 'Or', 'Not'].map((name) => ({ name, type: 'text' as const })),
      200,
    ).columns;
    const parameters = new Parameters();
    const filter = { AND: 'a', OR: { ne: 'b' }, NOT: { in: ['c'] } };
    expect(compileFilters(parse(named, filter), parameters).join(' AND ')).toBe(
      't.c2 = $1::text AND t.c3 IS DISTINCT FROM $2::text AND t.c4 = ANY ($3::text[])',
    );
  });

  it('accepts the largest number of nested levels', () => {
    expect(sql(nest(5))).toEqual(['(t.c1 = $1::text) IS NOT TRUE', 'a']);
  });

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
    [{ weight: { startsWith: '1' } }, 'filter[weight][startsWith]', '"startsWith" is only for texts'],
    [{ key: { endsWith: '' } }, 'filter[key][endsWith]', '"endsWith" needs a text'],
    [{ weight: { between: [1] } }, 'filter[weight][between]', 'two values'],
    [{ weight: { between: [1, null] } }, 'filter[weight][between]', 'two values'],
    [{ and: 'a' }, 'filter.and', 'needs a list of conditions'],
    [{ or: [] }, 'filter.or', 'needs a list of conditions'],
    [{ or: { eq: 'a' } }, 'filter.or', 'For a column with the key "or" write "OR"'],
    [{ or: [{ key: 'a' }, {}] }, 'filter.or[1]', 'at least one condition'],
    [{ not: 'a' }, 'filter.not', 'For a column with the key "not" write "NOT"'],
    [{ not: { or: [{ weight: { above: 1 } }] } }, 'filter.not.or[0][weight][above]', 'not an operator'],
    [nest(6), 'filter.not.not.not.not.not.not', 'at most 5 nested levels'],
    [{ or: Array.from({ length: 51 }, () => ({ key: 'a' })) }, 'filter', 'at most 50 conditions; this has 51'],
  ])('rejects %j', (filter, field, message) => {
    expect(() => parse(columns, filter)).toThrow(
      expect.objectContaining({ details: { total: 1, errors: [expect.objectContaining({ field })] } }) as Error,
    );
    expect(() => parse(columns, filter)).toThrow(message);
  });
});

it('literals are quoted, so that a value cannot change the statement', () => {
  const literals = new Literals();
  expect(literals.bind(`'; DROP TABLE x --\\`)).toBe(` E'''; DROP TABLE x --\\\\'`);
  expect(literals.bind(['a"b\\', 'NULL', "c'd"])).toBe(` E'{"a\\\\"b\\\\\\\\","NULL","c''d"}'`);
  expect(literals.bind(1.5)).toBe(`'1.5'`);
});

/** A condition within so many negations. */
function nest(levels: number): object {
  return levels === 0 ? { key: 'a' } : { not: nest(levels - 1) };
}

function listKeys(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `K${at}`);
}
