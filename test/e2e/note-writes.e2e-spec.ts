import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { type SharedService, shareServices } from '../support/shared-services.js';

interface Listed {
  id: string;
  createdAt: string;
}

describe('notes and messages without files', () => {
  let services: SharedService[];
  let me: Credentials;
  let instances: Api[];
  let api: Api;
  let notes: string;

  beforeAll(async () => {
    ({ services } = await shareServices(2));
    me = await services[0]!.provision();
    instances = services.map(({ baseUrl }) => new Api(baseUrl).withKey(me.apiKey));
    api = instances[0]!;
    notes = `/v2/api/workspaces/${me.workspaceId}/notes`;
  });

  const listEvents = async (path: string) => (await api.get(`${path}?limit=500`)).body.data.items;

  it('a new note is returned as it is read later', async () => {
    const projectId = (await api.post('/v1/api/projects', { name: 'Boiler house' })).body.data.id;
    const body = {
      title: 'Leak',
      description: 'Öl auf dem Boden',
      status: 'Resolved',
      dueDate: '2026-12-01T09:00:00.1234+01:00',
      customFields: { shift: 'night', a: '1', longest: '' },
    };
    for (const [path, parent] of [
      [notes, {}],
      ['/v1/api/notes', { projectId }],
    ] as const) {
      const created = await api.post(path, { ...body, ...parent });
      const read = await api.get(`/v1/api/notes/${created.body.data.id}`);
      expect(created.status).toBe(201);
      expect(JSON.stringify(created.body.data)).toBe(JSON.stringify(read.body.data));
      expect(created.headers.get('etag')).toBe(read.headers.get('etag'));
    }
  });

  it('a new message is returned as it is read later, and counts as a change of the note', async () => {
    const note = (await api.post(notes, { title: 'Leak' })).body.data;
    const created = (await api.post(`${notes}/${note.id}/messages`, { description: 'Fixed' })).body.data;
    expect(JSON.stringify(await listEvents(`${notes}/${note.id}/messages`))).toBe(JSON.stringify([created]));
    const read = (await api.get(`${notes}/${note.id}`)).body.data;
    expect(read).toMatchObject({ messageCount: 1, lastMessageAt: created.createdAt, version: 2, updatedBy: me.userId });
    const history = await listEvents(`${notes}/${note.id}/history`);
    expect(history.map(({ kind, actor, message }: any) => [kind, actor, message?.id])).toEqual([
      ['created', me.userId, undefined],
      ['message', me.userId, created.id],
    ]);
  });

  it('60 concurrent messages on two instances are listed in the order of their events, with ascending times', async () => {
    const { id } = (await api.post(notes, { title: 'Busy' })).body.data;
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => instances[n % 2]!.post(`${notes}/${id}/messages`, { description: `m${n}` })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const messages: Listed[] = await listEvents(`${notes}/${id}/messages`);
    const events = (await listEvents(`${notes}/${id}/history`)).slice(1);
    expect(messages.map((message) => message.id)).toEqual(events.map(({ message }: any) => message.id));
    const times = messages.map(({ createdAt }) => createdAt);
    // Two may have the same millisecond.
    expect(times).toEqual(times.toSorted());
    const sequences: number[] = events.map(({ sequence }: any) => sequence);
    expect(sequences).toEqual(sequences.map((_, n) => sequences[0]! + n));
    expect((await api.get(`${notes}/${id}`)).body.data).toMatchObject({ messageCount: 60, version: 61 });
  });

  it('60 concurrent notes on two instances have consecutive numbers and one event each', async () => {
    const before = (await listEvents(`${notes}/feed`)).at(-1).sequence;
    const created = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => (await instances[n % 2]!.post(notes, { title: `n${n}` })).body.data),
    );
    const numbers = created.map(({ number }) => number).sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, n) => numbers[0] + n));
    const events = (await listEvents(`${notes}/feed`)).filter(({ sequence }: any) => sequence > before);
    expect(events.map(({ sequence }: any) => sequence)).toEqual(numbers.map((_, n) => before + 1 + n));
    expect(new Set(events.map(({ noteId }: any) => noteId))).toEqual(new Set(created.map(({ id }) => id)));
  });

  it('a new note has the statuses that another instance has just configured', async () => {
    const own = await services[0]!.provision();
    const [one, other] = services.map(({ baseUrl }) => new Api(baseUrl).withKey(own.apiKey));
    const path = `/v2/api/workspaces/${own.workspaceId}/notes`;
    const statuses = (...keys: string[]) => keys.map((key) => ({ key, category: key === 'done' ? 'done' : 'open' }));
    const configure = (...keys: string[]) =>
      other!.put(`/v2/api/workspaces/${own.workspaceId}/note-statuses`, { statuses: statuses(...keys) });
    const create = async (status?: string) => {
      const { body } = await one!.post(path, { title: 'x', status });
      return body.data?.status ?? body.details.errors[0].code;
    };
    expect([await create(), await create('closed')]).toEqual(['open', 'closed']);
    expect((await configure('new', 'done')).status).toBe(200);
    expect([await create(), await create('closed'), await create('Done')]).toEqual(['new', 'unknown_status', 'done']);
    expect((await configure('later', 'new')).status).toBe(200);
    expect([await create('done'), await create('later'), await create()]).toEqual(['unknown_status', 'later', 'later']);
    const closed = await one!.get(`${path}?status=done`);
    expect(closed.body.data.items.map(({ closedAt }: any) => typeof closedAt)).toEqual(['string']);
  });

  it('messages return 404 for notes of others and for absent notes, and 409 for archived ones', async () => {
    const foreign = await services[0]!.provision();
    const theirs = new Api(services[0]!.baseUrl).withKey(foreign.apiKey);
    const theirNotes = `/v2/api/workspaces/${foreign.workspaceId}/notes`;
    const { id } = (await api.post(notes, { title: 'Mine' })).body.data;
    const send = async (caller: Api, path: string, body: object) => (await caller.post(path, body)).status;
    const text = { description: 'x' };
    expect(await send(theirs, `${theirNotes}/${id}/messages`, text)).toBe(404);
    expect(await send(theirs, '/v1/api/notes/messages', { ...text, threadId: id })).toBe(404);
    expect(await send(api, `${notes}/${foreign.workspaceId}/messages`, text)).toBe(404);
    expect(await send(api, `${notes}/${id}/messages`, {})).toBe(422);
    await api.delete(`${notes}/${id}`);
    expect(await send(api, `${notes}/${id}/messages`, text)).toBe(409);
    expect(await listEvents(`${notes}/${id}/messages`)).toEqual([]);
  });
});
