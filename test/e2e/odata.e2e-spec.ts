import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import fc from 'fast-check';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import {
  type Filter,
  filterTrees,
  type ModelTable,
  cellOf,
  runsOf,
  RUNS_TIMEOUT_MS,
  selectKeys,
} from '../support/filter-model.js';
import { ODataFeed } from '../support/odata.js';
import { toODataFilter } from '../support/odata-filter.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { column, type Item, keyAt, manyRows, Tables, text } from '../support/tables.js';

let service: SharedService;
let tables: Tables;
let feed: ODataFeed;
let me: Credentials;

const SITES = { entity: 'location', table: 'Sites' };

const site = { key: 'K-1', name: 'Vienna', parent: null };
const sites = [site, { key: "K'2/é", name: 'Hall "1"', parent: 'K-1' }];
const pumps = manyRows(25, (at) => ({
  key: keyAt(at),
  name: at === 7 ? null : `Pump ${at % 5}`,
  weight: at / 2,
  installed: at % 3 === 0 ? '2024-02-29' : null,
  active: at % 2 === 0,
  site: at === 0 ? "K'2/é" : at === 1 ? 'none' : at === 2 ? null : 'K-1',
  null: `n${at}`,
}));

beforeAll(async () => {
  ({ service } = await shareService());
  me = await service.provision();
  tables = Tables.of(service, me);
  feed = new ODataFeed(service, me);
  const locations = {
    name: 'Sites',
    columns: [text('Key'), text('Name'), column('Parent', 'hierarchyParent')],
    items: sites,
  };
  expect((await tables.bulk('locations', locations)).status).toBe(201);
  const columns = [
    text('Key'),
    text('Name'),
    column('Weight', 'number'),
    column('Installed', 'date'),
    column('Active', 'checkbox'),
    column('Site', 'reference', { options: { target: SITES } }),
    text('Null'),
  ];
  expect((await tables.bulk('assets', { name: 'Pumps & Süd', columns, items: pumps })).status).toBe(201);
}, 60_000);

afterAll(() => {
  expect(service.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
});

const PUMPS = `/${encodeURIComponent('assets_Pumps__20___26___20_Süd')}`;

/** The key of a deleted entity of changes; undefined for another entity. */
function findDeletedKey(entity: Item): string | undefined {
  const isDeleted = String(entity['@odata.context'] ?? '').endsWith('/$deletedEntity');
  return isDeleted ? /\('(.*)'\)$/.exec(decodeURIComponent(String(entity['id'])))![1] : undefined;
}

const keysOf = (body: { value: Item[] }) => body.value.map(({ key }) => key);

async function readAll(path: string, options = {}, headers = {}) {
  const pages = [await feed.get(path, options, headers)];
  for (let link; (link = pages.at(-1)!.body['@odata.nextLink'] as string | undefined);)
    pages.push(await feed.get(link, {}, headers));
  return pages;
}

describe('the service document and $metadata', () => {
  it('lists one entity set per table, and that of notes', async () => {
    for (const path of ['', '/']) {
      const { status, headers, body } = await feed.get(path);
      expect([status, headers.get('odata-version'), headers.get('content-type')]).toEqual([
        200,
        '4.0',
        'application/json;odata.metadata=minimal;charset=utf-8',
      ]);
      expect(body).toEqual({
        '@odata.context': `https://atrium.test/odata/v4/${me.workspaceId}/$metadata`,
        value: [
          {
            name: 'assets_Pumps__20___26___20_Süd',
            title: 'Pumps & Süd',
            kind: 'EntitySet',
            url: 'assets_Pumps__20___26___20_Süd',
          },
          { name: 'locations_Sites', title: 'Sites', kind: 'EntitySet', url: 'locations_Sites' },
          { name: 'notes', title: 'notes', kind: 'EntitySet', url: 'notes' },
        ],
      });
    }
  });

  it('describes types, keys and navigation by references', async () => {
    const { status, headers, text: xml } = await feed.get('/$metadata');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8']);
    const type = /<EntityType Name="assets_[^]*?<\/EntityType>/.exec(xml)![0].split('\n');
    expect(type.slice(1, -1)).toEqual([
      '<Key><PropertyRef Name="key"/></Key>',
      '<Property Name="key" Type="Edm.String" Nullable="false"/>',
      '<Property Name="name" Type="Edm.String"/>',
      '<Property Name="weight" Type="Edm.Double"/>',
      '<Property Name="installed" Type="Edm.Date"/>',
      '<Property Name="active" Type="Edm.Boolean"/>',
      '<Property Name="site" Type="Edm.String"/>',
      '<Property Name="_null" Type="Edm.String"/>',
      '<NavigationProperty Name="siteRow" Type="Atrium.locations_Sites"/>',
    ]);
    expect(xml).toContain('<NavigationPropertyBinding Path="parentRow" Target="locations_Sites"/>');
    const set = /<EntitySet Name="locations_Sites"[^]*?<\/EntitySet>/.exec(xml)![0];
    for (const annotation of [
      '<Annotation Term="Capabilities.SkipSupported" Bool="true"/>',
      'ExpandRestrictions"><Record><PropertyValue Property="MaxLevels" Int="1"/></Record>',
      'SearchRestrictions"><Record><PropertyValue Property="Searchable" Bool="false"/></Record>',
      'UpdateRestrictions"><Record><PropertyValue Property="Updatable" Bool="false"/></Record>',
      'ChangeTracking"><Record><PropertyValue Property="Supported" Bool="true"/></Record>',
    ])
      expect(set).toContain(annotation);
    expect(xml).toMatch(/<Annotation Term="Core.LongDescription" String="[^"]*\$skip is at most 100000[^"]*"\/>/);
    expect(xml).toMatch(
      /String="[^"]*at most 50 conditions, 5 nested levels and 1000 values of in\. \$expand names at most 10/,
    );
    expect(xml).toContain('<String>startswith</String>');
  });
});

