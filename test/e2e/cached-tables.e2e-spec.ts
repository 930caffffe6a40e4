import { shareServices } from '../support/shared-services.js';
import { type Item, Tables, text, unique } from '../support/tables.js';
import { until } from '../support/until.js';

/** Two instances: the reader has read the table before, and the writer changes its definition. */
let reader: Tables;
let writer: Tables;

beforeAll(async () => {
  const { services } = await shareServices(2);
  const me = await services[0]!.provision();
  [reader, writer] = services.map((service) => Tables.of(service, me)) as [Tables, Tables];
}, 60_000);

const COLUMNS = [text('Key'), text('Name')];

async function createTable(items: Item[] = [{ key: 'a', name: 'Pump' }]): Promise<{ name: string; id: string }> {
  const name = unique('Cached');
  expect((await writer.bulk('assets', { name, columns: COLUMNS, items })).status).toBe(201);
  await readRow(name, 'a');
  return { name, id: await readId(name) };
}

const readId = async (name: string) => (await writer.read('assets', name)).body.data.table.id as string;

const pathOf = (table: string) => `${reader.path}/assets/${encodeURIComponent(table)}`;
const confirmed = (table: string) => `${pathOf(table)}?confirm=${encodeURIComponent(table)}`;

async function readRow(table: string, key: string) {
  const { status, body } = await reader.api.get(`${pathOf(table)}/items/${key}`);
  return { status, item: body.data?.item as Item | undefined, table: body.data?.table as { name: string } | undefined };
}

async function readPage(table: string, query = {}) {
  const { status, body } = await reader.read('assets', table, query);
  return { status, items: body.data?.items as Item[] | undefined };
}

describe('reads of a table that another instance changes', () => {
  it('return the value of a column that was added, and accept its name', async () => {
    const { name } = await createTable();
    await writer.bulk('assets', { name, columns: [text('Color')], items: [{ key: 'a', name: 'Pump', color: 'red' }] });
    expect((await readRow(name, 'a')).item).toEqual({ key: 'a', name: 'Pump', color: 'red' });
    await writer.bulk('assets', { name, columns: [text('Size')], items: [{ key: 'a', name: 'Pump', size: 'XL' }] });
    expect(await readPage(name, { fields: 'size', sort: '-size' })).toEqual({
      status: 200,
      items: [{ key: 'a', size: 'XL' }],
    });
  });

  it('omit a column that was dropped, and reject its name', async () => {
    const { name } = await createTable();
    await readPage(name);
    expect((await writer.api.delete(`${pathOf(name)}/columns/name?confirm=name`)).status).toBe(200);
    expect((await readRow(name, 'a')).item).toEqual({ key: 'a' });
    expect((await readPage(name)).items).toEqual([{ key: 'a' }]);
    expect((await readPage(name, { sort: 'name' })).status).toBe(400);
  });

  it('return the rows of the table that has the name now', async () => {
    const { name, id } = await createTable();
    const renamed = unique('Renamed');
    expect((await writer.api.put(confirmed(name), { name: renamed })).status).toBe(200);
    expect((await readRow(name, 'a')).status).toBe(404);
    await writer.bulk('assets', { name, columns: COLUMNS, items: [{ key: 'a', name: 'Valve' }] });
    expect((await readRow(name, 'a')).item).toEqual({ key: 'a', name: 'Valve' });
    expect((await readPage(name)).items).toEqual([{ key: 'a', name: 'Valve' }]);
    expect(await readRow(id, 'a')).toMatchObject({ item: { name: 'Pump' }, table: { name: renamed } });
  });

  it('never return a deleted row, also not the first one of the table', async () => {
    for (let round = 0; round < 10; round++) {
      const items = ['a', 'b', 'c'].map((key) => ({ key, name: 'Pump' }));
      const { name } = await createTable(items);
      await readPage(name);
      const deleted = writer.api.delete(`${pathOf(name)}/items/b`);
      const before = await Promise.all(Array.from({ length: 5 }, () => readPage(name)));
      expect((await deleted).status).toBe(200);
      const [left, all] = [items.filter(({ key }) => key !== 'b'), items];
      for (const page of before) expect([left, all]).toContainEqual(page.items);
      expect((await readPage(name)).items).toEqual(left);
      expect((await readPage(name, { sort: '-name', count: 'exact' })).items).toEqual(left.toReversed());
    }
  });

  it('return 404 after the table was dropped, and the new rows after it was created again', async () => {
    const { name } = await createTable();
    await readPage(name);
    expect((await writer.api.delete(confirmed(name))).status).toBe(200);
    expect([(await readRow(name, 'a')).status, (await readPage(name)).status]).toEqual([404, 404]);
    await writer.bulk('assets', { name, columns: [text('Number')], items: [{ number: 'a' }] });
    expect((await readRow(name, 'a')).item).toEqual({ number: 'a' });
  });

  it('always return whole rows while columns are added', async () => {
    const ADDED = 12;
    const READERS = 4;
    const { name } = await createTable();
    let isWriting = true;
    const counts: number[] = [];
    const write = async () => {
      for (let at = 0; at < ADDED; at++) {
        const added = `Column ${at}`;
        const { status } = await writer.bulk('assets', {
          name,
          columns: [text(added)],
          items: [{ key: 'a', [`column_${at}`]: 'x' }],
        });
        expect(status).toBe(200);
        // At least one of the reads has begun after the write, also on a busy machine.
        const before = counts.length;
        await until(
          () => counts.length - before,
          (reads) => reads > READERS,
        );
      }
    };
    const read = async (get: () => Promise<Item>) => {
      let before = 0;
      while (isWriting) {
        const item = await get();
        const columns = Object.keys(item).length;
        // The value is written with its column: a row of an outdated definition would lack the last one.
        if (columns > 2) expect(item[`column_${columns - 3}`]).toBe('x');
        expect(columns).toBeGreaterThanOrEqual(before);
        before = columns;
        counts.push(columns);
      }
    };
    const getRow = async () => {
      const { status, body } = await reader.api.get(`${pathOf(name)}/items/a`);
      expect({ status, error: body.error }).toEqual({ status: 200 });
      return body.data.item as Item;
    };
    const getFromPage = async () => {
      const { status, body } = await reader.read('assets', name);
      expect({ status, error: body.error }).toEqual({ status: 200 });
      return body.data.items[0] as Item;
    };
    const writing = write().finally(() => (isWriting = false));
    await Promise.all([writing, read(getRow), read(getRow), read(getFromPage), read(getFromPage)]);
    expect(new Set(counts).size).toBeGreaterThan(2);
    expect(Object.keys(await getRow())).toHaveLength(2 + ADDED);
  });
});

