import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the access policies of OAuth clients (ADR 0161). Existing clients have none. Instances of the former version
 * ignore them: assign the first one when all instances have the new version.
 */
export class ClientPolicies1763700045000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workspace_members ADD COLUMN client_policies jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workspace_members DROP COLUMN client_policies');
  }
}
