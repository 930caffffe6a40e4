import { Api, type ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import {
  column,
  type ColumnInput,
  type Item,
  keyAt,
  manyRows,
  type Surface,
  Tables,
  text,
  unique,
} from '../support/tables.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let service: SharedService;
let credentials: Credentials;
let tables: Tables;

beforeAll(async () => {
  ({ service } = await shareService());
  credentials = await service.provision();
  tables = Tables.of(service, credentials);
}, 60_000);

const EQUIPMENT: ColumnInput[] = [text('EQUNR', { primaryKey: true }), text('Name'), column('Weight', 'number')];
const NO_LINKS = { total: 0, first: [] };

const reportOf = (answer: ApiResponse) => answer.body.data.tables[0];
const countsOf = ({ received, created, updated, unchanged, failed }: Record<string, number>) => ({
  received,
  created,
  updated,
  unchanged,
  failed,
});
const codesOf = (answer: ApiResponse): string[] =>
  answer.body.details.errors.map((error: { code: string }) => error.code);

/** Creates a table for one test. */
async function createTable(
  columns: ColumnInput[],
  items: unknown[] = [],
  surface: Surface = 'assets',
): Promise<string> {
  const name = unique('Table');
  const answer = await tables.bulk(surface, { name, columns, items });
  expect(answer.status).toBe(201);
  return name;
}

async function itemAt(surface: Surface, table: string, key: string): Promise<Item | undefined> {
  return (await tables.rows(surface, table)).find((item) => Object.values(item).includes(key));
}

describe('bulk routes', () => {
  it.each<[Surface, string]>([
    ['locations', 'location'],
    ['assets', 'asset'],
    ['lists', 'list'],
  ])('POST cw/%s/bulk creates tables of type %s, which are read by the same name', async (surface, type) => {
    const name = unique('Plant');
    const answer = await tables.bulk(surface, { name, columns: EQUIPMENT, items: [{ equnr: '1', name: 'Pump' }] });
    expect(answer.status).toBe(201);
    expect(reportOf(answer)).toMatchObject({ type, name, created: 1 });
    const page = await tables.read(surface, name);
    expect(page.body.data.table).toMatchObject({ type, name });
    expect(page.body.data.items).toEqual([{ equnr: '1', name: 'Pump', weight: null }]);
  });

  it('the unified route has the results of the entity routes and reports in request order', async () => {
    const [single, unified] = [unique('Single'), unique('Unified')];
    const batch = (name: string) => ({ name, columns: EQUIPMENT, items: [{ equnr: '7', weight: '1.50' }] });
    const surfaces: Surface[] = ['lists', 'locations', 'assets'];
    const alone = [];
    for (const surface of surfaces) alone.push(reportOf(await tables.bulk(surface, batch(single))));
    const together = await tables.bulkAll(
      surfaces.map((surface) => ({ type: surface.slice(0, -1), ...batch(unified) })),
    );
    expect(together.status).toBe(201);
    const nameless = (report: object) => ({ ...report, id: null, name: null });
    expect(together.body.data.tables.map(nameless)).toEqual(alone.map(nameless));
    for (const surface of surfaces)
      expect(await tables.rows(surface, unified)).toEqual(await tables.rows(surface, single));
  });

  it('accepts an entity in the plural', async () => {
    const name = unique('Plural');
    const answer = await tables.bulkAll([{ type: 'locations', name, columns: EQUIPMENT, items: [] }]);
    expect(answer.status).toBe(201);
    expect(reportOf(answer).type).toBe('location');
    expect((await tables.read('locations', name)).status).toBe(200);
  });

  it('the unified route requires the type of each table', async () => {
    const answer = await tables.bulkAll([{ name: unique('Untyped'), columns: EQUIPMENT, items: [] }]);
    expect(answer.status).toBe(400);
    expect(answer.body.details.errors).toMatchObject([{ field: 'tables[0].type' }]);
  });

  it('the route of an entity rejects the type of another entity', async () => {
    const name = unique('Typed');
    const batch = { name, columns: EQUIPMENT, items: [] };
    const disagreeing = await tables.bulk('assets', { type: 'location', ...batch });
    expect(disagreeing.status).toBe(400);
    expect(disagreeing.body.details.errors).toMatchObject([{ field: 'assets[0].type' }]);
    expect((await tables.read('assets', name)).status).toBe(404);
    expect((await tables.bulk('assets', { type: 'asset', ...batch })).status).toBe(201);
    expect((await tables.bulk('assets', { type: 'assets', ...batch })).status).toBe(200);
  });

  it('accepts an access token as well as an API key', async () => {
    const signedIn = await new Api(service.baseUrl).signIn(credentials);
    const mine = new Tables(signedIn, credentials.workspaceId);
    const name = unique('Signed');
    expect((await mine.bulk('lists', { name, columns: EQUIPMENT, items: [{ equnr: '1' }] })).status).toBe(201);
    expect(await mine.rows('lists', name)).toHaveLength(1);
  });
});

describe('the response', () => {
  it('contains totals and a report per table', async () => {
    const name = unique('Report');
    const answer = await tables.bulk('assets', { name, columns: EQUIPMENT, items: [{ equnr: '1' }, { equnr: '2' }] });
    const counts = { received: 2, created: 2, updated: 0, unchanged: 0, failed: 0 };
    expect(answer.body).toEqual({
      status: 201,
      message: expect.any(String),
      timestamp: expect.any(Number),
      data: {
        batchId: expect.stringMatching(UUID),
        revision: 1,
        summary: [],
        errors: [],
        totals: counts,
        tables: [
          {
            type: 'asset',
            id: expect.stringMatching(UUID),
            name,
            tableCreated: true,
            columnsAdded: ['equnr', 'name', 'weight'],
            columnsIgnored: [],
            revision: 1,
            ...counts,
            unresolved: NO_LINKS,
          },
        ],
      },
    });
  });

  it('returns 201 if a table was created, and 200 for later requests', async () => {
    const [first, second] = [unique('First'), unique('Second')];
    expect((await tables.bulk('lists', { name: first, columns: EQUIPMENT, items: [] })).status).toBe(201);
    expect((await tables.bulk('lists', { name: first, items: [{ equnr: '1' }] })).status).toBe(200);
    const both = await tables.bulk('lists', [
      { name: first, items: [{ equnr: '2' }] },
      { name: second, columns: EQUIPMENT, items: [] },
    ]);
    expect(both.status).toBe(201);
    expect(both.body.data.tables.map((table: { tableCreated: boolean }) => table.tableCreated)).toEqual([false, true]);
  });

  it('sums the counts of all tables in its totals', async () => {
    const [one, two] = [await createTable(EQUIPMENT, [{ equnr: '1' }]), unique('New')];
    const answer = await tables.bulk('assets', [
      { name: one, items: [{ equnr: '1' }, { equnr: '2' }] },
      { name: two, columns: EQUIPMENT, items: [{ equnr: '1' }] },
    ]);
    expect(answer.body.data.totals).toEqual({ received: 3, created: 2, updated: 0, unchanged: 1, failed: 0 });
    expect(answer.body.data.revision).toBe(2);
  });

  it('contains a result per row in request order with return=items', async () => {
    const name = await createTable(EQUIPMENT, [
      { equnr: 'b', name: 'Stays' },
      { equnr: 'c', name: 'Old' },
    ]);
    const items = [
      { equnr: 'd', name: 'New' },
      { equnr: 'c', name: 'Changed' },
      { equnr: 'b', name: 'Stays' },
      { equnr: 'a', name: 'New' },
    ];
    const asked = await tables.bulk('assets', { name, items }, { return: 'items' });
    expect(reportOf(asked).items).toEqual([
      { index: 0, key: 'd', status: 'created' },
      { index: 1, key: 'c', status: 'updated' },
      { index: 2, key: 'b', status: 'unchanged' },
      { index: 3, key: 'a', status: 'created' },
    ]);
    expect(reportOf(await tables.bulk('assets', { name, items }))).not.toHaveProperty('items');
  });
});

describe('rows', () => {
  const batch = [
    { equnr: '1', name: 'Pump', weight: 10 },
    { equnr: '2', name: 'Valve', weight: null },
  ];

  it('creates, updates or leaves rows unchanged by their primary key', async () => {
    const name = await createTable(EQUIPMENT, batch);
    const answer = await tables.bulk('assets', {
      name,
      items: [{ equnr: '1', name: 'Feed pump', weight: 10 }, batch[1], { equnr: '3', name: 'Fan' }],
    });
    expect(answer.status).toBe(200);
    expect(countsOf(reportOf(answer))).toEqual({ received: 3, created: 1, updated: 1, unchanged: 1, failed: 0 });
    expect(await tables.rows('assets', name)).toEqual([
      { equnr: '1', name: 'Feed pump', weight: 10 },
      { equnr: '2', name: 'Valve', weight: null },
      { equnr: '3', name: 'Fan', weight: null },
    ]);
  });

  it('changes nothing if rows are sent twice, not even the revision', async () => {
    const name = await createTable(EQUIPMENT, batch);
    const again = await tables.bulk('assets', { name, columns: EQUIPMENT, items: batch });
    expect(again.status).toBe(200);
    expect(reportOf(again)).toMatchObject({ revision: 1, tableCreated: false, columnsAdded: [], columnsIgnored: [] });
    expect(countsOf(reportOf(again))).toEqual({ received: 2, created: 0, updated: 0, unchanged: 2, failed: 0 });
    expect(await tables.revision('assets', name)).toBe(1);
  });

  it('changes nothing if rows are sent with other notations of the stored values', async () => {
    const name = await createTable(
      [text('Key'), column('N', 'number'), column('D', 'date'), column('C', 'checkbox')],
      [{ key: 'ü', n: 1.5, d: '2024-05-01', c: true }],
    );
    const again = await tables.bulk('assets', {
      name,
      items: [{ Key: ' u\u0308 ', N: '1.50', D: '20240501', C: 'X' }],
    });
    expect(countsOf(reportOf(again))).toEqual({ received: 1, created: 0, updated: 0, unchanged: 1, failed: 0 });
  });

  it('increments the revision once per request that changes rows', async () => {
    const name = await createTable(EQUIPMENT, batch);
    const changed = await tables.bulk('assets', { name, items: batch.map((row) => ({ ...row, weight: 99 })) });
    expect(reportOf(changed)).toMatchObject({ updated: 2, revision: 2 });
  });

  it('merges rows: omitted columns are unchanged, null clears a value', async () => {
    const name = await createTable(EQUIPMENT, batch);
    await tables.bulk('assets', { name, items: [{ equnr: '1', name: null }] });
    expect(await itemAt('assets', name, '1')).toEqual({ equnr: '1', name: null, weight: 10 });
  });

  it('accepts rows with different columns in one batch', async () => {
    const name = await createTable(EQUIPMENT, batch);
    const answer = await tables.bulk('assets', {
      name,
      items: [
        { equnr: '1', weight: 11 },
        { equnr: '2', name: 'Gate valve' },
        { equnr: '3' },
        { weight: 4, equnr: '4', name: null },
      ],
    });
    expect(countsOf(reportOf(answer))).toEqual({ received: 4, created: 2, updated: 2, unchanged: 0, failed: 0 });
    expect(await tables.rows('assets', name)).toEqual([
      { equnr: '1', name: 'Pump', weight: 11 },
      { equnr: '2', name: 'Gate valve', weight: null },
      { equnr: '3', name: null, weight: null },
      { equnr: '4', name: null, weight: 4 },
    ]);
  });

  it('accepts rows with only a key: a new row is created, an existing one is unchanged', async () => {
    const name = await createTable(EQUIPMENT, batch);
    const answer = await tables.bulk('assets', { name, items: [{ equnr: '1' }, { equnr: 'new' }] });
    expect(countsOf(reportOf(answer))).toEqual({ received: 2, created: 1, updated: 0, unchanged: 1, failed: 0 });
    expect(await itemAt('assets', name, '1')).toEqual({ equnr: '1', name: 'Pump', weight: 10 });
  });

  it('stores case-sensitive row keys with leading zeros and without outer white space', async () => {
    const name = await createTable(EQUIPMENT, [
      { equnr: ' 0007 ' },
      { equnr: '7' },
      { equnr: 'ab' },
      { equnr: 'AB' },
      { equnr: 12 },
    ]);
    expect((await tables.rows('assets', name)).map((item) => item['equnr'])).toEqual(['0007', '12', '7', 'AB', 'ab']);
  });

  it('stores row keys in Unicode form NFC', async () => {
    const name = await createTable(EQUIPMENT, [{ equnr: 'Gro\u0308ße', name: 'decomposed' }]);
    const answer = await tables.bulk('assets', { name, items: [{ equnr: 'Gr\u00f6ße', name: 'composed' }] });
    expect(countsOf(reportOf(answer))).toMatchObject({ created: 0, updated: 1 });
    expect(await tables.rows('assets', name)).toEqual([{ equnr: 'Gr\u00f6ße', name: 'composed', weight: null }]);
  });

  it('stores row keys of up to 255 characters', async () => {
    const longest = ['x'.repeat(255), '😀'.repeat(255), '/'.repeat(255)];
    const name = await createTable(
      EQUIPMENT,
      longest.map((equnr) => ({ equnr })),
    );
    expect((await tables.rows('assets', name)).map((item) => item['equnr'])).toEqual(expect.arrayContaining(longest));
  });

  it('stores spreadsheet formulas unchanged', async () => {
    const name = await createTable(EQUIPMENT, [{ equnr: '1', name: '=HYPERLINK("https://example.com")' }]);
    expect(await itemAt('assets', name, '1')).toMatchObject({ name: '=HYPERLINK("https://example.com")' });
  });

  it('accepts an empty list of rows: the table is created, or unchanged if it exists', async () => {
    const name = await createTable(EQUIPMENT, []);
    expect(await tables.rows('assets', name)).toEqual([]);
    const again = await tables.bulk('assets', { name, items: [] });
    expect(again.status).toBe(200);
    expect(reportOf(again)).toMatchObject({ received: 0, revision: 1 });
    expect((await tables.bulk('assets', [])).body.data).toMatchObject({ tables: [], totals: { received: 0 } });
  });
});

describe('the name of a table', () => {
  it('compares table names without letter case and Unicode form, and stores the first notation', async () => {
    const suffix = unique('');
    const first = `Bu\u0308ro${suffix}`;
    await tables.bulk('lists', { name: first, columns: EQUIPMENT, items: [{ equnr: '1' }] });
    const again = await tables.bulk('lists', { name: `B\u00dcRO${suffix}`, items: [{ equnr: '2' }] });
    expect(again.status).toBe(200);
    expect(reportOf(again)).toMatchObject({ tableCreated: false, name: first.normalize('NFC'), created: 1 });
    expect(await tables.rows('lists', `b\u00fcro${suffix}`)).toHaveLength(2);
  });

  it('requires unique table names only within an entity', async () => {
    const name = unique('Work Centers');
    const answer = await tables.bulkAll([
      { type: 'location', name, columns: [text('A')], items: [{ a: 'location' }] },
      { type: 'asset', name, columns: [text('B')], items: [{ b: 'asset' }] },
    ]);
    expect(answer.status).toBe(201);
    expect(await tables.rows('locations', name)).toEqual([{ a: 'location' }]);
    expect(await tables.rows('assets', name)).toEqual([{ b: 'asset' }]);
    const rejected = await tables.bulkAll([
      { type: 'location', name, items: [{ a: 'good' }] },
      { type: 'asset', name, items: [{ b: '' }] },
    ]);
    expect(rejected.body.details.errors).toMatchObject([
      { type: 'asset', table: name, index: 0, code: 'required_key' },
    ]);
  });

  it('trims table and column names in definitions, paths and reference targets', async () => {
    const name = unique('50%');
    const columns = [
      text(' Key\t'),
      column('Other', 'reference', { options: { target: { entity: 'list', table: `${name} ` } } }),
    ];
    const created = await tables.bulk('lists', {
      name: ` ${name}\u00a0`,
      columns,
      items: [{ key: 'a', ' OTHER ': 'a' }],
    });
    expect(created.status).toBe(201);
    expect(reportOf(created)).toMatchObject({ name, columnsAdded: ['key', 'other'], unresolved: { total: 0 } });
    const again = await tables.bulk('lists', { name: `${name} `, columns, items: [{ key: 'a' }] });
    expect(again.status).toBe(200);
    expect(reportOf(again)).toMatchObject({ id: reportOf(created).id, unchanged: 1, columnsIgnored: [] });
    expect((await tables.read('lists', `${name}\n`)).body.data.table.name).toBe(name);
    // The length is measured after trimming.
    expect((await tables.bulk('lists', { name: 'x'.repeat(255) + ' ', columns, items: [] })).status).toBe(201);
  });

  it('returns 422 duplicate_table if a request contains a table name twice', async () => {
    const name = unique('Twice');
    for (const [sent, called] of [
      [name.toUpperCase(), name.toUpperCase()],
      [`${name} `, name],
    ] as const) {
      const answer = await tables.bulk('assets', [
        { name, columns: EQUIPMENT, items: [{ equnr: '1' }] },
        { name: sent, columns: EQUIPMENT, items: [{ equnr: '2' }] },
      ]);
      expect(answer.status).toBe(422);
      expect(answer.body.details.errors).toMatchObject([{ table: called, code: 'duplicate_table' }]);
    }
    expect((await tables.read('assets', name)).status).toBe(404);
  });
});

describe('columns', () => {
  it('uses the column key sent, else one derived from the name, in lowercase', async () => {
    const name = unique('Keys');
    const columns = [text('TPLNR'), text('Object  Type!'), text('Höhe'), text('Anything', { key: 'PLTXT_2' })];
    const answer = await tables.bulk('locations', {
      name,
      columns,
      items: [{ tplnr: 'A', object_type: 'B', hohe: 'C', pltxt_2: 'D' }],
    });
    expect(reportOf(answer).columnsAdded).toEqual(['tplnr', 'object_type', 'hohe', 'pltxt_2']);
    expect(await tables.rows('locations', name)).toEqual([{ tplnr: 'A', object_type: 'B', hohe: 'C', pltxt_2: 'D' }]);
  });

  it('derives a column key from the number of the column if its name has no letter', async () => {
    const name = unique('Signs');
    const answer = await tables.bulk('lists', { name, columns: [text('Key'), text('№ 本'), text('***')], items: [] });
    expect(reportOf(answer).columnsAdded).toEqual(['key', 'no', 'column_3']);
  });

  it.each<[string, ColumnInput[]]>([
    ['that is not of a-z, 0-9 and _', [text('Name', { key: 'with space' })]],
    ['that is empty', [text('Name', { key: '' })]],
    ['over 63 characters', [text('Name', { key: 'x'.repeat(64) })]],
    ['that two columns share', [text('A b'), text('a-B')]],
    ['that reaches a prototype', [text('Name', { key: 'constructor' })]],
    ['made of a name that is too long for one', [text('x'.repeat(64))]],
  ])('returns 422 invalid_column_key for a key %s', async (_, columns) => {
    const name = unique('Bad keys');
    const answer = await tables.bulk('assets', { name, columns, items: [] });
    expect(answer.status).toBe(422);
    expect(answer.body.details.errors).toMatchObject([
      { table: name, column: expect.any(String), code: 'invalid_column_key' },
    ]);
    expect((await tables.read('assets', name)).status).toBe(404);
  });

  it('uses the marked column as primary key, else the first text column', async () => {
    const marked = await createTable(
      [text('Name'), text('Code', { primaryKey: true })],
      [{ code: 'c', name: 'first' }],
    );
    await tables.bulk('assets', { name: marked, items: [{ code: 'c', name: 'second' }] });
    expect(await tables.rows('assets', marked)).toEqual([{ name: 'second', code: 'c' }]);
    const first = await createTable(
      [column('Weight', 'number'), text('Code'), text('Name')],
      [{ code: 'c', name: 'first' }],
    );
    await tables.bulk('assets', { name: first, items: [{ code: 'c', name: 'second' }] });
    expect(await tables.rows('assets', first)).toEqual([{ weight: null, code: 'c', name: 'second' }]);
  });

  it.each<[string, ColumnInput[]]>([
    ['without a text column', [column('Weight', 'number')]],
    ['with two marked', [text('A', { primaryKey: true }), text('B', { primaryKey: true })]],
    ['with a number marked', [text('A'), column('B', 'number', { primaryKey: true })]],
  ])('returns 422 invalid_primary_key for columns: %s', async (_, columns) => {
    const name = unique('No key');
    const answer = await tables.bulk('assets', { name, columns, items: [] });
    expect(answer.status).toBe(422);
    expect(codesOf(answer)).toEqual(['invalid_primary_key']);
    expect((await tables.read('assets', name)).status).toBe(404);
  });

  it('returns 422 columns_required for a new table without columns', async () => {
    const name = unique('No columns');
    for (const columns of [undefined, []]) {
      const answer = await tables.bulk('assets', { name, columns, items: [{ a: 1 }] });
      expect(answer.status).toBe(422);
      expect(answer.body.details.errors).toMatchObject([{ table: name, code: 'columns_required' }]);
    }
    expect((await tables.read('assets', name)).status).toBe(404);
  });

  it('adds columns to an existing table, in which existing rows have no value', async () => {
    const name = await createTable(EQUIPMENT, [{ equnr: '1', name: 'Pump' }]);
    const answer = await tables.bulk('assets', {
      name,
      columns: [column('Built', 'date'), column('Location', 'reference')],
      items: [{ equnr: '2', built: '20010203' }],
    });
    expect(answer.status).toBe(200);
    expect(reportOf(answer)).toMatchObject({ tableCreated: false, columnsAdded: ['built', 'location'], revision: 2 });
    expect(await tables.rows('assets', name)).toEqual([
      { equnr: '1', name: 'Pump', weight: null, built: null, location: null },
      { equnr: '2', name: null, weight: null, built: '2001-02-03', location: null },
    ]);
  });

  it('adds columns without rows, and increments the revision', async () => {
    const name = await createTable(EQUIPMENT);
    const answer = await tables.bulk('assets', { name, columns: [text('Maker')], items: [] });
    expect(reportOf(answer)).toMatchObject({ columnsAdded: ['maker'], revision: 2 });
    expect((await tables.bulk('assets', { name, columns: [text('Maker')], items: [] })).body.data.revision).toBe(2);
  });

  it('never edits existing columns, and reports differences as ignored', async () => {
    const name = await createTable(EQUIPMENT);
    const answer = await tables.bulk('assets', {
      name,
      columns: [
        text('EQUNR'),
        text('NAME', { key: 'name', primaryKey: true, description: 'Long text' }),
        column('Weight', 'number', { required: true }),
      ],
      items: [{ equnr: '1' }],
    });
    expect(answer.status).toBe(200);
    expect(reportOf(answer).columnsIgnored).toEqual([
      { key: 'name', attribute: 'name', sent: 'NAME', kept: 'Name' },
      { key: 'name', attribute: 'primaryKey', sent: true, kept: false },
      { key: 'name', attribute: 'description', sent: 'Long text', kept: null },
      { key: 'weight', attribute: 'required', sent: true, kept: false },
    ]);
    expect((await tables.bulk('assets', { name, items: [{ equnr: '2' }] })).status).toBe(200);
  });

  it('returns 409 for an existing column with another type, and stores nothing', async () => {
    const [name, other] = [await createTable(EQUIPMENT, [{ equnr: '1' }]), unique('Other')];
    const answer = await tables.bulk('assets', [
      { name: other, columns: EQUIPMENT, items: [{ equnr: '1' }] },
      { name, columns: [column('Weight', 'text')], items: [{ equnr: '2' }] },
    ]);
    expect(answer.status).toBe(409);
    expect(answer.body.details.errors).toMatchObject([{ table: name, column: 'weight' }]);
    expect(await tables.rows('assets', name)).toHaveLength(1);
    expect((await tables.read('assets', other)).status).toBe(404);
  });

  it('returns 422 for more than 200 columns', async () => {
    const columns = manyRows(201, (position) => text(`C${position}`));
    const name = await createTable(columns.slice(0, 200), [
      Object.fromEntries(manyRows(200, (position) => [`c${position}`, `v${position}`])),
    ]);
    expect(Object.keys((await tables.rows('assets', name))[0]!)).toHaveLength(200);
    const added = await tables.bulk('assets', { name, columns: columns.slice(200), items: [{ c0: 'new' }] });
    expect(added.status).toBe(422);
    expect(added.body.message + JSON.stringify(added.body.details)).toMatch(/200.*201/);
    const atOnce = unique('Wide');
    expect((await tables.bulk('assets', { name: atOnce, columns, items: [] })).status).toBe(422);
    expect((await tables.read('assets', atOnce)).status).toBe(404);
    expect(await tables.rows('assets', name)).toHaveLength(1);
  });

  it('finds columns by the exact key, else by key or name in any letter case', async () => {
    const name = await createTable([
      text('Code', { key: 'equnr' }),
      text('Bezeichnung'),
      text('Höhe über NN', { key: 'height' }),
    ]);
    await tables.bulk('assets', {
      name,
      items: [{ EQUNR: '1', BEZEICHNUNG: 'by name', 'HO\u0308HE ÜBER NN': 'folded' }],
    });
    await tables.bulk('assets', { name, items: [{ code: '2', bezeichnung: 'by key', HEIGHT: 'by key' }] });
    expect(await tables.rows('assets', name)).toEqual([
      { equnr: '1', bezeichnung: 'by name', height: 'folded' },
      { equnr: '2', bezeichnung: 'by key', height: 'by key' },
    ]);
  });

  it('returns 422 ambiguous_column for a name that matches two columns, but not for an exact key', async () => {
    const name = await createTable([text('Code'), text('Title', { key: 'name' }), text('Name', { key: 'kurz' })]);
    const ambiguous = await tables.bulk('assets', { name, items: [{ code: '1' }, { code: '2', Name: 'which?' }] });
    expect(ambiguous.status).toBe(422);
    expect(ambiguous.body.details.errors).toMatchObject([
      { table: name, index: 1, key: '2', column: 'Name', code: 'ambiguous_column' },
    ]);
    expect(await tables.rows('assets', name)).toEqual([]);
    expect((await tables.bulk('assets', { name, items: [{ code: '1', name: 'exact' }] })).status).toBe(200);
  });

  it('rejects a row that contains a column twice', async () => {
    const name = await createTable(EQUIPMENT);
    const answer = await tables.bulk('assets', { name, items: [{ equnr: '1', weight: 1, Weight: 2 }] });
    expect(answer.status).toBe(422);
    expect(answer.body.details.errors).toMatchObject([
      { index: 0, key: '1', column: 'weight', code: 'ambiguous_column' },
    ]);
  });
});

describe('required columns', () => {
  const columns = [text('Key'), text('Name', { required: true }), column('Weight', 'number')];

  it('requires the value of a required column only for new rows', async () => {
    const name = await createTable(columns, [{ key: '1', name: 'Pump' }]);
    expect((await tables.bulk('assets', { name, items: [{ key: '1', weight: 5 }] })).status).toBe(200);
    const answer = await tables.bulk('assets', {
      name,
      items: [
        { key: '1', weight: 6 },
        { key: '2', weight: 7 },
      ],
    });
    expect(answer.status).toBe(422);
    expect(answer.body.details.errors).toMatchObject([
      { table: name, index: 1, key: '2', column: 'name', code: 'required' },
    ]);
    expect(await tables.rows('assets', name)).toEqual([{ key: '1', name: 'Pump', weight: 5 }]);
  });

  it('rejects null in a required column', async () => {
    const name = await createTable(columns, [{ key: '1', name: 'Pump' }]);
    const answer = await tables.bulk('assets', { name, items: [{ key: '1', name: null }] });
    expect(answer.status).toBe(422);
    expect(answer.body.details.errors).toMatchObject([{ index: 0, key: '1', column: 'name', code: 'required' }]);
  });

  it('requires values in the batch that creates a table with a required column', async () => {
    const name = unique('Required');
    const answer = await tables.bulk('assets', { name, columns, items: [{ key: '1' }] });
    expect(codesOf(answer)).toEqual(['required']);
    expect((await tables.read('assets', name)).status).toBe(404);
  });

  it('stores the valid rows if the last one of a few is invalid', async () => {
    const name = await createTable(EQUIPMENT, []);
    const items = [{ equnr: '1', name: 'Pump' }, { name: 'No key' }];
    const answer = await tables.bulk('assets', { name, items }, { onError: 'continue' });
    expect([answer.status, answer.body.data.totals]).toEqual([207, expect.objectContaining({ created: 1, failed: 1 })]);
    expect((await tables.read('assets', name)).body.data.items).toMatchObject([{ equnr: '1', name: 'Pump' }]);
  });

  it('requires values of a required column that is added later for all rows', async () => {
    const name = await createTable(EQUIPMENT, [{ equnr: '1' }]);
    const site = { name, columns: [text('Site', { required: true })] };
    expect(codesOf(await tables.bulk('assets', { ...site, items: [{ equnr: '1', name: 'Pump' }] }))).toEqual([
      'required',
    ]);
    expect((await tables.bulk('assets', { ...site, items: [{ equnr: '1', site: 'AT10' }] })).status).toBe(200);
    expect(codesOf(await tables.bulk('assets', { name, items: [{ equnr: '2' }] }))).toEqual(['required']);
  });
});

describe('references', () => {
  it('stores and reports a reference to a missing row, which resolves as soon as the row exists', async () => {
    const [plant, pumps] = [unique('Plant'), unique('Pumps')];
    const location = column('Location', 'reference', { options: { target: { entity: 'location', table: plant } } });
    const items = [
      { key: 'P1', location: 'HALL-1' },
      { key: 'P2', location: 'HALL-2' },
      { key: 'P3', location: '' },
    ];
    // Assets before their locations: even the table is missing.
    const before = await tables.bulk('assets', { name: pumps, columns: [text('Key'), location], items });
    expect(before.status).toBe(201);
    expect(reportOf(before).unresolved).toEqual({
      total: 2,
      first: [
        { index: 0, column: 'location', value: 'HALL-1' },
        { index: 1, column: 'location', value: 'HALL-2' },
      ],
    });
    await tables.bulk('locations', { name: plant, columns: [text('Code')], items: [{ code: 'HALL-2' }] });
    const after = await tables.bulk('assets', { name: pumps, items });
    expect(reportOf(after)).toMatchObject({
      unchanged: 3,
      unresolved: { total: 1, first: [{ index: 0, column: 'location', value: 'HALL-1' }] },
    });
    expect(await tables.rows('assets', pumps)).toEqual([
      { key: 'P1', location: 'HALL-1' },
      { key: 'P2', location: 'HALL-2' },
      { key: 'P3', location: null },
    ]);
  });

  it('resolves references to rows of the same request in any order of its tables', async () => {
    const [plant, pumps] = [unique('Plant'), unique('Pumps')];
    const location = column('Location', 'reference', {
      options: { target: { entity: 'locations', table: plant.toUpperCase() } },
    });
    const answer = await tables.bulkAll([
      { type: 'asset', name: pumps, columns: [text('Key'), location], items: [{ key: 'P1', location: 'HALL-1' }] },
      { type: 'location', name: plant, columns: [text('Code')], items: [{ code: 'HALL-1' }] },
    ]);
    expect(reportOf(answer).unresolved).toEqual(NO_LINKS);
  });

  it('resolves references without a target table to rows of all Locations tables', async () => {
    const [north, south] = [unique('NORTH'), unique('SOUTH')];
    await createTable([text('Code')], [{ code: north }], 'locations');
    await createTable([text('Code')], [{ code: south }], 'locations');
    const pumps = unique('Pumps');
    const answer = await tables.bulk('assets', {
      name: pumps,
      columns: [text('Key'), column('Location', 'reference')],
      items: [north, south, unique('NOWHERE')].map((location, position) => ({ key: position, location })),
    });
    expect(reportOf(answer).unresolved).toMatchObject({ total: 1, first: [{ index: 2, column: 'location' }] });
  });

  it('accepts the ID of the target table of a reference', async () => {
    const created = await tables.bulk('lists', {
      name: unique('Priorities'),
      columns: [text('Code')],
      items: [{ code: 'high' }],
    });
    const options = { target: { entity: 'list', table: reportOf(created).id } };
    const answer = await tables.bulk('assets', {
      name: unique('Orders'),
      columns: [text('Key'), column('Priority', 'reference', { options })],
      items: [
        { key: '1', priority: 'high' },
        { key: '2', priority: 'low' },
      ],
    });
    expect(reportOf(answer).unresolved).toMatchObject({ total: 1, first: [{ index: 1, value: 'low' }] });
  });

  it('counts all unresolved references, and lists the first 20', async () => {
    const answer = await tables.bulk('assets', {
      name: unique('Orphans'),
      columns: [text('Key'), column('Location', 'reference')],
      items: manyRows(500, (position) => ({ key: keyAt(position), location: `gone-${position}` })),
    });
    const { total, first } = reportOf(answer).unresolved;
    expect(total).toBe(500);
    expect(first.length).toBeGreaterThan(0);
    expect(first.length).toBeLessThan(500);
    expect(first[0]).toEqual({ index: 0, column: 'location', value: 'gone-0' });
  });

  it('never reports location tags as unresolved', async () => {
    const name = await createTable([text('Key'), column('Tag', 'locationTag')], []);
    const answer = await tables.bulk('assets', {
      name,
      items: [
        { key: '1', tag: 4711 },
        { key: '2', tag: 'nowhere' },
      ],
    });
    expect(reportOf(answer).unresolved).toEqual(NO_LINKS);
  });
});

describe('a hierarchy', () => {
  const columns = [text('TPLNR'), column('Parent', 'hierarchyParent')];

  it('accepts children before their parents', async () => {
    const name = await createTable(columns, [{ tplnr: 'A-1', parent: 'A' }], 'locations');
    const answer = await tables.bulk('locations', {
      name,
      items: [
        { tplnr: 'A', parent: '' },
        { tplnr: 'A-1-1', parent: 'A-1' },
      ],
    });
    expect(reportOf(answer).unresolved).toEqual(NO_LINKS);
    expect(await tables.rows('locations', name)).toEqual([
      { tplnr: 'A', parent: null },
      { tplnr: 'A-1', parent: 'A' },
      { tplnr: 'A-1-1', parent: 'A-1' },
    ]);
  });

  it('reports a missing parent', async () => {
    const answer = await tables.bulk('locations', {
      name: unique('Gap'),
      columns,
      items: [{ tplnr: 'A-1', parent: 'A' }],
    });
    expect(reportOf(answer).unresolved).toEqual({ total: 1, first: [{ index: 0, column: 'parent', value: 'A' }] });
  });

  it('accepts a hierarchy of 5,000 levels', async () => {
    const items = manyRows(5000, (position) => ({
      tplnr: keyAt(position),
      parent: position > 0 ? keyAt(position - 1) : null,
    }));
    const name = await createTable(columns, items, 'locations');
    const closing = await tables.bulk('locations', { name, items: [{ tplnr: keyAt(0), parent: keyAt(4999) }] });
    expect(codesOf(closing)).toEqual(['hierarchy_cycle']);
  });

  it.each<[string, object[], number[]]>([
    ['a row that is its own parent', [{ tplnr: 'X', parent: 'X' }], [0]],
    ['two rows of the batch', [{ tplnr: 'X', parent: 'Y' }, { tplnr: 'Z' }, { tplnr: 'Y', parent: 'X' }], [0, 2]],
    ['a row of the batch and stored rows', [{ tplnr: 'Z' }, { tplnr: 'A', parent: 'A-1-1' }], [1]],
    [
      'rows of the batch with rows that stand between them',
      [
        { tplnr: 'N', parent: 'A-1-1' },
        { tplnr: 'A', parent: 'N' },
      ],
      [0, 1],
    ],
  ])('returns 422 hierarchy_cycle for a cycle of %s', async (_, items, indexes) => {
    const existing = [
      { tplnr: 'A', parent: null },
      { tplnr: 'A-1', parent: 'A' },
      { tplnr: 'A-1-1', parent: 'A-1' },
    ];
    const name = await createTable(columns, existing, 'locations');
    const answer = await tables.bulk('locations', { name, items });
    expect(answer.status).toBe(422);
    expect(answer.body.details.errors).toMatchObject(
      indexes.map((index) => ({
        table: name,
        index,
        key: (items[index] as Item)['tplnr'],
        column: 'parent',
        code: 'hierarchy_cycle',
      })),
    );
    expect(await tables.rows('locations', name)).toEqual(existing);
    expect(await tables.revision('locations', name)).toBe(1);
  });

  it('accepts a batch that inverts a hierarchy', async () => {
    const name = await createTable(
      columns,
      [
        { tplnr: 'A', parent: null },
        { tplnr: 'B', parent: 'A' },
      ],
      'locations',
    );
    const answer = await tables.bulk('locations', {
      name,
      items: [
        { tplnr: 'A', parent: 'B' },
        { tplnr: 'B', parent: null },
      ],
    });
    expect(answer.status).toBe(200);
  });

  it('stores no cycle with onError=continue, even if a rejected row retains its parent', async () => {
    const name = await createTable(
      columns,
      [
        { tplnr: 'A', parent: 'B' },
        { tplnr: 'B', parent: null },
      ],
      'locations',
    );
    // A is rejected because it names itself as parent. It remains below B, so B cannot be below A.
    const answer = await tables.bulk(
      'locations',
      {
        name,
        items: [
          { tplnr: 'A', parent: 'A' },
          { tplnr: 'B', parent: 'A' },
        ],
      },
      { onError: 'continue' },
    );
    expect(answer.status).toBe(207);
    expect(reportOf(answer)).toMatchObject({ failed: 2, updated: 0 });
    expect(await tables.rows('locations', name)).toEqual([
      { tplnr: 'A', parent: 'B' },
      { tplnr: 'B', parent: null },
    ]);
  });

  it('stores no cycle in any parent column, even if a row is rejected for another one', async () => {
    const name = await createTable(
      [text('Key'), column('P', 'hierarchyParent'), column('Q', 'hierarchyParent')],
      [
        { key: 'A', p: null, q: null },
        { key: 'B', p: null, q: 'A' },
      ],
      'locations',
    );
    // B is rejected because of its P, so its Q remains A: in Q, A cannot be below B.
    const items = [
      { key: 'A', q: 'B' },
      { key: 'B', p: 'B', q: null },
    ];
    const answer = await tables.bulk('locations', { name, items }, { onError: 'continue' });
    expect(reportOf(answer)).toMatchObject({ failed: 2, updated: 0 });
    expect(await tables.rows('locations', name)).toEqual([
      { key: 'A', p: null, q: null },
      { key: 'B', p: null, q: 'A' },
    ]);
  });

  it('stores no cycle after two concurrent writes that together would create one', async () => {
    const name = await createTable(columns, [], 'locations');
    for (let round = 0; round < 10; round++) {
      const [a, b] = [`A${round}`, `B${round}`];
      await tables.bulk('locations', { name, items: [{ tplnr: a }, { tplnr: b }] });
      const answers = await Promise.all([
        tables.bulk('locations', { name, items: [{ tplnr: a, parent: b }] }),
        tables.bulk('locations', { name, items: [{ tplnr: b, parent: a }] }),
      ]);
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 422]);
    }
  });
});

