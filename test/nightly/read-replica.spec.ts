import { Api } from '../support/api.js';
import { measureElapsed } from '../support/elapsed.js';
import { ReplicatedPostgres } from '../support/replicated-postgres.js';
import { TestService } from '../support/service.js';
import { TableAdministration } from '../support/table-administration.js';
import { column, keyAt, manyRows, Tables, text, unique } from '../support/tables.js';
import { until } from '../support/until.js';

const COLUMNS = [text('Key'), text('Name'), column('Weight', 'number')];
const ROWS = 200;

let postgres: ReplicatedPostgres;
let service: TestService;
let tables: TableAdministration;

beforeAll(async () => {
  postgres = await ReplicatedPostgres.start();
  const timeouts = { DATABASE_CONNECT_TIMEOUT_MS: '2000' };
  const settings = { DATABASE_READ_URL: postgres.replica.url, ...timeouts };
  service = await TestService.start(postgres.primary, settings);
  tables = TableAdministration.for(Tables.of(service, await service.provision()));
});

afterAll(async () => {
  await service?.stop();
  await postgres?.stop();
});

const itemAt = (position: number) => ({ key: keyAt(position), name: `Pump ${position % 7}`, weight: position });

/**
 * A table that the service reads on the replica. After an early read, which finds the replica outdated, it reads the
 * primary for a second.
 */
async function createTable(): Promise<string> {
  const name = unique('Pumps');
  const pushed = await tables.bulk('assets', { name, columns: COLUMNS, items: manyRows(ROWS, itemAt) });
  expect(pushed.status).toBe(201);
  await tables.read('assets', name);
  await postgres.synchronize();
  await untilUsed(name);
  return name;
}

