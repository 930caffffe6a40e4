import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds access policies (ADR 0161). Existing memberships and API keys have none. Instances of the former version ignore
 * policies: assign the first one when all instances have the new version.
 */
export class AccessPolicies1763700020000 implements MigrationInterface {
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
      ALTER TABLE workspace_members ADD COLUMN policy_id uuid;
      ALTER TABLE api_keys ADD COLUMN policy_id uuid;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys DROP COLUMN policy_id;
      ALTER TABLE workspace_members DROP COLUMN policy_id;
      DROP TABLE access_policies;
    `);
  }
}
