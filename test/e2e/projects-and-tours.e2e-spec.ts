import { randomUUID } from 'node:crypto';
import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { type SharedService, shareService } from '../support/shared-services.js';
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
  let database: Database;
  let service: SharedService;
  let me: Credentials;
  let otherCredentials: Credentials;
  let api: Api;
  let otherWorkspace: Api;

  beforeAll(async () => {
    ({ database, service } = await shareService());
    [me, otherCredentials] = await Promise.all([service.provision(), service.provision()]);
    const anonymous = new Api(service.baseUrl);
    api = anonymous.withToken((await signIn(anonymous, me)).access_token);
    otherWorkspace = anonymous.withKey(otherCredentials.apiKey);
  });

  async function create(path: string, body: object, caller = api): Promise<Row> {
    const answer = await caller.post(path, body);
    expect({ status: answer.status, errors: answer.body.details }).toEqual({ status: 201, errors: undefined });
    return answer.body.data as Row;
  }

  const listErrors = ({ status, body }: ApiResponse) => ({
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
  const notFound = ({ status, body }: ApiResponse) => {
    const { timestamp, requestId, ...rest } = body;
    expect([status, typeof timestamp, typeof requestId]).toEqual([404, 'number', 'string']);
    return rest;
  };

  describe('a project', () => {
    it('returns all fields on create, and the same on read', async () => {
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

    it('requires only a name', async () => {
      expect(await create(PROJECTS, { name: 'n' })).toMatchObject({ name: 'n', description: null, status: 'active' });
      expect(await create(PROJECTS, { name: 'n', description: null, workspaceId: null })).toMatchObject({
        description: null,
      });
    });

    it('accepts the ID of the workspace in upper case', async () => {
      const project = await create(PROJECTS, { name: 'n', workspaceId: me.workspaceId.toUpperCase() });
      expect(project['workspaceId']).toBe(me.workspaceId);
    });

    it.each([
      ['no name', {}, ['name invalid_field']],
      ['an empty name', { name: '' }, ['name invalid_field']],
      ['a blank name', { name: ' \t\n' }, ['name invalid_field']],
      ['a name of 256 characters', { name: 'x'.repeat(256) }, ['name invalid_field']],
      ['a name of zero-width characters', { name: '\u200b \u2060' }, ['name invalid_field']],
      ['a name with a line separator', { name: 'a\u2028b' }, ['name invalid_field']],
      ['a name with a paragraph separator', { name: 'a\u2029b' }, ['name invalid_field']],
      ['a name that is a number', { name: 5 }, ['name invalid_field']],
      ['a name that is a list', { name: ['a'] }, ['name invalid_field']],
      ['NUL in its name', { name: 'a\u0000b' }, ['name invalid_field']],
      ['NUL in its description', { name: 'a', description: 'a\u0000b' }, ['description invalid_field']],
      ['half a character in its name', { name: 'a\ud800' }, ['name invalid_field']],
      ['half a character in its description', { name: 'a', description: '\udc00' }, ['description invalid_field']],
      ['a workspace that is not a UUID', { name: 'a', workspaceId: 'x' }, ['workspaceId invalid_field']],
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
    ])('returns 400 with %s and names each field', async (_, body, expected) => {
      const { status, error, fields } = listErrors(await api.post(PROJECTS, body));
      expect({ status, error }).toEqual({ status: 400, error: 'invalid_request' });
      expect([...new Set(fields)]).toEqual(expected);
    });

    it('stores a name of 255 characters and of any script unchanged', async () => {
      for (const name of [
        'x'.repeat(255),
        'Ηλεκτρονικά 変電所 محطة 🏭',
        // Both need a zero-width character.
        'می\u200cخواهم 👩\u200d🏭',
        '  spaced  ',
        "'; DROP TABLE projects --",
        '=HYPERLINK("x")',
      ]) {
        expect(await create(PROJECTS, { name })).toMatchObject({ name });
      }
    });

    it('returns the same 404 for another workspace as for an unknown ID', async () => {
      const foreign = await create(PROJECTS, { name: 'Theirs' }, otherWorkspace);
      const absent = notFound(await api.get(`${PROJECTS}/${randomUUID()}`));
      expect(notFound(await api.get(`${PROJECTS}/${foreign.id}`))).toEqual(absent);
      expect((await otherWorkspace.get(`${PROJECTS}/${foreign.id}`)).status).toBe(200);
      expect((await pages(PROJECTS, 500)).flatMap(ids)).not.toContain(foreign.id);
    });

    it('returns 404 and creates nothing in a workspace of others', async () => {
      const before = (await otherWorkspace.get(PROJECTS)).body.data.items.length;
      notFound(await api.post(PROJECTS, { name: 'Intruder', workspaceId: otherCredentials.workspaceId }));
      expect((await otherWorkspace.get(PROJECTS)).body.data.items).toHaveLength(before);
    });
  });

  describe('a tour', () => {
    let project: Row;

    beforeAll(async () => {
      project = await create(PROJECTS, { name: 'Toured' });
    });

    it('returns all fields on create, and the same on read', async () => {
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

    it('requires only a project and a title', async () => {
      expect(await create(TOURS, { projectId: project.id, title: 't' })).toMatchObject({
        description: null,
        status: 'draft',
        visibility: 'private',
      });
    });

    it.each([
      ['nothing', {}, ['projectId', 'title']],
      ['a project that is not a UUID', { projectId: 'x', title: 't' }, ['projectId']],
      ['an unknown status', { title: 't', status: 'open' }, ['status']],
      ['an unknown visibility', { title: 't', visibility: 'secret' }, ['visibility']],
      ['NUL in its title', { title: 'a\u0000b' }, ['title']],
      ['half a character in its title', { title: '\udfff' }, ['title']],
      ['a blank title', { title: '  ' }, ['title']],
      ['its own workspace', { title: 't', workspaceId: randomUUID() }, ['workspaceId']],
    ])('returns 400 with %s and names each field', async (_, body: object, expected) => {
      const sent = expected.includes('projectId') ? body : { projectId: project.id, ...body };
      const { status, fields } = listErrors(await api.post(TOURS, sent));
      expect(status).toBe(400);
      expect([...new Set(fields.map((field) => field.split(' ')[0]))]).toEqual(expected);
    });

    it('returns the same 404 for a project of another workspace as for an unknown ID', async () => {
      const foreign = await create(PROJECTS, { name: 'Theirs' }, otherWorkspace);
      const absent = notFound(await api.post(TOURS, { projectId: randomUUID(), title: 't' }));
      expect(notFound(await api.post(TOURS, { projectId: foreign.id, title: 't' }))).toEqual(absent);
      expect((await otherWorkspace.get(TOURS)).body.data.items).toEqual([]);
    });

    it('returns the same 404 for another workspace as for an unknown ID', async () => {
      const tour = await create(TOURS, { projectId: project.id, title: 't' });
      const absent = notFound(await otherWorkspace.get(`${TOURS}/${randomUUID()}`));
      expect(notFound(await otherWorkspace.get(`${TOURS}/${tour.id}`))).toEqual(absent);
    });
  });

  it('projects and tours are in the directory after their creation', async () => {
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
    let created: Row[];
    let toured: Row[];

    beforeAll(async () => {
      const credentials = await service.provision();
      owner = new Api(service.baseUrl).withKey(credentials.apiKey);
      created = [];
      for (let count = 0; count < 7; count++) created.push(await create(PROJECTS, { name: `Project ${count}` }, owner));
      toured = [];
      for (let count = 0; count < 6; count++) {
        const body = {
          projectId: created[count % 2]!.id,
          title: `Tour ${count}`,
          status: count < 3 ? 'draft' : 'published',
        };
        toured.push(await create(TOURS, body, owner));
      }
    });

    it('returns each item once, oldest first, over several pages', async () => {
      const three = await pages(PROJECTS, 3, owner);
      expect(three.map((page) => page.length)).toEqual([3, 3, 1]);
      // The first two have three tours each.
      const tours = (index: number) => ({ counts: { tours: index < 2 ? 3 : 0, tags: 0, openNotes: 0 } });
      expect(three.flat()).toEqual(created.map((project, index) => ({ ...project, ...tours(index) })));
    });

    it('a list has no next page after a full last page', async () => {
      expect((await pages(PROJECTS, 7, owner)).map((page) => page.length)).toEqual([7]);
      expect((await owner.get(PROJECTS)).body.data).toMatchObject({ hasMore: false, nextCursor: null });
    });

    it('includes records created between two pages', async () => {
      const { body } = await owner.get(`${TOURS}?limit=4`);
      const late = await create(TOURS, { projectId: created[0]!.id, title: 'Late' }, owner);
      const rest = await owner.get(`${TOURS}?limit=4&cursor=${body.data.nextCursor}`);
      expect(ids(rest.body.data.items)).toEqual([...ids(toured.slice(4)), late.id]);
      toured.push(late);
    });

    it('a list of tours is filtered by project, by status and by workspace', async () => {
      const first = toured.filter((tour) => tour['projectId'] === created[0]!.id);
      const published = toured.filter((tour) => tour['status'] === 'published');
      expect((await pages(`${TOURS}?projectId=${created[0]!.id}`, 2, owner)).flatMap(ids)).toEqual(ids(first));
      expect((await pages(`${TOURS}?status=published`, 2, owner)).flatMap(ids)).toEqual(ids(published));
      expect((await pages(`${TOURS}?workspaceId=${created[0]!['workspaceId']}`, 500, owner)).flatMap(ids)).toEqual(
        ids(toured),
      );
      expect((await pages(`${PROJECTS}?status=archived`, 500, owner)).flat()).toEqual([]);
      expect((await pages(`${PROJECTS}?status=active`, 500, owner)).flatMap(ids)).toEqual(ids(created));
    });

    it('a list of tours is empty for an unknown project', async () => {
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
      ['workspaceId', 'workspaceId=x'],
      ['cursor', 'cursor=a&cursor=b'],
      ['page', 'page=2'],
      ['toString', 'toString=1'],
    ])('returns 400 and names %s for ?%s', async (field, query) => {
      for (const path of [PROJECTS, TOURS]) {
        const { status, fields } = listErrors(await owner.get(`${path}?${query}`));
        expect(status).toBe(400);
        expect(fields[0]).toMatch(new RegExp(`^${field} `));
      }
    });

    it('returns 400 for a forged cursor and for the cursor of another list', async () => {
      const { nextCursor } = (await owner.get(`${PROJECTS}?limit=2`)).body.data;
      const [fingerprint] = JSON.parse(Buffer.from(nextCursor, 'base64url').toString());
      const own = (value: unknown) => Buffer.from(JSON.stringify([fingerprint, value])).toString('base64url');
      const forged = [
        'x',
        own("'; --"),
        own(null),
        own({}),
        own([1]),
        own('a\u0000'),
        Buffer.from('[]').toString('base64url'),
      ];
      for (const cursor of forged) {
        const { status, body } = await owner.get(`${PROJECTS}?limit=2&cursor=${encodeURIComponent(cursor)}`);
        expect({ cursor, status, error: body.error }).toEqual({ cursor, status: 400, error: 'invalid_cursor' });
      }
      // PostgreSQL has neither this day nor this year.
      const sorted = (await owner.get(`${PROJECTS}?limit=2&sort=updatedAt`)).body.data.nextCursor;
      const [order, , ...rest] = JSON.parse(Buffer.from(sorted, 'base64url').toString());
      for (const instant of ['2023-02-30T00:00:00.000Z', '0000-01-01T00:00:00.000Z']) {
        const cursor = Buffer.from(JSON.stringify([order, instant, ...rest])).toString('base64url');
        const answer = await owner.get(`${PROJECTS}?limit=2&sort=updatedAt&cursor=${cursor}`);
        expect([answer.status, answer.body.error]).toEqual([400, 'invalid_cursor']);
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
      second = (await service.operator<{ id: string }>('workspace', 'create', '--name', 'Second of the project tests'))
        .id;
      const workspaces = ['--workspace', me.workspaceId, '--workspace', second];
      const user = await service.operator<{ id: string }>(
        'user',
        'create',
        '--email',
        'both@example.com',
        ...workspaces,
      );
      const client = await service.operator<Credentials>('client', 'create', '--user', user.id);
      const anonymous = new Api(service.baseUrl);
      both = anonymous.withToken((await signIn(anonymous, client)).access_token);
    });

    it('a new project requires workspaceId', async () => {
      const { status, fields } = listErrors(await both.post(PROJECTS, { name: 'Where?' }));
      expect({ status, fields }).toEqual({ status: 400, fields: ['workspaceId required'] });
      expect((await create(PROJECTS, { name: 'Here', workspaceId: second }, both))['workspaceId']).toBe(second);
      notFound(await both.post(PROJECTS, { name: 'There', workspaceId: otherCredentials.workspaceId }));
    });

    it('a tour belongs to the workspace of its project, and both are found without workspaceId', async () => {
      const project = await create(PROJECTS, { name: 'Toured', workspaceId: second }, both);
      const tour = await create(TOURS, { projectId: project.id, title: 't' }, both);
      expect(tour['workspaceId']).toBe(second);
      expect((await both.get(`${TOURS}/${tour.id}`)).body.data).toEqual(tour);
      notFound(await api.get(`${TOURS}/${tour.id}`));
    });

    it('accepts the ID of a parent in upper case', async () => {
      const project = await create(PROJECTS, { name: 'Parent', workspaceId: second }, both);
      const inProject = { projectId: project.id.toUpperCase(), title: 't', externalId: 'UPPER' };
      const tour = await create(TOURS, inProject, both);
      expect(tour['projectId']).toBe(project.id);
      const { body } = await both.post(`${TOURS}/bulk`, { items: [inProject] });
      expect(body.data.items).toEqual([
        { index: 0, outcome: 'unchanged', id: tour.id, externalId: 'UPPER', errors: [] },
      ]);
      const tag = await create('/v1/api/tags', { tourId: tour.id.toUpperCase(), label: 'l' }, both);
      expect(tag['tourId']).toBe(tour.id);
    });

    it('lists contain the records of both workspaces, or of the requested one', async () => {
      const mine = await create(PROJECTS, { name: 'Mine', workspaceId: me.workspaceId }, both);
      const others = await create(PROJECTS, { name: 'Other', workspaceId: second }, both);
      const everything = (await pages(PROJECTS, 5, both)).flat();
      expect(ids(everything)).toEqual(expect.arrayContaining([mine.id, others.id]));
      expect(ids(everything)).toEqual([...new Set(ids(everything))]);
      const inSecond = (await pages(`${PROJECTS}?workspaceId=${second}`, 5, both)).flat();
      expect(ids(inSecond)).toEqual(ids(everything.filter((project) => project['workspaceId'] === second)));
      notFound(await both.get(`${PROJECTS}?workspaceId=${otherCredentials.workspaceId}`));
    });
  });
});
