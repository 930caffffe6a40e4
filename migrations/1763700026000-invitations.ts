import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A membership counts once its user has accepted it; all that are there have been. */
export class Invitations1763700026000 implements MigrationInterface {
  name = 'Invitations1763700026000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE workspace_members ADD accepted_at timestamptz(3);
      UPDATE workspace_members SET accepted_at = created_at;
    `);
  }

  /** An invitation reached nothing, and would from now on. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM workspace_members WHERE accepted_at IS NULL;
      ALTER TABLE workspace_members DROP accepted_at;
    `);
  }
}
