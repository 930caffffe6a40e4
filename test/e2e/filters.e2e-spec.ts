import fc from 'fast-check';
import { AtriumClient, type Filter as ClientFilter } from '@atrium/client';
import { parseConditions } from '../../clients/cli/src/conditions.js';
import { toFilter } from '../../packages/pages/src/tables/filter.js';
import type { Api, ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import {
  CASELESS,
  cellOf,
  type Filter,
  filterTrees,
  flatFilters,
  type ModelTable,
  RUNS_TIMEOUT_MS,
  runsOf,
  selectKeys,
  toBrackets,
} from '../support/filter-model.js';
import { lines, NDJSON, sendFile } from '../support/imports.js';
import { ODataFeed } from '../support/odata.js';
import { toLiteral, toODataFilter } from '../support/odata-filter.js';
import { until } from '../support/until.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { column, type Item, manyRows, type Surface, Tables, text, unique } from '../support/tables.js';

let service: SharedService;
let tables: Tables;
let api: Api;
let credentials: Credentials;

beforeAll(async () => {
  ({ service } = await shareService());
  credentials = await service.provision();
  tables = Tables.of(service, credentials);
  api = tables.api;
}, 60_000);

afterAll(() => {
  expect(service.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
});

const pathOf = (surface: Surface, table: string, rest: string) =>
  `${tables.path}/${surface}/${encodeURIComponent(table)}/${rest}`;

const KEYS = ['K1', 'K2', 'k1', 'É1', "K'1", 'K%', 'K_'];

/** Random rows with the keys. */
function fill(table: ModelTable, keys: readonly string[]): void {
  const kinds = Object.entries(table.columns).filter(([key]) => key !== 'key');
  const row = fc.record(Object.fromEntries(kinds.map(([key, kind]) => [key, cellOf(kind)])));
  table.rows = fc.sample(row, keys.length).map((each, at): Item => ({ ...each, key: keys[at]! }));
}

describe('a random filter', () => {
  const name = unique('Random pumps');
  const sites: ModelTable = {
    columns: { key: 'key', name: 'text', rank: 'number', next: 'key', parent: 'key' },
    rows: [],
    references: {},
  };
  Object.assign(sites.references, { next: [sites], parent: [sites] });
  const yards: ModelTable = { columns: { key: 'key', name: 'text', opened: 'date' }, rows: [], references: {} };
  const lots: ModelTable = { columns: { key: 'key', extent: 'number' }, rows: [], references: {} };
  const pumps: ModelTable = {
    columns: {
      key: 'key',
      name: 'text',
      maker: 'text',
      weight: 'number',
      installed: 'date',
      checked: 'instant',
      active: 'checkbox',
      site: 'key',
      area: 'key',
    },
    rows: [],
    // A reference without target may name rows of all Locations tables, which have some keys in common.
    references: { site: [sites], area: [sites, yards, lots] },
  };

  beforeAll(async () => {
    fill(sites, ['K1', 'k1', "K'1", 'K%']);
    // `next` has cycles, which the service rejects in a hierarchy.
    sites.rows.forEach((row, at) => (row['parent'] = sites.rows[at - 1]?.['key'] ?? null));
    fill(yards, ['K1', 'k1', 'K2', 'K_']);
    fill(lots, ['K1', 'K2', 'É1']);
    fill(pumps, [...KEYS, ...manyRows(33, (at) => `R${at}`)]);
    const siteName = unique('Random sites');
    const target = { entity: 'location', table: siteName };
    const siteColumns = [
      text('Key'),
      text('Name'),
      column('Rank', 'number'),
      column('Next', 'reference', { options: { target } }),
      column('Parent', 'hierarchyParent'),
    ];
    const loads = [
      { name: siteName, columns: siteColumns, items: sites.rows },
      {
        name: unique('Random yards'),
        columns: [text('Key'), text('Name'), column('Opened', 'date')],
        items: yards.rows,
      },
      { name: unique('Random lots'), columns: [text('Key'), column('Extent', 'number')], items: lots.rows },
    ];
    expect((await tables.bulk('locations', loads)).status).toBe(201);
    const columns = [
      text('Key'),
      text('Name'),
      text('Maker', { options: { indexed: true } }),
      column('Weight', 'number'),
      column('Installed', 'date'),
      column('Checked', 'date'),
      column('Active', 'checkbox'),
      column('Site', 'reference', { options: { target } }),
      column('Area', 'reference'),
    ];
    expect((await tables.bulk('assets', { name, columns, items: pumps.rows })).status).toBe(201);
  });

  const select = async (request: Promise<ApiResponse>) => {
    const { status, body } = await request;
    return status === 200 ? (body.data.items as Item[]).map(({ key }) => key) : { status, body };
  };
  const selectByBody = (filter: Filter) =>
    select(api.post(pathOf('assets', name, 'items/query'), { filter, limit: 100 }));
  const selectByUrl = (parameters: string) => select(api.get(pathOf('assets', name, `items?limit=100&${parameters}`)));

  it(
    'as JSON selects the rows for which an evaluator in memory finds it true',
    async () => {
      await fc.assert(
        fc.asyncProperty(filterTrees(pumps), async (filter) => {
          const expected = selectKeys(pumps, filter);
          expect(await selectByBody(filter)).toEqual(expected);
          expect(await selectByUrl(`filter=${encodeURIComponent(JSON.stringify(filter))}`)).toEqual(expected);
        }),
        { numRuns: runsOf(200) },
      );
    },
    RUNS_TIMEOUT_MS,
  );

  it(
    'in brackets selects the rows for which an evaluator in memory finds it true',
    async () => {
      await fc.assert(
        fc.asyncProperty(flatFilters(pumps), async (filter) => {
          expect(await selectByUrl(toBrackets(filter))).toEqual(selectKeys(pumps, filter));
        }),
        { numRuns: runsOf(100) },
      );
    },
    RUNS_TIMEOUT_MS,
  );
});

describe('a reference without target', () => {
  const name = unique('Shared pumps');

  beforeAll(async () => {
    const named = [text('Key'), text('Shared name')];
    const loads = [
      { name: unique('Shared sites'), columns: named, items: [{ key: 'SHARED', shared_name: 'foo' }] },
      {
        name: unique('Shared yards'),
        columns: named,
        items: [
          { key: 'SHARED', shared_name: 'bar' },
          { key: 'SHARED2', shared_name: 'foo' },
        ],
      },
      { name: unique('Shared lots'), columns: [text('Key')], items: [{ key: 'SHARED2' }, { key: 'SHARED3' }] },
    ];
    expect((await tables.bulk('locations', loads)).status).toBe(201);
    const items = [
      { key: 'both', area: 'SHARED' },
      { key: 'empty', area: 'SHARED3' },
      { key: 'foo or empty', area: 'SHARED2' },
      { key: 'no row', area: 'GONE' },
      { key: 'none', area: null },
    ];
    const columns = [text('Key'), column('Area', 'reference')];
    expect((await tables.bulk('assets', { name, columns, items })).status).toBe(201);
  });

  // A row meets a condition if one of the rows of its reference does, or if it has none and empty values do.
  it.each<[Filter, string[]]>([
    [{ in: ['foo'] }, ['both', 'foo or empty']],
    [{ in: ['foo', null] }, ['both', 'empty', 'foo or empty', 'no row', 'none']],
    [{ ne: 'foo' }, ['both', 'empty', 'foo or empty', 'no row', 'none']],
    [{ ne: 'other' }, ['both', 'empty', 'foo or empty', 'no row', 'none']],
    [{ notIn: ['foo', 'bar'] }, ['empty', 'foo or empty', 'no row', 'none']],
    [{ null: true }, ['empty', 'foo or empty', 'no row', 'none']],
    [{ null: false }, ['both', 'foo or empty']],
    [{ ne: 'foo', startsWith: 'b' }, ['both']],
    [{ ne: 'foo', eq: 'foo' }, []],
  ])('selects by %j the rows of which one of the meant rows meets it', async (condition, keys) => {
    const read = async (filter: Filter) =>
      (await api.post(pathOf('assets', name, 'items/query'), { filter })).body.data.items.map(({ key }: Item) => key);
    expect(await read({ 'area.shared_name': condition })).toEqual(keys);
    const others = ['both', 'empty', 'foo or empty', 'no row', 'none'].filter((key) => !keys.includes(key));
    expect(await read({ not: { 'area.shared_name': condition } })).toEqual(others);
    expect(await read({ or: [{ 'area.shared_name': condition }, { key: '-' }] })).toEqual(keys);
  });
});

describe('a condition in each of its forms', () => {
  const name = 'Forms';
  const target = { entity: 'list', table: name };
  /** Values of each type. The row E has the empty text, which is a text, false, or an empty value. */
  const TYPES: [column: string, value: string | number | boolean, other: string | number | boolean, empty: unknown][] =
    [
      ['text', '1000', '2000', ''],
      ['tag', '1000', '2000', ''],
      ['number', 5, 7, null],
      ['date', '2024-01-31', '2024-02-29', null],
      ['checkbox', true, false, false],
      ['reference', 'V', 'O', null],
      ['parent', 'V', 'O', null],
    ];
  let client: AtriumClient;
  let feed: ODataFeed;

  beforeAll(async () => {
    const { apiKey, workspaceId } = credentials;
    client = new AtriumClient({ baseUrl: service.baseUrl, apiKey, workspaceId });
    feed = new ODataFeed(service, { apiKey, workspaceId });
    const columns = [
      text('Key'),
      text('Text'),
      column('Tag', 'tagStatus'),
      column('Number', 'number'),
      column('Date', 'date'),
      column('Checkbox', 'checkbox'),
      column('Reference', 'reference', { options: { target } }),
      column('Parent', 'hierarchyParent'),
    ];
    const rowOf = (key: string, find: (type: (typeof TYPES)[number]) => unknown): Item =>
      Object.fromEntries([['key', key], ...TYPES.map((type) => [type[0], find(type)])]) as Item;
    const items = [
      rowOf('V', ([key, value]) => (key === 'parent' ? null : value)),
      rowOf('O', ([, , other]) => other),
      rowOf('E', () => ''),
      rowOf('N', () => null),
      { key: 'P', parent: 'V' },
    ];
    // No row is its own parent.
    items[1]!['parent'] = 'P';
    expect((await tables.bulk('lists', { name, columns, items })).status).toBe(201);
  });

  const selectByFilter = async (filter: object) => {
    const { status, body } = await api.post(pathOf('lists', name, 'items/query'), { filter });
    return status === 200 ? keysOf(body.data.items) : status;
  };
  const selectByUrl = async (parameters: string) =>
    keysOf((await api.get(pathOf('lists', name, `items?${parameters}`))).body.data.items);
  const selectByClient = async (filter: ClientFilter) => {
    const keys: unknown[] = [];
    for await (const row of client.lists(name).rows({ filter })) keys.push(row['key']);
    return keys.join('');
  };
  const selectByFeed = async (filter: string) => {
    const { status, body } = await feed.get(`/lists_${name}`, { $filter: filter });
    return status === 200 ? keysOf(body.value as Item[]) : status;
  };
  const keysOf = (items: Item[]) => items.map(({ key }) => key).join('');

  it.each(TYPES)('on a column %s selects the same rows', async (key, value, _, empty) => {
    const all = (await api.get(pathOf('lists', name, 'items'))).body.data.items as Item[];
    const select = (meets: (cell: Item[string]) => boolean) => keysOf(all.filter((row) => meets(row[key] ?? null)));
    expect(all.find((row) => row['key'] === 'E')![key]).toBe(empty);
    const byText = {
      'commandLine =': parseConditions([`${key}=${value}`]),
      'browser eq': toFilter([[key, 'eq', String(value)]]),
      JSON: { [key]: { eq: value } },
      short: { [key]: value },
    };
    for (const [form, filter] of Object.entries(byText))
      expect([form, await selectByFilter(filter)]).toEqual([form, select((cell) => cell === value)]);
    const differs = {
      'commandLine !=': parseConditions([`${key}!=${value}`]),
      'browser ne': toFilter([[key, 'ne', String(value)]]),
      JSON: { [key]: { ne: value } },
    };
    for (const [form, filter] of Object.entries(differs))
      expect([form, await selectByFilter(filter)]).toEqual([form, select((cell) => cell !== value)]);
    const literal = toLiteral(value);
    expect([
      await selectByUrl(`filter[${key}]=${value}`),
      await selectByUrl(`filter[${key}][ne]=${value}`),
      await selectByClient({ [key]: value }),
      await selectByClient({ [key]: { ne: value } }),
      await selectByFeed(`${key} eq ${literal}`),
      await selectByFeed(`${key} ne ${literal}`),
    ]).toEqual(
      Array.from({ length: 3 }, () => [select((cell) => cell === value), select((cell) => cell !== value)]).flat(),
    );
    const none = {
      'commandLine =': await selectByFilter(parseConditions([`${key}=`])),
      'browser eq': await selectByFilter(toFilter([[key, 'eq', '']])),
      'browser empty': await selectByFilter(toFilter([[key, 'empty', '']])),
      JSON: await selectByFilter({ [key]: null }),
      brackets: await selectByUrl(`filter[${key}][null]=true`),
      client: await selectByClient({ [key]: null }),
      OData: await selectByFeed(`${key} eq null`),
    };
    const some = {
      'commandLine !=': await selectByFilter(parseConditions([`${key}!=`])),
      'browser ne': await selectByFilter(toFilter([[key, 'ne', '']])),
      'browser notEmpty': await selectByFilter(toFilter([[key, 'notEmpty', '']])),
      JSON: await selectByFilter({ [key]: { ne: null } }),
      brackets: await selectByUrl(`filter[${key}][null]=false`),
      client: await selectByClient({ [key]: { ne: null } }),
      OData: await selectByFeed(`${key} ne null`),
    };
    const expectAll = (forms: object, keys: string) => {
      expect(forms).toEqual(Object.fromEntries(Object.keys(forms).map((form) => [form, keys])));
    };
    expectAll(
      none,
      select((cell) => cell === null),
    );
    expectAll(
      some,
      select((cell) => cell !== null),
    );
    const listed = {
      browser: await selectByFilter(toFilter([[key, 'in', `${value},`]])),
      brackets: await selectByUrl(`filter[${key}][in]=${value},`),
      JSON: await selectByFilter({ [key]: { in: [value] } }),
      client: await selectByClient({ [key]: { in: [value] } }),
      OData: await selectByFeed(`${key} in (${literal})`),
    };
    expectAll(
      listed,
      select((cell) => cell === value),
    );
    const others = {
      browser: await selectByFilter(toFilter([[key, 'notIn', `, ${value}`]])),
      brackets: await selectByUrl(`filter[${key}][notIn]=,${value}`),
      JSON: await selectByFilter({ [key]: { notIn: [value] } }),
      client: await selectByClient({ [key]: { notIn: [value] } }),
      OData: await selectByFeed(`not (${key} in (${literal}))`),
    };
    expectAll(
      others,
      select((cell) => cell !== value),
    );
    // An empty text is what it is in rows.
    const emptyText = {
      brackets: await selectByUrl(`filter[${key}]=`),
      JSON: await selectByFilter({ [key]: '' }),
      client: await selectByClient({ [key]: '' }),
    };
    expectAll(
      emptyText,
      select((cell) => cell === empty),
    );
  });

  const SYMBOLS: Record<string, string> = {
    eq: '=',
    ne: '!=',
    lt: '<',
    lte: '<=',
    gt: '>',
    gte: '>=',
    contains: '~',
    startsWith: '^=',
    endsWith: '$=',
  };

  /** Further values of each kind of column; that of no row among them. */
  const VALUES: Record<string, Exclude<Item[string], null>[]> = {
    text: ['1000', '2000', '10', "it's", 'É%_', '0x10', '"', 'none'],
    tag: ['1000', '2000', '00', 'true', '5'],
    number: [5, 7, 0, -0.5, 6.5, 1e21, 0.1],
    date: ['2024-01-31', '2024-02-29', '2024-02-01', '9999-12-31'],
    checkbox: [true, false],
    reference: ['V', 'O', 'v', "K'1"],
    parent: ['V', 'O', 'P'],
  };

  const toConditions = (key: string): Filter[] => {
    const values = VALUES[key]!;
    const names = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'];
    if (key === 'text' || key === 'tag') names.push('contains', 'startsWith', 'endsWith', ...CASELESS);
    const lists = [values.slice(0, 1), values.slice(-2), values];
    return [
      ...names.flatMap((name) => values.map((value) => ({ [name]: value }))),
      ...['in', 'notIn'].flatMap((name) => lists.map((list) => ({ [name]: list }))),
      { between: values.slice(0, 2) },
      { between: [values[1]!, values[0]!] },
      { null: true },
      { null: false },
    ];
  };

  it.each(Object.keys(VALUES))('by each operator and value of the column %s selects the same rows', async (key) => {
    const rows = (await api.get(pathOf('lists', name, 'items'))).body.data.items as Item[];
    for (const condition of toConditions(key)) {
      const filter = { [key]: condition };
      const [[operator, sent]] = Object.entries(condition) as [[string, unknown]];
      const symbol = SYMBOLS[operator];
      const written = symbol === undefined ? JSON.stringify(filter) : `${key}${symbol}${String(sent)}`;
      const expected = selectKeys({ columns: {}, references: {}, rows }, filter).join('');
      const selected = {
        brackets: await selectByUrl(toBrackets(filter)),
        'JSON in the URL': await selectByUrl(`filter=${encodeURIComponent(JSON.stringify(filter))}`),
        body: await selectByFilter(filter),
        client: await selectByClient(filter),
        'command line': await selectByClient(parseConditions([written])),
        OData: await selectByFeed(toODataFilter(filter)),
      };
      const forms = Object.keys(selected);
      expect([filter, selected]).toEqual([filter, Object.fromEntries(forms.map((form) => [form, expected]))]);
    }
  });
});

describe('a number that cannot be stored', () => {
  const name = 'Numbers';
  const STORED = [-5, 0, 5e-324, 0.1, 0.123456789012346, 1, 9_007_199_254_740_991, null];
  const COMPARE: Record<string, (a: number | null, b: number) => boolean> = {
    lt: (a, b) => a !== null && a < b,
    lte: (a, b) => a !== null && a <= b,
    gt: (a, b) => a !== null && a > b,
    gte: (a, b) => a !== null && a >= b,
    eq: (a, b) => a === b,
    ne: (a, b) => a !== b,
    in: (a, b) => a === b || a === 1,
    notIn: (a, b) => a !== b && a !== 1,
    between: (a, b) => a !== null && a >= -5 && a <= b,
  };
  /** Lists with the value `x`. */
  const LISTS: Record<string, string> = { in: '[x,1]', notIn: '[1,x]', between: '[-5,x]' };
  const SYMBOLS: Record<string, string> = { lt: '<', lte: '<=', gt: '>', gte: '>=', eq: '=', ne: '!=' };
  const ODATA: Record<string, string> = {
    lt: 'number lt x',
    lte: 'x ge number',
    gt: 'number gt x',
    gte: 'number ge x',
    eq: 'number eq x',
    ne: 'not (number eq x)',
    in: 'number eq x or number eq 1',
    notIn: 'not (number in (1,x))',
    between: 'number ge -5 and number le x',
  };

  beforeAll(async () => {
    const items = STORED.map((number, at) => ({ key: `K${at}`, number }));
    const columns = [text('Key'), column('Number', 'number')];
    expect((await tables.bulk('lists', { name, columns, items })).status).toBe(201);
  });

  it.each<[string, number]>([
    ['1e16', 1e16],
    ['9007199254740993', 9_007_199_254_740_992],
    ['0.10000000000000001', 0.1],
    ['0.1234567890123456789', 0.123456789012345678],
    ['1e400', Infinity],
    ['-1e400', -Infinity],
    ['INF', Infinity],
    ['-INF', -Infinity],
    ['Infinity', Infinity],
    ['-Infinity', -Infinity],
    ['NaN', NaN],
  ])('is compared as the nearest double: %s', async (number, nearest) => {
    const { apiKey, workspaceId } = credentials;
    const feed = new ODataFeed(service, credentials);
    const client = new AtriumClient({ baseUrl: service.baseUrl, apiKey, workspaceId });
    const path = (rest: string) => pathOf('lists', name, rest);
    const select = async (request: Promise<ApiResponse>) => {
      const { status, body } = await request;
      return status === 200 ? (body.data?.items ?? body.value).map(({ key }: Item) => key) : body;
    };
    const selectByClient = async (filter: ClientFilter) => {
      const keys: unknown[] = [];
      for await (const row of client.lists(name).rows({ filter })) keys.push(row['key']);
      return keys;
    };
    const send = (body: string) =>
      api.send(path('items/query'), { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
    const isDecimal = /\d/.test(number);
    for (const [operator, isTrue] of Object.entries(COMPARE)) {
      const expected = STORED.flatMap((stored, at) => (isTrue(stored, nearest) ? [`K${at}`] : []));
      const toList = (value: string) => (LISTS[operator] ?? '').replaceAll('x', value) || value;
      const quoted = toList(`"${number}"`);
      const literal = isDecimal ? toList(number) : quoted;
      const forms: Record<string, () => Promise<unknown>> = {
        brackets: () =>
          select(api.get(path(`items?filter[number][${operator}]=${toList(number).replace(/[[\]]/g, '')}`))),
        'JSON in the URL': () => select(api.get(path(`items?filter={"number":{"${operator}":${literal}}}`))),
        'a text in the URL': () => select(api.get(path(`items?filter={"number":{"${operator}":${quoted}}}`))),
        'JSON of a column': () => select(api.get(path(`items?filter[number]={"${operator}":${literal}}`))),
        body: () => select(send(`{"filter":{"number":{"${operator}":${literal}}}}`)),
        'a text in the body': () => select(send(`{"filter":{"number":{"${operator}":${quoted}}}}`)),
        'JSON of the command line': () => selectByClient(parseConditions([`{"number":{"${operator}":${literal}}}`])),
        client: () =>
          selectByClient({
            number: { [operator]: JSON.parse(toList('0'), (_, each) => (each === 0 ? nearest : each)) },
          }),
      };
      const symbol = SYMBOLS[operator];
      if (symbol !== undefined)
        forms['command line'] = () => selectByClient(parseConditions([`number${symbol}${number}`]));
      if (number !== 'Infinity' && number !== '-Infinity')
        forms['OData'] = () =>
          select(feed.get('/lists_Numbers', { $filter: ODATA[operator]!.replaceAll('x', number) }));
      for (const [form, read] of Object.entries(forms))
        expect([operator, form, await read()]).toEqual([operator, form, expected]);
    }
  });

  it('is not 0 if it is nearer to 0 than all doubles', async () => {
    const read = async (query: string) =>
      (await api.get(pathOf('lists', name, `items?${query}`))).body.data.items.map(({ key }: Item) => key);
    expect(await read('filter[number][lt]=1e-400')).toEqual(['K0', 'K1']);
    expect(await read('filter[number][gte]=1e-400&filter[number][lt]=0.1')).toEqual(['K2']);
    expect(await read('filter[number][gt]=-1e-400&filter[number][lt]=0.1')).toEqual(['K1', 'K2']);
  });
});

describe('a number as the value of a text', () => {
  const name = 'Digits';
  const KEYS_OF_DIGITS = ['4711', '10000000000004711', '10000000000004712', '0.1', '20240131'];

  beforeAll(async () => {
    const columns = [text('Key'), text('Text'), column('Reference', 'reference'), column('Tag', 'tagStatus')];
    const items = KEYS_OF_DIGITS.map((key) => ({ key, text: key, reference: key, tag: key }));
    expect((await tables.bulk('lists', { name, columns, items })).status).toBe(201);
  });

  it.each(['key', 'text', 'reference', 'tag'])('is its digits, as they are sent: column %s', async (key) => {
    const { apiKey, workspaceId } = credentials;
    const feed = new ODataFeed(service, credentials);
    const client = new AtriumClient({ baseUrl: service.baseUrl, apiKey, workspaceId });
    const path = (rest: string) => pathOf('lists', name, rest);
    const select = async (request: Promise<ApiResponse>) => {
      const { status, body } = await request;
      return status === 200 ? (body.data?.items ?? body.value).map((row: Item) => row['key']) : body;
    };
    const selectByClient = async (filter: ClientFilter) => {
      const keys: unknown[] = [];
      for await (const row of client.lists(name).rows({ filter })) keys.push(row['key']);
      return keys;
    };
    for (const number of KEYS_OF_DIGITS)
      for (const sent of [`{"eq":${number}}`, `{"in":[${number}]}`]) {
        const filter = `{"${key}":${sent}}`;
        const headers = { 'Content-Type': 'application/json' };
        const forms: Record<string, Promise<unknown>> = {
          brackets: select(api.get(path(`items?filter[${key}]=${number}`))),
          'JSON in the URL': select(api.get(path(`items?filter=${encodeURIComponent(filter)}`))),
          'JSON of a column': select(api.get(path(`items?filter[${key}]=${encodeURIComponent(sent)}`))),
          body: select(api.send(path('items/query'), { method: 'POST', body: `{"filter":${filter}}`, headers })),
          'command line': selectByClient(parseConditions([`${key}=${number}`])),
          'JSON of the command line': selectByClient(parseConditions([filter])),
          OData: select(feed.get(`/lists_${name}`, { $filter: `${key} eq '${number}'` })),
        };
        // A program has rounded the others.
        if (String(Number(number)) === number) forms['client'] = selectByClient({ [key]: Number(number) });
        for (const [form, found] of Object.entries(forms)) expect([form, await found]).toEqual([form, [number]]);
      }
  });

  it('selects the row that a restore sets back', async () => {
    const key = '10000000000004711';
    expect((await api.patch(pathOf('lists', name, `items/${key}`), { tag: 'new' })).status).toBe(200);
    const body = `{"asOf":"1","filter":{"key":${key}}}`;
    const headers = { 'Content-Type': 'application/json' };
    const restored = await api.send(pathOf('lists', name, 'restore'), { method: 'POST', body, headers });
    expect(restored.body.data.totals).toMatchObject({ updated: 1 });
  });
});

describe('texts and lists in each form', () => {
  const name = 'Composed';

  beforeAll(async () => {
    const columns = [text('Key'), text('Text'), column('Number', 'number'), column('Checked', 'checkbox')];
    const items = [
      { key: 'K\u00e9y', text: 'e\u0301', number: 1, checked: true },
      { key: 'L', text: '', number: null, checked: false },
      { key: 'M', text: null, number: 2, checked: null },
    ];
    expect((await tables.bulk('lists', { name, columns, items })).status).toBe(201);
  });

  const keysOf = (body: any) => (body.data?.items ?? body.value).map(({ key }: Item) => String(key).charAt(0)).join('');

  it.each([
    ['key', 'eq', 'Ke\u0301y', 'K'],
    ['key', 'startsWith', 'Ke\u0301', 'K'],
    ['key', 'contains', 'e\u0301', 'K'],
    ['key', 'endsWith', 'e\u0301y', 'K'],
    ['key', 'startsWith', 'K\u00e9', 'K'],
    // Texts are stored as they are sent.
    ['text', 'startsWith', 'e\u0301', 'K'],
    ['text', 'contains', '\u00e9', ''],
  ])('finds by %s %s %j the rows %j', async (key, operator, value, expected) => {
    const filter = { [key]: { [operator]: value } };
    const literal = `'${value}'`;
    const $filter = operator === 'eq' ? `${key} eq ${literal}` : `${operator.toLowerCase()}(${key},${literal})`;
    const url = (query: string) => api.get(pathOf('lists', name, `items?${query}`));
    const having = encodeURIComponent(JSON.stringify(filter));
    const groups = (await api.get(pathOf('lists', name, `aggregate?group=key,text&filter=${having}&having=${having}`)))
      .body.data.items as { group: Item }[];
    expect(groups.map(({ group }) => String(group['key']).charAt(0)).join('')).toBe(expected);
    const answers = {
      brackets: await url(`filter[${key}][${operator}]=${encodeURIComponent(value)}`),
      'JSON in the URL': await url(`filter=${encodeURIComponent(JSON.stringify(filter))}`),
      body: await api.post(pathOf('lists', name, 'items/query'), { filter }),
      OData: await new ODataFeed(service, credentials).get(`/lists_${name}`, { $filter }),
    };
    for (const [form, { body }] of Object.entries(answers)) expect([form, keysOf(body)]).toEqual([form, expected]);
  });

  it('finds keys by q in each form of Unicode', async () => {
    for (const q of ['K\u00e9', 'Ke\u0301']) {
      const { body } = await api.get(pathOf('lists', name, `items?q=${encodeURIComponent(q)}`));
      expect(keysOf(body)).toBe('K');
    }
  });

  it.each(['key', 'text', 'number', 'checked'])('takes an empty text of a list for %s as eq does', async (key) => {
    const read = async (filter: Filter) => {
      const { body } = await api.post(pathOf('lists', name, 'items/query'), { filter });
      const inUrl = await api.get(pathOf('lists', name, `items?filter=${encodeURIComponent(JSON.stringify(filter))}`));
      expect(keysOf(inUrl.body)).toBe(keysOf(body));
      return keysOf(body);
    };
    expect(await read({ [key]: { in: [''] } })).toBe(await read({ [key]: { eq: '' } }));
    expect(await read({ [key]: { notIn: [''] } })).toBe(await read({ [key]: { ne: '' } }));
  });

  it.each(['0x10', '1e3', '1.0', '+5', ' 5', '0b1', ''])('returns 400 for the limit %j', async (limit) => {
    const answer = await api.get(pathOf('lists', name, `items?limit=${encodeURIComponent(limit)}`));
    expect([answer.status, answer.body.details.errors[0].field]).toEqual([400, 'limit']);
  });

  it('limits the text of contains, and answers at once', async () => {
    const read = (part: string, operator = 'contains') =>
      api.post(pathOf('lists', name, 'items/query'), { filter: { text: { [operator]: part } } });
    expect((await read('😀'.repeat(1_000))).status).toBe(200);
    const { status, body } = await read('x'.repeat(1_001));
    expect([status, body.details.errors]).toEqual([
      400,
      [
        expect.objectContaining({
          field: 'filter[text][contains]',
          code: 'part_too_long',
          message: expect.stringContaining('at most 1000 characters; this has 1001') as string,
        }),
      ],
    ]);
    expect((await read('x'.repeat(1_001), 'endsWith')).status).toBe(400);
    for (const operator of ['startsWith', 'eq'])
      expect((await read('x'.repeat(5_000), operator)).body.data.items).toEqual([]);
  });
});

describe('a day and the instants of a date column', () => {
  const name = 'Instants';
  const pathTo = (rest: string) => pathOf('lists', name, rest);

  beforeAll(async () => {
    const columns = [text('Key'), column('Since', 'date', { options: { indexed: true } }), text('Plant')];
    const items = [
      { key: 'A', since: '2024-01-31T08:00:00Z', plant: '2' },
      { key: 'B', since: '2024-01-31T23:59:59.999Z', plant: '1' },
      { key: 'C', since: '2024-01-31', plant: '3' },
      { key: 'D', since: '2024-01-30T23:59:59.999Z', plant: '1' },
      { key: 'E', since: '2024-02-01', plant: '1' },
      { key: 'F', since: null, plant: '1' },
    ];
    expect((await tables.bulk('lists', { name, columns, items })).status).toBe(201);
  });

  const days = manyRows(40, (at) => `2023-03-${String((at % 28) + 1).padStart(2, '0')}`);

  it.each<[object, string]>([
    [{ eq: '2024-01-31' }, 'ABC'],
    [{ ne: '2024-01-31' }, 'DEF'],
    [{ lt: '2024-01-31' }, 'D'],
    [{ lte: '2024-01-31' }, 'ABCD'],
    [{ gt: '2024-01-31' }, 'E'],
    [{ gte: '2024-01-31' }, 'ABCE'],
    [{ between: ['2024-01-30', '2024-01-31'] }, 'ABCD'],
    [{ in: ['2024-01-31', '2024-02-01', null] }, 'ABCEF'],
    [{ in: [...days, '2024-01-31'] }, 'ABC'],
    [{ notIn: ['2024-01-31'] }, 'DEF'],
    [{ eq: '2024-01-31T08:00:00Z' }, 'A'],
    [{ in: ['2024-01-31T08:00:00Z', '2024-01-30'] }, 'AD'],
    [{ gt: '2024-01-31T08:00:00Z' }, 'BE'],
    // With more decimals than those of stored instants.
    [{ gt: '2024-01-31T23:59:59.9985Z' }, 'BE'],
    [{ gte: '2024-01-31T23:59:59.9991000Z' }, 'E'],
    [{ lt: '2024-01-31T23:59:59.9995Z' }, 'ABCD'],
    [{ eq: '2024-01-31T23:59:59.9991Z' }, ''],
    [{ eq: '2024-01-31T23:59:59.9990000Z' }, 'B'],
  ])('%j selects %s', async (since, keys) => {
    const { body } = await api.post(pathTo('items/query'), { filter: { since } });
    expect((body.data.items as Item[]).map(({ key }) => key).join('')).toBe(keys);
    const negated = await api.post(pathTo('items/query'), { filter: { not: { since } } });
    expect((negated.body.data.items as Item[]).map(({ key }) => key).join('')).toBe(
      [...'ABCDEF'].filter((key) => !keys.includes(key)).join(''),
    );
  });

  it('are sorted by another column within a day, also with an index of both columns', async () => {
    expect((await api.put(pathTo('indexes/since,plant'), undefined)).status).toBeLessThan(300);
    await until(
      async () => (await api.get(`${tables.path}/lists/${name}`)).body.data.indexes as { state: string }[],
      ([index]) => index?.state === 'ready',
      30_000,
    );
    const { body } = await api.get(pathTo('items?filter[since]=2024-01-31&sort=plant&limit=2'));
    expect((body.data.items as Item[]).map(({ key }) => key).join('')).toBe('BA');
    const next = await api.get(
      pathTo(`items?filter[since]=2024-01-31&sort=plant&limit=2&cursor=${body.data.nextCursor}`),
    );
    expect((next.body.data.items as Item[]).map(({ key }) => key).join('')).toBe('C');
  });

  it('are one group by day, and a date without a time in OData', async () => {
    const grouped = await api.get(pathTo('aggregate?group=since:day'));
    const groups = (grouped.body.data.items as { group: Item; measures: Item }[]).map((each) => [
      each.group['since:day'],
      each.measures['count'],
    ]);
    expect(groups).toContainEqual(['2024-01-31', 3]);
    const { apiKey, workspaceId } = credentials;
    const feed = new ODataFeed(service, { apiKey, workspaceId });
    const { body } = await feed.get(`/lists_${name}`, { $filter: 'since eq 2024-01-31' });
    expect((body.value as Item[]).map(({ key, since }) => [key, since])).toEqual([
      ['A', '2024-01-31'],
      ['B', '2024-01-31'],
      ['C', '2024-01-31'],
    ]);
  });
});

describe('a filter that is not valid', () => {
  const name = unique('Plain pumps');

  beforeAll(async () => {
    const target = { entity: 'list', table: unique('Plain sites') };
    const columns = [
      text('Key'),
      text('Name'),
      column('Weight', 'number'),
      text('And'),
      column('Site', 'reference', { options: { target } }),
      column('Lost', 'reference', { options: { target: { ...target, table: 'lost' } } }),
    ];
    const items = [{ key: 'A', name: 'Feed pump', weight: 1, and: 'x' }];
    const site = [text('Key'), column('Rank', 'number'), column('Next', 'reference', { options: { target } })];
    expect((await tables.bulk('lists', { name: target.table, columns: site, items: [] })).status).toBe(201);
    expect((await tables.bulk('assets', { name, columns, items })).status).toBe(201);
  });

  const nest = (levels: number): Filter => (levels === 0 ? { key: 'A' } : { not: nest(levels - 1) });
  const conditions = (count: number) => manyRows(count, () => ({ key: 'A' }));

  it.each<[string, Filter, string, string]>([
    ['51 conditions', { or: conditions(51) }, 'too_many_filters', 'at most 50 conditions; this has 51'],
    ['51 conditions in two lists', { or: conditions(25), and: conditions(26) }, 'too_many_filters', 'this has 51'],
    ['6 levels', nest(6), 'filter_too_deep', 'at most 5 nested levels'],
    [
      '1 MB of text',
      { name: { startsWith: 'x'.repeat(1_000_000) } },
      'invalid_value',
      'at most 100000 characters; this has 1000000',
    ],
    ['10,000 values', { key: { notIn: manyRows(10_000, String) } }, 'invalid_value', 'at most 1000 values'],
    ['a value instead of a list', { or: { name: 'a' } }, 'invalid_value', 'needs a list of conditions'],
    ['a list in a list', { or: [[{ name: 'a' }]] }, 'invalid_value', 'at least one condition'],
    ['a text instead of an object', { not: "' OR 1=1 --" }, 'invalid_value', 'at least one condition'],
    ['an empty list', { and: [] }, 'invalid_value', 'needs a list of conditions'],
    ['an unknown column', { "name'; DROP TABLE x": 'a' }, 'unknown_column', 'no column'],
    ['an unknown operator', { name: { "eq' OR": 'a' } }, 'unknown_operator', 'startsWith, endsWith'],
    ['a path of 4 references', { 'site.next.next.next.name': 'a' }, 'path_too_long', 'at most 3 references'],
    ['a path of 10,000 references', { [`site${'.next'.repeat(10_000)}`]: 'a' }, 'path_too_long', 'follows 10000'],
    ['a path through a text', { 'name.key': 'a' }, 'unknown_column', '"name" is a text column'],
    ['a path to a missing column', { 'site.colour': 'a' }, 'unknown_column', 'No table that "site" refers to'],
    ['a path through a missing table', { 'lost.name': 'a' }, 'unknown_column', 'No table that "lost" refers to'],
    ['a value of another type', { 'site.rank': { gt: 'x' } }, 'invalid_value', '"x" is not a number'],
    ['half of a surrogate pair', { name: { endsWith: '\ud800' } }, 'invalid_value', 'surrogate'],
  ])('returns 400 for %s', async (_, filter, code, message) => {
    const { status, body } = await api.post(pathOf('assets', name, 'items/query'), { filter });
    expect([status, body.error, body.details?.errors]).toEqual([
      400,
      'invalid_query',
      [expect.objectContaining({ code, message: expect.stringContaining(message) as string })],
    ]);
  });

  it.each([
    'filter[name][eq]=a&filter[name]=b',
    'filter[name]=b&filter[name][eq]=a',
    'filter[name]=a&filter[name]=b',
    'filter[name][eq]=a&filter[name][eq]=b',
    'filter[name]=a&filter={"name":"b"}',
    'filter={"name":"b"}&filter[name]=a',
    'filter={"name":"a"}&filter={"name":"b"}',
    'filter={"name":"a","name":"b"}',
    'filter={"name":{"ne":"a","ne":"b"}}',
    'filter[name]={"ne":"a","ne":"b"}',
    'filter[name][eq][x]=a',
    'filter[name][]=a&filter[name]=a',
    'filter[constructor]=a',
    'filter[__proto__]=a',
    'filter[name][__proto__]=a',
    'filter[]=a',
    'filter[name=a',
    `filter[name][${'x'.repeat(70)}]=a`,
    `filter[${'x'.repeat(300)}]=a`,
    'filter={"constructor":"a"}',
    'filter[name][in]=Feed pump,b&filter[name][in]=c',
    'filter[name][notIn]=a,b&filter[name][notIn]=c',
    'filter[name]={"in":["a"],"in":["b"]}',
  ])('returns 400 for %s instead of one of its conditions', async (parameters) => {
    const count = async () => (await api.get(pathOf('assets', name, 'items'))).body.data.items.length as number;
    const before = await count();
    const encoded = encodeURI(parameters).replaceAll('%5B', '[').replaceAll('%5D', ']');
    for (const request of [
      api.get(pathOf('assets', name, `items?${encoded}`)),
      api.get(pathOf('assets', name, `aggregate?measures=count&${encoded}`)),
      api.send(pathOf('assets', name, `items/import?mode=replace&${encoded}`), {
        method: 'POST',
        body: lines([{ key: 'Z' }]),
        headers: { 'Content-Type': NDJSON },
      }),
    ])
      expect([parameters, (await request).status]).toEqual([parameters, 400]);
    expect(await count()).toBe(before);
  });

  it('reads operators within a text only in brackets, as Swagger UI sends them', async () => {
    const read = async (query: string) => (await api.get(pathOf('assets', name, `items?${query}`))).body.data.items;
    expect(await read('filter[name]={"ne":"x"}')).not.toHaveLength(0);
    const filter = { name: '{"ne":"x"}' };
    expect(await read(`filter=${encodeURIComponent(JSON.stringify(filter))}`)).toEqual([]);
    const sent = await api.post(pathOf('assets', name, 'items/query'), { filter });
    expect([sent.status, sent.body.data.items]).toEqual([200, []]);
  });

  it('applies all conditions of several names of a column', async () => {
    const read = async (query: string) => (await api.get(pathOf('assets', name, `items?${query}`))).body.data.items;
    expect(await read('filter[name]=Feed pump&filter[NAME][ne]=Feed pump')).toEqual([]);
    expect(await read('filter[NAME][startsWith]=Feed&filter[name][endsWith]=pump')).toHaveLength(1);
  });

  it('returns 400 for a body that nests deeper than any body', async () => {
    const { status, body } = await api.post(pathOf('assets', name, 'items/query'), { filter: nest(40) });
    expect([status, body.error]).toEqual([400, 'malformed_json']);
  });

  it('never takes the key of a column for a combination', async () => {
    const { status, body } = await api.get(pathOf('assets', name, 'items?filter[and]=x'));
    expect([status, body.details.errors[0].message]).toEqual([
      400,
      expect.stringContaining('For a column with the key "and" write "AND".'),
    ]);
    expect((await api.get(pathOf('assets', name, 'items?filter[AND]=x'))).body.data.items).toHaveLength(1);
    expect((await api.get(pathOf('assets', name, 'items?filter[AND]=y'))).body.data.items).toEqual([]);
  });

  it.each(["'", '"', '\\', '%', '_', '.*', '(', '[a-z]', '$1', ';--', '\u202e', '😀', '\t\n'])(
    'finds no other rows by the text %j',
    async (part) => {
      for (const operator of ['contains', 'startsWith', 'endsWith', 'eq']) {
        const filter = { name: { [operator]: part } };
        const { status, body } = await api.post(pathOf('assets', name, 'items/query'), { filter });
        expect([status, body.data?.items]).toEqual([200, []]);
      }
    },
  );
});

it('binds a cursor to all conditions of a filter', async () => {
  const name = unique('Cursors');
  const items = manyRows(4, (at) => ({ key: `K${at}`, weight: at }));
  expect((await tables.bulk('lists', { name, columns: [text('Key'), column('Weight', 'number')], items })).status).toBe(
    201,
  );
  const read = (filter: Filter, cursor?: string) =>
    api.post(pathOf('lists', name, 'items/query'), { filter, limit: 1, cursor });
  const first = (await read({ or: [{ weight: 1 }, { weight: { gte: 3 } }] })).body.data;
  const next = await read({ or: [{ weight: 1 }, { weight: { gte: 3 } }] }, first.nextCursor as string);
  expect([first.items, next.body.data.items]).toEqual([[items[1]], [items[3]]]);
  for (const other of [
    { or: [{ weight: 1 }, { weight: { gte: 2 } }] },
    { not: { or: [{ weight: 1 }, { weight: { gte: 3 } }] } },
  ])
    expect((await read(other, first.nextCursor as string)).body).toMatchObject({ error: 'invalid_cursor' });
});

describe('a path through references', () => {
  const name = unique('Path pumps');
  const sites = unique('Path sites');
  const target = { entity: 'list', table: sites };

  beforeAll(async () => {
    const rows = [
      { key: 'S1', name: 'Cooling' },
      { key: 'S2', name: 'Heating' },
    ];
    expect(
      (await tables.bulk('lists', { name: sites, columns: [text('Key'), text('Name')], items: rows })).status,
    ).toBe(201);
    const columns = [text('Key'), column('Site', 'reference', { options: { target } })];
    const items = [
      { key: 'A', site: 'S1' },
      { key: 'B', site: 'S2' },
      { key: 'C', site: 'none' },
      { key: 'D', site: null },
    ];
    expect((await tables.bulk('assets', { name, columns, items })).status).toBe(201);
  });

  const keysOf = (items: Item[]) => items.map(({ key }) => key).join('');
  const read = async (query: string) =>
    keysOf((await api.get(pathOf('assets', name, `items?${query}`))).body.data.items);

  it('has an empty value if the reference is empty or unresolved', async () => {
    expect(await read('filter[site.name][startsWith]=Cool')).toBe('A');
    expect(await read('filter[site.name]=Heating&sort=-key')).toBe('B');
    expect(await read('filter[site.name][ne]=Cooling')).toBe('BCD');
    expect(await read('filter[site.name][null]=true')).toBe('CD');
    expect(await read('filter[site.name][notIn]=Cooling,Heating')).toBe('CD');
  });

  it('applies to pages, counts, exports and the rows that an import replaces', async () => {
    const { body } = await api.get(pathOf('assets', name, 'items?filter[site.name][ne]=Cooling&limit=2&count=exact'));
    expect([keysOf(body.data.items), body.data.total]).toEqual(['BC', 3]);
    expect(await read(`filter[site.name][ne]=Cooling&limit=2&cursor=${body.data.nextCursor}`)).toBe('D');
    const exported = await api.send(pathOf('assets', name, 'export?filter[site.name]=Cooling'), {
      headers: { Accept: 'application/x-ndjson' },
    });
    expect(exported.body).toEqual({ key: 'A', site: 'S1' });
    const replace = (row: Item, more = {}) => {
      const query = { mode: 'replace', maxDeletions: '1', 'filter[site.name]': 'Heating', ...more };
      return sendFile(tables, name, lines([row]), { query });
    };
    const outside = await replace({ key: 'E', site: 'S1' }, { dryRun: 'true' });
    expect(outside.body.details.errors).toMatchObject([{ code: 'outside_scope', key: 'E' }]);
    const replaced = await replace({ key: 'E', site: 'S2' });
    expect(replaced.body.data.totals).toMatchObject({ created: 1, deleted: 1 });
    expect(await read('sort=key')).toBe('ACDE');
  });

  it('returns pages without an ETag, because they depend on other tables', async () => {
    const { headers } = await api.get(pathOf('assets', name, 'items?filter[site.name]=Cooling'));
    expect(headers.get('etag')).toBeNull();
    const again = await api.send(pathOf('assets', name, 'items?filter[site.name]=Cooling'), {
      headers: { 'If-None-Match': '*' },
    });
    expect(again.status).toBe(200);
  });

  it('is rejected if a column has the same name, and if its targets have different types', async () => {
    const other = unique('Ambiguous');
    const columns = [
      text('Key'),
      text('site.name', { key: 'label' }),
      column('Site', 'reference', { options: { target } }),
      column('Area', 'reference'),
    ];
    expect((await tables.bulk('assets', { name: other, columns, items: [] })).status).toBe(201);
    for (const [size, at] of [
      ['text', 1],
      ['number', 2],
    ] as const)
      expect(
        (
          await tables.bulk('locations', {
            name: unique(`Sizes ${at}`),
            columns: [text('Key'), column('Size', size)],
            items: [],
          })
        ).status,
      ).toBe(201);
    const reject = async (filter: string) =>
      (await api.get(pathOf('assets', other, `items?filter[${filter}]=1`))).body.details.errors[0];
    expect(await reject('site.name')).toMatchObject({
      code: 'ambiguous_column',
      message: expect.stringContaining('send its key "label"'),
    });
    expect(await reject('area.size')).toMatchObject({
      code: 'ambiguous_column',
      message: expect.stringContaining('text and number'),
    });
  });

  it('is rejected if it leads to more than 100 tables', async () => {
    const own = Tables.of(service, await service.provision());
    for (let first = 0; first < 60; first += 20) {
      const loads = manyRows(20, (at) => ({
        name: `Sites ${first + at}`,
        columns: [text('Key'), text('Name'), column('Parent', 'hierarchyParent')],
        items: [],
      }));
      expect((await own.bulk('locations', loads)).status).toBe(201);
    }
    const references = ['Area', 'Former'].map((name) => column(name, 'reference'));
    const load = { name: 'Pumps', columns: [text('Key'), ...references], items: [] };
    expect((await own.bulk('assets', load)).status).toBe(201);
    for (const filter of ['filter[area.name]=a&filter[former.name]=a', 'filter[area.parent.name]=a']) {
      const { status, body } = await own.api.get(`${own.path}/assets/Pumps/items?${filter}`);
      expect([status, body.details?.errors[0].code]).toEqual([400, 'too_many_targets']);
    }
  });
});
