import type { ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { ACTIVITY, type Database } from '../support/database.js';
import { type SharedService, shareServices } from '../support/shared-services.js';
import { column, type Item, keyAt, manyRows, Tables, text, unique } from '../support/tables.js';
import { until } from '../support/until.js';

const WRITERS = 8;

let credentials: Credentials;
let database: Database;
let deadlocksBefore: number;
/** Two instances of the service on one database. */
let services: SharedService[] = [];
/** One caller per writer, alternately on the two instances. */
let writers: Tables[];

beforeAll(async () => {
  ({ database, services } = await shareServices(2));
  deadlocksBefore = await database.deadlocks();
  credentials = await services[0]!.provision();
  writers = manyRows(WRITERS, (position) => Tables.of(services[position % 2]!, credentials));
}, 60_000);

afterAll(async () => {
  for (const service of services)
    expect(service.output.join('')).not.toMatch(/internal_error|deadlock|40P01|Unhandled|uncaught/i);
  expect(await database.deadlocks()).toBe(deadlocksBefore);
});

const COLUMNS = [
  text('Key'),
  ...manyRows(WRITERS, (writer) => column(`W${writer}`, 'number')),
  column('Parent', 'hierarchyParent'),
  column('Other', 'reference', { options: { target: { entity: 'asset', table: 'nowhere' } } }),
];

async function createTable(items: unknown[] = []): Promise<string> {
  const name = unique('Rows');
  expect((await writers[0]!.bulk('lists', { name, columns: COLUMNS, items })).status).toBe(201);
  return name;
}

/** Sends a request for one row. */
function send(
  writer: number,
  table: string,
  method: string,
  key: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const { api, path } = writers[writer % WRITERS]!;
  return api.send(`${path}/lists/${encodeURIComponent(table)}/items/${encodeURIComponent(key)}`, {
    method,
    body,
    headers,
  });
}

const statusesOf = (answers: ApiResponse[]) => answers.map(({ status }) => status);
const tableRevisionsOf = (answers: ApiResponse[]) =>
  answers.map(({ body }) => body.data.table.revision as number).sort((a, b) => a - b);

describe('concurrent writes of single rows on two instances', () => {
  /** The revisions follow each other without a gap; rows that were written together share one. */
  const expectRevisions = (revisions: number[], from: number) => {
    const distinct = [...new Set(revisions)];
    expect(distinct).toEqual(manyRows(distinct.length, (position) => position + from));
    return distinct.at(-1)!;
  };

  it('each row has the revision of its write, and the change feed contains all', async () => {
    const table = await createTable(manyRows(40, (row) => ({ key: keyAt(row) })));
    const created = await Promise.all(manyRows(80, (row) => send(row, table, 'PUT', `n${row}`, { w0: row })));
    expect(statusesOf(created)).toEqual(manyRows(80, () => 201));
    const last = expectRevisions(tableRevisionsOf(created), 2);
    for (const { body } of created) expect(body.data.revision).toBe(body.data.table.revision);
    const changed = await Promise.all([
      ...manyRows(20, (row) => send(row, table, 'PATCH', keyAt(row), { w1: row })),
      ...manyRows(20, (row) => send(row, table, 'DELETE', keyAt(20 + row))),
    ]);
    expect(statusesOf(changed)).toEqual(manyRows(40, () => 200));
    expectRevisions(tableRevisionsOf(changed), last + 1);
    const { api, path } = writers[0]!;
    const feed = await api.get(`${path}/lists/${encodeURIComponent(table)}/changes?since=1&limit=1000`);
    const changes = feed.body.data.items as { revision: number; key: string; deleted: boolean }[];
    expect(changes.map(({ revision }) => revision)).toEqual(
      tableRevisionsOf([...created, ...changed]).filter((revision) => revision > 1),
    );
    const deletedKeys = changes.filter(({ deleted }) => deleted).map(({ key }) => key);
    expect(deletedKeys.sort()).toEqual(manyRows(20, (row) => keyAt(20 + row)));
  });

  it('changes of different columns of one row are all stored', async () => {
    const table = await createTable([{ key: 'a' }]);
    for (let round = 1; round <= 5; round++) {
      const answers = await Promise.all(
        manyRows(WRITERS, (writer) => send(writer, table, 'PATCH', 'a', { [`w${writer}`]: round })),
      );
      expect(statusesOf(answers)).toEqual(manyRows(WRITERS, () => 200));
      const all = Object.fromEntries(manyRows(WRITERS, (writer) => [`w${writer}`, round]));
      expect(await writers[0]!.rows('lists', table)).toEqual([{ key: 'a', ...all, parent: null, other: null }]);
    }
    expect(await writers[0]!.revision('lists', table)).toBe(1 + 5 * WRITERS);
  });

  it('increments with If-Match are not lost', async () => {
    const table = await createTable([{ key: 'a', w0: 0 }]);
    await Promise.all(
      manyRows(4, async (writer) => {
        for (let done = 0; done < 5;) {
          const read = await send(writer, table, 'GET', 'a');
          const body = { w0: (read.body.data.item as Item)['w0'] as number };
          const headers = { 'If-Match': read.headers.get('etag')! };
          const answer = await send(writer, table, done % 2 ? 'PUT' : 'PATCH', 'a', { w0: body.w0 + 1 }, headers);
          expect([200, 412]).toContain(answer.status);
          if (answer.status === 200) done++;
        }
      }),
    );
    expect((await send(0, table, 'GET', 'a')).body.data.item).toMatchObject({ w0: 20 });
  });

  it('one of several creates a row, and each receives the row as it stored it', async () => {
    const table = await createTable();
    for (let round = 0; round < 5; round++) {
      const key = `k${round}`;
      const answers = await Promise.all(manyRows(WRITERS, (writer) => send(writer, table, 'PUT', key, { w0: writer })));
      expect(statusesOf(answers).sort()).toEqual([...manyRows(WRITERS - 1, () => 200), 201]);
      answers.forEach(({ body }, writer) => {
        expect(body.data.item).toMatchObject({ key, w0: writer });
      });
      const last = answers.toSorted((a, b) => b.body.data.revision - a.body.data.revision)[0]!;
      expect((await send(0, table, 'GET', key)).body.data.item).toEqual(last.body.data.item);
    }
  });

  it('two changes that create a cycle only together do not both succeed', async () => {
    const table = await createTable([{ key: 'a' }, { key: 'b' }]);
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all([
        send(round, table, 'PATCH', 'a', { parent: 'b' }),
        send(round + 1, table, 'PATCH', 'b', { parent: 'a' }),
      ]);
      expect(statusesOf(answers).sort()).toEqual([200, 422]);
      for (const key of ['a', 'b']) expect((await send(0, table, 'PATCH', key, { parent: null })).status).toBe(200);
    }
  });

  it('an invalid row does not affect the others', async () => {
    const table = await createTable([{ key: 'a' }, { key: 'b' }]);
    const bodies = manyRows(24, (row) => [{ w0: row }, { w0: 'heavy' }, { colour: 'red' }][row % 3]!);
    const answers = await Promise.all(bodies.map((body, row) => send(row, table, 'PUT', `k${row}`, body)));
    expect(statusesOf(answers)).toEqual(manyRows(24, (row) => (row % 3 ? 422 : 201)));
    answers.forEach(({ status, body }, row) => {
      const code = row % 3 === 1 ? 'type_mismatch' : 'unknown_column';
      if (status === 422) expect(body.details.errors).toMatchObject([{ key: `k${row}`, code }]);
    });
    expect(await writers[0]!.rows('lists', table)).toHaveLength(10);
    const conditions = await Promise.all([
      ...manyRows(6, (row) => send(row, table, 'PUT', 'a', { w1: row + 1 }, { 'If-Match': '"1"' })),
      ...manyRows(6, (row) => send(row, table, 'DELETE', 'b', undefined, { 'If-Match': '"1"' })),
      ...manyRows(6, (row) => send(row, table, 'PUT', 'c', { w1: row + 1 }, { 'If-None-Match': '*' })),
    ]);
    const sorted = [0, 6, 12].map((from) => statusesOf(conditions.slice(from, from + 6)).sort());
    expect(sorted[0]).toEqual([200, 412, 412, 412, 412, 412]);
    expect(sorted[1]).toEqual([200, 404, 404, 404, 404, 404]);
    expect(sorted[2]).toEqual([201, 412, 412, 412, 412, 412]);
  });

  it('writes succeed while columns are added and dropped', async () => {
    const table = await createTable();
    let changing = true;
    let written = 0;
    const writing = manyRows(4, async (writer) => {
      for (let row = 0; changing; row++) {
        const key = `${writer}-${row}`;
        const put = await send(writer, table, 'PUT', key, { [`w${writer}`]: row });
        expect([put.status, put.body.error]).toEqual([201, undefined]);
        const patch = await send(writer + 1, table, 'PATCH', key, { w7: row });
        expect([patch.status, patch.body.error]).toEqual([200, undefined]);
        written++;
      }
    });
    const { api, path } = writers[4]!;
    const change = async () => {
      for (let round = 0; round < 4; round++) {
        const columns = [text(`Added ${round}`)];
        expect(await writers[5]!.bulk('lists', { name: table, columns, items: [] })).toMatchObject({ status: 200 });
        await untilWritten();
        const dropped = await api.delete(
          `${path}/lists/${encodeURIComponent(table)}/columns/added_${round}?confirm=added_${round}`,
        );
        expect(dropped).toMatchObject({ status: 200 });
        await untilWritten();
      }
    };
    const untilWritten = () => {
      const before = written;
      return Promise.race([until(() => Promise.resolve(written > before)), ...writing]);
    };
    await change().finally(() => (changing = false));
    await Promise.all(writing);
    const rows = await writers[0]!.rows('lists', table);
    expect(rows).toHaveLength(written);
    for (const row of rows) expect(row['w7']).not.toBeNull();
  });

  it('a write waits for the transaction that has the lock of the table', async () => {
    const table = await createTable([{ key: 'a' }, { key: 'b' }]);
    const release = await database.lockTables(credentials);
    const requests = [
      send(0, table, 'PUT', 'c', { w0: 1 }),
      send(1, table, 'PATCH', 'a', { w0: 1 }),
      send(0, table, 'DELETE', 'b'),
      send(1, table, 'PUT', 'd', { parent: 'a' }),
    ];
    const waiting = () =>
      database.query(
        `SELECT 1 FROM ${ACTIVITY} WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%workspace_tables%'`,
      );
    await until(async () => (await waiting()).length >= 2);
    expect(await writers[0]!.rows('lists', table)).toHaveLength(2);
    await release();
    const answers = await Promise.all(requests);
    expect(statusesOf(answers)).toEqual([201, 200, 200, 201]);
    expect(tableRevisionsOf(answers)).toEqual([2, 3, 4, 5]);
  });
});

