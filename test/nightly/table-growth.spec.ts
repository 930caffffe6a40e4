import type { Credentials } from '../support/credentials.js';
import { sendFile } from '../support/imports.js';
import { TestDatabase, TestService } from '../support/service.js';
import { keyAt, manyRows, Tables, text } from '../support/tables.js';
import { until } from '../support/until.js';

/**
 * The work of reads by the size of a table, in rows that PostgreSQL reads: times depend on the machine.
 */

let database: TestDatabase;
let credentials: Credentials;

beforeAll(async () => {
  database = await TestDatabase.create();
  await withTables(() => Promise.resolve());
}, 60_000);

afterAll(() => database?.drop());

/** Requests to a service of their own: PostgreSQL counts what its connections have read when they end. */
async function withTables(run: (tables: Tables) => Promise<unknown>, env: Record<string, string> = {}): Promise<void> {
  const service = await TestService.start(database, env);
  try {
    credentials ??= await service.provision();
    await run(Tables.of(service, credentials));
  } finally {
    await service.stop();
    const connections = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
    await until(
      () => database.query(connections),
      ({ length }) => length === 0,
    );
  }
}

/** Rows of all workspace tables that the requests read. */
async function countRead(run: (tables: Tables) => Promise<unknown>): Promise<number> {
  const before = await readCount();
  await withTables(run);
  return (await readCount()) - before;
}

async function readCount(): Promise<number> {
  const [count] = await database.query<{ rows: number }>(
    `SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::float8 AS rows FROM pg_stat_all_tables WHERE schemaname LIKE 'ws\\_%'`,
  );
  return count!.rows;
}

/** Rows of all workspace tables that were changed. */
async function countWritten(): Promise<number> {
  const [count] = await database.query<{ rows: number }>(
    `SELECT coalesce(sum(n_tup_upd), 0)::float8 AS rows FROM pg_stat_all_tables WHERE schemaname LIKE 'ws\\_%'`,
  );
  return count!.rows;
}

const COLUMNS = [text('Key', { primaryKey: true }), text('Name')];

describe('the change feed after one batch', () => {
  const ROWS = 8_000;
  const PAGE = 500;

  beforeAll(async () => {
    const items = manyRows(ROWS, (at) => ({ key: keyAt(at), name: 'Pump' }));
    await withTables((tables) => tables.bulk('assets', { name: 'Feed', columns: COLUMNS, items }));
  }, 60_000);

  it('reads each row once for all pages', async () => {
    let listed = 0;
    const read = await countRead(async (tables) => {
      let cursor: string | null = '';
      while (cursor !== null) {
        const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const { body } = await tables.api.get(`${tables.path}/assets/Feed/changes?since=0&limit=${PAGE}${after}`);
        listed += body.data.items.length as number;
        cursor = body.data.nextCursor as string | null;
      }
    });
    expect(listed).toBe(ROWS);
    // One row more per page shows whether another page follows.
    expect(read).toBeLessThanOrEqual(ROWS + ROWS / PAGE);
  }, 60_000);

  it('reads one row for one change', async () => {
    const read = await countRead(async (tables) => {
      const { body } = await tables.bulk('assets', { name: 'Feed', items: [{ key: keyAt(1), name: 'Fan' }] });
      const since = body.data.revision - 1;
      const changes = await tables.api.get(`${tables.path}/assets/Feed/changes?since=${since}&limit=100`);
      expect(changes.body.data.items).toMatchObject([{ key: keyAt(1) }]);
    });
    expect(read).toBeLessThan(10);
  }, 60_000);
});

it('a rename writes each referring row once, however many columns name the key', async () => {
  const ROWS = 200;
  const names = Array.from({ length: 40 }, (_, at) => `c${at}`);
  const columns = [text('Key', { primaryKey: true }), ...names.map((name) => ({ key: name, name, type: 'reference' }))];
  const items = manyRows(ROWS, (at) => ({ key: keyAt(at), ...Object.fromEntries(names.map((name) => [name, 'L'])) }));
  await withTables(async (tables) => {
    await tables.bulk('locations', {
      name: 'Sites',
      columns: [text('Key', { primaryKey: true })],
      items: [{ key: 'L' }],
    });
    await tables.bulk('assets', { name: 'Referring', columns, items });
  });
  const before = await countWritten();
  await withTables(async (tables) => {
    const { body } = await tables.api.post(`${tables.path}/locations/Sites/items/L/rename`, { key: 'M' });
    expect(body.data.changed).toEqual({ children: 0, references: ROWS * names.length, ambiguous: 0 });
    const page = await tables.read('assets', 'Referring', { limit: 1 });
    expect(page.body.data.items).toEqual([{ key: keyAt(0), ...Object.fromEntries(names.map((name) => [name, 'M'])) }]);
  });
  // The rows, and the row that was renamed.
  expect((await countWritten()) - before).toBe(ROWS + 1);
}, 60_000);

