import fc from 'fast-check';
import type { Api } from '../support/api.js';
import type { Database } from '../support/database.js';
import { type SharedService, shareServices } from '../support/shared-services.js';
import { column, type Item, keyAt, manyRows, type Surface, Tables, text, unique } from '../support/tables.js';
import { PROPERTY_CASES } from '../support/property-cases.js';

const WRITERS = 8;

let database: Database;
let deadlocksBefore: number;
let services: SharedService[] = [];
/** One caller per writer, alternately on the two instances. */
let writers: Tables[];
let tables: Tables;
let api: Api;

beforeAll(async () => {
  ({ database, services } = await shareServices(2));
  deadlocksBefore = await database.deadlocks();
  const credentials = await services[0]!.provision();
  writers = manyRows(WRITERS, (position) => Tables.of(services[position % 2]!, credentials));
  tables = writers[0]!;
  api = tables.api;
}, 60_000);

afterAll(async () => {
  for (const service of services)
    expect(service.output.join('')).not.toMatch(/internal_error|deadlock|40P01|Unhandled|uncaught/i);
  expect(await database.deadlocks()).toBe(deadlocksBefore);
});

const pathOf = (surface: Surface, table: string, rest: string) =>
  `${tables.path}/${surface}/${encodeURIComponent(table)}/${rest}`;

describe('reading stored values by the type of their column', () => {
  const COLUMNS = [
    text('Key'),
    text('Text'),
    column('Number', 'number'),
    column('Date', 'date'),
    column('Check', 'checkbox'),
    column('Parent', 'hierarchyParent'),
    column('Ref', 'reference'),
    column('Tag', 'locationTag'),
    column('Space', 'space'),
    column('Status', 'tagStatus', { options: { choices: ['open', 'in progress', ''] } }),
  ];

  /** A value to send, and the value that must be returned. */
  type Cell = [sent: unknown, stored: Item[string]];
  const empty = fc.constant<Cell>([null, null]);
  const readable = fc.string({ unit: 'binary', maxLength: 40 }).filter((value) => !value.includes('\0'));
  const same = <T extends Item[string]>(value: fc.Arbitrary<T>) => value.map((each): Cell => [each, each]);
  const safe = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
  const decimal = fc
    .tuple(fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }), fc.integer({ min: -20, max: 0 }))
    .map(([digits, exponent]) => `${digits}e${exponent}`);
  const fraction = fc.double({ noNaN: true, noDefaultInfinity: true, min: -4e15, max: 4e15 });
  const day = fc.date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  });
  const iso = (date: Date) => date.toISOString();
  const shifted = (date: Date, minutes: number): string => {
    const local = iso(new Date(date.getTime() + minutes * 60_000)).replace('Z', '');
    const [hour, minute] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((each) =>
      String(each).padStart(2, '0'),
    );
    return `${local}${minutes < 0 ? '-' : '+'}${hour}:${minute}`;
  };
  const link = fc
    .stringMatching(/^[a-z0-9][a-z0-9 /.-]{0,20}[a-z0-9]$/)
    .map((value): Cell => [` ${value} `, `>${value}`.slice(1)]);
  const cells: Record<string, fc.Arbitrary<Cell>> = {
    text: fc.oneof(
      empty,
      same(readable),
      safe.map((n): Cell => [n, String(n)]),
      fc.boolean().map((b): Cell => [b, String(b)]),
    ),
    number: fc.oneof(
      empty,
      safe.map((n): Cell => [n, n === 0 ? 0 : n]),
      safe.map((n): Cell => [` ${n} `, n === 0 ? 0 : n]),
      fraction.map((n): Cell => [n, n === 0 ? 0 : n]),
      decimal.map((digits): Cell => [digits, Number(digits) === 0 ? 0 : Number(digits)]),
    ),
    date: fc.oneof(
      empty,
      day.map((date): Cell => [iso(date).slice(0, 10), iso(date).slice(0, 10)]),
      day.map((date): Cell => [iso(date).slice(0, 10).replaceAll('-', ''), iso(date).slice(0, 10)]),
      fc
        .tuple(day, fc.integer({ min: -720, max: 840 }))
        .map(([date, offset]): Cell => [shifted(date, offset), iso(date)]),
    ),
    check: fc.oneof(
      empty,
      fc.constantFrom<Cell>(...['1', 1, 'true', 'TRUE', 'yes', 'X', true].map((sent): Cell => [sent, true])),
      fc.constantFrom<Cell>(...['0', 0, 'false', 'No', '', false].map((sent): Cell => [sent, false])),
    ),
    // Keys of the batch are upper case and parents are lower case, so that there are no cycles.
    parent: fc.oneof(empty, link),
    ref: fc.oneof(empty, link),
    tag: fc.oneof(
      empty,
      same(readable),
      safe.map((n): Cell => [n, String(n)]),
    ),
    space: fc.oneof(
      empty,
      same(readable),
      safe.map((n): Cell => [n, String(n)]),
    ),
    status: same(fc.constantFrom('open', 'in progress', '', null)),
  };

  it('returns random rows unchanged, and upserting the returned rows changes nothing', async () => {
    const table = unique('Table');
    expect((await tables.bulk('assets', { name: table, columns: COLUMNS, items: [] })).status).toBe(201);
    const row = fc.record(cells);
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), fc.nat(), async (rows, seed) => {
        const keyed = rows.map((cellsOfRow, position) => ({
          key: `KEY-${seed}-${String(position).padStart(3, '0')}`,
          cells: cellsOfRow,
        }));
        const build = (side: 0 | 1) =>
          keyed.map(({ key, cells: each }) => ({
            key,
            ...Object.fromEntries(Object.entries(each).map(([name, cell]) => [name, cell[side]])),
          }));
        const answer = await tables.bulk('assets', { name: table, items: build(0) });
        expect({ status: answer.status, errors: answer.body.details }).toEqual({ status: 200, errors: undefined });
        const stored = new Map((await tables.rows('assets', table)).map((item) => [item['key'], item]));
        for (const item of build(1)) expect(stored.get(item.key)).toEqual(item);
        // The returned rows can be sent and equal the stored rows.
        const again = await tables.bulk('assets', { name: table, items: build(1) });
        expect(again.body.data.totals).toMatchObject({ unchanged: rows.length, updated: 0, created: 0 });
      }),
      { numRuns: PROPERTY_CASES, endOnFailure: true },
    );
  });
});