it('a deleted row that is created again starts empty', async () => {
  const table = await createTable([{ key: 'a', w0: 1, w1: 1 }]);
  expect((await send(0, table, 'DELETE', 'a')).status).toBe(200);
  expect((await send(0, table, 'PATCH', 'a', { w0: 2 })).status).toBe(404);
  const created = await send(0, table, 'PUT', 'a', { w0: 3 });
  expect(created).toMatchObject({ status: 201, body: { data: { item: { key: 'a', w0: 3, w1: null }, revision: 3 } } });
  expect(created.body.data.createdAt).toBe(created.body.data.updatedAt);
  await send(0, table, 'DELETE', 'a');
  expect((await send(0, table, 'PUT', 'a', {}, { 'If-None-Match': '*' })).status).toBe(201);
});

it('references of a row without a target are listed, except to the row itself', async () => {
  const name = unique('Own');
  const columns = [
    text('Key'),
    column('Parent', 'hierarchyParent'),
    column('Own', 'reference', { options: { target: { entity: 'list', table: name } } }),
    column('Another', 'reference', { options: { target: { entity: 'list', table: unique('Another') } } }),
    column('Location', 'reference'),
  ];
  await writers[0]!.bulk('lists', { name, columns, items: [] });
  const row = { parent: 'p', own: 'a', another: 'a', location: 'a' };
  const answer = await send(0, name, 'PUT', 'a', row);
  expect(answer.status).toBe(201);
  expect(answer.body.data.unresolved).toHaveLength(3);
  expect(answer.body.data.unresolved).toEqual(
    expect.arrayContaining([
      { column: 'parent', value: 'p' },
      { column: 'another', value: 'a' },
      { column: 'location', value: 'a' },
    ]),
  );
  const changed = await send(0, name, 'PATCH', 'a', { parent: null, location: 'b' });
  // Those of the columns that were not sent are listed, too.
  const others = [
    { column: 'another', value: 'a' },
    { column: 'location', value: 'b' },
  ];
  expect(changed.body.data.unresolved).toEqual(others);
  // As are those of a row that did not change.
  const unchanged = await send(0, name, 'PATCH', 'a', { location: 'b' });
  expect(unchanged.body.data.unresolved).toEqual(others);
});
