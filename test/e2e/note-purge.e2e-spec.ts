import type { Api } from '../support/api.js';
import { Api as Caller } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { base64, newPicture, sha256 } from '../support/files.js';
import { CLEANING, type SharedService, shareService } from '../support/shared-services.js';
import { until } from '../support/until.js';

interface Found {
  groups: { items: object[] }[];
  isCurrent: boolean;
}

describe('DELETE of a note with purge=true', () => {
  let service: SharedService;
  let database: Database;
  let me: Credentials;
  let api: Api;
  let workspace: string;

  beforeAll(async () => {
    ({ service, database } = await shareService(CLEANING));
    me = await service.provision();
    api = new Caller(service.baseUrl).withKey(me.apiKey);
    workspace = `/v2/api/workspaces/${me.workspaceId}`;
  });

  const newNote = async (body: object) =>
    (await api.post(`${workspace}/notes`, body)).body.data as { id: string; number: number };
  const search = async (q: string) => {
    const isCurrent = (data: Found) => data.isCurrent;
    const { groups } = await until(
      async () => (await api.get(`${workspace}/search?q=${q}`)).body.data as Found,
      isCurrent,
    );
    return groups.flatMap(({ items }) => items);
  };
  /** The rows of all tables with the text. */
  const stored = async (text: string) => {
    const tables = ['notes', 'note_messages', 'note_events', 'attachments', 'note_external_references', 'directory'];
    const found: string[] = [];
    for (const table of [...tables, 'events', 'pending_events', 'search_entries'])
      for (const row of await database.query(`SELECT 1 FROM ${table} t WHERE t::text ILIKE $1`, [`%${text}%`]))
        if (row) found.push(table);
    return found;
  };

  it.each([
    ['/v2/api/workspaces/{workspaceId}/notes', () => `${workspace}/notes`],
    ['/v1/api/notes', () => '/v1/api/notes'],
  ])('removes the note, its messages, history, files and texts on %s', async (_, path) => {
    const bytes = newPicture();
    const word = `purged${sha256(bytes).slice(0, 12)}`;
    const files = [base64(`${word}.png`, bytes)];
    const note = await newNote({ title: word, externalReferences: [{ system: 'SAP', id: word }], files });
    await api.patch(`${workspace}/notes/${note.id}`, { title: `${word} 2` });
    const message = await api.post(`${workspace}/notes/${note.id}/messages`, { description: word });
    expect(message.status).toBe(201);
    expect((await api.post(`${workspace}/notes/${note.id}/watchers`, {})).status).toBe(200);
    expect(await search(word)).toHaveLength(1);
    const { nextCursor } = (await api.get(`${workspace}/events?after=0&limit=500`)).body.data;

    const purged = await api.delete(`${path()}/${note.id}?purge=true`);
    expect([purged.status, purged.body.data.title]).toEqual([200, `${word} 2`]);
    expect(await stored(word)).toEqual([]);
    expect(await search(word)).toEqual([]);
    for (const route of ['', '/messages', '/history'])
      expect((await api.get(`${path()}/${note.id}${route}`)).status).toBe(404);
    const { events } = (await api.get(`${workspace}/events?after=${nextCursor}&types=note.*&wait=10`)).body.data;
    expect(events).toMatchObject([
      {
        type: 'note.deleted',
        actor: { userId: me.userId },
        data: { noteId: note.id, number: note.number, watchers: [me.userId] },
      },
    ]);
    // Former events refer to a note that no longer exists.
    const former = (await api.get(`${workspace}/events?after=0&types=note.*&limit=500`)).body.data.events as {
      data: any;
    }[];
    const own = former.filter(({ data }) => (data.note?.id ?? data.noteId) === note.id).map(({ data }) => data);
    expect(own).toEqual([
      { note: { id: note.id } },
      { note: { id: note.id }, changes: [] },
      { noteId: note.id, message: { id: message.body.data.id }, externalReferences: [], watchers: [] },
      { note: { id: note.id }, changes: [] },
      { noteId: note.id, number: note.number, watchers: [me.userId] },
    ]);
    const { items } = (await api.get(`${workspace}/audit?kind=note_deleted`)).body.data;
    expect(items[0]).toMatchObject({
      kind: 'note_deleted',
      principal: { type: 'api_key' },
      details: { noteId: note.id, number: note.number, messages: 1, files: 1 },
    });
    // The bytes are removed six hours after their upload, as all that no attachment refers to.
    await database.query("UPDATE blobs SET touched_at = now() - interval '7 hours' WHERE sha256 = $1", [sha256(bytes)]);
    await until(
      async () => (await database.query('SELECT 1 FROM blobs WHERE sha256 = $1', [sha256(bytes)])).length,
      (length) => length === 0,
    );
    // The external reference is free again.
    expect(await newNote({ title: 'Next', externalReferences: [{ system: 'SAP', id: word }] })).toHaveProperty('id');
  });

  it('is rejected for an editor, a wrong version and another value, and archives without purge', async () => {
    const { id } = await newNote({ title: 'Stays' });
    const email = `editor-${id}@example.com`;
    const editor = await service.operator<{ id: string }>(
      ...['user', 'create', '--email', email, '--workspace', me.workspaceId, '--role', 'editor'],
    );
    const { apiKey } = await service.operator<{ apiKey: string }>(
      ...['api-key', 'create', '--user', editor.id, '--workspace', me.workspaceId],
    );
    const caller = new Caller(service.baseUrl).withKey(apiKey);
    for (const path of [`${workspace}/notes/${id}`, `/v1/api/notes/${id}`]) {
      const rejected = await caller.delete(`${path}?purge=true`);
      expect([rejected.status, rejected.body.error]).toEqual([403, 'insufficient_role']);
      expect((await api.delete(`${path}?purge=true`, { 'If-Match': '"99"' })).status).toBe(412);
      expect((await api.delete(`${path}?purge=yes`)).status).toBe(400);
    }
    expect((await api.get(`${workspace}/notes/${id}`)).body.data).toMatchObject({ title: 'Stays', archivedAt: null });
    const archived = await caller.delete(`${workspace}/notes/${id}`);
    expect([archived.status, archived.body.data.title]).toEqual([200, 'Stays']);
    expect((await api.delete(`${workspace}/notes/${id}?purge=true`)).status).toBe(200);
    expect((await api.delete(`${workspace}/notes/${id}?purge=true`)).status).toBe(404);
  });
});
