import type { MigrationInterface, QueryRunner } from 'typeorm';

/** API keys, each of one user and bound to one workspace. Found by their HMAC, so small and global. */
export class ApiKeys1763700004000 implements MigrationInterface {
  name = 'ApiKeys1763700004000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE api_keys (
        id uuid NOT NULL CONSTRAINT pk_api_keys PRIMARY KEY,
        user_id uuid NOT NULL CONSTRAINT fk_api_keys_user REFERENCES users (id),
        workspace_id uuid NOT NULL CONSTRAINT fk_api_keys_workspace REFERENCES workspaces (id),
        hmac bytea NOT NULL CONSTRAINT uq_api_keys_hmac UNIQUE,
        pepper_id text NOT NULL,
        last4 text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3),
        revoked_at timestamptz(3),
        last_used_at timestamptz(3)
      );
      CREATE INDEX ix_api_keys_user ON api_keys (user_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_keys');
  }
}