describe('dryRun=true', () => {
  it('returns the report of a dry run and stores nothing', async () => {
    const name = await createTable(EQUIPMENT, [{ equnr: '1', name: 'Pump' }]);
    const batch = {
      name,
      columns: [text('Maker')],
      items: [
        { equnr: '1', name: 'Fan' },
        { equnr: '2', maker: 'ACME' },
      ],
    };
    const dry = await tables.bulk('assets', batch, { dryRun: 'true', return: 'items' });
    expect(dry.status).toBe(200);
    expect(await tables.rows('assets', name)).toEqual([{ equnr: '1', name: 'Pump', weight: null }]);
    expect(await tables.revision('assets', name)).toBe(1);
    const real = await tables.bulk('assets', batch, { return: 'items' });
    const { batchId, ...report } = real.body.data;
    expect(batchId).toMatch(UUID);
    expect(dry.body.data).toEqual(report);
  });

  it('creates no table in a dry run', async () => {
    const name = unique('Dry');
    const dry = await tables.bulk('assets', { name, columns: EQUIPMENT, items: [{ equnr: '1' }] }, { dryRun: 'true' });
    expect(reportOf(dry)).toMatchObject({ tableCreated: true, created: 1 });
    expect((await tables.read('assets', name)).status).toBe(404);
  });

  it('returns the errors of a dry run', async () => {
    const name = await createTable(EQUIPMENT);
    const items = [{ equnr: '1', weight: 'heavy' }, { equnr: '2' }];
    const dry = await tables.bulk('assets', { name, items }, { dryRun: 'true' });
    expect(dry.status).toBe(422);
    expect(codesOf(dry)).toEqual(['type_mismatch']);
    const going = await tables.bulk('assets', { name, items }, { dryRun: 'true', onError: 'continue' });
    expect(going.status).toBe(207);
    expect(reportOf(going)).toMatchObject({ created: 1, failed: 1 });
    expect(await tables.rows('assets', name)).toEqual([]);
  });

  it('stores the table if dryRun is false', async () => {
    const name = unique('Wet');
    await tables.bulk('assets', { name, columns: EQUIPMENT, items: [] }, { dryRun: 'false' });
    expect((await tables.read('assets', name)).status).toBe(200);
  });
});

