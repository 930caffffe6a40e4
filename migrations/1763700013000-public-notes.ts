import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether callers without credentials may write notes: of a project, and of a workspace, which has settings from now on. */
export class PublicNotes1763700013000 implements MigrationInterface {
  name = 'PublicNotes1763700013000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE projects ADD COLUMN public_notes boolean NOT NULL DEFAULT true;
      ALTER TABLE workspaces ADD COLUMN settings jsonb NOT NULL DEFAULT '{}';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE workspaces DROP COLUMN settings;
      ALTER TABLE projects DROP COLUMN public_notes;
    `);
  }
}
