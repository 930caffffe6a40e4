import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the revision at which the build of an index failed, after which the index is built again. */
export class FailedIndexes1763700058000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE column_indexes ADD COLUMN failed_revision bigint');
    // Indexes that failed before are built again when their tables are written.
    await runner.query(
      `UPDATE column_indexes i SET due_at = now(), failed_revision = t.revision
         FROM workspace_tables t
        WHERE i.state = 'failed' AND t.workspace_id = i.workspace_id AND t.id = i.table_id`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE column_indexes SET due_at = NULL WHERE state = 'failed'`);
    await runner.query('ALTER TABLE column_indexes DROP COLUMN failed_revision');
  }
}
