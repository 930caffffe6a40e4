import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { lines, sendFile } from '../support/imports.js';
import { TestService } from '../support/service.js';
import { type SharedService, shareServices } from '../support/shared-services.js';
import { COLUMNS, errorsOf, TableAdministration } from '../support/table-administration.js';
import { column, type Item, manyRows, Tables, type Surface, text, unique } from '../support/tables.js';
import { signIn } from '../support/tokens.js';

let database: Database;
/** Two instances of the service on one database. */
let services: SharedService[] = [];
let me: Credentials;
let tables: TableAdministration;

beforeAll(async () => {
  ({ database, services } = await shareServices(2));
  me = await services[0]!.provision();
  tables = TableAdministration.for(Tables.of(services[0]!, me));
}, 60_000);

afterAll(() => {
  for (const service of services)
    expect(service.output.join('')).not.toMatch(/internal_error|40P01|Unhandled|uncaught/i);
});

/** Callers that alternate between the two instances. */
const callers = (count: number) =>
  manyRows(count, (index) => TableAdministration.for(Tables.of(services[index % 2]!, me)));
const statusesOf = (answers: ApiResponse[]) => answers.map(({ status }) => status).sort();

describe('listing tables', () => {
  const names = manyRows(7, (at) => `Listed ${String.fromCharCode(65 + at)}`);
  let mine: Tables;

  beforeAll(async () => {
    mine = Tables.of(services[1]!, await services[1]!.provision());
    await mine.bulk(
      'lists',
      names.toReversed().map((name) => ({ name, columns: COLUMNS, items: [{ key: 'a' }] })),
    );
    await mine.bulk('assets', { name: 'An asset', columns: COLUMNS, items: [] });
  });

  const list = (query = '') => mine.api.get(`${mine.path}/lists${query}`);
  const namesIn = (answer: ApiResponse) => (answer.body.data.items as { name: string }[]).map(({ name }) => name);

  it('returns every table with its revision and column count, sorted by name', async () => {
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(namesIn(answer)).toEqual(names);
    expect(answer.body.data).toMatchObject({ hasMore: false, nextCursor: null });
    const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
    expect(answer.body.data.items[0]).toEqual({
      id: expect.any(String) as string,
      name: names[0],
      type: 'list',
      revision: 1,
      columnCount: 3,
      createdAt: date,
      updatedAt: date,
    });
  });

  it('pages through the tables without gaps or repeats while tables are created', async () => {
    const first = await list('?limit=3');
    expect(namesIn(first)).toEqual(names.slice(0, 3));
    expect(first.headers.get('link')).toContain('cursor=');
    await mine.bulk('lists', { name: 'Listed A2', columns: COLUMNS, items: [] });
    const second = await list(`?limit=3&cursor=${first.body.data.nextCursor}`);
    expect(namesIn(second)).toEqual(names.slice(3, 6));
    expect(namesIn(await list(`?limit=3&cursor=${second.body.data.nextCursor}`))).toEqual(names.slice(6));
    await mine.api.delete(`${mine.path}/lists/listed%20a2?confirm=listed%20a2`);
  });

  it('lists tables by a part of the name, case-insensitively', async () => {
    expect(namesIn(await list('?q=sTeD%20c'))).toEqual(['Listed C']);
    expect(namesIn(await list('?q=%25'))).toEqual([]);
  });

  it('returns 400 for unknown parameters and for an invalid limit, cursor or search text in a list of tables', async () => {
    const cursor = (await list('?limit=2')).body.data.nextCursor as string;
    for (const query of ['?sort=name', '?limit=0', '?limit=501', '?cursor=x', `?q=a&cursor=${cursor}`, '?q=%00'])
      expect((await list(query)).status).toBe(400);
    expect((await mine.api.get(`${mine.path}/assets?cursor=${cursor}`)).status).toBe(400);
  });
});

