import { type SharedService, shareService } from '../support/shared-services.js';
import { column, keyAt, manyRows, Tables, text, unique } from '../support/tables.js';

let service: SharedService;
let tables: Tables;

beforeAll(async () => {
  ({ service } = await shareService());
  tables = Tables.of(service, await service.provision());
}, 60_000);

const COLUMNS = [text('Key'), text('Name'), column('Parent', 'hierarchyParent')];

async function createTable(count: number): Promise<string> {
  const name = unique('Rows');
  const items = manyRows(count, (position) => ({ key: keyAt(position), name: `Row ${position}` }));
  expect((await tables.bulk('locations', { name, columns: COLUMNS, items })).status).toBe(201);
  return name;
}

const pathOf = (table: string) => `${tables.path}/locations/${encodeURIComponent(table)}`;
const remove = (table: string, keys: unknown, query = '', headers = {}) =>
  tables.api.post(`${pathOf(table)}/items/delete${query}`, { keys }, headers);
const keysOf = async (table: string) => (await tables.rows('locations', table)).map((row) => row['key']);
const changes = async (table: string, since: number) =>
  (await tables.api.get(`${pathOf(table)}/changes?since=${since}`)).body.data.items as Record<string, unknown>[];

describe('deleting many rows', () => {
  it('deletes the rows with one revision, and counts keys without a row as missing', async () => {
    const table = await createTable(4);
    const answer = await remove(table, [keyAt(1), ` ${keyAt(3)} `, 'unknown'], '?return=items');
    expect(answer).toMatchObject({
      status: 200,
      body: {
        message: 'Deleted',
        data: {
          revision: 2,
          totals: { received: 3, deleted: 2, missing: 1, failed: 0 },
          summary: [],
          errors: [],
          table: { name: table, type: 'location', revision: 2 },
          items: [
            { index: 0, key: keyAt(1), status: 'deleted' },
            { index: 1, key: keyAt(3), status: 'deleted' },
            { index: 2, key: 'unknown', status: 'missing' },
          ],
        },
      },
    });
    expect(await keysOf(table)).toEqual([keyAt(0), keyAt(2)]);
    expect(await changes(table, 1)).toEqual([
      { revision: 2, key: keyAt(1), deleted: true, item: null },
      { revision: 2, key: keyAt(3), deleted: true, item: null },
    ]);
  });

  it('changes nothing, not even the revision, if no key has a row', async () => {
    const table = await createTable(1);
    expect((await remove(table, ['a', 'b'])).body.data).toMatchObject({
      revision: 1,
      totals: { received: 2, deleted: 0, missing: 2, failed: 0 },
    });
    expect((await remove(table, [])).body.data.totals.received).toBe(0);
    expect(await tables.revision('locations', table)).toBe(1);
  });

  it('rejects invalid keys and keys that occur twice, and deletes nothing', async () => {
    const table = await createTable(3);
    const answer = await remove(table, [keyAt(0), '', keyAt(1), `${keyAt(1)} `, { key: 1 }, 'x'.repeat(256)]);
    expect(answer).toMatchObject({ status: 422, body: { error: 'invalid_keys', details: { total: 5 } } });
    const { errors, summary } = answer.body.details;
    expect(errors.map(({ index, code, otherIndex }: any) => [index, code, otherIndex])).toEqual([
      [1, 'required_key', undefined],
      [2, 'duplicate_in_batch', 3],
      [3, 'duplicate_in_batch', 2],
      [4, 'type_mismatch', undefined],
      [5, 'type_mismatch', undefined],
    ]);
    expect(errors[1]).toEqual({
      type: 'location',
      table,
      index: 2,
      key: keyAt(1),
      column: 'key',
      code: 'duplicate_in_batch',
      message: expect.any(String),
      otherIndex: 3,
    });
    expect(summary).toEqual([
      { code: 'type_mismatch', column: 'key', count: 2 },
      { code: 'duplicate_in_batch', column: 'key', count: 2 },
      { code: 'required_key', column: 'key', count: 1 },
    ]);
    expect(await keysOf(table)).toHaveLength(3);
  });

  it('deletes the rows of the valid keys with onError=continue', async () => {
    const table = await createTable(3);
    const answer = await remove(table, [keyAt(0), '', keyAt(1), keyAt(1)], '?onError=continue&return=items');
    expect(answer).toMatchObject({
      status: 207,
      body: {
        message: '3 rows were not deleted',
        data: { totals: { received: 4, deleted: 1, missing: 0, failed: 3 } },
      },
    });
    expect(answer.body.data.items.map(({ status }: any) => status)).toEqual(['deleted', 'failed', 'failed', 'failed']);
    expect(answer.body.data.errors).toHaveLength(3);
    expect(await keysOf(table)).toEqual([keyAt(1), keyAt(2)]);
  });

  it('reports with dryRun=true, and deletes nothing', async () => {
    const table = await createTable(2);
    const answer = await remove(table, [keyAt(0), 'unknown'], '?dryRun=true');
    expect(answer).toMatchObject({
      status: 200,
      body: { message: 'Dry run: nothing was deleted', data: { revision: 2, totals: { deleted: 1, missing: 1 } } },
    });
    expect(await keysOf(table)).toHaveLength(2);
    expect(await tables.revision('locations', table)).toBe(1);
  });

  it('leaves references unresolved, and a row that is created again starts empty', async () => {
    const table = await createTable(1);
    await tables.bulk('locations', { name: table, items: [{ key: 'child', parent: keyAt(0) }] });
    await remove(table, [keyAt(0)]);
    const unresolved = await tables.api.get(`${pathOf(table)}/unresolved`);
    expect(unresolved.body.data.items).toMatchObject([{ key: 'child', column: 'parent', value: keyAt(0) }]);
    await tables.bulk('locations', { name: table, items: [{ key: keyAt(0) }] });
    expect(await tables.rows('locations', table)).toContainEqual({ key: keyAt(0), name: null, parent: null });
  });

  it('returns the first response to a repetition with the same Idempotency-Key', async () => {
    const table = await createTable(2);
    const headers = { 'Idempotency-Key': unique('delete').replace(' ', '-') };
    const first = await remove(table, [keyAt(0)], '', headers);
    const again = await remove(table, [keyAt(0)], '', headers);
    expect(again.body.data).toEqual(first.body.data);
    expect(again.body.data.totals.deleted).toBe(1);
    expect(await tables.revision('locations', table)).toBe(2);
  });

  it('limits the keys to those of a bulk request', async () => {
    const table = await createTable(1);
    const keys = manyRows(50_001, keyAt);
    expect(await remove(table, keys)).toMatchObject({
      status: 413,
      body: { error: 'too_many_keys', details: { limit: 50_000, actual: 50_001 } },
    });
    expect((await remove(table, keys.slice(0, 50_000))).body.data.totals).toEqual({
      received: 50_000,
      deleted: 1,
      missing: 49_999,
      failed: 0,
    });
  });

  it('rejects other bodies, unknown parameters and tables, and callers without access', async () => {
    const table = await createTable(1);
    expect((await remove(table, 'K')).status).toBe(400);
    expect((await remove(table, [keyAt(0)], '?force=true')).status).toBe(400);
    expect((await remove('unknown', ['K'])).status).toBe(404);
    const other = Tables.of(service, await service.provision());
    const answer = await other.api.post(`${pathOf(table)}/items/delete`, { keys: [keyAt(0)] });
    expect(answer.status).toBe(404);
    expect(await keysOf(table)).toHaveLength(1);
  });

  it('deletes each row once if several requests delete it at the same time', async () => {
    const table = await createTable(200);
    const keys = manyRows(200, keyAt);
    const answers = await Promise.all(manyRows(8, () => remove(table, keys)));
    const deleted = answers.map(({ body }) => body.data.totals.deleted as number);
    expect(deleted.toSorted((a, b) => b - a)).toEqual([200, 0, 0, 0, 0, 0, 0, 0]);
    expect(await tables.revision('locations', table)).toBe(2);
  });
});
