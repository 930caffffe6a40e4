import { Client } from 'pg';
import { TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

describe.each([
  ['soon after the first were stored', false],
  ['also if a job has analyzed the table before they were committed', true],
])('in a new database', (when, isAnalyzedBefore) => {
  let database: TestDatabase;
  let service: TestService;
  /** A connection that retains its plans, as those of the service do. */
  let session: Client;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database);
    // Autovacuum would analyze the table, too.
    await database.query('ALTER TABLE notes SET (autovacuum_enabled = off)');
    session = new Client(database.url);
    await session.connect();
    await session.query('SET plan_cache_mode = force_generic_plan');
    // As PostgreSQL checks a foreign key.
    await session.query(`PREPARE find_note (uuid, uuid) AS
      SELECT 1 FROM ONLY notes x WHERE workspace_id = $1 AND id = $2 FOR KEY SHARE OF x`);
  });

  afterAll(async () => {
    await session?.end();
    await service?.stop();
    await database?.drop();
  });

  async function usedIndex(): Promise<string | undefined> {
    const { rows } = await session.query<{ 'QUERY PLAN': string }>('EXPLAIN EXECUTE find_note (NULL, NULL)');
    return /Index Scan using (\w+)/.exec(rows.map((row) => row['QUERY PLAN']).join('\n'))?.[1];
  }

  async function countRows(): Promise<number> {
    const [table] = await database.query<{ rows: number }>(
      `SELECT reltuples::int AS rows FROM pg_class WHERE oid = 'notes'::regclass`,
    );
    return table!.rows;
  }

  it(`connections that planned for an empty table find its rows by their keys ${when}`, async () => {
    const { workspaceId } = await service.provision();
    const plannedFor = await usedIndex();
    expect(plannedFor).not.toBe('pk_notes');
    const writer = new Client(database.url);
    await writer.connect();
    await writer.query('BEGIN');
    await writer.query(
      `INSERT INTO notes (workspace_id, id, number, title, description, status, priority, source, words)
       SELECT $1, gen_random_uuid(), n, 'Leak', 'Oil', 'open', 'high', 'workspace', '' FROM generate_series(1, 5000) n`,
      [workspaceId],
    );
    if (isAnalyzedBefore) await until(countRows, (rows) => rows === 0);
    await writer.query('COMMIT');
    await writer.end();
    expect(await usedIndex()).toBe(plannedFor);
    await until(usedIndex, (index) => index === 'pk_notes', 60_000);
  });
});
