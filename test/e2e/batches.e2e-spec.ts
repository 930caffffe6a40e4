import { Client } from 'pg';
import { randomUUID } from 'node:crypto';
import type { ApiResponse } from '../support/api.js';
import { lines, sendFile } from '../support/imports.js';
import type { Database } from '../support/database.js';
import { CLEANING, type SharedService, shareService } from '../support/shared-services.js';
import { TableAdministration } from '../support/table-administration.js';
import { column, keyAt, manyRows, Tables, text, unique } from '../support/tables.js';
import { until } from '../support/until.js';

let database: Database;
let service: SharedService;
let tables: Tables;
let userId: string;

beforeAll(async () => {
  ({ database, service } = await shareService(CLEANING));
  const credentials = await service.provision();
  ({ userId } = credentials);
  tables = Tables.of(service, credentials);
}, 60_000);

const COLUMNS = [text('Key'), text('Name'), column('Weight', 'number'), column('Parent', 'hierarchyParent')];

async function createTable(items: unknown[] = []): Promise<string> {
  const name = unique('Batch');
  expect((await tables.bulk('locations', { name, columns: COLUMNS, items })).status).toBe(201);
  return name;
}

const pathOf = (table: string) => `${tables.path}/locations/${encodeURIComponent(table)}`;
const bulk = (table: string, items: unknown[]) => tables.bulk('locations', { name: table, items });
const remove = (table: string, keys: string[]) => tables.api.post(`${pathOf(table)}/items/delete`, { keys });
const replace = (table: string, items: unknown[]) =>
  sendFile(tables, table, lines(items), { surface: 'locations', query: { mode: 'replace', maxDeletions: '100%' } });
const idOf = ({ body }: ApiResponse) => body.data.batchId as string;
const undo = (id: string, query = '') => tables.api.post(`${tables.path}/batches/${id}/undo${query}`);
const undoOf = async (answer: ApiResponse) => undo(idOf(answer));
const get = async (id: string) => (await tables.api.get(`${tables.path}/batches/${id}`)).body.data;
const rows = (table: string) => tables.rows('locations', table);
const counts = ({ body }: ApiResponse) => body.data.tables.map((table: any) => table.counts);

describe('a batch', () => {
  it('records who wrote what, and is listed', async () => {
    const table = await createTable([{ key: 'a' }]);
    const answer = await bulk(table, [{ key: 'a', name: 'x' }, { key: 'b' }]);
    const batch = await get(idOf(answer));
    expect(Object.keys(batch.tables[0])).toEqual(['id', 'entity', 'name', 'fromRevision', 'toRevision', 'counts']);
    expect(batch).toEqual({
      id: idOf(answer),
      source: 'bulk',
      tables: [
        {
          id: answer.body.data.tables[0].id,
          entity: 'location',
          name: table,
          fromRevision: 1,
          toRevision: 2,
          counts: { created: 1, updated: 1, deleted: 0 },
        },
      ],
      undoable: true,
      undoes: null,
      undoneBy: null,
      createdBy: userId,
      createdAt: expect.any(String),
    });
    const deleted = await remove(table, ['b']);
    const imported = await replace(table, [{ key: 'c' }]);
    const { items } = (await tables.api.get(`${tables.path}/batches?limit=2`)).body.data;
    expect(items.map(({ id, source }: any) => [id, source])).toEqual([
      [idOf(imported), 'import'],
      [idOf(deleted), 'delete'],
    ]);
    expect((await tables.api.get(`${tables.path}/batches/${randomUUID()}`)).status).toBe(404);
  });

  it('is not recorded for a dry run or a single row', async () => {
    const table = await createTable();
    const dry = await tables.bulk('locations', { name: table, items: [{ key: 'a' }] }, { dryRun: 'true' });
    expect(dry.body.data).not.toHaveProperty('batchId');
    const before = (await tables.api.get(`${tables.path}/batches?limit=1`)).body.data.items[0].id;
    await tables.api.put(`${pathOf(table)}/items/a`, {});
    expect((await tables.api.get(`${tables.path}/batches?limit=1`)).body.data.items[0].id).toBe(before);
  });
});

