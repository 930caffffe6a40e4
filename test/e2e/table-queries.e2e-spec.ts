import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { Api } from '../support/api.js';
import type { Database } from '../support/database.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { TableAdministration } from '../support/table-administration.js';
import { column, type Item, keyAt, manyRows, type Surface, Tables, text, unique } from '../support/tables.js';
import { until } from '../support/until.js';
import { PROPERTY_CASES } from '../support/property-cases.js';

let database: Database;
let service: SharedService;
let tables: Tables;
let api: Api;

beforeAll(async () => {
  ({ database, service } = await shareService());
  tables = Tables.of(service, await service.provision());
  api = tables.api;
}, 60_000);

afterAll(() => {
  expect(service.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
});

const keysOf = (items: Item[]) => items.map((item) => item['key']);
const pathOf = (surface: Surface, table: string, rest: string) =>
  `${tables.path}/${surface}/${encodeURIComponent(table)}/${rest}`;

describe('filters of a read', () => {
  const name = unique('Pumps');
  const ROWS: Item[] = [
    { key: 'A', name: 'Feed pump', weight: 180.5, active: true, installed: '2024-05-01', maker: 'Böhler' },
    { key: 'B', name: 'feed PUMP 2', weight: 20, active: false, installed: '2025-01-31', maker: 'ABB' },
    { key: 'C', name: '50% valve', weight: null, active: null, installed: null, maker: 'ÄBB' },
    { key: 'D', name: '', weight: -3, active: true, installed: '2025-02-01', maker: null },
    { key: 'E', name: 'x'.repeat(300) + 'end', weight: 20, active: false, installed: '2026-01-01', maker: 'a,b' },
  ];

  beforeAll(async () => {
    const columns = [
      text('Key'),
      text('Name'),
      column('Weight in kg', 'number', { key: 'weight' }),
      column('Active', 'checkbox'),
      column('Installed', 'date'),
      text('Maker'),
    ];
    expect((await tables.bulk('assets', { name, columns, items: ROWS })).status).toBe(201);
  });

  it.each<[string, object, string]>([
    ['filter[name]=Feed pump', { name: 'Feed pump' }, 'A'],
    ['filter[name][contains]=PUMP', { name: { contains: 'PUMP' } }, 'AB'],
    ['filter[maker][contains]=äb', { maker: { contains: 'äb' } }, 'C'],
    ['filter[name][contains]=%25', { name: { contains: '%' } }, 'C'],
    ['filter[name]=', { name: '' }, 'D'],
    [`filter[name]=${'x'.repeat(300)}end`, { name: 'x'.repeat(300) + 'end' }, 'E'],
    [`filter[name]=${'x'.repeat(300)}other`, { name: 'x'.repeat(300) + 'other' }, ''],
    [`filter[name][gt]=${'x'.repeat(300)}`, { name: { gt: 'x'.repeat(300) } }, 'ABE'.slice(2)],
    [`filter[name][lte]=${'x'.repeat(300)}end`, { name: { lte: 'x'.repeat(300) + 'end' } }, 'ABCDE'],
    ['filter[weight]=20', { weight: 20 }, 'BE'],
    ['filter[Weight in kg][gte]=20&filter[WEIGHT][lt]=100', { 'Weight in kg': { gte: '20' }, WEIGHT: { lt: 100 } }, 'BE'],
    ['filter[weight][lte]=-3', { weight: { lte: -3 } }, 'D'],
    ['filter[weight][ne]=20', { weight: { ne: 20 } }, 'ACD'],
    ['filter[weight]=', { weight: null }, 'C'],
    ['filter[weight][null]=false', { weight: { null: false } }, 'ABDE'],
    ['filter[weight][in]=20,-3,7', { weight: { in: [20, -3, 7] } }, 'BDE'],
    ['filter[weight][in]=', { weight: { in: [] } }, ''],
    ['filter[active]=X', { active: true }, 'AD'],
    ['filter[active][ne]=true', { active: { ne: 'yes' } }, 'BCE'],
    ['filter[installed][gte]=20250131&filter[installed][lt]=2026-01-01', { installed: { gte: '20250131', lt: '2026-01-01' } }, 'BD'],
    ['filter[key][in]=A,Z,B', { key: { in: ['A', 'Z', 'B'] } }, 'AB'],
    ['q=bb', { }, 'BC'],
    ['filter[name]={"contains":"valve"}', { name: { contains: 'valve' } }, 'C'],
  ])('returns the matching rows for a filter in the query string and in a body: %s', async (parameters, body, expected) => {
    const query = parameters.replace(/=([^&]*)/g, (_, value: string) => `=${value.includes('%') ? value : encodeURIComponent(value)}`);
    const read = await api.get(pathOf('assets', name, `items?${query}&count=exact`));
    expect({ status: read.status, keys: keysOf(read.body.data?.items ?? []), total: read.body.data?.total }).toEqual({ status: 200, keys: [...expected], total: expected.length });
    const sent = parameters.startsWith('q=') ? { q: parameters.slice(2) } : { filter: body };
    const queried = await api.post(pathOf('assets', name, 'items/query'), sent);
    expect({ status: queried.status, keys: keysOf(queried.body.data?.items ?? []) }).toEqual({ status: 200, keys: [...expected] });
  }); // prettier-ignore

  it('returns the matching rows for a filter as JSON in the query string, on all pages', async () => {
    const read = async (filter: unknown, more = '') =>
      (
        await api.get(
          pathOf('assets', name, `items?sort=key&filter=${encodeURIComponent(JSON.stringify(filter))}${more}`),
        )
      ).body.data;
    expect(keysOf((await read({ weight: { gte: 20, lt: 100 }, active: false })).items)).toEqual(['B', 'E']);
    expect(keysOf((await read({ key: { in: ['A', 'B', 'Z'] } })).items)).toEqual(['A', 'B']);
    expect(keysOf((await read({ weight: null })).items)).toEqual(['C']);
    const { items, nextCursor } = await read({ weight: 20 }, '&limit=1');
    expect([
      items.length,
      (await read({ weight: 20 }, `&limit=1&cursor=${encodeURIComponent(nextCursor)}`)).items.length,
    ]).toEqual([1, 1]);
  });

  it.each(['{"weight":', '[1]', 'weight', '{"weight":1}{"weight":2}'])(
    'rejects the filter %s, which is neither JSON of an object nor in brackets',
    async (filter) => {
      const { status, body } = await api.get(pathOf('assets', name, `items?filter=${encodeURIComponent(filter)}`));
      expect([status, body.details.errors]).toEqual([
        400,
        [
          {
            field: 'filter',
            code: 'invalid_field',
            message: expect.stringContaining('JSON object such as {"weight":{"gte":100}}'),
          },
        ],
      ]);
    },
  );

  it('accepts filter values with commas in a body', async () => {
    const { body } = await api.post(pathOf('assets', name, 'items/query'), { filter: { maker: { in: ['a,b', 'ABB'] } }, sort: '-key' });
    expect(keysOf(body.data.items)).toEqual(['E', 'B']);
  }); // prettier-ignore

  it('returns rows with an empty value if a filter list in a body contains null', async () => {
    const keysFor = async (filter: object) =>
      keysOf((await api.post(pathOf('assets', name, 'items/query'), { filter })).body.data.items);
    expect(await keysFor({ maker: { in: [null, 'ABB'] } })).toEqual(['B', 'D']);
    expect(await keysFor({ weight: { in: [20, null] } })).toEqual(['B', 'C', 'E']);
    expect(await keysFor({ active: { in: [null] } })).toEqual(['C']);
  });

  it('reads a field of a query body that is null as an absent one', async () => {
    const query = pathOf('assets', name, 'items/query');
    const { data } = (await api.post(query, {})).body;
    for (const field of ['limit', 'cursor', 'sort', 'q', 'under', 'depth', 'expand', 'fields', 'count', 'filter'])
      expect([field, (await api.post(query, { [field]: null })).body.data]).toEqual([field, data]);
  });

  it('returns an estimated total that is greater than the number of rows on the page', async () => {
    const many = unique('Many');
    const items = manyRows(50, (position) => ({ key: keyAt(position), name: 'Pump' }));
    expect((await tables.bulk('lists', { name: many, columns: [text('Key'), text('Name')], items })).status).toBe(201);
    const { data } = (await api.get(pathOf('lists', many, 'items?count=estimated&limit=40&filter[name]=Pump'))).body;
    expect([data.items.length, data.total > 40]).toEqual([40, true]);
  });

  it.each([
    ['filter[colour]', 'filter[colour]=red'],
    ['filter[weight][above]', 'filter[weight][above]=1'],
    ['filter[weight][eq]', 'filter[weight]=heavy'],
    ['filter[weight][eq]', 'filter[weight]=1&filter[weight]=2'],
    ['filter[weight][contains]', 'filter[weight][contains]=1'],
    ['filter[key][null]', 'filter[key][null]=maybe'],
    ['filter[name][contains]', 'filter[name][contains]=%00'],
    ['filter', 'filter=1'],
    ['filter.__proto__', 'filter[__proto__][x]=1'],
    ['q', 'q=%00'],
    ['under', 'under=A'],
    ['depth', 'depth=1'],
    ['depth', 'under=A&depth='],
    ['expand', 'expand=name'],
    ['expand', 'expand=colour'],
    ['filter[weight][lt][x]', 'filter[weight][lt][x]=1'],
  ])('returns 400 with the field %s for the query %s', async (field, query) => {
    const { status, body } = await api.get(pathOf('assets', name, `items?${query}`));
    expect({ status, field: body.details?.errors[0].field }).toEqual({ status: 400, field });
  });

  it('returns 400 for a cursor if the filters have changed', async () => {
    const { body } = await api.get(pathOf('assets', name, 'items?limit=1&filter[weight]=20'));
    const { nextCursor } = body.data as { nextCursor: string };
    const next = await api.get(pathOf('assets', name, `items?limit=1&filter[weight]=20&cursor=${nextCursor}`));
    expect(keysOf(next.body.data.items)).toEqual(['E']);
    expect(await api.get(pathOf('assets', name, `items?limit=1&filter[weight]=21&cursor=${nextCursor}`))).toMatchObject(
      {
        status: 400,
        body: { error: 'invalid_cursor' },
      },
    );
  });

  it('returns 304 for the ETag of a filtered read until a row changes', async () => {
    const path = pathOf('assets', name, 'items?filter[weight]=20');
    const first = await api.get(path);
    const etag = first.headers.get('etag')!;
    expect(await api.send(path, { headers: { 'If-None-Match': etag } })).toMatchObject({ status: 304 });
    expect((await tables.bulk('assets', { name, items: [{ key: 'A', weight: 180.5 }] })).status).toBe(200);
    expect(await api.send(path, { headers: { 'If-None-Match': etag } })).toMatchObject({ status: 304 });
    expect((await tables.bulk('assets', { name, items: [{ key: 'A', weight: 181 }] })).status).toBe(200);
    expect(await api.send(path, { headers: { 'If-None-Match': etag } })).toMatchObject({ status: 200 });
  });
});

describe('the hierarchy of a table', () => {
  const name = unique('Sites');
  const TREE: Record<string, string | null> = {
    A: null,
    'A-1': 'A',
    'A-2': 'A',
    'A-1-X': 'A-1',
    'A-1-X-1': 'A-1-X',
    B: null,
    'C-1': 'C',
  };

  beforeAll(async () => {
    const items = Object.entries(TREE).map(([key, parent]) => ({ key, parent, name: `Site ${key}` }));
    const columns = [text('Key'), text('Name'), column('Parent', 'hierarchyParent')];
    expect((await tables.bulk('locations', { name, columns, items })).status).toBe(201);
    await TableAdministration.for(tables).setTitle('locations', name);
  });

  const under = async (query: string) =>
    keysOf((await api.get(pathOf('locations', name, `items?${query}`))).body.data.items);

  it('returns the subtree of a row with under and depth', async () => {
    expect(await under('under=A')).toEqual(['A', 'A-1', 'A-1-X', 'A-1-X-1', 'A-2']);
    expect(await under('under=A&depth=0')).toEqual(['A']);
    expect(await under('under=A&depth=2&sort=-key')).toEqual(['A-2', 'A-1-X', 'A-1', 'A']);
    expect(await under('under=A-1&filter[name][contains]=x-1')).toEqual(['A-1-X-1']);
    expect(await under('under=Z')).toEqual([]);
    const { body } = await api.get(pathOf('locations', name, 'items?under=A&limit=2&count=exact'));
    expect(body.data).toMatchObject({ total: 5, hasMore: true });
    expect(await under(`under=A&limit=2&cursor=${body.data.nextCursor}`)).toEqual(['A-1-X', 'A-1-X-1']);
  });

  it('returns a subtree of 20,000 levels right after the upload, without table statistics', async () => {
    const deep = unique('Deep');
    const columns = [text('Key'), column('Parent', 'hierarchyParent')];
    const items = manyRows(20_000, (position) => ({
      key: keyAt(position),
      parent: position === 0 ? null : keyAt(position - 1),
    }));
    expect((await tables.bulk('locations', { name: deep, columns, items })).status).toBe(201);
    const { status, body } = await api.get(pathOf('locations', deep, `items?under=${keyAt(1)}&limit=5&count=exact`));
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ total: 19_999, items: items.slice(1, 6) });
    const path = await api.get(pathOf('locations', deep, `items/${keyAt(5_000)}/path`));
    expect(path.body.data).toMatchObject({ truncated: true, unresolvedParent: null });
    expect(keysOf(path.body.data.path)).toEqual(items.slice(4_001, 5_001).map(({ key }) => key));
  });

  it('returns the path from the root to a row, and an unresolved parent', async () => {
    const path = await api.get(pathOf('locations', name, 'items/A-1-X/path'));
    expect(path.body.data).toMatchObject({
      path: [
        { key: 'A', title: 'Site A' },
        { key: 'A-1', title: 'Site A-1' },
        { key: 'A-1-X', title: 'Site A-1-X' },
      ],
      unresolvedParent: null,
      truncated: false,
    });
    expect((await api.get(pathOf('locations', name, 'items/C-1/path'))).body.data).toMatchObject({
      path: [{ key: 'C-1', title: 'Site C-1' }],
      unresolvedParent: 'C',
    });
    expect((await api.get(pathOf('locations', name, 'items/Z/path'))).status).toBe(404);
  });

  it('returns the children of a row, also of a key that has no row', async () => {
    const children = async (key: string, query = '') =>
      keysOf((await api.get(pathOf('locations', name, `items/${key}/children?${query}`))).body.data.items);
    expect(await children('A')).toEqual(['A-1', 'A-2']);
    expect(await children('A', 'filter[name][contains]=2')).toEqual(['A-2']);
    expect(await children('A', 'filter[parent]=A&limit=1')).toEqual(['A-1']);
    expect(await children('A', 'filter[parent]=B')).toEqual([]);
    expect(await children('A', 'filter[parent][ne]=A')).toEqual([]);
    expect(await children('C')).toEqual(['C-1']);
    expect(await children('B')).toEqual([]);
  });

  it.each(['And', 'Or', 'Not'])('returns the children of a row by a column with the name %s', async (parent) => {
    const tree = unique('Tree');
    const columns = [text('Key'), column(parent, 'hierarchyParent')];
    const items = [{ key: 'A' }, { key: 'B', [parent.toLowerCase()]: 'A' }];
    expect((await tables.bulk('locations', { name: tree, columns, items })).status).toBe(201);
    const { status, body } = await api.get(pathOf('locations', tree, 'items/A/children'));
    expect([status, keysOf(body.data?.items ?? [])]).toEqual([200, ['B']]);
  });

  it('expands references to rows of a hierarchy, and lists unresolved references', async () => {
    const assets = unique('Assets');
    const columns = [
      text('Key'),
      column('Location', 'reference', { options: { target: { entity: 'location', table: name } } }),
      column('Any', 'reference'),
    ];
    const items = [
      { key: '1', location: 'A-1', any: 'B' },
      { key: '2', location: 'GONE', any: null },
    ];
    expect((await tables.bulk('assets', { name: assets, columns, items })).status).toBe(201);
    const { body } = await api.get(pathOf('assets', assets, 'items?expand=location,any&fields=key'));
    expect(body.data.items).toEqual([{ key: '1' }, { key: '2' }]);
    expect(body.data.expanded).toMatchObject({
      location: { 'A-1': { table: name, title: 'Site A-1' } },
      any: { B: { table: name, title: 'Site B' } },
    });
    expect(Object.keys(body.data.expanded.location)).toEqual(['A-1']);
    const unresolved = await api.get(pathOf('assets', assets, 'unresolved'));
    expect(unresolved.body.data.items).toEqual([{ key: '2', column: 'location', value: 'GONE' }]);
    expect((await api.get(pathOf('locations', name, 'unresolved?column=parent'))).body.data.items).toEqual([
      { key: 'C-1', column: 'parent', value: 'C' },
    ]);
  });

  it('expands rows whose keys are names of properties of every object', async () => {
    const keys = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf'];
    const [sites, pumps] = [unique('Sites'), unique('Pumps')];
    await tables.bulk('locations', { name: sites, columns: [text('Key'), text('Name')], items: [] });
    await TableAdministration.for(tables).setTitle('locations', sites);
    for (const key of keys) await api.put(pathOf('locations', sites, `items/${key}`), { name: `Site ${key}` });
    const options = { target: { entity: 'location', table: sites } };
    const columns = [text('Key'), column('Link', 'reference', { options })];
    const items = keys.map((key, at) => ({ key: String(at), link: key }));
    await tables.bulk('assets', { name: pumps, columns, items });
    const { expanded } = (await tables.read('assets', pumps, { expand: 'link' })).body.data;
    const titles = Object.entries<{ title: string }>(expanded.link).map(([key, { title }]) => [key, title]);
    expect(new Map(titles as [string, string][])).toEqual(new Map(keys.map((key) => [key, `Site ${key}`])));
  });

  it.each(['{"name":{}}', '{"name":{},"key":"A-1"}'])(
    'rejects the filter %s, which has no condition',
    async (filter) => {
      const answer = await tables.read('locations', name, { filter });
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_query' } });
      expect(answer.body.details.errors[0]).toMatchObject({ field: 'filter[name]', code: 'invalid_value' });
    },
  );

  it('lists unresolved references page by page', async () => {
    const table = unique('Links');
    const columns = [text('Key'), column('One', 'reference'), column('Two', 'reference')];
    const items = manyRows(7, (position) => ({
      key: keyAt(position),
      one: `X${position}`,
      two: position % 2 ? 'A' : 'Y',
    }));
    expect((await tables.bulk('assets', { name: table, columns, items })).status).toBe(201);
    const found: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await api.get(pathOf('assets', table, `unresolved?limit=2${cursor && `&cursor=${cursor}`}`));
      found.push(...(body.data.items as unknown[]));
      cursor = body.data.nextCursor as string | null;
    }
    const one = items.map(({ key, one: value }) => ({ key, column: 'one', value }));
    const two = items.filter(({ two: value }) => value === 'Y').map(({ key }) => ({ key, column: 'two', value: 'Y' }));
    expect(found).toEqual([...one, ...two]);
  });
});

