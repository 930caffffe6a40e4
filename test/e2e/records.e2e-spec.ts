import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { RACE_ROUNDS } from '../support/property-cases.js';
import { type SharedService, shareServices } from '../support/shared-services.js';
import { Tables, text } from '../support/tables.js';

const STAGINGS = '/v1/api/virtual-stagings';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface Kind {
  path: string;
  /** The field with the name of a record. */
  name: string;
  /** Required fields other than the name. */
  required: () => object;
}

/** The behavior that all kinds of records share. The suites of each kind test the rest. */
describe('records', () => {
  let database: Database;
  let services: SharedService[];
  let me: Credentials;
  let api: Api;
  let otherInstance: Api;
  let otherWorkspace: Api;
  let projectId: string;
  let tourId: string;

  const kinds: [string, Kind][] = [
    ['projects', { path: '/v1/api/projects', name: 'name', required: () => ({}) }],
    ['tours', { path: '/v1/api/tours', name: 'title', required: () => ({ projectId }) }],
    ['tags', { path: '/v1/api/tags', name: 'label', required: () => ({ tourId }) }],
  ];

  beforeAll(async () => {
    ({ database, services } = await shareServices(2));
    me = await services[0]!.provision();
    [api, otherInstance] = services.map(({ baseUrl }) => new Api(baseUrl).withKey(me.apiKey)) as [Api, Api];
    otherWorkspace = new Api(services[0]!.baseUrl).withKey((await services[0]!.provision()).apiKey);
    projectId = (await api.post('/v1/api/projects', { name: 'Boiler house' })).body.data.id;
    tourId = (await api.post('/v1/api/tours', { projectId, title: 'Ground floor' })).body.data.id;
  });

  describe.each(kinds)('%s', (_, kind) => {
    const { path, name } = kind;
    const create = (more: object = {}) => api.post(path, { [name]: 'Pump', ...kind.required(), ...more });
    const make = async (more: object = {}) => (await create(more)).body.data;
    const ids = async (query: string, instance = api) =>
      (await instance.get(`${path}?${query}`)).body.data.items.map(({ id }: { id: string | number }) => id);

    it('change only the fields sent and increment the version', async () => {
      const { id, version } = await make({ description: 'Old' });
      const changed = await api.patch(`${path}/${id}`, { [name]: 'Pump 2' }, { 'If-Match': `"${version}"` });
      expect(changed.body.data).toMatchObject({ id, [name]: 'Pump 2', description: 'Old', version: version + 1 });
      expect(changed.headers.get('etag')).toMatch(new RegExp(`^"${version + 1}-`));
      const stale = await api.patch(`${path}/${id}`, { [name]: 'Pump 3' }, { 'If-Match': `"${version}"` });
      expect([stale.status, stale.body.error]).toEqual([412, 'version_mismatch']);
      const same = await api.patch(`${path}/${id}`, { [name]: 'Pump 2' });
      expect(same.body.data.version).toBe(version + 1);
      expect((await api.patch(`${path}/${id}`, { description: null })).body.data.description).toBeNull();
      expect((await api.patch(`${path}/${id}`, { [name]: null })).body.data[name]).toBe('Pump 2');
      expect((await api.patch(`${path}/${id}`, { [name]: '' })).status).toBe(400);
      expect((await api.patch(`${path}/${id}`, { nonsense: 1 })).body.details.errors).toMatchObject([
        { field: 'nonsense', code: 'unknown_field' },
      ]);
    });

    it('records return 304 for If-None-Match with the current ETag', async () => {
      const { id } = await make();
      const read = await api.get(`${path}/${id}`);
      const again = await api.get(`${path}/${id}`, { 'If-None-Match': read.headers.get('etag')! });
      expect(again.status).toBe(304);
    });

    it('records can be archived and restored', async () => {
      const { id } = await make({ externalId: `archived-${name}` });
      const archived = await api.delete(`${path}/${id}`);
      expect([archived.status, archived.body.data.archivedAt]).toEqual([200, expect.any(String)]);
      expect((await api.get(`${path}/${id}`)).body.data.archivedAt).toBe(archived.body.data.archivedAt);
      const query = `externalId=archived-${name}`;
      expect(await ids(query)).toEqual([]);
      expect(await ids(`${query}&archived=true`)).toEqual([id]);
      expect(await ids(`${query}&archived=all`)).toEqual([id]);
      for (const rejected of [
        await api.patch(`${path}/${id}`, { [name]: 'x' }),
        await create({ externalId: `archived-${name}` }),
      ])
        expect([rejected.status, rejected.body.error]).toEqual([409, 'archived']);
      // Archiving again changes nothing.
      expect((await api.delete(`${path}/${id}`)).body.data.version).toBe(archived.body.data.version);
      const restored = await api.post(`${path}/${id}/restore`, {});
      expect([restored.status, restored.body.data.archivedAt]).toEqual([200, null]);
      expect(await ids(query)).toEqual([id]);
    });

    it('records are updated by a create with an existing external ID', async () => {
      const first = await create({ externalId: 'SAP-1', description: 'Old' });
      expect(first.status).toBe(201);
      const again = await create({ externalId: 'SAP-1', [name]: 'Pump, painted' });
      expect(again.status).toBe(200);
      expect(again.body.data).toMatchObject({
        id: first.body.data.id,
        [name]: 'Pump, painted',
        description: 'Old',
        version: 2,
      });
      expect((await create({ externalId: 'SAP-1', [name]: 'Pump, painted' })).body.data.version).toBe(2);
    });

    it('normalize external IDs, reject duplicates, and can change or remove theirs', async () => {
      const [composed, decomposed] = [`Caf\u00e9 ${name}`, ` Cafe\u0301 ${name}\t`];
      const first = await create({ externalId: decomposed });
      expect([first.status, first.body.data.externalId]).toEqual([201, composed]);
      const { id } = first.body.data;
      expect((await create({ externalId: composed })).body.data.id).toBe(id);
      for (const query of [composed, decomposed])
        expect(await ids(`externalId=${encodeURIComponent(query)}`)).toEqual([id]);
      const other = await make({ externalId: `taken ${name}` });
      const taken = await api.patch(`${path}/${id}`, { externalId: `taken ${name} ` });
      expect([taken.status, taken.body.error, taken.body.details.errors]).toMatchObject([
        409,
        'external_id_taken',
        [{ field: 'externalId' }],
      ]);
      for (const none of [null, '', '  ']) {
        expect((await api.patch(`${path}/${id}`, { externalId: `mine ${name}` })).body.data.externalId).toBe(
          `mine ${name}`,
        );
        expect((await api.patch(`${path}/${id}`, { externalId: none })).body.data.externalId).toBeNull();
      }
      expect((await api.patch(`${path}/${other.id}`, { description: '' })).body.data.description).toBeNull();
      const lines = await create({ [name]: 'two\nlines' });
      expect([lines.status, lines.body.details.errors[0].field]).toEqual([400, name]);
    });

    it('records are created once by 20 concurrent requests on two instances with one external ID', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          (at % 2 ? api : otherInstance).post(path, { [name]: 'Race', externalId: 'RACE', ...kind.required() }),
        ),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array<number>(19).fill(200), 201]);
      expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    });

    it('records are listed once each in the requested order over several pages', async () => {
      const mark = `order ${name}`;
      const labels = ['b', 'a', 'C', 'ä', 'a'];
      const all = [];
      for (const label of labels) all.push(await make({ [name]: label, description: mark }));
      await api.patch(`${path}/${all[0].id}`, { description: `${mark}, changed last` });
      const walk = async (sort: string) => {
        const found: unknown[] = [];
        for (let cursor = ''; ;) {
          const { data } = (await api.get(`${path}?q=${mark}&limit=2&sort=${sort}${cursor}`)).body;
          found.push(...data.items.map((item: { id: unknown }) => item.id));
          if (!data.hasMore) return found;
          cursor = `&cursor=${encodeURIComponent(data.nextCursor)}`;
        }
      };
      const created = all.map(({ id }) => id);
      expect(await walk('createdAt')).toEqual(created);
      expect(await walk('-createdAt')).toEqual(created.toReversed());
      expect((await walk('-updatedAt'))[0]).toBe(all[0].id);
      const byName = await walk(name);
      expect(byName.toSorted()).toEqual(created.toSorted());
      expect((await walk(`-${name}`)).toReversed()).toEqual(byName);
      expect(byName.indexOf(all[1].id)).toBeLessThan(byName.indexOf(all[0].id));
      expect((await api.get(`${path}?sort=nonsense`)).status).toBe(400);
    });

    it('records are found by text in which % and _ are literal characters', async () => {
      const { id } = await make({ [name]: `100% of A_B\\C ${name}` });
      await make({ [name]: `100 parts of AxB ${name}` });
      for (const q of ['100% OF a_b', 'a_b\\c', `b\\c ${name}`])
        expect([q, await ids(`q=${encodeURIComponent(q)}`)]).toEqual([q, [id]]);
    });

    it('records are listed with only the selected fields', async () => {
      const { id } = await make({ externalId: `fields-${name}` });
      const query = `externalId=fields-${name}&fields=id,${name}`;
      expect((await api.get(`${path}?${query}`)).body.data.items).toEqual([{ id, [name]: 'Pump' }]);
      const { status, body } = await api.get(`${path}?fields=id,secret`);
      expect([status, body.details.errors[0].field]).toEqual([400, 'fields']);
      expect(body.details.errors[0].message).toMatch(/^"secret" is not a field\. Allowed: .*externalId/);
    });

    it('records return the same 404 to callers of another workspace as for an unknown ID', async () => {
      const { id } = await make();
      const nothing = (id as unknown) === Number(id) ? 2_000_000_000 : '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a';
      const sendAll = (target: unknown) => [
        otherWorkspace.get(`${path}/${target}`),
        otherWorkspace.patch(`${path}/${target}`, { [name]: 'Mine' }),
        otherWorkspace.delete(`${path}/${target}`),
        otherWorkspace.post(`${path}/${target}/restore`, {}),
      ];
      const [theirs, none] = [await Promise.all(sendAll(id)), await Promise.all(sendAll(nothing))];
      for (const [at, { status, body }] of theirs.entries())
        expect([status, body.message]).toEqual([404, none[at]!.body.message]);
      expect((await api.get(`${path}/${id}`)).body.data[name]).toBe('Pump');
    });
  });

  it('records are filtered by status and archived, which must both match', async () => {
    const project = (await api.post('/v1/api/projects', { name: 'Statuses' })).body.data.id;
    const tour = async (status: string) =>
      (await api.post('/v1/api/tours', { projectId: project, title: 'x', status })).body.data.id as string;
    const [draft, published, archivedTour] = [await tour('draft'), await tour('published'), await tour('published')];
    await api.delete(`/v1/api/tours/${archivedTour}`);
    for (const [query, expected] of [
      ['status=draft', [draft]],
      ['status=draft,published', [draft, published]],
      ['status=published&archived=all', [published]],
      ['status=published&archived=true', []],
      ['status=archived', [archivedTour]],
      ['status=archived,draft', [draft, archivedTour]],
      ['status=archived,draft&archived=false', [draft]],
      ['status=archived,draft&archived=true', [archivedTour]],
      ['status=archived&archived=false', []],
      ['archived=all', [draft, published, archivedTour]],
    ] as const) {
      const found: string[] = [];
      for (let cursor = ''; ;) {
        const { data } = (await api.get(`/v1/api/tours?projectId=${project}&limit=1&${query}${cursor}`)).body;
        found.push(...data.items.map(({ id }: { id: string }) => id));
        if (!data.hasMore) break;
        cursor = `&cursor=${data.nextCursor}`;
      }
      expect([query, found]).toEqual([query, expected]);
    }
    await api.delete(`/v1/api/projects/${project}`);
    const projects = async (query: string) =>
      (await api.get(`/v1/api/projects?q=Statuses&${query}`)).body.data.items.map(({ id }: { id: string }) => id);
    expect(await projects('status=active')).toEqual([]);
    expect(await projects('status=active,archived')).toEqual([project]);
    expect(await projects('status=archived&archived=false')).toEqual([]);
    expect((await api.get('/v1/api/tours?status=draft,nonsense')).body.details.errors[0].field).toBe('status');
  });

  describe.each(kinds.slice(1))('a bulk request of %s', (_, kind) => {
    const { path, name } = kind;
    const item = (more: object = {}) => ({ [name]: 'Valve', ...kind.required(), ...more });
    const send = (items: unknown[], query = '') => api.post(`${path}/bulk${query}`, { items });
    const count = async () => Number((await database.query(`SELECT count(*) FROM ${path.slice(8)}`))[0]!['count']);

    it('creates 1,000 records in order, and updates them if it is repeated', async () => {
      const items = Array.from({ length: 1_000 }, (_, at) => item({ externalId: `bulk-${at}`, [name]: `Valve ${at}` }));
      const first = await send(items);
      expect(first.status).toBe(201);
      expect(first.body.data).toMatchObject({ received: 1_000, created: 1_000, updated: 0, failed: 0 });
      expect(first.body.data.items[999]).toMatchObject({ index: 999, outcome: 'created', externalId: 'bulk-999' });
      const before = await count();
      const again = await send([item(), ...items.slice(0, 10)]);
      expect(again.body.data).toMatchObject({ created: 1, updated: 0, unchanged: 10 });
      expect(again.body.data.items[1].id).toBe(first.body.data.items[0].id);
      expect(await count()).toBe(before + 1);
      const { id } = first.body.data.items[7];
      expect((await api.get(`${path}/${id}`)).body.data).toMatchObject({ [name]: 'Valve 7', version: 1 });
    });

    it('stores nothing and lists all errors if an item is invalid', async () => {
      const before = await count();
      const nowhere = '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a';
      const items = [
        item(),
        item({ [name]: 7, nonsense: 1 }),
        { ...item(), projectId: nowhere, tourId: nowhere },
        item({ externalId: 'twice' }),
        item({ externalId: 'twice' }),
      ];
      // Each kind has one of the two as its parent.
      delete (items[2] as Record<string, unknown>)[path.endsWith('tags') ? 'projectId' : 'tourId'];
      const rejected = await send(items);
      expect([rejected.status, rejected.body.error]).toEqual([422, 'invalid_items']);
      const fields = rejected.body.details.errors.map(({ field }: { field: string }) => field);
      expect(fields).toEqual(
        expect.arrayContaining([
          `items[1].${name}`,
          'items[1].nonsense',
          expect.stringMatching(/^items\[2\]/),
          'items[3].externalId',
          'items[4].externalId',
        ]),
      );
      expect(await count()).toBe(before);
      const some = await send(items, '?onError=continue');
      expect(some.status).toBe(207);
      expect(some.body.data).toMatchObject({ received: 5, created: 1, failed: 4 });
      expect(some.body.data.items.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
        'created',
        'failed',
        'failed',
        'failed',
        'failed',
      ]);
      expect(await count()).toBe(before + 1);
    });

    it.each([[null], [5], ['x'], [[]]])(
      'rejects the item %j, which is not an object, and stores the others with onError=continue',
      async (none) => {
        const rejected = await send([none, item()]);
        expect([rejected.status, rejected.body.details.errors]).toEqual([
          422,
          [{ field: 'items[0]', code: 'invalid_field', message: 'items[0] must be an object' }],
        ]);
        const { status, body } = await send([none, item()], '?onError=continue');
        expect([status, body.data.items.map(({ outcome }: { outcome: string }) => outcome)]).toEqual([
          207,
          ['failed', 'created'],
        ]);
      },
    );

    it('returns 400 for more than 1,000 items', async () => {
      const { status, body } = await send(Array.from({ length: 1_001 }, () => item()));
      expect([status, body.details.errors[0].field]).toEqual([400, 'items']);
    });

    it('creates each record once if six requests with the same items are concurrent', async () => {
      for (let round = 0; round < RACE_ROUNDS; round++) {
        const items = Array.from({ length: 50 }, (_, at) => item({ externalId: `round-${round}-${at}` }));
        const answers = await Promise.all(
          Array.from({ length: 6 }, (_, at) => {
            const order = at % 2 ? items.toReversed() : items;
            return (at % 3 ? api : otherInstance).post(`${path}/bulk`, { items: order });
          }),
        );
        for (const { status } of answers) expect([200, 201]).toContain(status);
        expect(answers.reduce((sum, { body }) => sum + body.data.created, 0)).toBe(50);
      }
    });
  });

  describe('with a parent', () => {
    const counts = async (path: string) => (await api.get(path)).body.data.counts;

    it('records are counted in the parent unless they are archived', async () => {
      const project = (await api.post('/v1/api/projects', { name: 'Counted' })).body.data.id;
      const tour = (await api.post('/v1/api/tours', { projectId: project, title: 'Counted' })).body.data.id;
      const tags = [];
      for (const label of ['a', 'b']) tags.push((await api.post('/v1/api/tags', { tourId: tour, label })).body.data.id);
      const note = (await api.post('/v1/api/notes', { tagId: tags[0], title: 'Leak' })).body.data.id;
      await api.post('/v1/api/notes', { projectId: project, title: 'Draught', status: 'closed' });
      expect(await counts(`/v1/api/projects/${project}`)).toEqual({ tours: 1, tags: 2, openNotes: 1 });
      expect(await counts(`/v1/api/tours/${tour}`)).toEqual({ tags: 2, openNotes: 1, stagings: 0 });
      await api.delete(`/v1/api/tags/${tags[1]}`);
      await api.delete(`/v1/api/notes/${note}`);
      expect(await counts(`/v1/api/tours/${tour}`)).toEqual({ tags: 1, openNotes: 0, stagings: 0 });
      const { items } = (await api.get('/v1/api/tours?q=Counted')).body.data;
      expect(items).toMatchObject([{ counts: { tags: 1, openNotes: 0 } }]);
    });

    it('cannot be created, changed or restored while a tour or project above them is archived', async () => {
      const project = (await api.post('/v1/api/projects', { name: 'Deep' })).body.data.id;
      const make = async (path: string, body: object) => (await api.post(path, body)).body.data.id;
      const tour = await make('/v1/api/tours', { projectId: project, title: 'x', externalId: 'DEEP' });
      const archivedTour = await make('/v1/api/tours', { projectId: project, title: 'x' });
      const tag = await make('/v1/api/tags', { tourId: tour, label: 'x', externalId: 'DEEP' });
      const archivedTag = await make('/v1/api/tags', { tourId: tour, label: 'x' });
      const picture = { filename: 'a.png', data: PIXEL };
      const staging = await make(STAGINGS, { tourId: tour, type: 'stage', files: [picture] });
      const archivedStaging = await make(STAGINGS, { tourId: tour, type: 'stage', files: [picture] });
      for (const path of [
        `/v1/api/tours/${archivedTour}`,
        `/v1/api/tags/${archivedTag}`,
        `${STAGINGS}/${archivedStaging}`,
      ])
        expect((await api.delete(path)).status).toBe(200);
      const expectRejections = async (message: string) => {
        for (const [rejected, field] of [
          [await api.post('/v1/api/tags', { tourId: tour, label: 'x' }), 'tourId'],
          [await api.post('/v1/api/tags', { tourId: tour, label: 'y', externalId: 'DEEP' }), 'tourId'],
          [await api.post(STAGINGS, { tourId: tour, type: 'stage', files: [picture] }), 'tourId'],
          [await api.post('/v1/api/notes', { tagId: tag, title: 'x' }), 'tagId'],
          [await api.post('/v1/public/saveThread', { tourId: tour, title: 'x' }), 'tourId'],
          [await api.patch(`/v1/api/tags/${tag}`, { label: 'y' })],
          [await api.patch(`${STAGINGS}/${staging}`, { style: 'y' })],
          [await api.post(`/v1/api/tags/${archivedTag}/restore`, {})],
          [await api.post(`${STAGINGS}/${archivedStaging}/restore`, {})],
        ] as const) {
          expect([rejected.status, rejected.body.error, rejected.body.message]).toEqual([409, 'archived', message]);
          expect(rejected.body.details?.errors[0].field).toBe(field);
        }
        expect((await api.post(`${STAGINGS}/claims`, {})).body.data.staging).toBeNull();
      };
      await api.delete(`/v1/api/projects/${project}`);
      await expectRejections('The project is archived; restore it first.');
      for (const rejected of [
        await api.patch(`/v1/api/tours/${tour}`, { title: 'y' }),
        await api.post(`/v1/api/tours/${archivedTour}/restore`, {}),
        await api.post('/v1/api/tours', { projectId: project, title: 'y', externalId: 'DEEP' }),
      ])
        expect([rejected.status, rejected.body.error]).toEqual([409, 'archived']);
      // Children of an archived project can still be archived.
      expect((await api.delete(`/v1/api/tours/${tour}`)).status).toBe(200);
      await api.post(`/v1/api/projects/${project}/restore`, {});
      await expectRejections('The tour is archived; restore it first.');
      expect((await api.post(`/v1/api/tours/${tour}/restore`, {})).status).toBe(200);
      expect((await api.patch(`/v1/api/tags/${tag}`, { label: 'y' })).status).toBe(200);
      expect((await api.post(`${STAGINGS}/claims`, {})).body.data.staging.id).toBe(staging);
    });

    it('records return 404 and name the field if the parent does not exist', async () => {
      const foreign = (await otherWorkspace.post('/v1/api/projects', { name: 'Foreign' })).body.data.id;
      for (const [path, body, field] of [
        ['/v1/api/tours', { projectId: foreign, title: 'x' }, 'projectId'],
        ['/v1/api/tags', { tourId: foreign, label: 'x' }, 'tourId'],
        ['/v1/api/projects', { workspaceId: foreign, name: 'x' }, 'workspaceId'],
        ['/v1/api/users', { workspaceId: foreign, email: 'x@example.com' }, 'workspaceId'],
      ] as const) {
        const rejected = await api.post(path, body);
        expect([rejected.status, rejected.body.details.errors]).toMatchObject([404, [{ field, code: 'not_found' }]]);
        if (path.endsWith('projects')) continue;
        const all = await api.post(`${path}/bulk`, { items: [body] });
        expect([all.status, all.body.details.errors]).toMatchObject([422, [{ field: `items[0].${field}` }]]);
        const some = await api.post(`${path}/bulk?onError=continue`, { items: [body] });
        expect([some.status, some.body.data.items[0].errors]).toMatchObject([207, [{ field }]]);
      }
      const archivedId = (await api.post('/v1/api/projects', { name: 'Archived' })).body.data.id;
      await api.delete(`/v1/api/projects/${archivedId}`);
      const rejected = await api.post('/v1/api/tours/bulk', { items: [{ projectId: archivedId, title: 'x' }] });
      expect(rejected.body.details.errors).toMatchObject([{ field: 'items[0].projectId', code: 'archived' }]);
    });

    it('cannot be created in an archived parent', async () => {
      const project = (await api.post('/v1/api/projects', { name: 'Archived' })).body.data.id;
      await api.delete(`/v1/api/projects/${project}`);
      const rejected = await api.post('/v1/api/tours', { projectId: project, title: 'x' });
      expect([rejected.status, rejected.body.error]).toEqual([409, 'archived']);
    });

    it('cannot move to another parent', async () => {
      const other = (await api.post('/v1/api/projects', { name: 'Other' })).body.data.id;
      await api.post('/v1/api/tours', { projectId, title: 'x', externalId: 'FIXED' });
      const { status, body } = await api.post('/v1/api/tours', { projectId: other, title: 'x', externalId: 'FIXED' });
      expect([status, body.error]).toEqual([409, 'parent_immutable']);
      expect(body.details.errors).toMatchObject([{ field: 'projectId', code: 'parent_immutable' }]);
      expect(body.message).toContain('projectId');
    });
  });

  it.each([
    ['/v1/api/projects', { name: 'x', geo: [] }, 'geo'],
    ['/v1/api/projects', { name: 'x', geo: [{ lat: 1, lng: 1 }] }, 'geo'],
    ['/v1/api/tours', { title: 'x', floors: [[]] }, 'floors'],
    ['/v1/api/tours', { title: 'x', scenes: [[], { id: 's1' }] }, 'scenes'],
    ['/v1/api/tags', { label: 'x', anchorPosition: [] }, 'anchorPosition'],
    ['/v1/api/tags', { label: 'x', stemVector: [] }, 'stemVector'],
  ])('records return 400 for an array instead of an object: %s %j', async (path, sent, field) => {
    const { status, body } = await api.post(path, {
      ...(path.endsWith('tours') ? { projectId } : {}),
      ...(path.endsWith('tags') ? { tourId } : {}),
      ...sent,
    });
    expect(status).toBe(400);
    expect(body.details.errors).toEqual([
      { field, code: 'invalid_field', message: expect.stringMatching(/must be an object$/) },
    ]);
  });

  describe('of tours', () => {
    it('store all fields and the time of the first publication', async () => {
      const sent = {
        projectId,
        title: 'Boiler house',
        visibility: 'unlisted',
        provider: 'matterport',
        providerModelId: 'SxQL3iGyoDo',
        shareUrl: 'https://my.matterport.com/show/?m=SxQL3iGyoDo',
        thumbnailUrl: 'https://cdn.example.com/a.jpg',
        capturedAt: '2026-11-01T09:00:00.000Z',
        floors: [{ id: 'f0', label: 'Ground floor', level: 0 }],
        scenes: [{ id: 's1', label: 'At the pump', floorId: 'f0' }],
      };
      const { id, ...created } = (await api.post('/v1/api/tours', sent)).body.data;
      expect(created).toMatchObject({ ...sent, status: 'draft', publishedAt: null });
      const { publishedAt } = (await api.patch(`/v1/api/tours/${id}`, { status: 'published' })).body.data;
      expect(publishedAt).toEqual(expect.any(String));
      await api.patch(`/v1/api/tours/${id}`, { status: 'draft' });
      expect((await api.patch(`/v1/api/tours/${id}`, { status: 'published' })).body.data.publishedAt).toBe(publishedAt);
      expect((await api.delete(`/v1/api/tours/${id}`)).body.data.status).toBe('archived');
      const archived = (await api.get('/v1/api/tours?status=archived')).body.data.items;
      expect(archived.map((tour: { id: string }) => tour.id)).toContain(id);
      expect((await api.post(`/v1/api/tours/${id}/restore`, {})).body.data.status).toBe('published');
    });

    it('retain the time of the first publication if their creation is repeated', async () => {
      const sent = { projectId, title: 'x', externalId: 'PUBLISHED', status: 'published' };
      const created = (await api.post('/v1/api/tours', sent)).body.data;
      expect(created.publishedAt).toEqual(expect.any(String));
      expect((await api.post('/v1/api/tours', sent)).body).toMatchObject({
        message: 'The tour is unchanged',
        data: { version: 1, publishedAt: created.publishedAt },
      });
      expect((await api.post('/v1/api/tours/bulk', { items: [sent] })).body.data).toMatchObject({ unchanged: 1 });
      const draft = { ...sent, externalId: 'DRAFT', status: 'draft' };
      expect((await api.post('/v1/api/tours', draft)).body.data.publishedAt).toBeNull();
      const published = await api.post('/v1/api/tours', { ...draft, status: 'published' });
      expect(published.body.data.publishedAt).toEqual(expect.any(String));
    });

    it('require unique IDs of floors and scenes, and known floors of scenes', async () => {
      const [f0, f1] = ['f0', 'f1'].map((id) => ({ id, label: id }));
      const sendInvalid = async (sent: object, path = '/v1/api/tours') => {
        const body = { projectId, title: 'x', ...sent };
        const answer = path.endsWith('tours') ? await api.post(path, body) : await api.patch(path, sent);
        const [{ field, message }] = answer.body.details.errors;
        return [answer.status, field, message];
      };
      const containing = (id: string) => expect.stringContaining(id);
      expect(await sendInvalid({ floors: [f0, f1, f0] })).toEqual([400, 'floors', containing('f0')]);
      expect(await sendInvalid({ scenes: [{ id: 's1' }, { id: 's1' }] })).toEqual([400, 'scenes', containing('s1')]);
      const scenes = [{ id: 's1' }, { id: 's2', floorId: 'f1' }];
      expect(await sendInvalid({ floors: [f0], scenes })).toEqual([400, 'scenes[1].floorId', containing('f1')]);
      expect(await sendInvalid({ scenes })).toEqual([400, 'scenes[1].floorId', containing('f1')]);
      const body = { projectId, title: 'x', externalId: 'FLOORS', floors: [f0, f1] };
      const path = `/v1/api/tours/${(await api.post('/v1/api/tours', body)).body.data.id}`;
      expect((await api.patch(path, { scenes })).status).toBe(200);
      expect(await sendInvalid({ floors: [f0] }, path)).toEqual([400, 'scenes[1].floorId', containing('f1')]);
      const again = await api.post('/v1/api/tours', { projectId, title: 'x', externalId: 'FLOORS', scenes });
      expect(again.body.message).toBe('The tour is unchanged');
      expect(await sendInvalid({ externalId: 'NO-FLOORS', scenes })).toEqual([
        400,
        'scenes[1].floorId',
        containing('f1'),
      ]);
    });

    it('report an unknown floor as the error of an item of a bulk request', async () => {
      const named = (externalId: string, more: object = {}) => ({ projectId, title: 'x', externalId, ...more });
      const floors = [{ id: 'f0', label: 'Ground floor' }];
      const existing = named('BULK-FLOORS', { floors });
      expect((await api.post('/v1/api/tours', existing)).status).toBe(201);
      const scenes = [{ id: 's1', floorId: 'f1' }];
      const items = [named('BULK-VALID'), { ...existing, floors: undefined, scenes }, named('BULK-NEW', { scenes })];
      const send = (query = '') => api.post(`/v1/api/tours/bulk${query}`, { items });
      const rejected = await send();
      expect([rejected.status, rejected.body.error]).toEqual([422, 'invalid_items']);
      expect(rejected.body.details.errors).toMatchObject([
        { field: 'items[1].scenes[0].floorId', code: 'unknown_floor' },
        { field: 'items[2].scenes[0].floorId', code: 'unknown_floor' },
      ]);
      const some = await send('?onError=continue');
      expect(some.status).toBe(207);
      expect(some.body.data.items).toMatchObject([
        { outcome: 'created', externalId: 'BULK-VALID' },
        { outcome: 'failed', errors: [{ field: 'scenes[0].floorId' }] },
        { outcome: 'failed', errors: [{ field: 'scenes[0].floorId' }] },
      ]);
    });

    it.each([
      ['shareUrl', 'javascript:alert(1)'],
      ['status', 'archived'],
      ['capturedAt', 'yesterday'],
      ['floors', [{ id: 'f0' }]],
    ])('records return 400 for an invalid %s', async (field, value) => {
      const { status, body } = await api.post('/v1/api/tours', { projectId, title: 'x', [field]: value });
      expect(status).toBe(400);
      expect(body.details.errors[0].field).toMatch(new RegExp(`^${field}`));
    });
  });

  describe('of tags', () => {
    it('reference a location and an asset, also after a rename', async () => {
      const tables = Tables.of(services[0]!, me);
      await tables.bulk('locations', {
        name: 'Buildings',
        columns: [text('Key'), text('Name')],
        items: [{ key: 'P1', name: 'Hall' }],
      });
      await tables.bulk('assets', { name: 'Machines', columns: [text('Key')], items: [{ key: 'M1' }] });
      const created = await api.post('/v1/api/tags', {
        tourId,
        label: 'Pump',
        location: 'P1',
        asset: 'M1',
        assetKey: 'machines',
      });
      expect(created.body.data).toMatchObject({
        location: { table: 'Buildings', key: 'P1', name: 'Hall' },
        asset: { table: 'Machines', key: 'M1' },
      });
      const { id } = created.body.data;
      const rename = `/v2/api/workspaces/${me.workspaceId}/cw/locations/Buildings/items/P1/rename`;
      expect((await api.post(rename, { key: 'P2' })).status).toBe(200);
      const tag = (await api.get(`/v1/api/tags/${id}`)).body.data;
      expect(tag).toMatchObject({ location: { key: 'P2', name: 'Hall' }, version: 2 });
      const found = (await api.get('/v1/api/tags?location=P2')).body.data.items;
      expect(found.map((each: { id: number }) => each.id)).toEqual([id]);
      expect((await api.patch(`/v1/api/tags/${id}`, { location: null })).body.data).toMatchObject({
        location: null,
        asset: { key: 'M1' },
      });
      const nowhere = await api.patch(`/v1/api/tags/${id}`, { asset: 'M2' });
      expect([nowhere.status, nowhere.body.details.errors[0].field]).toEqual([422, 'asset']);
    });

    it.each(['1e0', '01', '+1', '1.0', '0x1', '%201', '-1', '0'])('tags return 400 for the ID %s', async (id) => {
      expect((await api.get(`/v1/api/tags/${id}`)).status).toBe(400);
    });

    it('tags return 400 for an invalid color', async () => {
      const { status, body } = await api.post('/v1/api/tags', { tourId, label: 'x', color: 'red' });
      expect([status, body.details.errors[0].field]).toEqual([400, 'color']);
    });
  });
});
