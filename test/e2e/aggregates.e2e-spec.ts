import fc from 'fast-check';
import { Client } from 'pg';
import type { Api, ApiResponse } from '../support/api.js';
import { cellOf } from '../support/filter-model.js';
import { SHORT_STATEMENTS, type SharedService, shareService } from '../support/shared-services.js';
import { column, type Item, keyAt, manyRows, Tables, text, unique } from '../support/tables.js';
import { until } from '../support/until.js';

let service: SharedService;
let tables: Tables;
let api: Api;

beforeAll(async () => {
  ({ service } = await shareService());
  tables = Tables.of(service, await service.provision());
  api = tables.api;
}, 60_000);

afterAll(() => {
  expect(service.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
});

interface Group {
  group: Item;
  measures: Item;
}

const pathOf = (table: string, rest = '') => `${tables.path}/assets/${encodeURIComponent(table)}/aggregate${rest}`;
const aggregate = (table: string, query: Record<string, string | undefined>) =>
  api.get(pathOf(table, `?${new URLSearchParams(query as Record<string, string>).toString()}`));
/** The groups as lists of values. */
const toLists = ({ body }: ApiResponse) =>
  (body.data.items as Group[]).map(({ group, measures }) => [...Object.values(group), ...Object.values(measures)]);

describe('an aggregate', () => {
  const name = unique('Grouped pumps');
  const sites = unique('Grouped sites');
  const other = unique('Grouped yards');

  beforeAll(async () => {
    const siteRows = [
      { key: 'S1', name: 'Cooling', parent: null },
      { key: 'S2', name: 'Heating', parent: 'S1' },
    ];
    const loads = [
      { name: sites, columns: [text('Key'), text('Name'), column('Parent', 'hierarchyParent')], items: siteRows },
      { name: other, columns: [text('Key'), text('Name')], items: [{ key: 'Y1', name: 'Yard' }] },
    ];
    expect((await tables.bulk('locations', loads)).status).toBe(201);
    const columns = [
      text('Key'),
      text('Plant'),
      text('Type'),
      column('Weight', 'number'),
      column('Installed', 'date'),
      column('Active', 'checkbox'),
      column('Site', 'reference', { options: { target: { entity: 'location', table: sites } } }),
      column('Area', 'reference'),
      text('Count'),
    ];
    const items = [
      {
        key: 'A',
        plant: '1000',
        type: 'pump',
        weight: 10,
        installed: '2024-12-30',
        active: true,
        site: 'S1',
        area: 'S1',
      },
      {
        key: 'B',
        plant: '1000',
        type: 'pump',
        weight: 2.5,
        installed: '2025-01-05',
        active: false,
        site: 'S2',
        area: 'Y1',
      },
      {
        key: 'C',
        plant: '1000',
        type: 'valve',
        weight: null,
        installed: '2025-01-06',
        active: null,
        site: 'S2',
        area: 'none',
      },
      {
        key: 'D',
        plant: '2000',
        type: 'pump',
        weight: 7,
        installed: '2025-03-31',
        active: true,
        site: 'none',
        area: null,
      },
      { key: 'E', plant: null, type: 'pump', weight: 1, installed: null, active: true, site: null, area: 'S2' },
    ];
    expect((await tables.bulk('assets', { name, columns, items })).status).toBe(201);
  });

  it.each<[string, Record<string, string>, unknown[]]>([
    ['all rows', {}, [[5]]],
    ['one column, empty values last', { group: 'plant' }, [['1000', 3], ['2000', 1], [null, 1]]],
    ['two columns', { group: 'PLANT,type' }, [['1000', 'pump', 2], ['1000', 'valve', 1], ['2000', 'pump', 1], [null, 'pump', 1]]],
    ['three columns', { group: 'type,plant,active', filter: '{"type":"valve"}' }, [['valve', '1000', null, 1]]],
    ['all measures', { group: 'type', measures: 'count,count(weight),countDistinct(plant),sum(weight),avg(weight),min(weight),max(installed)' }, [['pump', 4, 4, 2, 20.5, 5.125, 1, '2025-03-31'], ['valve', 1, 0, 1, null, null, null, '2025-01-06']]],
    ['days', { group: 'installed:day', filter: '{"plant":"2000"}' }, [['2025-03-31', 1]]],
    ['weeks, from Monday', { group: 'installed:week' }, [['2024-12-30', 2], ['2025-01-06', 1], ['2025-03-31', 1], [null, 1]]],
    ['months', { group: 'installed:month' }, [['2024-12-01', 1], ['2025-01-01', 2], ['2025-03-01', 1], [null, 1]]],
    ['quarters', { group: 'installed:quarter' }, [['2024-10-01', 1], ['2025-01-01', 3], [null, 1]]],
    ['years', { group: 'installed:year', sort: '-installed:year' }, [[null, 1], ['2025-01-01', 3], ['2024-01-01', 1]]],
    ['a column of a referenced row', { group: 'site.name' }, [['Cooling', 1], ['Heating', 2], [null, 2]]],
    ['a column two references away', { group: 'site.parent.name,site.name' }, [['Cooling', 'Heating', 2], [null, 'Cooling', 1], [null, null, 2]]],
    ['a reference without target', { group: 'area.name' }, [['Cooling', 1], ['Heating', 1], ['Yard', 1], [null, 2]]],
    ['a reference, and a column of its row', { group: 'site,site.name', having: '{"site":{"startsWith":"S"}}' }, [['S1', 'Cooling', 1], ['S2', 'Heating', 2]]],
    ['a measure of a referenced row', { group: 'plant', measures: 'countDistinct(site.name)', sort: '-countDistinct(site.name)' }, [['1000', 2], [null, 0], ['2000', 0]]],
    ['a filter through a reference', { group: 'type', filter: '{"site.name":{"ne":"Cooling"}}' }, [['pump', 3], ['valve', 1]]],
    ['rows below a row', { group: 'type', q: 'valve' }, [['valve', 1]]],
    ['groups that meet a condition', { group: 'plant', measures: 'count,sum(weight)', having: '{"or":[{"count":{"gte":3}},{"sum(weight)":7}]}' }, [['1000', 3, 12.5], ['2000', 1, 7]]],
    ['groups with a value', { group: 'plant', having: '{"plant":{"null":false},"not":{"count":1}}' }, [['1000', 3]]],
    ['a sort by a measure', { group: 'plant', measures: 'sum(weight)', sort: '-sum(weight),plant' }, [['1000', 12.5], ['2000', 7], [null, 1]]],
    ['a checkbox', { group: 'active' }, [[false, 1], [true, 3], [null, 1]]],
    ['no rows', { group: 'plant', filter: '{"key":"none"}' }, []],
    ['no rows without groups', { measures: 'count,sum(weight)', filter: '{"key":"none"}' }, [[0, null]]],
    ['a column with the key of a measure', { group: 'count', measures: 'count(key)' }, [[null, 5]]],
  ])('of %s returns its groups in order', async (_, query, expected) => {
    const response = await aggregate(name, query);
    expect([response.status, response.status === 200 ? toLists(response) : response.body]).toEqual([200, expected]);
    // As a body, with lists.
    const body = Object.entries(query).map(([key, value]) => {
      if (key === 'filter' || key === 'having') return [key, JSON.parse(value) as unknown];
      return [key, key === 'group' || key === 'measures' ? value.split(',') : value];
    });
    const posted = await api.post(pathOf(name, '/query'), Object.fromEntries(body));
    expect([posted.status, posted.body.data]).toEqual([200, response.body.data]);
  }); // prettier-ignore

  it('names its groups and measures by the keys of columns', async () => {
    const { body } = await aggregate(name, { group: 'PLANT,installed:month', measures: 'sum(WEIGHT)', limit: '1' });
    expect(body.data.items).toEqual([
      { group: { plant: '1000', 'installed:month': '2024-12-01' }, measures: { 'sum(weight)': 10 } },
    ]);
    expect(body.data.table).toMatchObject({ name, type: 'asset', revision: 1 });
  });

  it('accepts conditions in brackets', async () => {
    const response = await api.get(pathOf(name, '?group=plant&filter[type]=pump&having[count][gte]=2'));
    expect(toLists(response)).toEqual([['1000', 2]]);
  });

  it.each<[string, Record<string, string>, string, string, string]>([
    ['four columns', { group: 'plant,type,active,key' }, 'group', 'invalid_value', 'at most 3 terms; this has 4'],
    ['21 measures', { measures: manyRows(21, (at) => `sum(c${at})`).join() }, 'measures', 'invalid_value', 'at most 20'],
    ['an unknown column', { group: 'colour' }, 'group', 'unknown_column', 'no column "colour"'],
    ['a column twice', { group: 'plant,PLANT' }, 'group', 'invalid_value', 'contains "plant" twice'],
    ['no measure', { group: 'plant', measures: '' }, 'measures', 'invalid_value', 'is empty'],
    ['an unknown measure', { measures: 'median(weight)' }, 'measures', 'invalid_value', 'Allowed: count, countDistinct(column)'],
    ['a measure without column', { measures: 'sum' }, 'measures', 'invalid_value', 'sum(weight)'],
    ['the sum of texts', { measures: 'sum(plant)' }, 'measures', 'invalid_value', 'only for numbers'],
    ['the minimum of checkboxes', { measures: 'min(active)' }, 'measures', 'invalid_value', 'not for checkbox columns'],
    ['a unit of a text', { group: 'plant:month' }, 'group', 'invalid_value', 'Only dates'],
    ['an unknown unit', { group: 'installed:decade' }, 'group', 'invalid_value', 'day, week, month, quarter, year'],
    ['a sort by another column', { group: 'plant', sort: 'type' }, 'sort', 'unknown_column', 'Allowed: plant, count'],
    ['a condition on another column', { group: 'plant', having: '{"type":"pump"}' }, 'having[type]', 'unknown_column', 'type'],
    ['a condition on its digest', { group: 'plant', having: '{"(key)":"x"}' }, 'having[(key)]', 'unknown_column', '(key)'],
    ['51 conditions', { having: JSON.stringify({ or: manyRows(51, () => ({ count: 1 })) }) }, 'having', 'too_many_filters', '51'],
    ['the name of a measure twice', { group: 'count' }, 'measures', 'ambiguous_column', 'count(key)'],
    ['a path of 4 references', { group: 'site.parent.parent.parent.name' }, 'group', 'path_too_long', 'at most 3'],
    ['a statement', { group: "plant'; DROP TABLE x --" }, 'group', 'unknown_column', 'no column'],
    ['a statement as measure', { measures: "sum(weight)) FROM x; --" }, 'measures', 'invalid_value', 'not a measure'],
    ['a filter that is not valid', { filter: '{"weight":{"gte":"x"}}' }, 'filter[weight][gte]', 'invalid_value', 'not a number'],
  ])('is rejected with %s', async (_, query, field, code, message) => {
    const { status, body } = await aggregate(name, query);
    expect([status, body.details?.errors]).toEqual([
      400,
      [{ field, code, message: expect.stringContaining(message) as string }],
    ]);
  }); // prettier-ignore

  it.each(['limit=0', 'limit=x', 'having=x', 'having=[1]', 'fields=plant', 'group[a]=plant', 'cursor=x'])(
    'is rejected with the parameter %s',
    async (parameter) => expect((await api.get(pathOf(name, `?${parameter}`))).status).toBe(400),
  );
});

it('has a mean that a double cannot distinguish from zero', async () => {
  const name = unique('Smallest values');
  const items = [5e-324, 0, 0].map((value, at) => ({ key: keyAt(at), value }));
  await tables.bulk('assets', { name, columns: [text('Key'), column('Value', 'number')], items });
  const { status, body } = await aggregate(name, { measures: 'sum(value),avg(value)' });
  expect([status, body.data?.items[0].measures]).toEqual([200, { 'sum(value)': 5e-324, 'avg(value)': 0 }]);
});

it('sums decimals exactly', async () => {
  const name = unique('Decimals');
  const items = manyRows(1_000, (at) => ({ key: keyAt(at), value: at % 2 === 0 ? 945_055.1 : 0.7 }));
  expect((await tables.bulk('assets', { name, columns: [text('Key'), column('Value', 'number')], items })).status).toBe(
    201,
  );
  const answer = await aggregate(name, { measures: 'sum(value),avg(value)' });
  expect(toLists(answer)).toEqual([[472_527_900, 472_527.9]]);
});

describe('an aggregate of random rows', () => {
  const name = unique('Random groups');
  let rows: Item[];

  beforeAll(async () => {
    // Sums of much smaller and larger numbers depend on their order.
    const weight = cellOf('number').filter((each) => each === null || Number(each) < 1_000);
    const row = fc.record({ name: cellOf('text'), weight, installed: cellOf('date') });
    rows = fc.sample(row, 60).map((each, at): Item => ({ ...each, key: keyAt(at) }));
    const columns = [text('Key'), text('Name'), column('Weight', 'number'), column('Installed', 'date')];
    expect((await tables.bulk('assets', { name, columns, items: rows })).status).toBe(201);
  });

  it('has the groups and measures that are computed in memory, on pages of every size', async () => {
    const key = (...values: unknown[]) => JSON.stringify(values);
    const expected = new Map<string, Item[]>();
    for (const row of rows) {
      const year = row['installed'] === null ? null : `${String(row['installed']).slice(0, 4)}-01-01`;
      const group = key(row['name'], year);
      expected.set(group, [...(expected.get(group) ?? []), row]);
    }
    for (const [limit, sort] of [['1', 'name'], ['7', '-count'], ['13', 'sum(weight),-name'], ['1000', '-installed:year']] as const) {
      const query = { group: 'name,installed:year', measures: 'count,sum(weight),count(weight)', limit, sort };
      const found: Group[] = [];
      let cursor: string | null = null;
      do {
        const { body }: ApiResponse = await aggregate(name, cursor === null ? query : { ...query, cursor });
        found.push(...(body.data.items as Group[]));
        cursor = body.data.nextCursor as string | null;
      } while (cursor !== null);
      expect(found.map(({ group }) => key(group['name'], group['installed:year'])).toSorted()).toEqual([...expected.keys()].toSorted());
      for (const { group, measures } of found) {
        const weights = expected.get(key(group['name'], group['installed:year']))!.map(({ weight }) => weight);
        const numbers = weights.filter((weight) => typeof weight === 'number');
        expect([measures['count'], measures['count(weight)']]).toEqual([weights.length, numbers.length]);
        if (numbers.length === 0) expect(measures['sum(weight)']).toBeNull();
        else expect(measures['sum(weight)']).toBeCloseTo(numbers.reduce((sum, each) => sum + each, 0), 5);
      }
    }
  }); // prettier-ignore

  it('rejects the cursor of another aggregate', async () => {
    const { body } = await aggregate(name, { group: 'name', limit: '1' });
    const cursor = body.data.nextCursor as string;
    expect((await aggregate(name, { group: 'name', limit: '1', cursor })).status).toBe(200);
    for (const changed of [{ group: 'installed' }, { measures: 'count(weight)' }, { sort: '-name' }, { having: '{"count":1}' }, { filter: '{"weight":1}' }])
      expect((await aggregate(name, { group: 'name', limit: '1', ...changed, cursor })).body).toMatchObject({ error: 'invalid_cursor' });
  }); // prettier-ignore
});

it('ends a page at its largest number of bytes', async () => {
  const name = unique('Long groups');
  const items = manyRows(120, (at) => ({ key: keyAt(at), name: `${keyAt(at)}${'x'.repeat(99_000)}` }));
  const columns = [text('Key'), text('Name')];
  expect((await tables.bulk('assets', { name, columns, items })).status).toBe(201);
  const first = await aggregate(name, { group: 'name', limit: '500' });
  expect([first.status, first.body.data.items.length]).toEqual([200, 85]);
  const second = await aggregate(name, { group: 'name', limit: '500', cursor: first.body.data.nextCursor as string });
  expect([second.body.data.items.length, second.body.data.hasMore]).toEqual([35, false]);
});

it('is rejected beyond 10,000 groups, also if fewer meet its conditions', async () => {
  const name = unique('Many groups');
  const items = manyRows(10_001, (at) => ({ key: keyAt(at), code: keyAt(at), weight: at % 10 }));
  const columns = [text('Key'), text('Code'), column('Weight', 'number')];
  expect((await tables.bulk('assets', { name, columns, items })).status).toBe(201);
  for (const query of [
    { group: 'code' },
    { group: 'code', measures: 'countDistinct(weight)' },
    { group: 'key', having: '{"key":"K000001"}' },
    { group: 'key', sort: '-count' },
  ]) {
    const { status, body } = await aggregate(name, query);
    expect([status, body.error, body.message]).toEqual([
      400,
      'too_many_groups',
      'The aggregate has more than 10,000 groups. Group by fewer columns, or add a filter.',
    ]);
  }
  const filtered = await aggregate(name, { group: 'key', filter: '{"key":{"ne":"K000001"}}', limit: '1' });
  expect(toLists(filtered)).toEqual([['K000000', 1]]);
  // In the order of an index, a page reads only its own groups.
  const last = await aggregate(name, { group: 'key', sort: '-key', limit: '1' });
  expect(toLists(last)).toEqual([[keyAt(10_000), 1]]);
});

it('has the groups of an indexed column page by page in both directions, also that of rows without a value', async () => {
  const name = unique('Indexed groups');
  const columns = [
    text('Key'),
    column('Rank', 'number', { options: { indexed: true } }),
    column('Parent', 'hierarchyParent'),
  ];
  const ranks = [3, 1, null, 3, 2, null, 1, 3];
  const items = ranks.map((rank, at) => ({ key: keyAt(at), rank, parent: at > 4 ? keyAt(at % 2) : null }));
  expect((await tables.bulk('assets', { name, columns, items })).status).toBe(201);
  const walk = async (query: Record<string, string>) => {
    const found: unknown[] = [];
    let cursor: string | null = null;
    do {
      const answer: ApiResponse = await aggregate(name, cursor === null ? query : { ...query, cursor });
      found.push(...toLists(answer));
      cursor = answer.body.data.nextCursor as string | null;
    } while (cursor !== null);
    return found;
  };
  const byRank = [
    [1, 2],
    [2, 1],
    [3, 3],
    [null, 2],
  ];
  const byParent = [
    [keyAt(0), 1, 1],
    [keyAt(1), 2, 1],
    [null, 5, 3],
  ];
  for (const limit of ['1', '2', '3', '100']) {
    expect(await walk({ group: 'rank', limit })).toEqual(byRank);
    expect(await walk({ group: 'rank', sort: '-rank', limit })).toEqual(byRank.toReversed());
    const measures = 'count,countDistinct(rank)';
    expect(await walk({ group: 'parent', measures, limit })).toEqual(byParent);
    const distinct = byParent.map(([parent, , count]) => [parent, count]);
    expect(await walk({ group: 'parent', measures: 'countDistinct(rank)', limit })).toEqual(distinct);
  }
  expect(await walk({ measures: 'countDistinct(rank)' })).toEqual([[3]]);
  expect(await walk({ measures: 'countDistinct(rank)', filter: '{"key":"-"}' })).toEqual([[0]]);
});

it('reports what would help if an aggregate takes too long', async () => {
  const { service: own, database } = await shareService(SHORT_STATEMENTS);
  const locking = new Client({ connectionString: database.url });
  try {
    const mine = Tables.of(own, await own.provision());
    const columns = [text('Code'), text('Plant')];
    // A statement of a busy machine may take longer than the limit.
    await until(
      () => mine.bulk('assets', { name: 'Pumps', columns, items: [{ code: 'A', plant: '1' }] }),
      ({ status }) => status === 201 || status === 200,
    );
    await locking.connect();
    const { rows } = await locking.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
        WHERE schemaname = $1 AND tablename ~ '^t_'`,
      [`ws_${mine.workspaceId.replaceAll('-', '')}`],
    );
    await locking.query('BEGIN');
    await locking.query(`LOCK TABLE ${rows[0]!.name} IN ACCESS EXCLUSIVE MODE`);
    const read = (query: string) => mine.api.get(`${mine.path}/assets/Pumps/aggregate?${query}`);
    for (const [query, help] of [
      ['group=plant', 'Add a filter on a column with an index, or group by fewer columns.'],
      ['filter[plant]=1', 'Create an index over "plant", or group by fewer columns.'],
    ] as const) {
      const { status, body, headers } = await read(query);
      expect([status, body.error, body.message]).toEqual([
        503,
        'query_too_expensive',
        `The aggregate took longer than 1 seconds. ${help}`,
      ]);
      expect(headers.get('retry-after')).toBe('1');
    }
    await locking.query('ROLLBACK');
    const { body } = await until(
      () => read('group=plant'),
      ({ status }) => status === 200,
    );
    expect(body.data.items).toEqual([{ group: { plant: '1' }, measures: { count: 1 } }]);
  } finally {
    await locking.end();
  }
});
