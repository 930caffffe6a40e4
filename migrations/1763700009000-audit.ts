import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit log of authentication; the indexes by which live sessions are counted and ended ones are found. */
export class Audit1763700009000 implements MigrationInterface {
  name = 'Audit1763700009000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE auth_events (
        id uuid NOT NULL CONSTRAINT pk_auth_events PRIMARY KEY,
        at timestamptz(3) NOT NULL DEFAULT now(),
        kind text NOT NULL,
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
      CREATE INDEX ix_sessions_live ON sessions (user_id, refresh_expires_at) WHERE revoked_at IS NULL;
      CREATE INDEX ix_sessions_ended ON sessions (refresh_expires_at) WHERE generation = 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ix_sessions_ended, ix_sessions_live');
    await runner.query('DROP TABLE auth_events');
  }
}
