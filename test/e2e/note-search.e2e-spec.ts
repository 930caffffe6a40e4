import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { type SharedService, shareService } from '../support/shared-services.js';

interface FoundNote {
  id: string;
  title: string;
}

/** Two of three notes have the common word; the newest have no rare word. */
const COUNT = 90;
const isCommon = (n: number) => n % 3 > 0;
const isRare = (n: number) => n < 60 && n % 20 === 0;

describe('text search of notes', () => {
  let service: SharedService;
  let me: Credentials;
  let api: Api;
  let notes: string;

  beforeAll(async () => {
    ({ service } = await shareService());
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
    notes = `/v2/api/workspaces/${me.workspaceId}/notes`;
    for (let n = 0; n < COUNT; n++) {
      const words = [`n${n}`, ...(isCommon(n) ? ['common'] : []), ...(isRare(n) ? ['rarity'] : [])];
      const dueDate = n % 4 === 0 ? null : `2026-12-${String(1 + (n % 28)).padStart(2, '0')}T00:00:00Z`;
      await api.post(notes, { title: words.join(' '), status: n % 5 === 0 ? 'closed' : 'open', dueDate });
    }
  });

  /** All pages of a search. */
  const search = async (query: string, limit: number, caller = api): Promise<string[]> => {
    const titles: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await caller.get(`${notes}?${query}&limit=${limit}${cursor}`);
      titles.push(...body.data.items.map(({ title }: FoundNote) => title));
      if (!body.data.nextCursor) return titles;
      cursor = `&cursor=${encodeURIComponent(body.data.nextCursor)}`;
    }
  };

  /** The titles of the whole list that contain a word with this prefix, in its order. */
  const expected = async (query: string, prefix: string) =>
    (await search(query, 500)).filter((title) => title.split(' ').some((word) => word.startsWith(prefix)));

  it.each(['createdAt', '-createdAt', 'updatedAt', '-updatedAt', 'dueDate', '-dueDate'])(
    'returns the same notes as the list, in the order of %s, for common, rare and unknown words',
    async (sort) => {
      for (const filter of ['', '&status=closed&dueFrom=2026-12-05T00:00:00Z']) {
        for (const prefix of ['com', 'rarity', 'n1', 'unknown']) {
          const wanted = await expected(`sort=${sort}${filter}`, prefix);
          // For a page of 3, only the first 80 notes are read before the index is used.
          for (const limit of [3, 100]) {
            const found = await search(`sort=${sort}${filter}&q=${prefix}`, limit);
            expect({ filter, prefix, limit, found }).toEqual({ filter, prefix, limit, found: wanted });
          }
        }
      }
    },
  );

  it('returns notes that contain all words, in any letter case and order', async () => {
    expect(await search('q=RARITY%20Common', 10)).toEqual(['n40 common rarity', 'n20 common rarity']);
    expect(await search('q=common%20unknown', 10)).toEqual([]);
  });

  it('returns the note with a number, by number= and by # in the text', async () => {
    for (const query of ['number=41', 'q=%2341', 'q=%20%2341%20', 'q=%2341&number=41', 'q=%2341&sort=dueDate'])
      expect([query, await search(query, 10)]).toEqual([query, ['n40 common rarity']]);
    for (const query of ['number=4100', 'q=%234100', 'q=%2341&number=40', 'q=%2341&status=closed&archived=true'])
      expect([query, await search(query, 10)]).toEqual([query, []]);
    for (const query of ['number=0', 'number=x', 'number=1.5'])
      expect([query, (await api.get(`${notes}?${query}`)).status]).toEqual([query, 400]);
  });

  it('returns no notes for a text without words', async () => {
    expect(await search('q=%3F%3F%3F', 10)).toEqual([]);
  });

  it('finds a note by its current words only', async () => {
    const { id } = (await api.post(notes, { title: 'Ventil', description: 'undicht' })).body.data;
    const find = async (q: string) =>
      (await api.get(`${notes}?q=${q}`)).body.data.items.map((note: FoundNote) => note.id);
    await api.patch(`${notes}/${id}`, { title: 'Dichtung' });
    expect([await find('ventil'), await find('dichtung'), await find('undicht')]).toEqual([[], [id], [id]]);
    await api.patch(`${notes}/${id}`, { description: null });
    expect([await find('dichtung'), await find('undicht')]).toEqual([[id], []]);
    await api.post(`${notes}/${id}/messages`, { description: 'behoben' });
    await api.patch(`${notes}/${id}`, { status: 'closed' });
    expect([await find('dichtung'), await find('behoben')]).toEqual([[id], []]);
  });

  it.each([
    ['ÜBERDRUCKVENTIL', 'überdruck'],
    ['насос течёт', 'НАСОС'],
    ['ポンプ「故障」', '故障'],
    ['पंप की मरम्मत', 'मरम्मत'],
    ['Ölstand–Anzeige', 'anzeige'],
    ['1e5 mm²', '1e5 mm²'],
    ["o'ring \\ 'x':*", "o'ring x"],
    ['x'.repeat(400), 'x'.repeat(300)],
  ])('finds %s by %s', async (title, q) => {
    const { id } = (await api.post(notes, { title })).body.data;
    const { items } = (await api.get(`${notes}?q=${encodeURIComponent(q)}`)).body.data;
    expect(items.map((note: FoundNote) => note.id)).toEqual([id]);
  });

  it('returns notes of all workspaces of the caller, and of no others', async () => {
    const second = await service.provision();
    const foreign = await service.provision();
    const workspaces = [me, second].flatMap(({ workspaceId }) => ['--workspace', workspaceId]);
    const email = `${me.workspaceId}@example.com`;
    const user = await service.operator<{ id: string }>('user', 'create', '--email', email, ...workspaces);
    const client = await service.operator<Credentials>('client', 'create', '--user', user.id);
    const both = await new Api(service.baseUrl).signIn(client);
    for (const title of ['Shared word', 'Other', 'Shared words']) {
      for (const { workspaceId, apiKey } of [me, second, foreign]) {
        const owner = new Api(service.baseUrl).withKey(apiKey);
        await owner.post(`/v2/api/workspaces/${workspaceId}/notes`, { title, customFields: { workspaceId } });
      }
    }
    const find = async (query: string) => (await both.get(`/v1/api/notes?q=word%20shared${query}`)).body.data;
    const first = await find('&limit=3');
    const { items } = await find(`&limit=3&cursor=${encodeURIComponent(first.nextCursor)}`);
    const found = [...first.items, ...items].map((note) => [note.title, note.customFields.workspaceId]);
    expect(found).toEqual([
      ['Shared words', second.workspaceId],
      ['Shared words', me.workspaceId],
      ['Shared word', second.workspaceId],
      ['Shared word', me.workspaceId],
    ]);
    const inSecond = (await find(`&workspaceId=${second.workspaceId}&sort=createdAt`)).items;
    expect(inSecond.map(({ title }: FoundNote) => title)).toEqual(['Shared word', 'Shared words']);
  });
});