describe('sequential bulk requests', () => {
  const COLUMNS = [
    text('Key'),
    text('Name'),
    column('Weight', 'number'),
    column('Active', 'checkbox'),
    column('Parent', 'hierarchyParent'),
  ];
  const key = fc.integer({ min: 0, max: 11 }).map((number) => `k${number}`);
  const row = fc.record(
    {
      key,
      name: fc.option(fc.constantFrom('a', 'b', '', 'Ä')),
      weight: fc.option(fc.constantFrom(0, 1, 2.5)),
      active: fc.option(fc.boolean()),
      // Parents have lower numbers, so there are no cycles.
      parent: fc.option(fc.constantFrom('', 'gone')),
    },
    { requiredKeys: ['key'] },
  );
  type Row = Record<string, Item[string]> & { key: string };
  const batch = fc.uniqueArray(row as unknown as fc.Arbitrary<Row>, { selector: (each) => each.key, maxLength: 12 });
  const request = fc.record({
    batch,
    broken: fc.boolean(),
    onError: fc.constantFrom('abort', 'continue'),
    dryRun: fc.constantFrom('true', 'false'),
  });

  it('store and count the same as a map of rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 8 }), async (requests) => {
        const name = unique('Model');
        const model = new Map<string, Item>();
        let revision = 1;
        await writers[0]!.bulk('assets', { name, columns: COLUMNS, items: [] });
        for (const [turn, { batch: rows, broken, onError, dryRun }] of requests.entries()) {
          const items: object[] = broken ? [...rows, { key: 'broken', weight: 'heavy' }] : rows;
          const answer = await writers[turn % WRITERS]!.bulk('assets', { name, items }, { onError, dryRun });
          if (broken && onError === 'abort') {
            expect(answer.status).toBe(422);
            continue;
          }
          const counts = { received: items.length, created: 0, updated: 0, unchanged: 0, failed: broken ? 1 : 0 };
          const after = new Map(model);
          for (const sent of rows) {
            const known = model.get(sent.key);
            const empty = { key: sent.key, name: null, weight: null, active: null, parent: null };
            const merged: Item = { ...(known ?? empty), ...sent, ...(sent['parent'] === '' ? { parent: null } : {}) };
            const same = known !== undefined && Object.keys(merged).every((each) => merged[each] === known[each]);
            counts[known ? (same ? 'unchanged' : 'updated') : 'created']++;
            after.set(sent.key, merged);
          }
          expect(answer.body.data.totals).toEqual(counts);
          expect(answer.status).toBe(broken ? 207 : 200);
          const spent = counts.created + counts.updated > 0 ? 1 : 0;
          expect(answer.body.data.revision).toBe(revision + spent);
          if (dryRun === 'true') continue;
          revision += spent;
          model.clear();
          for (const [each, item] of after) model.set(each, item);
        }
        const stored = await writers[1]!.rows('assets', name);
        expect(new Map(stored.map((item) => [item['key'], item]))).toEqual(model);
        expect(await writers[1]!.revision('assets', name)).toBe(revision);
      }),
      { numRuns: PROPERTY_CASES, endOnFailure: true },
    );
  });
});

