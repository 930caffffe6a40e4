import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The status of a membership. `users.status` becomes that of the operator: users who are suspended remain suspended
 * everywhere.
 */
export class MembershipStatus1763700015000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE workspace_members ADD COLUMN status text NOT NULL DEFAULT 'active'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workspace_members DROP COLUMN status');
  }
}
