import { randomInt } from 'node:crypto';
import { Api, type ApiResponse } from './api.js';
import { callTool } from './assistant-tools.js';
import { NDJSON } from './imports.js';
import type { SharedService } from './shared-services.js';

const COLUMNS = [
  { key: 'code', name: 'code', type: 'text' as const },
  { key: 'plant', name: 'plant', type: 'text' as const },
  { key: 'price', name: 'price', type: 'number' as const },
  { key: 'vendor', name: 'vendor', type: 'text' as const },
  { key: 'parent', name: 'parent', type: 'hierarchyParent' as const },
];
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
const ITEMS = KEYS.map((code, at) => ({
  code,
  plant: at % 2 === 0 ? 'A' : 'B',
  price: at * 10,
  vendor: ['KSB', 'ABB', null][at % 3],
  parent: at < 2 ? null : KEYS[at - 2],
}));

const rule = (own: object) => [{ entity: 'locations', table: '*', write: true, ...own }];

/** The access policies of the callers; the first one has none. */
const POLICIES = [
  undefined,
  { tables: rule({ columns: { hidden: ['price'] } }) },
  { tables: rule({ columns: { hidden: ['vendor'], readOnly: ['plant'] }, filter: { plant: 'A' } }) },
  { tables: rule({ under: 'a', write: false }), notes: { under: 'a' } },
  { tables: [], scopes: ['read:workspaces'] },
];

interface Workspace {
  id: string;
  /** By caller. */
  apis: Api[];
}

type Send = (api: Api, workspace: string, key: string) => Promise<ApiResponse>;

const get =
  (path: string, headers?: Record<string, string>): Send =>
  (api, workspace, key) =>
    api.get(`${workspace}/${path.replaceAll('KEY', key)}`, headers);
const tool =
  (name: string, toInput: (key: string) => object): Send =>
  (api, _, key) =>
    callTool(api, name, toInput(key));
const table = 'cw/locations/Pairs';
const named = { table: 'locations/Pairs' };

/** The surfaces by which callers read or write tables, and what refers to them. Writes leave all rows as they are. */
const SURFACES: Record<string, Send> = {
  tables: get('cw/locations'),
  table: get(table),
  page: get(`${table}/items?sort=-code&limit=3`),
  'page with numbers': get(`${table}/items?count=exact&fields=code,plant`),
  'page of a moment': get(`${table}/items?asOf=1`),
  'expanded page': get(`${table}/items?expand=parent`),
  'filtered page': get(`${table}/items?filter[price][gte]=20`),
  'subtree page': get(`${table}/items?under=KEY`),
  row: get(`${table}/items/KEY`),
  'row by query': get(`${table}/item?key=KEY`),
  'row of a moment': get(`${table}/items/KEY?asOf=1`),
  children: get(`${table}/items/KEY/children`),
  path: get(`${table}/items/KEY/path`),
  history: get(`${table}/items/KEY/history`),
  csv: get(`${table}/export`, { Accept: 'text/csv' }),
  ndjson: get(`${table}/items`, { Accept: NDJSON }),
  changes: get(`${table}/changes?since=0`),
  differences: get(`${table}/differences?from=0`),
  aggregates: get(`${table}/aggregate?group=vendor&measures=count,sum(price)`),
  unresolved: get(`${table}/unresolved`),
  violations: get(`${table}/violations`),
  notes: get('notes?limit=20'),
  batches: get('cw/batches'),
  events: get('events?types=table.*&limit=50'),
  access: get('access'),
  list_tables: tool('list_tables', () => ({})),
  describe_table: tool('describe_table', () => named),
  query_rows: tool('query_rows', () => ({ ...named, count: 'exact', limit: 3 })),
  'query_rows by a hidden column': tool('query_rows', () => ({ ...named, filter: { price: { gte: 20 } } })),
  aggregate_rows: tool('aggregate_rows', () => ({ ...named, group: ['vendor'], measures: ['count', 'sum(price)'] })),
  get_row: tool('get_row', (key) => ({ ...named, key })),
  get_row_history: tool('get_row_history', (key) => ({ ...named, key })),
  list_notes: tool('list_notes', () => ({})),
  'feed of entities': (api, workspace) => api.get(`/odata/v4/${workspace.split('/').at(-1)}/locations_Pairs`),
  'dry run': (api, workspace, key) =>
    api.post(`${workspace}/cw/locations/bulk?dryRun=true`, {
      locations: [{ name: 'Pairs', items: [{ code: key, price: 1 }] }],
    }),
  comparison: (api, workspace, key) =>
    api.send(`${workspace}/${table}/items/compare`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv' },
      body: `code,vendor\n${key},GEA\n`,
    }),
  'row that is written back': async (api, workspace, key) => {
    const read = await api.get(`${workspace}/${table}/items/${key}`);
    if (read.status !== 200) return read;
    const { code: _, ...row } = read.body.data.item;
    return api.put(`${workspace}/${table}/items/${key}`, row, { 'If-Match': read.headers.get('etag')! });
  },
  'row with an idempotency key': (api, workspace, key) =>
    api.patch(`${workspace}/${table}/items/${key}`, {}, { 'Idempotency-Key': `pairs-${key}` }),
};

