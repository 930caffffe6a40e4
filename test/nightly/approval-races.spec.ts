import { Api, type ApiResponse } from '../support/api.js';
import { TestDatabase } from '../support/database.js';
import { TestService } from '../support/service.js';
import { Random } from '../support/random-steps.js';
import { TableAdministration } from '../support/table-administration.js';
import { column, type Item, Tables, text } from '../support/tables.js';
import { until } from '../support/until.js';

/** Races of writes with approvals. */
const RACES = Number(process.env['APPROVAL_RACES'] ?? 60);
const SEED = Number(process.env['APPROVAL_SEED'] ?? 1);

let database: TestDatabase;
/** Two instances of the service on one database. */
let services: TestService[];
let tables: TableAdministration;
let other: TableAdministration;

beforeAll(async () => {
  database = await TestDatabase.create();
  services = [await TestService.start(database), await TestService.start(database)];
  const me = await services[0]!.provision();
  [tables, other] = services.map((service) => TableAdministration.for(Tables.of(service, me))) as [
    TableAdministration,
    TableAdministration,
  ];
}, 120_000);

afterAll(async () => {
  for (const service of services) {
    expect(service.output.join('')).not.toMatch(/internal_error|40P01|Unhandled|uncaught/i);
    await service.stop();
  }
  await database.drop();
});

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
type State = Map<string, Item>;
const toState = (rows: readonly Item[]): State => new Map(rows.map((row) => [String(row['key']), row]));
const sorted = (state: State) => [...state.values()].toSorted((a, b) => (String(a['key']) < String(b['key']) ? -1 : 1));

/** Applies a merge of these items and deletions to a copy of the state. */
function apply(state: State, items: readonly Item[], deleted: readonly string[] = []): State {
  const next = new Map(state);
  for (const item of items) {
    const key = String(item['key']);
    next.set(key, { key, name: null, weight: null, ...next.get(key), ...item });
  }
  for (const key of deleted) next.delete(key);
  return next;
}

interface Write {
  send: (api: Api, path: string) => Promise<ApiResponse>;
  apply: (state: State) => State;
  keys: string[];
}

/** A write that does not need approval: of single rows, or of few rows. */
function chooseWrite(random: Random): Write {
  const key = random.of(KEYS);
  const values: Item = random.chance(50) ? { weight: random.below(4) } : { name: `Other ${random.below(3)}` };
  const kind = random.of(['patch', 'put', 'delete', 'bulk'] as const);
  if (kind === 'delete')
    return {
      keys: [key],
      send: (api, path) => api.delete(`${path}/items/${key}`),
      apply: (state) => apply(state, [], [key]),
    };
  if (kind === 'bulk')
    return {
      keys: [key],
      send: (api, path) =>
        api.post(path.replace(/[^/]+$/, 'bulk'), {
          assets: [{ name: decodeURIComponent(path.split('/').at(-1)!), items: [{ key, ...values }] }],
        }),
      apply: (state) => apply(state, [{ key, ...values }]),
    };
  return {
    keys: [key],
    send: (api, path) => api[kind](`${path}/items/${key}`, values),
    // PUT replaces the row; PATCH of a missing row is 404.
    apply: (state) => {
      if (kind === 'patch') return state.has(key) ? apply(state, [{ key, ...values }]) : state;
      const next = new Map(state);
      next.delete(key);
      return apply(next, [{ key, ...values }]);
    },
  };
}

const read = async (of: Tables, name: string) => toState(await of.rows('assets', name, { sort: 'key' }));

