import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Memberships are records: a name and an external id in the workspace, an end that can be undone. The audit log says who and where. */
export class Members1763700020000 implements MigrationInterface {
  name = 'Members1763700020000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE workspace_members ADD display_name text, ADD external_id text, ADD archived_at timestamptz(3),
        ADD version integer NOT NULL DEFAULT 1, ADD created_by uuid,
        ADD updated_at timestamptz(3) NOT NULL DEFAULT now(), ADD updated_by uuid,
        ADD CONSTRAINT uq_workspace_members_external_id UNIQUE (workspace_id, external_id);
      UPDATE workspace_members SET display_name = u.display_name, updated_at = workspace_members.created_at
        FROM users u WHERE u.id = user_id;
      ALTER TABLE users DROP display_name;
      ALTER TABLE auth_events ADD actor_id uuid, ADD workspace_id uuid;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE auth_events DROP actor_id, DROP workspace_id;
      ALTER TABLE users ADD display_name text;
      UPDATE users SET display_name = (
        SELECT display_name FROM workspace_members
         WHERE user_id = users.id AND display_name IS NOT NULL ORDER BY created_at, workspace_id LIMIT 1);
      DELETE FROM workspace_members WHERE archived_at IS NOT NULL;
      ALTER TABLE workspace_members DROP display_name, DROP external_id, DROP archived_at, DROP version, DROP created_by,
        DROP updated_at, DROP updated_by;
    `);
  }
}
