import { randomUUID } from 'node:crypto';
import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { base64, file, form, newPicture, sendForm, withoutExpiry } from '../support/files.js';
import { Operator } from '../support/operator.js';
import { TestDatabase, TestService } from '../support/service.js';
import { manyRows } from '../support/tables.js';

const SAVE = '/v1/public/saveThread';
const ADD_MESSAGE = '/v1/public/saveThreadMessage';
const QUOTA = 1_000_000;
/** More than a note needs in addition to its texts and files. */
const NOTE_BYTES = 10_000;
const TOGETHER = 40;

let database: TestDatabase;
/** Trusts the proxy on this machine, which forwards the client address. */
let service: TestService;
/** Trusts no proxy; public notes are disabled. */
let closed: TestService;
let me: Credentials;
let api: Api;
let projectId: string;
let addresses = 0;

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await TestService.start(database, {
    TRUST_PROXY: '127.0.0.1/32',
    RATE_LIMIT_PUBLIC_TOGETHER: `${TOGETHER}/60`,
    PUBLIC_QUOTA_BYTES: String(QUOTA),
  });
  closed = await TestService.start(database, { PUBLIC_NOTES: 'off' });
  me = await service.provision();
  api = new Api(service.baseUrl).withKey(me.apiKey);
  projectId = await newProject();
});

/** The rate limit of one test must not affect the others. */
beforeEach(() => database.query('DELETE FROM rate_buckets'));

afterAll(async () => {
  await Promise.all([service?.stop(), closed?.stop()]);
  await database?.drop();
});

async function newProject(more: object = {}, owner = api): Promise<string> {
  return (await owner.post('/v1/api/projects', { name: 'Boiler house', ...more })).body.data.id;
}

/** A tag in a new tour of the project. */
async function createTag(owner: Api, project?: string): Promise<{ tagId: number; tourId: string }> {
  const tour = { projectId: project ?? (await newProject({}, owner)), title: 'Tour' };
  const tourId = (await owner.post('/v1/api/tours', tour)).body.data.id as string;
  return { tagId: (await owner.post('/v1/api/tags', { tourId, label: 'Tag' })).body.data.id, tourId };
}

/** A user with a new workspace. */
const provisionOwner = async () => new Api(service.baseUrl).withKey((await service.provision()).apiKey);

/** An anonymous caller with the client address, by default a new one. */
function anonymousCaller(address = `10.1.${Math.floor(++addresses / 250)}.${(addresses % 250) + 1}`): Api {
  return new Api(service.baseUrl, { 'X-Forwarded-For': address });
}

const errorOf = ({ status, body }: ApiResponse) => [status, body.error];
const create = (more: object = {}, caller = anonymousCaller()) =>
  caller.post(SAVE, { projectId, title: 'The hatch is stuck', ...more });
const update = (id: string, more: object = { title: 'x' }, caller = anonymousCaller()) =>
  caller.post(SAVE, { id, ...more });
const addMessage = (threadId: string, more: object = { description: 'x' }, caller = anonymousCaller()) =>
  caller.post(ADD_MESSAGE, { threadId, ...more });
const count = async (table: string) =>
  Number((await database.query<{ count: string }>(`SELECT count(*) FROM ${table}`))[0]!.count);

function expectDeprecated({ headers }: ApiResponse, successor: string): void {
  expect(headers.get('deprecation')).toMatch(/^@\d{10}$/);
  expect(headers.get('link')).toContain(`<https://atrium.test${successor}>; rel="successor-version"`);
}

