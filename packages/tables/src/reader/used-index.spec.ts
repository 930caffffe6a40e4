import { Client } from 'pg';
import { uuid } from '../../../sql/src/uuid.js';
import { TestDatabase } from '../../../../test/support/service.js';
import type { Sql } from '../../../sql/src/sql.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import { planColumns } from '../catalog/column-plan.js';
import {
  analyzeTableSql,
  createIndexSql,
  createTableSql,
  indexName,
  physicalTableName,
  schemaName,
} from '../catalog/physical-table.js';
import { wholeView } from '../catalog/view.js';
import { Parameters } from './bindings.js';
import type { CursorPosition } from '../../../sql/src/keyset.js';
import { QueryRowsRepository } from './query-rows.repository.js';
import { compileOrderedSource, compilePosition, parseQuery, type RowQuery, suggestIndex } from './query-compiler.js';

const { columns } = planColumns(
  [],
  [
    { name: 'Key', type: 'text' },
    { name: 'Maker', type: 'text' },
    { name: 'Weight', type: 'number' },
    { name: 'Active', type: 'checkbox' },
    { name: 'Name', type: 'text' },
    { name: 'Parent', type: 'hierarchyParent' },
    { name: 'Note', type: 'text', options: { indexed: true } },
  ],
  200,
  0,
);
const [, maker, weight, active, name, parent, note] = columns.map(({ ordinal }) => ordinal);

const workspaceId = uuid();

const createTable = (...indexes: number[][]): CatalogTable => ({
  view: wholeView(workspaceId),
  workspaceId,
  id: uuid(),
  entity: 'asset',
  name: 'Pumps',
  nameKey: 'pumps',
  revision: 1,
  droppedOrdinal: 0,
  hasTombstones: true,
  historySince: 0,
  changesSince: 0,
  definitionId: uuid(),
  columns,
  options: {},
  indexes,
});

const LONG = 'x'.repeat(50);

describe('the composite index of a query', () => {
  const table = createTable([maker!, weight!], [maker!, active!, name!], [weight!, active!], [note!, name!]);
  const compile = (query: RowQuery) => {
    const parameters = new Parameters();
    return compileOrderedSource(parseQuery(table, query), parameters).replace(/^FROM \S+ t( WHERE )?/, '');
  };

  it.each<[string, RowQuery, string]>([
    ['its filters and sort column', { filter: { maker: 'ABB' }, sort: '-weight' }, 'left(t.c2, 40) = $1::text ORDER BY left(t.c2, 40) DESC, t.c3 DESC, t.c1 DESC'],
    ['long values', { filter: { maker: LONG }, sort: 'weight' }, '(left(t.c2, 40) = $1::text AND t.c2 = $2::text) ORDER BY left(t.c2, 40), t.c3, t.c1'],
    ['empty values', { filter: { maker: null }, sort: 'weight' }, 'left(t.c2, 40) IS NULL ORDER BY left(t.c2, 40), t.c3, t.c1'],
    ['a text as sort column', { filter: { maker: 'ABB', active: true }, sort: 'name' }, 'left(t.c2, 40) = $1::text AND t.c4 = $2::boolean ORDER BY left(t.c2, 40), t.c4, left(t.c5, 256), t.c1'],
    ['filters on all its columns', { filter: { maker: 'ABB', weight: 1 } }, 'left(t.c2, 40) = $1::text AND t.c3 = $2::double precision ORDER BY left(t.c2, 40), t.c3, t.c1'],
    ['a range of its sort column', { filter: { maker: 'ABB', weight: { gt: 1 } }, sort: 'weight' }, 'left(t.c2, 40) = $1::text AND t.c3 > $2::double precision ORDER BY left(t.c2, 40), t.c3, t.c1'],
    ['several sort columns', { sort: '-weight,-active' }, ' ORDER BY t.c3 DESC, t.c4 DESC, t.c1 DESC'],
    ['its filters, if the column has no own index', { filter: { maker: 'ABB' }, sort: '-weight,name' }, 'left(t.c2, 40) = $1::text ORDER BY t.c3 DESC, left(t.c5, 256), t.c1'],
    ['no filter that the own index of the column serves', { filter: { note: 'a' }, sort: 'weight' }, 'left(t.c7, 256) = $1::text ORDER BY t.c3, t.c1'],
    ['no query without its first column', { filter: { active: true }, sort: 'name' }, 't.c4 = $1::boolean ORDER BY left(t.c5, 256), t.c1'],
    ['no subtree', { under: 'a', filter: { maker: 'ABB' }, sort: 'weight' }, 't.c2 = $1::text AND'],
  ])('serves %s', (_, query, sql) => expect(compile(query)).toContain(sql)); // prettier-ignore

  it.each<[RowQuery, string[] | undefined]>([
    [{ filter: { maker: 'ABB' }, sort: '-weight' }, undefined],
    [{ filter: { maker: 'ABB' }, sort: 'name' }, ['maker', 'name']],
    [{ filter: { maker: 'ABB', parent: 'a' }, sort: 'name' }, ['maker', 'parent', 'name']],
    [{ filter: { parent: 'a', active: { null: true } } }, ['parent', 'active']],
    [{ filter: { active: true } }, ['active']],
    [{ filter: { name: { gt: 'a' } } }, ['name']],
    [{ sort: '-name' }, ['name']],
    [{ sort: 'note' }, undefined],
    [{ filter: { parent: 'a' } }, undefined],
    [{ filter: { key: 'a' }, sort: 'name' }, undefined],
    [{ filter: { maker: { ne: 'ABB' } }, sort: 'name' }, undefined],
    [{ filter: { active: true }, sort: '-name,weight' }, undefined],
    [{ filter: { maker: 'ABB' }, sort: 'name', q: 'a' }, undefined],
    [{ filter: { maker: 'A', active: true, parent: 'a', weight: 1 }, sort: 'name' }, undefined],
  ])('is suggested for %j: %j', (query, suggested) => {
    expect(suggestIndex(parseQuery(table, query))).toEqual(suggested);
  });
});

