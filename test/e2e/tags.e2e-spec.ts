import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { column, Tables, text } from '../support/tables.js';

describe('tags', () => {
  let service: SharedService;
  let me: Credentials;
  let api: Api;
  let otherWorkspace: Api;
  let tour: { id: string; projectId: string; workspaceId: string };

  beforeAll(async () => {
    ({ service } = await shareService());
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
    otherWorkspace = new Api(service.baseUrl).withKey((await service.provision()).apiKey);
    tour = await newTour();
  });

  async function newTour(caller = api) {
    const project = await caller.post('/v1/api/projects', { name: 'Boiler house' });
    return (await caller.post('/v1/api/tours', { projectId: project.body.data.id, title: 'Ground floor' })).body.data;
  }

  it('tags are returned as they were sent', async () => {
    const sent = {
      tourId: tour.id,
      label: 'Feed pump 2',
      description: 'Hums',
      anchorPosition: { x: 1.25, y: 0, z: -3.5 },
    };
    const created = await api.post('/v1/api/tags', sent);
    expect(created.status).toBe(201);
    const { id } = created.body.data;
    expect(Number.isInteger(id)).toBe(true);
    const expected = { ...sent, id, projectId: tour.projectId, workspaceId: me.workspaceId, version: 1 };
    expect((await api.get(`/v1/api/tags/${id}`)).body.data).toMatchObject(expected);
  });

  it('tags have IDs that are unique across workspaces, also if they are created concurrently', async () => {
    const theirs = await newTour(otherWorkspace);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        at % 2 === 0
          ? api.post('/v1/api/tags', { tourId: tour.id, label: `Mine ${at}` })
          : otherWorkspace.post('/v1/api/tags', { tourId: theirs.id, label: `Theirs ${at}` }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(20);
  });

  it('tags are listed by tour and project, once each over several pages', async () => {
    const mine = await newTour();
    for (let at = 0; at < 5; at++) await api.post('/v1/api/tags', { tourId: mine.id, label: `Tag ${at}` });
    const labels: string[] = [];
    let cursor = '';
    for (let page = 0; page < 3; page++) {
      const { body } = await api.get(`/v1/api/tags?tourId=${mine.id}&projectId=${mine.projectId}&limit=2${cursor}`);
      labels.push(...body.data.items.map(({ label }: { label: string }) => label));
      expect(body.data.hasMore).toBe(page < 2);
      cursor = `&cursor=${body.data.nextCursor}`;
    }
    expect(labels).toEqual(['Tag 0', 'Tag 1', 'Tag 2', 'Tag 3', 'Tag 4']);
  });

  it('tags return 404 to callers of another workspace, which cannot create them there either', async () => {
    const { body } = await api.post('/v1/api/tags', { tourId: tour.id, label: 'Mine' });
    expect((await otherWorkspace.get(`/v1/api/tags/${body.data.id}`)).status).toBe(404);
    expect((await otherWorkspace.get('/v1/api/tags/2147483647')).status).toBe(404);
    expect((await otherWorkspace.post('/v1/api/tags', { tourId: tour.id, label: 'Theirs' })).status).toBe(404);
  });

  it.each(['0', '-1', '1.5', 'one', '2147483648', '99999999999999999999'])(
    'tags return 400 for the ID %s',
    async (id) => {
      const { status, body } = await api.get(`/v1/api/tags/${id}`);
      expect(status).toBe(400);
      expect(body.details.errors[0]).toMatchObject({ field: 'id', code: 'invalid_field' });
    },
  );

  it.each([
    ['label', { label: ' ' }],
    ['label', { label: 7 }],
    ['tourId', { tourId: '7' }],
    ['anchorPosition', { anchorPosition: 'here' }],
    ['anchorPosition.x', { anchorPosition: { x: '1', y: 0, z: 0 } }],
    ['anchorPosition.w', { anchorPosition: { x: 1, y: 0, z: 0, w: 1 } }],
    ['colour', { colour: 'red' }],
  ])('tags return 400 and name %s if it is invalid', async (field, wrong) => {
    const { status, body } = await api.post('/v1/api/tags', { tourId: tour.id, label: 'Tag', ...wrong });
    expect(status).toBe(400);
    expect(body.details.errors.map((error: { field: string }) => error.field)).toContain(field);
  });

  it('tags return 400 for a forged cursor', async () => {
    const { body } = await api.get('/v1/api/tags?limit=1');
    const [fingerprint] = JSON.parse(Buffer.from(body.data.nextCursor, 'base64url').toString());
    for (const value of [2 ** 31, 1.5, 'x', null, '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a']) {
      const cursor = Buffer.from(JSON.stringify([fingerprint, value])).toString('base64url');
      const answer = await api.get(`/v1/api/tags?limit=1&cursor=${cursor}`);
      expect({ value, status: answer.status }).toEqual({ value, status: 400 });
    }
  });

  describe('as the values of locationTag columns', () => {
    const position = { x: 1.25, y: 0, z: -3.5 };
    let tables: Tables;
    let own: number;
    let foreign: number;

    beforeAll(async () => {
      tables = Tables.of(service, me);
      own = (await api.post('/v1/api/tags', { tourId: tour.id, label: 'Pump', anchorPosition: position })).body.data.id;
      const theirs = await newTour(otherWorkspace);
      foreign = (await otherWorkspace.post('/v1/api/tags', { tourId: theirs.id, label: 'Theirs' })).body.data.id;
      const columns = [text('Key'), column('Tag', 'locationTag'), column('Parent', 'hierarchyParent')];
      const items = [
        { key: 'AT', tag: null, parent: null },
        { key: 'AT1', tag: String(own), parent: 'AT' },
        { key: 'AT2', tag: String(foreign), parent: null },
        { key: 'AT3', tag: 'Entrance', parent: null },
        { key: 'AT4', tag: '', parent: null },
      ];
      expect((await tables.bulk('locations', { name: 'Tagged', columns, items })).status).toBe(201);
    });

    it('tags are expanded if the caller may read tours, and no others', async () => {
      const { body } = await tables.read('locations', 'Tagged', { expand: 'tag' });
      const expected = { id: own, label: 'Pump', tourId: tour.id, position };
      expect(body.data.expanded).toEqual({ tag: { [own]: expected } });
      const key = await api.post(`/v2/api/workspaces/${me.workspaceId}/api-keys`, {
        name: 'Tables only',
        scopes: ['read:workspaces'],
      });
      const limited = new Tables(new Api(service.baseUrl).withKey(key.body.data.apiKey as string), me.workspaceId);
      expect((await limited.read('locations', 'Tagged', { expand: 'tag' })).body.data.expanded).toEqual({ tag: {} });
    });

    it('values that name no tag are unresolved, and rejected, only if the column has mustExist', async () => {
      const unresolved = async () =>
        (await api.get(`${tables.path}/locations/Tagged/unresolved`)).body.data.items as object[];
      expect(await unresolved()).toEqual([]);
      const columns = [{ key: 'tag', options: { mustExist: true } }];
      const edit = { columns, existing: 'allow' };
      expect((await api.put(`${tables.path}/locations/Tagged`, edit)).status).toBe(200);
      expect(await unresolved()).toEqual([
        { key: 'AT2', column: 'tag', value: String(foreign) },
        { key: 'AT3', column: 'tag', value: 'Entrance' },
      ]);
      const rejected = await tables.bulk('locations', { name: 'Tagged', items: [{ key: 'AT4', tag: '0' }] });
      expect([rejected.status, rejected.body.details.errors[0]]).toMatchObject([
        422,
        { code: 'target_missing', message: 'No tag has the ID "0".' },
      ]);
      const items = [
        { key: 'AT3', tag: String(own) },
        { key: 'AT4', tag: '' },
      ];
      expect((await tables.bulk('locations', { name: 'Tagged', items })).status).toBe(200);
      expect(await unresolved()).toHaveLength(1);
    });

    it('the notes of a location contain those of its tags', async () => {
      const notes = `/v2/api/workspaces/${me.workspaceId}/notes`;
      const referring = (await api.post('/v1/api/tags', { tourId: tour.id, label: 'At AT', location: 'AT' })).body.data;
      const sent: [path: string, body: object][] = [
        [notes, { title: 'filed at AT', location: 'AT' }],
        ['/v1/api/notes', { title: 'tag in a cell of AT1', tagId: own }],
        ['/v1/api/notes', { title: 'tag that refers to AT', tagId: referring.id }],
        [notes, { title: 'elsewhere', location: 'AT2' }],
      ];
      for (const [path, body] of sent) expect((await api.post(path, body)).status).toBe(201);
      const titles = async (query: string) =>
        (await api.get(`${notes}?sort=createdAt&${query}`)).body.data.items.map(
          (note: { title: string }) => note.title,
        );
      expect(await titles('location=AT')).toEqual(['filed at AT', 'tag that refers to AT']);
      expect(await titles('location=AT1')).toEqual(['tag in a cell of AT1']);
      expect(await titles('under=AT')).toEqual(['filed at AT', 'tag in a cell of AT1', 'tag that refers to AT']);
      expect(await titles('location=AT2')).toEqual(['elsewhere']);
      const policy = await api.post(`/v2/api/workspaces/${me.workspaceId}/access-policies`, {
        name: 'Notes at AT',
        notes: { under: 'AT' },
      });
      const key = await api.post(`/v2/api/workspaces/${me.workspaceId}/api-keys`, {
        name: 'Limited',
        policyId: policy.body.data.id,
      });
      const limited = new Api(service.baseUrl).withKey(key.body.data.apiKey as string);
      const { items } = (await limited.get(`${notes}?under=AT`)).body.data;
      expect(items.map(({ title }: { title: string }) => title)).toEqual(['filed at AT']);
    });
  });
});
