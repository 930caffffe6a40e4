import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit log of authentication and memberships. */
export class Audit1763700004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE auth_events (
        id uuid NOT NULL CONSTRAINT pk_auth_events PRIMARY KEY,
        at timestamptz(3) NOT NULL DEFAULT now(),
        kind text NOT NULL,
        workspace_id uuid,
        actor_id uuid,
        user_id uuid,
        client_id text,
        session_id uuid,
        api_key_id uuid,
        reason text,
        counts jsonb,
        address text,
        request_id text
      );
      CREATE INDEX ix_auth_events_at ON auth_events (at);
      CREATE INDEX ix_auth_events_user ON auth_events (user_id, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE auth_events');
  }
}
