import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { OData } from '@odata/client';
import odataQuery from 'odata-query';
import { type Edmx, oData } from 'ts-odatajs';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase } from '../support/database.js';
import { ROOT, TestService } from '../support/service.js';
import { column, type Item, keyAt, manyRows, Tables, text } from '../support/tables.js';

/** Clients of OData that others wrote read a large table while it changes. */

/** With ODATA_ROWS=1000000 as many as docs/how-to/testing.md names. */
const ROWS = Number(process.env['ODATA_ROWS'] ?? 100_000);
const TIMEOUT_MS = 3 * ROWS;
const SET = 'assets_Pumps';

// The package is not an ES module: the function is the export of its export.
const buildQuery = (odataQuery as unknown as { default?: BuildQuery }).default ?? (odataQuery as unknown as BuildQuery);
type BuildQuery = (options: object) => string;

let database: TestDatabase;
let service: TestService;
let me: Credentials;
let tables: Tables;
let root: string;

const row = (at: number, weight = at): Item => ({ key: keyAt(at), name: `Pump ${at % 100}`, weight });

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await TestService.startPublic(database, { RATE_LIMIT_READ: 'off', RATE_LIMIT_WRITE: 'off' });
  me = await service.provision();
  tables = Tables.of(service, me);
  root = `${service.baseUrl}/odata/v4/${me.workspaceId}`;
  const columns = [text('Key'), text('Name'), column('Weight', 'number')];
  for (let start = 0; start < ROWS; start += 50_000) {
    const items = manyRows(50_000, (at) => row(start + at));
    expect((await tables.bulk('assets', { name: 'Pumps', columns, items })).status).toBeLessThan(300);
  }
}, TIMEOUT_MS);

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

/** Changes, creates and deletes rows until it is stopped. Rows whose keys end with 7 may be deleted at any time. */
class Writer {
  /** Keys of rows that did not exist all the time. */
  readonly unstable = new Set<string>();
  private stopped = false;
  private readonly work: Promise<void>;

  constructor(private round: number) {
    this.work = this.run();
  }

  /** @returns the number of rounds of changes */
  async stop(): Promise<number> {
    this.stopped = true;
    await this.work;
    return this.round;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const round = ++this.round;
      const changed = manyRows(50, (at) => row((round * 7919 + at * 1999) % ROWS, -round)).filter(
        ({ key }) => !this.isVolatile(String(key)),
      );
      const created = manyRows(5, (at) => ({ ...row(0), key: `${keyAt((round * 104_729 + at) % ROWS)}-${round}` }));
      const deleted = manyRows(5, (at) => keyAt(((round * 31 + at) % 10_000) * 10 + 7));
      for (const key of [...created.map((each) => each.key), ...deleted]) this.unstable.add(key);
      const written = await tables.bulk('assets', { name: 'Pumps', items: [...changed, ...created] });
      expect(written.status).toBeLessThan(300);
      const removed = await tables.api.post(`${tables.path}/assets/Pumps/items/delete`, { keys: deleted });
      expect([200, 207]).toContain(removed.status);
    }
  }

  private isVolatile(key: string): boolean {
    return key.endsWith('7');
  }
}

/** Every row that existed all the time was read, and none twice. */
function expectEachOnce(read: readonly string[], unstable: ReadonlySet<string>, existing: readonly string[]): void {
  const keys = new Set(read);
  expect(read.length - keys.size).toBe(0);
  expect(existing.filter((key) => !keys.has(key) && !unstable.has(key))).toEqual([]);
}

const listKeys = async () => (await tables.rows('assets', 'Pumps', { fields: 'key' })).map(({ key }) => String(key));

it(
  'the client @odata/client reads each row once while rows change',
  async () => {
    const client = OData.New4({
      serviceEndpoint: `${root}/`,
      credential: { username: 'reader', password: me.apiKey },
    });
    const existing = await listKeys();
    const writer = new Writer(1_000);
    const read: string[] = [];
    const first: any = await client.newRequest({ collection: SET, params: client.newOptions().orderby('key') });
    for (let page = first; page;) {
      read.push(...(page.value as { key: string }[]).map(({ key }) => key));
      const link = page['@odata.nextLink'] as string | undefined;
      if (!link) break;
      const next = await fetch(link, { headers: { authorization: `Basic ${btoa(`reader:${me.apiKey}`)}` } });
      page = await next.json();
    }
    expect(await writer.stop()).toBeGreaterThan(1_001);
    expectEachOnce(read, writer.unstable, existing);

    const filter = client
      .newFilter()
      .property('weight')
      .ge(ROWS - 10)
      .property('name')
      .ne('Pump 1');
    const found: any = await client.newRequest({
      collection: SET,
      params: client.newOptions().filter(filter).select('key').top(3),
    });
    expect(found.value).toHaveLength(3);
  },
  TIMEOUT_MS,
);

