import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a table knows of the rows that were deleted from it. */
export class Tombstones1763700023000 implements MigrationInterface {
  name = 'Tombstones1763700023000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE workspace_tables
        ADD COLUMN tombstones_since timestamptz(3),
        ADD COLUMN changes_since bigint NOT NULL DEFAULT 0;
      CREATE INDEX ix_workspace_tables_tombstones ON workspace_tables (tombstones_since) WHERE tombstones_since IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX ix_workspace_tables_tombstones;
      ALTER TABLE workspace_tables DROP COLUMN tombstones_since, DROP COLUMN changes_since;
    `);
  }
}