it(
  `an approval stores what was compared or nothing, during concurrent writes (${RACES} races from seed ${SEED})`,
  async () => {
    const outcomes = { approved: 0, outdated: 0 };
    for (let race = 0; race < RACES; race++) {
      const random = new Random(SEED * 10_000 + race);
      const stored = KEYS.filter(() => random.chance(70)).map((key): Item => ({
        key,
        name: `Name ${key}`,
        weight: random.below(4),
      }));
      const columns = [text('Key'), text('Name'), column('Weight', 'number')];
      const name = await tables.createTable('assets', columns, stored);
      await tables.edit('assets', name, { options: { approval: { required: true, over: 1 } } });
      const before = await read(tables, name);
      const sent = random
        .some(KEYS, 5)
        .map((key): Item => ({ key, ...(random.chance(50) ? { weight: 10 + random.below(3) } : { name: 'New' }) }));
      const load = await tables.bulk('assets', { name, items: sent });
      if (load.status !== 202) continue;
      const { proposalId } = load.body.data as { proposalId: string };
      const path = tables.pathOf('assets', name);
      const write = chooseWrite(random);
      const isFirst = random.chance(50);
      const approve = () => tables.api.post(`${tables.path}/proposals/${proposalId}/approve`, {});
      const send = () => write.send(other.api, path);
      const [first, second] = isFirst ? [send, approve] : [approve, send];
      const racing = first();
      if (random.chance(30)) await new Promise((resolve) => setTimeout(resolve, random.below(20)));
      const answers = await Promise.all([racing, second()]);
      const [written, approved] = isFirst ? answers : answers.toReversed();
      const after = await read(tables, name);
      const compared = apply(before, sent);
      expect([200, 201, 204, 404]).toContain(written!.status);
      const context = `race ${race}: ${JSON.stringify({ stored, sent, keys: write.keys, status: approved!.status })}`;
      if (approved!.status === 200) {
        outcomes.approved++;
        const both = [sorted(write.apply(compared)), sorted(apply(write.apply(before), sent))];
        // The write followed, unless it changed no row of the proposal.
        const isChange = JSON.stringify(sorted(write.apply(before))) !== JSON.stringify(sorted(before));
        const touches = isChange && write.keys.some((key) => sent.some((item) => item['key'] === key));
        const expected = touches ? both.slice(0, 1) : both;
        expect({
          context,
          isExpected: expected.some((rows) => JSON.stringify(rows) === JSON.stringify(sorted(after))),
          after: sorted(after),
        }).toMatchObject({ isExpected: true });
      } else {
        outcomes.outdated++;
        expect({ context, status: approved!.status, error: approved!.body.error as string }).toEqual({
          context,
          status: 409,
          error: 'proposal_outdated',
        });
        expect({ context, rows: sorted(after) }).toEqual({ context, rows: sorted(write.apply(before)) });
      }
    }
    // Both outcomes occur; otherwise nothing was raced.
    expect(outcomes.approved).toBeGreaterThan(RACES / 10);
    expect(outcomes.outdated).toBeGreaterThan(RACES / 20);
  },
  120_000 + RACES * 2_000,
);

it('an approval whose instance is killed stores nothing, and the proposal can be approved by another instance', async () => {
  const name = await tables.createTable('assets', [text('Key'), column('Weight', 'number')], [{ key: 'a', weight: 1 }]);
  await tables.edit('assets', name, { options: { approval: { required: true } } });
  const load = await tables.bulk('assets', {
    name,
    items: [
      { key: 'a', weight: 2 },
      { key: 'b', weight: 3 },
    ],
  });
  const { proposalId } = load.body.data as { proposalId: string };
  const path = `${tables.path}/proposals/${proposalId}`;
  const killed = await TestService.start(database);
  const release = await database.lockTables({ workspaceId: tables.workspaceId });
  try {
    const approving = new Api(killed.baseUrl, tables.api.headers).post(`${path}/approve`, {}).catch(() => undefined);
    // Other suites use other databases of the server.
    const blocked = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    const waiting = () => database.query(blocked);
    await until(waiting, (locks) => locks.length > 0, 20_000);
    await killed.stop('SIGKILL');
    expect(await approving).toBeUndefined();
  } finally {
    await release();
  }
  expect((await tables.api.get(path)).body.data).toMatchObject({ status: 'pending', batchId: null });
  expect(await tables.rows('assets', name)).toEqual([{ key: 'a', weight: 1 }]);
  expect((await other.api.post(`${path}/approve`, {})).status).toBe(200);
  expect(await tables.rows('assets', name, { sort: 'key' })).toEqual([
    { key: 'a', weight: 2 },
    { key: 'b', weight: 3 },
  ]);
}, 60_000);
