import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Access policies (ADR 0161). Memberships, API keys and subscriptions refer to them. */
export class AccessPolicies1763710015000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE access_policies (
        workspace_id uuid NOT NULL CONSTRAINT fk_access_policies_workspace REFERENCES workspaces (id),
        id uuid NOT NULL,
        name text NOT NULL,
        name_key text NOT NULL,
        version integer NOT NULL DEFAULT 1,
        scopes text[],
        rules jsonb NOT NULL,
        created_by uuid,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_by uuid,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT pk_access_policies PRIMARY KEY (workspace_id, id),
        CONSTRAINT uq_access_policies_name UNIQUE (workspace_id, name_key)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE access_policies');
  }
}
