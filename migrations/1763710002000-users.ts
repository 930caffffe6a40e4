import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Users and their memberships. A membership is valid from `accepted_at`; before that it is an invitation. The operator
 * sets `users.status`, which applies to all workspaces; a workspace sets the status of a membership. `policy_id` is the
 * access policy of the member, `client_policies` has those of the member's OAuth clients (ADR 0161). `periods` contains
 * the times at which the user was a member (ADR 0181). An erasure also replaces `former_emails`.
 */
export class Users1763710002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE users (
        id uuid NOT NULL CONSTRAINT pk_users PRIMARY KEY,
        email text NOT NULL CONSTRAINT uq_users_email UNIQUE,
        status text NOT NULL DEFAULT 'active',
        last_login_at timestamptz(3),
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        former_emails text[] NOT NULL DEFAULT '{}'
      );
      CREATE TABLE workspace_members (
        workspace_id uuid NOT NULL CONSTRAINT fk_workspace_members_workspace REFERENCES workspaces (id),
        user_id uuid NOT NULL CONSTRAINT fk_workspace_members_user REFERENCES users (id),
        external_id text,
        display_name text,
        accepted_at timestamptz(3),
        archived_at timestamptz(3),
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        created_by uuid,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_by uuid,
        status text NOT NULL DEFAULT 'active',
        role text NOT NULL DEFAULT 'editor',
        policy_id uuid,
        client_policies jsonb,
        periods jsonb NOT NULL DEFAULT '[]',
        CONSTRAINT pk_workspace_members PRIMARY KEY (workspace_id, user_id),
        CONSTRAINT uq_workspace_members_external_id UNIQUE (workspace_id, external_id)
      );
      CREATE INDEX ix_workspace_members_user ON workspace_members (user_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE workspace_members, users');
  }
}
