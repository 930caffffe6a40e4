import { type ColumnEdit, planEdit } from './column-edit.js';
import { planColumns } from '../../../../packages/tables/src/catalog/column-plan.js';

const { columns } = planColumns(
  [],
  [
    { name: 'Key', type: 'text' },
    { name: 'Name', type: 'text', description: 'Common name', options: { indexed: true } },
    { name: 'State', type: 'tagStatus', options: { choices: ['open'] } },
    { name: 'Weight', type: 'number' },
  ],
  200,
);
const plan = (...edits: ColumnEdit[]) => planEdit(columns, edits, 200, 0);
const changedBy = (edit: ColumnEdit) => plan(edit).changed[0];

describe('planEdit', () => {
  it.each<ColumnEdit>([
    { key: 'name' },
    { name: 'Name', type: 'text' },
    { key: 'NAME', options: { indexed: true, choices: null } },
    { key: 'key', primaryKey: true, type: 'text' },
    { key: 'state', options: { choices: ['open'] } },
  ])('plans no change for %j', (edit) => {
    expect(plan(edit)).toMatchObject({ changed: [], added: [], rules: [], errors: [], columns });
  });

  it('does not change omitted attributes, and removes attributes that are null', () => {
    expect(changedBy({ key: 'name', name: 'Title' })).toEqual({ ...columns[1], name: 'Title' });
    expect(changedBy({ key: 'name', description: null })).toMatchObject({ description: null, name: 'Name' });
    expect(changedBy({ key: 'state', options: { indexed: true } })).toMatchObject({
      options: { choices: ['open'], indexed: true },
    });
    // The options of a request body contain undefined for omitted properties.
    const options = { indexed: true, choices: undefined, target: undefined };
    expect(changedBy({ key: 'state', options })!.options).toEqual({ choices: ['open'], indexed: true });
    expect(changedBy({ key: 'state', options: { choices: null } })).toMatchObject({ options: {} });
  });

  it('rejects options of other column types', () => {
    const target = { entity: 'list', table: 'Colours' } as const;
    expect(plan({ key: 'weight', options: { choices: ['heavy'], target } }).errors).toEqual([
      {
        column: 'weight',
        code: 'invalid_option',
        message: 'The option "target" is only for reference columns; "weight" is a number column.',
      },
      {
        column: 'weight',
        code: 'invalid_option',
        message: 'The option "choices" is only for text and tagStatus columns; "weight" is a number column.',
      },
    ]);
    expect(plan({ name: 'New', type: 'text', options: { target } }).errors).toMatchObject([
      { column: 'new', code: 'invalid_option' },
    ]);
  });

  it('checks the rows only against new rules', () => {
    const listRules = (edit: ColumnEdit) => plan(edit).rules.map(({ rule, isNew }) => [rule, isNew]);
    expect(listRules({ key: 'weight', required: true })).toEqual([['required', false]]);
    expect(listRules({ key: 'key', required: true })).toEqual([]);
    expect(listRules({ key: 'state', options: { choices: ['done'], indexed: true } })).toEqual([
      ['choices', false],
      ['length', false],
    ]);
    expect(listRules({ key: 'weight', options: { indexed: true } })).toEqual([]);
    expect(listRules({ name: 'New', type: 'date', required: true })).toEqual([['required', true]]);
  });

  it('lists the columns that gain or lose an index', () => {
    expect(plan({ key: 'weight', options: { indexed: true } }).indexed).toMatchObject([{ key: 'weight' }]);
    expect(plan({ key: 'name', options: { indexed: true } }).indexed).toMatchObject([{ key: 'name' }]);
    expect(plan({ key: 'key', options: { indexed: true } }).indexed).toEqual([]);
    expect(plan({ key: 'name', options: { indexed: false } }).unindexed).toMatchObject([{ key: 'name' }]);
  });
});