/** The reads of the replica, by result. */
async function reads(): Promise<Record<string, number>> {
  const metrics = (await new Api(service.baseUrl).get('/metrics')).body as string;
  const lines = metrics.matchAll(/^database_replica_reads_total\{result="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, result, count]) => [result, Number(count)]));
}

/** Runs the work and returns by how much it has changed the counts. */
async function countReads(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await reads();
  await work();
  const after = await reads();
  return Object.fromEntries(Object.entries(after).map(([result, count]) => [result, count - (before[result] ?? 0)]));
}

const untilUsed = (name: string) =>
  until(async () => (await countReads(() => tables.read('assets', name)))['used'] === 1);

describe('DATABASE_READ_URL', () => {
  it('takes pages, counts, exports and analytics', async () => {
    const name = await createTable();
    const path = `${tables.path}/assets/${encodeURIComponent(name)}`;
    const changes = await countReads(async () => {
      const page = await tables.read('assets', name, { 'filter[name]': 'Pump 3', sort: '-weight', count: 'exact' });
      const expected = manyRows(ROWS, itemAt).filter((item) => item.name === 'Pump 3');
      expect(page.body.data).toMatchObject({ items: expected.toReversed(), total: expected.length });
      const lines = await tables.api.get(`${path}/export`, { Accept: 'application/x-ndjson' });
      expect(lines.headers.get('ETag')).toBe(`"${page.body.data.table.revision}"`);
      expect(
        (lines.body as string)
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual(manyRows(ROWS, itemAt));
      const { body } = await tables.api.get('/v1/api/analytics/tables');
      expect(body.data.tables.find((table: { name: string }) => table.name === name).rows).toBe(ROWS);
    });
    expect(changes).toEqual({ used: 3, outdated: 0, failed: 0 });
  });

  it('is not used for what is older than a committed write', async () => {
    const name = await createTable();
    await postgres.pauseReplay();
    try {
      const changed = { ...itemAt(5), name: 'Changed' };
      await tables.bulk('assets', { name, items: [changed, { key: 'new', name: 'New', weight: 1_000 }] });
      const changes = await countReads(async () => {
        const { body } = await tables.read('assets', name, { limit: ROWS + 1, count: 'exact' });
        expect(body.data.items).toHaveLength(ROWS + 1);
        expect(body.data.items[5]).toEqual(changed);
        expect(body.data.total).toBe(ROWS + 1);
        const asOf = body.data.table.revision as number;
        const past = await tables.read('assets', name, { limit: ROWS + 1, asOf });
        expect(past.body.data.items).toEqual(body.data.items);
        const exported = await tables.api.get(`${tables.path}/assets/${encodeURIComponent(name)}/export`);
        expect(exported.body).toContain('new,New,1000');
      });
      expect(changes).toMatchObject({ used: 0, failed: 0 });
      expect(changes['outdated']).toBeGreaterThan(0);
    } finally {
      await postgres.resumeReplay();
    }
    await untilUsed(name);
  });

  it('is not used while it lacks changed columns, a new name, or the end of the table', async () => {
    const [name, dropped] = [await createTable(), await createTable()];
    const renamed = unique('Renamed');
    await postgres.pauseReplay();
    try {
      await tables.bulk('assets', { name, columns: [text('Site')], items: [{ ...itemAt(0), site: 'Hall 1' }] });
      expect((await tables.read('assets', name, { limit: 1 })).body.data.items[0].site).toBe('Hall 1');
      expect((await tables.read('assets', name, { 'filter[site]': 'Hall 1' })).body.data.items).toHaveLength(1);
      expect((await tables.drop('assets', dropped)).status).toBe(200);
      expect((await tables.read('assets', dropped)).status).toBe(404);
      expect((await tables.edit('assets', name, { name: renamed })).status).toBe(200);
      expect((await tables.read('assets', renamed)).body.data.table.name).toBe(renamed);
    } finally {
      await postgres.resumeReplay();
    }
    await untilUsed(renamed);
  });

  it('shows callers their own writes while many write, on another instance', async () => {
    const name = await createTable();
    const settings = { DATABASE_READ_URL: postgres.replica.url };
    const other = await TestService.start(postgres.primary, settings);
    const reader = new Tables(new Api(other.baseUrl, tables.api.headers), tables.workspaceId);
    await reader.read('assets', name);
    const write = async (writer: number) => {
      for (let round = 1; round <= 25; round++) {
        const item = { key: `writer ${writer}`, name: `Round ${round}`, weight: round };
        await tables.bulk('assets', { name, items: [item] });
        const { body } = await reader.read('assets', name, { 'filter[key]': item.key });
        expect(body.data.items).toEqual([item]);
      }
    };
    try {
      await Promise.all(manyRows(6, write));
    } finally {
      await other.stop();
    }
  });

  it('may stop, freeze and return: reads continue with the primary', async () => {
    const name = await createTable();
    await postgres.replica.stop();
    for (let read = 0; read < 5; read++) expect((await tables.read('assets', name)).status).toBe(200);
    await until(() => service.output.join('').includes('DATABASE_READ_URL is not used'), Boolean);
    await postgres.replica.start();
    await untilUsed(name);

    postgres.replica.signal('SIGSTOP');
    try {
      const elapsed = measureElapsed();
      const answers = await Promise.all(manyRows(8, () => tables.read('assets', name)));
      expect(answers.map(({ status }) => status)).toEqual(manyRows(8, () => 200));
      // A busy machine delays timers.
      expect(elapsed()).toBeLessThan(6_500);
    } finally {
      postgres.replica.signal('SIGCONT');
    }
    await untilUsed(name);
    const errors = service.output
      .join('')
      .split('\n')
      .filter((line) => line.includes('"level":"error"'));
    // The frozen replica.
    expect(errors.filter((line) => !line.includes('has not responded'))).toEqual([]);
    expect(errors).not.toEqual([]);
  });

  it('is not used if it accepts writes', async () => {
    const name = await createTable();
    const wrong = await TestService.start(postgres.primary, { DATABASE_READ_URL: postgres.primary.url });
    try {
      const reader = new Tables(new Api(wrong.baseUrl, tables.api.headers), tables.workspaceId);
      await until(() => wrong.output.join('').includes('the server is not a replica'), Boolean);
      expect((await reader.read('assets', name)).status).toBe(200);
    } finally {
      await wrong.stop();
    }
  });
});
