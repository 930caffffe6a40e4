import { setTimeout as delay } from 'node:timers/promises';
import type { ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { TestService } from '../support/service.js';
import { type SharedService, shareServices } from '../support/shared-services.js';
import { column, type Item, keyAt, manyRows, type Surface, Tables, text, unique } from '../support/tables.js';
import { signIn } from '../support/tokens.js';

let database: Database;
let deadlocksBefore: number;
/** Two instances of the service on one database. */
let services: SharedService[] = [];
let me: Credentials;
let tables: Tables;

beforeAll(async () => {
  ({ database, services } = await shareServices(2));
  deadlocksBefore = await database.deadlocks();
  me = await services[0]!.provision();
  tables = Tables.of(services[0]!, me);
}, 60_000);

afterAll(async () => {
  for (const service of services)
    expect(service.output.join('')).not.toMatch(/internal_error|deadlock|40P01|Unhandled|uncaught/i);
  expect(await database.deadlocks()).toBe(deadlocksBefore);
});

const SITES = [text('Key'), text('Name'), column('Parent', 'hierarchyParent')];

function pathOf(surface: Surface, table: string, key: string): string {
  return `${tables.path}/${surface}/${encodeURIComponent(table)}/items/${encodeURIComponent(key)}/rename`;
}

function rename(surface: Surface, table: string, from: string, to: unknown, caller = tables): Promise<ApiResponse> {
  return caller.api.post(pathOf(surface, table, from), { key: to });
}

async function createTable(surface: Surface, columns: ReturnType<typeof text>[], items: Item[]): Promise<string> {
  const name = unique('Table');
  expect((await tables.bulk(surface, { name, columns, items })).status).toBe(201);
  return name;
}

const reference = (entity?: string, table?: string) =>
  column('Link', 'reference', entity ? { options: { target: { entity, table } } } : {});

/** The values of one column of a table, by key. */
async function values(surface: Surface, table: string, of: string, caller = tables): Promise<Item> {
  const rows = await caller.rows(surface, table);
  return Object.fromEntries(rows.map((row) => [row['key'], row[of]!]));
}

describe('a renamed row', () => {
  it('a renamed row retains its values, and children and references contain the new key', async () => {
    const sites = await createTable('locations', SITES, [
      { key: 'site', name: 'Site' },
      { key: 'hall', name: 'Hall', parent: 'site' },
      { key: 'bay 1', parent: 'hall' },
      { key: 'bay 2', parent: 'hall' },
      { key: 'shelf', parent: 'bay 1' },
    ]);
    const { id } = (await tables.read('locations', sites)).body.data.table;
    const links = [
      { key: 'a', link: 'hall' },
      { key: 'b', link: 'hall' },
      { key: 'c', link: 'site' },
      { key: 'd', link: null },
    ];
    const untargeted = await createTable('assets', [text('Key'), reference()], links);
    const byName = await createTable('assets', [text('Key'), reference('location', sites.toUpperCase())], links);
    const byId = await createTable('lists', [text('Key'), reference('location', id as string)], links);
    const elsewhere = await createTable('assets', [text('Key'), reference('location', 'Elsewhere')], links);
    const textual = await createTable('lists', [text('Key'), text('Link')], links);
    const idle = await createTable('lists', [text('Key'), reference('location', sites)], [{ key: 'a', link: 'site' }]);

    const answer = await rename('locations', sites, 'hall', ' Halle 1 ');
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      table: { id, name: sites, type: 'location', revision: 2 },
      key: 'Halle 1',
      previousKey: 'hall',
      changed: { children: 2, references: 6, ambiguous: 0 },
    });
    expect(await tables.rows('locations', sites)).toEqual([
      { key: 'Halle 1', name: 'Hall', parent: 'site' },
      { key: 'bay 1', name: null, parent: 'Halle 1' },
      { key: 'bay 2', name: null, parent: 'Halle 1' },
      { key: 'shelf', name: null, parent: 'bay 1' },
      { key: 'site', name: 'Site', parent: null },
    ]);
    const followed = { a: 'Halle 1', b: 'Halle 1', c: 'site', d: null };
    const stayed = { a: 'hall', b: 'hall', c: 'site', d: null };
    expect(await values('assets', untargeted, 'link')).toEqual(followed);
    expect(await values('assets', byName, 'link')).toEqual(followed);
    expect(await values('lists', byId, 'link')).toEqual(followed);
    expect(await values('assets', elsewhere, 'link')).toEqual(stayed);
    expect(await values('lists', textual, 'link')).toEqual(stayed);

    // Each changed table has the next revision, and so do its changed rows.
    for (const [surface, table, revision] of [
      ['locations', sites, 2],
      ['assets', untargeted, 2],
      ['assets', byName, 2],
      ['lists', byId, 2],
      ['assets', elsewhere, 1],
      ['lists', textual, 1],
      ['lists', idle, 1],
    ] as const)
      expect({ table, revision: await tables.revision(surface, table) }).toEqual({ table, revision });
    expect(await stamped('locations', sites)).toEqual({ 1: 2, 2: 3 });
    expect(await stamped('assets', untargeted)).toEqual({ 1: 2, 2: 2 });
  });

  it('a rename changes tags at the row, each with an event', async () => {
    const table = await createTable('locations', SITES, [{ key: 'hall', name: 'Hall' }]);
    const project = (await tables.api.post('/v1/api/projects', { name: unique('Works') })).body.data;
    const tour = (await tables.api.post('/v1/api/tours', { projectId: project.id, title: 'Tour' })).body.data;
    const tag = (
      await tables.api.post('/v1/api/tags', { tourId: tour.id, label: 'Door', location: 'hall', locationKey: table })
    ).body.data;
    const events = `/v2/api/workspaces/${me.workspaceId}/events`;
    const after = (await tables.api.get(events)).body.data.latestSequence as number;
    expect((await rename('locations', table, 'hall', 'hall 1')).status).toBe(200);
    const { body } = await tables.api.get(`${events}?after=${after}&types=tag.*`);
    expect(body.data.events).toMatchObject([
      { type: 'tag.updated', data: { tag: { id: tag.id, version: tag.version + 1, location: { key: 'hall 1' } } } },
    ]);
  });

  it('a bulk request updates a renamed row by its new key and creates a row for the old key', async () => {
    const name = await createTable('lists', [text('Key'), text('Name')], [{ key: 'old', name: 'Kept' }]);
    expect((await rename('lists', name, 'old', 'new')).status).toBe(200);
    const items = [{ key: 'new' }, { key: 'old' }];
    const { totals } = (await tables.bulk('lists', { name, items })).body.data;
    expect(totals).toMatchObject({ created: 1, unchanged: 1 });
    expect(await values('lists', name, 'name')).toEqual({ new: 'Kept', old: null });
  });

  it('an undo of the load that wrote a renamed row does not change the next row with its key', async () => {
    const name = await createTable('lists', [text('Key'), text('Name')], [{ key: 'updated', name: 'first' }]);
    const load = async (item: Item) => (await tables.bulk('lists', { name, items: [item] })).body.data.batchId;
    for (const key of ['updated', 'created']) {
      const batchId = await load({ key, name: 'loaded' });
      expect((await rename('lists', name, key, `${key} before`)).status).toBe(200);
      await load({ key, name: 'loaded' });
      const before = await values('lists', name, 'name');
      const undone = await tables.api.post(`${tables.path}/batches/${batchId}/undo`);
      expect([undone.status, undone.body.error]).toEqual([409, 'batch_conflict']);
      expect(await values('lists', name, 'name')).toEqual(before);
    }
  });

  it('a rename updates references of the row to itself, and increments the revision of its table once', async () => {
    const name = unique('Own');
    const columns = [text('Key'), column('Parent', 'hierarchyParent'), reference('location', name)];
    const items = [
      { key: 'a', link: 'a' },
      { key: 'b', parent: 'a', link: 'a' },
    ];
    await tables.bulk('locations', { name, columns, items });
    const { changed, table } = (await rename('locations', name, 'a', 'z')).body.data;
    expect({ changed, revision: table.revision }).toEqual({
      changed: { children: 1, references: 2, ambiguous: 0 },
      revision: 2,
    });
    expect(await tables.rows('locations', name)).toEqual([
      { key: 'b', parent: 'z', link: 'z' },
      { key: 'z', parent: null, link: 'z' },
    ]);
  });

  it('a rename leaves references that mean a row of several tables, and reports their number', async () => {
    const { workspaceId, apiKey } = await services[0]!.provision();
    const own = Tables.of(services[0]!, { ...me, workspaceId, apiKey });
    const [north, south] = [unique('North'), unique('South')];
    const send = (name: string, items: Item[]) => own.bulk('locations', { name, columns: SITES, items });
    await send(north, [{ key: 'hall' }, { key: 'bay', parent: 'hall' }, { key: 'gate' }]);
    await send(south, [{ key: 'hall' }]);
    const [untargeted, targeted] = [unique('Pumps'), unique('Pumps')];
    const links = [
      { key: 'a', link: 'hall' },
      { key: 'b', link: 'hall' },
      { key: 'c', link: 'gate' },
    ];
    await own.bulk('assets', { name: untargeted, columns: [text('Key'), reference()], items: links });
    const columns = [text('Key'), reference('location', north)];
    await own.bulk('assets', { name: targeted, columns, items: links });
    const renameOwn = (from: string, key: string) =>
      own.api.post(`${own.path}/locations/${encodeURIComponent(north)}/items/${from}/rename`, { key });

    const answer = await renameOwn('hall', 'Halle');
    expect(answer.body.data.changed).toEqual({ children: 1, references: 2, ambiguous: 2 });
    expect(await values('assets', untargeted, 'link', own)).toEqual({ a: 'hall', b: 'hall', c: 'gate' });
    expect(await values('assets', targeted, 'link', own)).toEqual({ a: 'Halle', b: 'Halle', c: 'gate' });
    expect(await own.revision('assets', untargeted)).toBe(1);
    const { expanded } = (await own.read('assets', untargeted, { expand: 'link' })).body.data;
    expect(expanded.link.hall).toMatchObject({ table: south });
    // Only one table has the key.
    expect((await renameOwn('gate', 'Tor')).body.data.changed).toEqual({ children: 0, references: 2, ambiguous: 0 });
    // A deleted row does not count.
    await own.api.delete(`${own.path}/locations/${encodeURIComponent(south)}/items/hall`);
    await send(north, [{ key: 'hall' }]);
    expect((await renameOwn('hall', 'Hall')).body.data.changed).toEqual({ children: 0, references: 2, ambiguous: 0 });
  });

  it('a rename resolves references that already named the new key', async () => {
    const sites = await createTable('locations', SITES, [{ key: 'a' }, { key: 'b', parent: 'later' }]);
    const { changed } = (await rename('locations', sites, 'a', 'later')).body.data;
    expect(changed).toEqual({ children: 0, references: 0, ambiguous: 0 });
    const answer = await tables.bulk('locations', { name: sites, items: [{ key: 'b', parent: 'later' }] });
    expect(answer.body.data.tables[0].unresolved.total).toBe(0);
  });

  it('a rename changes nothing if the row already has the key, in any notation', async () => {
    const name = await createTable('assets', [text('Key')], [{ key: 'Tür' }]);
    for (const key of ['Tür', ' Tür\t', 'Tür'.normalize('NFD')]) {
      const answer = await rename('assets', name, 'Tür', key);
      expect(answer.status).toBe(200);
      const { table, ...rest } = answer.body.data;
      expect(table.revision).toBe(1);
      expect(rest).toEqual({ key: 'Tür', previousKey: 'Tür', changed: { children: 0, references: 0, ambiguous: 0 } });
    }
  });

  it.each([
    'DE/4711/A',
    '100 % sure',
    '%2F',
    'a b+c&d=e?f#g',
    'Überdruckventil Größe ß',
    '\u00e9 and e\u0301',
    '日本語 😀',
    '...',
    "'; DROP TABLE users --",
    '\\',
    'x'.repeat(255),
  ])('a rename accepts %j as old and as new key', async (key) => {
    const name = await createTable('assets', [text('Key')], [{ key: 'plain' }]);
    expect((await rename('assets', name, 'plain', key)).body.data.key).toBe(key.normalize('NFC'));
    expect(await tables.rows('assets', name)).toEqual([{ key: key.normalize('NFC') }]);
    expect((await rename('assets', name, key, 'plain')).status).toBe(200);
    expect(await tables.rows('assets', name)).toEqual([{ key: 'plain' }]);
  });

  /** The number of rows per revision. */
  async function stamped(surface: Surface, name: string): Promise<Record<number, number>> {
    const { id } = (await tables.read(surface, name)).body.data.table as { id: string };
    const hex = (uuid: string) => uuid.replaceAll('-', '');
    const rows = await database.query<{ revision: number; rows: number }>(
      `SELECT _revision::int AS revision, count(*)::int AS rows FROM ws_${hex(me.workspaceId)}.t_${hex(id)} GROUP BY 1`,
    );
    return Object.fromEntries(rows.map(({ revision, rows: count }) => [revision, count]));
  }
});

