import { randomBytes } from 'node:crypto';
import type { Database } from '../support/database.js';
import { Api, type ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { SHORT_STATEMENTS, type SharedService, shareService } from '../support/shared-services.js';
import { unique } from '../support/tables.js';
import { until } from '../support/until.js';

interface Hit {
  id: string;
  title: string;
  table?: { id: string; name: string; type: string };
  number?: number;
  isMistyped: boolean;
  matches: { field: string; parts: string[] }[];
}
interface Result {
  groups: { kind: string; items: Hit[]; hasMore: boolean }[];
  isCurrent: boolean;
}

/** The statements of a migration after which the index has other forms of words (src/modules/search/README.md). */
const REBUILD = [
  'UPDATE search_positions SET changes_since = greatest(changes_since, revision), revision = -1, key = NULL',
  'UPDATE search_indexes SET is_pending = true',
];

const text = (name: string) => ({ name, type: 'text' });

let service: SharedService;
let database: Database;
let me: Credentials;
let api: Api;
let workspace: string;
let projectId: string;

const search = (query: Record<string, string>, caller = api): Promise<ApiResponse> =>
  caller.get(`${workspace}/search?${new URLSearchParams(query).toString()}`);
const resultOf = ({ status, body }: ApiResponse): Result => {
  expect([status, body.details]).toEqual([200, undefined]);
  return body.data as Result;
};
/** The first result that contains everything: a search takes only a part of a second to index what was written. */
const findIn = (path: string, query: Record<string, string>, caller: Api): Promise<Result> =>
  until(
    async () => resultOf(await caller.get(`${path}/search?${new URLSearchParams(query).toString()}`)),
    ({ isCurrent }) => isCurrent,
  );
const find = (q: string, query: Record<string, string> = {}, caller = api): Promise<Result> =>
  findIn(workspace, { q, ...query }, caller);
const idsOf = ({ groups }: Result, kind: string): string[] =>
  groups.find((group) => group.kind === kind)?.items.map(({ id }) => id) ?? [];
const show = (hit: Hit | undefined) =>
  hit?.matches.map(
    ({ field, parts }) => `${field}: ${parts.map((part, at) => (at % 2 === 1 ? `[${part}]` : part)).join('')}`,
  );
const errorOf = ({ status, body }: ApiResponse) => [status, body.error, body.details?.errors?.[0]?.code];
const bulk = async (entity: string, tables: object[]) => {
  const { status, body } = await api.post(`${workspace}/cw/${entity}/bulk`, { [entity]: tables });
  expect([status, body.details]).toEqual([201, undefined]);
};

beforeAll(async () => {
  ({ service, database } = await shareService());
  me = await service.provision();
  api = new Api(service.baseUrl).withKey(me.apiKey);
  workspace = `/v2/api/workspaces/${me.workspaceId}`;
  projectId = (await api.post('/v1/api/projects', { name: 'Works' })).body.data.id as string;
  await bulk('assets', [
    {
      name: 'Equipment',
      columns: [text('Equnr'), text('Name'), text('Vendor'), { name: 'Weight', type: 'number' }],
      items: [
        { equnr: 'P-100', name: 'Feed water pump', vendor: 'KSB', weight: 1 },
        { equnr: 'P-100-A', name: 'Motor of the pump', vendor: 'ABB', weight: 2 },
        { equnr: 'B-7', name: 'Kühlwasserkessel', vendor: 'Feed Ltd', weight: 3 },
      ],
    },
  ]);
  await bulk('lists', [
    { name: 'Spare parts', columns: [text('Nr'), text('Text')], items: [{ nr: 'S1', text: 'Pump seal' }] },
  ]);
}, 60_000);

afterAll(() => {
  expect(service.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
});

describe('a search', () => {
  it('finds rows of all tables, and marks the words', async () => {
    const result = await find('pump');
    expect(idsOf(result, 'rows').toSorted()).toEqual(['P-100', 'P-100-A', 'S1']);
    const [first] = result.groups[0]!.items.filter(({ id }) => id === 'P-100');
    expect(first).toMatchObject({
      title: 'Feed water pump',
      table: { name: 'Equipment', type: 'asset' },
      isMistyped: false,
    });
    expect(show(first)).toEqual(['name: Feed water [pump]']);
    expect(result.groups.map(({ kind }) => kind)).toEqual(['rows', 'notes', 'projects', 'tours', 'tags']);
  });

  it('returns the row with the key first, then those whose keys begin with it', async () => {
    expect(idsOf(await find('p-100'), 'rows')).toEqual(['P-100', 'P-100-A']);
  });

  it('ignores accents and letter case, and finds beginnings of words', async () => {
    const result = await find('KUHLwass');
    expect(idsOf(result, 'rows')).toEqual(['B-7']);
    expect(show(result.groups[0]!.items[0])).toEqual(['name: [Kühlwasserkessel]']);
  });

  it('returns titles before other texts', async () => {
    expect(idsOf(await find('feed'), 'rows')).toEqual(['P-100', 'B-7']);
  });

  it('finds words with a typing error, after those without', async () => {
    const result = await find('pmup watre');
    expect(idsOf(result, 'rows')).toEqual(['P-100']);
    expect(result.groups[0]!.items[0]!.isMistyped).toBe(true);
    // An identifier with another digit is another one.
    expect(idsOf(await find('p-101'), 'rows')).toEqual([]);
  });

  it('finds changes that were committed before, and forgets what was deleted', async () => {
    const table = `${workspace}/cw/assets/Equipment/items`;
    expect((await api.patch(`${table}/B-7`, { name: 'Zirkulator' })).status).toBe(200);
    expect(idsOf(await find('zirkulator'), 'rows')).toEqual(['B-7']);
    expect(idsOf(await find('kuhlwasserkessel'), 'rows')).toEqual([]);
    expect((await api.delete(`${table}/B-7`)).status).toBe(200);
    expect(idsOf(await find('zirkulator'), 'rows')).toEqual([]);
  });

  it('forgets a dropped table', async () => {
    const name = unique('Dropped');
    await bulk('lists', [{ name, columns: [text('Nr'), text('Text')], items: [{ nr: 'D1', text: 'Droppable' }] }]);
    expect(idsOf(await find('droppable'), 'rows')).toEqual(['D1']);
    const path = `${workspace}/cw/lists/${encodeURIComponent(name)}?confirm=${encodeURIComponent(name)}`;
    expect((await api.delete(path)).status).toBe(200);
    expect(idsOf(await find('droppable'), 'rows')).toEqual([]);
  });

  it('finds notes by number, title and messages', async () => {
    const note = await api.post('/v1/api/notes', { projectId, title: 'Leaking gasket', description: 'At the flange' });
    const { id, number } = note.body.data as { id: string; number: number };
    const added = await api.post(`${workspace}/notes/${id}/messages`, { description: 'Replaced the sealing ring' });
    expect([added.status, added.body.details]).toEqual([201, undefined]);
    for (const q of ['gasket', 'flange', 'sealing ring', `#${number}`, 'seallng'])
      expect([q, idsOf(await find(q, { kinds: 'notes' }), 'notes')]).toEqual([q, [id]]);
    const hit = (await find('sealing')).groups[1]!.items[0];
    expect(hit).toMatchObject({ title: 'Leaking gasket', number });
    expect(show(hit)).toEqual(['message: Replaced the [sealing] ring']);
    await api.patch(`/v1/api/notes/${id}`, { title: 'Dripping gasket' });
    expect(idsOf(await find('leaking'), 'notes')).toEqual([]);
    expect(idsOf(await find('dripping'), 'notes')).toEqual([id]);
    await api.delete(`/v1/api/notes/${id}`);
    for (const q of ['dripping', 'sealing ring']) expect(idsOf(await find(q), 'notes')).toEqual([]);
  });

  it('finds projects, tours and tags', async () => {
    const project = (await api.post('/v1/api/projects', { name: 'Turbine hall', externalId: 'TH-1' })).body.data;
    const tour = (await api.post('/v1/api/tours', { projectId, title: 'Turbine basement' })).body.data;
    const tag = (await api.post('/v1/api/tags', { tourId: tour.id, label: 'Turbine bearing' })).body.data;
    const result = await find('turbine');
    expect(['projects', 'tours', 'tags'].map((kind) => idsOf(result, kind))).toEqual([
      [project.id],
      [tour.id],
      [String(tag.id)],
    ]);
    expect(idsOf(await find('th-1'), 'projects')).toEqual([project.id]);
    await api.delete(`/v1/api/tags/${tag.id}`);
    expect(idsOf(await find('turbine'), 'tags')).toEqual([]);
    await api.post(`/v1/api/tags/${tag.id}/restore`);
    expect(idsOf(await find('turbine'), 'tags')).toEqual([String(tag.id)]);
  });

  it('searches only the kinds and tables of the request', async () => {
    const kinds = async (query: Record<string, string>) => (await find('pump', query)).groups.map(({ kind }) => kind);
    expect(await kinds({ kinds: 'tags,rows' })).toEqual(['rows', 'tags']);
    expect(await kinds({ tables: 'lists/Spare parts' })).toEqual(['rows']);
    expect(idsOf(await find('pump', { tables: 'lists/spare PARTS' }), 'rows')).toEqual(['S1']);
    expect(errorOf(await search({ q: 'pump', tables: 'lists/None' }))).toEqual([
      400,
      'invalid_request',
      'unknown_table',
    ]);
    expect(errorOf(await search({ q: 'pump', kinds: 'tags', tables: 'lists/Spare parts' }))[0]).toBe(400);
    expect(errorOf(await search({ q: 'pump', kinds: 'walls' }))[0]).toBe(400);
  });

  it('returns at most `limit` hits of each kind, and states that there are others', async () => {
    const [rows] = (await find('pump', { limit: '2' })).groups;
    expect([rows!.items.length, rows!.hasMore]).toEqual([2, true]);
    expect((await find('pump', { limit: '3' })).groups[0]!.hasMore).toBe(false);
  });

  it.each([
    [{ q: ' –!? ' }, 'no_words'],
    [{ q: '' }, 'invalid_field'],
    [{ q: 'x'.repeat(201) }, 'invalid_field'],
    [{ q: 'a b c d e f g h i j k' }, 'too_many_words'],
    [{ q: 'pump', limit: '51' }, 'invalid_field'],
    [{ q: 'pump', limit: '0' }, 'invalid_field'],
    [{ q: 'pump\0' }, 'invalid_field'],
  ])('rejects %j', async (query, code) => {
    expect(errorOf(await search(query))).toEqual([400, 'invalid_request', code]);
  });

  it.each([`'`, `\\`, `pump' | 'x`, `pump & !`, `%_`, `"pump":*`, `pump\u{1F600}`, `'); DROP TABLE x`, '\u0301a'])(
    'takes %j as text',
    async (q) => {
      expect([200, 400]).toContain((await search({ q })).status);
      expect((await search({ q: `${q} pump` })).status).toBe(200);
    },
  );

  it('omits kinds whose scope is missing, and rejects them if they are named', async () => {
    const limited = await new Api(service.baseUrl).signIn(me, ['read:workspaces']);
    const { groups } = await find('turbine', {}, limited);
    expect(groups.map(({ kind }) => kind)).toEqual(['rows', 'notes']);
    expect(errorOf(await search({ q: 'turbine', kinds: 'tags' }, limited)).slice(0, 2)).toEqual([
      403,
      'insufficient_scope',
    ]);
  });

  it('does not find anything of other workspaces', async () => {
    const other = await service.provision();
    const otherCaller = new Api(service.baseUrl).withKey(other.apiKey);
    expect((await search({ q: 'pump' }, otherCaller)).status).toBe(404);
    const own = await findIn(`/v2/api/workspaces/${other.workspaceId}`, { q: 'pump' }, otherCaller);
    expect(idsOf(own, 'rows')).toEqual([]);
  });
});

describe('a search as people type', () => {
  const tables = 'assets/Typed';

  beforeAll(async () => {
    await bulk('assets', [
      {
        name: 'Typed',
        columns: [text('Nr'), text('Name'), text('Tag')],
        items: [
          { nr: '000000000010004711', name: 'Kühlwasserpumpe', tag: 'AT10-UTLCW' },
          { nr: '10004712', name: 'Pumpe', tag: 'V-101A' },
          { nr: 'A-0815', name: 'Flange DN 50 PN16', tag: 'V102A' },
          { nr: 'A-0816', name: 'Flange DN50, PN 16', tag: 'at11/utl.cw' },
          { nr: 'B-1', name: 'Bolt M8 x 40', tag: '10004713' },
          { nr: 'B-2', name: 'Bolt M8×40', tag: '10004714-X' },
          { nr: 'C-1', name: '冷却水泵', tag: '第3号' },
          { nr: 'C-2', name: '給水ポンプDN65', tag: 'ﾎﾟﾝﾌﾟ室' },
          { nr: 'C-3', name: 'ปั๊มน้ำหล่อเย็น', tag: 'ห้อง 3' },
        ],
      },
    ]);
  }, 60_000);

  it.each<[string, string[]]>([
    // Numbers without their zeros, with others, and by their last digits
    ['10004711', ['000000000010004711']],
    ['000000000010004711', ['000000000010004711']],
    ['0010004712', ['10004712']],
    ['000000000010004713', ['B-1']],
    ['4711', ['000000000010004711']],
    ['004712', ['10004712']],
    ['4714', ['B-2']],
    ['4715', []],
    // Codes with other separators, without, and by their ends
    ['AT10UTLCW', ['000000000010004711']],
    ['at10 utl-cw', ['000000000010004711']],
    ['AT11-UTLCW', ['A-0816']],
    ['at11utlcw', ['A-0816']],
    ['utlcw', ['000000000010004711', 'A-0816']],
    ['V101A', ['10004712']],
    ['v 101 a', ['10004712']],
    ['V-102-A', ['A-0815']],
    ['A0815', ['A-0815']],
    ['V103A', []],
    ['DN 50', ['A-0815', 'A-0816']],
    ['DN50', ['A-0815', 'A-0816']],
    ['dn-50 pn-16', ['A-0815', 'A-0816']],
    ['M8 x 40', ['B-1', 'B-2']],
    ['M8x40', ['B-1', 'B-2']],
    ['bolt M8×40', ['B-1', 'B-2']],
    ['M8x41', []],
    // Parts of words, and words of which there are only parts
    ['pumpe', ['10004712', '000000000010004711']],
    ['wasser', ['000000000010004711']],
    ['ump', []],
    ['Kühlwasserpumpe', ['000000000010004711', '10004712']],
    ['Förderpumpe', ['10004712']],
    // Scripts without blanks
    ['却水', ['C-1']],
    ['水泵', ['C-1']],
    ['泵', ['C-1']],
    ['冷泵', []],
    ['3号', ['C-1']],
    ['ポンプ', ['C-2']],
    ['ﾎﾟﾝﾌﾟ', ['C-2']],
    ['ポンプ室', ['C-2']],
    ['ポンプ DN 65', ['C-2']],
    ['น้ำ', ['C-3']],
    ['หล่อเย็น', ['C-3']],
  ])('%s finds %j', async (q, expected) => {
    expect(idsOf(await find(q, { tables }), 'rows')).toEqual(expected);
  });

  it('marks the words of a code, and the letters of a run', async () => {
    const marked = async (q: string) => show((await find(q, { tables })).groups[0]!.items[0]);
    expect(await marked('M8x40')).toEqual(['name: Bolt [M8] [x] [40]']);
    expect(await marked('DN50')).toEqual(['name: Flange [DN] [50] PN16']);
    expect(await marked('AT10UTLCW')).toEqual(['tag: [AT10]-[UTLCW]']);
    expect(await marked('却水')).toEqual(['name: 冷[却][水]泵']);
    expect(await marked('wasser')).toEqual(['name: [Kühlwasserpumpe]']);
  });

  it('states that a word is not written like that, if only a part of it was found', async () => {
    const isMistyped = async (q: string) =>
      (await find(q, { tables })).groups[0]!.items.map((hit) => [hit.id, hit.isMistyped]);
    expect(await isMistyped('Kühlwasserpumpe')).toEqual([
      ['000000000010004711', false],
      ['10004712', true],
    ]);
    expect(await isMistyped('wasser')).toEqual([['000000000010004711', false]]);
  });

  it('finds a code in notes, projects, tours and tags', async () => {
    const project = (await api.post('/v1/api/projects', { name: 'Halle 7-B', externalId: '000700815' })).body.data;
    const tour = (await api.post('/v1/api/tours', { projectId, title: 'Rundgang KW 48' })).body.data;
    const tag = (await api.post('/v1/api/tags', { tourId: tour.id, label: 'T-4001' })).body.data;
    const note = (await api.post('/v1/api/notes', { projectId, title: 'Dichtung 30 x 47 fehlt' })).body.data;
    const cases: [string, string, string][] = [
      ['projects', '700815', project.id],
      ['projects', 'halle 7b', project.id],
      ['tours', 'KW48', tour.id],
      ['tags', 'T4001', String(tag.id)],
      ['notes', '30x47', note.id],
    ];
    for (const [kinds, q, id] of cases) expect([q, idsOf(await find(q, { kinds }), kinds)]).toEqual([q, [id]]);
  });
});

describe('a search of a caller with an access policy', () => {
  let caller: Api;

  beforeAll(async () => {
    await bulk('locations', [
      {
        name: 'Sites',
        columns: [text('Code'), text('Name'), { name: 'Parent', type: 'hierarchyParent' }],
        items: [
          { code: 'AT', name: 'Austria', parent: null },
          { code: 'AT-1', name: 'Vienna works', parent: 'AT' },
          { code: 'DE', name: 'Germany works', parent: null },
        ],
      },
    ]);
    await bulk('assets', [
      {
        name: 'Secured',
        columns: [text('Code'), text('Name'), text('Plant'), text('Price')],
        items: [
          { code: 'X1', name: 'Visible valve', plant: 'AT', price: 'confidential expensive' },
          { code: 'X2', name: 'Hidden valve', plant: 'DE', price: 'confidential cheap' },
        ],
      },
      { name: 'Secret', columns: [text('Code'), text('Name')], items: [{ code: 'Y1', name: 'Secret valve' }] },
    ]);
    for (const location of ['AT-1', 'DE'])
      expect((await api.post(`${workspace}/notes`, { location, title: `Valve at ${location}` })).status).toBe(201);
    const owner = await new Api(service.baseUrl).signIn(me);
    const policy = await owner.post(`${workspace}/access-policies`, {
      name: randomBytes(6).toString('hex'),
      scopes: ['read:workspaces'],
      tables: [
        { entity: 'locations', table: 'Sites', under: 'AT' },
        { entity: 'assets', table: 'Secured', filter: { plant: 'AT' }, columns: { hidden: ['price'] } },
      ],
      notes: { under: 'AT' },
    });
    expect([policy.status, policy.body.details]).toEqual([201, undefined]);
    const key = await owner.post(`${workspace}/api-keys`, { name: 'Key', policyId: policy.body.data.id });
    caller = new Api(service.baseUrl).withKey(key.body.data.apiKey as string);
  });

  it('finds only permitted rows and notes', async () => {
    const all = await find('valve');
    expect(idsOf(all, 'rows').toSorted()).toEqual(['X1', 'X2', 'Y1']);
    expect(idsOf(all, 'notes')).toHaveLength(2);
    const permitted = await find('valve', {}, caller);
    expect(idsOf(permitted, 'rows')).toEqual(['X1']);
    expect(permitted.groups[1]!.items.map(({ title }) => title)).toEqual(['Valve at AT-1']);
    expect(permitted.groups.map(({ kind }) => kind)).toEqual(['rows', 'notes']);
    expect(idsOf(await find('works', {}, caller), 'rows')).toEqual(['AT-1']);
  });

  it('finds notes by the keys of their location and asset, also after a rename', async () => {
    const assets = `${workspace}/cw/assets/Secret`;
    expect((await api.put(`${assets}/items/PU-4711`, { name: 'Pump' })).status).toBe(201);
    const note = { location: 'AT-1', asset: 'PU-4711', title: 'Oil' };
    const { id } = (await api.post(`${workspace}/notes`, note)).body.data;
    for (const q of ['AT1', 'PU4711']) expect(idsOf(await find(q, { kinds: 'notes' }), 'notes')).toContain(id);
    const renamed = await api.post(`${assets}/items/PU-4711/rename`, { key: 'PU-4712' });
    expect([renamed.status, renamed.body.details]).toEqual([200, undefined]);
    expect(idsOf(await find('PU-4712', { kinds: 'notes' }), 'notes')).toEqual([id]);
    expect(idsOf(await find('PU-4711', { kinds: 'notes' }), 'notes')).toEqual([]);
    expect((await api.delete(`/v1/api/notes/${id}`)).status).toBe(200);
  });

  it('neither searches nor shows hidden columns', async () => {
    expect(idsOf(await find('confidential'), 'rows').toSorted()).toEqual(['X1', 'X2']);
    const hidden = await find('confidential', {}, caller);
    expect([idsOf(hidden, 'rows'), hidden.groups[0]!.hasMore]).toEqual([[], false]);
    expect(idsOf(await find('visible expensive', {}, caller), 'rows')).toEqual([]);
    expect(JSON.stringify(await find('visible', {}, caller))).not.toContain('confidential');
    // Neither does a typing error.
    expect(idsOf(await find('confidentail', {}, caller), 'rows')).toEqual([]);
  });

  describe('of rows and notes that are few among many', () => {
    const PERMITTED = 6;
    let restricted: Api;

    beforeAll(async () => {
      const items = Array.from({ length: 6_500 }, (_, row) => ({
        nr: `Z${String(row).padStart(5, '0')}`,
        name: row % 2 === 0 ? 'Stellantrieb' : 'Antrieb',
        maker: row === 6_499 ? 'Antriebstechnik Nord' : 'Antriebstechnik',
        part: `P-${row % 7}`,
        zone: row >= 6_500 - PERMITTED ? 'Z9' : 'Z1',
        grade: 'confidentialgrade',
      }));
      const columns = ['Nr', 'Name', 'Maker', 'Part', 'Zone', 'Grade'].map(text);
      await bulk('assets', [{ name: 'Drives', columns, items }]);
      await bulk('locations', [
        {
          name: 'Zones',
          columns: [text('Code'), text('Name'), { name: 'Parent', type: 'hierarchyParent' }],
          items: [
            { code: 'Z9', name: 'Zone 9', parent: null },
            { code: 'Z1', name: 'Zone 1', parent: null },
          ],
        },
      ]);
      const [zones] = await database.query<{ id: string }>(
        `SELECT id FROM workspace_tables WHERE workspace_id = $1 AND name = 'Zones'`,
        [me.workspaceId],
      );
      // The notes of the permitted location have the last IDs.
      await database.query(
        `INSERT INTO notes (workspace_id, id, number, title, status, source, location_table_id, location_key)
         SELECT $1, ('ffffffff-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 100000 + n, 'Antrieb pfeift', 'open', 'api',
                $2, CASE WHEN n > 6000 THEN 'Z9' ELSE 'Z1' END
           FROM generate_series(1, 6003) n`,
        [me.workspaceId, zones!.id],
      );
      // These notes have no events.
      for (const statement of REBUILD) await database.query(`${statement} WHERE workspace_id = '${me.workspaceId}'`);
      const owner = await new Api(service.baseUrl).signIn(me);
      const policy = await owner.post(`${workspace}/access-policies`, {
        name: randomBytes(6).toString('hex'),
        scopes: ['read:workspaces'],
        tables: [
          { entity: 'assets', table: 'Drives', filter: { zone: 'Z9' }, columns: { hidden: ['part'] } },
          { entity: 'locations', table: 'Zones' },
        ],
        notes: { under: 'Z9' },
      });
      expect([policy.status, policy.body.details]).toEqual([201, undefined]);
      const key = await owner.post(`${workspace}/api-keys`, { name: 'Drives', policyId: policy.body.data.id });
      restricted = new Api(service.baseUrl).withKey(key.body.data.apiKey as string);
      await find('anything');
    }, 120_000);

    it('no hit and no further hits show that more than 5,000 values of a hidden column have the word', async () => {
      expect((await find('confidentialgrade', { kinds: 'rows' })).groups[0]!.hasMore).toBe(true);
      const owner = await new Api(service.baseUrl).signIn(me);
      const policy = await owner.post(`${workspace}/access-policies`, {
        name: randomBytes(6).toString('hex'),
        scopes: ['read:workspaces'],
        tables: [{ entity: 'assets', table: 'Drives', columns: { hidden: ['grade'] } }],
      });
      const key = await owner.post(`${workspace}/api-keys`, { name: 'Grades', policyId: policy.body.data.id });
      const all = new Api(service.baseUrl).withKey(key.body.data.apiKey as string);
      const [rows] = (await find('confidentialgrade', { kinds: 'rows' }, all)).groups;
      expect([rows!.items, rows!.hasMore]).toEqual([[], false]);
      expect((await find('antrieb', { kinds: 'rows' }, all)).groups[0]!.hasMore).toBe(true);
    });

    it.each<[string, number]>([
      ['antrieb', PERMITTED],
      ['stell', PERMITTED / 2],
      ['antriebstechnik', PERMITTED],
      ['antriebstechnik stell', PERMITTED / 2],
      ['nord', 1],
      // A code, a typing error, a part of a word, and words of hidden rows and columns
      ['z06499', 1],
      ['z 06499', 1],
      ['antreibstechnik', PERMITTED],
      ['technik', PERMITTED],
      ['z00001', 0],
      ['p3', 0],
    ])('%s finds %i rows, and nothing shows that others have the words', async (q, count) => {
      const [rows] = (await find(q, { kinds: 'rows' }, restricted)).groups;
      expect(rows!.items.map(({ id }) => id).every((id) => id >= 'Z06494')).toBe(true);
      expect([rows!.items.length, rows!.hasMore]).toEqual([count, false]);
    });

    it('finds the notes by frequent words', async () => {
      const [notes] = (await find('pfeift', { kinds: 'notes' }, restricted)).groups;
      expect([notes!.items.length, notes!.hasMore]).toEqual([3, false]);
      const [more] = (await find('antrieb', { kinds: 'notes', limit: '2' }, restricted)).groups;
      expect([more!.items.length, more!.hasMore]).toEqual([2, true]);
    });
  });

  it('does not know the names of hidden tables', async () => {
    const answers = await Promise.all(
      ['assets/Secret', 'assets/None'].map((tables) => search({ q: 'valve', tables }, caller)),
    );
    expect(answers.map(errorOf)).toEqual([
      [400, 'invalid_request', 'unknown_table'],
      [400, 'invalid_request', 'unknown_table'],
    ]);
  });
});

describe('the index', () => {
  it('does not exist before the first search, so that writers pay nothing', async () => {
    const other = await service.provision();
    const count = async () => {
      const sql = 'SELECT count(*)::integer AS count FROM search_entries WHERE workspace_id = $1';
      return (await database.query<{ count: number }>(sql, [other.workspaceId]))[0]!.count;
    };
    const own = new Api(service.baseUrl).withKey(other.apiKey);
    const path = `/v2/api/workspaces/${other.workspaceId}`;
    const lists = [{ name: 'Words', columns: [text('Nr'), text('Text')], items: [{ nr: 'W1', text: 'Unsearched' }] }];
    expect((await own.post(`${path}/cw/lists/bulk`, { lists })).status).toBe(201);
    expect(await count()).toBe(0);
    expect(idsOf(await findIn(path, { q: 'unsearched' }, own), 'rows')).toEqual(['W1']);
    expect(await count()).toBeGreaterThan(0);
  });

  it('is built again in the background after a migration', async () => {
    const other = await service.provision();
    const own = new Api(service.baseUrl).withKey(other.apiKey);
    const path = `/v2/api/workspaces/${other.workspaceId}`;
    const items = ['W1', 'W2'].map((nr) => ({ nr, text: 'Formerly DN 50' }));
    const lists = [{ name: 'Former', columns: [text('Nr'), text('Text')], items }];
    expect((await own.post(`${path}/cw/lists/bulk`, { lists })).status).toBe(201);
    expect((await own.post(`${path}/notes`, { title: 'Formerly DN 50' })).status).toBe(201);
    const count = async (q: string) => {
      const { groups } = await findIn(path, { q }, own);
      return groups.reduce((sum, group) => sum + group.items.length, 0);
    };
    expect(await count('dn50')).toBe(3);
    expect((await own.delete(`${path}/cw/lists/Former/items/W2`)).status).toBe(200);
    // As an index of the former version, without the forms of words.
    const where = `WHERE workspace_id = '${other.workspaceId}'`;
    const words = `ARRAY(SELECT w FROM unnest(tsvector_to_array(words)) w WHERE w !~ 'dn50$')`;
    await database.query(`UPDATE search_entries SET words = array_to_tsvector(${words}) ${where}`);
    expect([await count('dn50'), await count('formerly')]).toEqual([0, 2]);
    for (const statement of REBUILD) await database.query(`${statement} ${where}`);
    // Without a search, which would index it, too.
    const isPending = async () =>
      (await database.query<{ is: boolean }>(`SELECT is_pending AS is FROM search_indexes ${where}`))[0]!.is;
    await until(async () => !(await isPending()));
    expect([await count('dn50'), await count('formerly')]).toEqual([2, 2]);
  });

  it('contains more rows than one step indexes, in the order of the table', async () => {
    const items = Array.from({ length: 2_500 }, (_, row) => ({ nr: `N${row}`, text: `Number ${row} of many` }));
    await bulk('lists', [{ name: unique('Many'), columns: [text('Nr'), text('Text')], items }]);
    expect(idsOf(await find('n2499'), 'rows')).toEqual(['N2499']);
    const [rows] = (await find('many', { limit: '50' })).groups;
    expect([rows!.items.length, rows!.hasMore]).toEqual([50, true]);
  });

  it('finds frequent words, and rare words in rows after thousands with frequent ones', async () => {
    const name = unique('Gaskets');
    const toKey = (row: number) => `F${String(row).padStart(4, '0')}`;
    const items = Array.from({ length: 2_500 }, (_, row) => ({
      nr: toKey(row),
      name: row === 2_400 ? 'Gaskets, special' : 'Gasket',
      text: row % 2 === 0 ? 'Ordinary' : 'Other',
    }));
    await bulk('assets', [{ name, columns: [text('Nr'), text('Name'), text('Text')], items }]);
    const tables = `assets/${name}`;
    const read = async (q: string) => {
      const [rows] = (await find(q, { tables })).groups;
      return [rows!.items.map(({ id }) => id), rows!.hasMore];
    };
    const first = (of: number, step = 1) => Array.from({ length: 10 }, (_, at) => toKey(of + at * step));
    expect(await read('gasket')).toEqual([first(0), true]);
    expect(await read('ordinary')).toEqual([first(0, 2), true]);
    expect(await read('gasket ordinary')).toEqual([first(0, 2), true]);
    expect(await read('f2')).toEqual([first(2_000), true]);
    for (const rare of ['special', 'gaskets spec', 'specail'])
      expect(await read(rare)).toEqual([[toKey(2_400)], false]);
  });
});

it('that takes too long is stopped, with what would help', async () => {
  const { service: limited, database: own } = await shareService(SHORT_STATEMENTS);
  const other = await limited.provision();
  const caller = new Api(limited.baseUrl).withKey(other.apiKey);
  const read = () => caller.get(`/v2/api/workspaces/${other.workspaceId}/search?q=pump`);
  // A statement of a busy machine may take longer than the limit.
  await until(read, (answer) => answer.status === 200 && (answer.body.data as Result).isCurrent);
  const unlock = await own.lock('LOCK TABLE search_entries IN ACCESS EXCLUSIVE MODE');
  const { status, body, headers } = await read();
  await unlock();
  expect([status, body.error, body.message, headers.get('retry-after')]).toEqual([
    503,
    'query_too_expensive',
    'The search took longer than 1 seconds. Send more or longer words, or name kinds or tables.',
    '1',
  ]);
  await until(read, (answer) => answer.status === 200);
});
