import { ColumnFinder } from '../../../tabular/src/column-finder.js';
import { type CatalogColumn, type ColumnDefinition, planColumns } from './column-plan.js';

const plan = (sent: ColumnDefinition[], current: CatalogColumn[] = []) => planColumns(current, sent, 200);
const codes = (sent: ColumnDefinition[], current: CatalogColumn[] = []) =>
  plan(sent, current).errors.map(({ code }) => code);
const existing = plan([
  { name: 'EQUNR', type: 'text', primaryKey: true },
  { name: 'Weight', type: 'number' },
]).columns;

describe('column keys', () => {
  it.each([
    ['TPLNR', 'tplnr'],
    ['Object Type', 'object_type'],
    ['Weight [kg]', 'weight_kg'],
    ['Größe', 'gro_e'],
    ['Höhe über NN', 'hohe_uber_nn'],
    ['***', 'column_1'],
    ['__proto__', 'proto'],
  ])('are derived from the name %j: %s', (name, key) => {
    expect(plan([{ name, type: 'text' }]).columns[0]!.key).toBe(key);
  });

  it('of names without a slug are those of the columns with these names, and else new ones', () => {
    const sent: ColumnDefinition[] = ['Key', '***', '***', '---'].map((name) => ({ name, type: 'text' }));
    const { columns } = plan(sent);
    expect(columns.map((column) => column.key)).toEqual(['key', 'column_2', 'column_3', 'column_4']);
    expect(plan(sent, columns).added).toEqual([]);
    const others = columns.filter((column) => column.key !== 'column_2');
    expect(plan([{ name: '+++', type: 'text' }], others).added.map((column) => column.key)).toEqual(['column_5']);
  });

  it('are the explicit keys, in lowercase', () => {
    expect(plan([{ key: 'EquNr', name: 'Equipment', type: 'text' }]).columns[0]!.key).toBe('equnr');
  });

  it.each(['with space', 'ünr', '', 'x'.repeat(64), '__proto__', 'constructor'])('cannot be %j', (key) => {
    expect(codes([{ key, name: 'Name', type: 'text' }])).toEqual(['invalid_column_key']);
  });

  it('longer than 63 characters are rejected if derived from a name', () => {
    expect(codes([{ name: 'x'.repeat(64), type: 'text' }])).toEqual(['invalid_column_key']);
  });

  it('must be unique', () => {
    expect(
      codes([
        { name: 'A b', type: 'text' },
        { name: 'a-B', type: 'text' },
      ]),
    ).toEqual(['invalid_column_key']);
  });
});

describe('the primary key', () => {
  it('is the marked column', () => {
    const { columns } = plan([
      { name: 'Name', type: 'text' },
      { name: 'Code', type: 'text', primaryKey: true },
    ]);
    expect(columns.filter((column) => column.primaryKey).map((column) => column.key)).toEqual(['code']);
  });

  it('is the first text column if no column is marked', () => {
    const { columns } = plan([
      { name: 'Weight', type: 'number' },
      { name: 'Code', type: 'text' },
      { name: 'Name', type: 'text' },
    ]);
    expect(columns.filter((column) => column.primaryKey).map((column) => column.key)).toEqual(['code']);
  });

  it.each<[string, ColumnDefinition[]]>([
    ['without a text column', [{ name: 'Weight', type: 'number' }]],
    [
      'with two marked columns',
      [
        { name: 'A', type: 'text', primaryKey: true },
        { name: 'B', type: 'text', primaryKey: true },
      ],
    ],
    [
      'with a marked number column',
      [
        { name: 'A', type: 'text' },
        { name: 'B', type: 'number', primaryKey: true },
      ],
    ],
  ])('%s is invalid', (_, sent) => expect(codes(sent)).toEqual(['invalid_primary_key']));

  it('of an existing table cannot be changed', () => {
    expect(codes([{ name: 'New', type: 'text', primaryKey: true }], existing)).toEqual(['invalid_primary_key']);
  });
});

