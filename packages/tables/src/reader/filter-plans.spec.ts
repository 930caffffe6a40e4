import { Client } from 'pg';
import { TestDatabase } from '../../../../test/support/service.js';
import { uuid } from '../../../sql/src/uuid.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import { type ColumnDefinition, planColumns } from '../catalog/column-plan.js';
import {
  analyzeTableSql,
  createIndexSql,
  createTableSql,
  indexName,
  physicalColumnName,
  physicalTableName,
  schemaName,
  withSelectedRows,
} from '../catalog/physical-table.js';
import { ReferencedTables } from '../catalog/referenced-tables.js';
import { wholeView } from '../catalog/view.js';
import { compileAggregate } from './aggregate-compiler.js';
import { type AggregateQuery, parseAggregate } from './aggregate-parser.js';
import { Parameters } from './bindings.js';
import { compileOrderedSource, mayReadManyRows, parseQuery } from './query-compiler.js';

const workspaceId = uuid();

function createTable(definitions: readonly ColumnDefinition[]): CatalogTable {
  return {
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
    columns: planColumns([], definitions, 200, 0).columns,
    options: {},
    indexes: [],
  };
}

const indexed = { indexed: true };
const sites = createTable([
  { name: 'Key', type: 'text' },
  { name: 'Name', type: 'text', options: indexed },
  { name: 'Parent', type: 'hierarchyParent' },
]);
const pumps = createTable([
  { name: 'Key', type: 'text' },
  { name: 'Maker', type: 'text', options: indexed },
  { name: 'Weight', type: 'number', options: indexed },
  { name: 'Name', type: 'text' },
  { name: 'Site', type: 'reference', options: { target: { entity: 'location', table: 'Sites' } } },
  { name: 'Area', type: 'reference' },
]);
const yards = createTable([
  { name: 'Key', type: 'text' },
  { name: 'Name', type: 'text', options: indexed },
]);
const referenced = new ReferencedTables();
const getColumn = (table: CatalogTable, key: string) => table.columns.find((column) => column.key === key)!;
referenced.set(pumps, getColumn(pumps, 'site'), [sites]);
referenced.set(pumps, getColumn(pumps, 'area'), [sites, yards]);
referenced.set(sites, getColumn(sites, 'parent'), [sites]);

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

