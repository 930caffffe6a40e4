import { normalizeName } from '../../../tabular/src/normalization.js';
import type { CatalogTable } from './catalog-table.js';
import type { CatalogColumn } from './column-plan.js';
import type { ColumnType } from '../../../tabular/src/coercions.js';
import type { ColumnOptions } from './column-types.js';
import type { EntityKind } from './entity-kind.js';
import { findReferringTables } from './reference-targets.js';
import { wholeView } from './view.js';

const id = (digit: string) => `0190a6de-7c4e-7b1a-9c3f-${digit.repeat(12)}`;

function table(digit: string, entity: EntityKind, name: string, columns: CatalogColumn[] = []): CatalogTable {
  return {
    view: wholeView(id('0')),
    workspaceId: id('0'),
    id: id(digit),
    entity,
    name,
    nameKey: normalizeName(name),
    revision: 1,
    droppedOrdinal: 0,
    definitionId: name,
    hasTombstones: false,
    historySince: 0,
    options: {},
    indexes: [],
    changesSince: 0,
    columns,
  };
}

function column(key: string, type: ColumnType, target?: ColumnOptions['target']): CatalogColumn {
  const options = target ? { target } : {};
  return { key, ordinal: 1, name: key, type, primaryKey: false, required: false, description: null, options };
}

function findReferring(target: CatalogTable, ...tables: CatalogTable[]): Record<string, string[]> {
  const found = findReferringTables(target, [target, ...tables]);
  return Object.fromEntries(
    found.map(({ table: { name }, parents, references }) => [name, [...parents, ...references].map(({ key }) => key)]),
  );
}

const assets = (target?: ColumnOptions['target']) =>
  table('b', 'asset', 'Assets', [column('link', 'reference', target)]);

describe('findReferringTables', () => {
  const locations = table('a', 'location', 'Plants', [column('name', 'text'), column('parent', 'hierarchyParent')]);

  it('finds the hierarchyParent columns of the table itself, but not of other tables', () => {
    const others = table('c', 'location', 'Others', [column('parent', 'hierarchyParent')]);
    expect(findReferring(locations, others)).toEqual({ Plants: ['parent'] });
  });

  it.each<[string, ColumnOptions['target'], boolean]>([
    ['without a target', undefined, true],
    ['with its name as target', { entity: 'location', table: 'Plants' }, true],
    ['with its name in another letter case', { entity: 'location', table: ' PLANTS' }, true],
    ['with its ID', { entity: 'location', table: id('a') }, true],
    ['with its ID in uppercase', { entity: 'location', table: id('a').toUpperCase() }, true],
    ['with another name', { entity: 'location', table: 'Plant' }, false],
    ['with its name, but another entity', { entity: 'list', table: 'Plants' }, false],
    ['with its ID, but another entity', { entity: 'list', table: id('a') }, false],
  ])('detects whether a reference column %s refers to the table', (_, target, refers) => {
    expect(findReferring(locations, assets(target))).toEqual({
      Plants: ['parent'],
      ...(refers ? { Assets: ['link'] } : {}),
    });
  });

  it('a reference column without a target refers only to Locations tables', () => {
    expect(findReferring(table('a', 'list', 'Codes'), assets())).toEqual({});
  });

  it('prefers the table with the target as ID over a table with the target as name', () => {
    const named = table('a', 'location', id('d'));
    const target = { entity: 'location', table: id('d') } as const;
    expect(findReferring(named, assets(target), table('d', 'location', 'Meant'))).toEqual({});
    expect(findReferring(named, assets(target))).toEqual({ Assets: ['link'] });
  });

  it('finds reference columns of the table that refer to itself', () => {
    const own = table('a', 'asset', 'Own', [
      column('spare', 'reference', { entity: 'asset', table: 'own' }),
      column('other', 'reference', { entity: 'asset', table: 'other' }),
    ]);
    expect(findReferring(own)).toEqual({ Own: ['spare'] });
  });
});
