import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Moves the tombstones of rows to tables of their own (ADR 0186). Instances of the former version cannot use the tables
 * afterwards: stop all of them before. @incompatible
 */
export class Tombstones1763700016000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [outdated] = (await runner.query(
      'SELECT count(*)::integer AS count FROM workspace_tables WHERE layout < 4',
    )) as [{ count: number }];
    if (outdated.count > 0)
      throw new Error(`${outdated.count} tables have an old layout: run "tables upgrade" of the former version first.`);
    for (const { rows, previous, tombstones, key } of await listTables(runner)) {
      await runner.query(`
        CREATE TABLE ${tombstones} (
          key text COLLATE "C" PRIMARY KEY,
          revision bigint NOT NULL,
          created_at timestamptz(3) NOT NULL,
          deleted_at timestamptz(3) NOT NULL
        )`);
      await runner.query(
        `INSERT INTO ${tombstones} SELECT ${key}, _revision, _created_at, _deleted_at FROM ${rows} WHERE _deleted_at IS NOT NULL`,
      );
      await runner.query(`CREATE INDEX ON ${tombstones} (revision, key)`);
      await runner.query(`CREATE INDEX ON ${tombstones} USING brin (deleted_at)`);
      await runner.query(`DELETE FROM ${rows} WHERE _deleted_at IS NOT NULL`);
      await runner.query(`ALTER TABLE ${rows} DROP COLUMN _deleted_at`);
      await runner.query(`ALTER TABLE ${previous} ADD COLUMN _existed boolean NOT NULL DEFAULT true`);
      await runner.query(`UPDATE ${previous} SET _existed = false WHERE _deleted_at IS NOT NULL`);
      await runner.query(`ALTER TABLE ${previous} DROP COLUMN _deleted_at`);
    }
    await runner.query('ALTER TABLE workspace_tables DROP COLUMN layout');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workspace_tables ADD COLUMN layout integer NOT NULL DEFAULT 4');
    await runner.query('ALTER TABLE workspace_tables ALTER COLUMN layout DROP DEFAULT');
    for (const { rows, previous, tombstones, key } of await listTables(runner)) {
      await runner.query(`ALTER TABLE ${rows} ADD COLUMN _deleted_at timestamptz(3)`);
      await runner.query(
        `INSERT INTO ${rows} (${key}, _revision, _created_at, _updated_at, _deleted_at)
         SELECT key, revision, created_at, deleted_at, deleted_at FROM ${tombstones}`,
      );
      await runner.query(`DROP TABLE ${tombstones}`);
      await runner.query(`CREATE INDEX ON ${rows} USING brin (_deleted_at) WHERE _deleted_at IS NOT NULL`);
      await runner.query(`ALTER TABLE ${previous} ADD COLUMN _deleted_at timestamptz(3)`);
      await runner.query(`UPDATE ${previous} SET _deleted_at = _updated_at WHERE NOT _existed`);
      await runner.query(`ALTER TABLE ${previous} DROP COLUMN _existed`);
    }
  }
}

/** The names of the physical tables of all workspaces. */
async function listTables(runner: QueryRunner) {
  const tables = (await runner.query(
    `SELECT 'ws_' || replace(t.workspace_id::text, '-', '') AS schema, replace(t.id::text, '-', '') AS id, 'c' || c.ordinal AS key
       FROM workspace_tables t
       JOIN workspace_columns c ON c.workspace_id = t.workspace_id AND c.table_id = t.id AND c.primary_key`,
  )) as { schema: string; id: string; key: string }[];
  return tables.map(({ schema, id, key }) => ({
    rows: `${schema}.t_${id}`,
    previous: `${schema}.u_${id}`,
    tombstones: `${schema}.d_${id}`,
    key,
  }));
}