describe('writes of single rows while another instance changes the table', () => {
  const put = (table: string, body: object, key = 'a') => reader.api.put(`${pathOf(table)}/items/${key}`, body);
  const remove = (table: string, key: string) => reader.api.delete(`${pathOf(table)}/items/${key}`);

  it('use the columns that the table has now', async () => {
    const { name } = await createTable();
    await writer.bulk('assets', { name, columns: [text('Color')], items: [{ key: 'a', name: 'Pump', color: 'red' }] });
    // PUT replaces the row, so it also empties the added column.
    const { status, body } = await put(name, { name: 'Fan' });
    expect([status, body.data.item]).toEqual([200, { key: 'a', name: 'Fan', color: null }]);
    expect((await writer.api.delete(`${pathOf(name)}/columns/name?confirm=name`)).status).toBe(200);
    expect((await put(name, { name: 'Fan' })).status).toBe(422);
    const patched = await reader.api.patch(`${pathOf(name)}/items/a`, { color: 'blue' });
    expect(patched.body.data.item).toEqual({ key: 'a', color: 'blue' });
  });

  it('change nothing in a table that has another name now', async () => {
    const { name, id } = await createTable();
    expect((await put(name, { name: 'Fan' })).status).toBe(200);
    expect((await writer.api.put(confirmed(name), { name: unique('Renamed') })).status).toBe(200);
    const before = await readRow(id, 'a');
    expect([(await put(name, { name: 'Other' })).status, (await remove(name, 'a')).status]).toEqual([404, 404]);
    expect(await readRow(id, 'a')).toEqual(before);
    expect((await put(id, { name: 'By ID' })).status).toBe(200);
    await writer.bulk('assets', { name, columns: COLUMNS, items: [{ key: 'b', name: 'Valve' }] });
    expect((await put(name, { name: 'New' })).status).toBe(201);
    expect((await readRow(id, 'a')).item).toEqual({ key: 'a', name: 'By ID' });
  });

  it('return 404 after the table was dropped, and write to the one that was created again', async () => {
    const { name } = await createTable();
    expect((await put(name, { name: 'Fan' })).status).toBe(200);
    expect((await writer.api.delete(confirmed(name))).status).toBe(200);
    expect([(await put(name, { name: 'Fan' })).status, (await remove(name, 'a')).status]).toEqual([404, 404]);
    await writer.bulk('assets', { name, columns: [text('Number')], items: [{ number: 'b' }] });
    expect((await put(name, {})).body.data.item).toEqual({ number: 'a' });
    expect((await remove(name, 'b')).status).toBe(200);
  });
});