it('a row of the greatest number of columns is stored, changed and restored, whatever its values are', async () => {
  const COUNT = 300;
  const kinds = {
    // The longest text that PostgreSQL does not store outside of the row, and a text that it stores there.
    inline: ['text', (at: number) => String(at).padEnd(23, 'x')],
    outside: ['text', (at: number) => String(at).padEnd(1_000, 'ä')],
    number: ['number', (at: number) => at + 0.5],
    mixed: ['mixed', (at: number) => (at % 2 === 0 ? true : at)],
  } as const;
  await withTables(
    async (tables) => {
      for (const [name, [type, valueOf]] of Object.entries(kinds)) {
        const typeOf = (at: number) => (type === 'mixed' ? (at % 2 === 0 ? 'checkbox' : 'number') : type);
        const others = Array.from({ length: COUNT - 1 }, (_, at) => ({
          key: `c${at}`,
          name: `C${at}`,
          type: typeOf(at),
        }));
        const row = Object.fromEntries(others.map(({ key }, at) => [key, valueOf(at)]));
        const columns = [text('Key', { primaryKey: true }), ...others];
        const created = await tables.bulk('assets', { name, columns, items: [{ key: 'A', ...row }] });
        expect(created.status).toBe(201);
        const file = `${JSON.stringify({ key: 'A', c1: null })}\n${JSON.stringify({ key: 'B', ...row })}\n`;
        const imported = await sendFile(tables, name, file);
        expect(imported.body.data.totals).toMatchObject({ created: 1, updated: 1 });
        const undone = await tables.api.post(`${tables.path}/batches/${imported.body.data.batchId}/undo`);
        expect(undone.status).toBe(200);
        expect((await tables.read('assets', name)).body.data.items).toEqual([{ key: 'A', ...row }]);
      }
    },
    { TABLE_MAX_COLUMNS: String(COUNT) },
  );
}, 120_000);

describe('the pages of a subtree that is most of its table', () => {
  const ROWS = 8_000;
  const PAGE = 500;
  const columns = [text('Key', { primaryKey: true }), { name: 'Parent', type: 'hierarchyParent' }];
  const parentOf = (at: number) => (at > 0 ? keyAt((at - 1) >> 3) : null);

  beforeAll(async () => {
    const items = manyRows(ROWS, (at) => ({ key: keyAt(at), parent: parentOf(at) }));
    await withTables((tables) => tables.bulk('assets', { name: 'Tree', columns, items }));
  }, 60_000);

  it('read each row, and those above it, once for all pages', async () => {
    let rows: unknown[] = [];
    const read = await countRead(async (tables) => {
      rows = await tables.rows('assets', 'Tree', { under: keyAt(0), limit: PAGE });
    });
    expect(rows).toEqual(manyRows(ROWS, (at) => ({ key: keyAt(at), parent: parentOf(at) })));
    const levels = Math.ceil(Math.log(ROWS) / Math.log(8)) + 1;
    // The first page also counts a part of the subtree.
    expect(read).toBeLessThanOrEqual(ROWS * levels);
  }, 60_000);

  it('are complete also if a part has very many levels', async () => {
    const LEVELS = 2_000;
    const items = manyRows(LEVELS, (at) => ({ key: `T${keyAt(at)}`, parent: at > 0 ? `T${keyAt(at - 1)}` : keyAt(1) }));
    await withTables(async (tables) => {
      await tables.bulk('assets', { name: 'Tree', items });
      const rows = await tables.rows('assets', 'Tree', { under: keyAt(0), limit: PAGE });
      expect(rows).toHaveLength(ROWS + LEVELS);
      expect(rows.at(-1)).toEqual(items.at(-1));
      expect(await tables.rows('assets', 'Tree', { under: keyAt(1), limit: 50, sort: '-key' })).toEqual(
        (await tables.rows('assets', 'Tree', { under: keyAt(1), limit: 5_000 })).toReversed(),
      );
    });
  }, 60_000);
});

describe('the first page after many deletions', () => {
  const DELETED = 8_000;
  const PAGE = 100;

  it('reads only its own rows', async () => {
    const items = manyRows(DELETED + PAGE, (at) => ({ key: keyAt(at), name: 'Pump' }));
    const keys = items.slice(0, DELETED).map(({ key }) => key);
    await withTables(async (tables) => {
      await tables.bulk('assets', { name: 'Deleted', columns: COLUMNS, items });
      const { body } = await tables.api.post(`${tables.path}/assets/Deleted/items/delete`, { keys });
      expect(body.data.totals.deleted).toBe(DELETED);
    });
    let found: unknown[] = [];
    const read = await countRead(async (tables) => {
      found = (await tables.read('assets', 'Deleted', { limit: PAGE })).body.data.items as unknown[];
    });
    expect(found).toEqual(items.slice(DELETED));
    expect(read).toBeLessThanOrEqual(PAGE + 1);
  }, 60_000);
});