describe('undo', () => {
  it('restores changed and deleted rows, and deletes created ones', async () => {
    const first = [
      { key: 'a', name: 'A', weight: 0.1, parent: null },
      { key: 'b', name: 'B', weight: null, parent: 'a' },
      { key: 'c', name: 'Ü "quoted" \\ \n', weight: -1.5e-300, parent: 'b' },
    ];
    const table = await createTable(first);
    const answer = await replace(table, [{ key: 'a', name: 'new' }, { key: 'd' }]);
    expect(answer.body.data.totals).toMatchObject({ created: 1, updated: 1, deleted: 2 });
    const undone = await undoOf(answer);
    expect(undone).toMatchObject({ status: 200, body: { data: { undoes: idOf(answer), skipped: 0 } } });
    expect(counts(undone)).toEqual([{ created: 2, updated: 1, deleted: 1 }]);
    expect(await rows(table)).toEqual(first);
    const changes = (await tables.api.get(`${pathOf(table)}/changes?since=2`)).body.data.items;
    expect(changes.map(({ key, revision, deleted }: any) => [key, revision, deleted])).toEqual([
      ['a', 3, false],
      ['b', 3, false],
      ['c', 3, false],
      ['d', 3, true],
    ]);
    expect(await get(idOf(answer))).toMatchObject({ undoable: false, undoneBy: idOf(undone) });
    expect(await get(idOf(undone))).toMatchObject({ source: 'undo', undoes: idOf(answer), undoable: true });
    expect(await undoOf(answer)).toMatchObject({ status: 409, body: { error: 'already_undone' } });
  });

  it('can be undone', async () => {
    const table = await createTable([{ key: 'a', name: 'A' }, { key: 'b' }]);
    const answer = await replace(table, [{ key: 'a', name: 'new' }, { key: 'c' }]);
    const after = await rows(table);
    const undone = await undoOf(answer);
    const redone = await undoOf(undone);
    expect(await rows(table)).toEqual(after);
    await undoOf(redone);
    expect((await rows(table)).map(({ key, name }) => [key, name])).toEqual([
      ['a', 'A'],
      ['b', null],
    ]);
  });

  it('of several batches in reverse order restores the first state', async () => {
    const first = manyRows(50, (at) => ({ key: keyAt(at), name: 'first', weight: at, parent: null }));
    const table = await createTable(first);
    const batches = [
      await bulk(
        table,
        manyRows(30, (at) => ({ key: keyAt(at + 40), name: 'second' })),
      ),
      await remove(
        table,
        manyRows(25, (at) => keyAt(at * 2)),
      ),
      await bulk(
        table,
        manyRows(20, (at) => ({ key: keyAt(at), weight: 7 })),
      ),
      await replace(
        table,
        manyRows(10, (at) => ({ key: keyAt(at + 60), name: 'third' })),
      ),
      await bulk(
        table,
        manyRows(5, (at) => ({ key: keyAt(at), parent: keyAt(at + 1) })),
      ),
    ];
    for (const batch of batches.reverse()) expect((await undoOf(batch)).status).toBe(200);
    expect(await rows(table)).toEqual(first);
  });

  it('rejects rows that were changed since, or skips them', async () => {
    const table = await createTable(manyRows(5, (at) => ({ key: keyAt(at), name: 'first' })));
    const answer = await bulk(table, [
      ...manyRows(4, (at) => ({ key: keyAt(at), name: 'second' })),
      { key: 'n1' },
      { key: 'n2' },
    ]);
    await tables.api.patch(`${pathOf(table)}/items/${keyAt(0)}`, { name: 'third' });
    await bulk(table, [{ key: keyAt(1), weight: 1 }]);
    await tables.api.delete(`${pathOf(table)}/items/${keyAt(2)}`);
    await bulk(table, [{ key: 'n1', name: 'third' }]);
    const revision = await tables.revision('locations', table);
    const rejected = await undoOf(answer);
    expect(rejected).toMatchObject({ status: 409, body: { error: 'batch_conflict', details: { total: 4 } } });
    expect(rejected.body.details.errors.map(({ key }: any) => key)).toEqual([keyAt(0), keyAt(1), keyAt(2), 'n1']);
    expect(await tables.revision('locations', table)).toBe(revision);
    const skipped = await undo(idOf(answer), '?onConflict=skip');
    expect(skipped.body.data.skipped).toBe(4);
    expect((await rows(table)).map(({ key, name }) => [key, name])).toEqual([
      [keyAt(0), 'third'],
      [keyAt(1), 'second'],
      [keyAt(3), 'first'],
      [keyAt(4), 'first'],
      ['n1', 'third'],
    ]);
  });

  it('counts created rows that were deleted and created again as conflicts', async () => {
    const table = await createTable();
    const answer = await bulk(table, [{ key: 'a' }, { key: 'b' }]);
    await tables.api.delete(`${pathOf(table)}/items/a`);
    await tables.api.put(`${pathOf(table)}/items/a`, { name: 'again' });
    const rejected = await undoOf(answer);
    expect(rejected).toMatchObject({ status: 409, body: { details: { total: 1 } } });
    expect(rejected.body.message).toMatch(/^1 row was changed/);
    await undo(idOf(answer), '?onConflict=skip');
    expect((await rows(table)).map(({ key }) => key)).toEqual(['a']);
  });

  it('counts a row that it created again, and that was renamed since, as one conflict', async () => {
    const table = await createTable([{ key: 'a' }, { key: 'b' }]);
    await tables.api.delete(`${pathOf(table)}/items/a`);
    const answer = await bulk(table, [{ key: 'a', name: 'again' }]);
    await tables.api.post(`${pathOf(table)}/items/a/rename`, { key: 'c' });
    // Another row has the key now.
    await tables.api.post(`${pathOf(table)}/items/b/rename`, { key: 'a' });
    expect(await undoOf(answer)).toMatchObject({
      status: 409,
      body: { details: { total: 1, errors: [{ key: 'a' }] } },
    });
  });

  it('follows a change by a batch that was undone, but not a rename', async () => {
    const table = await createTable([
      { key: 'a', name: 'first' },
      { key: 'b', name: 'first' },
    ]);
    const answer = await bulk(table, [
      { key: 'a', name: 'second' },
      { key: 'b', name: 'second' },
    ]);
    await undoOf(await remove(table, ['a', 'b']));
    expect((await rows(table)).map(({ name }) => name)).toEqual(['second', 'second']);
    await tables.api.post(`${pathOf(table)}/items/b/rename`, { key: 'c' });
    expect(await undoOf(answer)).toMatchObject({
      status: 409,
      body: { details: { total: 1, errors: [{ key: 'b' }] } },
    });
    await undo(idOf(answer), '?onConflict=skip');
    expect((await rows(table)).map(({ key, name }) => [key, name])).toEqual([
      ['a', 'first'],
      ['c', 'second'],
    ]);
  });

  it('can be undone after later batches were undone, too', async () => {
    const table = await createTable([{ key: 'a', name: 'first' }, { key: 'gone' }]);
    const change = await bulk(table, [{ key: 'a', name: 'second' }, { key: 'new' }]);
    const removal = await remove(table, ['gone']);
    const states = [await rows(table)];
    const undone = [await undoOf(removal), await undoOf(change)];
    states.push(await rows(table));
    // Longer chains restore the states that both undos left.
    await undoOf(
      await bulk(table, [
        { key: 'a', name: 'third' },
        { key: 'new', name: 'third' },
        { key: 'gone', name: 'x' },
      ]),
    );
    await undoOf(await remove(table, ['a', 'gone']));
    expect(await rows(table)).toEqual(states[1]);
    for (const answer of undone.reverse()) expect(await undoOf(answer)).toMatchObject({ status: 200 });
    expect(await rows(table)).toEqual(states[0]);
  });

  describe.each(['Parent', 'Process'])('with a previous value of "%s" that would create a cycle', (name) => {
    const parent = name.toLowerCase();
    const columns = [text('Key'), column('Parent', 'hierarchyParent'), column('Process', 'hierarchyParent')];

    async function createConflict() {
      const table = unique('Cycle');
      const items = [
        { key: 'a', [parent]: 'b' },
        { key: 'b' },
        { key: 'c', [parent]: 'b' },
        { key: 'd', [parent]: 'c' },
      ];
      await tables.bulk('locations', { name: table, columns, items });
      const answer = await bulk(table, [
        { key: 'a', [parent]: null },
        { key: 'c', [parent]: null },
        { key: 'd', [parent]: null },
      ]);
      await bulk(table, [{ key: 'b', [parent]: 'a' }]);
      return { table, answer };
    }
    const parents = async (table: string) => (await rows(table)).map((row) => row[parent]);

    it('restores nothing, and lists the row with the column', async () => {
      const { table, answer } = await createConflict();
      const rejected = await undoOf(answer);
      expect(rejected).toMatchObject({ status: 409, body: { error: 'batch_conflict', details: { total: 1 } } });
      expect(rejected.body.details.errors).toMatchObject([{ key: 'a', column: parent, code: 'hierarchy_cycle' }]);
      expect(await parents(table)).toEqual([null, 'a', null, null]);
    });

    it('restores the other rows with onConflict=skip', async () => {
      const { table, answer } = await createConflict();
      expect(await undo(idOf(answer), '?onConflict=skip')).toMatchObject({
        status: 200,
        body: { data: { skipped: 1 } },
      });
      expect(await parents(table)).toEqual([null, 'a', 'b', 'c']);
    });
  });

  it('restores the rows of all tables of a request, or of none', async () => {
    const [one, two] = [await createTable([{ key: 'a' }]), await createTable([{ key: 'a' }])];
    const both = [one, two].map((name) => ({ name, items: [{ key: 'a', name: 'new' }] }));
    const answer = await tables.bulk('locations', both);
    await bulk(two, [{ key: 'a', name: 'newer' }]);
    expect((await undoOf(answer)).status).toBe(409);
    expect((await rows(one))[0]).toMatchObject({ name: 'new' });
    await tables.api.delete(`${pathOf(two)}?confirm=${encodeURIComponent(two)}`);
    expect(await undoOf(answer)).toMatchObject({ status: 409, body: { error: 'not_undoable' } });
    expect(await get(idOf(answer))).toMatchObject({ undoable: false });
  });

  it('restores the values of columns that still exist', async () => {
    const table = await createTable([{ key: 'a', name: 'A', weight: 1 }]);
    const answer = await bulk(table, [{ key: 'a', name: 'B', weight: 2 }]);
    await tables.api.delete(`${pathOf(table)}/columns/weight?confirm=weight`);
    await tables.bulk('locations', { name: table, columns: [text('More')], items: [] });
    expect((await undoOf(answer)).status).toBe(200);
    expect(await rows(table)).toEqual([{ key: 'a', name: 'A', parent: null, more: null }]);
  });

  it('is done once if several requests undo a batch, and never mixes with a concurrent bulk request', async () => {
    const table = await createTable(manyRows(200, (at) => ({ key: keyAt(at), name: 'first' })));
    const answer = await bulk(
      table,
      manyRows(200, (at) => ({ key: keyAt(at), name: 'second' })),
    );
    const answers = await Promise.all([
      ...manyRows(4, () => undoOf(answer)),
      bulk(
        table,
        manyRows(200, (at) => ({ key: keyAt(at), name: 'third' })),
      ),
    ]);
    const done = answers.slice(0, 4).filter(({ status }) => status === 200);
    expect(done.length).toBeLessThanOrEqual(1);
    for (const { status } of answers.slice(0, 4)) expect([200, 409]).toContain(status);
    expect(new Set((await rows(table)).map(({ name }) => name))).toEqual(new Set(['third']));
  });

  it('is not available to other workspaces', async () => {
    const answer = await bulk(await createTable(), [{ key: 'a' }]);
    const other = Tables.of(service, await service.provision());
    expect((await other.api.post(`${other.path}/batches/${idOf(answer)}/undo`)).status).toBe(404);
    expect((await other.api.post(`${tables.path}/batches/${idOf(answer)}/undo`)).status).toBe(404);
  });
});