function expectRetryAfter(answer: ApiResponse, withinS: number): void {
  expect(answer.status).toBe(429);
  const seconds = Number(answer.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(withinS);
}

describe('rate limit of public notes', () => {
  it('allows ten notes and messages per minute from one address', async () => {
    const caller = anonymousCaller();
    const { id } = (await create({}, caller)).body.data;
    for (let at = 1; at < 10; at++) {
      const { status } = at % 2 ? await addMessage(id, { description: 'x' }, caller) : await create({}, caller);
      expect(status).toBe(201);
    }
    const notes = await count('notes');
    const rejected = [await create({}, caller), await addMessage(id, { description: 'x' }, caller)];
    for (const each of rejected) expectRetryAfter(each, 60);
    expect(await count('notes')).toBe(notes);
    expect((await create()).status).toBe(201);
    // Callers with credentials have another limit.
    const withKey = api.with({ 'X-Forwarded-For': caller.headers['X-Forwarded-For']! });
    expect((await withKey.post('/v1/api/notes', { projectId })).status).toBe(201);
  });

  it('counts requests before their body is read, also invalid ones', async () => {
    const caller = anonymousCaller();
    for (let at = 0; at < 10; at++) expect((await caller.post(SAVE, '{')).status).toBe(400);
    expectRetryAfter(await create({}, caller), 60);
  });

  it('limits all anonymous callers together', async () => {
    const answers = await Promise.all(manyRows(TOGETHER + 5, () => create()));
    const rejected = answers.filter(({ status }) => status !== 201);
    expect(rejected).toHaveLength(5);
    for (const each of rejected) expectRetryAfter(each, 60);
    expect((await api.post('/v1/api/notes', { projectId })).status).toBe(201);
  });

  it('ignores forwarded addresses if no proxy is trusted', async () => {
    const forwarding = (at: number) =>
      new Api(closed.baseUrl, { 'X-Forwarded-For': `10.9.9.${at}`, Forwarded: `for=10.9.9.${at}` });
    const answers: ApiResponse[] = [];
    for (let at = 0; at < 12; at++) answers.push(await create({}, forwarding(at)));
    expect(answers.slice(0, 10).map(errorOf)).toEqual(Array(10).fill([403, 'public_notes_off']));
    for (const each of answers.slice(10)) expectRetryAfter(each, 60);
  });
});

describe('quota of files of anonymous callers', () => {
  const files = (size: number) => [base64('a.png', newPicture(size))];
  const half = QUOTA / 2 - NOTE_BYTES;

  it('rejects further anonymous files until a user of the workspace changes the note', async () => {
    const owner = await provisionOwner();
    const project = await newProject({}, owner);
    const createHalf = () => create({ projectId: project, files: files(half) });
    const notes = [await createHalf(), await createHalf()];
    expect(notes.map(({ status }) => status)).toEqual([201, 201]);
    const [first, second] = notes.map(({ body }) => body.data.id as string);
    const before = [await count('notes'), await count('attachments')];
    const rejected = [
      await create({ projectId: project, files: files(30_000) }),
      await sendForm(anonymousCaller(), SAVE, form({ projectId: project }, [file('a.png', newPicture(30_000))])),
      await update(first!, { files: files(30_000) }),
      await addMessage(first!, { files: files(30_000) }),
    ];
    for (const each of rejected) {
      expect(errorOf(each)).toEqual([429, 'public_quota_full']);
      expect(Number(each.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect([await count('notes'), await count('attachments')]).toEqual(before);
    // The quota affects neither callers with credentials nor other workspaces.
    expect((await owner.post('/v1/api/notes', { projectId: project, files: files(30_000) })).status).toBe(201);
    expect((await create({ files: files(half) })).status).toBe(201);

    const change = (id: string, body: object) => owner.send(`/v1/api/notes/${id}`, { method: 'PATCH', body });
    // Only a write by a user of the workspace is a review; reads may be automated.
    expect((await owner.get(`/v1/api/notes/${first}`)).status).toBe(200);
    expect((await createHalf()).status).toBe(429);
    expect((await change(first!, { status: 'in progress' })).status).toBe(200);
    const third = await createHalf();
    expect([third.status, (await createHalf()).status]).toEqual([201, 429]);
    const answered = await owner.post('/v1/api/notes/messages', { threadId: second, description: 'Thank you' });
    expect([answered.status, (await createHalf()).status, (await createHalf()).status]).toEqual([201, 201, 429]);
    // A write that changes nothing is also a review.
    expect((await change(third.body.data.id, {})).status).toBe(200);
    expect([(await createHalf()).status, (await createHalf()).status]).toEqual([201, 429]);
  });

  it('the quota of files is never exceeded by concurrent requests', async () => {
    const owner = await provisionOwner();
    const project = await newProject({}, owner);
    const answers = await Promise.all(
      manyRows(10, (at) =>
        at % 2
          ? create({ projectId: project, files: files(290_000) })
          : sendForm(anonymousCaller(), SAVE, form({ projectId: project }, [file('a.png', newPicture(290_000))])),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array(7).fill(429)]);
  });
});

describe('text of anonymous callers', () => {
  const KIB = 1024;
  /** Three bytes per character. */
  const wide = (bytes: number) => '日'.repeat(bytes / 3);

  it('does not list the choices of a field', async () => {
    const fields = [{ key: 'shift', name: 'Shift', type: 'choice', choices: ['day', 'night'] }];
    const path = `/v2/api/workspaces/${me.workspaceId}/note-fields`;
    expect((await api.put(path, { fields })).status).toBe(200);
    const { status, body } = await new Api(service.baseUrl).post(SAVE, { projectId, customFields: { shift: 'noon' } });
    expect([status, body.message]).toEqual([422, 'customFields["shift"]: "noon" is not one of the choices.']);
    expect((await api.put(path, { fields: [] })).status).toBe(200);
  });

  it('has at most 64 KiB in all fields together', async () => {
    const { id } = (await create({ description: wide(33 * KIB), customFields: { a: wide(27 * KIB) } })).body.data;
    const notes = await count('notes');
    const tooLarge = [
      await create({ description: wide(39 * KIB), customFields: { a: wide(27 * KIB) } }),
      await sendForm(anonymousCaller(), SAVE, form({ projectId, description: wide(66 * KIB) }, [])),
      await update(id, { customFields: { [wide(600)]: 'x', a: wide(27 * KIB), b: wide(27 * KIB), c: wide(12 * KIB) } }),
      await addMessage(id, { description: wide(66 * KIB) }),
    ];
    for (const { status, body } of tooLarge) {
      expect([status, body.error]).toEqual([413, 'public_text_too_large']);
      expect(body.details).toEqual({ limit: 64 * KIB, actual: expect.any(Number) as number });
      expect(body.details.actual).toBeGreaterThan(64 * KIB);
    }
    expect(await count('notes')).toBe(notes);
    const withKey = await api.post('/v1/api/notes', { projectId, description: wide(66 * KIB) });
    expect(withKey.status).toBe(201);
  });

  it('counts to the quota, exactly for concurrent requests, until a user of the workspace changes the note', async () => {
    const owner = await provisionOwner();
    const project = await newProject({}, owner);
    const description = wide(60 * KIB);
    const { id } = (await create({ projectId: project })).body.data;
    const answers = await Promise.all(
      manyRows(24, (at) => {
        if (at % 3 === 0) return create({ projectId: project, description });
        return at % 3 === 1 ? addMessage(id, { description }) : update(id, { description: `${at}${description}` });
      }),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 429).every((status) => status === 201 || status === 200)).toBe(true);
    // An update stores its text twice: the previous one in the history.
    const accepted = statuses.filter((status) => status !== 429).length;
    expect(accepted).toBeGreaterThanOrEqual(8);
    expect(accepted).toBeLessThanOrEqual(16);
    const stored = await database.query<{ bytes: string }>(
      `SELECT sum(unreviewed_bytes) AS bytes FROM notes WHERE project_id = $1`,
      [project],
    );
    expect(Number(stored[0]!.bytes)).toBeLessThanOrEqual(QUOTA);
    expect(Number(stored[0]!.bytes)).toBeGreaterThan(QUOTA - 3 * 64 * KIB);
    expect((await owner.send(`/v1/api/notes/${id}`, { method: 'PATCH', body: { status: 'closed' } })).status).toBe(200);
    expect((await create({ projectId: project, description })).status).toBe(201);
  });
});

describe('permission for public notes', () => {
  it('returns 403 if the service disables public notes', async () => {
    const { id } = (await create()).body.data;
    const caller = new Api(closed.baseUrl);
    for (const each of [
      await create({}, caller),
      await update(id, { title: 'x' }, caller),
      await addMessage(id, { description: 'x' }, caller),
    ])
      expect(errorOf(each)).toEqual([403, 'public_notes_off']);
    const withKey = new Api(closed.baseUrl).withKey(me.apiKey);
    expect((await withKey.post('/v1/api/notes', { projectId })).status).toBe(201);
  });

  it('returns 403 while the project disables public notes, also for existing notes', async () => {
    const project = await newProject();
    const { id } = (await create({ projectId: project })).body.data;
    const set = (publicNotes: boolean) =>
      api.send(`/v1/api/projects/${project}`, { method: 'PATCH', body: { publicNotes } });
    const tries = async () => [
      (await create({ projectId: project })).status,
      (await update(id)).status,
      (await addMessage(id)).status,
    ];
    expect(await tries()).toEqual([201, 200, 201]);
    expect((await set(false)).status).toBe(200);
    expect(await tries()).toEqual([403, 403, 403]);
    expect((await set(true)).status).toBe(200);
    expect(await tries()).toEqual([201, 200, 201]);
  });

  it('returns 403 if the workspace disables public notes', async () => {
    const { workspaceId, apiKey } = await service.provision();
    const owner = new Api(service.baseUrl).withKey(apiKey);
    const project = await newProject({}, owner);
    const { id } = (await create({ projectId: project })).body.data;
    await new Operator(service.env).text('workspace', 'configure', workspaceId, '--public-notes', 'off');
    for (const each of [await create({ projectId: project }), await update(id), await addMessage(id)])
      expect(errorOf(each)).toEqual([403, 'public_notes_off']);
    expect((await owner.post('/v1/api/notes', { projectId: project })).status).toBe(201);
    expect((await create()).status).toBe(201);
  });

  it('returns 403 for a deleted workspace, without its ID', async () => {
    const { workspaceId, apiKey } = await service.provision();
    const owner = new Api(service.baseUrl).withKey(apiKey);
    const project = await newProject({}, owner);
    const operator = new Operator(service.env);
    const { name } = (await owner.get(`/v1/api/workspaces/${workspaceId}`)).body.data;
    await operator.text('workspace', 'delete', workspaceId, '--confirm', name as string);
    const answer = await create({ projectId: project });
    expect(errorOf(answer)).toEqual([403, 'public_notes_off']);
    expect(JSON.stringify(answer.body)).not.toContain(workspaceId);
  });
});

describe('responses to anonymous callers', () => {
  it('contain Deprecation and the successor for every status', async () => {
    const { id } = (await api.post('/v1/api/notes', { projectId })).body.data;
    const disabled = await newProject({ publicNotes: false });
    const caller = anonymousCaller();
    const key = { 'Idempotency-Key': randomUUID() };
    const calls: [number, () => Promise<ApiResponse>][] = [
      [201, () => create({}, caller)],
      [201, () => caller.post(SAVE, { projectId }, key)],
      [201, () => caller.post(SAVE, { projectId }, key)],
      [422, () => caller.post(SAVE, { projectId, title: 'x' }, key)],
      [400, () => caller.post(SAVE, '{')],
      [400, () => create({ colour: 'red' }, caller)],
      [403, () => create({ projectId: disabled }, caller)],
      [404, () => update(id, { title: 'x' }, caller)],
      [422, () => create({ projectId: randomUUID() }, caller)],
      [415, () => create({ files: [base64('a.svg', Buffer.from('<svg/>'))] }, caller)],
      [429, () => create({}, caller)],
    ];
    for (const [status, call] of calls) {
      const response = await call();
      expect(response.status).toBe(status);
      expectDeprecated(response, '/v1/api/notes');
    }
    for (const threadId of [id, 'x']) expectDeprecated(await addMessage(threadId), '/v1/api/notes/messages');
    const other = anonymousCaller();
    expectDeprecated(await sendForm(other, SAVE, form({ projectId, files: 'x' })), '/v1/api/notes');
    expectDeprecated(await other.post(SAVE, 'x', { 'Content-Type': 'text/plain' }), '/v1/api/notes');
  });

  it('return 404 for notes that were created with credentials', async () => {
    const ids = [
      (await api.post('/v1/api/notes', { projectId, externalId: 'SAP-7' })).body.data.id,
      (await api.post(`/v2/api/workspaces/${me.workspaceId}/notes`, { title: 'x' })).body.data.id,
    ];
    const missing = await update(randomUUID());
    const calls = ids.flatMap((id) => [
      () => update(id),
      () => update(id.toUpperCase()),
      () => update(id, { files: [base64('picture.png')] }),
      () => sendForm(anonymousCaller(), SAVE, form({ id, title: 'x' }, ['picture.png'])),
      () => addMessage(id),
      () => sendForm(anonymousCaller(), ADD_MESSAGE, form({ threadId: id }, ['picture.png'])),
    ]);
    for (const send of calls) {
      const { status, body } = await send();
      expect([status, body.error, body.message]).toEqual([404, missing.body.error, missing.body.message]);
    }
    for (const id of ids)
      expect((await api.get(`/v1/api/notes/${id}`)).body.data).toMatchObject({
        version: 1,
        messageCount: 0,
        files: [],
      });
  });
});

describe('a note of an anonymous caller', () => {
  const changeAsUser: [string, (id: string) => Promise<ApiResponse>][] = [
    ['a text', (id) => api.patch(`/v1/api/notes/${id}`, { description: 'Internal' })],
    ['a file', (id) => sendForm(api, '/v1/api/notes', form({ id }, ['picture.png']))],
    ['a message', (id) => api.post('/v1/api/notes/messages', { threadId: id, description: 'Internal' })],
    [
      'a status, by the workspace',
      (id) => api.patch(`/v2/api/workspaces/${me.workspaceId}/notes/${id}`, { status: 'in progress' }),
    ],
    [
      'its archival, and its restoration',
      async (id) => {
        expect((await api.delete(`/v1/api/notes/${id}`)).status).toBe(200);
        return api.post(`/v1/api/notes/${id}/restore`);
      },
    ],
  ];

  it.each(changeAsUser)(
    'is not returned, changed or closed without credentials after a user has added %s',
    async (_, change) => {
      const { id } = (await create({ description: 'Public' })).body.data;
      expect((await update(id, { title: 'Changed' })).body.data).toMatchObject({
        title: 'Changed',
        description: 'Public',
      });
      const changed = await change(id);
      expect([200, 201]).toContain(changed.status);
      // Sizes and thumbnails of files follow later.
      const read = async () => {
        const { files, ...data } = (await api.get(`/v1/api/notes/${id}`)).body.data;
        return { ...data, files: (files as { id: string }[]).map((file) => file.id) };
      };
      const data = await read();
      const rejected = async (): Promise<void> => {
        for (const each of [
          await update(id, { title: 'Overwritten' }),
          await update(id, { status: 'closed' }),
          await update(id, { files: [base64('picture.png')] }),
          await update(id, {}),
          await sendForm(anonymousCaller(), SAVE, form({ id, title: 'x' }, ['picture.png'])),
        ]) {
          expect(errorOf(each)).toEqual([403, 'note_not_public']);
          expect(JSON.stringify(each.body)).not.toMatch(/Internal|https?:\/\/[^"]*attachments/);
        }
      };
      await rejected();
      expect(await read()).toEqual(data);
      // A message may be added. It does not make the note public again.
      const added = await addMessage(id, { description: 'Is it repaired?', files: [base64('picture.png')] });
      expect([added.status, added.body.data.description, added.body.data.files.length]).toEqual([
        201,
        'Is it repaired?',
        1,
      ]);
      expect(JSON.stringify(added.body)).not.toContain('Internal');
      await rejected();
    },
  );

  it('cannot move to another workspace or to a project that disables public notes', async () => {
    const owner = await provisionOwner();
    const foreign = await newProject({}, owner);
    const disabled = await newProject({ publicNotes: false });
    const open = await newProject();
    const { id } = (await create()).body.data;
    expect((await update(id, { projectId: foreign })).status).toBe(422);
    expect((await update(id, { tagId: (await createTag(owner, foreign)).tagId })).status).toBe(422);
    expect((await update(id, { projectId: disabled })).status).toBe(403);
    const { tagId } = await createTag(api, disabled);
    expect((await update(id, { tagId })).status).toBe(422);
    expect((await update(id, { tagId, projectId: disabled })).status).toBe(403);
    const { data } = (await api.get(`/v1/api/notes/${id}`)).body;
    expect(data).toMatchObject({ workspaceId: me.workspaceId, projectId, tagId: null, version: 1 });
    expect((await update(id, { projectId: open })).body.data.projectId).toBe(open);
  });

  it('names a tag together with its project or tour, because tag IDs can be guessed', async () => {
    const { tagId, tourId } = await createTag(api, projectId);
    const elsewhere = await createTag(api, await newProject());
    const archived = await createTag(api, await newProject());
    await api.post(`/v1/api/tags/${archived.tagId}/archive`);
    const foreign = await createTag(await provisionOwner());
    const missing = { field: 'projectId', code: 'required' };
    expect(await create({ projectId: undefined, tagId })).toMatchObject({
      status: 422,
      body: { details: { errors: [missing] } },
    });
    const data = { tagId, tourId, projectId };
    for (const parents of [{ projectId }, { tourId }, { projectId, tourId }])
      expect(await create({ projectId: undefined, ...parents, tagId })).toMatchObject({ status: 201, body: { data } });
    const { id } = (await create()).body.data;
    const others = [elsewhere.tagId, archived.tagId, foreign.tagId, 2_000_000_000];
    for (const other of others) {
      const error = { field: 'tagId', code: 'not_found', message: `The tag "${other}" was not found. Check the ID.` };
      for (const each of [
        await create({ tagId: other }),
        await create({ projectId: undefined, tourId, tagId: other }),
        await update(id, { tagId: other }),
      ])
        expect(each).toMatchObject({ status: 422, body: { details: { total: 1, errors: [error] } } });
    }
    expect((await update(id, { tagId })).body.data).toMatchObject(data);
  });

  it('a note of an anonymous caller is created once if the request is repeated with its Idempotency-Key', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    const caller = anonymousCaller();
    const body = { projectId, title: 'Once', files: [base64('picture.png')] };
    const first = await caller.post(SAVE, body, key);
    const again = await caller.post(SAVE, body, key);
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
    expect(withoutExpiry(again.body)).toEqual(withoutExpiry(first.body));
    const titled = await database.query("SELECT FROM notes WHERE title = 'Once'");
    expect(titled).toHaveLength(1);
    const message = { threadId: first.body.data.id, description: 'Once' };
    const messageKey = { 'Idempotency-Key': randomUUID() };
    const [one, two] = [
      await caller.post(ADD_MESSAGE, message, messageKey),
      await caller.post(ADD_MESSAGE, message, messageKey),
    ];
    expect(two.body).toEqual(one.body);
    expect((await api.get(`/v1/api/notes/${first.body.data.id}`)).body.data.messageCount).toBe(1);
  });

  it('a note is not returned to another anonymous caller with the same Idempotency-Key', async () => {
    const key = { 'Idempotency-Key': 'the-same' };
    const [one, two] = [anonymousCaller(), anonymousCaller()];
    const first = await one.post(SAVE, { projectId, title: 'First' }, key);
    // The key is bound to the address, also if the request is the same.
    for (const title of ['First', 'Second']) {
      const caller = title === 'First' ? two : anonymousCaller();
      const other = await caller.post(SAVE, { projectId, title }, key);
      expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([201, null]);
      expect(other.body.data.id).not.toBe(first.body.data.id);
    }
    // From the same address, a different request is rejected and reveals nothing of the first.
    const reused = await one.post(SAVE, { projectId, title: 'Third' }, key);
    expect(errorOf(reused)).toEqual([422, 'idempotency_key_reused']);
    expect(JSON.stringify(reused.body)).not.toMatch(/First|[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(await database.query("SELECT FROM notes WHERE title = 'Third'")).toEqual([]);
    // A caller with credentials at the same address has its own keys.
    const withKey = await api.with(one.headers).post('/v1/api/notes', { projectId, title: 'First' }, key);
    expect([withKey.status, withKey.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });
});
