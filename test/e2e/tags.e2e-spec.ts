import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { type SharedService, shareService } from '../support/shared-services.js';

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
});