describe('onError=continue', () => {
  it('stores the valid rows, and returns 207 with the errors of the others', async () => {
    const name = await createTable(EQUIPMENT, [{ equnr: '1', name: 'Pump' }]);
    const items = [
      { equnr: '1', name: 'Fan' },
      { equnr: '2', weight: 'heavy' },
      { name: 'no key' },
      { equnr: '3', colour: 'red' },
      { equnr: '4', weight: 4 },
      { equnr: '5' },
      { equnr: ' 5 ' },
    ];
    const answer = await tables.bulk('assets', { name, items }, { onError: 'continue', return: 'items' });
    expect(answer.status).toBe(207);
    expect(answer.body.status).toBe(207);
    expect(countsOf(reportOf(answer))).toEqual({ received: 7, created: 1, updated: 1, unchanged: 0, failed: 5 });
    expect(answer.body.data.errors).toEqual([
      {
        type: 'asset',
        table: name,
        index: 1,
        key: '2',
        column: 'weight',
        code: 'type_mismatch',
        message: expect.any(String),
      },
      { type: 'asset', table: name, index: 2, column: 'equnr', code: 'required_key', message: expect.any(String) },
      {
        type: 'asset',
        table: name,
        index: 3,
        key: '3',
        column: 'colour',
        code: 'unknown_column',
        message: expect.any(String),
      },
      {
        type: 'asset',
        table: name,
        index: 5,
        key: '5',
        column: 'equnr',
        otherIndex: 6,
        code: 'duplicate_in_batch',
        message: expect.any(String),
      },
      {
        type: 'asset',
        table: name,
        index: 6,
        key: '5',
        column: 'equnr',
        otherIndex: 5,
        code: 'duplicate_in_batch',
        message: expect.any(String),
      },
    ]);
    expect(answer.body.data.summary).toEqual([
      { code: 'duplicate_in_batch', column: 'equnr', count: 2 },
      { code: 'type_mismatch', column: 'weight', count: 1 },
      { code: 'required_key', column: 'equnr', count: 1 },
      { code: 'unknown_column', column: 'colour', count: 1 },
    ]);
    expect(reportOf(answer).items).toEqual([
      { index: 0, key: '1', status: 'updated' },
      { index: 1, key: '2', status: 'failed' },
      { index: 2, key: null, status: 'failed' },
      { index: 3, key: '3', status: 'failed' },
      { index: 4, key: '4', status: 'created' },
      { index: 5, key: '5', status: 'failed' },
      { index: 6, key: '5', status: 'failed' },
    ]);
    expect(await tables.rows('assets', name)).toEqual([
      { equnr: '1', name: 'Fan', weight: null },
      { equnr: '4', name: null, weight: 4 },
    ]);
  });

  it('returns 200 with onError=continue if all rows are valid', async () => {
    const name = await createTable(EQUIPMENT);
    expect((await tables.bulk('assets', { name, items: [{ equnr: '1' }] }, { onError: 'continue' })).status).toBe(200);
  });

  it('stores the valid rows if others omit required columns', async () => {
    const name = await createTable([text('Key'), text('Name', { required: true })]);
    const answer = await tables.bulk(
      'assets',
      { name, items: [{ key: '1' }, { key: '2', name: 'Pump' }] },
      { onError: 'continue' },
    );
    expect(answer.status).toBe(207);
    expect(await tables.rows('assets', name)).toEqual([{ key: '2', name: 'Pump' }]);
  });

  it('lists the first 1,000 errors, and counts all rows that failed', async () => {
    const name = await createTable(EQUIPMENT);
    const items = manyRows(1500, (position) => ({ equnr: keyAt(position), weight: 'heavy' }));
    const answer = await tables.bulk('assets', { name, items }, { onError: 'continue' });
    expect(reportOf(answer)).toMatchObject({ failed: 1500, created: 0, revision: 1 });
    expect(answer.body.data.errors).toHaveLength(1000);
  });
});

