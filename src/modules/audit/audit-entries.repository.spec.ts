import { Client } from 'pg';
import { TestDatabase } from '../../../test/support/service.js';
import type { Database } from '../../platform/database/database.js';
import { uuid } from '../../../packages/sql/src/uuid.js';
import type { CursorPosition } from '../../../packages/sql/src/keyset.js';
import { AuditEntriesRepository, type EntryFilter } from './audit-entries.repository.js';
import { WORKSPACE_KINDS } from './audit-kinds.js';

const LIMIT = 100;

describe('a page of the audit log of a workspace', () => {
  const workspaceId = uuid();
  const members = Array.from({ length: 20 }, () => {
    return { userId: uuid(), name: 'Member', since: new Date('2020-01-01'), until: null };
  });
  let server: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    server = await TestDatabase.create();
    client = new Client(server.url);
    await client.connect();
    await client.query(
      `INSERT INTO auth_events (id, at, kind, workspace_id)
       SELECT gen_random_uuid(), now() - n * interval '1 minute', 'load_stored',
              CASE WHEN n % 2 = 0 THEN $1::uuid ELSE gen_random_uuid() END FROM generate_series(1, 20000) n`,
      [workspaceId],
    );
    await client.query(
      `INSERT INTO auth_events (id, at, kind, user_id)
       SELECT gen_random_uuid(), now() - n * interval '1 hour', CASE WHEN n % 10 = 0 THEN 'signed_in' ELSE 'refreshed' END, id
         FROM unnest($1::uuid[]) id, generate_series(1, 500) n`,
      [members.map(({ userId }) => userId)],
    );
    await client.query('VACUUM ANALYZE auth_events');
  });

  afterAll(async () => {
    await client?.end();
    await server?.drop();
  });

  /** The plan of the statement with the rows that it has read. */
  async function explain(filter: Partial<EntryFilter>, after?: CursorPosition): Promise<string> {
    let plan = '';
    const query = async (sql: string, parameters: unknown[]) => {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, TIMING OFF) ${sql}`, parameters);
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return [];
    };
    const entries = new AuditEntriesRepository({ query } as unknown as Database);
    await entries.list(workspaceId, { kinds: WORKSPACE_KINDS, ...filter }, members, after, LIMIT);
    return plan;
  }

  it.each<[string, Partial<EntryFilter>, CursorPosition | undefined]>([
    ['the first one', {}, undefined],
    ['a later one', {}, [new Date(Date.now() - 86_400_000).toISOString(), uuid()]],
    ['with a rare kind', { kinds: ['table_dropped', 'load_stored'] }, undefined],
    ['of a time', { from: new Date(Date.now() - 7 * 86_400_000), to: new Date(Date.now() - 86_400_000) }, undefined],
  ])('is read by indexes, and no more rows than the page needs: %s', async (_, filter, after) => {
    const plan = await explain(filter, after);
    expect(plan).toMatch(/Index (Only )?Scan (Backward )?using ix_auth_events_workspace/);
    expect(plan).toMatch(/Index (Only )?Scan (Backward )?using ix_auth_events_access/);
    expect(plan).not.toContain('Seq Scan on auth_events');
    expect(plan).not.toContain('Rows Removed by Filter');
    const read = [...plan.matchAll(/ix_auth_events_workspace .*actual rows=([\d.]+) loops=(\d+)/g)];
    const rows = read.reduce((sum, [, each, loops]) => sum + Number(each) * Number(loops), 0);
    expect(read).toHaveLength(1);
    // The average of all kinds is rounded.
    expect(rows).toBeLessThanOrEqual(LIMIT + 1 + WORKSPACE_KINDS.length);
  });
});