const COPIES = `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'COPY%' AND state = 'active' AND datname = current_database()`;

/** U+0001 to U+001F, and U+007F. */
const EVERY_CONTROL = String.fromCharCode(...Array.from({ length: 31 }, (_, at) => at + 1), 127);

describe('the export of a table', () => {
  const name = unique('Export');
  const ROWS: Item[] = [
    { key: 'K1', text: '=HYPERLINK("x")', number: 1.5, check: true, date: '2026-01-31', ref: '+4' },
    { key: 'K2', text: 'a "quoted", text\nof two lines \\ \u2028', number: -3e-7, check: false, date: null, ref: null },
    { key: 'K3', text: '', number: 1.5e-300, check: null, date: '2026-01-31T10:00:00.000Z', ref: null },
    { key: 'K4', text: '\u0001\u0002 控制 😀', number: null, check: null, date: null, ref: null },
    { key: 'K5', text: '\\N', number: 2 ** 53 - 1, check: null, date: null, ref: null },
    { key: 'K6', text: `${EVERY_CONTROL}\\v\\\v\\"`, number: -0.1, check: null, date: null, ref: null },
    { key: 'K7', text: '\n=1+1', number: null, check: null, date: null, ref: '＝1' },
    { key: 'K8', text: '＋1', number: null, check: null, date: null, ref: '－1' },
    { key: 'K9', text: '＠SUM(1)', number: null, check: null, date: null, ref: 'ＡＢ' },
    { key: '@K', text: '\tx', number: 0, check: null, date: null, ref: null },
  ];
  const ORDERED = [ROWS.at(-1)!, ...ROWS.slice(0, -1)];

  beforeAll(async () => {
    const columns = [
      text('Key'),
      text('Text'),
      column('Number', 'number'),
      column('Check', 'checkbox'),
      column('Date', 'date'),
      column('Ref', 'reference'),
    ];
    expect((await tables.bulk('lists', { name, columns, items: ROWS })).status).toBe(201);
  });

  const exported = (accept: string, query = '') =>
    fetch(`${service.baseUrl}${pathOf('lists', name, `items${query}`)}`, {
      headers: { ...api.headers, Accept: accept },
    });

  it('exports all rows unchanged as NDJSON', async () => {
    const response = await exported('application/x-ndjson');
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(response.headers.get('etag')).toBe('"1"');
    const lines = (await response.text()).trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual(ORDERED);
  });

  it('returns the same streams at the path of the export, CSV by default, for a query without pages', async () => {
    const from = async (rest: string, accept: string) =>
      (
        await fetch(`${service.baseUrl}${pathOf('lists', name, rest)}`, { headers: { ...api.headers, Accept: accept } })
      ).text();
    const csv = await from('items?sort=-key', 'text/csv');
    expect(csv.split('\n').length).toBeGreaterThan(3);
    expect(await from('export?sort=-key', '*/*')).toBe(csv);
    expect(await from('export', 'application/x-ndjson')).toBe(await from('items', 'application/x-ndjson'));
    expect((await api.get(pathOf('lists', name, 'export?limit=2'))).status).toBe(400);
    expect((await api.get(pathOf('lists', name, 'export'), { Accept: 'application/json' })).status).toBe(406);
  });

  it('exports all rows as CSV and escapes formulas', async () => {
    const response = await exported('text/csv');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const rows: string[][] = parse(await response.text());
    const header = rows.shift();
    expect(header).toEqual(['key', 'text', 'number', 'check', 'date', 'ref']);
    expect(rows).toEqual([
      ["'@K", "'\tx", '0', '', '', ''],
      ['K1', '\'=HYPERLINK("x")', '1.5', 'true', '2026-01-31', "'+4"],
      ['K2', 'a "quoted", text\nof two lines \\ \u2028', '-3e-07', 'false', '', ''],
      ['K3', '', '1.5e-300', '', '2026-01-31T10:00:00.000Z', ''],
      ['K4', '\u0001\u0002 控制 😀', '', '', '', ''],
      ['K5', '\\N', '9.007199254740991e+15', '', '', ''],
      ['K6', `${EVERY_CONTROL}\\v\\\v\\"`, '-0.1', '', '', ''],
      ['K7', "'\n=1+1", '', '', '', "'＝1"],
      ['K8', "'＋1", '', '', '', "'－1"],
      ['K9', "'＠SUM(1)", '', '', '', 'ＡＢ'],
    ]);
  });

  const JSON_TYPE = 'application/json; charset=utf-8';
  const CSV_TYPE = 'text/csv; charset=utf-8';
  const LINES_TYPE = 'application/x-ndjson; charset=utf-8';

  it.each([
    ['text/csv; charset=utf-8', CSV_TYPE],
    ['TEXT/CSV;header=present', CSV_TYPE],
    ['application/x-ndjson; charset=utf-8', LINES_TYPE],
    ['text/csv;q=0.5, application/x-ndjson;charset=UTF-8;q=0.8', LINES_TYPE],
    ['application/json, text/csv', JSON_TYPE],
    ['application/json;q=0.1, text/csv', CSV_TYPE],
    ['application/json;q=0, */*', LINES_TYPE],
    ['text/*', CSV_TYPE],
    ['application/json;odata=verbose', JSON_TYPE],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['', JSON_TYPE],
  ])('returns a page or an export for the Accept header %j: %s', async (accept, type) => {
    const response = await exported(accept);
    await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
  });

  it.each(['application/xml', 'application/pdf, text/html', 'text/csv;q=0'])(
    'returns 406 for the unsupported Accept header %j',
    async (accept) => {
      const answer = await api.get(pathOf('lists', name, 'items'), { Accept: accept });
      expect(answer).toMatchObject({ status: 406, body: { status: 406, error: 'not_acceptable' } });
      for (const type of ['application/json', 'application/x-ndjson', 'text/csv'])
        expect(answer.body.message).toContain(type);
    },
  );

  it('exports with filter, sort and fields in the query string or in a body', async () => {
    const response = await exported('application/x-ndjson', `?filter[text][contains]=o'&sort=-number&fields=number`);
    expect(await response.text()).toBe('');
    const some = await exported('application/x-ndjson', '?filter[number][gte]=0&sort=-number&fields=number');
    expect(await some.text()).toBe(
      '{"key":"K5","number":9.007199254740991e+15}\n{"key":"K1","number":1.5}\n{"key":"K3","number":1.5e-300}\n{"key":"@K","number":0}\n',
    );
    const body = JSON.stringify({
      filter: { text: { in: ['=HYPERLINK("x")', "'; DROP TABLE users --", '\\'] } },
      fields: 'key',
    });
    const queried = await fetch(`${service.baseUrl}${pathOf('lists', name, 'items/query')}`, {
      method: 'POST',
      headers: { ...api.headers, Accept: 'text/csv', 'Content-Type': 'application/json' },
      body,
    });
    expect(await queried.text()).toBe('key\nK1\n');
  });

  it.each(['limit=5', 'cursor=x', 'count=exact', 'expand=ref'])(
    'returns 400 for an export with the paging parameter %s',
    async (query) => {
      const response = await exported('text/csv', `?${query}`);
      const { details } = (await response.json()) as { details: { errors: { field: string }[] } };
      expect({ status: response.status, field: details.errors[0]!.field }).toEqual({
        status: 400,
        field: query.split('=')[0],
      });
    },
  );

  it('exports one snapshot, and stops when the client disconnects', async () => {
    const big = unique('Big');
    const filler = 'x'.repeat(2_000);
    for (let batch = 0; batch < 4; batch++) {
      const items = manyRows(5_000, (position) => ({ key: keyAt(batch * 5_000 + position), text: filler }));
      const columns = [text('Key'), text('Text')];
      expect((await tables.bulk('lists', { name: big, columns, items })).status).toBeLessThan(300);
    }
    const url = `${service.baseUrl}${pathOf('lists', big, 'items')}`;
    const headers = { ...api.headers, Accept: 'application/x-ndjson' };
    const response = await fetch(url, { headers });
    // The export has 40 MB, more than all buffers between service and client.
    expect((await tables.bulk('lists', { name: big, items: [{ key: keyAt(19_999), text: 'changed' }] })).status).toBe(
      200,
    );
    const lines = (await response.text()).trimEnd().split('\n');
    expect(lines).toHaveLength(20_000);
    expect(JSON.parse(lines.at(-1)!)).toEqual({ key: keyAt(19_999), text: filler });
    // At most four exports run at once; each aborted request must free its slot.
    for (let time = 0; time < 12; time++) {
      const aborting = new AbortController();
      const aborted = await fetch(url, { headers, signal: aborting.signal });
      expect(aborted.status).toBe(200);
      await aborted.body!.getReader().read();
      aborting.abort();
      await until(async () => (await database.query(COPIES)).length === 0);
    }
  }, 60_000);
});

