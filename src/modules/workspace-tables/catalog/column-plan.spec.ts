import { type ColumnDefinition, ColumnFinder, type CatalogColumn, planColumns } from './column-plan.js';

const plan = (sent: ColumnDefinition[], existing: CatalogColumn[] = [], max = 200) => planColumns(existing, sent, max);
const codes = (sent: ColumnDefinition[], existing: CatalogColumn[] = []) =>
  plan(sent, existing).errors.map((fault) => fault.code);
const standing = plan([
  { name: 'EQUNR', type: 'text', primaryKey: true },
  { name: 'Weight', type: 'number' },
]).columns;

describe('keys of columns', () => {
  it.each([
    ['TPLNR', 'tplnr'],
    ['Object Type', 'object_type'],
    ['Weight [kg]', 'weight_kg'],
    ['Größe', 'gro_e'],
    ['Höhe über NN', 'hohe_uber_nn'],
    ['***', 'column_1'],
    ['__proto__', 'proto'],
  ])('are made of the name %j: %s', (name, key) => {
    expect(plan([{ name, type: 'text' }]).columns[0]!.key).toBe(key);
  });

  it('are the explicit ones, in lower case', () => {
    expect(plan([{ key: 'EquNr', name: 'Equipment', type: 'text' }]).columns[0]!.key).toBe('equnr');
  });

  it.each(['with space', 'ünr', '', 'x'.repeat(64), '__proto__', 'constructor'])('cannot be %j', (key) => {
    expect(codes([{ key, name: 'Name', type: 'text' }])).toEqual(['invalid_column_key']);
  });

  it('cannot be made of a name that is too long', () => {
    expect(codes([{ name: 'x'.repeat(64), type: 'text' }])).toEqual(['invalid_column_key']);
  });

  it('cannot be the same twice', () => {
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

  it('is the first text column where none is marked', () => {
    const { columns } = plan([
      { name: 'Weight', type: 'number' },
      { name: 'Code', type: 'text' },
      { name: 'Name', type: 'text' },
    ]);
    expect(columns.filter((column) => column.primaryKey).map((column) => column.key)).toEqual(['code']);
  });

  it.each<[string, ColumnDefinition[]]>([
    ['no text column', [{ name: 'Weight', type: 'number' }]],
    [
      'two marked',
      [
        { name: 'A', type: 'text', primaryKey: true },
        { name: 'B', type: 'text', primaryKey: true },
      ],
    ],
    [
      'a marked number',
      [
        { name: 'A', type: 'text' },
        { name: 'B', type: 'number', primaryKey: true },
      ],
    ],
  ])('is refused with %s', (_, sent) => expect(codes(sent)).toEqual(['invalid_primary_key']));

  it('cannot be another one once the table exists', () => {
    expect(codes([{ name: 'New', type: 'text', primaryKey: true }], standing)).toEqual(['invalid_primary_key']);
  });
});

describe('columns of a table that exists', () => {
  it('are left alone where they are the same', () => {
    const again = plan([{ name: 'EQUNR', type: 'text', primaryKey: true }], standing);
    expect([again.added, again.ignored, again.errors]).toEqual([[], [], []]);
  });

  it('keep what an administrator made of them, and the difference is reported', () => {
    const renamed = standing.map((column) => (column.key === 'weight' ? { ...column, name: 'Mass' } : column));
    const { ignored, columns } = plan([{ name: 'Weight', type: 'number', required: true }], renamed);
    expect(ignored).toEqual([
      { key: 'weight', attribute: 'name', sent: 'Weight', kept: 'Mass' },
      { key: 'weight', attribute: 'required', sent: true, kept: false },
    ]);
    expect(columns).toEqual(renamed);
  });

  it('cannot change their type', () => {
    expect(codes([{ name: 'Weight', type: 'text' }], standing)).toEqual(['column_type_conflict']);
  });

  it('are joined by new ones, with the next ordinals', () => {
    const { added } = plan([{ name: 'Colour', type: 'text' }], standing);
    expect(added).toMatchObject([{ key: 'colour', ordinal: 3, primaryKey: false }]);
  });

  it('have no options but those of their type', () => {
    const target = { entity: 'list', table: 'Colours' } as const;
    const text = { name: 'Colour', type: 'text' } as const;
    expect(codes([{ ...text, options: { choices: ['red'], target, indexed: true } }], standing)).toEqual([
      'invalid_option',
      'invalid_option',
    ]);
    expect(codes([{ ...text, type: 'reference', options: { target } }], standing)).toEqual([]);
    expect(codes([{ ...text, type: 'tagStatus', options: { choices: ['red'] } }], standing)).toEqual([]);
    // What stands is left alone, and so are the options that are sent along with it.
    expect(codes([{ name: 'Weight', type: 'number', options: { choices: ['heavy'] } }], standing)).toEqual([]);
  });

  it('are 200 at most', () => {
    const many = Array.from({ length: 201 }, (_, position) => ({ name: `c${position}`, type: 'text' as const }));
    expect(codes(many)).toEqual(['too_many_columns']);
  });

  it('are needed when the table does not exist', () => {
    expect(codes([])).toEqual(['columns_required']);
  });
});

describe('what columns leave behind, and bring along', () => {
  const number = (name: string): ColumnDefinition => ({ name, type: 'number', options: { indexed: true } });

  it('is an ordinal that no other column gets', () => {
    const { added } = planColumns(standing, [{ name: 'Colour', type: 'text' }], 200, 7);
    expect(added).toMatchObject([{ ordinal: 8 }]);
    const { errors } = planColumns(standing, [{ name: 'Colour', type: 'text' }], 200, 1_500);
    expect(errors).toMatchObject([{ code: 'too_many_columns' }]);
  });

  it('are 10 indexes at most, and those of keys and links do not count', () => {
    const key: ColumnDefinition = { name: 'Key', type: 'text', primaryKey: true, options: { indexed: true } };
    const parent: ColumnDefinition = { name: 'Parent', type: 'hierarchyParent', options: { indexed: true } };
    const ten = Array.from({ length: 10 }, (_, position) => number(`n${position}`));
    expect(codes([key, parent, ...ten])).toEqual([]);
    expect(plan([key, parent, ...ten, number('n10')]).errors).toMatchObject([
      { column: 'n10', code: 'too_many_indexes' },
    ]);
  });
});

describe('finding a column', () => {
  const finder = new ColumnFinder([
    { key: 'tplnr', name: 'TPLNR' },
    { key: 'name', name: 'Bezeichnung' },
    { key: 'kurz', name: 'Name' },
    { key: 'strasse', name: 'STRASSE' },
  ]);
  const found = (name: string) => finder.find(name).map((column) => column.key);

  it('prefers the exact key', () => expect(found('name')).toEqual(['name']));
  it('ignores the case of keys and names', () =>
    expect([found('TPLNR'), found('bezeichnung')]).toEqual([['tplnr'], ['name']]));
  it('does not guess between two', () => expect(found('NAME')).toEqual(['name', 'kurz']));
  it('comes back empty otherwise', () => expect(found('nope')).toEqual([]));
});
