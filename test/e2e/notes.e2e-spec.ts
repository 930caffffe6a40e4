import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { base64, bytesOf, form, samples, sendForm, sha256 } from '../support/files.js';
import type { Database } from '../support/database.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { column, manyRows, Tables, text } from '../support/tables.js';

describe('notes', () => {
  let database: Database;
  let service: SharedService;
  let me: Credentials;
  let api: Api;
  let otherApi: Api;
  let anonymous: Api;
  let projectId: string;
  let tourId: string;
  let tagId: number;
  let workspace: string;

  beforeAll(async () => {
    ({ database, service } = await shareService());
    me = await service.provision();
    anonymous = new Api(service.baseUrl);
    api = anonymous.withKey(me.apiKey);
    otherApi = anonymous.withKey((await service.provision()).apiKey);
    workspace = `/v2/api/workspaces/${me.workspaceId}`;
    projectId = (await api.post('/v1/api/projects', { name: 'Boiler house' })).body.data.id;
    tourId = (await api.post('/v1/api/tours', { projectId, title: 'Ground floor' })).body.data.id;
    tagId = (await api.post('/v1/api/tags', { tourId, label: 'Feed pump' })).body.data.id;
    await Tables.of(service, me).bulk('locations', {
      name: 'Functional Locations',
      columns: [text('TPLNR'), text('Name'), column('Parent', 'hierarchyParent')],
      items: [
        { TPLNR: 'AT10', name: 'Vienna works' },
        { TPLNR: 'AT10-UTL', name: 'Utilities', parent: 'AT10' },
        { TPLNR: 'AT10-UTL-CW', name: 'Cooling water', parent: 'AT10-UTL' },
      ],
    });
    await Tables.of(service, me).bulk('assets', {
      name: 'Assets',
      columns: [text('EQUNR'), text('Name')],
      items: [{ EQUNR: '10004711', name: 'Pump' }],
    });
  });

  const postForm = (path: string, body: FormData) => sendForm(api, path, body);
  const create = async (more: object = {}) =>
    (await api.post('/v1/api/notes', { projectId, title: 'Leak', ...more })).body.data;

  describe('on workspace routes', () => {
    it('reference a location and an asset by key and return every field', async () => {
      const sent = {
        title: 'Leak',
        description: 'Oil on the floor',
        status: 'In Progress',
        priority: 'high',
        assignee: 'maria',
        reporter: 'jan',
        scheduledDate: '2026-12-01T09:00:00+01:00',
        dueDate: '2026-12-02T00:00:00Z',
        customFields: { shift: 'night' },
      };
      const rows = { location: 'AT10-UTL-CW', assetKey: 'assets', asset: '10004711' };
      const created = await api.post(`${workspace}/notes`, { ...sent, ...rows });
      expect(created.status).toBe(201);
      expect(created.headers.get('etag')).toMatch(/^"1-/);
      const expected = {
        ...sent,
        status: 'in_progress',
        scheduledDate: '2026-12-01T08:00:00.000Z',
        dueDate: '2026-12-02T00:00:00.000Z',
        location: { table: 'Functional Locations', key: 'AT10-UTL-CW', name: 'Cooling water' },
        asset: { table: 'Assets', key: '10004711', name: 'Pump' },
        source: 'workspace',
        files: [],
        projectId: null,
        closedAt: null,
      };
      expect(created.body.data).toMatchObject(expected);
      const { id } = created.body.data;
      expect((await api.get(`${workspace}/notes/${id}`)).body.data).toMatchObject(expected);
      expect((await api.get(`/v1/api/notes/${id}`)).body.data).toMatchObject(expected);
    });

    it('notes need only one field', async () => {
      expect((await api.post(`${workspace}/notes`, { priority: 'high' })).body.data).toMatchObject({
        status: 'open',
        title: null,
      });
    });

    it.each([
      ['location', { location: 'nowhere' }],
      ['locationKey', { location: 'AT10', locationKey: 'No such table' }],
      ['asset', { asset: 'nothing', assetKey: 'Assets' }],
      ['assetKey', { assetKey: 'Assets' }],
      ['status', { status: 'finished' }],
    ])('notes return 422 and name %s if its value does not exist', async (field, invalid) => {
      const { status, body } = await api.post(`${workspace}/notes`, { title: 'Leak', ...invalid });
      expect(status).toBe(422);
      expect(body.details.errors).toMatchObject([{ field }]);
    });

    it('notes return 409 and list the tables if several contain the location key', async () => {
      const tables = Tables.of(service, me);
      for (const name of ['Site A', 'Site B'])
        await tables.bulk('locations', { name, columns: [text('Key')], items: [{ key: 'TWICE' }] });
      const { status, body } = await api.post(`${workspace}/notes`, { location: 'TWICE' });
      expect(status).toBe(409);
      expect(body.message).toContain('"Site A", "Site B"');
      const one = await api.post(`${workspace}/notes`, { location: 'TWICE', locationKey: 'site b' });
      expect(one.body.data.location.table).toBe('Site B');
    });

    it('notes follow their location when its key is renamed, and record an event', async () => {
      const tables = Tables.of(service, me);
      await tables.bulk('locations', { name: 'Renamed', columns: [text('Key')], items: [{ key: 'OLD' }] });
      const { id } = (await api.post(`${workspace}/notes`, { location: 'OLD' })).body.data;
      const renamed = await api.post(`${workspace}/cw/locations/Renamed/items/OLD/rename`, { key: 'NEW' });
      expect(renamed.status).toBe(200);
      const note = (await api.get(`${workspace}/notes/${id}`)).body.data;
      expect(note).toMatchObject({ location: { key: 'NEW', name: 'NEW' }, version: 2 });
      const { items } = (await api.get(`${workspace}/notes/${id}/history`)).body.data;
      expect(items.at(-1)).toMatchObject({ field: 'location', from: { key: 'OLD' }, to: { key: 'NEW' } });
    });

    it('notes can be filtered by location and by subtree', async () => {
      const { id } = (await api.post(`${workspace}/notes`, { location: 'AT10-UTL-CW', title: 'Below AT10' })).body.data;
      const ids = async (query: string) =>
        (await api.get(`${workspace}/notes?${query}`)).body.data.items.map((note: { id: string }) => note.id);
      expect(await ids('under=AT10')).toContain(id);
      expect(await ids('under=AT10-UTL-CW')).toContain(id);
      expect(await ids('location=AT10')).not.toContain(id);
      expect(await ids('under=nowhere')).toEqual([]);
      expect(await ids('q=belo&location=AT10-UTL-CW')).toEqual([id]);
    });
  });

  describe('on project routes', () => {
    it('get project and tour from the tag', async () => {
      const note = await create({ projectId: undefined, tagId });
      expect(note).toMatchObject({ projectId, tourId, tagId, source: 'api', number: expect.any(Number) });
    });

    it.each([
      ['projectId', {}],
      ['projectId', { projectId: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' }],
      ['tagId', { tagId: 2_000_000_000 }],
    ])('notes return 422 and name %s if no accessible project or tag is sent', async (field, parent) => {
      const { status, body } = await api.post('/v1/api/notes', { title: 'Leak', ...parent });
      expect(status).toBe(422);
      expect(body.details.errors).toMatchObject([{ field }]);
      expect((await otherApi.post('/v1/api/notes', { title: 'Leak', projectId })).status).toBe(422);
    });

    it('notes return 422 if the tag belongs to another project', async () => {
      const other = (await api.post('/v1/api/projects', { name: 'Other' })).body.data.id;
      const { status, body } = await api.post('/v1/api/notes', { tagId, projectId: other });
      expect([status, body.details.errors[0].code]).toEqual([422, 'mismatch']);
    });

    it('notes are updated with id: absent fields remain, null clears', async () => {
      const { id } = await create({ description: 'Oil', priority: 'high' });
      const updated = await api.post('/v1/api/notes', { id, title: 'Leak again', priority: null });
      expect(updated.status).toBe(200);
      expect(updated.body.data).toMatchObject({
        id,
        title: 'Leak again',
        description: 'Oil',
        priority: null,
        version: 2,
      });
    });

    it('notes return 412 if If-Match contains an older version', async () => {
      const { id } = await create();
      const update = (version: string) =>
        api.post('/v1/api/notes', { id, title: `After ${version}` }, { 'If-Match': version });
      expect((await update('"1"')).body.data.version).toBe(2);
      const outdated = await update('"1"');
      expect([outdated.status, outdated.body.error]).toEqual([412, 'version_mismatch']);
    });

    it('notes return 409 if another note has the external ID, also for ten concurrent requests', async () => {
      await create({ externalId: 'TAKEN' });
      const { id } = await create();
      for (const rejected of [
        await api.patch(`/v1/api/notes/${id}`, { title: 'Other', externalId: 'TAKEN' }),
        await api.post('/v1/api/notes', { id, title: 'Other', externalId: 'TAKEN' }),
      ]) {
        expect([rejected.status, rejected.body.error]).toEqual([409, 'external_id_taken']);
        expect(rejected.body.details.errors).toMatchObject([{ field: 'externalId' }]);
      }
      expect((await api.get(`/v1/api/notes/${id}`)).body.data).toMatchObject({
        title: 'Leak',
        externalId: null,
        version: 1,
      });
      const notes = await Promise.all(Array.from({ length: 10 }, () => create()));
      const answers = await Promise.all(
        notes.map((note) => api.patch(`/v1/api/notes/${note.id}`, { externalId: 'WANTED' })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
    });

    it.each([
      ['Pumpe P-101 tropft', ['P-101', 'pumpe p-101', '101']],
      ['pump-17 of line 4711/12', ['pump-17', '4711/12', '12']],
      ['v2.5 by a@b.example.com', ['v2.5', 'example.com', 'a@b.example.com']],
      ['Überlauf foo_bar AT10-UTL-CW', ['überl', 'foo_bar', 'at10-utl']],
    ])('notes are found by words of %s', async (title, texts) => {
      const { id } = await create({ title });
      for (const q of texts) {
        const { items } = (await api.get(`/v1/api/notes?q=${encodeURIComponent(q)}`)).body.data;
        expect({ q, ids: items.map((note: { id: string }) => note.id) }).toEqual({
          q,
          ids: expect.arrayContaining([id]),
        });
      }
      const { items } = (await api.get('/v1/api/notes?q=')).body.data;
      expect(items.map((note: { id: string }) => note.id)).toContain(id);
    });

    it('notes return 409 if the project is archived', async () => {
      const archivedId = (await api.post('/v1/api/projects', { name: 'Archived' })).body.data.id;
      await api.delete(`/v1/api/projects/${archivedId}`);
      for (const [client, path] of [
        [api, '/v1/api/notes'],
        [anonymous, '/v1/public/saveThread'],
      ] as const) {
        const { status, body } = await client.post(path, { projectId: archivedId, title: 'x' });
        expect([path, status, body.error]).toEqual([path, 409, 'archived']);
      }
    });

    it('notes of an archived project, tour or tag reject changes, messages and a restore', async () => {
      const createParent = async (path: string, body: object): Promise<string | number> =>
        (await api.post(`/v1/api/${path}`, body)).body.data.id;
      const project = await createParent('projects', { name: 'Archived later' });
      const tourId = await createParent('tours', { projectId: project, title: 'Tour' });
      const tagId = await createParent('tags', { tourId, label: 'Tag' });
      const externalId = 'IN-ARCHIVED';
      const note = (await api.post('/v1/api/notes', { tagId, title: 'Leak', externalId })).body.data;
      const sent = { projectId: project, title: 'Open' };
      const open = (await anonymous.post('/v1/public/saveThread', sent)).body.data.id as string;
      const restored = await createParent('notes', { projectId: project, title: 'Archived' });
      await api.delete(`/v1/api/notes/${restored}`);
      const item = { externalId, status: 'closed' };
      const errors = async () =>
        Promise.all([
          api.patch(`/v1/api/notes/${note.id}`, { title: 'x' }),
          api.post(`${workspace}/notes`, item),
          api.post('/v1/api/notes/messages', { threadId: note.id, description: 'x' }),
        ]).then((answers) => answers.map(({ body }) => body.error as string | undefined));
      for (const path of [`tags/${tagId}`, `tours/${tourId}`, `projects/${project}`]) {
        await api.delete(`/v1/api/${path}`);
        expect([path, await errors()]).toEqual([path, ['archived', 'archived', 'archived']]);
        if (!path.startsWith('projects')) await api.post(`/v1/api/${path}/restore`);
      }
      const rejected = [
        await api.post(`/v1/api/notes/${restored}/restore`),
        await anonymous.post('/v1/public/saveThread', { id: open, title: 'x' }),
        await anonymous.post('/v1/public/saveThreadMessage', { threadId: open, description: 'x' }),
      ];
      expect(rejected.map(({ status, body }) => [status, body.error])).toEqual(rejected.map(() => [409, 'archived']));
      const bulk = await api.post(`${workspace}/notes/bulk`, { items: [item] });
      expect([bulk.status, bulk.body.details.errors]).toMatchObject([422, [{ field: 'items[0]', code: 'archived' }]]);
      expect((await api.get(`/v1/api/notes/${note.id}`)).body.data).toEqual(note);
      expect((await api.delete(`/v1/api/notes/${open}`)).status).toBe(200);
      const moved = await api.patch(`/v1/api/notes/${note.id}`, { projectId, tagId: null, title: 'Moved' });
      expect([moved.status, moved.body.data]).toMatchObject([200, { projectId, tagId: null, title: 'Moved' }]);
      await api.post(`/v1/api/projects/${project}/restore`);
      expect((await api.post(`/v1/api/notes/${restored}/restore`)).status).toBe(200);
    });

    it('retain their version if nothing changes', async () => {
      const { id } = await create();
      expect((await api.post('/v1/api/notes', { id, title: 'Leak' })).body.data.version).toBe(1);
    });

    it('notes return 400 for unknown fields', async () => {
      const { status, body } = await api.post('/v1/api/notes', { projectId, colour: 'red' });
      expect([status, body.details.errors[0].field]).toEqual([400, 'colour']);
    });

    it('set closedAt in a done status, clear it on reopening, and record both changes', async () => {
      const { id } = await create();
      const close = (await api.send(`/v1/api/notes/${id}`, { method: 'PATCH', body: { status: 'Resolved' } })).body
        .data;
      expect(Date.parse(close.closedAt)).toBeGreaterThan(Date.parse(close.createdAt) - 1);
      const open = await api.send(`/v1/api/notes/${id}`, { method: 'PATCH', body: { status: 'open' } });
      expect(open.body.data.closedAt).toBeNull();
      const { items } = (await api.get(`/v1/api/notes/${id}/history`)).body.data;
      expect(items.map(({ kind, from, to }: any) => [kind, from, to])).toEqual([
        ['created', null, null],
        ['changed', 'open', 'resolved'],
        ['changed', 'resolved', 'open'],
      ]);
      expect(items.every(({ actor }: any) => actor === me.userId)).toBe(true);
    });

    it('record the former and the new value of each changed field, whatever the texts contain', async () => {
      const { id } = await create({ title: 'NULL', priority: 'high' });
      const title = '{"a\\b", NULL, \'{}\'}';
      const customFields = { 'a "b"': '\\"{,}' };
      await api.send(`/v1/api/notes/${id}`, { method: 'PATCH', body: { title, priority: null, customFields } });
      const { items } = (await api.get(`/v1/api/notes/${id}/history`)).body.data;
      const changes = items.slice(1).map(({ field, from, to }: any) => [field, [from, to]]);
      expect(Object.fromEntries(changes)).toEqual({
        title: ['NULL', title],
        priority: ['high', null],
        customFields: [{}, customFields],
      });
      const sequences = items.map(({ sequence }: any) => sequence);
      expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
      expect(new Set(sequences).size).toBe(4);
    });

    it('notes accept one of ten concurrent changes with the same If-Match', async () => {
      const { id } = await create();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          api.send(`/v1/api/notes/${id}`, {
            method: 'PATCH',
            headers: { 'If-Match': '"1"' },
            body: { title: `T${at}` },
          }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
    });

    it('notes reject changes and messages while archived, and can be restored', async () => {
      const { id } = await create();
      expect((await api.send(`/v1/api/notes/${id}`, { method: 'DELETE' })).body.data.archivedAt).not.toBeNull();
      expect((await api.post('/v1/api/notes', { id, title: 'x' })).body.error).toBe('note_archived');
      expect((await api.post('/v1/api/notes/messages', { threadId: id, description: 'x' })).status).toBe(409);
      const listed = async (archived: string) =>
        (await api.get(`/v1/api/notes?limit=500&archived=${archived}`)).body.data.items.some((n: any) => n.id === id);
      expect([await listed('false'), await listed('true'), await listed('all')]).toEqual([false, true, true]);
      for (const list of [`${workspace}/notes`, '/v1/api/notes']) {
        const { items } = (await api.get(`${list}?archived=all&limit=1&fields=id,status`)).body.data;
        expect(items).toEqual([{ id: expect.any(String), status: expect.any(String) }]);
        const rejected = await api.get(`${list}?fields=id,foo`);
        expect([rejected.status, rejected.body.details.errors[0].message]).toEqual([
          400,
          expect.stringContaining('foo'),
        ]);
      }
      expect((await api.post(`/v1/api/notes/${id}/restore`)).body.data.archivedAt).toBeNull();
      expect((await api.post('/v1/api/notes', { id, title: 'x' })).status).toBe(200);
    });

    it('notes are created once per external ID by ten concurrent requests', async () => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          api.post('/v1/api/notes', { projectId, externalId: 'SAP-1', title: `T${at}` }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
      expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    });

    it('notes have consecutive numbers and return 404 in other workspaces', async () => {
      const created = await Promise.all(Array.from({ length: 10 }, () => create()));
      const numbers = created.map(({ number }) => number).sort((a, b) => a - b);
      expect(numbers.at(-1) - numbers[0]).toBe(9);
      for (const path of ['', '/messages', '/history'])
        expect((await otherApi.get(`/v1/api/notes/${created[0].id}${path}`)).status).toBe(404);
      expect((await otherApi.post('/v1/api/notes', { id: created[0].id, title: 'x' })).status).toBe(404);
    });
  });

  describe('with files', () => {
    it.each(samples)('store %s unchanged, by form and by JSON', async (name) => {
      const byForm = await postForm('/v1/api/notes', form({ projectId, title: 'Leak' }, [name]));
      const byJson = await api.post('/v1/api/notes', { projectId, title: 'Leak', files: [base64(name)] });
      expect([byForm.status, byJson.status]).toEqual([201, 201]);
      const [one, other] = [byForm.body.data.files[0], byJson.body.data.files[0]];
      for (const field of ['filename', 'contentType', 'kind', 'size', 'sha256']) expect(one[field]).toBe(other[field]);
      expect(one).toMatchObject({ filename: name, size: bytesOf(name).length, sha256: sha256(bytesOf(name)) });
      for (const { id } of [one, other]) {
        const response = await fetch(`${service.baseUrl}/v1/api/attachments/${id}`, { headers: api.headers });
        expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(one.sha256);
        expect(response.headers.get('content-type')).toBe(one.contentType);
      }
    });

    it('notes accept custom fields of a form as keys and as JSON, and an empty value as null', async () => {
      const fields = { projectId, tagId: String(tagId), description: '' };
      const keys = await postForm(
        '/v1/api/notes',
        form({ ...fields, 'customFields[a]': '1', 'customFields[b]': 'zwei' }),
      );
      const json = await postForm('/v1/api/notes', form({ ...fields, customFields: '{"a":"1","b":"zwei"}' }));
      for (const { status, body } of [keys, json]) {
        expect(status).toBe(201);
        expect(body.data).toMatchObject({ customFields: { a: '1', b: 'zwei' }, tagId, description: null });
      }
    });

    it.each([
      ['a number', '{"a":1}'],
      ['a list', '[1]'],
      ['a text', 'night'],
    ])('notes return 400 for custom fields with %s', async (_, customFields) => {
      const { status, body } = await postForm('/v1/api/notes', form({ projectId, customFields }));
      expect([status, body.details.errors[0].field]).toEqual([400, 'customFields']);
    });

    it('store nothing if any file or field is invalid', async () => {
      const count = async () => (await database.query<{ n: string }>('SELECT count(*) n FROM attachments'))[0]!.n;
      const before = await count();
      const eleven = Array(11).fill(base64('picture.png'));
      expect((await api.post('/v1/api/notes', { projectId, files: eleven })).status).toBe(400);
      const svg = {
        filename: 'x.png',
        data: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64'),
      };
      expect((await api.post('/v1/api/notes', { projectId, files: [base64('picture.png'), svg] })).status).toBe(415);
      expect((await api.post('/v1/api/notes', { title: 'x', files: [base64('picture.png')] })).status).toBe(422);
      expect(await count()).toBe(before);
    });

    it('return 422 for an update with which the note would have more than 100 files', async () => {
      const { id } = await create({});
      const files = Array(10).fill(base64('picture.png'));
      const updates = await Promise.all(manyRows(11, () => api.post('/v1/api/notes', { id, files })));
      expect(updates.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), 422]);
      const { body } = await api.post('/v1/api/notes', { id, files: [base64('picture.png')] });
      expect(body.details.errors).toMatchObject([{ field: 'files', code: 'too_many_files' }]);
      expect((await api.get(`/v1/api/notes/${id}`)).body.data.files).toHaveLength(100);
      expect((await api.post('/v1/api/notes/messages', { threadId: id, files })).status).toBe(201);
    });

    it('get an image size and a thumbnail', async () => {
      const { id } = await create({ files: [base64('picture.jpg')] });
      let file: any;
      for (const until = Date.now() + 30_000; Date.now() < until;) {
        await delay(100);
        [file] = (await api.get(`/v1/api/notes/${id}`)).body.data.files;
        if (file.thumbnailUrl) break;
      }
      expect(file.width).toBeGreaterThan(0);
      expect(file.height).toBeGreaterThan(0);
      const { pathname, search } = new URL(file.thumbnailUrl);
      const thumbnail = await fetch(service.baseUrl + pathname + search);
      expect([thumbnail.status, thumbnail.headers.get('content-type')]).toEqual([200, 'image/webp']);
    });

    it('attachments have no thumbnail if the image is corrupt', async () => {
      const corrupt = bytesOf('picture.png').subarray(0, 60);
      const { id } = await create({ files: [{ filename: 'corrupt.png', data: corrupt.toString('base64') }] });
      for (const until = Date.now() + 30_000; Date.now() < until;) {
        await delay(100);
        const [row] = await database.query(`SELECT preview FROM blobs WHERE sha256 = $1`, [sha256(corrupt)]);
        if (row?.['preview'] !== 'pending') break;
      }
      const [file] = (await api.get(`/v1/api/notes/${id}`)).body.data.files;
      expect(file).toMatchObject({ filename: 'corrupt.png', width: null, thumbnailUrl: null });
    });

    it('share one blob if 20 concurrent requests send the same bytes', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => postForm(`${workspace}/notes`, form({}, ['video.webm']))),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
      const blobs = await database.query('SELECT FROM blobs WHERE workspace_id = $1 AND sha256 = $2', [
        me.workspaceId,
        sha256(bytesOf('video.webm')),
      ]);
      expect(blobs).toHaveLength(1);
    });
  });

  describe('downloads', () => {
    let file: any;
    let local: string;
    const bytes = bytesOf('picture.png');

    beforeAll(async () => {
      [file] = (await create({ files: [{ ...base64('picture.png'), filename: '../Pläne 図 "x"\r\n.png' }] })).files;
      const { pathname, search } = new URL(file.url);
      local = service.baseUrl + pathname + search;
    });

    it('downloads have safe headers and an ETag from the content', async () => {
      const { status, headers } = await fetch(local);
      expect(status).toBe(200);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
      expect(headers.get('content-disposition')).toMatch(/^attachment;.*filename\*=UTF-8''Pl%C3%A4ne%20%E5%9B%B3/);
      expect(headers.get('etag')).toBe(`"${file.sha256}"`);
      const again = await fetch(local, { headers: { 'If-None-Match': `"${file.sha256}"` } });
      expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0]);
      expect((await fetch(local, { method: 'HEAD' })).headers.get('content-length')).toBe(String(bytes.length));
    });

    it.each([
      ['bytes=0-0', 206, () => bytes.subarray(0, 1)],
      ['bytes=-5', 206, () => bytes.subarray(-5)],
      ['bytes=10-', 206, () => bytes.subarray(10)],
      [`bytes=0-99999999`, 206, () => bytes],
      [
        Array.from({ length: 1000 }, (_, at) => `${at * 2}-${at * 2}`)
          .join(',')
          .replace(/^/, 'bytes='),
        200,
        () => bytes,
      ],
      ['lines=1-2', 200, () => bytes],
    ])('downloads of the range %.20s return %i', async (Range, status, part) => {
      const response = await fetch(local, { headers: { Range } });
      expect(response.status).toBe(status);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(part()));
    });

    it('downloads of a range past the end return 416 with the size of the file', async () => {
      const response = await fetch(local, { headers: { Range: `bytes=${bytes.length}-` } });
      expect([response.status, response.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
    });

    it('downloads with a changed URL return 403, whether or not the file exists', async () => {
      const other = (await create({ files: [base64('picture.gif')] })).files[0];
      const url = new URL(local);
      const changes: ((to: URL) => void)[] = [
        (to) => to.searchParams.set('expires', '9999999999'),
        (to) => to.searchParams.set('signature', 'A'.repeat(43)),
        (to) => (to.pathname = to.pathname.replace(file.id, other.id)),
        (to) => (to.pathname = to.pathname.replace(file.id, '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a')),
        (to) => (to.pathname += '/thumbnail'),
      ];
      for (const change of changes) {
        const to = new URL(url);
        change(to);
        expect((await fetch(to)).status).toBe(403);
      }
      expect((await otherApi.get(`/v1/api/attachments/${file.id}`)).status).toBe(404);
    });
  });

  describe('messages', () => {
    it('messages are counted and listed with their files', async () => {
      const { id } = await create();
      const one = await api.post('/v1/api/notes/messages', { threadId: id, description: 'On it' });
      const two = await postForm(`${workspace}/notes/${id}/messages`, form({}, ['sound.mp3']));
      expect([one.status, two.status]).toEqual([201, 201]);
      const { items } = (await api.get(`/v1/api/notes/${id}/messages`)).body.data;
      expect(items).toMatchObject([
        { threadId: id, description: 'On it', files: [] },
        { description: null, files: [{ filename: 'sound.mp3', kind: 'audio' }] },
      ]);
      expect((await api.get(`/v1/api/notes/${id}`)).body.data).toMatchObject({ messageCount: 2, version: 3 });
      expect((await api.post('/v1/api/notes/messages', { threadId: id })).status).toBe(422);
      expect((await otherApi.post('/v1/api/notes/messages', { threadId: id, description: 'x' })).status).toBe(404);
    });

    it('20 concurrent messages are all stored, and the feed contains each once', async () => {
      const { id } = await create();
      const start = await readToEnd();
      await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          api.post('/v1/api/notes/messages', { threadId: id, description: `Message ${at}` }),
        ),
      );
      expect((await api.get(`/v1/api/notes/${id}`)).body.data.messageCount).toBe(20);
      const descriptions: string[] = [];
      let cursor = start;
      for (let page = 0; page < 10; page++) {
        const { data } = (await api.get(`${workspace}/notes/feed?limit=7&cursor=${cursor}`)).body;
        descriptions.push(...data.items.map(({ message }: any) => message.description));
        cursor = data.nextCursor;
      }
      expect(descriptions.sort()).toEqual(Array.from({ length: 20 }, (_, at) => `Message ${at}`).sort());
    });

    async function readToEnd(): Promise<string> {
      let cursor = '';
      for (;;) {
        const { data } = (await api.get(`/v1/api/notes/feed?limit=500${cursor && `&cursor=${cursor}`}`)).body;
        cursor = data.nextCursor;
        if (!data.hasMore) return cursor;
      }
    }
  });

  describe('without credentials', () => {
    const saveThread = (body: object) => anonymous.post('/v1/public/saveThread', body);

    it('public notes are stored, return public fields only, and link to the successor', async () => {
      const { status, headers, body } = await saveThread({ tourId, title: 'The hatch is stuck', assignee: 'maria' });
      expect(status).toBe(201);
      expect(body.data).toMatchObject({ projectId, tourId, source: 'public', title: 'The hatch is stuck' });
      expect(body.data.assignee).toBeUndefined();
      expect(headers.get('deprecation')).toMatch(/^@\d+$/);
      expect(headers.get('link')).toContain('/v1/api/notes>; rel="successor-version"');
      const answer = await anonymous.post('/v1/public/saveThreadMessage', {
        threadId: body.data.id,
        description: 'Still',
      });
      expect(answer.status).toBe(201);
      expect((await saveThread({ id: body.data.id, title: 'Repaired' })).body.data.title).toBe('Repaired');
    });

    it('receive no keys of types and fields of the workspace in errors', async () => {
      const { status, body } = await saveThread({ tourId, title: 'x', type: 'absent', fields: { absent: 1 } });
      expect([status, body.details.errors.map(({ message }: { message: string }) => message)]).toEqual([
        422,
        ['fields.absent: the workspace has no note field "absent".', '"absent" is not a note type of the workspace.'],
      ]);
    });

    it('cannot change notes that were created with credentials', async () => {
      const { id } = await create();
      expect((await saveThread({ id, title: 'x' })).status).toBe(404);
      const answer = await anonymous.post('/v1/public/saveThreadMessage', { threadId: id, description: 'x' });
      expect(answer.status).toBe(404);
      expect((await saveThread({ title: 'x', externalId: 'SAP-1', projectId })).status).toBe(400);
    });

    it('public notes are rejected if the project disables them', async () => {
      const closed = (await api.post('/v1/api/projects', { name: 'Closed', publicNotes: false })).body.data.id;
      expect((await saveThread({ projectId: closed, title: 'x' })).body.error).toBe('public_notes_off');
    });
  });

  describe('statuses of a workspace', () => {
    it('note statuses of a workspace can be changed', async () => {
      const other = await service.provision();
      const caller = anonymous.withKey(other.apiKey);
      const path = `/v2/api/workspaces/${other.workspaceId}`;
      const statuses = [
        { key: 'New', category: 'open' },
        { key: 'done-and-dusted', category: 'done' },
      ];
      const put = await caller.send(`${path}/note-statuses`, { method: 'PUT', body: { statuses } });
      expect(put.status).toBe(200);
      const note = (await caller.post(`${path}/notes`, { title: 'x' })).body.data;
      expect(note.status).toBe('new');
      const done = await caller.send(`${path}/notes/${note.id}`, {
        method: 'PATCH',
        body: { status: 'Done and dusted' },
      });
      expect(done.body.data).toMatchObject({ status: 'done_and_dusted', closedAt: expect.any(String) });
      expect((await caller.post(`${path}/notes`, { status: 'open' })).body.message).toContain('new, done_and_dusted');
    });
  });
});