it('returns the rows that a scan in memory finds, for random filters', async () => {
  const name = unique('Random');
  const words = ['', 'a', 'A', 'b', 'ba', 'ä', 'Z', 'zz', '%', '_'];
  const numbers = [null, -1, 0, 1, 2.5];
  const rows: Item[] = manyRows(60, (position) => ({
    key: keyAt(position),
    text: position % 11 === 0 ? null : words[position % 10]!,
    number: numbers[position % 5]!,
  }));
  expect((await tables.bulk('assets', { name, columns: [text('Key'), text('Text'), column('Number', 'number')], items: rows })).status).toBe(201);
  const bytes = (value: Item[string]) => (typeof value === 'string' ? Buffer.from(value).toString('latin1') : value);
  const matches: Record<string, (value: Item[string], sent: Item[string]) => boolean> = {
    eq: (value, sent) => value === sent,
    ne: (value, sent) => value !== sent,
    lt: (value, sent) => value !== null && bytes(value)! < bytes(sent)!,
    gte: (value, sent) => value !== null && bytes(value)! >= bytes(sent)!,
  };
  const term = fc.oneof(
    fc.record({ column: fc.constant('text'), operator: fc.constantFrom('eq', 'ne', 'lt', 'gte'), value: fc.constantFrom(...words) }),
    fc.record({ column: fc.constant('number'), operator: fc.constantFrom('eq', 'ne', 'lt', 'gte'), value: fc.constantFrom(-1, 0, 1, 2.5) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(term, { maxLength: 3 }), fc.constantFrom('key', '-number', 'text,-number'), async (terms, sort) => {
      const filter: Record<string, Record<string, unknown>> = {};
      for (const { column: of, operator, value } of terms) filter[of] = { ...filter[of], [operator]: value };
      const conditions = Object.entries(filter).flatMap(([of, all]) => Object.entries(all).map(([operator, value]) => ({ of, operator, value })));
      const { body } = await api.post(pathOf('assets', name, 'items/query'), { filter, sort });
      const expected = rows.filter((row) => conditions.every(({ of, operator, value }) => matches[operator]!(row[of] ?? null, value as Item[string])));
      expect(new Set(keysOf(body.data.items))).toEqual(new Set(keysOf(expected)));
    }),
    { numRuns: PROPERTY_CASES },
  );
}); // prettier-ignore
