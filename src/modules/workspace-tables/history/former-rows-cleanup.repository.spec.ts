import { Client } from 'pg';
import { TestDatabase } from '../../../../test/support/service.js';
import type { Database } from '../../../platform/database/database.js';
import { uuid } from '../../../../packages/sql/src/uuid.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import { RowHistory } from '../../../../packages/tables/src/catalog/row-history.js';
import { FormerRowsCleanup } from './former-rows-cleanup.repository.js';

const REVISIONS = 20_000;

/** A node of a plan. */
interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

describe('a step of the removal of former rows', () => {
  const workspaceId = uuid();
  const [old, recent] = [uuid(), uuid()];
  let server: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    server = await TestDatabase.create();
    client = new Client(server.url);
    await client.connect();
    await client.query("INSERT INTO workspaces (id, name, slug) VALUES ($1, 'Plant', 'plant')", [workspaceId]);
    await client.query(
      `INSERT INTO workspace_tables (workspace_id, id, entity, name, name_key, definition_id)
       SELECT $1, id, 'asset', id, id, gen_random_uuid() FROM unnest($2::uuid[]) id`,
      [workspaceId, [old, recent]],
    );
    await client.query(
      `INSERT INTO table_revisions (workspace_id, table_id, revision, at)
       SELECT $1, id, n, now() - CASE WHEN id = $3 AND n < 5 THEN interval '40 days' ELSE interval '1 day' END
         FROM unnest($2::uuid[]) id, generate_series(1, $4::integer) n`,
      [workspaceId, [old, recent], old, REVISIONS],
    );
    await client.query('VACUUM ANALYZE table_revisions');
  });

  afterAll(async () => {
    await client?.end();
    await server?.drop();
  });

  it('finds the tables with old rows without a read of their recent revisions', async () => {
    let plan: Plan | undefined;
    let found: object[] = [];
    const queryAllWorkspaces = async (toSql: (isReachable: () => string) => string) => {
      const sql = toSql(() => '/* of all workspaces */ true');
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`);
      plan = rows[0]!['QUERY PLAN'][0].Plan;
      found = (await client.query<object>(sql)).rows;
      return [];
    };
    let removeNext: ((rows: number) => Promise<number>) | undefined;
    const jobs = { cleanUp: (_: string, removal: typeof removeNext) => (removeNext = removal) };
    new FormerRowsCleanup(
      { queryAllWorkspaces } as unknown as Database,
      jobs as unknown as Jobs,
      {} as CatalogRepository,
      new RowHistory(30),
    ).onModuleInit();
    await removeNext!(1_000);
    expect(found).toEqual([{ workspaceId, id: old, until: 4 }]);
    expect(countRows(plan!)).toBeLessThan(100);
  });
});

/** The rows that the nodes of a plan have read. */
function countRows({ Plans = [], ...plan }: Plan): number {
  const own = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  return Plans.reduce((sum, part) => sum + countRows(part), own);
}