it(
  'queries of odata-query select, sort and count the rows that they mean',
  async () => {
    const query = buildQuery({
      filter: {
        and: [{ name: { in: ['Pump 1', "Pump '2'"] } }, { or: [{ weight: { ge: 0, lt: 1_000 } }, { key: keyAt(5) }] }],
      },
      orderBy: ['weight desc'],
      select: ['key', 'weight'],
      top: 4,
      count: true,
    });
    const response = await fetch(`${root}/${SET}${query}`, { headers: { 'x-api-key': me.apiKey } });
    const body = (await response.json()) as { '@odata.count': number; value: Item[] };
    expect(response.status).toBe(200);
    const matching = (await tables.rows('assets', 'Pumps')).filter(
      ({ name, weight }) => name === 'Pump 1' && Number(weight) >= 0 && Number(weight) < 1_000,
    );
    const expected = matching.toSorted((a, b) => Number(b['weight']) - Number(a['weight']));
    expect([body['@odata.count'], body.value]).toEqual([
      matching.length,
      expected.slice(0, 4).map(({ key, weight }) => ({ key, weight })),
    ]);
  },
  TIMEOUT_MS,
);

/** Entities as the client of Apache Olingo returns them: with annotations. */
interface OlingoPage {
  value: Item[];
  '@odata.nextLink'?: string;
  '@odata.deltaLink'?: string;
}

/** Reads a URL with the client of Apache Olingo. */
function readWithOlingo<T>(
  url: string,
  { handler, metadata }: { handler?: typeof oData.metadataHandler; metadata?: Edmx.Edmx },
): Promise<T> {
  const headers = { Authorization: `Basic ${btoa(`reader:${me.apiKey}`)}`, Prefer: 'odata.track-changes' };
  return new Promise((resolve, reject) => {
    oData.read({ requestUri: url, headers }, resolve, reject, handler, undefined, metadata);
  });
}

it(
  'the client of Apache Olingo knows the types by $metadata, reads each row once, and follows the changes',
  async () => {
    const metadata = await readWithOlingo<Edmx.Edmx>(`${root}/$metadata`, { handler: oData.metadataHandler });
    const replica = new Map<string, Item>();
    const untyped: string[] = [];
    let read: string[] = [];
    /** @returns the delta link of the last page */
    const apply = async (start: string) => {
      read = [];
      for (let link = start; ;) {
        // With metadata, the client takes the members of deleted entities for properties, which have no type.
        const page: OlingoPage = await readWithOlingo(link, link.includes('$deltatoken') ? {} : { metadata });
        for (const entity of page.value) {
          const isDeleted = entity['reason'] === 'deleted';
          const key = isDeleted ? /'(.*)'/.exec(decodeURIComponent(String(entity['id'])))![1]! : String(entity['key']);
          read.push(key);
          if (isDeleted) replica.delete(key);
          else replica.set(key, { key, name: entity['name']!, weight: entity['weight']! });
          if (!link.includes('$deltatoken') && entity['weight@odata.type'] !== '#Double') untyped.push(key);
        }
        const next = page['@odata.nextLink'];
        if (next === undefined) return page['@odata.deltaLink']!;
        link = next;
      }
    };
    const existing = await listKeys();
    const writer = new Writer(3_000);
    let delta = await apply(`${root}/${SET}`);
    expectEachOnce(read, writer.unstable, existing);

    // Once while rows change, then without changes.
    delta = await apply(delta);
    expect(await writer.stop()).toBeGreaterThan(3_001);
    await apply(delta);
    expect(untyped).toEqual([]);
    const rows = await tables.rows('assets', 'Pumps');
    expect(replica.size).toBe(rows.length);
    expect(rows.filter((each) => JSON.stringify(each) !== JSON.stringify(replica.get(String(each['key']))))).toEqual(
      [],
    );
  },
  TIMEOUT_MS,
);

const PYTHON = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']).status === 0;
if (!PYTHON) console.warn('Skipped: the test with Python, because python3 is not installed.');

(PYTHON ? it : it.skip)(
  'a program in Python reads each row once, and follows the changes',
  async () => {
    const program = spawn('python3', [join(ROOT, 'test/support/odata-walk.py')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
    const readLine = async <T>() => JSON.parse((await lines.next()).value as string) as T;
    const existing = await listKeys();
    const writer = new Writer(2_000);
    program.stdin.write(`${[root, 'reader', me.apiKey, SET].join('\n')}\n`);
    const read = await readLine<string[]>();
    expectEachOnce(read, writer.unstable, existing);
    expect(read.length).toBeGreaterThan(0.9 * ROWS);

    // Once while rows change, then without changes.
    program.stdin.write('follow\n');
    await readLine();
    expect(await writer.stop()).toBeGreaterThan(2_001);
    program.stdin.write('follow\n');
    const replica = await readLine<Item[]>();
    const rows = await tables.rows('assets', 'Pumps');
    expect(replica.length).toBe(rows.length);
    const stored = new Map(rows.map((each) => [each['key'], each]));
    expect(replica.filter((each) => JSON.stringify(each) !== JSON.stringify(stored.get(each['key'])))).toEqual([]);
    program.stdin.end('\n');
  },
  TIMEOUT_MS,
);
