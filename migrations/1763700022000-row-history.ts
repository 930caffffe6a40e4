import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Replaces the previous rows of batches by the former rows of all changes, and adds the revisions of tables (ADR 0186).
 * The history of existing tables starts now, and their former batches can no longer be undone. Instances of the former
 * version cannot write the tables afterwards: stop all of them before. The migration takes about 15 locks per workspace
 * table: for thousands of tables, increase `max_locks_per_transaction` of PostgreSQL. @incompatible
 */
export class RowHistory1763700022000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE workspace_tables ADD COLUMN history_since bigint NOT NULL DEFAULT 0;
      CREATE TABLE table_revisions (
        workspace_id uuid NOT NULL,
        table_id uuid NOT NULL,
        revision bigint NOT NULL,
        at timestamptz(3) NOT NULL,
        by uuid,
        batch_id uuid,
        source text,
        CONSTRAINT pk_table_revisions PRIMARY KEY (workspace_id, table_id, revision)
      );
      CREATE INDEX ix_table_revisions_at ON table_revisions (workspace_id, table_id, at);
      DROP INDEX ix_table_batches_kept;
      CREATE INDEX ix_table_batches_old ON table_batches (created_at);
      ALTER TABLE table_batches DROP COLUMN undo_bytes, DROP COLUMN purged_at;
    `);
    // Later revisions have the time of PostgreSQL, too.
    const [{ now }] = (await runner.query('SELECT clock_timestamp()::timestamptz(3) AS now')) as [{ now: Date }];
    for (const { workspaceId, id, rows, previous, former, key } of await listTables(runner)) {
      await runner.query('UPDATE workspace_tables SET history_since = revision WHERE workspace_id = $1 AND id = $2', [
        workspaceId,
        id,
      ]);
      // Reads as of a time find this revision, although no rows have changed with it.
      await runner.query(
        `INSERT INTO table_revisions (workspace_id, table_id, revision, at)
         SELECT t.workspace_id, t.id, t.revision, $3 FROM workspace_tables t WHERE t.workspace_id = $1 AND t.id = $2`,
        [workspaceId, id, now],
      );
      await runner.query(`DROP TABLE ${previous}`);
      await runner.query(
        `CREATE TABLE ${former} (_ended_revision bigint NOT NULL, _renamed_to text COLLATE "C", LIKE ${rows})`,
      );
      await runner.query(`CREATE INDEX ON ${former} (${key}, _ended_revision)`);
      await runner.query(`CREATE INDEX ON ${former} USING brin (_ended_revision) WITH (autosummarize = on)`);
      await runner.query(`CREATE INDEX ON ${former} (_renamed_to) WHERE _renamed_to IS NOT NULL`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { rows, previous, former, key } of await listTables(runner)) {
      await runner.query(`DROP TABLE ${former}`);
      await runner.query(
        `CREATE TABLE ${previous} (_batch_id uuid NOT NULL, _undo_revision bigint, _restored bigint,
                                   _existed boolean NOT NULL DEFAULT true, LIKE ${rows})`,
      );
      await runner.query(`CREATE INDEX ON ${previous} USING brin (_batch_id) WITH (autosummarize = on)`);
      await runner.query(`CREATE INDEX ON ${previous} (${key}) WHERE _restored IS NOT NULL`);
    }
    await runner.query(`
      DROP INDEX ix_table_batches_old;
      ALTER TABLE table_batches
        ADD COLUMN undo_bytes bigint NOT NULL DEFAULT 0,
        ADD COLUMN purged_at timestamptz(3) DEFAULT now();
      ALTER TABLE table_batches ALTER COLUMN purged_at DROP DEFAULT;
      CREATE INDEX ix_table_batches_kept ON table_batches (created_at) WHERE purged_at IS NULL;
      DROP TABLE table_revisions;
      ALTER TABLE workspace_tables DROP COLUMN history_since;
    `);
  }
}

/** The names of the physical tables of all workspaces. */
async function listTables(runner: QueryRunner) {
  const tables = (await runner.query(
    `SELECT 'ws_' || replace(t.workspace_id::text, '-', '') AS schema, replace(t.id::text, '-', '') AS suffix,
            t.workspace_id AS "workspaceId", t.id, 'c' || c.ordinal AS key
       FROM workspace_tables t
       JOIN workspace_columns c ON c.workspace_id = t.workspace_id AND c.table_id = t.id AND c.primary_key`,
  )) as Record<'workspaceId' | 'id' | 'schema' | 'suffix' | 'key', string>[];
  return tables.map(({ schema, suffix, ...table }) => ({
    ...table,
    rows: `${schema}.t_${suffix}`,
    previous: `${schema}.u_${suffix}`,
    former: `${schema}.h_${suffix}`,
  }));
}