describe('a rejected rename', () => {
  let name: string;

  beforeAll(async () => {
    name = await createTable('locations', SITES, [
      { key: 'a', parent: 'b' },
      { key: 'b', parent: 'later' },
      { key: 'c', parent: 'c later' },
    ]);
  });

  afterEach(async () => {
    expect(await tables.revision('locations', name)).toBe(1);
    expect(await values('locations', name, 'parent')).toEqual({ a: 'b', b: 'later', c: 'c later' });
  });

  it('returns 404 for a rename if the row or its table does not exist', async () => {
    for (const [surface, table, key] of [
      ['locations', name, 'nowhere'],
      ['locations', name, 'A'],
      ['locations', name, ' '],
      ['locations', name, 'x'.repeat(256)],
      ['locations', name, 'a\0'],
      ['locations', unique('None'), 'a'],
      ['assets', name, 'a'],
    ] as const) {
      const answer = await rename(surface, table, key, 'z');
      expect({ key, status: answer.status }).toEqual({ key, status: 404 });
    }
    // Even if old and new key are equal.
    expect((await rename('locations', name, 'nowhere', 'nowhere')).status).toBe(404);
  });

  it('returns 409 for a rename if another row has the new key', async () => {
    for (const key of ['b', ' b ']) {
      const answer = await rename('locations', name, 'a', key);
      expect(answer).toMatchObject({ status: 409, body: { error: 'key_taken' } });
      expect(answer.body.message).toContain('"b"');
    }
  });

  it.each([
    ['', 'required_key', /cannot be empty/],
    [' \t', 'required_key', /cannot be empty/],
    ['x'.repeat(256), 'type_mismatch', /at most 255 characters; this has 256/],
    ['a\0b', 'type_mismatch', /U\+0000/],
    ['a\ud800', 'type_mismatch', /surrogate/],
  ])('returns 422 with the error of a bulk request for the invalid new key %j', async (key, code, message) => {
    const answer = await rename('locations', name, 'a', key);
    expect(answer).toMatchObject({ status: 422, body: { error: 'invalid_key' } });
    const position = { field: 'key', type: 'location', table: name, key: 'a', column: 'key' };
    expect(answer.body.details).toEqual({
      total: 1,
      errors: [{ ...position, code, message: expect.stringMatching(message) as string }],
    });
  });

  it('returns 422 for a rename that would create a cycle', async () => {
    for (const [from, to] of [
      ['b', 'later'],
      ['a', 'later'],
      ['c', 'c later'],
    ] as const) {
      const answer = await rename('locations', name, from, to);
      expect(answer.status).toBe(422);
      expect(answer.body.details.errors).toMatchObject([{ key: from, column: 'parent', code: 'hierarchy_cycle' }]);
    }
  });

  it.each([[{}], [{ key: null }], [{ key: 4711 }], [{ key: ['z'] }], [{ key: 'z', name: 'Z' }], [[]]])(
    'returns 400 for a rename with the body %j',
    async (body) => {
      expect((await tables.api.post(pathOf('locations', name, 'a'), body)).status).toBe(400);
    },
  );

  it('returns 403 or 404 for a rename by a caller with only read access or none', async () => {
    const path = pathOf('locations', name, 'a');
    const reader = tables.api.withToken((await signIn(tables.api, me, ['read:workspaces'])).access_token);
    expect(await reader.post(path, { key: 'z' })).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
    const outsider = Tables.of(services[1]!, await services[1]!.provision());
    expect((await outsider.api.post(path, { key: 'z' })).status).toBe(404);
    const own = path.replace(me.workspaceId, outsider.workspaceId);
    expect((await outsider.api.post(own, { key: 'z' })).status).toBe(404);
  });

  it('returns 503 with Retry-After for a rename if the table is locked for too long', async () => {
    const { id } = (await tables.read('locations', name)).body.data.table as { id: string };
    const table = `ws_${me.workspaceId.replaceAll('-', '')}.t_${id.replaceAll('-', '')}`;
    const impatient = await TestService.start(database, { DATABASE_LOCK_TIMEOUT_MS: '500' });
    const release = await database.lock(`SELECT 1 FROM ${table} FOR KEY SHARE`);
    try {
      const answer = await rename('locations', name, 'a', 'z', Tables.of(impatient, me));
      expect(answer).toMatchObject({ status: 503, body: { error: 'busy' } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await release();
      await impatient.stop();
    }
  });
});

describe('concurrent callers on two instances', () => {
  const CALLERS = 8;
  const callers = () => manyRows(CALLERS, (who) => Tables.of(services[who % 2]!, me));
  const statusesOf = (answers: ApiResponse[]) => answers.map((answer) => answer.status).sort();

  it('of concurrent renames of one row one succeeds; the others no longer find the row', async () => {
    const sites = await createTable('locations', SITES, [{ key: 'old' }, { key: 'child', parent: 'old' }]);
    const answers = await Promise.all(
      callers().map((caller, who) => rename('locations', sites, 'old', `new ${who}`, caller)),
    );
    expect(statusesOf(answers)).toEqual([200, ...manyRows(CALLERS - 1, () => 404)]);
    const { key } = answers.find(({ status }) => status === 200)!.body.data;
    expect(await values('locations', sites, 'parent')).toEqual({ [key]: null, child: key });
    expect(await tables.revision('locations', sites)).toBe(2);
  });

  it('of concurrent renames of many rows to one key one succeeds; the others receive 409', async () => {
    const name = await createTable(
      'assets',
      [text('Key')],
      manyRows(CALLERS, (who) => ({ key: `k${who}` })),
    );
    const answers = await Promise.all(callers().map((caller, who) => rename('assets', name, `k${who}`, 'one', caller)));
    expect(statusesOf(answers)).toEqual([200, ...manyRows(CALLERS - 1, () => 409)]);
    expect(await tables.rows('assets', name)).toHaveLength(CALLERS);
  });

  it('renames during writes to referring tables lose no update, and each reference resolves', async () => {
    const ROUNDS = 6;
    const children = manyRows(40, (at) => keyAt(at));
    const roots = manyRows(4, (at) => `root ${at}`);
    const sites = await createTable(
      'locations',
      [...SITES, column('Round', 'number')],
      [...roots.map((key) => ({ key })), ...children.map((key, at) => ({ key, parent: roots[at % 4]!, round: 0 }))],
    );
    const columns = [text('Key'), reference(), column('Round', 'number')];
    const links = children.map((key, at) => ({ key, link: roots[at % 4]!, round: 0 }));
    const assets = await createTable('assets', columns, links);
    const codes = await createTable('lists', [columns[0]!, reference('location', sites), columns[2]!], links);

    const renamed = roots.map(async (root, who) => {
      const caller = Tables.of(services[who % 2]!, me);
      let key = root;
      for (let round = 1; round <= ROUNDS; round++) {
        const answer = await rename('locations', sites, key, `${root} in round ${round}`, caller);
        expect(answer.status).toBe(200);
        expect(answer.body.data.changed).toEqual({ children: 10, references: 20, ambiguous: 0 });
        key = answer.body.data.key as string;
      }
      return key;
    });
    const written = manyRows(4, async (who) => {
      const caller = Tables.of(services[who % 2]!, me);
      for (let round = 1; round <= ROUNDS; round++) {
        const items = children.filter((_, at) => at % 4 === who).map((key) => ({ key, round }));
        const all = [
          { type: 'location', name: sites, items },
          { type: 'asset', name: assets, items },
          { type: 'list', name: codes, items },
        ];
        const answer = await caller.bulkAll(who % 2 ? all : all.reverse());
        expect(answer.status).toBe(200);
        expect(answer.body.data.totals).toMatchObject({ updated: 30, unchanged: 0 });
      }
    });
    const keys = await Promise.all(renamed);
    await Promise.all(written);

    const expected = Object.fromEntries(children.map((key, at) => [key, keys[at % 4]!]));
    expect(await values('locations', sites, 'parent')).toEqual({
      ...expected,
      ...Object.fromEntries(keys.map((key) => [key, null])),
    });
    expect(await values('assets', assets, 'link')).toEqual(expected);
    expect(await values('lists', codes, 'link')).toEqual(expected);
    const rounds = Object.fromEntries(children.map((key) => [key, ROUNDS]));
    expect(await values('assets', assets, 'round')).toEqual(rounds);
    // Each writing request has its own revision of the table: four callers of each kind.
    for (const [surface, table] of [
      ['locations', sites],
      ['assets', assets],
      ['lists', codes],
    ] as const)
      expect(await tables.revision(surface, table)).toBe(1 + 8 * ROUNDS);
  });

  it('a rename while others create referring tables matches one of the two orders', async () => {
    const sites = await createTable('locations', SITES, [{ key: 'k0' }]);
    let making = true;
    const renaming = (async () => {
      let round = 0;
      for (; making; round++) {
        const answer = await rename('locations', sites, `k${round}`, `k${round + 1}`);
        // If a new referring table appears in each of three attempts, the caller must retry.
        if (answer.status === 503) round--;
        else expect(answer.status).toBe(200);
        await delay(1);
      }
      return `k${round}`;
    })();
    const columns = [text('Key'), reference('location', sites)];
    const created = await Promise.all(
      callers().map(async (caller) => {
        const names: string[] = [];
        for (let table = 0; table < 4; table++) {
          const name = unique('Made');
          const link = (await caller.rows('locations', sites))[0]!['key']!;
          const answer = await caller.bulk('lists', { name, columns, items: [{ key: 'a', link }] });
          expect(answer.status).toBe(201);
          names.push(name);
        }
        return names;
      }),
    );
    making = false;
    const last = await renaming;
    expect(await tables.rows('locations', sites)).toMatchObject([{ key: last }]);
    // From now on the references are updated, in either order.
    for (const name of created.flat())
      expect((await tables.bulk('lists', { name, items: [{ key: 'a', link: last }] })).status).toBe(200);
    expect((await rename('locations', sites, last, 'end')).body.data.changed.references).toBe(created.flat().length);
    for (const name of created.flat()) expect(await values('lists', name, 'link')).toEqual({ a: 'end' });
  });
});
