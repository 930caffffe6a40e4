import type { MigrationInterface, QueryRunner } from 'typeorm';

/** From this time on, a deleted workspace is removed. Until then it can be restored. */
export class DeletedWorkspaces1763710020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE workspaces ADD COLUMN removal_due_at timestamptz(3);
      CREATE INDEX ix_workspaces_removal ON workspaces (removal_due_at) WHERE removal_due_at IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workspaces DROP COLUMN removal_due_at');
  }
}
