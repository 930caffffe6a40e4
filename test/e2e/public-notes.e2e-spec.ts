import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { type Answer, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { base64, file, form, newPicture, sendForm } from '../support/files.js';
import { Operator } from '../support/operator.js';
import { TestDatabase, TestService } from '../support/service.js';
import { manyRows } from '../support/tables.js';

const SAVE = '/v1/public/saveThread';
const ANSWER = '/v1/public/saveThreadMessage';
const QUOTA = 20_000;
const TOGETHER = 40;

let database: TestDatabase;
/** Behind a proxy on this machine that says whose request it is. */
let service: TestService;
/** Without a proxy, and with public notes switched off. */
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

/** What strangers do in one test counts in no other. */
beforeEach(() => database.query('DELETE FROM rate_buckets'));

afterAll(async () => {
  await Promise.all([service?.stop(), closed?.stop()]);
  await database?.drop();
});

async function newProject(more: object = {}, owner = api): Promise<string> {
  return (await owner.post('/v1/api/projects', { name: 'Boiler house', ...more })).body.data.id;
}

/** Somebody with a workspace of their own. */
const newcomer = async () => new Api(service.baseUrl).withKey((await service.provision()).apiKey);

/** A stranger at an address of their own, unless it is told which. */
function somebody(address = `10.1.${Math.floor(++addresses / 250)}.${(addresses % 250) + 1}`): Api {
  return new Api(service.baseUrl, { 'X-Forwarded-For': address });
}

const errorOf = ({ status, body }: Answer) => [status, body.error];
const leave = (more: object = {}, who = somebody()) =>
  who.post(SAVE, { projectId, title: 'The door is stuck', ...more });
const update = (id: string, more: object = { title: 'x' }, who = somebody()) => who.post(SAVE, { id, ...more });
const answer = (threadId: string, more: object = { description: 'x' }, who = somebody()) =>
  who.post(ANSWER, { threadId, ...more });
const count = async (table: string) =>
  Number((await database.query<{ count: string }>(`SELECT count(*) FROM ${table}`))[0]!.count);

function expectDeprecated({ headers }: Answer, successor: string): void {
  expect(headers.get('deprecation')).toMatch(/^@\d{10}$/);
  expect(headers.get('link')).toContain(`<https://atrium.test${successor}>; rel="successor-version"`);
}

function expectToldToComeBack(answer: Answer, withinS: number): void {
  expect(answer.status).toBe(429);
  const seconds = Number(answer.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(withinS);
}

describe('strangers', () => {
  it('may leave ten notes and messages a minute from one address', async () => {
    const who = somebody();
    const { id } = (await leave({}, who)).body.data;
    for (let at = 1; at < 10; at++) {
      const { status } = at % 2 ? await answer(id, { description: 'x' }, who) : await leave({}, who);
      expect(status).toBe(201);
    }
    const notes = await count('notes');
    const refused = [await leave({}, who), await answer(id, { description: 'x' }, who)];
    for (const each of refused) expectToldToComeBack(each, 60);
    expect(await count('notes')).toBe(notes);
    expect((await leave()).status).toBe(201);
    // It is of no concern to those who say who they are.
    const known = api.with({ 'X-Forwarded-For': who.headers['X-Forwarded-For']! });
    expect((await known.post('/v1/api/notes', { projectId })).status).toBe(201);
  });

  it('count before their body is read, and by each try', async () => {
    const who = somebody();
    for (let at = 0; at < 10; at++) expect((await who.post(SAVE, '{')).status).toBe(400);
    expectToldToComeBack(await leave({}, who), 60);
  });

  it('have so many all together, whatever their addresses', async () => {
    const answers = await Promise.all(manyRows(TOGETHER + 5, () => leave()));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(5);
    for (const each of refused) expectToldToComeBack(each, 60);
    expect((await api.post('/v1/api/notes', { projectId })).status).toBe(201);
  });

  it('are counted by their connection where no proxy is trusted, whatever they forward', async () => {
    const forwarding = (at: number) =>
      new Api(closed.baseUrl, { 'X-Forwarded-For': `10.9.9.${at}`, Forwarded: `for=10.9.9.${at}` });
    const answers: Answer[] = [];
    for (let at = 0; at < 12; at++) answers.push(await leave({}, forwarding(at)));
    expect(answers.slice(0, 10).map(errorOf)).toEqual(Array(10).fill([403, 'public_notes_off']));
    for (const each of answers.slice(10)) expectToldToComeBack(each, 60);
  });
});

describe('the files of strangers', () => {
  const files = (size: number) => [base64('a.png', newPicture(size))];
  const half = QUOTA / 2;

  it('fill their share of a workspace, and those of its people go on', async () => {
    const owner = await newcomer();
    const project = await newProject({}, owner);
    const leaveHalf = () => leave({ projectId: project, files: files(half) });
    const notes = [await leaveHalf(), await leaveHalf()];
    expect(notes.map(({ status }) => status)).toEqual([201, 201]);
    const [first, second] = notes.map(({ body }) => body.data.id as string);
    const before = [await count('notes'), await count('attachments')];
    const refused = [
      await leave({ projectId: project, files: files(1_000) }),
      await sendForm(somebody(), SAVE, form({ projectId: project }, [file('a.png', newPicture())])),
      await update(first!, { files: files(1_000) }),
      await answer(first!, { files: files(1_000) }),
    ];
    for (const each of refused) {
      expect(errorOf(each)).toEqual([429, 'public_quota_full']);
      expect(Number(each.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect([await count('notes'), await count('attachments')]).toEqual(before);
    // Words take no room; who is known needs no share; other workspaces have their own.
    expect((await leave({ projectId: project })).status).toBe(201);
    expect((await owner.post('/v1/api/notes', { projectId: project, files: files(30_000) })).status).toBe(201);
    expect((await leave({ files: files(half) })).status).toBe(201);

    const change = (id: string, body: object) => owner.send(`/v1/api/notes/${id}`, { method: 'PATCH', body });
    // Whoever of the workspace writes to a note has looked at it; reading alone may be a machine's.
    expect((await owner.get(`/v1/api/notes/${first}`)).status).toBe(200);
    expect((await leaveHalf()).status).toBe(429);
    expect((await change(first!, { status: 'in progress' })).status).toBe(200);
    const third = await leaveHalf();
    expect([third.status, (await leaveHalf()).status]).toEqual([201, 429]);
    const answered = await owner.post('/v1/api/notes/messages', { threadId: second, description: 'Thank you' });
    expect([answered.status, (await leaveHalf()).status, (await leaveHalf()).status]).toEqual([201, 201, 429]);
    // Also without a change of anything.
    expect((await change(third.body.data.id, {})).status).toBe(200);
    expect([(await leaveHalf()).status, (await leaveHalf()).status]).toEqual([201, 429]);
  });

  it('never are more than their share, though many come at once', async () => {
    const others = await newcomer();
    const project = await newProject({}, others);
    const answers = await Promise.all(
      manyRows(10, (at) =>
        at % 2
          ? leave({ projectId: project, files: files(6_000) })
          : sendForm(somebody(), SAVE, form({ projectId: project }, [file('a.png', newPicture(6_000))])),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array(7).fill(429)]);
  });
});

describe('strangers are let in', () => {
  it('nowhere where the service takes nothing of them', async () => {
    const { id } = (await leave()).body.data;
    const stranger = new Api(closed.baseUrl);
    for (const each of [
      await leave({}, stranger),
      await update(id, { title: 'x' }, stranger),
      await answer(id, { description: 'x' }, stranger),
    ])
      expect(errorOf(each)).toEqual([403, 'public_notes_off']);
    const known = new Api(closed.baseUrl).withKey(me.apiKey);
    expect((await known.post('/v1/api/notes', { projectId })).status).toBe(201);
  });

  it('to a project while it is open, and to its notes', async () => {
    const project = await newProject();
    const { id } = (await leave({ projectId: project })).body.data;
    const set = (publicNotes: boolean) =>
      api.send(`/v1/api/projects/${project}`, { method: 'PATCH', body: { publicNotes } });
    const tries = async () => [
      (await leave({ projectId: project })).status,
      (await update(id)).status,
      (await answer(id)).status,
    ];
    expect(await tries()).toEqual([201, 200, 201]);
    expect((await set(false)).status).toBe(200);
    expect(await tries()).toEqual([403, 403, 403]);
    expect((await set(true)).status).toBe(200);
    expect(await tries()).toEqual([201, 200, 201]);
  });

  it('to a workspace while it is open', async () => {
    const { workspaceId, apiKey } = await service.provision();
    const owner = new Api(service.baseUrl).withKey(apiKey);
    const project = await newProject({}, owner);
    const { id } = (await leave({ projectId: project })).body.data;
    await new Operator(tmpdir(), service.env).text('workspace', 'configure', workspaceId, '--public-notes', 'off');
    for (const each of [await leave({ projectId: project }), await update(id), await answer(id)])
      expect(errorOf(each)).toEqual([403, 'public_notes_off']);
    expect((await owner.post('/v1/api/notes', { projectId: project })).status).toBe(201);
    expect((await leave()).status).toBe(201);
  });
});

describe('strangers are told', () => {
  it('what to call instead, whatever becomes of the call', async () => {
    const { id } = (await api.post('/v1/api/notes', { projectId })).body.data;
    const shut = await newProject({ publicNotes: false });
    const who = somebody();
    const key = { 'Idempotency-Key': randomUUID() };
    const calls: [number, () => Promise<Answer>][] = [
      [201, () => leave({}, who)],
      [201, () => who.post(SAVE, { projectId }, key)],
      [201, () => who.post(SAVE, { projectId }, key)],
      [422, () => who.post(SAVE, { projectId, title: 'x' }, key)],
      [400, () => who.post(SAVE, '{')],
      [400, () => leave({ colour: 'red' }, who)],
      [403, () => leave({ projectId: shut }, who)],
      [404, () => update(id, { title: 'x' }, who)],
      [422, () => leave({ projectId: randomUUID() }, who)],
      [415, () => leave({ files: [base64('a.svg', Buffer.from('<svg/>'))] }, who)],
      [429, () => leave({}, who)],
    ];
    for (const [status, call] of calls) {
      const told = await call();
      expect(told.status).toBe(status);
      expectDeprecated(told, '/v1/api/notes');
    }
    for (const threadId of [id, 'x']) expectDeprecated(await answer(threadId), '/v1/api/notes/messages');
    const other = somebody();
    expectDeprecated(await sendForm(other, SAVE, form({ projectId, files: 'x' })), '/v1/api/notes');
    expectDeprecated(await other.post(SAVE, 'x', { 'Content-Type': 'text/plain' }), '/v1/api/notes');
  });

  it('nothing of notes that came with credentials, by whichever way', async () => {
    const ids = [
      (await api.post('/v1/api/notes', { projectId, externalId: 'SAP-7' })).body.data.id,
      (await api.post(`/v2/api/workspaces/${me.workspaceId}/notes`, {})).body.data.id,
    ];
    const nobody = await update(randomUUID());
    const calls = ids.flatMap((id) => [
      () => update(id),
      () => update(id.toUpperCase()),
      () => update(id, { files: [base64('picture.png')] }),
      () => sendForm(somebody(), SAVE, form({ id, title: 'x' }, ['picture.png'])),
      () => answer(id),
      () => sendForm(somebody(), ANSWER, form({ threadId: id }, ['picture.png'])),
    ]);
    for (const send of calls) {
      const { status, body } = await send();
      expect([status, body.error, body.message]).toEqual([404, nobody.body.error, nobody.body.message]);
    }
    for (const id of ids)
      expect((await api.get(`/v1/api/notes/${id}`)).body.data).toMatchObject({
        version: 1,
        messageCount: 0,
        files: [],
      });
  });
});

describe('a note of a stranger', () => {
  it('stays in its workspace, and out of projects that are closed', async () => {
    const others = await newcomer();
    const foreign = await newProject({}, others);
    const shut = await newProject({ publicNotes: false });
    const open = await newProject();
    const tourOf = async (owner: Api, project: string) =>
      (await owner.post('/v1/api/tours', { projectId: project, title: 'Tour' })).body.data.id;
    const tagOf = async (owner: Api, project: string) =>
      (await owner.post('/v1/api/tags', { tourId: await tourOf(owner, project), label: 'Tag' })).body.data.id;
    const { id } = (await leave()).body.data;
    expect((await update(id, { projectId: foreign })).status).toBe(422);
    expect((await update(id, { tagId: await tagOf(others, foreign) })).status).toBe(422);
    expect((await update(id, { projectId: shut })).status).toBe(403);
    expect((await update(id, { tagId: await tagOf(api, shut) })).status).toBe(403);
    const { data } = (await api.get(`/v1/api/notes/${id}`)).body;
    expect(data).toMatchObject({ workspaceId: me.workspaceId, projectId, tagId: null, version: 1 });
    expect((await update(id, { projectId: open })).body.data.projectId).toBe(open);
  });

  it('is one, where its sender sends it again', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    const who = somebody();
    const body = { projectId, title: 'Once', files: [base64('picture.png')] };
    const first = await who.post(SAVE, body, key);
    const again = await who.post(SAVE, body, key);
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
    expect(again.body).toEqual(first.body);
    const titled = await database.query("SELECT FROM notes WHERE title = 'Once'");
    expect(titled).toHaveLength(1);
    const message = { threadId: first.body.data.id, description: 'Once' };
    const messageKey = { 'Idempotency-Key': randomUUID() };
    const [one, two] = [await who.post(ANSWER, message, messageKey), await who.post(ANSWER, message, messageKey)];
    expect(two.body).toEqual(one.body);
    expect((await api.get(`/v1/api/notes/${first.body.data.id}`)).body.data.messageCount).toBe(1);
  });

  it('is not shown to another stranger who has the same key', async () => {
    const key = { 'Idempotency-Key': 'the-same' };
    const [one, two] = [somebody(), somebody()];
    const first = await one.post(SAVE, { projectId, title: 'First' }, key);
    // From another address it is another key, though the request were the same.
    for (const title of ['First', 'Second']) {
      const who = title === 'First' ? two : somebody();
      const other = await who.post(SAVE, { projectId, title }, key);
      expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([201, null]);
      expect(other.body.data.id).not.toBe(first.body.data.id);
    }
    // From the same address another request is refused, and says nothing of the first.
    const reused = await one.post(SAVE, { projectId, title: 'Third' }, key);
    expect(errorOf(reused)).toEqual([422, 'idempotency_key_reused']);
    expect(JSON.stringify(reused.body)).not.toMatch(/First|[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(await database.query("SELECT FROM notes WHERE title = 'Third'")).toEqual([]);
    // Nor is it that of somebody with credentials behind the same address.
    const known = await api.with(one.headers).post('/v1/api/notes', { projectId, title: 'First' }, key);
    expect([known.status, known.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });
});
