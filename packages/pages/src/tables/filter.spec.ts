import { listOperators, toFilter, toRootFilter } from './filter.js';
import { formatRoute, parseRoute, type Route } from './routes.js';

describe('a filter', () => {
  it('requires all conditions, with lists and empty values', () => {
    const filter = toFilter([
      ['weight', 'gte', '100'],
      ['plant', 'in', 'AT10, AT20'],
      ['name', 'empty', ''],
      ['or', 'eq', '1'],
    ]);
    expect(filter).toEqual({
      and: [
        { weight: { gte: '100' } },
        { plant: { in: ['AT10', 'AT20'] } },
        { name: { null: true } },
        // In lower case the name of the column would combine conditions.
        { OR: { eq: '1' } },
      ],
    });
    expect(toFilter([])).toEqual({});
  });

  it('selects the rows without a parent', () => {
    expect(toRootFilter('parent', 'tplnr')).toEqual({ not: { or: [{ 'parent.tplnr': { null: false } }] } });
  });

  it('offers the operators of texts only for texts', () => {
    const names = (type: 'text' | 'number') => listOperators(type).map(({ name }) => name);
    expect(names('text')).toContain('contains');
    expect(names('number')).not.toContain('contains');
  });
});

describe('the address of a screen', () => {
  it('contains the whole state, with any characters of names and keys', () => {
    const route: Route = {
      workspaceId: '01a2',
      entity: 'assets',
      table: 'Pumps / 50 % #1?',
      view: 'hierarchy',
      sort: '-weight',
      search: 'feed & pump',
      asOf: '2026-12-01T08:00:00+01:00',
      conditions: [['name', 'eq', '"a"=1&b']],
      unresolved: true,
      row: 'ü/..',
    };
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });

  it('reads question marks of a search', () => {
    expect(parseRoute('#/01a2/assets/pumps?search=why?and=when?')).toMatchObject({ search: 'why?and=when?' });
    expect(parseRoute('#/01a2/assets/pumps')).toMatchObject({ table: 'pumps', search: undefined });
  });

  it('ignores what is not valid', () => {
    const route = parseRoute('#/01a2/pumps/%E0?view=other&filter=[1]');
    expect(route).toMatchObject({ workspaceId: '01a2', entity: undefined, table: '%E0', view: 'rows', conditions: [] });
  });
});
