import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { ROOT } from '../support/service.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { column, type Item, keyAt, manyRows, type Surface, Tables, text } from '../support/tables.js';
import { signIn } from '../support/tokens.js';

const WEBHOOK = '/v1/api/notes/erp/webhook';

type Record_ = Record<string, unknown>;
type Payload = Record<string, unknown>;

/** One record of each array, with every field of section 2.5. */
const PAYLOAD = {
  functionalLocations: [
    { TPLNR: '0001', PLTXT: 'Works', EQART: 'SITE', SWERK: '0100', TPLMA: '', PARENTPLTXT: '' },
    { TPLNR: '0001-02', PLTXT: 'Hall', EQART: 'AREA', SWERK: '0100', TPLMA: '0001', PARENTPLTXT: 'Works' },
  ],
  equipment: [{ EQUNR: '000000000010004711', EQKTX: 'Feed pump', EQART: 'PUMP', TPLNR: '0001-02' }],
  workCentres: [
    { PM_WKCTR: '00001010', ARBPL: 'MECH', WERKS: '0100', LVORM: 'X', KTEXT: 'Mechanics' },
    { ARBPL: '0ELEC', WERKS: '', LVORM: '', KTEXT: 'Electrics' },
  ],
  priorities: [{ PRIOK: '1', PRIOKX: 'Very high', DIFF_START_MS: '3600000', DIFF_END_MS: 86_400_000 }],
  categories: [{ codegrp: '0PM', code: '0010', catalog: 'C', codegrp_txt: 'Pumps', code_txt: 'Bearing' }],
};

/** The records of the webhook as rows, with the column keys of the migration guide. */
const ROWS: [Surface, string, Item[]][] = [
  [
    'locations',
    'Functional Locations',
    [
      { tplnr: '0001', name: 'Works', object_type: 'SITE', parent: null, swerk: '0100', parent_description: '' },
      {
        tplnr: '0001-02',
        name: 'Hall',
        object_type: 'AREA',
        parent: '0001',
        swerk: '0100',
        parent_description: 'Works',
      },
    ],
  ],
  ['assets', 'Assets', [{ equnr: '000000000010004711', name: 'Feed pump', object_type: 'PUMP', location: '0001-02' }]],
  [
    'lists',
    'Work Centers',
    [
      { pm_wkctr: '00001010', arbpl: 'MECH', werks: '0100', name: 'Mechanics', lvorm: true },
      { pm_wkctr: '0ELEC', arbpl: '0ELEC', werks: '', name: 'Electrics', lvorm: false },
    ],
  ],
  ['lists', 'Priorities', [{ priok: '1', name: 'Very high', diff_start_ms: 3_600_000, diff_end_ms: 86_400_000 }]],
  ['lists', 'Categories', [{ codegrp: '0PM', code: '0010', catalog: 'C', codegrp_txt: 'Pumps', code_txt: 'Bearing' }]],
];

/** Keys and types of the columns, in order. The first column is the primary key. */
const COLUMNS: Record<string, string[]> = {
  'Functional Locations': [
    'tplnr text',
    'name text',
    'object_type text',
    'parent hierarchyParent',
    'swerk text',
    'parent_description text',
  ],
  Assets: ['equnr text', 'name text', 'object_type text', 'location reference'],
  'Work Centers': ['pm_wkctr text', 'arbpl text', 'werks text', 'name text', 'lvorm checkbox'],
  Priorities: ['priok text', 'name text', 'diff_start_ms number', 'diff_end_ms number'],
  Categories: ['codegrp text', 'code text', 'catalog text', 'codegrp_txt text', 'code_txt text'],
};