describe('credentials', () => {
  const status = async (headers: Record<string, string>) => {
    const response = await fetch(`${feed.root}/locations_Sites`, { headers });
    return [response.status, response.headers.get('www-authenticate'), ((await response.json()) as any).error?.code];
  };

  it('accepts an API key as the password of any user, an API key and an access token', async () => {
    const session = await new Api(service.baseUrl).signIn(me);
    expect((await session.get(`/odata/v4/${me.workspaceId}/locations_Sites`)).status).toBe(200);
    expect(await status({ authorization: `Basic ${btoa(`:${me.apiKey}`)}` })).toEqual([200, null, undefined]);
    expect(await status({ 'x-api-key': me.apiKey })).toEqual([200, null, undefined]);
  });

  it('asks for Basic credentials, without which Excel does not show its dialog', async () => {
    const challenge = 'Basic realm="Atrium", charset="UTF-8"';
    expect(await status({})).toEqual([401, challenge, 'unauthenticated']);
    expect(await status({ authorization: 'Basic' })).toEqual([401, challenge, 'invalid_api_key']);
    expect(await status({ authorization: `Basic ${btoa('user:password')}` })).toEqual([
      401,
      challenge,
      'invalid_api_key',
    ]);
    expect(await status({ authorization: `Basic ${btoa(me.apiKey)}` })).toEqual([401, challenge, 'invalid_api_key']);
  });

  it('rejects Basic credentials at all other routes', async () => {
    const path = `/v2/api/workspaces/${me.workspaceId}/cw/locations/Sites/items`;
    const { status: other } = await fetch(service.baseUrl + path, { headers: { authorization: feed.authorization } });
    expect(other).toBe(401);
  });

  it('returns 404 for a workspace of others', async () => {
    const other = await service.provision();
    const { status: found, body } = await new ODataFeed(service, { ...me, workspaceId: other.workspaceId }).get('/');
    expect([found, body.error.code]).toEqual([404, 'not_found']);
  });
});

