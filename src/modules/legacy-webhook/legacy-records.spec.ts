import { storedKey } from '../workspace-tables/bulk/bulk.service.js';
import { LEGACY_ARRAYS, LEGACY_MAPPINGS, type LegacyArray } from './legacy-mapping.js';
import { fieldOf, LegacyRecordReader } from './legacy-records.js';

const read = (array: LegacyArray, ...records: unknown[]) =>
  new LegacyRecordReader(LEGACY_MAPPINGS[array], storedKey).read(records);

describe('legacy records', () => {
  it.each(LEGACY_ARRAYS)('of %s have a column for each field, and each column one field', (array) => {
    const { fields } = LEGACY_MAPPINGS[array];
    const record = Object.fromEntries(fields.map(({ field }) => [field, `of ${field}`]));
    const [item] = read(array, record).items;
    expect(item).toEqual(Object.fromEntries(fields.map(({ field, key }) => [key, `of ${field}`])));
    expect(new Set(fields.map(({ key }) => key)).size).toBe(fields.length);
    // The folded column is how a second name for it is handed on to be refused.
    for (const { key } of fields) expect(key).toBe(key.toLowerCase());
  });

  it('keep the last of those with one external ID, compared as tables compare keys', () => {
    const composed = { codegrp: 'Ä', code: '1' };
    const { items, indexes, duplicates } = read(
      'categories',
      composed,
      { codegrp: 'x' },
      { CODEGRP: ' A\u0308', code: '2' },
    );
    expect(items).toEqual([{ codegrp: ' A\u0308', code: '2' }, { codegrp: 'x' }]);
    expect(indexes).toEqual([2, 1]);
    expect(duplicates).toEqual({ total: 1, first: [{ key: 'Ä', records: 2, kept: 2 }] });
  });

  it('without an external ID, or that are no records, stay apart and where they are', () => {
    const records = [{}, {}, null, 'x', [{}], { codegrp: '' }, { codegrp: {} }];
    const { items, indexes, duplicates } = read('categories', ...records);
    expect(items).toHaveLength(records.length);
    expect(indexes).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(duplicates.total).toBe(0);
  });

  it('name a bounded number of strange fields, and count the values of all', () => {
    const strange = Array.from({ length: 12_000 }, (_, position) => ({
      codegrp: String(position),
      [`z${position}`]: 1,
    }));
    const { fieldsNotMapped, items } = read('categories', ...strange);
    expect([fieldsNotMapped.total, fieldsNotMapped.first.length]).toEqual([12_000, 20]);
    expect(items[11_999]).toEqual({ codegrp: '11999' });
  });

  it.each([
    ['name', { pltxt: 'x' }, 'pltxt'],
    ['name', {}, 'PLTXT'],
    ['NAME', { PLTXT: 'x' }, 'PLTXT'],
    ['name', 'no record', 'PLTXT'],
    ['cost_center', { KOSTL: 'x' }, undefined],
  ])('tell of the column %s in %j as the caller writes it', (column, record, expected) => {
    expect(fieldOf(LEGACY_MAPPINGS.functionalLocations, column, record)).toBe(expected);
  });

  it.each([
    [{ PM_WKCTR: 'x', ARBPL: 'y' }, 'PM_WKCTR'],
    [{ pm_wkctr: ' ', arbpl: 'y' }, 'arbpl'],
    [{ ARBPL: '' }, 'PM_WKCTR'],
  ])('tell which field of %j was to be the external ID', (record, expected) => {
    expect(fieldOf(LEGACY_MAPPINGS.workCentres, 'pm_wkctr', record)).toBe(expected);
  });
});