describe('the plan of a filter in PostgreSQL', () => {
  let server: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    server = await TestDatabase.create();
    client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query(`CREATE SCHEMA ${schemaName(workspaceId)}`);
    for (const table of [sites, yards, pumps])
      for (const statement of createTableSql(table, table.columns)) await client.query(statement);
    await client.query(`
      INSERT INTO ${physicalTableName(sites)} (c1, c2, c3, _revision, _created_at, _updated_at)
      SELECT 'S' || n, 'Site ' || n, 'S' || n / 10, 1, now(), now() FROM generate_series(1, 20000) n`);
    await client.query(`
      INSERT INTO ${physicalTableName(yards)} (c1, c2, _revision, _created_at, _updated_at)
      SELECT 'Y' || n, 'Yard ' || n, 1, now(), now() FROM generate_series(1, 20000) n`);
    await client.query(`
      INSERT INTO ${physicalTableName(pumps)} (c1, c2, c3, c4, c5, c6, _revision, _created_at, _updated_at)
      SELECT lpad(n::text, 8, '0'), 'Maker ' || n % 3000, n, 'Pump ' || n, 'S' || n % 2000, (ARRAY['S', 'Y'])[n % 2 + 1] || n % 2000, 1, now(), now()
        FROM generate_series(1, 30000) n`);
    for (const [table, key] of [
      [pumps, 'maker'],
      [pumps, 'weight'],
      [sites, 'name'],
      [yards, 'name'],
    ] as const)
      await client.query(createIndexSql(table, [getColumn(table, key)]));
    for (const table of [sites, yards, pumps]) await client.query(analyzeTableSql(table));
  });

  afterAll(async () => {
    await client.end();
    await server.drop();
  });

  const explain = (filter: object): Promise<Plan[]> => {
    const parameters = new Parameters();
    const source = compileOrderedSource(parseQuery(pumps, { filter }, referenced), parameters);
    return explainSql(`SELECT t.c1 ${source} LIMIT 100`, parameters);
  };

  const explainAggregate = (query: AggregateQuery, table = pumps): Promise<Plan[]> => {
    const parameters = new Parameters();
    const sql = compileAggregate(parseAggregate(table, query, referenced), parameters, undefined, 100);
    return explainSql(sql, parameters);
  };

  const explainSql = async (sql: string, parameters: Parameters): Promise<Plan[]> => {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (FORMAT JSON) ${sql}`,
      parameters.values,
    );
    const nodes: Plan[] = [];
    const visit = (plan: Plan) => {
      nodes.push(plan);
      plan.Plans?.forEach(visit);
    };
    visit(rows[0]!['QUERY PLAN'][0].Plan);
    return nodes;
  };

  const maker = indexName(pumps, [getColumn(pumps, 'maker')]);
  const weight = indexName(pumps, [getColumn(pumps, 'weight')]);
  const siteName = indexName(sites, [getColumn(sites, 'name')]);
  const key = (table: CatalogTable) => `t_${table.id.replaceAll('-', '')}_pkey`;
  const site = `t_${pumps.id.replaceAll('-', '')}_c5_idx`;

  const yardName = indexName(yards, [getColumn(yards, 'name')]);
  const area = `t_${pumps.id.replaceAll('-', '')}_c6_idx`;

  it.each<[object, string[]]>([
    [{ maker: 'Maker 7' }, [maker]],
    [{ maker: null }, [maker]],
    [{ maker: { in: ['Maker 7', 'Maker 8'] } }, [maker]],
    [{ maker: { in: ['Maker 7', null] } }, [maker]],
    [{ maker: { gt: 'Maker 2999', lte: 'Maker 3' } }, [maker]],
    [{ maker: { gte: 'Maker 299', lt: 'Maker 2991' } }, [maker]],
    [{ maker: { between: ['Maker 299', 'Maker 2991'] } }, [maker]],
    [{ maker: { startsWith: 'Maker 299' } }, [maker]],
    [{ maker: { startsWith: `Maker 299${'x'.repeat(300)}` } }, [maker]],
    [{ maker: { null: true } }, [maker]],
    [{ key: { startsWith: '0000012' } }, [key(pumps)]],
    [{ site: 'S7' }, [site]],
    [{ site: { startsWith: 'S199' } }, [site]],
    [{ weight: { between: [100, 200] } }, [weight]],
    [{ and: [{ weight: { lt: 100 } }, { name: { contains: '7' } }] }, [weight]],
    [{ weight: { lt: 100 }, not: { name: { endsWith: '7' } } }, [weight]],
    [{ weight: { lt: 100 }, maker: { notIn: ['Maker 7'] } }, [weight]],
    [{ weight: { lt: 100 }, or: [{ name: 'a' }, { name: { contains: 'b' } }] }, [weight]],
    [{ or: [{ maker: 'Maker 7' }, { weight: 8 }] }, [maker, weight]],
    [{ 'site.name': 'Site 7' }, [siteName, site]],
    [{ 'site.name': { startsWith: 'Site 199' } }, [siteName, site]],
    [{ weight: { lt: 10 }, 'site.name': { contains: '7' } }, [weight, key(sites)]],
    [{ weight: { lt: 10 }, 'site.name': { ne: 'Site 7' } }, [weight, key(sites)]],
    [{ weight: { lt: 10 }, 'site.name': { null: true } }, [weight, key(sites)]],
    [{ weight: { lt: 10 }, 'site.name': { notIn: ['Site 7'] } }, [weight, siteName]],
    [{ weight: { lt: 10 }, not: { 'site.name': { endsWith: '7' } } }, [weight, key(sites)]],
    [{ weight: { lt: 10 }, or: [{ 'site.name': 'Site 7' }, { 'site.parent.name': 'Site 7' }] }, [weight, siteName]],
    [{ 'site.parent.name': 'Site 7' }, [siteName, site]],
    [{ 'area.name': 'Yard 7' }, [siteName, yardName, area]],
    [{ 'area.name': { startsWith: 'Yard 199' } }, [siteName, yardName, area]],
    [{ and: [{ 'area.name': { in: ['Yard 7', 'Site 8'] } }, { name: { contains: '7' } }] }, [yardName, area]],
    [{ weight: { lt: 10 }, 'area.name': { ne: 'Site 7' } }, [weight, key(sites), key(yards)]],
    [{ weight: { lt: 10 }, or: [{ 'area.name': 'Site 7' }, { name: 'a' }] }, [weight]],
    [{ 'site.parent.parent.name': 'Site 7' }, [siteName, site]],
  ])('uses an index for %j', async (filter, indexes) => {
    const nodes = await explain(filter);
    expect(nodes.flatMap((node) => node['Index Name'] ?? [])).toEqual(expect.arrayContaining(indexes));
    const scanned = nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']);
    expect(scanned).not.toContain(physicalTableName(pumps).split('.')[1]);
  });

  it.each<[AggregateQuery, string[]]>([
    [{ group: 'maker', filter: { weight: { lt: 10 } } }, [weight]],
    [{ measures: 'count,avg(weight)', filter: { maker: 'Maker 7' } }, [maker]],
    [{ group: 'site.name', filter: { weight: { lt: 10 } }, having: { count: { gt: 1 } } }, [weight, key(sites)]],
    [{ group: 'site', filter: { 'site.name': 'Site 7' }, sort: '-count' }, [siteName, site]],
  ])('uses an index for the aggregate %j', async (query, indexes) => {
    const nodes = await explainAggregate(query);
    expect(nodes.flatMap((node) => node['Index Name'] ?? [])).toEqual(expect.arrayContaining(indexes));
    expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
  });

  it('uses the index of a condition for the permitted rows of an aggregate', async () => {
    const sql = `(SELECT * FROM ${physicalTableName(pumps)} r WHERE ${physicalColumnName(getColumn(pumps, 'weight'))} = 7)`;
    const nodes = await explainAggregate({ group: 'maker' }, withSelectedRows(pumps, sql));
    expect(nodes.flatMap((node) => node['Index Name'] ?? [])).toEqual([weight]);
  });

  it('reads a referenced table once for all groups and measures of an aggregate', async () => {
    const nodes = await explainAggregate({
      group: 'site.name,site.parent',
      measures: 'count,countDistinct(site.name)',
    });
    const read = nodes.flatMap((node) => node['Relation Name'] ?? []);
    expect(read.toSorted()).toEqual([sites, pumps].map((table) => physicalTableName(table).split('.')[1]).toSorted());
  });

  it.each<[object, boolean]>([
    [{ maker: { startsWith: 'a' } }, false],
    [{ weight: { between: [1, 2] } }, false],
    [{ and: [{ weight: 1 }], or: [{ name: 'a' }] }, false],
    [{ or: [{ maker: 'a' }, { weight: 1 }] }, true],
    [{ not: { maker: 'a' } }, true],
    [{ maker: { notIn: ['a'] } }, true],
    [{ maker: { endsWith: 'a' } }, true],
    [{ 'site.name': 'a' }, true],
  ])('may read many rows for %j: %s', (filter, expected) => {
    expect(mayReadManyRows(parseQuery(pumps, { filter }, referenced))).toBe(expected);
  });
});
