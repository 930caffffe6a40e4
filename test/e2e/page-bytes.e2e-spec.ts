import { Api, type ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { manyRows, Tables, text } from '../support/tables.js';

const MIB = 1024 * 1024;
/** A page ends with the item with which it reaches this number of bytes. */
const PAGE = 8 * MIB;

/** Three bytes per character. */
const wide = (characters: number) => '日'.repeat(characters);
/** 3 MB, which PostgreSQL stores compressed in a few kilobytes. */
const LARGE_FIELDS = Object.fromEntries(manyRows(100, (at) => [`field${at}`, wide(10_000)]));

interface Item {
  id?: string;
  key?: string;
  sequence?: number;
  code?: string;
}

let service: SharedService;
let me: Credentials;
let api: Api;
let workspace: string;

beforeAll(async () => {
  ({ service } = await shareService());
});

beforeEach(async () => {
  me = await service.provision();
  api = new Api(service.baseUrl).withKey(me.apiKey);
  workspace = `/v2/api/workspaces/${me.workspaceId}`;
});

const nameOf = ({ id, key, sequence, code }: Item) => id ?? key ?? code ?? String(sequence);

/** All pages. Each ends by its bytes, unless it is the last. @param largest bytes of an item. */
async function readPages(path: string, largest: number, parameter = 'cursor', list = 'items'): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next = ''; ;) {
    const { status, body }: ApiResponse = await api.get(`${path}${next}`);
    expect(status).toBe(200);
    const { [list]: items, hasMore, nextCursor } = body.data;
    const bytes = Buffer.byteLength(JSON.stringify(body));
    expect(bytes).toBeLessThan(PAGE + largest);
    if (hasMore) expect(bytes).toBeGreaterThan(PAGE);
    pages.push((items as Item[]).map(nameOf));
    if (!hasMore) return pages;
    next = `&${parameter}=${encodeURIComponent(nextCursor)}`;
  }
}

async function createNotes(count: number, fields: object): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const { status, body } = await api.post(`${workspace}/notes`, { title: `Note ${at} common`, ...fields });
    expect(status).toBe(201);
    ids.push(body.data.id);
  }
  return ids;
}

describe('pages end by their bytes, and the next page continues', () => {
  it('notes', async () => {
    const ids = await createNotes(7, { customFields: LARGE_FIELDS });
    for (const query of ['', '&q=common', '&sort=updatedAt', '&sort=dueDate&fields=id,customFields']) {
      const pages = await readPages(`${workspace}/notes?limit=100${query}`, 3.1 * MIB);
      expect([query, pages.map(({ length }) => length)]).toEqual([query, [3, 3, 1]]);
      expect(pages.flat().sort()).toEqual(ids.sort());
    }
  });

  it('histories, feeds and messages of notes', async () => {
    const [id] = await createNotes(1, {});
    const note = `${workspace}/notes/${id}`;
    const messages: string[] = [];
    for (let at = 0; at < 30; at++) {
      const { status, body } = await api.post(`${note}/messages`, { description: `${at}${wide(99_000)}` });
      expect(status).toBe(201);
      messages.push(body.data.id);
    }
    const pages = await readPages(`${note}/messages?limit=100`, MIB / 2);
    expect(pages.map(({ length }) => length)).toEqual([29, 1]);
    expect(pages.flat()).toEqual(messages);
    for (let at = 0; at < 3; at++)
      await api.send(note, { method: 'PATCH', body: { customFields: { ...LARGE_FIELDS, field0: String(at) } } });
    // The creation, the messages and three changes.
    const sequences = manyRows(34, (at) => String(at + 1));
    for (const path of [`${note}/history?limit=100`, `${workspace}/notes/feed?limit=100`]) {
      const history = await readPages(path, 6.2 * MIB);
      expect(history.length).toBeGreaterThan(2);
      expect(history.flat()).toEqual(sequences);
    }
  });

  it('tours', async () => {
    const { id: projectId } = (await api.post('/v1/api/projects', { name: 'Boiler house' })).body.data;
    const titles = manyRows(40, (at) => `Tour ${at}`);
    for (const title of titles)
      expect((await api.post('/v1/api/tours', { projectId, title, description: wide(99_000) })).status).toBe(201);
    for (const sort of ['createdAt', '-title']) {
      const pages = await readPages(`/v1/api/tours?projectId=${projectId}&limit=100&sort=${sort}`, MIB / 2);
      expect(pages.map(({ length }) => length)).toEqual([29, 11]);
      expect(new Set(pages.flat()).size).toBe(40);
    }
  });

  it('events, and events of records that are cut to their IDs', async () => {
    await createNotes(6, { customFields: LARGE_FIELDS });
    await createNotes(150, { description: wide(20_000) });
    // The first pages end by what is read, though the event contains only the IDs.
    const pages: number[][] = [];
    for (let after: number | undefined = 0, hasMore = true; hasMore;) {
      const { body }: ApiResponse = await api.get(`${workspace}/events?types=note.*&limit=1000&after=${after}`);
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(PAGE + 128 * 1024);
      pages.push(body.data.events.map(({ sequence }: Item) => sequence!));
      ({ hasMore, nextCursor: after } = body.data);
    }
    expect(pages[0]).toHaveLength(3);
    expect(pages.length).toBeGreaterThan(3);
    const sequences = pages.flat();
    expect(sequences).toHaveLength(156);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  });

  it('rows and change feeds of tables', async () => {
    const tables = Tables.of(service, me);
    const columns = [text('Code'), text('Note')];
    const codes = manyRows(70, (at) => `C${100 + at}`);
    for (const code of codes) {
      const { status } = await tables.bulk('assets', {
        name: 'Assets',
        columns,
        items: [{ code, note: wide(90_000) }],
      });
      expect([200, 201]).toContain(status);
    }
    const table = `${workspace}/cw/assets/Assets`;
    for (const sort of ['code', '-code']) {
      const pages = await readPages(`${table}/items?limit=5000&sort=${sort}`, MIB / 2);
      expect(pages.map(({ length }) => length)).toEqual([32, 32, 6]);
      expect(pages.flat()).toEqual(sort === 'code' ? codes : codes.toReversed());
    }
    const { data } = (await api.get(`${table}/items?limit=5000&count=exact&filter[code][gt]=C100`)).body;
    expect([data.items.length, data.total, data.hasMore]).toEqual([32, 69, true]);
    const changes = await readPages(`${table}/changes?since=0&limit=100`, MIB / 2);
    expect(changes.map(({ length }) => length)).toEqual([32, 32, 6]);
    expect(changes.flat()).toEqual(codes);
  });
});
