import { randomUUID } from 'node:crypto';
import { type Answer, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { signIn } from '../support/tokens.js';

const PROJECTS = '/v1/api/projects';
const TOURS = '/v1/api/tours';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface Row {
  id: string;
  [field: string]: unknown;
}

describe('projects and tours', () => {
  let database: TestDatabase;
  let service: TestService;
  let me: Credentials;
  let stranger: Credentials;
  let api: Api;
  let theirs: Api;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database);
    [me, stranger] = await Promise.all([service.provision(), service.provision()]);
    const nobody = new Api(service.baseUrl);
    api = nobody.withToken((await signIn(nobody, me)).access_token);
    theirs = nobody.withKey(stranger.apiKey);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  async function create(path: string, body: object, caller = api): Promise<Row> {
    const answer = await caller.post(path, body);
    expect({ status: answer.status, errors: answer.body.details }).toEqual({ status: 201, errors: undefined });
    return answer.body.data as Row;
  }

  const faultsOf = ({ status, body }: Answer) => ({
    status,
    error: body.error,
    fields: (body.details.errors as { field: string; code: string }[])
      .map(({ field, code }) => `${field} ${code}`)
      .sort(),
  });

  /** All items of a list, page by page; every page but the last is full. */
  async function pages(path: string, limit: number, caller = api): Promise<Row[][]> {
    const all: Row[][] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { status, body } = await caller.get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${next}`);
      expect(status).toBe(200);
      expect(Object.keys(body.data).sort()).toEqual(['hasMore', 'items', 'nextCursor']);
      expect(body.data.hasMore).toBe(body.data.nextCursor !== null);
      all.push(body.data.items as Row[]);
      cursor = body.data.nextCursor as string | null;
    } while (cursor !== null);
    return all;
  }

  const ids = (rows: readonly Row[]) => rows.map((row) => row.id);
  const notFound = ({ status, body }: Answer) => {
    const { timestamp, requestId, ...rest } = body;
    expect([status, typeof timestamp, typeof requestId]).toEqual([404, 'number', 'string']);
    return rest;
  };

  describe('a project', () => {
    it('is created with all its fields, and read back as it was answered', async () => {
      const project = await create(PROJECTS, { name: 'Boiler house', description: 'Scan before the outage. 🏭' });
      expect(project).toEqual({
        id: expect.stringMatching(UUID),
        workspaceId: me.workspaceId,
        name: 'Boiler house',
        description: 'Scan before the outage. 🏭',
        status: 'active',
        address: null,
        geo: null,
        coverImage: null,
        publicNotes: true,
        externalId: null,
        archivedAt: null,
        counts: { tours: 0, tags: 0, openNotes: 0 },
        version: 1,
        createdAt: expect.stringMatching(INSTANT),
        createdBy: me.userId,
        updatedAt: project['createdAt'],
        updatedBy: me.userId,
      });
      const { status, body } = await api.get(`${PROJECTS}/${project.id}`);
      expect(status).toBe(200);
      expect(body.data).toEqual(project);
    });

    it('needs no more than a name', async () => {
      expect(await create(PROJECTS, { name: 'n' })).toMatchObject({ name: 'n', description: null, status: 'active' });
      expect(await create(PROJECTS, { name: 'n', description: null, workspaceId: null })).toMatchObject({
        description: null,
      });
    });

    it("may be made in one's workspace by name, whatever the case of its id", async () => {
      const project = await create(PROJECTS, { name: 'n', workspaceId: me.workspaceId.toUpperCase() });
      expect(project['workspaceId']).toBe(me.workspaceId);
    });

    it.each([
      ['no name', {}, ['name invalid_field']],
      ['an empty name', { name: '' }, ['name invalid_field']],
      ['a blank name', { name: ' \t\n' }, ['name invalid_field']],
      ['a name of 256 characters', { name: 'x'.repeat(256) }, ['name invalid_field']],
      ['a name that is a number', { name: 5 }, ['name invalid_field']],
      ['a name that is a list', { name: ['a'] }, ['name invalid_field']],
      ['NUL in its name', { name: 'a\u0000b' }, ['name invalid_field']],
      ['NUL in its description', { name: 'a', description: 'a\u0000b' }, ['description invalid_field']],
      ['half a character in its name', { name: 'a\ud800' }, ['name invalid_field']],
      ['half a character in its description', { name: 'a', description: '\udc00' }, ['description invalid_field']],
      ['a workspace that is no id', { name: 'a', workspaceId: 'x' }, ['workspaceId invalid_field']],
      [
        'unknown fields',
        { name: 'a', status: 'active', id: 1, Name: 'b' },
        ['Name unknown_field', 'id unknown_field', 'status unknown_field'],
      ],
      [
        'several errors',
        { name: '', description: 5, extra: 1 },
        ['description invalid_field', 'extra unknown_field', 'name invalid_field'],
      ],
    ])('is refused with %s, naming each field', async (_, body, expected) => {
      const { status, error, fields } = faultsOf(await api.post(PROJECTS, body));
      expect({ status, error }).toEqual({ status: 400, error: 'invalid_request' });
      expect([...new Set(fields)]).toEqual(expected);
    });

    it('keeps a name of 255 characters, and of any script, as it is', async () => {
      for (const name of [
        'x'.repeat(255),
        'Ηλεκτρονικά 変電所 محطة 🏭',
        '  spaced  ',
        "'; DROP TABLE projects --",
        '=HYPERLINK("x")',
      ]) {
        expect(await create(PROJECTS, { name })).toMatchObject({ name });
      }
    });

    it("that is somebody else's is not found, exactly as one that does not exist", async () => {
      const foreign = await create(PROJECTS, { name: 'Theirs' }, theirs);
      const absent = notFound(await api.get(`${PROJECTS}/${randomUUID()}`));
      expect(notFound(await api.get(`${PROJECTS}/${foreign.id}`))).toEqual(absent);
      expect((await theirs.get(`${PROJECTS}/${foreign.id}`)).status).toBe(200);
      expect((await pages(PROJECTS, 500)).flatMap(ids)).not.toContain(foreign.id);
    });

    it("is refused with a workspace that is not the caller's, and is not made", async () => {
      const before = (await theirs.get(PROJECTS)).body.data.items.length;
      notFound(await api.post(PROJECTS, { name: 'Intruder', workspaceId: stranger.workspaceId }));
      expect((await theirs.get(PROJECTS)).body.data.items).toHaveLength(before);
    });
  });

  describe('a tour', () => {
    let project: Row;

    beforeAll(async () => {
      project = await create(PROJECTS, { name: 'Toured' });
    });

    it('is created with all its fields, and read back as it was answered', async () => {
      const sent = {
        projectId: project.id,
        title: 'Ground floor',
        description: 'Twice around the boiler.',
        status: 'published',
        visibility: 'unlisted',
      };
      const tour = await create(TOURS, sent);
      expect(tour).toEqual({
        ...sent,
        id: expect.stringMatching(UUID),
        workspaceId: me.workspaceId,
        provider: null,
        providerModelId: null,
        shareUrl: null,
        thumbnailUrl: null,
        capturedAt: null,
        publishedAt: expect.stringMatching(INSTANT),
        floors: [],
        scenes: [],
        externalId: null,
        archivedAt: null,
        counts: { tags: 0, openNotes: 0, stagings: 0 },
        version: 1,
        createdAt: expect.stringMatching(INSTANT),
        createdBy: me.userId,
        updatedAt: tour['createdAt'],
        updatedBy: me.userId,
      });
      expect((await api.get(`${TOURS}/${tour.id}`)).body.data).toEqual(tour);
    });

    it('needs no more than a project and a title', async () => {
      expect(await create(TOURS, { projectId: project.id, title: 't' })).toMatchObject({
        description: null,
        status: 'draft',
        visibility: 'private',
      });
    });

    it.each([
      ['nothing', {}, ['projectId', 'title']],
      ['a project that is no id', { projectId: 'x', title: 't' }, ['projectId']],
      ['an unknown status', { title: 't', status: 'open' }, ['status']],
      ['an unknown visibility', { title: 't', visibility: 'secret' }, ['visibility']],
      ['NUL in its title', { title: 'a\u0000b' }, ['title']],
      ['half a character in its title', { title: '\udfff' }, ['title']],
      ['a blank title', { title: '  ' }, ['title']],
      ['its own workspace', { title: 't', workspaceId: randomUUID() }, ['workspaceId']],
    ])('is refused with %s, naming each field', async (_, body: object, expected) => {
      const sent = expected.includes('projectId') ? body : { projectId: project.id, ...body };
      const { status, fields } = faultsOf(await api.post(TOURS, sent));
      expect(status).toBe(400);
      expect([...new Set(fields.map((field) => field.split(' ')[0]))]).toEqual(expected);
    });

    it("is refused in somebody else's project exactly as in one that does not exist", async () => {
      const foreign = await create(PROJECTS, { name: 'Theirs' }, theirs);
      const absent = notFound(await api.post(TOURS, { projectId: randomUUID(), title: 't' }));
      expect(notFound(await api.post(TOURS, { projectId: foreign.id, title: 't' }))).toEqual(absent);
      expect((await theirs.get(TOURS)).body.data.items).toEqual([]);
    });

    it("that is somebody else's is not found, exactly as one that does not exist", async () => {
      const tour = await create(TOURS, { projectId: project.id, title: 't' });
      const absent = notFound(await theirs.get(`${TOURS}/${randomUUID()}`));
      expect(notFound(await theirs.get(`${TOURS}/${tour.id}`))).toEqual(absent);
    });
  });

  it('are found by their bare id in the directory, from the moment they are there', async () => {
    const project = await create(PROJECTS, { name: 'Listed' });
    const tour = await create(TOURS, { projectId: project.id, title: 'Listed' });
    const entries = await database.query(
      'SELECT kind, id, workspace_id AS "workspaceId" FROM directory WHERE id = ANY ($1) ORDER BY kind',
      [[project.id, tour.id]],
    );
    expect(entries).toEqual([
      { kind: 'project', id: project.id, workspaceId: me.workspaceId },
      { kind: 'tour', id: tour.id, workspaceId: me.workspaceId },
    ]);
  });

  describe('a list', () => {
    let owner: Api;
    let made: Row[];
    let toured: Row[];

    beforeAll(async () => {
      const credentials = await service.provision();
      owner = new Api(service.baseUrl).withKey(credentials.apiKey);
      made = [];
      for (let count = 0; count < 7; count++) made.push(await create(PROJECTS, { name: `Project ${count}` }, owner));
      toured = [];
      for (let count = 0; count < 6; count++) {
        const body = {
          projectId: made[count % 2]!.id,
          title: `Tour ${count}`,
          status: count < 3 ? 'draft' : 'published',
        };
        toured.push(await create(TOURS, body, owner));
      }
    });

    it('is paged by cursor, oldest first, each item once', async () => {
      const three = await pages(PROJECTS, 3, owner);
      expect(three.map((page) => page.length)).toEqual([3, 3, 1]);
      // Two of them have had three tours since.
      const tours = (at: number) => ({ counts: { tours: at < 2 ? 3 : 0, tags: 0, openNotes: 0 } });
      expect(three.flat()).toEqual(made.map((project, at) => ({ ...project, ...tours(at) })));
    });

    it('ends with its last full page', async () => {
      expect((await pages(PROJECTS, 7, owner)).map((page) => page.length)).toEqual([7]);
      expect((await owner.get(PROJECTS)).body.data).toMatchObject({ hasMore: false, nextCursor: null });
    });

    it('has what is made meanwhile on a later page', async () => {
      const { body } = await owner.get(`${TOURS}?limit=4`);
      const late = await create(TOURS, { projectId: made[0]!.id, title: 'Late' }, owner);
      const rest = await owner.get(`${TOURS}?limit=4&cursor=${body.data.nextCursor}`);
      expect(ids(rest.body.data.items)).toEqual([...ids(toured.slice(4)), late.id]);
      toured.push(late);
    });

    it('is filtered by project, by status and by workspace', async () => {
      const first = toured.filter((tour) => tour['projectId'] === made[0]!.id);
      const published = toured.filter((tour) => tour['status'] === 'published');
      expect((await pages(`${TOURS}?projectId=${made[0]!.id}`, 2, owner)).flatMap(ids)).toEqual(ids(first));
      expect((await pages(`${TOURS}?status=published`, 2, owner)).flatMap(ids)).toEqual(ids(published));
      expect((await pages(`${TOURS}?workspaceId=${made[0]!['workspaceId']}`, 500, owner)).flatMap(ids)).toEqual(
        ids(toured),
      );
      expect((await pages(`${PROJECTS}?status=archived`, 500, owner)).flat()).toEqual([]);
      expect((await pages(`${PROJECTS}?status=active`, 500, owner)).flatMap(ids)).toEqual(ids(made));
    });

    it('is empty where it is filtered by a project that is not there', async () => {
      expect((await owner.get(`${TOURS}?projectId=${randomUUID()}`)).body.data.items).toEqual([]);
    });

    it.each([
      ['limit', 'limit=0'],
      ['limit', 'limit=501'],
      ['limit', 'limit=x'],
      ['limit', 'limit=1.5'],
      ['limit', 'limit='],
      ['limit', 'limit=1&limit=2'],
      ['status', 'status=open'],
      ['status', 'status=active&status=active'],
      ['workspaceId', 'workspaceId=x'],
      ['cursor', 'cursor=a&cursor=b'],
      ['page', 'page=2'],
      ['toString', 'toString=1'],
    ])('is refused where %s is wrong, as in ?%s', async (field, query) => {
      for (const path of [PROJECTS, TOURS]) {
        const { status, fields } = faultsOf(await owner.get(`${path}?${query}`));
        expect(status).toBe(400);
        expect(fields[0]).toMatch(new RegExp(`^${field} `));
      }
    });

    it('refuses a cursor that is not its own', async () => {
      const { nextCursor } = (await owner.get(`${PROJECTS}?limit=2`)).body.data;
      const [fingerprint] = JSON.parse(Buffer.from(nextCursor, 'base64url').toString());
      const own = (value: unknown) => Buffer.from(JSON.stringify([fingerprint, value])).toString('base64url');
      const foreign = [
        'x',
        '',
        own("'; --"),
        own(null),
        own({}),
        own([1]),
        own('a\u0000'),
        Buffer.from('[]').toString('base64url'),
      ];
      for (const cursor of foreign) {
        const { status, body } = await owner.get(`${PROJECTS}?limit=2&cursor=${encodeURIComponent(cursor)}`);
        expect({ cursor, status, error: body.error }).toEqual({ cursor, status: 400, error: 'invalid_cursor' });
      }
      expect((await owner.get(`${TOURS}?cursor=${nextCursor}`)).body.error).toBe('invalid_cursor');
      expect((await owner.get(`${PROJECTS}?status=archived&cursor=${nextCursor}`)).body.error).toBe('invalid_cursor');
      expect((await api.get(`${PROJECTS}?cursor=${nextCursor}`)).body.error).toBe('invalid_cursor');
      expect((await owner.get(`${PROJECTS}?limit=1&cursor=${nextCursor}`)).status).toBe(200);
    });
  });

  describe('for a member of two workspaces', () => {
    let both: Api;
    let second: string;

    beforeAll(async () => {
      second = (await service.operator<{ id: string }>('workspace', 'create', '--name', 'Second')).id;
      const workspaces = ['--workspace', me.workspaceId, '--workspace', second];
      const user = await service.operator<{ id: string }>(
        'user',
        'create',
        '--email',
        'both@example.com',
        ...workspaces,
      );
      const client = await service.operator<Credentials>('client', 'create', '--user', user.id);
      const nobody = new Api(service.baseUrl);
      both = nobody.withToken((await signIn(nobody, client)).access_token);
    });

    it('a new project must say where it belongs', async () => {
      const { status, fields } = faultsOf(await both.post(PROJECTS, { name: 'Where?' }));
      expect({ status, fields }).toEqual({ status: 400, fields: ['workspaceId required'] });
      expect((await create(PROJECTS, { name: 'Here', workspaceId: second }, both))['workspaceId']).toBe(second);
      notFound(await both.post(PROJECTS, { name: 'There', workspaceId: stranger.workspaceId }));
    });

    it('a tour is where its project is, and both are found without naming it', async () => {
      const project = await create(PROJECTS, { name: 'Toured', workspaceId: second }, both);
      const tour = await create(TOURS, { projectId: project.id, title: 't' }, both);
      expect(tour['workspaceId']).toBe(second);
      expect((await both.get(`${TOURS}/${tour.id}`)).body.data).toEqual(tour);
      notFound(await api.get(`${TOURS}/${tour.id}`));
    });

    it('lists have both, or the one asked for', async () => {
      const mine = await create(PROJECTS, { name: 'Mine', workspaceId: me.workspaceId }, both);
      const others = await create(PROJECTS, { name: 'Other', workspaceId: second }, both);
      const everything = (await pages(PROJECTS, 5, both)).flat();
      expect(ids(everything)).toEqual(expect.arrayContaining([mine.id, others.id]));
      expect(ids(everything)).toEqual([...new Set(ids(everything))]);
      const inSecond = (await pages(`${PROJECTS}?workspaceId=${second}`, 5, both)).flat();
      expect(ids(inSecond)).toEqual(ids(everything.filter((project) => project['workspaceId'] === second)));
      notFound(await both.get(`${PROJECTS}?workspaceId=${stranger.workspaceId}`));
    });
  });
});