describe('the legacy webhook', () => {
  let database: Database;
  let service: SharedService;
  let me: Credentials;
  let api: Api;
  let tables: Tables;

  beforeAll(async () => {
    ({ database, service } = await shareService());
  });

  /** Each test has its own workspace, because the tables have fixed names. */
  beforeEach(async () => {
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
    tables = Tables.of(service, me);
  });

  const push = (payload: unknown, query = ''): Promise<ApiResponse> => api.post(WEBHOOK + query, payload);
  const locations = (...records: unknown[]) => ({ functionalLocations: records });
  const rowsOf = (surface: Surface, table: string) => tables.rows(surface, table);
  const storedLocations = () => rowsOf('locations', 'Functional Locations');
  const reportOf = (answer: ApiResponse, array: string) =>
    (answer.body.data.arrays as Record<string, any>[]).find((each) => each['array'] === array)!;
  const errorsOf = (answer: ApiResponse) => answer.body.details.errors as Record<string, unknown>[];
  const columnsOf = (table: string) =>
    database.query<{ key: string; type: string; name: string; primary: boolean }>(
      `SELECT c.key, c.type, c.name, c.primary_key AS "primary"
         FROM workspace_columns c JOIN workspace_tables t ON t.workspace_id = c.workspace_id AND t.id = c.table_id
        WHERE t.workspace_id = $1 AND t.name = $2 ORDER BY c.ordinal`,
      [me.workspaceId, table],
    );
  const tableNames = async () =>
    (
      await database.query<{ name: string }>('SELECT name FROM workspace_tables WHERE workspace_id = $1', [
        me.workspaceId,
      ])
    ).map(({ name }) => name);
  /** Renames a table as an administrator does. */
  const renameTable = (from: string, to: string) =>
    database.query(
      'UPDATE workspace_tables SET name = $3, name_key = lower($3) WHERE workspace_id = $1 AND name = $2',
      [me.workspaceId, from, to],
    );
  const auditLines = () =>
    database.query<{ kind: string; apiKeyId: string; userId: string; counts: any; reason: string | null }>(
      `SELECT kind, api_key_id AS "apiKeyId", user_id AS "userId", counts, reason
         FROM auth_events WHERE user_id = $1 AND kind = 'webhook_called' ORDER BY id`,
      [me.userId],
    );

  describe('storage', () => {
    it('creates the tables of section 2.4 with exactly these columns and stores all five arrays', async () => {
      const answer = await push(PAYLOAD);
      expect(answer).toMatchObject({ status: 201, body: { status: 201, message: 'Stored' } });
      expect(answer.body.data.totals).toEqual({
        received: 7,
        created: 7,
        updated: 0,
        unchanged: 0,
        failed: 0,
        collapsed: 0,
      });
      expect(answer.body.data.unmapped).toEqual([]);
      for (const [surface, table, rows] of ROWS) expect(await rowsOf(surface, table)).toEqual(rows);
      for (const [table, expected] of Object.entries(COLUMNS)) {
        const columns = await columnsOf(table);
        expect(columns.map(({ key, type }) => `${key} ${type}`)).toEqual(expected);
        expect(columns.map(({ primary }) => primary)).toEqual(expected.map((_, position) => position === 0));
      }
    });

    it('stores the same values as the bulk request', async () => {
      await push(PAYLOAD);
      const stored = await Promise.all(ROWS.map(([surface, table]) => rowsOf(surface, table)));
      const other = await service.provision();
      const otherTables = Tables.of(service, other);
      for (const [surface, name, items] of ROWS) {
        const columns = (await columnsOf(name)).map(({ key, name: title, type, primary }) => ({
          key,
          name: title,
          type,
          primaryKey: primary,
        }));
        expect((await otherTables.bulk(surface, { name, columns, items })).status).toBe(201);
      }
      expect(await Promise.all(ROWS.map(([surface, table]) => otherTables.rows(surface, table)))).toEqual(stored);
    });

    it('updates rows that the bulk request stored, and vice versa', async () => {
      await push(PAYLOAD);
      const items = ROWS[0]![2];
      const again = await tables.bulk('locations', { name: 'Functional Locations', items });
      expect(again.body.data.totals).toMatchObject({ received: 2, unchanged: 2 });
      await tables.bulk('assets', {
        name: 'Assets',
        items: [{ equnr: '000000000010004711', name: 'Pump by bulk' }],
      });
      const changed = reportOf(await push({ equipment: PAYLOAD.equipment }), 'equipment');
      expect(changed).toMatchObject({ tableCreated: false, updated: 1, columnsAdded: [] });
      expect(await rowsOf('assets', 'Assets')).toEqual(ROWS[1]![2]);
    });

    it('uses an existing table with other columns and adds the missing ones', async () => {
      const columns = [text('TPLNR', { primaryKey: true }), text('Name'), text('Cost Center')];
      await tables.bulk('locations', {
        name: 'functional LOCATIONS',
        columns,
        items: [{ tplnr: '9', cost_center: 'C' }],
      });
      const answer = await push(locations({ TPLNR: '9', PLTXT: 'Nine' }));
      expect(answer.status).toBe(200);
      expect(reportOf(answer, 'functionalLocations')).toMatchObject({
        tableCreated: false,
        columnsAdded: ['object_type', 'parent', 'swerk', 'parent_description'],
        updated: 1,
      });
      expect(await storedLocations()).toMatchObject([
        { tplnr: '9', name: 'Nine', cost_center: 'C', object_type: null },
      ]);
    });

    it.each(Object.keys(PAYLOAD) as (keyof typeof PAYLOAD)[])('stores %s without other arrays', async (array) => {
      const answer = await push({ [array]: PAYLOAD[array] });
      expect(answer.status).toBe(201);
      expect(answer.body.data.arrays.map((each: any) => each.array)).toEqual([array]);
      expect(await tableNames()).toHaveLength(1);
    });

    it('accepts arrays in any order and reports them in the order sent', async () => {
      const names = Object.keys(PAYLOAD).reverse() as (keyof typeof PAYLOAD)[];
      const answer = await push(Object.fromEntries(names.map((name) => [name, PAYLOAD[name]])));
      expect(answer.status).toBe(201);
      expect(answer.body.data.arrays.map((each: any) => each.array)).toEqual(names);
      for (const [surface, table, rows] of ROWS) expect(await rowsOf(surface, table)).toEqual(rows);
      expect(reportOf(answer, 'equipment')['unresolved'].total).toBe(0);
    });

    it('accepts fields and arrays in any letter case', async () => {
      const payloadWith = (change: (name: string) => string) =>
        Object.fromEntries(
          Object.entries(PAYLOAD).map(([array, records]) => [
            change(array),
            records.map((record) =>
              Object.fromEntries(Object.entries(record).map(([field, value]) => [change(field), value])),
            ),
          ]),
        );
      expect((await push(payloadWith((name) => name.toLowerCase()))).status).toBe(201);
      for (const [surface, table, rows] of ROWS) expect(await rowsOf(surface, table)).toEqual(rows);
      const again = await push(payloadWith((name) => name.toUpperCase()));
      expect(again.body.data.totals).toMatchObject({ received: 7, unchanged: 7 });
      expect(again.body.data.arrays.flatMap((each: any) => each.fieldsNotMapped.first)).toEqual([]);
    });

    it('writes nothing if a request is repeated, and retains fields that are not sent', async () => {
      const first = await push(PAYLOAD);
      const second = await push(PAYLOAD);
      expect(second).toMatchObject({
        status: 200,
        body: { data: { totals: { unchanged: 7, created: 0, updated: 0 } } },
      });
      const revisions = (answer: ApiResponse) => answer.body.data.arrays.map((each: any) => each.revision);
      expect(revisions(second)).toEqual(revisions(first));
      expect((await push(locations({ TPLNR: '0001', EQART: 'PLANT' }))).body.data.totals).toMatchObject({ updated: 1 });
      expect((await storedLocations())[0]).toEqual({ ...ROWS[0]![2][0], object_type: 'PLANT' });
    });

    it('stores empty text as empty text and null as null', async () => {
      await push(locations({ TPLNR: '1', PLTXT: 'One', EQART: 'X' }));
      await push(locations({ TPLNR: '1', PLTXT: '', EQART: null, TPLMA: '' }));
      expect(await storedLocations()).toMatchObject([{ tplnr: '1', name: '', object_type: null, parent: null }]);
      await push({ priorities: [{ PRIOK: '1', DIFF_START_MS: '' }], workCentres: [{ PM_WKCTR: '1', LVORM: '' }] });
      expect(await rowsOf('lists', 'Priorities')).toMatchObject([{ diff_start_ms: null }]);
      expect(await rowsOf('lists', 'Work Centers')).toMatchObject([{ lvorm: false }]);
    });

    it('stores external IDs as text with leading zeros, also if a number was sent', async () => {
      await push({ equipment: [{ EQUNR: '000042' }, { EQUNR: 42 }] });
      expect((await rowsOf('assets', 'Assets')).map(({ equnr }) => equnr)).toEqual(['000042', '42']);
    });

    it('uses ARBPL as external ID if PM_WKCTR is missing or empty', async () => {
      const workCentres = [{ ARBPL: 'A' }, { PM_WKCTR: '', ARBPL: 'B' }, { PM_WKCTR: null, ARBPL: 'C' }];
      const answer = await push({ workCentres: [...workCentres, { PM_WKCTR: 'D', ARBPL: 'A' }] });
      expect(answer.body.data.totals).toMatchObject({ created: 4, collapsed: 0 });
      const stored = await rowsOf('lists', 'Work Centers');
      expect(stored.map(({ pm_wkctr, arbpl }) => [pm_wkctr, arbpl])).toEqual([
        ['A', 'A'],
        ['B', 'B'],
        ['C', 'C'],
        ['D', 'A'],
      ]);
    });

    it('stores the description of a parent as text, not as a reference', async () => {
      const answer = await push(locations({ TPLNR: '2', PARENTPLTXT: 'Nowhere' }));
      expect(reportOf(answer, 'functionalLocations')['unresolved']).toEqual({ total: 0, first: [] });
      expect(await storedLocations()).toMatchObject([{ parent: null, parent_description: 'Nowhere' }]);
    });

    it('accepts an empty array', async () => {
      const answer = await push({ priorities: [] });
      expect(answer.status).toBe(201);
      expect(answer.body.data.totals).toMatchObject({ received: 0, created: 0 });
    });

    it('stores only in the workspace of the API key', async () => {
      const other = await service.provision();
      const foreign = Tables.of(service, other);
      await new Api(service.baseUrl).withKey(other.apiKey).post(WEBHOOK, locations({ TPLNR: '1', PLTXT: 'Theirs' }));
      await push(locations({ TPLNR: '1', PLTXT: 'Mine' }));
      expect(await foreign.rows('locations', 'Functional Locations')).toMatchObject([{ name: 'Theirs' }]);
      expect(await storedLocations()).toMatchObject([{ name: 'Mine' }]);
      expect(await foreign.revision('locations', 'Functional Locations')).toBe(1);
    });

    it('stores 20,000 records, and writes nothing if they are repeated', async () => {
      const equipment = manyRows(20_000, (position) => ({
        EQUNR: keyAt(position),
        EQKTX: `Pump ${position}`,
        EQART: 'PUMP',
        TPLNR: '0001',
        ERDAT: '20240101',
      }));
      const first = await push({ functionalLocations: PAYLOAD.functionalLocations, equipment });
      expect(first.body.data.totals).toMatchObject({ received: 20_002, created: 20_002 });
      expect(reportOf(first, 'equipment')['fieldsNotMapped']).toEqual({
        total: 20_000,
        first: [{ field: 'ERDAT', records: 20_000 }],
      });
      expect((await push({ equipment })).body.data.totals).toMatchObject({ unchanged: 20_000 });
      const stored = await rowsOf('assets', 'Assets');
      expect(stored).toHaveLength(20_000);
      expect(stored[12_345]).toEqual({
        equnr: keyAt(12_345),
        name: 'Pump 12345',
        object_type: 'PUMP',
        location: '0001',
      });
    });
  });

  describe('report', () => {
    it('lists duplicate external IDs, of which only the last record is stored', async () => {
      const answer = await push({
        categories: [
          { codegrp: 'PM', code: '1', code_txt: 'One' },
          { codegrp: 'QM', code: '1' },
          { codegrp: ' PM ', code: '2', catalog: 'C' },
          { codegrp: 'PM', code: '3' },
        ],
      });
      const report = reportOf(answer, 'categories');
      expect(report).toMatchObject({ received: 4, created: 2, collapsed: 2, failed: 0 });
      expect(report['duplicates']).toEqual([{ key: 'PM', records: 3, kept: 3 }]);
      expect(await rowsOf('lists', 'Categories')).toMatchObject([
        { codegrp: 'PM', code: '3', catalog: null, code_txt: null },
        { codegrp: 'QM', code: '1' },
      ]);
    });

    it('lists at most 20 duplicate external IDs and counts all', async () => {
      const categories = manyRows(100, (position) => ({ codegrp: `G${position % 50}`, code: String(position) }));
      const report = reportOf(await push({ categories }), 'categories');
      expect(report).toMatchObject({ received: 100, created: 50, collapsed: 50 });
      expect(report['duplicates']).toHaveLength(20);
    });

    it('lists unmapped fields and unknown keys of the body', async () => {
      const answer = await push({
        ...locations({ TPLNR: '1', ERDAT: '20240101', KOSTL: 'K' }, { TPLNR: '2', erdat: '' }),
        measuringPoints: [{ POINT: '1' }],
        source: 'nightly',
      });
      expect(answer.status).toBe(201);
      expect(answer.body.data.unmapped).toEqual(['measuringPoints', 'source']);
      expect(reportOf(answer, 'functionalLocations')['fieldsNotMapped']).toEqual({
        total: 3,
        first: [
          { field: 'ERDAT', records: 1 },
          { field: 'KOSTL', records: 1 },
          { field: 'erdat', records: 1 },
        ],
      });
      expect(Object.keys((await storedLocations())[0]!)).toEqual(
        COLUMNS['Functional Locations']!.map((each) => each.split(' ')[0]),
      );
    });

    it('lists at most 20 unmapped fields and counts all', async () => {
      const unmapped = Object.fromEntries(manyRows(50, (position) => [`Z${position}`, 'x']));
      const { total, first } = reportOf(await push(locations({ TPLNR: '1', ...unmapped })), 'functionalLocations')[
        'fieldsNotMapped'
      ];
      expect([total, first.length]).toEqual([50, 20]);
    });

    it('lists unresolved parents and references, which resolve when the target is stored', async () => {
      const payload = {
        equipment: [
          { EQUNR: '1', TPLNR: 'LATER' },
          { EQUNR: '1', tplnr: 'LATER' },
        ],
        ...locations({ TPLNR: 'A' }, { TPLNR: 'B', tplma: 'LATER' }),
      };
      const answer = await push(payload);
      expect(answer.status).toBe(201);
      expect(reportOf(answer, 'equipment')['unresolved']).toEqual({
        total: 1,
        first: [{ index: 1, field: 'tplnr', value: 'LATER' }],
      });
      expect(reportOf(answer, 'functionalLocations')['unresolved']).toEqual({
        total: 1,
        first: [{ index: 1, field: 'tplma', value: 'LATER' }],
      });
      await push(locations({ TPLNR: 'LATER' }));
      const again = await push(payload);
      expect(again.body.data.arrays.map((each: any) => each.unresolved.total)).toEqual([0, 0]);
    });

    it('contains the table from which the records can be read', async () => {
      const { table } = reportOf(await push(PAYLOAD), 'workCentres') as any;
      expect(table).toEqual({ id: expect.any(String), type: 'list', name: 'Work Centers' });
      expect(await rowsOf('lists', table.id)).toEqual(ROWS[2]![2]);
    });
  });

  describe('validation', () => {
    const invalid: Payload = {
      functionalLocations: [
        { TPLNR: '1', PLTXT: 'One' },
        { pltxt: 'No ID' },
        { TPLNR: '', PLTXT: 'No ID either' },
        { TPLNR: '2', tplma: { nested: true } },
        { TPLNR: '3', PLTXT: 'a', pltxt: 'b' },
        'TPLNR',
        { TPLNR: '4', TPLMA: '5' },
        { TPLNR: '5', TPLMA: '4' },
      ],
      workCentres: [{ PM_WKCTR: '' }, { ARBPL: 'A', LVORM: 'maybe' }, { Arbpl: 'B'.repeat(256) }],
      priorities: [{ PRIOK: '1', diff_start_ms: '1e400' }, { PRIOK: '2' }],
    };
    const expected = [
      ['functionalLocations', 1, 'TPLNR', 'required_key'],
      ['functionalLocations', 2, 'TPLNR', 'required_key'],
      ['functionalLocations', 3, 'tplma', 'type_mismatch'],
      ['functionalLocations', 4, 'PLTXT', 'ambiguous_field'],
      ['functionalLocations', 5, undefined, 'type_mismatch'],
      ['functionalLocations', 6, 'TPLMA', 'hierarchy_cycle'],
      ['functionalLocations', 7, 'TPLMA', 'hierarchy_cycle'],
      ['workCentres', 0, 'PM_WKCTR', 'required_key'],
      ['workCentres', 1, 'LVORM', 'type_mismatch'],
      ['workCentres', 2, 'Arbpl', 'type_mismatch'],
      ['priorities', 0, 'diff_start_ms', 'type_mismatch'],
    ];
    const summarize = ({ array, index, field, code }: Record<string, unknown>) => [array, index, field, code];

    it('returns 422, stores nothing and lists every error with array, position and field', async () => {
      const answer = await push(invalid);
      expect(answer).toMatchObject({ status: 422, body: { error: 'invalid_records', details: { total: 11 } } });
      expect(errorsOf(answer).map(summarize)).toEqual(expected);
      for (const { message } of errorsOf(answer)) expect(message).not.toMatch(/pm_wkctr|tplnr|object_type|column/);
      expect(await tableNames()).toEqual([]);
    });

    it('stores the valid records with onError=continue and returns 207', async () => {
      const answer = await push(invalid, '?onError=continue');
      expect(answer).toMatchObject({ status: 207, body: { message: '11 records were not stored' } });
      expect(answer.body.data.totals).toMatchObject({ received: 13, created: 2, failed: 11 });
      const errors = answer.body.data.arrays.flatMap((each: any) => each.errors);
      expect(errors.map(summarize)).toEqual(expected);
      expect((await storedLocations()).map(({ tplnr }) => tplnr)).toEqual(['1']);
    });

    it('reports an invalid record by its position among all records, including duplicates', async () => {
      const equipment: Record_[] = manyRows(5_000, (position) => ({ EQUNR: keyAt(position), EQKTX: 'Pump' }));
      equipment.unshift({ EQUNR: keyAt(0), EQKTX: 'collapsed' });
      equipment[2_501] = { EQUNR: keyAt(2_500), EQKTX: 'with \u0000' };
      const answer = await push({ functionalLocations: PAYLOAD.functionalLocations, equipment });
      expect(answer.status).toBe(422);
      expect(errorsOf(answer)).toMatchObject([{ array: 'equipment', index: 2_501, key: keyAt(2_500), field: 'EQKTX' }]);
      expect(await tableNames()).toEqual([]);
      const partly = await push({ equipment }, '?onError=continue');
      expect(partly.body.data.totals).toMatchObject({ received: 5_001, created: 4_999, failed: 1, collapsed: 1 });
    });

    it('lists at most 1,000 errors and counts all', async () => {
      const answer = await push({ equipment: manyRows(1_500, () => ({})) });
      expect([answer.status, answer.body.details.total, errorsOf(answer).length]).toEqual([422, 1_500, 1_000]);
    });

    it.each([
      ['none of the five arrays', { things: [] }],
      ['nothing', {}],
      ['a list', []],
      ['an array that is a text', { equipment: 'x' }],
      ['an array that is a number', { equipment: 0 }],
      ['an array twice, in two letter cases', { equipment: [], Equipment: [] }],
    ])('returns 400 for a body with %s', async (_, body) => {
      const { status, body: answer } = await push(body);
      expect(status).toBe(400);
      expect(answer.message.length + JSON.stringify(answer.details ?? '').length).toBeGreaterThan(20);
      expect(await tableNames()).toEqual([]);
    });

    it('describes the expected body if it is missing', async () => {
      const { status, body } = await api.post(WEBHOOK);
      expect([status, body.message]).toEqual([400, expect.stringContaining('functionalLocations')]);
    });

    it('returns 400 for unknown query parameters and values', async () => {
      expect((await push(PAYLOAD, '?onerror=continue')).status).toBe(400);
      expect((await push(PAYLOAD, '?onError=ignore')).status).toBe(400);
    });

    it('returns 413 for more than 50,000 records', async () => {
      const { status, body } = await push({ equipment: manyRows(50_001, (position) => ({ EQUNR: String(position) })) });
      expect([status, body.error, body.details]).toEqual([413, 'too_many_rows', { limit: 50_000, actual: 50_001 }]);
    });

    it.each([
      ['another primary key', [text('ARBPL', { primaryKey: true }), text('Name')], 'pm_wkctr'],
      [
        'another primary key in addition to its own',
        [text('ARBPL', { primaryKey: true }), text('PM_WKCTR')],
        'pm_wkctr',
      ],
      ['another type of a column', [text('PM_WKCTR'), column('LVORM', 'date')], 'lvorm'],
    ])('returns 422 with advice if the table name exists with %s', async (_, columns, key) => {
      await tables.bulk('lists', { name: 'Work Centers', columns, items: [] });
      const answer = await push({ workCentres: [{ PM_WKCTR: '1', ARBPL: 'A' }], priorities: PAYLOAD.priorities });
      expect(answer).toMatchObject({ status: 422, body: { error: 'incompatible_table' } });
      expect(errorsOf(answer)).toEqual([
        expect.objectContaining({
          array: 'workCentres',
          column: key,
          message: expect.stringContaining('give it another name'),
        }),
      ]);
      expect(await tableNames()).toEqual(['Work Centers']);
      expect(await rowsOf('lists', 'Work Centers')).toEqual([]);
      await renameTable('Work Centers', 'Our Work Centers');
      expect((await push({ workCentres: [{ PM_WKCTR: '1', ARBPL: 'A' }] })).status).toBe(201);
    });
  });

  describe('after a change by an administrator', () => {
    it('finds a renamed table by its ID', async () => {
      await push(PAYLOAD);
      await renameTable('Work Centers', 'Gewerke');
      const answer = await push({ workCentres: [{ PM_WKCTR: '00001010', KTEXT: 'Mechanik' }] });
      expect(answer.status).toBe(200);
      expect(reportOf(answer, 'workCentres')).toMatchObject({ table: { name: 'Gewerke' }, updated: 1 });
      expect(await tableNames()).not.toContain('Work Centers');
      expect((await rowsOf('lists', 'Gewerke'))[0]).toMatchObject({ name: 'Mechanik' });
    });

    it('finds a renamed table if another table has its former name', async () => {
      await push(locations({ TPLNR: '1' }));
      await renameTable('Functional Locations', 'Orte');
      await tables.bulk('locations', {
        name: 'Functional Locations',
        columns: [text('Key')],
        items: [{ key: 'mine' }],
      });
      expect((await push(locations({ TPLNR: '1', PLTXT: 'One' }))).body.data.totals).toMatchObject({ updated: 1 });
      expect(await storedLocations()).toEqual([{ key: 'mine' }]);
      // Equipment that is stored now references the table by its ID.
      const answer = await push({ equipment: [{ EQUNR: '1', TPLNR: '1' }] });
      expect(reportOf(answer, 'equipment')['unresolved'].total).toBe(0);
    });

    it('finds two tables that exchanged their names', async () => {
      await push({ priorities: PAYLOAD.priorities, categories: PAYLOAD.categories });
      await renameTable('Priorities', 'aside');
      await renameTable('Categories', 'Priorities');
      await renameTable('aside', 'Categories');
      const answer = await push({ categories: PAYLOAD.categories, priorities: PAYLOAD.priorities });
      expect(answer).toMatchObject({ status: 200, body: { data: { totals: { unchanged: 2 } } } });
      const rejected = await push({ priorities: [{ PRIOK: '1', DIFF_END_MS: 'soon' }], categories: [{ codegrp: '' }] });
      expect(errorsOf(rejected).map(({ array }) => array)).toEqual(['priorities', 'categories']);
    });

    it('returns 422 with advice if a renamed table has the name of a table to create', async () => {
      await push({ priorities: PAYLOAD.priorities });
      await renameTable('Priorities', 'Categories');
      const both = await push({ priorities: PAYLOAD.priorities, categories: PAYLOAD.categories });
      const single = await push({ categories: PAYLOAD.categories });
      for (const answer of [both, single]) {
        expect(answer).toMatchObject({ status: 422, body: { error: 'incompatible_table' } });
        expect(errorsOf(answer)).toMatchObject([
          { array: 'categories', message: expect.stringContaining('give it another name') },
        ]);
      }
      await renameTable('Categories', 'Stufen');
      const { body } = await push({ priorities: PAYLOAD.priorities, categories: PAYLOAD.categories });
      expect(body.data.totals).toMatchObject({ created: 1, unchanged: 1 });
    });

    it('finds renamed columns by key and does not change added columns', async () => {
      await push(PAYLOAD);
      await database.query(
        `UPDATE workspace_columns c SET name = CASE c.key WHEN 'name' THEN 'object_type' ELSE 'PLTXT' END
           FROM workspace_tables t
          WHERE t.workspace_id = c.workspace_id AND t.id = c.table_id AND t.name = 'Functional Locations'
            AND c.workspace_id = $1 AND c.key IN ('name', 'swerk')`,
        [me.workspaceId],
      );
      const added = [text('Cost Center'), column('Open', 'checkbox')];
      const items = [{ tplnr: '0001', cost_center: 'C1', open: true }];
      await tables.bulk('locations', { name: 'Functional Locations', columns: added, items });
      const answer = await push({ functionalLocations: [{ ...PAYLOAD.functionalLocations[0], PLTXT: 'Plant' }] });
      expect(reportOf(answer, 'functionalLocations')).toMatchObject({ updated: 1, columnsAdded: [] });
      expect((await storedLocations())[0]).toEqual({
        ...ROWS[0]![2][0],
        name: 'Plant',
        cost_center: 'C1',
        open: true,
      });
      expect((await columnsOf('Functional Locations')).map(({ name }) => name)).toEqual(
        expect.arrayContaining(['object_type', 'PLTXT', 'Cost Center']),
      );
    });

    it('reports a required column that the webhook does not fill', async () => {
      await push(locations({ TPLNR: '1' }));
      await tables.bulk('locations', {
        name: 'Functional Locations',
        columns: [text('Cost Center', { required: true })],
        items: [{ tplnr: '1', cost_center: 'C' }],
      });
      expect((await push(locations({ TPLNR: '1', PLTXT: 'One' }))).status).toBe(200);
      const answer = await push(locations({ TPLNR: '1' }, { TPLNR: '2' }));
      expect(errorsOf(answer)).toEqual([
        {
          array: 'functionalLocations',
          index: 1,
          key: '2',
          code: 'required',
          message: expect.stringContaining('which the webhook does not fill'),
        },
      ]);
    });

    it('updates a row by its new key after a key rename', async () => {
      await push(PAYLOAD);
      const path = `${tables.path}/locations/Functional%20Locations/items/0001/rename`;
      expect((await api.post(path, { key: '0009' })).status).toBe(200);
      expect((await push(locations({ TPLNR: '0009', PLTXT: 'Renamed' }))).body.data.totals).toMatchObject({
        updated: 1,
      });
    });
  });

  describe('access and audit', () => {
    it('ignores Authorization and requires an API key', async () => {
      const { access_token } = await signIn(new Api(service.baseUrl), me);
      for (const Authorization of ['Bearer broken', 'Bearer', `Bearer ${access_token}`, 'Basic eDp5', 'nonsense']) {
        expect([200, 201]).toContain((await api.post(WEBHOOK, PAYLOAD, { Authorization })).status);
      }
      const rejected = await new Api(service.baseUrl).withToken(access_token).post(WEBHOOK, PAYLOAD);
      expect([rejected.status, rejected.body.message]).toEqual([401, expect.stringContaining('X-API-Key')]);
      const wrong = await new Api(service.baseUrl)
        .with({ 'X-API-Key': `${me.apiKey}x` })
        .post(WEBHOOK, PAYLOAD, { Authorization: `Bearer ${access_token}` });
      expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_api_key']);
    });

    it('returns 401 if the key is revoked or its user is suspended', async () => {
      const keyOf = async () => {
        const [key] = await database.query<{ id: string }>('SELECT id FROM api_keys WHERE user_id = $1', [me.userId]);
        return key!.id;
      };
      await service.operator('user', 'suspend', me.userId);
      expect((await push(PAYLOAD)).status).toBe(401);
      await service.operator('user', 'activate', me.userId);
      expect((await push(PAYLOAD)).status).toBe(201);
      await service.operator('api-key', 'revoke', await keyOf());
      expect((await push(PAYLOAD)).status).toBe(401);
      expect(await auditLines()).toHaveLength(1);
    });

    it('returns Deprecation and the successor on every response', async () => {
      const link = `<https://atrium.test${tables.path}/bulk>; rel="successor-version"`;
      const answers = [await push(PAYLOAD), await push({}), await push({ equipment: [{}] })];
      expect(answers.map(({ status }) => status)).toEqual([201, 400, 422]);
      for (const { headers } of answers) {
        expect(headers.get('deprecation')).toMatch(/^@\d+$/);
        // Errors also link to their entry in the catalog.
        expect(headers.get('link')!.split(', ')[0]).toBe(link);
      }
      const { status, headers } = await new Api(service.baseUrl).post(WEBHOOK, PAYLOAD);
      expect([status, headers.get('deprecation')]).toEqual([401, expect.stringMatching(/^@\d+$/)]);
      expect(headers.get('link')).toContain('rel="successor-version"');
    });

    it('replays the response for a repeated Idempotency-Key, with one effect and one audit event', async () => {
      const headers = { 'Idempotency-Key': 'night-1' };
      const first = await api.post(WEBHOOK, PAYLOAD, headers);
      const second = await api.post(WEBHOOK, PAYLOAD, headers);
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.body).toEqual(first.body);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect((await api.post(WEBHOOK, { equipment: [] }, headers)).status).toBe(422);
      expect(await auditLines()).toHaveLength(1);
    });

    it('records a rejected request with Idempotency-Key, and releases the key', async () => {
      const headers = { 'Idempotency-Key': 'night-2' };
      expect((await api.post(WEBHOOK, { equipment: [{}] }, headers)).status).toBe(422);
      expect((await api.post(WEBHOOK, PAYLOAD, headers)).status).toBe(201);
      expect((await auditLines()).map(({ counts }) => counts.received)).toEqual([1, 7]);
    });

    it('records the key ID and counts of stored and rejected requests, but no secret', async () => {
      await push(PAYLOAD);
      await push({ equipment: [{}, {}] });
      await push({});
      const [key] = await database.query<{ id: string }>('SELECT id FROM api_keys WHERE user_id = $1', [me.userId]);
      const counts = { received: 7, created: 7, updated: 0, unchanged: 0, failed: 0, collapsed: 0 };
      const line = { kind: 'webhook_called', apiKeyId: key!.id, userId: me.userId };
      expect(await auditLines()).toEqual([
        { ...line, counts, reason: null },
        // Rejected calls have one entry per minute, with the reason of the first one.
        { ...line, counts: { received: 2, times: 2 }, reason: expect.stringContaining('2 errors') },
      ]);
      const seen = await service.operator<Record_[]>('audit', '--kind', 'webhook_called', '--user', me.userId);
      expect(seen.map(({ apiKeyId }) => apiKeyId)).toEqual([key!.id, key!.id]);
      const everything = JSON.stringify(await database.query('SELECT * FROM auth_events')) + service.output.join('');
      expect(everything).not.toContain(me.apiKey);
      expect(everything).not.toContain(me.apiKey.slice(4, 30));
    });
  });

  describe('concurrency', () => {
    const records = (from: number, by: string) =>
      manyRows(300, (position) => ({ EQUNR: keyAt((from + position * 7) % 500), EQKTX: by, TPLNR: 'X' }));

    it('creates each table once for eight concurrent first requests', async () => {
      const answers = await Promise.all(manyRows(8, () => push(PAYLOAD)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
      expect((await tableNames()).sort()).toEqual(Object.keys(COLUMNS).sort());
      const created = answers.reduce((sum, { body }) => sum + (body.data.totals.created as number), 0);
      expect(created).toBe(7);
    });

    it('causes neither deadlocks nor lost updates together with bulk requests', async () => {
      await push(PAYLOAD);
      const before = await deadlocks();
      const calls = manyRows(24, (round) => {
        const equipment = records(round * 13, `webhook ${round}`);
        const locationRecords = locations(
          ...manyRows(50, (position) => ({ TPLNR: keyAt(position), PLTXT: `webhook ${round}` })),
        );
        if (round % 3 === 0) return push({ equipment, ...locationRecords });
        if (round % 3 === 1) return push({ ...locationRecords, equipment });
        return tables.bulkAll([
          { type: 'location', name: 'Functional Locations', items: [{ tplnr: keyAt(round), swerk: `bulk ${round}` }] },
          { type: 'asset', name: 'Assets', items: [{ equnr: keyAt(round), object_type: `bulk ${round}` }] },
        ]);
      });
      const answers = await Promise.all(calls);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const assets = new Map((await rowsOf('assets', 'Assets')).map((row) => [row['equnr'], row]));
      // The webhook does not send the type, so the value of the bulk request remains.
      for (let round = 2; round < 24; round += 3)
        expect(assets.get(keyAt(round))!['object_type']).toBe(`bulk ${round}`);
      expect(await deadlocks()).toBe(before);
    });

    it('causes no deadlocks with bulk requests on tables that exchanged their names', async () => {
      await push({ priorities: PAYLOAD.priorities, categories: PAYLOAD.categories });
      await renameTable('Priorities', 'aside');
      await renameTable('Categories', 'Priorities');
      await renameTable('aside', 'Categories');
      const before = await deadlocks();
      const answers = await Promise.all(
        manyRows(30, (round) =>
          round % 2 === 0
            ? push({
                priorities: [{ PRIOK: '1', PRIOKX: `${round}` }],
                categories: [{ codegrp: '1', code: `${round}` }],
              })
            : tables.bulk('lists', [
                { name: 'Categories', items: [{ priok: '1', name: `${round}` }] },
                { name: 'Priorities', items: [{ codegrp: '1', code: `${round}` }] },
              ]),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(await deadlocks()).toBe(before);
    });

    it('stores every record while an administrator renames the table', async () => {
      await push({ categories: [{ codegrp: 'first' }] });
      const renames = async () => {
        for (let round = 0; round < 10; round++)
          await renameTable(
            round % 2 === 0 ? 'Categories' : 'Kategorien',
            round % 2 === 0 ? 'Kategorien' : 'Categories',
          );
      };
      const pushes = manyRows(20, (round) => push({ categories: [{ codegrp: `G${round}` }] }));
      const [answers] = await Promise.all([Promise.all(pushes), renames()]);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(await tableNames()).toEqual(['Categories']);
      expect(await rowsOf('lists', 'Categories')).toHaveLength(21);
    });

    async function deadlocks(): Promise<number> {
      // PostgreSQL updates the statistics within a second.
      await new Promise((done) => setTimeout(done, 1_100));
      return database.deadlocks();
    }
  });

  describe('migration guide', () => {
    const guide = readFileSync(join(ROOT, 'docs/how-to/migrating-from-the-webhook.md'), 'utf8');
    const [webhookBody, bulkBody] = [...guide.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => JSON.parse(json!));

    it('shows equivalent bodies for the webhook and the bulk request', async () => {
      expect((await push(webhookBody)).status).toBe(201);
      const dry = await tables.bulkAll(bulkBody.tables, { dryRun: 'true' });
      const { received } = dry.body.data.totals;
      expect(dry.body.data.totals).toEqual({ received, created: 0, updated: 0, unchanged: received, failed: 0 });
      expect(dry.body.data.tables.flatMap((table: any) => [...table.columnsAdded, ...table.columnsIgnored])).toEqual(
        [],
      );
      const other = await service.provision();
      expect((await Tables.of(service, other).bulkAll(bulkBody.tables)).status).toBe(201);
      const after = await new Api(service.baseUrl).withKey(other.apiKey).post(WEBHOOK, webhookBody);
      expect(after).toMatchObject({ status: 200, body: { data: { totals: { created: 0, updated: 0 } } } });
      const names = bulkBody.tables.map(({ type, name }: any): [Surface, string] => [`${type as 'list'}s`, name]);
      for (const [surface, name] of names) {
        expect(await Tables.of(service, other).rows(surface, name)).toEqual(await rowsOf(surface, name));
      }
    });

    it('documents the mapping of every field', async () => {
      const rows = [...guide.matchAll(/^\| `(\w+)` \| `(\w+)` \| (\w+)[^|]* \| ([^|]+) \|$/gm)];
      const documented = rows.map(([, , key, type]) => `${key} ${type}`);
      expect(documented).toEqual(Object.values(COLUMNS).flat());
      await push(webhookBody);
      const titles = await Promise.all(Object.keys(COLUMNS).map((table) => columnsOf(table)));
      expect(rows.map(([, , , , title]) => title!.trim())).toEqual(titles.flat().map(({ name }) => name));
    });
  });
});
