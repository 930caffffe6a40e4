import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users and the workspaces they are members of. */
export class Users1763700001000 implements MigrationInterface {
  name = 'Users1763700001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE users (
        id uuid NOT NULL CONSTRAINT pk_users PRIMARY KEY,
        email text NOT NULL CONSTRAINT uq_users_email UNIQUE,
        display_name text,
        status text NOT NULL DEFAULT 'active',
        last_login_at timestamptz(3),
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE TABLE workspace_members (
        workspace_id uuid NOT NULL CONSTRAINT fk_workspace_members_workspace REFERENCES workspaces (id),
        user_id uuid NOT NULL CONSTRAINT fk_workspace_members_user REFERENCES users (id),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT pk_workspace_members PRIMARY KEY (workspace_id, user_id)
      );
      CREATE INDEX ix_workspace_members_user ON workspace_members (user_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE workspace_members, users');
  }
}