describe('entities', () => {
  it('are rows by the names of properties', async () => {
    const { body } = await feed.get(PUMPS, { $top: 1 });
    const context = `https://atrium.test/odata/v4/${me.workspaceId}/$metadata#assets_Pumps__20___26___20_S%C3%BCd`;
    const { null: last, ...row } = pumps[0]!;
    expect(body).toEqual({ '@odata.context': context, value: [{ ...row, _null: last }] });
  });

  it('have the selected properties', async () => {
    const { body } = await feed.get(PUMPS, { $select: 'weight,_null', $top: 2 });
    expect(body['@odata.context']).toMatch(/\(weight,_null\)$/);
    expect(body.value).toEqual([
      { weight: 0, _null: 'n0' },
      { weight: 0.5, _null: 'n1' },
    ]);
  });

  it.each<[string, Record<string, string>, string]>([
    [PUMPS, { $select: 'key,name,key' }, '(key,name)'],
    [PUMPS, { $select: '*' }, ''],
    [PUMPS, { $select: 'key,name', $expand: 'siteRow($select=key)' }, '(key,name,siteRow(key))'],
    [PUMPS, { $select: 'key,siteRow', $expand: 'siteRow' }, '(key,siteRow,siteRow())'],
    [PUMPS, { $expand: 'siteRow' }, '(siteRow())'],
    [PUMPS, { $expand: 'siteRow($select=*)' }, '(siteRow())'],
    [PUMPS, { $expand: '*' }, '(siteRow())'],
    [
      `${PUMPS}('${keyAt(3)}')`,
      { $select: 'key,name', $expand: 'siteRow($select=key)' },
      '(key,name,siteRow(key))/$entity',
    ],
    [`${PUMPS}('${keyAt(3)}')`, { $expand: 'siteRow' }, '(siteRow())/$entity'],
    [`${PUMPS}('${keyAt(3)}')/siteRow`, { $select: 'name' }, '(name)/$entity'],
    [`${PUMPS}('${keyAt(3)}')/siteRow`, {}, '/$entity'],
  ])('of %s with %j have the context %s', async (path, options, list) => {
    const { body } = await feed.get(path, options);
    const set = path.endsWith('/siteRow') ? 'locations_Sites' : PUMPS.slice(1);
    expect(body['@odata.context']).toBe(`https://atrium.test/odata/v4/${me.workspaceId}/$metadata#${set}${list}`);
  });

  it('are sorted, skipped, limited and counted', async () => {
    const { body } = await feed.get(PUMPS, { $orderby: 'active desc,weight desc', $skip: 3, $top: 2, $count: 'true' });
    expect([keysOf(body), body['@odata.count'], body['@odata.nextLink']]).toEqual([
      [keyAt(18), keyAt(16)],
      25,
      undefined,
    ]);
    expect((await feed.get(PUMPS, { $top: 0, $count: 'true' })).body).toMatchObject({ '@odata.count': 25, value: [] });
    const count = await feed.get(`${PUMPS}/$count`, { $filter: 'weight lt 5' });
    expect([count.text, count.headers.get('content-type')]).toEqual(['10', 'text/plain; charset=utf-8']);
  });

  it('are paged by links to their end, with $top and $skip over all pages', async () => {
    const pages = await readAll(
      PUMPS,
      { $skip: 2, $top: 17, $orderby: 'weight desc', $count: 'true' },
      { prefer: 'odata.maxpagesize=5' },
    );
    expect(pages.map(({ body }) => body.value.length)).toEqual([5, 5, 5, 2]);
    expect(pages.flatMap(({ body }) => keysOf(body))).toEqual(manyRows(17, (at) => keyAt(22 - at)));
    expect(pages.map(({ body }) => body['@odata.count'])).toEqual([25, undefined, undefined, undefined]);
    expect(pages[0]!.headers.get('preference-applied')).toBe('odata.maxpagesize=5');
    expect(pages[0]!.body['@odata.nextLink']).toContain('$skiptoken=');
  });

  it.each([
    "$filter=contains(name,'?') or weight ge 0",
    '$filter=weight%20ge%200&x=1?2?3',
    "?$filter=weight ge 0 and name ne 'a?b'",
  ])('are paged to their end with question marks in %s', async (query) => {
    const url = `${feed.root}${PUMPS}?${query.replaceAll(' ', '%20')}`;
    const pages = await readAll(url, {}, { prefer: 'odata.maxpagesize=10' });
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(pages.flatMap(({ body }) => keysOf(body))).toEqual(manyRows(25, keyAt));
  });

  it('are read by key, also a key with quotes and slashes', async () => {
    const { status, body } = await feed.get(`/locations_Sites(${encodeURIComponent("'K''2/é'")})`);
    expect([status, body.name, body['@odata.context']]).toEqual([
      200,
      'Hall "1"',
      expect.stringMatching(/#locations_Sites\/\$entity$/),
    ]);
    expect((await feed.get(`/locations_Sites(key='K-1')`)).body.name).toBe('Vienna');
    const other = await feed.get(`/locations_Sites(name='K-1')`);
    expect([other.status, other.body.error.message]).toEqual([400, expect.stringContaining('"name" is not the key')]);
    expect((await feed.get(`${PUMPS}('${keyAt(3)}')/siteRow`, { $expand: 'parentRow' })).status).toBe(400);
    expect((await feed.get(`/locations_Sites('none')`)).status).toBe(404);
  });

  it('contain the rows that their references name', async () => {
    const { body } = await feed.get(PUMPS, { $expand: 'siteRow($select=name)', $select: 'key', $top: 4 });
    expect(body.value).toEqual([
      { key: keyAt(0), siteRow: { name: 'Hall "1"' } },
      { key: keyAt(1), siteRow: null },
      { key: keyAt(2), siteRow: null },
      { key: keyAt(3), siteRow: { name: 'Vienna' } },
    ]);
    expect((await feed.get('/locations_Sites', { $expand: '*' })).body.value).toEqual([
      { ...sites[1], parentRow: site },
      { ...site, parentRow: null },
    ]);
  });

  it('have names of more than 63 characters, days of instants, and each selected property once', async () => {
    const [long, parent] = [`x${'y'.repeat(62)}`, `p${'q'.repeat(61)}`];
    const columns = [
      text('Key'),
      column('Since', 'date'),
      { ...text('Digits'), key: `1${long.slice(1)}` },
      { ...column('Parent', 'hierarchyParent'), key: parent },
    ];
    const items = [
      { key: 'A', since: '2024-01-31T23:00:00Z', [`1${long.slice(1)}`]: '"}', [parent]: null },
      { key: 'B', since: '2024-02-29', [`1${long.slice(1)}`]: null, [parent]: 'A' },
    ];
    expect((await tables.bulk('lists', { name: 'Long names', columns, items })).status).toBe(201);
    const read = async (options: Record<string, string>) =>
      (await feed.get('/lists_Long_names', options)).body.value as object[];
    const [property, navigation] = [`_1${long.slice(1)}`, `${parent}Row`];
    const a = { key: 'A', since: '2024-01-31', [property]: '"}', [parent]: null };
    const b = { key: 'B', since: '2024-02-29', [property]: null, [parent]: 'A' };
    expect(await read({})).toEqual([a, b]);
    expect(await read({ $expand: navigation })).toEqual([
      { ...a, [navigation]: null },
      { ...b, [navigation]: a },
    ]);
    expect(
      await read({ $select: `${navigation},${property},${property}`, $expand: `${navigation}($select=since)` }),
    ).toEqual([
      { [property]: '"}', [navigation]: null },
      { [property]: null, [navigation]: { since: '2024-01-31' } },
    ]);
    expect(await read({ $select: navigation, $expand: navigation })).toEqual([
      { [navigation]: null },
      { [navigation]: a },
    ]);
    expect(await read({ $select: navigation, $top: '1' })).toEqual([{}]);
  });

  it('lead to the rows that their references name', async () => {
    const { body } = await feed.get(`${PUMPS}('${keyAt(0)}')/siteRow`);
    expect(body).toMatchObject({ ...sites[1], '@odata.context': expect.stringMatching(/#locations_Sites\/\$entity$/) });
    expect((await feed.get(`${PUMPS}('${keyAt(1)}')/siteRow`)).status).toBe(204);
  });

  it('without metadata have no context', async () => {
    const accept = 'application/json;odata.metadata=full, application/json;odata.metadata=none;q=0.9, */*;q=0.1';
    const { headers, body } = await feed.get('/locations_Sites', {}, { accept });
    expect(headers.get('content-type')).toBe('application/json;odata.metadata=none;charset=utf-8');
    expect(Object.keys(body)).toEqual(['value']);
    const none = { $format: 'application/json;odata.metadata=none' };
    expect(Object.keys((await feed.get('/locations_Sites', none)).body)).toEqual(['value']);
    const full = await feed.get('/locations_Sites', {}, { accept: 'application/json;odata.metadata=full' });
    expect([full.status, full.body.error.code]).toEqual([406, 'not_acceptable']);
    for (const $format of ['toString', '__proto__']) {
      const { status, body: rejected } = await feed.get('/locations_Sites', { $format });
      expect([$format, status, rejected.error.code]).toEqual([$format, 406, 'not_acceptable']);
    }
  });

  it('are not sent again to a caller that has them', async () => {
    const { headers } = await feed.get(PUMPS);
    const again = await feed.get(PUMPS, {}, { 'if-none-match': headers.get('etag')! });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', null]);
    const other = await feed.get(PUMPS, {}, { 'if-none-match': headers.get('etag')!, prefer: 'maxpagesize=3' });
    expect(other.body.value).toHaveLength(3);
  });
});

describe('a request that is not valid or not supported', () => {
  const conditions = (count: number) => manyRows(count, (at) => `weight eq ${at}`).join(' or ');
  const nested = (levels: number) =>
    manyRows(levels, (at) => `(weight eq ${at} ${at % 2 === 0 ? 'or' : 'and'} `).join('') +
    'active' +
    ')'.repeat(levels);

  it.each<[string, Record<string, string>, number, string, RegExp]>([
    ['an unknown property', { $filter: "colour eq 'a'" }, 400, '$filter', /"colour" is not a property of assets_/],
    ['an unknown property to sort by', { $orderby: 'colour' }, 400, '$orderby', /"colour"/],
    ['an unknown property to select', { $select: 'colour' }, 400, '$select', /"colour"/],
    ['an unknown navigation property', { $expand: 'site' }, 400, '$expand', /"site" is not a navigation property/],
    ['a literal of another type', { $filter: 'name eq 5' }, 400, '$filter', /"name" is Edm.String.*'text'/],
    ['a time at a date', { $filter: 'installed ge 2024-01-01T00:00:01Z' }, 400, '$filter', /2026-01-31/],
    ['midnight elsewhere', { $filter: 'installed ge 2024-01-30T23:00:00.000Z' }, 400, '$filter', /2026-01-31/],
    ['the end of a day as a start', { $filter: 'installed ge 2024-01-30T23:59:59Z' }, 400, '$filter', /2026-01-31/],
    ['a text at a date', { $filter: "installed eq 'today'" }, 400, '$filter', /2026-01-31/],
    ['a date that does not exist', { $filter: 'installed ge 2023-02-29' }, 400, '$filter', /2023-02-29/],
    ['a quote that is not closed', { $filter: "name eq 'a" }, 400, '$filter', /position 8/],
    ['SQL after a text', { $filter: "name eq ''; DROP TABLE users --'" }, 400, '$filter', /position 10/],
    [
      '51 conditions',
      { $filter: conditions(51).replaceAll(' eq ', ' gt ') },
      400,
      '$filter',
      /at most 50 conditions; this has 51/,
    ],
    ['too many levels', { $filter: nested(6) }, 400, '$filter', /at most 5 nested levels/],
    ['many levels', { $filter: nested(60) }, 400, '$filter', /more than 50 nested/],
    ['an unknown operator', { $filter: 'weight is 1' }, 400, '$filter', /position 7/],
    ['SQL after a property to sort by', { $orderby: 'name; DROP TABLE users' }, 400, '$orderby', /position 4/],
    ['SQL as a property to select', { $select: 'name FROM users --' }, 400, '$select', /not the name of a property/],
    ['SQL after a property to expand', { $expand: "siteRow' OR '1'='1" }, 400, '$expand', /Write a name/],
    ['SQL in a $skiptoken', { $skiptoken: "1.' OR '1'='1" }, 400, '$skiptoken', /cursor/],
    ['SQL in a $deltatoken', { $deltatoken: '1 OR 1=1' }, 400, '$deltatoken', /as the feed has returned it/],
    ['four references', { $filter: "siteRow/parentRow/parentRow/parentRow/name eq 'a'" }, 400, '$filter', /at most 3/],
    ['a position as a text', { $filter: "indexof(name,'a') eq '-1'" }, 400, '$filter', /indexof\(\) is a number/],
    ['an order of null', { $filter: 'weight gt null' }, 400, '$filter', /null has no order/],
    ['a text as a condition', { $filter: 'name' }, 400, '$filter', /"name" is not a condition/],
    ['a large $skip', { $skip: '1000000000' }, 400, '$skip', /at most 100000.*@odata.nextLink/],
    ['$skip=1e9', { $skip: '1e9' }, 400, '$skip', /whole number/],
    ['a negative $top', { $top: '-1' }, 400, '$top', /whole number/],
    ['another $count', { $count: '1' }, 400, '$count', /neither true nor false/],
    ['a $skiptoken of another query', { $skiptoken: '.W10' }, 400, '$skiptoken', /./],
    ['an unknown option', { $filters: 'a' }, 400, '$filters', /does not exist/],
    ['a function', { $filter: 'year(installed) eq 2024' }, 501, '$filter', /year\(\) is not supported.*contains/],
    ['arithmetic', { $filter: 'weight add 1 gt 2' }, 501, '$filter', /"add"/],
    ['two properties', { $filter: 'name eq site' }, 501, '$filter', /property with a literal/],
    ['a lambda expression', { $filter: 'siteRow/any(s:s/name eq 1)' }, 501, '$filter', /any\(\)/],
    ['a row', { $filter: 'siteRow ne null' }, 501, '$filter', /the row "siteRow" cannot be compared/],
    ['a row of a row', { $filter: 'siteRow/parentRow eq null' }, 501, '$filter', /the row "siteRow\/parentRow"/],
    ['an alias', { $filter: 'weight eq @w' }, 501, '$filter', /aliases/],
    ['an order through a reference', { $orderby: 'siteRow/name' }, 501, '$orderby', /entity set itself/],
    ['$search', { $search: 'pump' }, 501, '$search', /not supported/],
    ['$apply', { $apply: 'aggregate(weight)' }, 501, '$apply', /not supported/],
    ['$expand in $expand', { $expand: 'siteRow($expand=parentRow)' }, 501, '$expand', /"\$expand" is not supported/],
    ['a nested $select twice', { $expand: 'siteRow($select=key;$select=name)' }, 400, '$expand', /sent twice/],
    ['$expand of all and one', { $expand: '*,siteRow($select=key)' }, 400, '$expand', /without others/],
    ['$select of all and one', { $select: '*,colour' }, 400, '$select', /without others/],
    ['$count of changes', { $deltatoken: '1', $count: 'true' }, 400, '$deltatoken', /no further options/],
    ['an invalid $deltatoken', { $deltatoken: 'x' }, 400, '$deltatoken', /as the feed has returned it/],
    ['a $deltatoken of the future', { $deltatoken: '99999' }, 400, '$deltatoken', /current revision/],
  ])('%s is rejected by name', async (_, options, status, target, message) => {
    const answer = await feed.get(PUMPS, options);
    expect([answer.status, answer.headers.get('odata-version')]).toEqual([status, '4.0']);
    expect(answer.body.error).toMatchObject({
      code: expect.any(String),
      message: expect.stringMatching(message),
      target,
    });
  });

  it.each([
    ['POST', '/$batch', 501, 'odata_not_implemented', /^\$batch: .*\$direct/],
    ['GET', "/locations_Sites('K-1')/name", 501, 'odata_not_implemented', /^path: .*"name".*\$select/],
    ['GET', `${PUMPS}/a/b/c`, 404, 'not_found', /./],
    ['POST', PUMPS, 405, 'method_not_allowed', /./],
    ['PATCH', `${PUMPS}/$query`, 405, 'method_not_allowed', /./],
    ['POST', '/assets_None/$query', 404, 'not_found', /./],
    ['POST', `/${'x'.repeat(20_000)}`, 431, 'too_large', /16384 bytes/],
    ['DELETE', "/locations_Sites('K-1')", 405, 'method_not_allowed', /./],
  ])('%s %s receives an error in the form of OData', async (method, path, status, code, message) => {
    const response = await fetch(`${feed.root}${path}`, {
      method,
      headers: { 'X-API-Key': me.apiKey },
      body: method === 'POST' ? '{}' : null,
    });
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, response.headers.get('odata-version'), error.code]).toEqual([status, '4.0', code]);
    expect(error.message).toMatch(message);
  });

  it.each<[string, number, boolean]>([
    ['/OData/V4/:id/assets_None', 401, true],
    ['/odata/v4/:id/assets_None', 401, true],
    ['/odata/v4/:id/../assets_None', 404, true],
    ['/odata/v4/:id/%2e/assets_None', 404, true],
    ['/odata', 404, true],
    ['/odata/v4', 404, true],
    ['/OData/v3/x', 404, true],
    ['/odatas', 404, false],
  ])('%s without credentials receives %d in the form of OData: %s', async (path, status, isOData) => {
    const { hostname, port } = new URL(service.baseUrl);
    const sent = get({ hostname, port, path: path.replace(':id', me.workspaceId) });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const { error } = JSON.parse(await readText(response)) as { error: unknown };
    const { statusCode, headers } = response;
    expect([statusCode, typeof error, headers['odata-version']]).toEqual([
      status,
      isOData ? 'object' : 'string',
      isOData ? '4.0' : undefined,
    ]);
    expect(/^Basic /.test(headers['www-authenticate'] ?? '')).toBe(status === 401);
  });

  const post = async (
    path: string,
    body: string,
    headers: Record<string, string> = { 'Content-Type': 'text/plain' },
  ) => {
    const response = await fetch(`${feed.root}${path}`, {
      method: 'POST',
      headers: { 'X-API-Key': me.apiKey, ...headers },
      body,
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text.startsWith('{') ? JSON.parse(text) : text,
    };
  };

  it('with its options in the body is that with the options in the URL', async () => {
    const options = {
      $filter: "weight ge 3 and contains(name,'pump')",
      $orderby: 'weight desc',
      $select: 'key',
      $count: 'true',
    };
    const expected = await feed.get(PUMPS, options);
    const written = Object.entries(options).map(([name, value]) => `${name}=${value}`);
    for (const [path, body] of [
      [`${PUMPS}/$query`, written.join('&')],
      [`${PUMPS}/$query`, `${encodeURI(written.join('&'))}\r\n`],
      [`${PUMPS}/$query?${encodeURI(written[0]!)}`, written.slice(1).join('&')],
    ] as const) {
      const found = await post(path, body);
      expect([found.status, found.body, found.headers.get('etag')]).toEqual([200, expected.body, null]);
    }
    expect((await post(`${PUMPS}/$count/$query`, '$filter=weight lt 5')).text).toBe('10');
    expect((await post(`${PUMPS}('${keyAt(3)}')/$query`, '$select=key')).body.key).toBe(keyAt(3));
    // 1,000 keys have more characters than a URL.
    const keys = manyRows(1_000, (at) => `'${keyAt(at)}${'-'.repeat(at < 25 ? 0 : 40)}'`).join(',');
    expect(keysOf((await post(`${PUMPS}/$query`, `$filter=key in (${keys})`)).body)).toEqual(manyRows(25, keyAt));
    const first = await post(`${PUMPS}/$query`, '$filter=weight ge 3&$count=true', {
      'Content-Type': 'text/plain',
      prefer: 'maxpagesize=10',
    });
    const next = await feed.get(first.body['@odata.nextLink'] as string);
    expect([...keysOf(first.body), ...keysOf(next.body)]).toEqual(manyRows(19, (at) => keyAt(at + 6)));
  });

  it.each<[string, string, Record<string, string>, number, RegExp]>([
    ['JSON', '{}', { 'Content-Type': 'application/json' }, 415, /Send text\/plain/],
    ['an option twice', '$filter=active&$filter=active', { 'Content-Type': 'text/plain' }, 400, /^\$filter: .*twice/],
    ['an unknown option', '$filters=active', { 'Content-Type': 'text/plain' }, 400, /^\$filters: /],
    ['a percent sign', "$filter=name eq '%'", { 'Content-Type': 'text/plain' }, 400, /^\$query: .*percent-encoded/],
    [
      'a long filter',
      `$filter=name eq '${'x'.repeat(100_000)}'`,
      { 'Content-Type': 'text/plain' },
      400,
      /^\$filter: .*at most 100000/,
    ],
    ['more than a body may have', 'x'.repeat(1_100_000), { 'Content-Type': 'text/plain' }, 413, /limit/],
    [
      'a filter that is too long for the link to the next page',
      `$filter=name ne '${'x'.repeat(8_000)}'`,
      { 'Content-Type': 'text/plain', prefer: 'maxpagesize=10' },
      400,
      /^query: .*at most 8000.*\$top/,
    ],
    [
      'a filter that is too long for the link when it is encoded',
      `$filter=name ne '${'ü'.repeat(1_500)}'`,
      { 'Content-Type': 'text/plain', prefer: 'maxpagesize=10' },
      400,
      /^query: .*at most 8000/,
    ],
  ])('with %s in the body is rejected by name', async (_, body, headers, status, message) => {
    const found = await post(`${PUMPS}/$query`, body, headers);
    expect([found.status, found.headers.get('odata-version'), found.body.error.message]).toEqual([
      status,
      '4.0',
      expect.stringMatching(message),
    ]);
  });

  it.each(['#', ' ', 'ü', '"<>`{}|^[]\\', '\n', '😀'])('may have the characters %j in its body', async (characters) => {
    const body = `$filter=name ne 'a${characters}b' and weight ge 3&client=${characters}&$top=12`;
    const first = await post(`${PUMPS}/$query`, body, { 'Content-Type': 'text/plain', prefer: 'maxpagesize=10' });
    const link = first.body['@odata.nextLink'] as string;
    expect(new URL(link).href).toBe(link);
    const next = await feed.get(link);
    expect([...keysOf(first.body), ...keysOf(next.body)]).toEqual(manyRows(12, (at) => keyAt(at + 6)));
    expect(next.body['@odata.nextLink']).toBeUndefined();
  });

  it('in the URL is rejected, too, if it is too long for the link to the next page', async () => {
    const $filter = `name ne '${'x'.repeat(7_950)}'`;
    const { status, body } = await feed.get(PUMPS, { $filter }, { prefer: 'maxpagesize=10' });
    expect([status, body.error]).toEqual([400, expect.objectContaining({ target: 'query' })]);
    expect((await feed.get(PUMPS, { $filter })).status).toBe(200);
  });

  it('with a slash at the end of the path is that without it', async () => {
    for (const path of [PUMPS, '/locations_Sites', "/locations_Sites('K-1')", '/$metadata', `${PUMPS}/$count`]) {
      const [plain, slash] = [await feed.get(path), await feed.get(`${path}/`)];
      expect([slash.status, slash.text]).toEqual([200, plain.text]);
    }
  });

  it('ignores a page size of 0, and rejects other versions and formats by name', async () => {
    const { status, headers, body } = await feed.get(PUMPS, {}, { prefer: 'odata.maxpagesize=0' });
    expect([status, headers.get('preference-applied'), body.value.length]).toEqual([200, null, 25]);
    for (const version of ['3.0', '2.0', '3'])
      expect((await feed.get(PUMPS, {}, { 'odata-maxversion': version })).body.error).toMatchObject({
        code: 'invalid_odata_query',
        target: 'OData-MaxVersion',
      });
    for (const version of ['4.0', '4.01', '4'])
      expect((await feed.get(PUMPS, {}, { 'odata-maxversion': version })).status).toBe(200);
    const json = await feed.get('/$metadata', { $format: 'json' });
    expect([json.status, json.body.error.code]).toEqual([406, 'not_acceptable']);
    expect((await feed.get('/$metadata', { $format: 'xml' }, { accept: 'application/json' })).status).toBe(200);
  });

  it.each([
    ["/locations_Sites('a)", 400],
    ['/locations_Sites(1)', 400],
    ['/locations_sites', 404],
    ['/assets_None', 404],
    ['/constructor', 404],
    ["/locations_Sites('K-1' OR '1'='1')", 400],
    ["/locations_Sites('K-1'' OR ''1''=''1')", 404],
    ['/locations_Sites;DROP TABLE users', 404],
    ["/locations_Sites('K-1')/nameRow", 400],
    ["/locations_Sites('K-1')/$count", 400],
    ['/locations_Sites/parentRow', 400],
  ])('the path %s is rejected', async (path, status) => {
    const answer = await feed.get(path);
    expect([answer.status, typeof answer.body.error.code]).toEqual([status, 'string']);
  });

  it.each(["'", '"', '\\', '%', '_', '.*', '(', '[a-z]', '$1', ';--', '&', '+', '#', '\u202e', '😀', '\t\n'])(
    'finds no other entities by the text %j',
    async (part) => {
      const literal = `'${part.replaceAll("'", "''")}'`;
      const calls = ['contains', 'startswith', 'endswith'].map((name) => `${name}(name,${literal})`);
      for (const filter of [`name eq ${literal}`, `name in (${literal})`, ...calls]) {
        const { status, body } = await feed.get(PUMPS, { $filter: filter });
        expect([status, body.error ?? keysOf(body)]).toEqual([200, []]);
      }
    },
  );

  it('follows a cycle of references as far as the path leads', async () => {
    const target = { entity: 'list', table: 'Rings' };
    const columns = [text('Key'), text('Name'), column('Next', 'reference', { options: { target } })];
    const items = manyRows(3, (at) => ({ key: `R${at}`, name: `Ring ${at}`, next: `R${(at + 1) % 3}` }));
    expect((await tables.bulk('lists', { name: 'Rings', columns, items })).status).toBe(201);
    const read = (options: Record<string, string>) => feed.get('/lists_Rings', options);
    const filter = (path: string) => ({ $filter: `${path}/name eq 'Ring 0'` });
    expect(keysOf((await read(filter('nextRow/nextRow'))).body)).toEqual(['R1']);
    expect(keysOf((await read(filter('nextRow/nextRow/nextRow'))).body)).toEqual(['R0']);
    expect((await read(filter('nextRow/nextRow/nextRow/nextRow'))).body.error.message).toMatch(/at most 3 references/);
    expect((await read({ $expand: 'nextRow($select=key)', $select: 'key' })).body.value).toEqual([
      { key: 'R0', nextRow: { key: 'R1' } },
      { key: 'R1', nextRow: { key: 'R2' } },
      { key: 'R2', nextRow: { key: 'R0' } },
    ]);
  });

  it('rejects a longer URL than the service reads, by its limit', async () => {
    const { status, headers, body } = await feed.get(PUMPS, { $filter: `name eq '${'x'.repeat(20_000)}'` });
    expect([status, headers.get('odata-version'), body.error]).toEqual([
      431,
      '4.0',
      expect.objectContaining({ code: 'too_large', message: expect.stringContaining('16384 bytes') as string }),
    ]);
  });

  it('any text as an option returns 200, 400 or 501', async () => {
    const part = fc.constantFrom(
      'name',
      'weight',
      'siteRow',
      '/',
      ' eq ',
      ' and ',
      ' or ',
      'not ',
      '(',
      ')',
      "'",
      "''",
      '1',
      '-',
      ',',
      'null',
      '\u0000',
      '😀',
      '\u202e',
      '%',
      ';',
      '--',
      '$it',
      '@a',
      ' in ',
      'contains',
      'any',
      ':',
      'true',
      '2024-01-01',
    );
    const options = fc.array(part, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));
    const name = fc.constantFrom('$filter', '$orderby', '$select', '$expand', '$top', '$skiptoken', '$deltatoken');
    await fc.assert(
      fc.asyncProperty(name, options, async (option, value) => {
        const { status, text: body } = await feed.get(PUMPS, { [option]: value });
        if (![200, 400, 501].includes(status)) throw new Error(`${status}: ${body}`);
      }),
      { numRuns: runsOf(200) },
    );
  });
});

describe('a random filter', () => {
  const yards: ModelTable = {
    columns: { key: 'key', name: 'text', rank: 'number', parent: 'key' },
    rows: [],
    references: {},
  };
  Object.assign(yards.references, { parent: [yards] });
  const things: ModelTable = {
    columns: { key: 'key', name: 'text', weight: 'number', installed: 'date', active: 'checkbox', site: 'key' },
    rows: [],
    references: { site: [yards] },
  };

  beforeAll(async () => {
    const fill = (table: ModelTable, keys: readonly string[]) => {
      const kinds = Object.entries(table.columns).filter(([key]) => key !== 'key');
      const row = fc.record(Object.fromEntries(kinds.map(([key, kind]) => [key, cellOf(kind)])));
      table.rows = fc.sample(row, keys.length).map((each, at): Item => ({ ...each, key: keys[at]! }));
    };
    fill(yards, ['K1', 'k1', "K'1", 'K%']);
    yards.rows.forEach((row, at) => (row['parent'] = yards.rows[at - 1]?.['key'] ?? null));
    fill(things, ['K1', 'K2', 'k1', 'É1', "K'1", 'K%', 'K_', ...manyRows(33, (at) => `R${at}`)]);
    const target = { entity: 'location', table: 'Yards' };
    const yardColumns = [text('Key'), text('Name'), column('Rank', 'number'), column('Parent', 'hierarchyParent')];
    expect((await tables.bulk('locations', { name: 'Yards', columns: yardColumns, items: yards.rows })).status).toBe(
      201,
    );
    const columns = [
      text('Key'),
      text('Name'),
      column('Weight', 'number'),
      column('Installed', 'date'),
      column('Active', 'checkbox'),
      column('Site', 'reference', { options: { target } }),
    ];
    expect((await tables.bulk('assets', { name: 'Things', columns, items: things.rows })).status).toBe(201);
  });

  it(
    'selects the entities for which an evaluator in memory finds it true',
    async () => {
      // Fewer would not show how many are too deep.
      const numRuns = Math.max(200, runsOf(200));
      let tooDeep = 0;
      await fc.assert(
        fc.asyncProperty(filterTrees(things), async (filter: Filter) => {
          const { status, body } = await feed.get('/assets_Things', { $filter: toODataFilter(filter) });
          const isTooDeep = status === 400 && body.error.details[0].code === 'filter_too_deep';
          if (isTooDeep) tooDeep++;
          else expect(status === 200 ? keysOf(body) : body).toEqual(selectKeys(things, filter));
        }),
        { numRuns },
      );
      expect(tooDeep).toBeLessThan(numRuns / 20);
    },
    RUNS_TIMEOUT_MS,
  );

  it.each<[string, (item: Item) => boolean]>([
    ["tolower(name) eq 'pump 1'", ({ name }) => name === 'Pump 1'],
    ["toupper(name) ne 'PUMP 1'", ({ name }) => name !== 'Pump 1'],
    ["not (tolower(name) eq 'pump 1')", ({ name }) => name !== 'Pump 1'],
    ['tolower(name) eq null', ({ name }) => name === null],
    ["startswith(tolower(name),'pump 2')", ({ name }) => String(name).startsWith('Pump 2')],
    ["endswith(toupper(name),'P 3')", ({ name }) => String(name).endsWith('p 3')],
    ["startswith(name,'pump')", () => false],
    ["indexof(name,'2') eq -1", ({ name }) => name !== null && !String(name).includes('2')],
    ["indexof(tolower(name),'2') ge 0", ({ name }) => name !== null && String(name).includes('2')],
    ["indexof(name,'2') ne -1", ({ name }) => name === null || String(name).includes('2')],
    ["indexof(name,'2') lt 0", ({ name }) => name !== null && !String(name).includes('2')],
    ["indexof(name,'') ge 0", ({ name }) => name !== null],
    ["indexof(name,'') eq -1", () => false],
    ["indexof(name,'') ne -1", () => true],
    ["not (indexof(name,'2') eq -1)", ({ name }) => name === null || String(name).includes('2')],
    ["not (indexof(name,'2') ne -1)", ({ name }) => name !== null && !String(name).includes('2')],
    ["not (indexof(name,'2') ge 0)", ({ name }) => name === null || !String(name).includes('2')],
    ["not (indexof(name,'') ge 0)", ({ name }) => name === null],
    [manyRows(51, (at) => `weight eq ${at}`).join(' or '), ({ weight }) => Number.isInteger(weight)],
    [manyRows(51, (at) => `weight ne ${at}`).join(' and '), ({ weight }) => !Number.isInteger(weight)],
    [
      'weight eq 1 or weight eq null or weight eq 1 or weight in (2,3)',
      ({ weight }) => [1, null, 2, 3].includes(weight as number),
    ],
    ["(weight eq 1 or weight eq 2) and name ne 'x'", ({ weight }) => weight === 1 || weight === 2],
    ['installed ge 2024-01-10T00:00:00Z', ({ installed }) => installed !== null && String(installed) >= '2024-01-10'],
    [
      'installed lt 2024-01-10T00:00:00.000+00:00',
      ({ installed }) => installed !== null && String(installed) < '2024-01-10',
    ],
    [
      'installed gt 2024-02-28T23:59:59.999Z and installed lt 2024-03-01T00:00:00.000Z',
      ({ installed }) => installed === '2024-02-29',
    ],
    ['installed gt 2024-02-29T23:59:59.999Z', () => false],
    ['installed le 2024-02-29T23:59:59Z', ({ installed }) => installed !== null],
    ['installed le 2024-02-28T23:59:59Z', () => false],
    ["installed eq '2024-02-29'", ({ installed }) => installed === '2024-02-29'],
  ])('of a grid selects the entities that meet it: %s', async (filter, meets) => {
    const { status, body } = await feed.get(PUMPS, { $filter: filter });
    expect([status, body.error]).toEqual([200, undefined]);
    const all = (await feed.get(PUMPS)).body.value as Item[];
    expect(keysOf(body)).toEqual(all.filter(meets).map(({ key }) => key));
  });

  it('that is null for a row does not select the row, nor does its negation', async () => {
    const read = async (filter: string) => keysOf((await feed.get(PUMPS, { $filter: filter })).body);
    expect(await read("contains(name,'Pump')")).not.toContain(keyAt(7));
    expect(await read("not contains(name,'x')")).not.toContain(keyAt(7));
    expect(await read("not (name eq 'x')")).toContain(keyAt(7));
    expect(await read("contains(name,'pump') eq true")).toHaveLength(24);
    expect(await read("contains(tolower(name),'PUMP 1')")).toHaveLength(5);
    expect(await read('5 le weight')).toHaveLength(15);
    expect(await read("_null eq 'n3'")).toEqual([keyAt(3)]);
  });
});

describe('changes', () => {
  const track = { prefer: 'odata.track-changes, odata.maxpagesize=2' };
  const columns = [text('Key'), column('Rank', 'number')];
  const write = (items: Item[]) => tables.bulk('lists', { name: 'Tracked', columns, items });

  it('since a delta link, applied to a replica, equal the table', async () => {
    await write(manyRows(5, (at) => ({ key: `T${at}`, rank: at })));
    const pages = await readAll('/lists_Tracked', {}, track);
    expect(pages[0]!.headers.get('preference-applied')).toBe('odata.maxpagesize=2, odata.track-changes');
    const replica = new Map(pages.flatMap(({ body }) => body.value as Item[]).map((row) => [row['key'], row]));
    const apply = async (link: string) => {
      const changes = await readAll(link, {}, { prefer: 'maxpagesize=2' });
      for (const change of changes.flatMap(({ body }) => body.value as Item[])) {
        const deleted = findDeletedKey(change);
        if (deleted === undefined) replica.set(change['key'], change);
        else replica.delete(deleted);
      }
      return changes.at(-1)!.body['@odata.deltaLink'] as string;
    };
    const rows = async () => (await tables.rows('lists', 'Tracked')).map((row) => [row['key'], row]);
    await write([
      { key: 'T1', rank: 10 },
      { key: 'T9', rank: 9 },
    ]);
    expect((await tables.api.delete(`${tables.path}/lists/Tracked/items/T3`)).status).toBe(200);
    const second = await apply(pages.at(-1)!.body['@odata.deltaLink'] as string);
    expect([...replica].toSorted()).toEqual(await rows());
    await write([{ key: 'T3', rank: 3 }]);
    await apply(await apply(second));
    expect([...replica].toSorted()).toEqual(await rows());
  });

  it('contain deleted rows in the form of OData 4.0', async () => {
    const { body } = await feed.get('/lists_Tracked', {}, { prefer: 'odata.track-changes' });
    expect((await tables.api.delete(`${tables.path}/lists/Tracked/items/T0`)).status).toBe(200);
    const delta = await feed.get(body['@odata.deltaLink'] as string);
    expect(delta.body.value).toEqual([
      {
        '@odata.context': `https://atrium.test/odata/v4/${me.workspaceId}/$metadata#lists_Tracked/$deletedEntity`,
        id: 'lists_Tracked(%27T0%27)',
        reason: 'deleted',
      },
    ]);
    expect(delta.body['@odata.context']).toMatch(/#lists_Tracked\/\$delta$/);
  });

  it('are not tracked unless all entities are read', async () => {
    const { body, headers } = await feed.get(
      '/lists_Tracked',
      { $filter: 'rank gt 1' },
      { prefer: 'odata.track-changes' },
    );
    expect([body['@odata.deltaLink'], headers.get('preference-applied')]).toEqual([undefined, null]);
    expect((await feed.get('/lists_Tracked')).body['@odata.deltaLink']).toBeUndefined();
  });

  it('since an older definition are rejected with 410', async () => {
    const { body } = await feed.get('/lists_Tracked', {}, { prefer: 'odata.track-changes' });
    await tables.bulk('lists', { name: 'Tracked', columns: [...columns, text('Note')], items: [] });
    const { status, body: rejected } = await feed.get(body['@odata.deltaLink'] as string);
    expect([status, rejected.error.code]).toEqual([410, 'odata_definition_changed']);
  });
});

describe('a caller with an access policy', () => {
  it('finds neither hidden tables, columns and rows, nor changes', async () => {
    const owner = await new Api(service.baseUrl).signIn(me);
    const workspace = `/v2/api/workspaces/${me.workspaceId}`;
    const assets = {
      entity: 'assets',
      table: 'Pumps & Süd',
      filter: { weight: { lt: 2 } },
      columns: { hidden: ['name'] },
    };
    const rules = [assets, { entity: 'locations', table: 'Sites', filter: { key: 'K-1' } }];
    const policy = await owner.post(`${workspace}/access-policies`, {
      name: 'OData',
      scopes: ['read:workspaces'],
      tables: rules,
    });
    expect(policy.status).toBe(201);
    const key = await owner.post(`${workspace}/api-keys`, { name: 'OData', policyId: policy.body.data.id });
    const restricted = new ODataFeed(service, { ...me, apiKey: key.body.data.apiKey as string });

    expect((await restricted.get('/')).body.value.map(({ title }: { title: string }) => title)).toEqual([
      'Pumps & Süd',
      'Sites',
      'notes',
    ]);
    expect((await restricted.get('/$metadata')).text).not.toMatch(
      /Name="(name|lists_Tracked)" Type="Edm.String"\/>[^]*<\/EntityType>[^]*EntityType Name="locations/,
    );
    const { body } = await restricted.get(
      PUMPS,
      { $expand: 'siteRow', $count: 'true' },
      { prefer: 'odata.track-changes' },
    );
    // Not with $expand.
    expect([keysOf(body), body['@odata.count'], body['@odata.deltaLink']]).toEqual([manyRows(4, keyAt), 4, undefined]);
    expect(body.value.map(({ name, siteRow }: any) => [name, siteRow?.key])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
      [undefined, 'K-1'],
    ]);
    const hidden = await restricted.get(PUMPS, { $filter: "name eq 'Pump 1'" });
    expect([hidden.status, hidden.body.error.message]).toEqual([
      400,
      expect.stringContaining('"name" is not a property'),
    ]);
    expect((await restricted.get(`${PUMPS}('${keyAt(9)}')`)).status).toBe(404);
    expect((await restricted.get('/lists_Tracked')).status).toBe(404);
    const changes = await restricted.get(PUMPS, { $deltatoken: '1' });
    expect([changes.status, changes.body.error.code]).toEqual([410, 'odata_policy_changed']);
    const [mine, all] = [await restricted.get('/locations_Sites'), await feed.get('/locations_Sites')];
    expect(mine.headers.get('etag')).not.toBe(all.headers.get('etag'));
  });

  const TRACK = { prefer: 'odata.track-changes, odata.maxpagesize=2' };

  /** A table, and a feed for a caller whose policy permits the rows of a plant. */
  async function restrictTo(plant: string, name: string, options: object = {}) {
    const owner = await new Api(service.baseUrl).signIn(me);
    const workspace = `/v2/api/workspaces/${me.workspaceId}`;
    const columns = [text('Key'), text('Plant'), text('Price')];
    const push = async (...items: Item[]) => {
      const { status } = await owner.post(`${workspace}/cw/lists/bulk`, { lists: [{ name, columns, items }] });
      expect([200, 201]).toContain(status);
    };
    await push();
    expect((await owner.put(`${workspace}/cw/lists/${name}`, { options })).status).toBe(200);
    const policy = {
      name,
      tables: [{ entity: 'lists', table: name, filter: { plant }, columns: { hidden: ['price'] } }],
    };
    const { id } = (await owner.post(`${workspace}/access-policies`, policy)).body.data;
    const { apiKey } = (await owner.post(`${workspace}/api-keys`, { name, policyId: id })).body.data;
    const change = (rules: object) => owner.put(`${workspace}/access-policies/${id}`, { ...policy, ...rules });
    return { restricted: new ODataFeed(service, { ...me, apiKey: apiKey as string }), push, change };
  }

  /** A copy of the entities by the links of the feed. @param onPage is called after the first page. */
  async function readCopy(
    from: ODataFeed,
    path: string,
    copy = new Map<string, object>(),
    onPage?: () => Promise<void>,
  ) {
    let { body } = await from.get(path, {}, TRACK);
    await onPage?.();
    for (;;) {
      for (const entity of body.value as Item[]) {
        const deleted = findDeletedKey(entity);
        if (deleted === undefined) copy.set(String(entity['key']), entity);
        else copy.delete(deleted);
      }
      const next = body['@odata.nextLink'] as string | undefined;
      if (next === undefined) return { copy, link: body['@odata.deltaLink'] as string };
      ({ body } = await from.get(next, {}, TRACK));
    }
  }

  const entity = (key: string) => ({ key, plant: 'A' });

  it('follows by delta links which entities enter and leave the permitted part, also between two pages', async () => {
    const { restricted, push, change } = await restrictTo('A', 'Followed');
    await push(...['a', 'b', 'c', 'd'].map((key) => ({ key, plant: 'A', price: '1' })), { key: 'e', plant: 'B' });
    const first = await readCopy(restricted, '/lists_Followed', undefined, async () => {
      // Seen by the second page, if it were not as of the first one, and by no comparison with a later moment.
      await push({ key: 'e', plant: 'A' }, { key: 'c', plant: 'B' });
    });
    expect([...first.copy.values()]).toEqual(['a', 'b', 'c', 'd'].map(entity));
    await push({ key: 'e', plant: 'B' }, { key: 'f', plant: 'A' }, { key: 'a', price: '2' }, { key: 'b', plant: 'B' });
    const second = await readCopy(restricted, first.link, first.copy);
    expect([...second.copy.keys()].sort()).toEqual(['a', 'd', 'f']);
    const third = await restricted.get(second.link);
    expect(third.body.value).toEqual([]);
    expect(third.body['@odata.deltaLink']).toBe(second.link);
    // The link of a caller without a policy, and the link after a change of the policy.
    for (const [caller, link] of [
      [feed, second.link],
      [restricted, second.link.replace(/-[\w-]{16}$/, '')],
    ] as const)
      expect((await caller.get(link)).body.error.code).toBe('odata_policy_changed');
    expect((await change({ scopes: ['read:workspaces'] })).status).toBe(200);
    const { status, body } = await restricted.get(second.link);
    expect([status, body.error.code]).toEqual([410, 'odata_policy_changed']);
  });

  it('has no delta links if the table stores no former rows', async () => {
    const { restricted, push } = await restrictTo('A', 'Untracked', { historyDays: 0 });
    await push({ key: 'a', plant: 'A' });
    const { body, headers } = await restricted.get('/lists_Untracked', {}, TRACK);
    expect([body['@odata.deltaLink'], headers.get('preference-applied')]).toEqual([undefined, 'odata.maxpagesize=2']);
  });
});

describe('the connection file for Power BI', () => {
  it('names the feed and no credentials', async () => {
    const path = `${service.baseUrl}/v2/api/workspaces/${me.workspaceId}/power-bi.pbids`;
    const response = await fetch(path, { headers: { 'x-api-key': me.apiKey } });
    expect([response.status, response.headers.get('content-disposition')]).toEqual([
      200,
      'attachment; filename="atrium.pbids"',
    ]);
    expect(await response.json()).toEqual({
      version: '0.1',
      connections: [
        {
          details: { protocol: 'odata', address: { url: `https://atrium.test/odata/v4/${me.workspaceId}/` } },
          mode: 'Import',
        },
      ],
    });
  });
});