describe('reading a table', () => {
  let name: string;

  beforeAll(async () => {
    const status = column('State', 'tagStatus', { options: { choices: ['open', 'done'] } });
    name = await tables.createTable('assets', [...COLUMNS, status], [{ key: 'a' }], unique('Ünïcode / Table'));
  });

  it('returns a table with its columns, by ID or by name in any case', async () => {
    const { id } = (await tables.read('assets', name)).body.data.table as { id: string };
    for (const named of [id, id.toUpperCase(), name, name.toUpperCase()]) {
      const answer = await tables.get('assets', named);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('etag')).toMatch(/^"1-/);
      expect(answer.body.data).toMatchObject({ id, name, type: 'asset', revision: 1, columnCount: 4 });
      expect(answer.body.data.columns).toEqual([
        expect.objectContaining({ key: 'key', primaryKey: true, index: { state: 'ready', message: null } }),
        {
          key: 'name',
          name: 'Name',
          type: 'text',
          primaryKey: false,
          required: false,
          description: null,
          options: {},
          index: null,
        },
        expect.objectContaining({ key: 'weight', type: 'number' }),
        expect.objectContaining({ key: 'state', options: { choices: ['open', 'done'] } }),
      ]);
    }
  });

  it('returns 304 for the current ETag of a table until it changes', async () => {
    const etag = (await tables.get('assets', name)).headers.get('etag')!;
    expect(etag).toMatch(/^"1-[\w-]{10}"$/);
    const again = async () => (await tables.api.get(tables.pathOf('assets', name), { 'If-None-Match': etag })).status;
    expect(await again()).toBe(304);
    await tables.bulk('assets', { name, items: [{ key: 'b' }] });
    expect(await again()).toBe(200);
  });

  it('returns 404 on every route for a table that is missing, of another entity or of another workspace', async () => {
    const outsider = Tables.of(services[1]!, await services[1]!.provision());
    const path = tables.pathOf('assets', name);
    for (const [caller, target] of [
      [tables.api, tables.pathOf('lists', name)],
      [tables.api, tables.pathOf('assets', 'nothing')],
      [outsider.api, path],
      [outsider.api, path.replace(me.workspaceId, outsider.workspaceId)],
    ] as const) {
      expect((await caller.get(target)).status).toBe(404);
      expect((await caller.put(target, { name: 'x' })).status).toBe(404);
      expect((await caller.delete(target)).status).toBe(404);
      expect((await caller.delete(`${target}/columns/weight`)).status).toBe(404);
    }
    expect((await tables.get('assets', name)).status).toBe(200);
  });

  it('returns 403 for changes to a table by a caller that has only the read scope', async () => {
    const reader = tables.api.withToken((await signIn(tables.api, me, ['read:workspaces'])).access_token);
    const path = tables.pathOf('assets', name);
    expect((await reader.get(path)).status).toBe(200);
    expect((await reader.put(path, { name: 'x' })).status).toBe(403);
    expect((await reader.delete(path)).status).toBe(403);
    expect((await reader.delete(`${path}/columns/weight`)).status).toBe(403);
  });
});

