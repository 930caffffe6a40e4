import { randomUUID } from 'node:crypto';
import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { type SharedService, shareService } from '../support/shared-services.js';

const PROJECTS = '/v1/api/projects';

describe('preconditions', () => {
  let database: Database;
  let service: SharedService;
  let me: Credentials;
  let api: Api;

  beforeAll(async () => {
    ({ database, service } = await shareService());
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
  });

  async function createProject(body: object = { name: 'Boiler house', description: 'Scan it.' }): Promise<ApiResponse> {
    const answer = await api.post(PROJECTS, body);
    expect(answer.status).toBe(201);
    return answer;
  }

  const pathOf = ({ body }: ApiResponse) => `${PROJECTS}/${body.data.id}`;
  const patch = (path: string, body: object, headers: Record<string, string> = {}, caller = api) =>
    caller.send(path, { method: 'PATCH', body, headers });

  describe('the ETag', () => {
    it('the ETag of a record starts with the version in responses to create, read and update', async () => {
      const created = await createProject();
      const first = created.headers.get('etag');
      expect([created.body.data.version, first]).toEqual([1, expect.stringMatching(/^"1-[\w-]{10}"$/)]);
      expect((await api.get(pathOf(created))).headers.get('etag')).toBe(first);
      const second = (await patch(pathOf(created), { name: 'Turbine hall' })).headers.get('etag');
      expect(second).toMatch(/^"2-[\w-]{10}"$/);
      expect((await api.get(pathOf(created))).headers.get('etag')).toBe(second);
    });

    it.each(['TAG', 'W/TAG', '"9", TAG', '*'])(
      'returns 304 without a body for a read with If-None-Match: %s',
      async (sent) => {
        const created = await createProject();
        const tag = created.headers.get('etag')!;
        const answer = await api.get(pathOf(created), { 'If-None-Match': sent.replace('TAG', tag) });
        expect([answer.status, answer.body, answer.headers.get('etag')]).toEqual([304, '', tag]);
        expect(answer.headers.get('content-type')).toBeNull();
      },
    );

    it('the ETag of a project changes with its counts, although the version does not', async () => {
      const created = await createProject();
      const tag = created.headers.get('etag')!;
      await api.post('/v1/api/tours', { projectId: created.body.data.id, title: 'Ground floor' });
      const again = await api.get(pathOf(created), { 'If-None-Match': tag });
      expect([again.status, again.body.data.version, again.body.data.counts.tours]).toEqual([200, 1, 1]);
      // The version of the record is unchanged.
      expect((await patch(pathOf(created), { name: 'x' }, { 'If-Match': tag })).status).toBe(200);
    });

    it.each(['"1"', '"2"', '"9", "8"', '1'])(
      'returns the record for a read with If-None-Match: %s that is not its ETag',
      async (tag) => {
        const created = await createProject();
        const { status, body } = await api.get(pathOf(created), { 'If-None-Match': tag });
        expect([status, body.data]).toEqual([200, created.body.data]);
      },
    );

    it('the ETag of a record changes with every update', async () => {
      const created = await createProject();
      await patch(pathOf(created), { publicNotes: false });
      expect((await api.get(pathOf(created), { 'If-None-Match': '"1"' })).body.data.version).toBe(2);
    });
  });

  describe('PATCH of a project', () => {
    it('PATCH changes only the fields that it contains and increments the version', async () => {
      const created = await createProject();
      const { status, body } = await patch(pathOf(created), { name: 'Turbine hall', publicNotes: false });
      expect(status).toBe(200);
      const { updatedAt, ...rest } = body.data;
      const { updatedAt: before, ...kept } = created.body.data;
      expect(rest).toEqual({ ...kept, name: 'Turbine hall', publicNotes: false, version: 2 });
      expect(Date.parse(updatedAt as string)).toBeGreaterThanOrEqual(Date.parse(before as string));
      expect((await api.get(pathOf(created))).body.data).toEqual(body.data);
    });

    it('PATCH removes the description of a project with null', async () => {
      const { body } = await patch(pathOf(await createProject()), { description: null });
      expect(body.data).toMatchObject({ name: 'Boiler house', description: null, version: 2 });
    });

    it('PATCH changes nothing if it contains no field', async () => {
      const created = await createProject();
      expect((await patch(pathOf(created), {})).body.data).toEqual(created.body.data);
    });

    it('PATCH records the member as updatedBy', async () => {
      const user = await service.operator<{ id: string }>(
        ...['user', 'create', '--email', 'colleague@example.com', '--workspace', me.workspaceId],
      );
      const colleague = await service.operator<{ apiKey: string }>(
        ...['api-key', 'create', '--user', user.id, '--workspace', me.workspaceId],
      );
      const theirs = new Api(service.baseUrl).withKey(colleague.apiKey);
      const { body } = await patch(pathOf(await createProject()), { name: 'Turbine hall' }, {}, theirs);
      expect(body.data).toMatchObject({ createdBy: me.userId, updatedBy: user.id });
    });

    it.each([
      ['name', { name: '' }],
      ['name', { name: 'a\u0000' }],
      ['description', { description: 5 }],
      ['publicNotes', { publicNotes: 'on' }],
      ['workspaceId', { workspaceId: randomUUID() }],
      ['version', { version: 5 }],
    ])('PATCH of a project rejects an invalid %s and changes nothing', async (field, body) => {
      const created = await createProject();
      const answer = await patch(pathOf(created), body);
      expect([answer.status, answer.body.details.errors[0].field]).toEqual([400, field]);
      expect((await api.get(pathOf(created))).body.data).toEqual(created.body.data);
    });

    it('PATCH returns 404 for a project of another workspace or an unknown one, whatever If-Match contains', async () => {
      const path = pathOf(await createProject());
      const otherWorkspace = new Api(service.baseUrl).withKey((await service.provision()).apiKey);
      for (const tag of ['*', '"1"', '"9"']) {
        const headers = { 'If-Match': tag };
        const foreign = await patch(path, { name: 'Mine' }, headers, otherWorkspace);
        const absent = await patch(`${PROJECTS}/${randomUUID()}`, { name: 'Mine' }, headers, otherWorkspace);
        expect([foreign.status, foreign.body.message]).toEqual([404, absent.body.message]);
      }
      expect((await api.get(path)).body.data.version).toBe(1);
    });

    it('PATCH of a project requires the scope write:projects', async () => {
      const reader = await service.provision(undefined, ['read:projects']);
      const readers = await new Api(service.baseUrl).signIn(reader, ['read:projects']);
      const answer = await patch(`${PROJECTS}/${randomUUID()}`, { name: 'x' }, {}, readers);
      expect([answer.status, answer.body.error]).toEqual([403, 'insufficient_scope']);
    });
  });

  describe('If-Match', () => {
    it.each(['"1"', 'W/"1"', '"7", "1"', '"1-Zk3v9QpLx0"', '*'])(
      'a change of version 1 succeeds with If-Match: %s',
      async (tag) => {
        const { status, body } = await patch(pathOf(await createProject()), { name: 'x' }, { 'If-Match': tag });
        expect([status, body.data.version]).toEqual([200, 2]);
      },
    );

    it.each(['"2"', '"2-Zk3v9QpLx0"', 'W/"2"', '"abc"', '"1x"', '"1-"'])(
      'a change of version 1 returns 412 with If-Match: %s and changes nothing',
      async (tag) => {
        const created = await createProject();
        const { status, body } = await patch(pathOf(created), { name: 'x' }, { 'If-Match': tag });
        expect([status, body.error]).toEqual([412, 'version_mismatch']);
        expect(body.message).toContain('version 1');
        expect((await api.get(pathOf(created))).body.data).toEqual(created.body.data);
      },
    );

    it.each(['1', '"1', '"1" "2"'])('returns 400 for If-Match: %s and names the header', async (tag) => {
      const { status, body } = await patch(pathOf(await createProject()), { name: 'x' }, { 'If-Match': tag });
      expect([status, body.details.errors[0].field]).toEqual([400, 'If-Match']);
    });

    it('If-Match applies to a create that updates: 412 if the version differs or the record does not exist', async () => {
      const body = { name: 'Boiler house', externalId: randomUUID() };
      for (const headers of [{ 'If-Match': '*' }, { 'If-Match': '"1"' }])
        for (const sent of [body, { name: 'Without an external id' }]) {
          const answer = await api.post(PROJECTS, sent, headers);
          expect([answer.status, answer.body.error]).toEqual([412, 'version_mismatch']);
        }
      const { id } = (await createProject(body)).body.data;
      const outrun = await api.post(PROJECTS, { ...body, name: 'x' }, { 'If-Match': '"2"' });
      expect([outrun.status, (await api.get(`${PROJECTS}/${id}`)).body.data.name]).toEqual([412, 'Boiler house']);
      const same = await api.post(PROJECTS, body, { 'If-Match': '"1"' });
      expect([same.status, same.body.message]).toEqual([200, 'The project is unchanged']);
      const changed = await api.post(PROJECTS, { ...body, name: 'x' }, { 'If-Match': '"1"' });
      expect([changed.status, changed.body.message]).toEqual([200, 'The project was changed']);
      expect(changed.body.data.version).toBe(2);
    });

    it('exactly one of 20 concurrent changes with the same If-Match succeeds', async () => {
      const created = await createProject();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => patch(pathOf(created), { name: `Change ${n}` }, { 'If-Match': '"1"' })),
      );
      const through = answers.filter(({ status }) => status === 200);
      expect(through).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
      expect((await api.get(pathOf(created))).body.data).toEqual(through[0]!.body.data);
    });
  });

  describe('public notes', () => {
    it('public notes can be allowed or forbidden when a project is created', async () => {
      expect((await createProject({ name: 'a' })).body.data.publicNotes).toBe(true);
      expect((await createProject({ name: 'a', publicNotes: false })).body.data.publicNotes).toBe(false);
    });

    it('the operator configures the public notes of a workspace', async () => {
      const settings = async () =>
        (await database.query('SELECT settings FROM workspaces WHERE id = $1', [me.workspaceId]))[0]!['settings'];
      expect(await settings()).toEqual({});
      await database.query('UPDATE workspaces SET settings = $2 WHERE id = $1', [me.workspaceId, { noteStatuses: [] }]);
      for (const [said, publicNotes] of [
        ['off', false],
        ['on', true],
      ] as const) {
        const answer = await service.operator('workspace', 'configure', me.workspaceId, '--public-notes', said);
        expect(answer).toEqual({ id: me.workspaceId, publicNotes, noteStatuses: [] });
        expect(await settings()).toEqual({ noteStatuses: [], publicNotes });
      }
    });

    it('the operator cannot set public notes to another value than on or off, or for an unknown workspace', async () => {
      const configure = (id: string, said: string) =>
        service.operator('workspace', 'configure', id, '--public-notes', said);
      await expect(configure(me.workspaceId, 'maybe')).rejects.toThrow(/It must be on or off/);
      await expect(configure(randomUUID(), 'on')).rejects.toThrow(/The workspace [-0-9a-f]+ was not found/);
    });
  });
});