describe('sizes', () => {
  it('counts the rows of all tables against the limit', async () => {
    const items = manyRows(25_001, (position) => ({ equnr: keyAt(position) }));
    const both = ['One', 'Two'].map((name) => ({ name: unique(name), columns: EQUIPMENT, items }));
    const answer = await tables.bulk('assets', both);
    expect(answer.status).toBe(413);
    expect(answer.body.details).toEqual({ limit: 50_000, actual: 50_002 });
  });

  it('stores 50 tables, and returns 413 with limit and actual value for more', async () => {
    const run = unique('');
    const many = manyRows(51, (position) => ({
      name: `T${position}${run}`,
      columns: EQUIPMENT,
      items: [{ equnr: '1' }],
    }));
    const over = await tables.bulk('lists', many);
    expect(over.status).toBe(413);
    expect(over.body.details).toEqual({ limit: 50, actual: 51 });
    const most = await tables.bulk('lists', many.slice(0, 50));
    expect(most.status).toBe(201);
    expect(most.body.data.totals.created).toBe(50);
  });

  it('stores texts of 100,000 characters and rows of 1 MB', async () => {
    const columns = manyRows(11, (position) => text(`C${position}`));
    const long = 'ü'.repeat(100_000);
    const name = await createTable(columns, [{ c0: '1', c1: long, c2: '😀'.repeat(100_000) }]);
    expect((await tables.rows('assets', name))[0]).toMatchObject({ c1: long, c2: '😀'.repeat(100_000) });
  });
});

describe('counters', () => {
  it('count the written rows', async () => {
    const name = await createTable(
      EQUIPMENT,
      manyRows(321, (position) => ({ equnr: keyAt(position) })),
      'lists',
    );
    expect(name).toBeTruthy();
    const metrics = await fetch(`${service.baseUrl}/metrics`).then((response) => response.text());
    expect(metrics).toMatch(/rows.*created.*list|rows.*list.*created/);
  });
});