describe('editing a table', () => {
  let name: string;

  beforeEach(async () => {
    const columns = [...COLUMNS, column('State', 'tagStatus'), column('Site', 'reference', { description: 'Where' })];
    name = await tables.createTable('assets', columns, [
      { key: 'a', name: 'A', weight: 1, state: 'open' },
      { key: 'b', weight: 2, state: 'done' },
      { key: 'c', state: 'lost' },
    ]);
  });

  it('renames, adds and edits columns in one request and changes nothing that is not sent', async () => {
    const renamed = unique('Renamed');
    const answer = await tables.edit('assets', name, {
      name: ` ${renamed} `,
      columns: [
        { key: 'WEIGHT', name: 'Mass' },
        { key: 'site', description: null, options: { target: { entity: 'lists', table: 'Elsewhere' } } },
        { key: 'key', required: true, primaryKey: true, type: 'text' },
        { name: 'Colour', type: 'text', description: 'Of the paint', options: { target: null } },
      ],
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('etag')).toMatch(/^"2-/);
    expect(answer.body.data).toMatchObject({ name: renamed, revision: 2, columnCount: 6 });
    const columns = await tables.columns('assets', renamed);
    expect(columns).toMatchObject({
      key: { required: true, primaryKey: true },
      name: { name: 'Name', description: null },
      weight: { name: 'Mass', type: 'number' },
      site: { description: null, options: { target: { entity: 'list', table: 'Elsewhere' } } },
      colour: { name: 'Colour', type: 'text', description: 'Of the paint', options: {} },
    });
    expect(await tables.rows('assets', renamed, { fields: 'mass,colour' })).toEqual([
      { key: 'a', weight: 1, colour: null },
      { key: 'b', weight: 2, colour: null },
      { key: 'c', weight: null, colour: null },
    ]);
    expect((await tables.get('assets', name)).status).toBe(404);
    expect((await tables.bulk('assets', { name: renamed, items: [{ key: 'a', Mass: 7, COLOUR: 'red' }] })).status).toBe(
      200,
    );
  });

  it('edits one option of a column without changing its other options', async () => {
    const target = { entity: 'list', table: 'Elsewhere' };
    const optionsAfter = async (options: object) => {
      expect((await tables.edit('assets', name, { columns: [{ key: 'site', options }] })).status).toBe(200);
      return (await tables.columns('assets', name))['site']!.options;
    };
    expect(await optionsAfter({ target })).toEqual({ target });
    expect(await optionsAfter({ indexed: true })).toEqual({ target, indexed: true });
    expect(await optionsAfter({ target: null })).toEqual({ indexed: true });
    expect(await optionsAfter({ indexed: null })).toEqual({});
  });

  it('returns 400 for a new table name that is a UUID', async () => {
    const { id } = (await tables.get('assets', name)).body.data as { id: string };
    for (const sent of [id, id.toUpperCase(), randomUUID()]) {
      const { status, body } = await tables.edit('assets', name, { name: sent });
      expect([status, body.details.errors]).toEqual([
        400,
        [{ field: 'name', code: 'invalid_field', message: 'name must not be a UUID, because UUIDs are IDs of tables' }],
      ]);
    }
  });

  it('does not increase the revision if an edit changes nothing or is repeated', async () => {
    const body = {
      name,
      columns: [
        { key: 'weight', name: 'Mass' },
        { name: 'Colour', type: 'text' },
      ],
    };
    for (const unchanged of [
      {},
      { name },
      { columns: [] },
      { columns: [{ key: 'weight' }, { key: 'name', type: 'text' }] },
    ])
      expect((await tables.edit('assets', name, unchanged)).body.data.revision).toBe(1);
    for (let time = 0; time < 2; time++) expect((await tables.edit('assets', name, body)).body.data.revision).toBe(2);
    expect((await tables.edit('assets', name, { name: name.toUpperCase() })).body.data).toMatchObject({
      name: name.toUpperCase(),
      revision: 3,
    });
  });

  it('returns 412 if If-Match is not the revision of the table', async () => {
    const body = { columns: [{ key: 'weight', name: 'Mass' }] };
    expect((await tables.edit('assets', name, body, { 'If-Match': '"7"' })).status).toBe(412);
    expect((await tables.edit('assets', name, body, { 'If-Match': 'nonsense' })).status).toBe(400);
    expect((await tables.edit('assets', name, body, { 'If-Match': '"1"' })).status).toBe(200);
    expect((await tables.edit('assets', name, body, { 'If-Match': '"1"' })).status).toBe(412);
    expect((await tables.drop('assets', name, { 'If-Match': '"1"' })).status).toBe(412);
    expect((await tables.dropColumn('assets', name, 'weight', { 'If-Match': '"1"' })).status).toBe(412);
    expect((await tables.get('assets', name)).body.data).toMatchObject({ revision: 2, columnCount: 5 });
  });

  it.each<[object, number, object[]]>([
    [{ key: 'weight', type: 'text' }, 409, [{ column: 'weight', code: 'column_type_conflict' }]],
    [{ key: 'name', primaryKey: true }, 422, [{ column: 'name', code: 'invalid_primary_key' }]],
    [{ key: 'key', primaryKey: false }, 422, [{ column: 'key', code: 'invalid_primary_key' }]],
    [{ key: 'weight', options: { choices: ['heavy'] } }, 422, [{ column: 'weight', code: 'invalid_option' }]],
    [{ name: 'Other', type: 'text', primaryKey: true }, 422, [{ column: 'other', code: 'invalid_primary_key' }]],
    [{ key: 'nothing', name: 'Nothing' }, 422, [{ column: 'nothing', code: 'unknown_column' }]],
    [{ description: 'of what?' }, 422, [{ code: 'unknown_column' }]],
    [{ key: 'not a key', name: 'x', type: 'text' }, 422, [{ column: 'not a key', code: 'invalid_column_key' }]],
    [{ name: 'Name', description: 'x'.repeat(1000), type: 'number' }, 409, [{ code: 'column_type_conflict' }]],
  ])('rejects an edit with the column %j with %i and changes nothing', async (sent, status, errors) => {
    const answer = await tables.edit('assets', name, {
      columns: [{ key: 'weight', name: 'Mass' }, { name: 'New', type: 'date' }, sent].slice(
        'key' in sent && sent.key === 'weight' ? 1 : 0,
      ),
    });
    expect(answer.status).toBe(status);
    expect(errorsOf(answer)).toMatchObject(errors.map((error) => ({ type: 'asset', table: name, ...error })));
    expect((await tables.get('assets', name)).body.data).toMatchObject({ revision: 1, columnCount: 5 });
    expect((await tables.columns('assets', name))['weight']!.name).toBe('Weight');
  });

  it.each([
    [{ name: '' }],
    [{ name: ' ' }],
    [{ name: 'x'.repeat(256) }],
    [{ name: 'a\0' }],
    [{ columns: [{ key: 'weight', index: {} }] }],
    [{ columns: {} }],
    [{ columns: [null] }],
    [{ rows: [] }],
    [[]],
  ])('returns 400 for an edit with the body %j', async (body) => {
    expect((await tables.edit('assets', name, body)).status).toBe(400);
  });

  it('returns 422 if one edit contains a column twice', async () => {
    const answer = await tables.edit('assets', name, { columns: [{ key: 'weight' }, { key: 'Weight', name: 'Mass' }] });
    expect(answer.status).toBe(422);
    expect(errorsOf(answer)).toMatchObject([{ column: 'weight', code: 'invalid_column_key' }]);
  });

  it('makes a column required only if every row has a value, and reports the number of rows without one', async () => {
    const required = (key: string) => tables.edit('assets', name, { columns: [{ key, required: true }] });
    expect(errorsOf(await required('name'))).toEqual([
      {
        type: 'asset',
        table: name,
        column: 'name',
        code: 'required',
        message: '"name" cannot be required: 2 rows have no value in it.',
      },
    ]);
    expect((await required('weight')).body.details.errors[0].message).toContain('1 row has no value');
    expect((await required('state')).status).toBe(200);
    const without = await tables.bulk('assets', { name, items: [{ key: 'd' }] });
    expect(errorsOf(without)).toMatchObject([{ column: 'state', code: 'required' }]);
    const added = await tables.edit('assets', name, { columns: [{ name: 'Colour', type: 'text', required: true }] });
    expect(errorsOf(added)).toMatchObject([{ column: 'colour', message: expect.stringContaining('3 rows') as string }]);
  });

  it('sets choices only if they include the value of every row, and reports a value that is missing', async () => {
    const choices = (some: string[] | null) =>
      tables.edit('assets', name, { columns: [{ key: 'state', options: { choices: some } }] });
    const rejected = await choices(['open', 'done']);
    expect(rejected.status).toBe(422);
    expect(errorsOf(rejected)).toMatchObject([
      {
        code: 'type_mismatch',
        message: '1 row has a value in "state" that is not one of the choices, such as "lost".',
      },
    ]);
    expect((await choices(['open', 'done', 'lost'])).status).toBe(200);
    const sendNewState = () => tables.bulk('assets', { name, items: [{ key: 'd', state: 'new' }] });
    expect((await sendNewState()).status).toBe(422);
    expect((await choices(null)).body.data.columns[3].options).toEqual({});
    expect((await sendNewState()).status).toBe(200);
  });

  it('makes a column that was dropped and added again visible to a follower of the feed', async () => {
    type Change = { key: string; item: Item };
    const copied = await tables.createTable('assets', COLUMNS, [
      { key: 'a', name: 'A', weight: 1 },
      { key: 'b', name: 'B', weight: 2 },
    ]);
    const changes = async (since: number) => {
      const { body } = await tables.api.get(`${tables.pathOf('assets', copied)}/changes?since=${since}`);
      return body.data as { items: Change[]; addedColumns: string[]; revision: number };
    };
    const first = await changes(0);
    const copy = new Map(first.items.map(({ key, item }) => [key, item]));
    expect(await changes(first.revision)).toMatchObject({ items: [], addedColumns: [] });

    await tables.dropColumn('assets', copied, 'weight');
    expect(await changes(first.revision)).toMatchObject({ items: [], addedColumns: [] });
    await tables.edit('assets', copied, { columns: [column('Weight', 'number')] });
    const [added] = [column('Color', 'text')];
    await tables.bulk('assets', { name: copied, columns: [added], items: [{ key: 'b', weight: 3, color: 'red' }] });
    const next = await changes(first.revision);
    expect(next.addedColumns).toEqual(['weight', 'color']);
    for (const item of copy.values()) for (const key of next.addedColumns) item[key] = null;
    for (const { key, item } of next.items) copy.set(key, item);
    expect([...copy.values()]).toEqual(await tables.rows('assets', copied));
    expect(await changes(next.revision)).toMatchObject({ items: [], addedColumns: [] });
  });

  it('returns 409 if another table of the same entity has the new name', async () => {
    const other = await tables.createTable('assets', COLUMNS);
    const answer = await tables.edit('assets', name, {
      name: other.toUpperCase(),
      columns: [{ key: 'weight', name: 'Mass' }],
    });
    expect(answer).toMatchObject({ status: 409, body: { error: 'name_taken' } });
    expect((await tables.columns('assets', name))['weight']!.name).toBe('Weight');
    const elsewhere = await tables.createTable('lists', COLUMNS);
    expect((await tables.edit('assets', name, { name: elsewhere })).status).toBe(200);
  });

  it('returns 410 for changes since a revision of the former table with that name, but not after renaming back', async () => {
    const changes = (since: number) => tables.api.get(`${tables.pathOf('assets', name)}/changes?since=${since}`);
    const moved = unique('Moved');
    await tables.edit('assets', name, { name: moved });
    await tables.edit('assets', moved, { name });
    expect((await changes(1)).status).toBe(200);
    await tables.edit('assets', name, { name: moved });
    const other = await tables.createTable('assets', COLUMNS, [{ key: 'other' }]);
    const { body } = await tables.edit('assets', other, { name });
    expect(body.data.revision).toBe(4);
    for (const since of [1, 2, 3]) expect((await changes(since)).status).toBe(410);
    expect((await changes(4)).status).toBe(200);
  });

  it('lets a new table use the previous name of a renamed table', async () => {
    await tables.edit('assets', name, { name: unique('Moved') });
    expect((await tables.bulk('assets', { name, items: [] })).status).toBe(422);
    expect((await tables.bulk('assets', { name, columns: COLUMNS, items: [{ key: 'z' }] })).status).toBe(201);
  });
});

describe('references between tables', () => {
  const reference = (table: string) =>
    column('Link', 'reference', { options: { target: { entity: 'location', table } } });
  const targetOf = async (surface: Surface, table: string) =>
    (await tables.columns(surface, table))['link']!.options.target;

  it('renames a table and updates references that contain its name, in any case; references by ID are unchanged', async () => {
    const sites = await tables.createTable('locations', [text('Key'), reference('x')], [{ key: 'p' }]);
    const { id } = (await tables.get('locations', sites)).body.data as { id: string };
    await tables.edit('locations', sites, {
      columns: [{ key: 'link', options: reference(sites.toUpperCase()).options }],
    });
    const byName = await tables.createTable(
      'assets',
      [text('Key'), reference(sites.toLowerCase())],
      [{ key: 'a', link: 'p' }],
    );
    const byId = await tables.createTable('assets', [text('Key'), reference(id)], [{ key: 'a', link: 'p' }]);
    const other = await tables.createTable(
      'lists',
      [text('Key'), reference('Somewhere else')],
      [{ key: 'a', link: 'p' }],
    );

    const name = unique('Sites');
    const before = (await tables.get('locations', sites)).body.data.revision as number;
    expect((await tables.edit('locations', sites, { name })).body.data.revision).toBe(before + 1);

    expect(await targetOf('locations', name)).toEqual({ entity: 'location', table: name });
    expect(await targetOf('assets', byName)).toEqual({ entity: 'location', table: name });
    expect(await targetOf('assets', byId)).toEqual({ entity: 'location', table: id });
    expect(await targetOf('lists', other)).toEqual({ entity: 'location', table: 'Somewhere else' });
    expect(await tables.revision('assets', byName)).toBe(2);
    expect(await tables.revision('assets', byId)).toBe(1);
    expect(await tables.revision('lists', other)).toBe(1);
    const again = await tables.bulk('assets', {
      name: byName,
      items: [
        { key: 'b', link: 'p' },
        { key: 'c', link: 'q' },
      ],
    });
    expect(again.body.data.tables[0].unresolved).toMatchObject({ total: 1, first: [{ value: 'q' }] });
  });

  it('makes references unresolved when their table is dropped; a table created with its name resolves them', async () => {
    const sites = await tables.createTable('locations', COLUMNS, [{ key: 'p' }]);
    const { id } = (await tables.get('locations', sites)).body.data as { id: string };
    const byId = await tables.createTable('assets', [text('Key'), reference(id)], [{ key: 'a', link: 'p' }]);
    expect((await tables.drop('locations', sites)).status).toBe(200);
    expect(await targetOf('assets', byId)).toEqual({ entity: 'location', table: sites });
    const unresolved = async () =>
      (await tables.bulk('assets', { name: byId, items: [{ key: 'a', link: 'p' }] })).body.data.tables[0].unresolved
        .total as number;
    expect(await unresolved()).toBe(1);
    await tables.createTable('locations', COLUMNS, [{ key: 'p' }], sites);
    expect(await unresolved()).toBe(0);
  });
});

describe('dropping a table', () => {
  it('drops a table with its rows, columns and indexes, and allows a new one with the same name', async () => {
    const name = await tables.createTable('lists', COLUMNS, [{ key: 'a' }]);
    const { id } = (await tables.get('lists', name)).body.data as { id: string };
    const table = await tables.physical('lists', name);
    const answer = await tables.drop('lists', name, { 'If-Match': '"1"' });
    expect(answer).toMatchObject({ status: 200, body: { data: {} } });
    for (const named of [name, id]) expect((await tables.read('lists', named)).status).toBe(404);
    expect((await tables.drop('lists', name)).status).toBe(404);
    expect(await database.query('SELECT to_regclass($1) AS found', [table])).toEqual([{ found: null }]);
    for (const catalog of ['workspace_columns', 'column_indexes'])
      expect(await database.query(`SELECT FROM ${catalog} WHERE table_id = $1`, [id])).toEqual([]);
    await tables.createTable('lists', [text('Code')], [{ code: 'a' }], name);
    expect(await tables.rows('lists', name)).toEqual([{ code: 'a' }]);
  });

  it('rejects ETags and change feeds of the dropped table for a new table with the same name', async () => {
    const name = await tables.createTable('lists', COLUMNS, [{ key: 'a', name: 'old' }]);
    await tables.bulk('lists', { name, items: [{ key: 'b' }] });
    const items = `${tables.pathOf('lists', name)}/items`;
    const seen = await Promise.all(
      [tables.pathOf('lists', name), items, `${items}/a`].map((path) => tables.api.get(path)),
    );
    await tables.drop('lists', name);
    await tables.createTable('lists', COLUMNS, [{ key: 'a', name: 'new' }], name);
    for (const [at, path] of [tables.pathOf('lists', name), items, `${items}/a`].entries()) {
      const etag = seen[at]!.headers.get('etag')!;
      expect(etag).not.toBeNull();
      expect({ path, status: (await tables.api.get(path, { 'If-None-Match': etag })).status }).toEqual({
        path,
        status: 200,
      });
      expect((await tables.api.patch(`${items}/a`, { name: 'lost' }, { 'If-Match': etag })).status).toBe(412);
    }
    for (const since of [1, 2])
      expect((await tables.api.get(`${tables.pathOf('lists', name)}/changes?since=${since}`)).status).toBe(410);
    const { data } = (await tables.get('lists', name)).body;
    expect(data.revision).toBe(3);
    expect((await tables.api.get(`${tables.pathOf('lists', name)}/changes?since=3`)).status).toBe(200);
  });

  it('preserves notes on rows of a dropped table with the row key, without the names of table and row', async () => {
    const name = await tables.createTable('locations', COLUMNS, [{ key: 'SITE 1', name: 'First site' }]);
    const notes = tables.path.replace(/cw$/, 'notes');
    const note = await tables.api.post(notes, { title: 'Leak', location: 'SITE 1', locationKey: name });
    expect(note.status).toBe(201);
    const { id, location } = note.body.data as { id: string; location: { tableId: string } };
    await tables.drop('locations', name);
    const unnamed = { tableId: location.tableId, key: 'SITE 1', table: null, name: null };
    expect((await tables.api.get(`${notes}/${id}`)).body.data.location).toEqual(unnamed);
    expect((await tables.api.get(notes)).body.data.items).toMatchObject([{ id, location: unnamed }]);
    expect((await tables.api.patch(`${notes}/${id}`, { title: 'Spill' })).body.data).toMatchObject({
      location: unnamed,
    });
    for (const query of ['location=SITE%201', 'under=SITE%201', 'q=spill'])
      expect((await tables.api.get(`${notes}?${query}`)).status).toBe(200);
    const named = await tables.api.get(`${notes}?location=SITE%201&locationKey=${encodeURIComponent(name)}`);
    expect(named.status).toBeLessThan(500);
    expect((await tables.api.get('/v1/api/analytics/tables')).status).toBe(200);
  });

  it('recreates a dropped table on the next webhook push, and references resolve', async () => {
    const credentials = await services[0]!.provision();
    const own = Tables.of(services[0]!, credentials);
    const push = () =>
      own.api.post('/v1/api/notes/erp/webhook', {
        functionalLocations: [{ TPLNR: 'F1', PLTXT: 'Site' }],
        equipment: [{ EQUNR: 'E1', EQKTX: 'Pump', TPLNR: 'F1' }],
      });
    const first = await push();
    expect(first.status).toBe(201);
    const ids = (answer: ApiResponse) =>
      (answer.body.data.arrays as { table: { id: string } }[]).map(({ table }) => table.id);
    expect((await own.api.delete(`${own.path}/locations/${ids(first)[0]}?confirm=${ids(first)[0]}`)).status).toBe(200);
    const second = await push();
    expect(second).toMatchObject({ status: 201, body: { data: { totals: { created: 1, unchanged: 1, failed: 0 } } } });
    expect(ids(second)[0]).not.toBe(ids(first)[0]);
    expect(ids(second)[1]).toBe(ids(first)[1]);
    for (const at of [0, 1]) {
      const id = ids(second)[at]!;
      await own.api.delete(`${own.path}/${at ? 'assets' : 'locations'}/${id}?confirm=${id}`);
    }
    const third = await push();
    expect(third).toMatchObject({ status: 201, body: { data: { totals: { created: 2 } } } });
    for (const { unresolved } of [...second.body.data.arrays, ...third.body.data.arrays])
      expect(unresolved.total).toBe(0);
    expect((await push()).status).toBe(200);
  });
});

describe('dropping a column', () => {
  it('drops a column with its values, and a new column with the same key is empty', async () => {
    const name = await tables.createTable(
      'lists',
      [...COLUMNS, column('Last', 'text')],
      [{ key: 'a', weight: 1, last: 'x' }],
    );
    for (let round = 1; round <= 3; round++) {
      const answer = await tables.dropColumn('lists', name, 'LAST', { 'If-Match': `"${3 * round - 2}"` });
      expect(answer.status).toBe(200);
      expect(answer.body.data.columns.map((each: { key: string }) => each.key)).toEqual(['key', 'name', 'weight']);
      expect(answer.headers.get('etag')).toMatch(new RegExp(`^"${3 * round - 1}-`));
      expect(await tables.rows('lists', name)).toEqual([{ key: 'a', name: null, weight: 1 }]);
      const sent = await tables.bulk('lists', { name, items: [{ key: 'a', last: 'y' }] });
      expect(errorsOf(sent)).toMatchObject([{ code: 'unknown_column' }]);
      expect((await tables.edit('lists', name, { columns: [{ name: 'Last', type: 'text' }] })).status).toBe(200);
      expect(await tables.rows('lists', name)).toEqual([{ key: 'a', name: null, weight: 1, last: null }]);
      await tables.bulk('lists', { name, items: [{ key: 'a', last: 'y' }] });
    }
    const { id } = (await tables.get('lists', name)).body.data as { id: string };
    const ordinals = await database.query<{ ordinal: number }>(
      'SELECT ordinal FROM workspace_columns WHERE table_id = $1 ORDER BY ordinal',
      [id],
    );
    expect(ordinals.map(({ ordinal }) => ordinal)).toEqual([1, 2, 3, 7]);
  });

  it('returns 422 when the primary key is dropped, and 404 for an unknown column', async () => {
    const name = await tables.createTable('lists', COLUMNS);
    const answer = await tables.dropColumn('lists', name, 'key');
    expect(answer.status).toBe(422);
    expect(errorsOf(answer)).toMatchObject([{ column: 'key', code: 'invalid_primary_key' }]);
    expect((await tables.dropColumn('lists', name, 'nothing')).status).toBe(404);
    expect((await tables.get('lists', name)).body.data.revision).toBe(1);
  });
});

describe('concurrent callers on two instances', () => {
  it('lets exactly one of several edits with the same If-Match succeed', async () => {
    const name = await tables.createTable('lists', COLUMNS);
    const { id } = (await tables.get('lists', name)).body.data as { id: string };
    const answers = await Promise.all(
      callers(8).map((caller, index) =>
        caller.edit(
          'lists',
          id,
          { name: unique('Won'), columns: [{ name: `C${index}`, type: 'text' }] },
          { 'If-Match': '"1"' },
        ),
      ),
    );
    expect(statusesOf(answers)).toEqual([200, ...manyRows(7, () => 412)]);
    expect((await tables.get('lists', id)).body.data).toMatchObject({ revision: 2, columnCount: 4 });
  });

  it('lets exactly one of several tables be renamed to the same name', async () => {
    const wanted = unique('Wanted');
    const names = await Promise.all(manyRows(8, () => tables.createTable('lists', COLUMNS)));
    const answers = await Promise.all(
      callers(8).map((caller, index) => caller.edit('lists', names[index]!, { name: wanted })),
    );
    expect(statusesOf(answers)).toEqual([200, ...manyRows(7, () => 409)]);
  });

  it('stores every row and counts every change in the revision while a table is edited and written', async () => {
    const ROUNDS = 5;
    const name = await tables.createTable('assets', COLUMNS, []);
    const { id } = (await tables.get('assets', name)).body.data as { id: string };
    const writers = callers(4).map(async (caller, index) => {
      for (let round = 0; round < ROUNDS; round++) {
        const items = manyRows(20, (at) => ({ key: `${index} ${round} ${at}`, name: 'x', weight: round }));
        const answer = await caller.bulk('assets', { name, items });
        expect(answer.status).toBe(200);
        expect(answer.body.data.totals.created).toBe(20);
      }
    });
    const editors = callers(2).map(async (caller, index) => {
      for (let round = 0; round < ROUNDS; round++) {
        const columns = [
          { key: 'name', description: `${index} ${round}` },
          { name: `Added ${index} ${round}`, type: 'text' },
        ];
        expect((await caller.edit('assets', id, { columns })).status).toBe(200);
      }
    });
    await Promise.all([...writers, ...editors]);
    expect(await tables.rows('assets', name)).toHaveLength(4 * ROUNDS * 20);
    const { revision, columnCount } = (await tables.get('assets', name)).body.data as Record<string, number>;
    expect({ revision, columnCount }).toEqual({ revision: 1 + 6 * ROUNDS, columnCount: 3 + 2 * ROUNDS });
  });

  it('loses no row if a table is renamed back and forth while others write to one of its names', async () => {
    const [first, second] = [unique('Flip A'), unique('Flip B')];
    await tables.createTable('lists', COLUMNS, [], first);
    const { id } = (await tables.get('lists', first)).body.data as { id: string };
    let writing = true;
    const renamed = (async () => {
      for (let round = 0; writing; round++) {
        const answer = await tables.edit('lists', id, { name: round % 2 ? first : second });
        // A writer may have created a table with that name.
        expect([200, 409]).toContain(answer.status);
      }
    })();
    const keys = new Set<string>();
    await Promise.all(
      callers(4).map(async (caller, index) => {
        for (let round = 0; round < 10; round++) {
          const key = `${index} ${round}`;
          const answer = await caller.bulk('lists', { name: first, columns: COLUMNS, items: [{ key }] });
          expect([200, 201]).toContain(answer.status);
          keys.add(key);
        }
      }),
    );
    writing = false;
    await renamed;
    const rows: Item[] = [];
    for (const name of [first, second])
      if ((await tables.get('lists', name)).status === 200) rows.push(...(await tables.rows('lists', name)));
    expect(rows.map(({ key }) => key).sort()).toEqual([...keys].sort());
  });

  it('returns no inconsistent response while a table is dropped, written and read', async () => {
    const sites = await tables.createTable('locations', COLUMNS, [{ key: 'p' }]);
    const link = column('Link', 'reference', { options: { target: { entity: 'location', table: sites } } });
    let dropping = true;
    const dropped = (async () => {
      let drops = 0;
      for (; drops < 6;) {
        const answer = await tables.drop('locations', sites);
        expect([200, 404]).toContain(answer.status);
        if (answer.status === 200) drops++;
      }
      dropping = false;
    })();
    const writers = callers(3).map(async (caller, index) => {
      while (dropping) {
        const items = manyRows(5, (at) => ({ key: `${index} ${at}` }));
        const answer = await caller.bulk('locations', { name: sites, columns: COLUMNS, items });
        expect([200, 201]).toContain(answer.status);
      }
    });
    const linkers = callers(2).map(async (caller, index) => {
      const name = unique('Linked');
      for (let round = 0; dropping; round++) {
        const answer = await caller.bulk('assets', {
          name,
          columns: [text('Key'), link],
          items: [{ key: `${round}`, link: `${index} 1` }],
        });
        expect([200, 201]).toContain(answer.status);
      }
    });
    const readers = callers(3).map(async (caller) => {
      // A recreated table continues the revision of the previous one, so that the two cannot be confused.
      let last = 0;
      while (dropping) {
        expect([200, 404]).toContain((await caller.read('locations', sites, { count: 'exact' })).status);
        const { status, body } = await caller.api.get(tables.pathOf('locations', sites));
        expect([200, 404]).toContain(status);
        if (status === 200) expect(body.data.revision).toBeGreaterThanOrEqual(last);
        if (status === 200) last = body.data.revision as number;
        expect((await caller.api.get('/v1/api/analytics/tables')).status).not.toBe(500);
      }
    });
    await Promise.all([dropped, ...writers, ...linkers, ...readers]);
    expect([200, 404]).toContain((await tables.get('locations', sites)).status);
  });

  it('drops a column while others write and read it, without losing rows', async () => {
    const name = await tables.createTable('lists', COLUMNS, [{ key: 'a', weight: 1 }]);
    for (let round = 0; round < 4; round++) {
      let dropping = true;
      const writers = callers(3).map(async (caller, index) => {
        for (let at = 0; dropping; at++) {
          const answer = await caller.bulk('lists', { name, items: [{ key: `${index} ${round} ${at}`, weight: at }] });
          if (answer.status === 422)
            expect(errorsOf(answer)).toMatchObject([{ code: 'unknown_column', column: 'weight' }]);
          else expect(answer.status).toBe(200);
        }
      });
      const readers = callers(2).map(async (caller) => {
        while (dropping) {
          expect((await caller.read('lists', name)).status).toBe(200);
          expect([200, 400]).toContain((await caller.read('lists', name, { sort: 'weight' })).status);
        }
      });
      await delay(20);
      expect((await tables.dropColumn('lists', name, 'weight')).status).toBe(200);
      await delay(20);
      dropping = false;
      await Promise.all([...writers, ...readers]);
      expect(Object.keys(await tables.columns('lists', name))).toEqual(['key', 'name']);
      expect((await tables.bulk('lists', { name, columns: [column('Weight', 'number')], items: [] })).status).toBe(200);
      expect((await tables.rows('lists', name)).every(({ weight }) => weight === null)).toBe(true);
    }
  });
});

describe('a limit of columns below the number that a table has', () => {
  let lowered: TestService;
  let mine: TableAdministration;
  let table: string;

  beforeAll(async () => {
    lowered = await TestService.start(database, { TABLE_MAX_COLUMNS: '2' });
    mine = TableAdministration.for(Tables.of(lowered, me));
  }, 60_000);

  afterAll(() => lowered?.stop());

  beforeEach(async () => void (table = await tables.createTable('assets', COLUMNS, [{ key: 'a', name: 'Pump' }])));

  const colour = text('Colour');

  it('accepts rows with all columns of the table, by bulk, file and single row, and edits of a column', async () => {
    const sent = await mine.bulk('assets', { name: table, columns: COLUMNS, items: [{ key: 'b', weight: 1 }] });
    expect([sent.status, sent.body.data?.totals.created]).toEqual([200, 1]);
    const imported = await sendFile(mine, table, lines([{ key: 'c', name: 'Valve', weight: 2 }]));
    expect([imported.status, imported.body.data?.totals.created]).toEqual([200, 1]);
    const put = await mine.api.put(`${mine.pathOf('assets', table)}/items/d`, { name: 'Motor', weight: 3 });
    expect(put.status).toBe(201);
    const edited = await mine.edit('assets', table, { columns: [{ key: 'weight', name: 'Mass' }] });
    expect(edited.status).toBe(200);
    expect(await mine.rows('assets', table)).toMatchObject([
      { key: 'a', name: 'Pump', weight: null },
      { key: 'b', name: null, weight: 1 },
      { key: 'c', name: 'Valve', weight: 2 },
      { key: 'd', name: 'Motor', weight: 3 },
    ]);
  });

  it.each<[string, () => Promise<ApiResponse>]>([
    ['a bulk request', () => mine.bulk('assets', { name: table, columns: [...COLUMNS, colour], items: [] })],
    ['an edit', () => mine.edit('assets', table, { columns: [colour] })],
  ])('rejects a further column of %s, and stores nothing', async (_, add) => {
    const rejected = await add();
    expect(rejected.status).toBe(422);
    expect(errorsOf(rejected)).toMatchObject([
      { code: 'too_many_columns', message: 'A table has at most 2 columns; this would have 4.' },
    ]);
    expect(Object.keys(await mine.columns('assets', table))).toEqual(['key', 'name', 'weight']);
  });

  it('accepts a column again when fewer than the limit are left', async () => {
    for (const key of ['name', 'weight']) expect((await mine.dropColumn('assets', table, key)).status).toBe(200);
    expect((await mine.edit('assets', table, { columns: [colour] })).status).toBe(200);
    expect(Object.keys(await mine.columns('assets', table))).toEqual(['key', 'colour']);
  });
});