describe('a composite index in PostgreSQL', () => {
  const INDEXES = [
    [maker!, weight!],
    [maker!, active!, name!],
    [parent!, name!],
    [weight!, active!],
  ];
  const ROWS = 30_000;
  const table = createTable(...INDEXES);
  let server: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    server = await TestDatabase.create();
    client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query(`CREATE SCHEMA ${schemaName(table.workspaceId)}`);
    for (const statement of createTableSql(table, columns)) await client.query(statement);
    await client.query(`
      INSERT INTO ${physicalTableName(table)} (c1, c2, c3, c4, c5, c6, c7, _revision, _created_at, _updated_at)
      SELECT lpad(n::text, 8, '0'), (ARRAY['ABB', 'Siemens', '${LONG}a', '${LONG}b', NULL])[n % 5 + 1],
             nullif(n % 700, 3), n % 3 = 0, (ARRAY['pump', 'valve', repeat('é', 300)])[n % 3 + 1] || n % 500,
             'P' || n % 20, NULL, 1, now(), now() FROM generate_series(1, ${ROWS}) n`);
    for (const ordinals of [...INDEXES, [note!]]) await client.query(createIndexSql(table, toColumns(ordinals)));
    await client.query(analyzeTableSql(table));
  });

  afterAll(async () => {
    await client.end();
    await server.drop();
  });

  const toColumns = (ordinals: readonly number[]) =>
    ordinals.map((ordinal) => columns.find((column) => column.ordinal === ordinal)!);

  interface Plan {
    'Node Type': string;
    'Index Name'?: string;
    'Rows Removed by Filter'?: number;
    'Plan Rows': number;
    Plans?: Plan[];
  }

  /** The plans of the statements that read the page. */
  const explain = async (query: RowQuery, after?: CursorPosition): Promise<Plan[]> => {
    const selection = parseQuery(table, query);
    const plans: Plan[] = [];
    for (const keyset of after ? compilePosition(selection, after) : [undefined]) {
      const parameters = new Parameters();
      const sql = `SELECT t.c1 ${compileOrderedSource(selection, parameters, keyset)} LIMIT 100`;
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
        parameters.values,
      );
      plans.push(rows[0]!['QUERY PLAN'][0].Plan);
    }
    return plans;
  };

  it.each<[RowQuery, number[], CursorPosition | undefined]>([
    [{ filter: { maker: 'ABB' }, sort: 'weight' }, [maker!, weight!], undefined],
    [{ filter: { maker: 'ABB' }, sort: '-weight' }, [maker!, weight!], undefined],
    [{ filter: { maker: 'ABB' }, sort: 'weight' }, [maker!, weight!], [600, '00010000']],
    [{ filter: { maker: 'ABB' }, sort: '-weight' }, [maker!, weight!], [300, '00010000']],
    [{ filter: { maker: 'ABB' }, sort: '-weight' }, [maker!, weight!], [null, '00010000']],
    [{ filter: { maker: { null: true } }, sort: '-weight' }, [maker!, weight!], [300, '00010000']],
    [{ filter: { maker: 'ABB', weight: { gte: 20, lt: 300 } }, sort: 'weight' }, [maker!, weight!], [30, '00010000']],
    [{ filter: { maker: 'ABB', active: false }, sort: 'name' }, [maker!, active!, name!], undefined],
    [{ filter: { maker: 'ABB', active: 'X' }, sort: '-name' }, [maker!, active!, name!], ['pump37', '00010000']],
    [{ filter: { parent: 'P7' }, sort: '-name' }, [parent!, name!], ['pump37', '00010000']],
    [{ sort: 'weight,active' }, [weight!, active!], undefined],
  ])('serves %j without sorting (%j, cursor %j)', async (query, ordinals, after) => {
    for (const { Plans: [scan] = [] } of await explain(query, after)) {
      expect(scan).toMatchObject({
        'Node Type': expect.stringMatching(/^Index (Only )?Scan$/),
        'Index Name': indexName(table, toColumns(ordinals)),
      });
      expect(scan!['Rows Removed by Filter'] ?? 0).toBe(0);
    }
  });

  it('finds candidates by the start of a long value and compares the whole', async () => {
    const [plan] = await explain({ filter: { maker: `${LONG}a` }, sort: 'weight' });
    expect(plan!.Plans![0]).toMatchObject({ 'Index Name': indexName(table, toColumns([maker!, weight!])) });
    const sql = `SELECT count(*)::int AS rows FROM ${physicalTableName(table)}`;
    const { rows } = await client.query<{ rows: number }>(`${sql} WHERE left(c2, 40) = left('${LONG}', 40)`);
    expect(rows[0]!.rows).toBe((2 * ROWS) / 5);
  });

  it('lets PostgreSQL estimate the number of rows', async () => {
    const parameters = new Parameters();
    const sql = compileOrderedSource(parseQuery(table, { filter: { maker: 'ABB' } }), parameters);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (FORMAT JSON) SELECT 1 ${sql}`,
      parameters.values,
    );
    const estimate = rows[0]!['QUERY PLAN'][0].Plan['Plan Rows'];
    expect(estimate).toBeGreaterThan(ROWS / 5 / 2);
    expect(estimate).toBeLessThan((ROWS / 5) * 2);
  });

  it('is not needed to serialize only the rows of a page', async () => {
    const entry = [table.workspaceId, table.id, uuid()];
    // Without triggers PostgreSQL does not check that the workspace exists.
    await client.query('SET session_replication_role = replica');
    await client.query(
      `INSERT INTO workspace_tables (workspace_id, id, entity, name, name_key, definition_id)
       VALUES ($1, $2, 'asset', 'Pumps', 'pumps', $3)`,
      entry,
    );
    const plans: string[] = [];
    const database = {
      query: async (sql: string, values: unknown[]) => {
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, TIMING OFF) ${sql}`, values);
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
        return [{}];
      },
    } as unknown as Sql;
    const selection = parseQuery(table, { filter: { active: true }, sort: 'parent' });
    await new QueryRowsRepository(database).getPage(selection, [], undefined, 100);
    const [, ...subPlans] = plans[0]!.split(/SubPlan \d+/);
    const loops = subPlans.map((subPlan) => Number(/loops=(\d+)/.exec(subPlan)![1]));
    // The rows of the page with the next one. The revision of the table is an InitPlan.
    expect(loops).toEqual([101]);
  });

  it('accepts the longest values that its columns can have', async () => {
    const longest = createTable();
    const texts = planColumns(
      [],
      ['Key', 'A', 'B', 'C', 'D'].map((each) => ({ name: each, type: 'text' as const })),
      200,
      0,
    ).columns;
    const physical = { ...longest, workspaceId: table.workspaceId, columns: texts };
    for (const statement of createTableSql(physical, texts)) await client.query(statement);
    await client.query(createIndexSql(physical, texts.slice(1)));
    // Random, so that PostgreSQL cannot compress them.
    const random = (characters: number) =>
      Array.from({ length: characters }, () => String.fromCodePoint(0x20000 + Math.floor(Math.random() * 40_000))).join(
        '',
      );
    await client.query(
      `INSERT INTO ${physicalTableName(physical)} (c1, c2, c3, c4, c5, _revision, _created_at, _updated_at)
       VALUES ($1, $2, $3, $4, $5, 1, now(), now())`,
      [random(255), random(5_000), random(5_000), random(5_000), random(5_000)],
    );
  });
});
