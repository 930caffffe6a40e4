import { Api, type ApiResponse } from '../support/api.js';
import type { Database } from '../support/database.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import {
  column,
  type ColumnInput,
  type Item,
  keyAt,
  manyRows,
  type Surface,
  Tables,
  text,
  unique,
} from '../support/tables.js';

let database: Database;
let service: SharedService;
let tables: Tables;
/** The tables of another workspace, requested by a user of that workspace. */
let theirs: Tables;

beforeAll(async () => {
  ({ database, service } = await shareService());
  const [mine, others] = await Promise.all([service.provision(), service.provision()]);
  [tables, theirs] = [Tables.of(service, mine), Tables.of(service, others)];
}, 60_000);

afterAll(() => {
  expect(service.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
});

/** Creates a table and returns its name. */
async function createTable(
  columns: ColumnInput[],
  items: unknown[] = [],
  surface: Surface = 'assets',
): Promise<string> {
  const name = unique('Table');
  expect((await tables.bulk(surface, { name, columns, items })).status).toBe(201);
  return name;
}

const keysOf = (items: Item[]) => items.map((item) => item['key']);

/**
 * The specified order: texts by UTF-8 bytes, empty values after all others, and the key last, in the direction of the
 * column before it.
 */
function sorted(items: Item[], sort: string): Item[] {
  const requested = sort.split(',').filter(Boolean);
  const terms = [...requested, requested.at(-1)?.startsWith('-') ? '-key' : 'key'].map((term) => ({
    key: term.replace('-', ''),
    sign: term.startsWith('-') ? -1 : 1,
  }));
  const compare = (a: Item[string], b: Item[string]): number => {
    if (a === b) return 0;
    if (a === null || b === null) return a === null ? 1 : -1;
    if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
    return Number(a) - Number(b);
  };
  return items.toSorted((a, b) => {
    for (const { key, sign } of terms) {
      const order = compare(a[key] ?? null, b[key] ?? null);
      if (order !== 0) return order * sign;
    }
    return 0;
  });
}

describe('reading stored values by the type of their column', () => {
  const COLUMNS = [
    text('Key'),
    text('Text'),
    column('Number', 'number'),
    column('Date', 'date'),
    column('Check', 'checkbox'),
    column('Parent', 'hierarchyParent'),
    column('Ref', 'reference'),
    column('Tag', 'locationTag'),
    column('Space', 'space'),
    column('Status', 'tagStatus', { options: { choices: ['open', 'in progress', ''] } }),
  ];

  it.each<[string, column: string, sent: unknown, stored: Item[string]]>([
    ['a text', 'text', 'Pump', 'Pump'],
    ['the empty text', 'text', '', ''],
    ['white space', 'text', '  a\t\r\n ', '  a\t\r\n '],
    ['quotes, braces, backslashes and commas', 'text', '"a\\b",{c},\'NULL\'', '"a\\b",{c},\'NULL\''],
    ['the word NULL', 'text', 'NULL', 'NULL'],
    [
      'a text with characters of every Unicode plane',
      'text',
      'ß Ω 本 😀 \u{10ffff} \ufffd \ufeff',
      'ß Ω 本 😀 \u{10ffff} \ufffd \ufeff',
    ],
    ['a decomposed text unchanged', 'text', 'u\u0308', 'u\u0308'],
    ['a number in a text', 'text', 42, '42'],
    ['a decimal in a text', 'text', 1.5, '1.5'],
    ['a boolean in a text', 'text', true, 'true'],
    ['a number', 'number', -0.1, -0.1],
    ['the largest exact integer', 'number', 9007199254740991, 9007199254740991],
    ['the smallest exact integer as a text', 'number', '-9007199254740991', -9007199254740991],
    ['a tiny number', 'number', 5e-324, 5e-324],
    ['a decimal text of 15 digits', 'number', '0.123456789012345', 0.123456789012345],
    ['a decimal text', 'number', '0012.50', 12.5],
    ['an empty number', 'number', '', null],
    ['a day', 'date', '2024-02-29', '2024-02-29'],
    ['a day in SAP format', 'date', '20240229', '2024-02-29'],
    ['an empty day in SAP format', 'date', '00000000', null],
    ['an empty date', 'date', '', null],
    ['a date-time with offset', 'date', '2024-01-01T00:30:00.5+01:00', '2023-12-31T23:30:00.500Z'],
    ['a date-time in UTC', 'date', '2024-05-01T10:00:00Z', '2024-05-01T10:00:00.000Z'],
    ['true', 'check', true, true],
    ['SAP true', 'check', 'X', true],
    ['SAP false', 'check', '', false],
    ['1', 'check', 1, true],
    ['"0"', 'check', '0', false],
    ['yes', 'check', 'yes', true],
    ['no', 'check', 'no', false],
    ['a parent', 'parent', ' 000P ', '000P'],
    ['no parent', 'parent', '', null],
    ['a reference', 'ref', 4711, '4711'],
    ['no reference', 'ref', '', null],
    ['the id of a tag', 'tag', 17, '17'],
    ['the name of a tag', 'tag', 'Entrance', 'Entrance'],
    ['a space', 'space', 'Room 1', 'Room 1'],
    ['the number of a space', 'space', 9007199254740991, '9007199254740991'],
    ['a status', 'status', 'in progress', 'in progress'],
    ['null', 'text', null, null],
    ['null as a checkbox', 'check', null, null],
  ])('returns %s by the rule of its column type', async (_, name, sent, stored) => {
    const table = await createTable(COLUMNS, [{ key: 'k', [name]: sent }]);
    const [item] = await tables.rows('assets', table);
    expect(item).toEqual({
      ...Object.fromEntries(COLUMNS.map(({ name: each }) => [each.toLowerCase(), null])),
      key: 'k',
      [name]: stored,
    });
  });
});

describe('the table in a read', () => {
  it('finds a table by its ID or its percent-encoded name, in any case and Unicode normalization', async () => {
    const name = `Räume & Flure / 1% + "ü" ${unique('')}`;
    const created = await tables.bulk('locations', { name, columns: [text('Key')], items: [{ key: '1' }] });
    const { id } = created.body.data.tables[0] as { id: string };
    for (const named of [id, id.toUpperCase(), name, name.toUpperCase(), name.toLowerCase(), name.normalize('NFD')]) {
      const answer = await tables.read('locations', named);
      expect({ named, status: answer.status }).toEqual({ named, status: 200 });
      expect(answer.body.data.table).toEqual({ id, name, type: 'location', revision: 1 });
    }
  });

  it('returns 404 if the table does not exist', async () => {
    for (const name of [
      'nowhere',
      '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a',
      "x'; DROP TABLE workspaces; --",
      '..',
      'x'.repeat(2000),
    ]) {
      const answer = await tables.api.get(
        `${tables.path}/lists/${encodeURIComponent(name).replaceAll('.', '%2E')}/items`,
      );
      expect({ name, status: answer.status }).toEqual({ name, status: 404 });
    }
  });

  it('returns 400 or 404 for a table name that is not valid text', async () => {
    for (const name of ['%00', '%ff', '%ed%a0%80', '%']) {
      const answer = await tables.api.get(`${tables.path}/lists/${name}/items`);
      expect({ name, isRejected: [400, 404].includes(answer.status) }).toEqual({ name, isRejected: true });
      expect(answer.body).toMatchObject({
        status: answer.status,
        error: expect.any(String),
        requestId: expect.any(String),
      });
    }
  });

  it('returns 404 if the table belongs to another entity, by name and by ID', async () => {
    const created = await tables.bulk('assets', { name: unique('Mine'), columns: [text('Key')], items: [] });
    const { id, name } = created.body.data.tables[0] as { id: string; name: string };
    for (const named of [id, name]) {
      expect((await tables.read('assets', named)).status).toBe(200);
      expect((await tables.read('locations', named)).status).toBe(404);
      expect((await tables.read('lists', named)).status).toBe(404);
    }
  });

  it('returns the same 404 for a table of another workspace as for a missing table', async () => {
    const created = await theirs.bulk('assets', {
      name: unique('Theirs'),
      columns: [text('Key')],
      items: [{ key: 'secret' }],
    });
    const { id, name } = created.body.data.tables[0] as { id: string; name: string };
    const nowhere = new Tables(tables.api, '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a');
    const foreign = new Tables(tables.api, theirs.workspaceId);
    const errorOf = ({ status, body }: ApiResponse) => ({
      status,
      error: body.error,
      message: body.message,
      details: body.details,
    });
    for (const named of [id, name, 'nowhere']) {
      const answer = await foreign.read('assets', named);
      expect(answer.status).toBe(404);
      expect(errorOf(answer)).toEqual(errorOf(await nowhere.read('assets', named)));
      expect((await tables.read('assets', named)).status).toBe(404);
    }
    const batch = { name, columns: [text('Key')], items: [{ key: 'intruder' }] };
    const write = await foreign.bulk('assets', batch);
    expect(errorOf(write)).toEqual(errorOf(await nowhere.bulk('assets', batch)));
    expect(write.status).toBe(404);
    expect(await theirs.rows('assets', name)).toEqual([{ key: 'secret' }]);
  });

  it('separates tables of the same name in two workspaces', async () => {
    const name = unique('Shared name');
    await tables.bulk('lists', { name, columns: [text('Key')], items: [{ key: 'mine' }] });
    await theirs.bulk('lists', { name, columns: [text('Key')], items: [{ key: 'theirs' }] });
    expect(await tables.rows('lists', name)).toEqual([{ key: 'mine' }]);
    expect(await theirs.rows('lists', name)).toEqual([{ key: 'theirs' }]);
  });

  it('returns 401 to an anonymous caller', async () => {
    const name = await createTable([text('Key')]);
    const answer = await new Api(service.baseUrl).get(`${tables.path}/assets/${encodeURIComponent(name)}/items`);
    expect(answer.status).toBe(401);
  });
});

describe('a page of rows', () => {
  const COLUMNS = [
    text('Key'),
    text('Name'),
    column('Weight', 'number'),
    column('Built', 'date'),
    column('Active', 'checkbox'),
  ];
  const NAMES = ['pump', 'Pump', 'Ärger', 'äpfel', '', '😀', '\uffff', 'z', null, null];
  const ITEMS: Item[] = manyRows(1234, (position) => ({
    key: keyAt((position * 7919) % 1234),
    name: NAMES[position % NAMES.length]!,
    weight: position % 7 === 0 ? null : ((position * 31) % 100) / 4,
    built:
      position % 3 === 0
        ? null
        : `20${String(10 + (position % 15))}-01-${String(1 + (position % 28)).padStart(2, '0')}`,
    active: [true, false, null][position % 3]!,
  }));
  const INDEXED = COLUMNS.map((each) => ({ ...each, options: { indexed: true } }));
  let table: string;
  let indexed: string;

  beforeAll(async () => {
    table = await createTable(COLUMNS, ITEMS);
    indexed = await createTable(INDEXED, ITEMS);
  });

  it('returns the table, the rows sorted by key and the next cursor', async () => {
    const answer = await tables.read('assets', table);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: 200,
      message: expect.any(String),
      timestamp: expect.any(Number),
      data: {
        table: { id: expect.any(String), name: table, type: 'asset', revision: 1 },
        items: sorted(ITEMS, '').slice(0, 100),
        hasMore: true,
        nextCursor: expect.any(String),
      },
    });
  });

  it('returns as many rows as the limit, from 1 to 5,000', async () => {
    for (const limit of [1, 7, 1234, 5000]) {
      const { items, hasMore } = (await tables.read('assets', table, { limit })).body.data;
      expect([items.length, hasMore]).toEqual([Math.min(limit, 1234), limit < 1234]);
    }
  });

  it.each(['0', '-1', '5001', '1.5', 'many', '', '1e9', 'NaN'])('returns 400 for the limit "%s"', async (limit) => {
    const answer = await tables.read('assets', table, { limit });
    expect(answer.status).toBe(400);
    const message = 'limit must be a whole number from 1 to 5000.';
    expect(answer.body.details.errors).toEqual([{ field: 'limit', code: 'invalid_field', message }]);
  });

  it('returns the last page without a cursor and a Link header', async () => {
    const last = await tables.read('assets', table, { limit: 1234 });
    expect(last.body.data).toMatchObject({ hasMore: false, nextCursor: null });
    expect(last.headers.get('Link')).toBeNull();
    const empty = await tables.read('assets', await createTable(COLUMNS));
    expect(empty.body.data).toMatchObject({ items: [], hasMore: false, nextCursor: null });
  });

  it('links each page to the next one by its Link header', async () => {
    const found: Item[] = [];
    let path: string | undefined =
      `${tables.path}/assets/${encodeURIComponent(table)}/items?limit=500&sort=-weight&fields=weight`;
    let pages = 0;
    while (path) {
      const answer: ApiResponse = await tables.api.get(path);
      expect(answer.status).toBe(200);
      found.push(...(answer.body.data.items as Item[]));
      const next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('Link') ?? '')?.[1];
      expect(next === undefined).toBe(!answer.body.data.hasMore);
      if (next) expect(new URL(next).origin).toBe('https://atrium.test');
      path = next && next.slice('https://atrium.test'.length);
      pages++;
    }
    expect(pages).toBe(3);
    expect(keysOf(found)).toEqual(keysOf(sorted(ITEMS, '-weight')));
  });

  it('links to the next page with all options, also those with further question marks', async () => {
    const path = `${tables.path}/assets/${encodeURIComponent(table)}/items?limit=2&filter[key][ne]=a?b?c&sort=-weight`;
    const first = await tables.api.get(path);
    const [, next] = /^<https:\/\/atrium\.test([^>]+)>; rel="next"$/.exec(first.headers.get('Link')!)!;
    const expected = keysOf(sorted(ITEMS, '-weight'));
    expect(keysOf(first.body.data.items)).toEqual(expected.slice(0, 2));
    expect(keysOf((await tables.api.get(next!)).body.data.items)).toEqual(expected.slice(2, 4));
  });

  it('omits the Link header of a long URL, and returns the cursor', async () => {
    const path = `${tables.path}/assets/${encodeURIComponent(table)}/items?limit=2`;
    for (const [length, isLinked] of [
      [200, true],
      [1_000, false],
      [12_000, false],
    ] as const) {
      const { headers, body } = await tables.api.get(`${path}&filter[name][ne]=${'x'.repeat(length)}`);
      expect(headers.has('Link')).toBe(isLinked);
      expect(body.data).toMatchObject({ hasMore: true, nextCursor: expect.any(String) });
      expect((headers.get('Link') ?? '').length).toBeLessThanOrEqual(1_000);
    }
  });

  describe.each([
    '',
    'key',
    '-key',
    'name',
    '-name',
    'weight',
    '-weight',
    'built',
    '-built',
    'active',
    '-active,weight',
    'name,-weight,built',
    '-name,weight,-built,active',
    '-built,-key',
  ])('sorted by "%s"', (sort) => {
    it('pages through all rows without gaps or repeats', async () => {
      const rows = await tables.rows('assets', table, { limit: 100, ...(sort ? { sort } : {}) });
      expect(keysOf(rows)).toEqual(keysOf(sorted(ITEMS, sort)));
    });

    it('pages through all rows without gaps or repeats if the sort columns are indexed', async () => {
      const rows = await tables.rows('assets', indexed, { limit: 61, ...(sort ? { sort } : {}) });
      expect(keysOf(rows)).toEqual(keysOf(sorted(ITEMS, sort)));
    });
  });

  it('accepts column keys and names in sort and fields in any case', async () => {
    const answer = await tables.read('assets', table, { sort: '-WEIGHT,Name', fields: ' Weight , NAME ', limit: 5 });
    expect(answer.status).toBe(200);
    expect(keysOf(answer.body.data.items)).toEqual(keysOf(sorted(ITEMS, '-weight,name')).slice(0, 5));
  });

  it('returns the requested fields and always the primary key', async () => {
    const { items } = (await tables.read('assets', table, { fields: 'weight,active', limit: 1 })).body.data;
    expect(Object.keys(items[0])).toEqual(['key', 'weight', 'active']);
    const sortedByAnother = await tables.rows('assets', table, { fields: 'active', sort: '-name', limit: 100 });
    expect(Object.keys(sortedByAnother[0]!)).toEqual(['key', 'active']);
    expect(keysOf(sortedByAnother)).toEqual(keysOf(sorted(ITEMS, '-name')));
  });

  it('returns the total only with count=exact or count=estimated', async () => {
    expect((await tables.read('assets', table)).body.data).not.toHaveProperty('total');
    expect((await tables.read('assets', table, { count: 'exact', limit: 1 })).body.data.total).toBe(1234);
    await database.query('ANALYZE');
    expect((await tables.read('assets', table, { count: 'estimated', limit: 1 })).body.data.total).toBe(1234);
  });

  it.each([
    ['sort=colour', 'unknown_column'],
    ['sort=key,-colour', 'unknown_column'],
    ['sort=t.c1;--', 'unknown_column'],
    ['sort=--key', 'unknown_column'],
    ['fields=colour', 'unknown_column'],
    ['fields=key,_revision', 'unknown_column'],
    ['sort=constructor', 'unknown_column'],
    ['sort=%00', 'unknown_column'],
    ['count=all', undefined],
    ['colour=red', undefined],
    ['Limit=1', undefined],
    ['offset=10', undefined],
    ['limit=1&limit=2', undefined],
    ['toString=1', undefined],
    ['__proto__=1', undefined],
  ])('returns 400 for the invalid query %s', async (query, code) => {
    const answer = await tables.api.get(`${tables.path}/assets/${encodeURIComponent(table)}/items?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ status: 400, error: expect.stringMatching(/^invalid_(query|request)$/) });
    if (code) expect(answer.body.details.errors[0].code).toBe(code);
  });

  it('returns 400 if a sort column is ambiguous', async () => {
    const name = await createTable([text('Key'), text('Title', { key: 'name' }), text('Name', { key: 'kurz' })]);
    const answer = await tables.read('assets', name, { sort: 'NAME' });
    expect(answer.status).toBe(400);
    expect(answer.body.details.errors).toMatchObject([{ field: 'sort', code: 'ambiguous_column' }]);
  });

  describe('the cursor of a page', () => {
    const cursorOf = async (query: Record<string, string | number>, of = table) =>
      (await tables.read('assets', of, { limit: 10, ...query })).body.data.nextCursor as string;

    it('returns 400 for a cursor with another sort, other fields or another table', async () => {
      const cursor = await cursorOf({ sort: 'name' });
      expect((await tables.read('assets', table, { sort: 'name', cursor })).status).toBe(200);
      const other = await createTable(COLUMNS, ITEMS);
      for (const [name, query] of [
        [table, {}],
        [table, { sort: '-name' }],
        [table, { sort: 'name,weight' }],
        [table, { sort: 'weight' }],
        [table, { sort: 'name', fields: 'weight' }],
        [other, { sort: 'name' }],
      ] as const) {
        const answer = await tables.read('assets', name, { ...query, cursor });
        expect({ query, status: answer.status, error: answer.body.error }).toEqual({
          query,
          status: 400,
          error: 'invalid_cursor',
        });
      }
    });

    it('accepts a cursor after a column that is not part of the query was added', async () => {
      const name = await createTable(COLUMNS, ITEMS);
      const cursor = await cursorOf({ sort: 'weight' }, name);
      await tables.bulk('assets', { name, columns: [text('More')], items: [] });
      const { body } = await tables.read('assets', name, { limit: 10, sort: 'weight', cursor });
      expect(keysOf(body.data.items)).toEqual(keysOf(sorted(ITEMS, 'weight').slice(10, 20)));
      expect(body.data.items[0]).toHaveProperty('more', null);
    });

    it('accepts a cursor with another limit', async () => {
      const cursor = await cursorOf({});
      const answer = await tables.read('assets', table, { limit: 20, cursor });
      expect(keysOf(answer.body.data.items)).toEqual(keysOf(sorted(ITEMS, '')).slice(10, 30));
    });

    it.each(['garbage', 'null', '[]', '%', 'W10', Buffer.from('["x"]').toString('base64url'), 'x'.repeat(5000)])(
      'returns 400 for the cursor "%s"',
      async (cursor) => {
        const answer = await tables.read('assets', table, { cursor });
        expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 400, error: 'invalid_cursor' });
      },
    );

    it('returns 400 for a cursor with forged values', async () => {
      const parts = JSON.parse(
        Buffer.from(await cursorOf({ sort: 'weight,name,active' }), 'base64url').toString(),
      ) as unknown[];
      const forged = [
        [...parts.slice(0, -1), null],
        [...parts.slice(0, -1), 'a\0'],
        [...parts.slice(0, -1), 'a\ud800'],
        [...parts.slice(0, -1), { $ne: 1 }],
        [...parts.slice(0, -1), ['x']],
        [...parts.slice(0, -1)],
        [...parts, 'more'],
        [parts[0], 'heavy', ...parts.slice(2)],
        [parts[0], '1; DROP TABLE x', ...parts.slice(2)],
        [parts[0], parts[1], 7, ...parts.slice(3)],
        [parts[0], parts[1], parts[2], 'maybe', parts[4]],
        ['other', ...parts.slice(1)],
      ];
      for (const values of forged) {
        const cursor = Buffer.from(JSON.stringify(values)).toString('base64url');
        const answer = await tables.read('assets', table, { sort: 'weight,name,active', cursor });
        expect({ values, status: answer.status }).toEqual({ values, status: 400 });
      }
    });

    it('pages through rows sorted by long texts', async () => {
      const common = 'ü'.repeat(30_000);
      const items = manyRows(6, (position) => ({
        key: keyAt(position),
        text: `${5 - position}${common}`,
        more: `${common}${position % 2}`,
      }));
      const name = await createTable([text('Key'), text('Text'), text('More')], items);
      expect(keysOf(await tables.rows('assets', name, { limit: 2, sort: 'text,more' }))).toEqual(
        keysOf(sorted(items, 'text,more')),
      );
      // Texts with the same first 256 characters are equal; the key decides their order.
      expect(keysOf(await tables.rows('assets', name, { limit: 1, sort: 'more' }))).toEqual(keysOf(items));
    });
  });

  it.each([false, true])(
    'returns each unchanged row once while other rows are written (indexed: %s)',
    async (indexed) => {
      const options = { indexed };
      const columns = [text('Key'), column('Rank', 'number', { options }), text('Group', { options })];
      const unchanged = manyRows(1000, (position) => ({
        key: `S${keyAt(position)}`,
        rank: position % 50,
        group: ['a', 'b', null][position % 3]!,
      }));
      const changing = (round: number) =>
        manyRows(200, (position) => ({
          key: `M${(position * 37 + round * 11) % 500}`,
          rank: (position * round) % 60,
          group: ['a', null, 'c'][(position + round) % 3]!,
        }));
      const name = await createTable(columns, [...unchanged, ...changing(1)]);
      let reading = true;
      let round = 1;
      const writing = (async () => {
        while (reading) {
          const answer = await tables.bulk('assets', { name, items: changing(++round) });
          expect(answer.status).toBe(200);
        }
      })().finally(() => (reading = false));
      const sorts = ['', '-rank', 'group,-rank', '-group,rank,-key'];
      // On a busy machine, the reads may end before a few writes have.
      for (let at = 0; at < sorts.length || (reading && round <= 5); at++) {
        const sort = sorts[at % sorts.length]!;
        const seen = (await tables.rows('assets', name, { limit: 37, ...(sort ? { sort } : {}) })).filter((item) =>
          String(item['key']).startsWith('S'),
        );
        expect(keysOf(seen)).toEqual(keysOf(sorted(unchanged, sort)));
      }
      reading = false;
      await writing;
    },
  );
});