describe('the cleanup', () => {
  afterAll(() => {
    expect(service.output.join('')).not.toMatch(/internal_error|unhandled|"level":"error"/i);
  });

  /** As if the batch had been written so many days ago, and everything before it, too. */
  const age = async ({ body }: ApiResponse, days: number) => {
    const { batchId, tables: written } = body.data as { batchId: string; tables: { id: string; revision: number }[] };
    const earlier = `at = at - interval '${days} days'`;
    for (const { id, revision } of written)
      await database.query(`UPDATE table_revisions SET ${earlier} WHERE table_id = $1 AND revision <= $2`, [
        id,
        revision,
      ]);
    await database.query(
      `UPDATE table_batches SET created_at = created_at - interval '${days} days' WHERE id <= $1 AND workspace_id = $2`,
      [batchId, tables.workspaceId],
    );
  };
  /** The former rows of a table, by the revision that has ended them. */
  const formerRows = async ({ body }: ApiResponse) => {
    const [schema, id] = [tables.workspaceId, body.data.tables[0].id as string].map((uuid) => uuid.replaceAll('-', ''));
    const stored = `SELECT _ended_revision::int AS ended, count(*)::int AS rows FROM ws_${schema}.h_${id} GROUP BY 1 ORDER BY 1`;
    return database.query<{ ended: number; rows: number }>(stored);
  };

  it('removes former rows that are too old in steps, in all tables of a batch', async () => {
    const first = manyRows(2_500, (at) => ({ key: keyAt(at), name: 'first' }));
    const [one, two] = [await createTable(first), await createTable([{ key: 'a' }])];
    const expired = await tables.bulk('locations', [
      { name: one, items: first.map(({ key }) => ({ key, name: 'second' })) },
      { name: two, items: [{ key: 'a', name: 'second' }] },
    ]);
    // Older than the history of its tables, but not than batches, which the cleanup removes after 30 days.
    for (const name of [one, two]) await tables.api.put(pathOf(name), { options: { historyDays: 7 } });
    await age(expired, 8);
    const recent = await bulk(one, [{ key: keyAt(0), name: 'third' }]);
    expect(await get(idOf(expired))).toMatchObject({ undoable: false });
    expect(await undoOf(expired)).toMatchObject({ status: 409, body: { error: 'not_undoable' } });
    await until(
      () => formerRows(recent),
      (rows) => rows.length === 1,
    );
    // The edit of the table has the third revision.
    expect(await formerRows(recent)).toEqual([{ ended: 4, rows: 1 }]);
    const last = await bulk(two, []);
    await until(
      () => formerRows(last),
      (rows) => rows.length === 0,
    );
    expect((await undoOf(recent)).status).toBe(200);
    expect((await rows(one))[0]).toMatchObject({ key: keyAt(0), name: 'second' });
  });

  it('continues after former rows that another instance removes at the same time', async () => {
    const first = manyRows(2_500, (at) => ({ key: keyAt(at), name: 'first' }));
    const table = await createTable(first);
    const items = first.map(({ key }) => ({ key, name: 'second' }));
    const expired = await bulk(table, items);
    const former = `ws_${tables.workspaceId}.h_${expired.body.data.tables[0].id as string}`.replaceAll('-', '');
    const other = new Client(database.url);
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query(`DELETE FROM ${former} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${former} LIMIT 1000))`);
      await age(expired, 31);
      const waits = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${former}%'`;
      await until(
        () => database.query(waits),
        (waiting) => waiting.length > 0,
      );
      await other.query('COMMIT');
    } finally {
      await other.end();
    }
    await until(
      () => formerRows(expired),
      (rows) => rows.length === 0,
    );
  });

  it('leaves the last revision, so that reads as of a later time continue to work', async () => {
    const table = await createTable([{ key: 'a', name: 'first' }]);
    const last = await bulk(table, [{ key: 'a', name: 'second' }]);
    await age(last, 40);
    await until(
      () => formerRows(last),
      (rows) => rows.length === 0,
    );
    const since = async () => (await tables.api.get(pathOf(table))).body.data.history.since as number;
    const asOf = async (days: number) => {
      const moment = new Date(Date.now() - days * 86_400_000).toISOString();
      return (await tables.api.get(`${pathOf(table)}/items?asOf=${moment}`)).body;
    };
    const revisions = `SELECT revision::int FROM table_revisions WHERE table_id = $1`;
    await until(
      () => database.query<{ revision: number }>(revisions, [last.body.data.tables[0].id]),
      (rows) => rows.length === 1,
    );
    expect(await since()).toBe(2);
    for (const days of [1, 35]) expect((await asOf(days)).data.items).toMatchObject([{ key: 'a', name: 'second' }]);
    expect((await asOf(45)).error).toBe('history_expired');
  });

  it('stores the former rows of a table for its `historyDays`', async () => {
    const [long, short, none] = [await createTable(), await createTable(), await createTable()];
    const days = { [long]: 400, [short]: 1, [none]: 0 };
    for (const [name, historyDays] of Object.entries(days))
      expect((await TableAdministration.for(tables).edit('locations', name, { options: { historyDays } })).status).toBe(
        200,
      );
    await bulk(none, [{ key: 'a', name: 'first' }]);
    const changed = await bulk(none, [{ key: 'a', name: 'second' }]);
    expect(await formerRows(changed)).toEqual([]);
    expect(await undoOf(changed)).toMatchObject({ status: 409, body: { error: 'not_undoable' } });
    for (const [name, ageDays] of [
      [long, 100],
      // The cleanup removes batches without former rows after 30 days.
      [short, 8],
    ] as const) {
      await bulk(name, [{ key: 'a', name: 'first' }]);
      const second = await bulk(name, [{ key: 'a', name: 'second' }]);
      await age(second, ageDays);
      expect((await get(idOf(second))).undoable).toBe(name === long);
      expect((await undoOf(second)).status).toBe(name === long ? 200 : 409);
    }
  });

  it('ends for batches whose tables were dropped', async () => {
    const [one, two] = [await createTable([{ key: 'a' }]), await createTable([{ key: 'a' }])];
    const both = [one, two].map((name) => ({ name, items: [{ key: 'a', name: 'new' }] }));
    const answer = await tables.bulk('locations', both);
    await age(answer, 31);
    const remaining = await bulk(two, [{ key: 'a', name: 'newer' }]);
    await tables.api.delete(`${pathOf(one)}?confirm=${encodeURIComponent(one)}`);
    await until(
      () => formerRows(remaining),
      (rows) => rows.length === 1,
    );
    expect(await formerRows(remaining)).toEqual([{ ended: 3, rows: 1 }]);
    await until(async () => (await tables.api.get(`${tables.path}/batches/${idOf(answer)}`)).status === 404);
  });
});
