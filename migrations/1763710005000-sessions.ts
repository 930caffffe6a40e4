import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions (specification, section 3). `generation` and `token_id` identify the current refresh token. */
export class Sessions1763710005000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sessions (
        user_id uuid NOT NULL,
        id uuid NOT NULL,
        client_id text NOT NULL,
        scopes text[] NOT NULL,
        generation integer NOT NULL DEFAULT 0,
        token_id uuid NOT NULL,
        refresh_expires_at timestamptz(3) NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        last_used_at timestamptz(3) NOT NULL DEFAULT now(),
        revoked_at timestamptz(3),
        revoked_reason text,
        CONSTRAINT pk_sessions PRIMARY KEY (user_id, id)
      );
      CREATE INDEX ix_sessions_client ON sessions (client_id) WHERE revoked_at IS NULL;
      CREATE INDEX ix_sessions_live ON sessions (user_id, refresh_expires_at) WHERE revoked_at IS NULL;
      CREATE INDEX ix_sessions_ended ON sessions (refresh_expires_at) WHERE generation = 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sessions');
  }
}
