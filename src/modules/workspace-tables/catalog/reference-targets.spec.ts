import type { CatalogTable } from './catalog.repository.js';
import type { CatalogColumn } from './column-plan.js';
import type { ColumnOptions, ColumnType } from './column-types.js';
import { type EntityKind, normalizeName } from './entity-kind.js';
import { findReferringTables } from './reference-targets.js';

const id = (digit: string) => `0190a6de-7c4e-7b1a-9c3f-${digit.repeat(12)}`;

function table(digit: string, entity: EntityKind, name: string, columns: CatalogColumn[] = []): CatalogTable {
  return {
    workspaceId: id('0'),
    id: id(digit),
    entity,
    name,
    nameKey: normalizeName(name),
    revision: 1,
    droppedOrdinal: 0,
    layout: 2,
    hasTombstones: false,
    changesSince: 0,
    columns,
  };
}

function column(key: string, type: ColumnType, target?: ColumnOptions['target']): CatalogColumn {
  const options = target ? { target } : {};
  return { key, ordinal: 1, name: key, type, primaryKey: false, required: false, description: null, options };
}

function pointing(target: CatalogTable, ...tables: CatalogTable[]): Record<string, string[]> {
  const found = findReferringTables(target, [target, ...tables]);
  return Object.fromEntries(
    found.map(({ table: { name }, parents, references }) => [name, [...parents, ...references].map(({ key }) => key)]),
  );
}

const assets = (target?: ColumnOptions['target']) =>
  table('b', 'asset', 'Assets', [column('link', 'reference', target)]);

describe('what points at a table', () => {
  const places = table('a', 'location', 'Places', [column('name', 'text'), column('parent', 'hierarchyParent')]);

  it('are its own parents, and nobody else’s', () => {
    const others = table('c', 'location', 'Others', [column('parent', 'hierarchyParent')]);
    expect(pointing(places, others)).toEqual({ Places: ['parent'] });
  });

  it.each<[string, ColumnOptions['target'], boolean]>([
    ['no target', undefined, true],
    ['its name', { entity: 'location', table: 'Places' }, true],
    ['its name in another case', { entity: 'location', table: ' PLACES' }, true],
    ['its id', { entity: 'location', table: id('a') }, true],
    ['its id in capitals', { entity: 'location', table: id('a').toUpperCase() }, true],
    ['another name', { entity: 'location', table: 'Place' }, false],
    ['its name in another entity', { entity: 'list', table: 'Places' }, false],
    ['its id in another entity', { entity: 'list', table: id('a') }, false],
  ])('are references with %s', (_, target, points) => {
    expect(pointing(places, assets(target))).toEqual({ Places: ['parent'], ...(points ? { Assets: ['link'] } : {}) });
  });

  it('are no references without a target where it is no Locations table', () => {
    expect(pointing(table('a', 'list', 'Codes'), assets())).toEqual({});
  });

  it('are not those that name another table by its id, though the one is called so', () => {
    const named = table('a', 'location', id('d'));
    const target = { entity: 'location', table: id('d') } as const;
    expect(pointing(named, assets(target), table('d', 'location', 'Meant'))).toEqual({});
    expect(pointing(named, assets(target))).toEqual({ Assets: ['link'] });
  });

  it('are references of its own rows to one another', () => {
    const own = table('a', 'asset', 'Own', [
      column('spare', 'reference', { entity: 'asset', table: 'own' }),
      column('other', 'reference', { entity: 'asset', table: 'other' }),
    ]);
    expect(pointing(own)).toEqual({ Own: ['spare'] });
  });
});