describe('columns of an existing table', () => {
  it('are unchanged if they are sent again', () => {
    const again = plan([{ name: 'EQUNR', type: 'text', primaryKey: true }], existing);
    expect([again.added, again.ignored, again.errors]).toEqual([[], [], []]);
  });

  it('are not edited; differences are reported as ignored', () => {
    const renamed = existing.map((column) => (column.key === 'weight' ? { ...column, name: 'Mass' } : column));
    const { ignored, columns } = plan([{ name: 'Weight', type: 'number', required: true }], renamed);
    expect(ignored).toEqual([
      { key: 'weight', attribute: 'name', sent: 'Weight', kept: 'Mass' },
      { key: 'weight', attribute: 'required', sent: true, kept: false },
    ]);
    expect(columns).toEqual(renamed);
  });

  it('cannot change their type', () => {
    expect(codes([{ name: 'Weight', type: 'text' }], existing)).toEqual(['column_type_conflict']);
  });

  it('are extended by new columns with the next ordinals', () => {
    const { added } = plan([{ name: 'Colour', type: 'text' }], existing);
    expect(added).toMatchObject([{ key: 'colour', ordinal: 3, primaryKey: false }]);
  });

  it('have only the options of their type', () => {
    const target = { entity: 'list', table: 'Colours' } as const;
    const space = { name: 'Colour', type: 'space' } as const;
    expect(codes([{ ...space, options: { choices: ['red'], target, indexed: true } }], existing)).toEqual([
      'invalid_option',
      'invalid_option',
    ]);
    expect(codes([{ ...space, type: 'reference', options: { target } }], existing)).toEqual([]);
    expect(codes([{ ...space, type: 'tagStatus', options: { choices: ['red'] } }], existing)).toEqual([]);
    // The definition of an existing column is ignored, including its options.
    expect(codes([{ name: 'Weight', type: 'number', options: { choices: ['heavy'] } }], existing)).toEqual([]);
  });

  it('are limited to 200', () => {
    const many = Array.from({ length: 201 }, (_, position) => ({ name: `c${position}`, type: 'text' as const }));
    expect(codes(many)).toEqual(['too_many_columns']);
  });

  it('are required if the table does not exist', () => {
    expect(codes([])).toEqual(['columns_required']);
  });
});

describe('limits of ordinals and indexes', () => {
  const number = (name: string): ColumnDefinition => ({ name, type: 'number', options: { indexed: true } });

  it('the ordinal of a dropped column is not reused', () => {
    const { added } = planColumns(existing, [{ name: 'Colour', type: 'text' }], 200, 7);
    expect(added).toMatchObject([{ ordinal: 8 }]);
    const { errors } = planColumns(existing, [{ name: 'Colour', type: 'text' }], 200, 1_500);
    expect(errors).toMatchObject([{ code: 'too_many_columns' }]);
  });

  it('a table has at most 10 indexes, not counting keys and references', () => {
    const key: ColumnDefinition = { name: 'Key', type: 'text', primaryKey: true, options: { indexed: true } };
    const parent: ColumnDefinition = { name: 'Parent', type: 'hierarchyParent', options: { indexed: true } };
    const ten = Array.from({ length: 10 }, (_, position) => number(`n${position}`));
    expect(codes([key, parent, ...ten])).toEqual([]);
    expect(plan([key, parent, ...ten, number('n10')]).errors).toMatchObject([
      { column: 'n10', code: 'too_many_indexes' },
    ]);
  });
});

describe('ColumnFinder', () => {
  const finder = new ColumnFinder([
    { key: 'tplnr', name: 'TPLNR' },
    { key: 'name', name: 'Bezeichnung' },
    { key: 'kurz', name: 'Name' },
    { key: 'strasse', name: 'STRASSE' },
  ]);
  const find = (name: string) => finder.find(name).map((column) => column.key);

  it('prefers the column with exactly this key', () => expect(find('name')).toEqual(['name']));
  it('ignores the letter case of keys and names', () =>
    expect([find('TPLNR'), find('bezeichnung')]).toEqual([['tplnr'], ['name']]));
  it('returns all candidates if the name is ambiguous', () => expect(find('NAME')).toEqual(['name', 'kurz']));
  it('returns nothing for an unknown name', () => expect(find('nope')).toEqual([]));
});