it('returns every unchanged row exactly once if other rows are written between the pages', async () => {
  const name = unique('Moving');
  const columns = [text('Key'), text('Text'), column('Number', 'number')];
  const values = { text: fc.constantFrom(null, '', 'a', 'b', 'c'), number: fc.constantFrom(null, 0, 1, 2) };
  const write = fc.record({ row: fc.nat(79), isDeleted: fc.boolean(), ...values });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('key', '-key', 'text', '-text', 'number,-text', '-number'),
      fc.integer({ min: 3, max: 17 }),
      fc.array(fc.record(values), { minLength: 60, maxLength: 60 }),
      fc.array(fc.array(write, { maxLength: 4 }), { maxLength: 20 }),
      async (sort, limit, rows, writes) => {
        const items = manyRows(80, (position) => ({
          key: keyAt(position),
          ...(rows[position] ?? { text: 'z', number: 9 }),
        }));
        expect((await tables.bulk('assets', { name, columns, items })).status).toBeLessThan(300);
        const touched = new Set<string>();
        const seen: string[] = [];
        let cursor: string | null = '';
        for (let page = 0; cursor !== null; page++) {
          const query: string = `items?sort=${sort}&limit=${limit}${cursor && `&cursor=${cursor}`}`;
          const { body } = await api.get(pathOf('assets', name, query));
          seen.push(...(body.data.items as Item[]).map(({ key }) => String(key)));
          cursor = body.data.nextCursor as string | null;
          for (const { row, isDeleted, ...changed } of writes[page] ?? []) {
            touched.add(keyAt(row));
            if (isDeleted) await api.delete(pathOf('assets', name, `items/${keyAt(row)}`));
            else await tables.bulk('assets', { name, items: [{ key: keyAt(row), ...changed }] });
          }
        }
        const unchanged = items.map(({ key }) => key).filter((key) => !touched.has(key));
        expect(seen.filter((key) => !touched.has(key)).sort()).toEqual(unchanged);
      },
    ),
    { numRuns: PROPERTY_CASES },
  );
}, 60_000);
