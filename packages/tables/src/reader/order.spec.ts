import { Keyset } from '../../../sql/src/keyset.js';
import { planColumns } from '../catalog/column-plan.js';
import { Parameters } from './bindings.js';
import { getCursorPosition, parseSort, toKeyset } from './order.js';
import { parseFields } from './query-compiler.js';

const { columns } = planColumns(
  [],
  [
    { name: 'Key', type: 'text' },
    { name: 'Name', type: 'text' },
    { name: 'Weight', type: 'number' },
  ],
  200,
);

describe('sort', () => {
  it.each([
    [undefined, 't.c1'],
    ['key', 't.c1'],
    ['-key', 't.c1 DESC'],
    ['-weight,name', 't.c3 DESC, left(t.c2, 256), t.c1'],
    ['Weight', 't.c3, t.c1'],
    ['-weight', 't.c3 DESC, t.c1 DESC'],
    ['name,-name', 'left(t.c2, 256), t.c1'],
    ['key,name', 't.c1'],
  ])('%j orders by %s', (sort, sql) => expect(toKeyset(parseSort(columns, sort)).compileOrder()).toBe(sql));

  it('reads as many terms as a request can have', () => {
    const names = Array.from({ length: 200 }, (_, number) => ({ name: `Column ${number}`, type: 'text' as const }));
    const many = planColumns([], names, 200).columns;
    const last = many.at(-1)!.key;
    expect(parseSort(many, `${'COLUMN 0,'.repeat(100_000)}${`-${last},`.repeat(100_000)}`)).toHaveLength(1);
    expect(parseFields(many, 'COLUMN 1,'.repeat(100_000))).toHaveLength(2);
  });

  it('rejects an unknown column', () => expect(() => parseSort(columns, 'colour')).toThrow('no column "colour"'));
});

describe('fields', () => {
  it('always include the primary key', () => {
    expect(parseFields(columns, 'weight').map((column) => column.key)).toEqual(['key', 'weight']);
    expect(parseFields(columns, undefined)).toHaveLength(3);
  });
});

describe('cursors', () => {
  const order = parseSort(columns, '-weight,name');
  const after = (...values: (string | number | null)[]) => {
    const parameters = new Parameters();
    const keyset = toKeyset(order);
    const position = keyset.decode('query', keyset.encode('query', values))!;
    const sql = keyset.compileCondition(position, parameters);
    return { sql, parameters: parameters.values };
  };

  it('select the rows after their position', () => {
    expect(after(5, 'b', 'k')).toEqual({
      sql: '(t.c3 < $4 OR (t.c3 = $5 AND ((left(t.c2, 256) > $2 OR left(t.c2, 256) IS NULL) OR (left(t.c2, 256) = $3 AND t.c1 > $1))))',
      parameters: ['k', 'b', 'b', 5, 5],
    });
  });

  it('treat empty values as the largest', () => {
    expect(after(null, null, 'k').sql).toBe(
      '(t.c3 IS NOT NULL OR (t.c3 IS NULL AND ((left(t.c2, 256) IS NULL AND t.c1 > $1))))',
    );
  });

  it.each([[['5', 'b', 'k']], [[5, 6, 'k']], [[5, 'b', null]], [[5, 'b', 'k\0']], [[true, 'b', 'k']]])(
    'are rejected with the values %j',
    (values) => {
      expect(() => after(...(values as (string | null)[]))).toThrow('does not belong to this query');
    },
  );

  it('contain only the part of a text that rows are sorted by', () => {
    expect(getCursorPosition({ key: 'k', name: `a${'😀'.repeat(300)}`, weight: null }, order)).toEqual([
      null,
      `a${'😀'.repeat(255)}`,
      'k',
    ]);
  });

  it('are bound to their query', () => {
    const keyset = new Keyset([{ isValid: () => true }]);
    expect(keyset.decode('query', keyset.encode('query', ['k']))).toEqual(['k']);
    expect(() => keyset.decode('other', keyset.encode('query', ['k']))).toThrow('does not belong to this query');
    expect(() => keyset.decode('query', 'garbage')).toThrow('does not belong to this query');
    expect(() => keyset.decode('query', keyset.encode('query', ['k', 'l']))).toThrow('does not belong to this query');
  });
});