/** Without IDs, times and cursors, which differ between workspaces. */
function normalize({ status, body, headers }: ApiResponse): unknown {
  const content = (typeof body === 'string' ? body : JSON.stringify(body))
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/"(timestamp|bytes|sequence|latestSequence)":\d+/g, '"$1":0')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/"nextCursor":("[^"]*"|\d+)/g, '"nextCursor":"CURSOR"');
  return [status, content, headers.get('idempotent-replayed')];
}

/** A workspace with the rows, and with one API key per policy. */
async function createWorkspace(service: SharedService): Promise<Workspace> {
  const me = await service.provision();
  const owner = await new Api(service.baseUrl).signIn(me);
  const id = `/v2/api/workspaces/${me.workspaceId}`;
  const expect = async (sent: Promise<ApiResponse>) => {
    const { status, body } = await sent;
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body.data;
  };
  await expect(
    owner.post(`${id}/cw/locations/bulk`, { locations: [{ name: 'Pairs', columns: COLUMNS, items: ITEMS }] }),
  );
  for (const location of ['a', 'b', 'c'])
    await expect(owner.post(`${id}/notes`, { title: `At ${location}`, location }));
  const apis: Api[] = [];
  for (const [at, policy] of POLICIES.entries()) {
    const created = policy && (await expect(owner.post(`${id}/access-policies`, { name: `Policy ${at}`, ...policy })));
    const { apiKey } = await expect(owner.post(`${id}/api-keys`, { name: `Key ${at}`, policyId: created?.id }));
    apis.push(new Api(service.baseUrl).withKey(apiKey as string));
  }
  return { id, apis };
}

/**
 * Sends random requests of two callers on one instance, each request in both orders of the callers, and compares each
 * response with that of a workspace in which no other caller sends requests.
 *
 * @param count requests of pairs.
 * @returns the responses that differ.
 */
export async function findMixedResponses(service: SharedService, count: number): Promise<unknown[]> {
  const shared = await createWorkspace(service);
  const own: Workspace[] = [];
  while (own.length < POLICIES.length) own.push(await createWorkspace(service));
  // A surface that rejects all callers would compare nothing.
  const rejected: string[] = [];
  for (const [name, send] of Object.entries(SURFACES)) {
    const { status, body } = await send(own[0]!.apis[0]!, own[0]!.id, 'a');
    if (status < 200 || status >= 300) rejected.push(`${name}: ${status} ${JSON.stringify(body)}`);
  }
  if (rejected.length > 0) throw new Error(rejected.join('\n'));
  const differing: unknown[] = [];
  const names = Object.keys(SURFACES);
  const compare = async (name: string, caller: number, key: string) => {
    const send = SURFACES[name]!;
    const found = normalize(await send(shared.apis[caller]!, shared.id, key));
    const expected = normalize(await send(own[caller]!.apis[caller]!, own[caller]!.id, key));
    if (JSON.stringify(found) !== JSON.stringify(expected)) differing.push({ name, caller, key, found, expected });
  };
  for (let sent = 0; sent < count; sent += 4) {
    const name = names[randomInt(names.length)]!;
    const key = KEYS[randomInt(KEYS.length)]!;
    const first = randomInt(POLICIES.length);
    const second = (first + 1 + randomInt(POLICIES.length - 1)) % POLICIES.length;
    for (const caller of [first, second, second, first]) await compare(name, caller, key);
  }
  return differing;
}
