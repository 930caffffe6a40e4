import { LEGACY_ARRAYS, LEGACY_MAPPINGS, type LegacyArray } from './legacy-mapping.js';
import { findFieldName, LegacyRecordConverter } from './legacy-records.js';

const convert = (array: LegacyArray, ...records: unknown[]) =>
  new LegacyRecordConverter(LEGACY_MAPPINGS[array]).convert(records);

describe('legacy records', () => {
  it.each(LEGACY_ARRAYS)('of %s map each field to one column', (array) => {
    const { fields } = LEGACY_MAPPINGS[array];
    const record = Object.fromEntries(fields.map(({ field }) => [field, `of ${field}`]));
    const [item] = convert(array, record).items;
    expect(item).toEqual(Object.fromEntries(fields.map(({ field, key }) => [key, `of ${field}`])));
    expect(new Set(fields.map(({ key }) => key)).size).toBe(fields.length);
    // The converter sends a second spelling of a field as the upper-case key, which must differ from the key.
    for (const { key } of fields) expect(key).toBe(key.toLowerCase());
  });

  it('are replaced by later records with the same external ID, compared as row keys', () => {
    const composed = { codegrp: 'Ä', code: '1' };
    const { items, indexes, duplicates } = convert(
      'categories',
      composed,
      { codegrp: 'x' },
      { CODEGRP: ' A\u0308', code: '2' },
    );
    expect(items).toEqual([{ codegrp: ' A\u0308', code: '2' }, { codegrp: 'x' }]);
    expect(indexes).toEqual([2, 1]);
    expect(duplicates).toEqual({ total: 1, first: [{ key: 'Ä', records: 2, kept: 2 }] });
  });

  it('without an external ID, and values that are not objects, remain separate items', () => {
    const records = [{}, {}, null, 'x', [{}], { codegrp: '' }, { codegrp: {} }];
    const { items, indexes, duplicates } = convert('categories', ...records);
    expect(items).toHaveLength(records.length);
    expect(indexes).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(duplicates.total).toBe(0);
  });

  it('list 20 unmapped fields and count the values of all', () => {
    const unmapped = Array.from({ length: 12_000 }, (_, position) => ({
      codegrp: String(position),
      [`z${position}`]: 1,
    }));
    const { fieldsNotMapped, items } = convert('categories', ...unmapped);
    expect([fieldsNotMapped.total, fieldsNotMapped.first.length]).toEqual([12_000, 20]);
    expect(items[11_999]).toEqual({ codegrp: '11999' });
  });

  it.each([
    ['name', { pltxt: 'x' }, 'pltxt'],
    ['name', {}, 'PLTXT'],
    ['NAME', { PLTXT: 'x' }, 'PLTXT'],
    ['name', 'not an object', 'PLTXT'],
    ['cost_center', { KOSTL: 'x' }, undefined],
  ])('of column %s in %j: the field is named as the record spells it', (column, record, expected) => {
    expect(findFieldName(LEGACY_MAPPINGS.functionalLocations, column, record)).toBe(expected);
  });

  it.each([
    [{ PM_WKCTR: 'x', ARBPL: 'y' }, 'PM_WKCTR'],
    [{ pm_wkctr: ' ', arbpl: 'y' }, 'arbpl'],
    [{ ARBPL: '' }, 'PM_WKCTR'],
  ])('%j: the name of the external ID field is correct', (record, expected) => {
    expect(findFieldName(LEGACY_MAPPINGS.workCentres, 'pm_wkctr', record)).toBe(expected);
  });
});
