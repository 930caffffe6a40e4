import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The role of a membership. Existing members become owners, so that no user loses access. Members whom either version
 * adds afterwards are editors, unless the version names another role.
 */
export class MembershipRoles1763700018000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE workspace_members ADD COLUMN role text NOT NULL DEFAULT 'owner'`);
    await runner.query(`ALTER TABLE workspace_members ALTER COLUMN role SET DEFAULT 'editor'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workspace_members DROP COLUMN role');
  }
}
